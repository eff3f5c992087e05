"""Builds the simulated world's MuJoCo model from a robot and a world configuration; running it is done elsewhere.

Joints that share a motor (`Joint.follows`, the NAO's hip yaw pitch) are separate hinges tied by a stiff joint equality.
Their one motor pulls a fixed tendon over the mean of their angles: with n joints each gets 1/n of the torque, and 1/n
of the motor's damping, dry friction and rotor inertia. Thus torque limit and gains stay those of the one real motor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import BackendError
from andante.backends.ball import BALL, add_ball
from andante.backends.config_parts import bounds
from andante.backends.payload import add_payload
from andante.backends.world import WorldConfig
from andante.robots.compiling import compiled
from andante.robots.robot import Robot

FLOOR = "andante_floor"
"""Name of the floor geom."""
SENSOR_PREFIX = "andante_"
"""Prefix of the sensors that the world adds."""
_COUPLING_SOLREF = (0.004, 1.0)
_COUPLING_SOLIMP = (0.99, 0.999, 0.001, 0.5, 2.0)
LOCK_PREFIX = "andante_lock_"
"""Prefix of the equality that can lock a motor's leading joint; off until a fault switches it on."""
_FLOOR_RULES = 1e9
"""Weight with which the floor decides how soft its contacts are; shapes of the robot have 1."""
_USUAL_CONTACT_TIME = 0.02
"""Time constant of contacts in MuJoCo where nothing is said [s]."""
_CONTACT_FIELDS = ("FOUND", "FORCE", "TORQUE", "POS")
"""What MuJoCo tells of all contacts of a foot together; of other contacts only the first, their number."""
_FOOT_VALUES = 10
_RESET = {
    "geom": ("contype", "conaffinity", "margin", "gap", "solimp"),
    "actuator": (
        *("gear", "cranklength", "ctrllimited", "ctrlrange", "ctrlspec", "inheritrange", "forcelimited", "forcerange"),
        *("actlimited", "actrange", "actdim", "actearly", "dyntype", "dynprm", "gaintype", "gainprm", "biastype"),
        *("biasprm", "lengthrange", "damping", "armature", "delay", "nsample", "interp", "ffrange", "velrange"),
    ),
    "tendon": (
        *("limited", "range", "actfrclimited", "actfrcrange", "stiffness", "springlength", "springyield", "damping"),
        *("frictionloss", "armature", "margin", "solref_limit", "solimp_limit", "solref_friction", "solimp_friction"),
    ),
    "equality": ("active",),
}
"""What a file may set for all elements that say nothing, by kind of element."""


def motor_groups(robot: Robot) -> tuple[tuple[int, ...], ...]:
    """The joints that each motor moves, as joint indices, leading joint first; motors in joint order.

    Raises:
        BackendError: A joint follows one that has no own motor.
    """
    groups: dict[int, list[int]] = {i: [i] for i, joint in enumerate(robot.joints) if joint.follows is None}
    for i, joint in enumerate(robot.joints):
        if joint.follows is not None:
            leader = robot.index(joint.follows)
            if leader not in groups:
                raise BackendError(
                    "a joint can only follow one with its own motor", place=joint.name, value=joint.follows
                )
            groups[leader].append(i)
    return tuple(tuple(group) for group in groups.values())


def build_spec(robot: Robot, config: WorldConfig, *, drawn: bool = False) -> mujoco.MjSpec:
    """The world as editable MuJoCo specification: robot, floor, light, motors, sensors.

    Args:
        robot: The robot.
        config: The world.
        drawn: With the robot's visual meshes, which nothing touches.

    Raises:
        BackendError: The robot's model lacks a joint, body or site that the robot names.
    """
    spec = robot.drawn_spec() if drawn else robot.spec()
    for element in (*spec.actuators, *spec.sensors, *spec.keys):
        spec.delete(element)
    _set_options(spec, config)
    _reset_defaults(spec)
    _keep_bounds(spec, robot)
    _add_floor(spec, config)
    _set_shapes(spec, config)
    if config.terrain is not None:
        # Most worlds are level, and are spared what makes bodies of terrains.
        from andante.backends.terrain_bodies import add_terrain

        terrain = config.terrain.load()
        spec.geom(FLOOR).pos = [0.0, 0.0, terrain.floor]
        add_terrain(spec, terrain, bounds(config.friction)[1], *_ground_contacts(config.solver.contact_time))
    _set_base(spec, robot, config)
    _add_motors(spec, robot)
    _add_sensors(spec, robot)
    if config.ball is not None:
        add_ball(spec, config.ball, math.hypot(*config.gravity))
    _meet_robot(spec, robot, ball=config.ball is not None)
    return spec


def build_model(robot: Robot, config: WorldConfig) -> mujoco.MjModel:
    """The compiled world model.

    Raises:
        BackendError: The model cannot be built.
    """
    spec = build_spec(robot, config)
    try:
        return compiled(spec)
    except ValueError as error:
        raise BackendError(f"the world model of robot {robot.name!r} does not compile: {error}") from error


def _set_options(spec: mujoco.MjSpec, config: WorldConfig) -> None:
    option, solver = spec.option, config.solver
    option.timestep = config.timestep
    option.gravity = config.gravity
    option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{solver.integrator.upper()}")
    option.cone = getattr(mujoco.mjtCone, f"mjCONE_{solver.cone.upper()}")
    for name in ("impratio", "iterations", "tolerance"):
        setattr(option, name, getattr(solver, name))
    # Same solution; a legged robot's tree makes whole get-ups a sixth faster than with dense Jacobians.
    option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    # One robot is one island; looking for more costs a twentieth of a step.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    # An automatic reset would hide a diverged simulation as a jump back to the start.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)


def _reset_defaults(spec: mujoco.MjSpec) -> None:
    """What is added to the world is as here, whatever the robot's file has for elements that say nothing.

    Shapes collide, and as softly. Motors have no gear, filter or narrow range of targets, as a file's own motors may.
    What the file's elements have of its defaults they keep.
    """
    plain = mujoco.MjSpec()
    for kind, names in _RESET.items():
        usual, own = getattr(plain.default, kind), getattr(spec.default, kind)
        for name in names:
            # Versions of MuJoCo know more and more of them.
            if hasattr(usual, name):
                setattr(own, name, getattr(usual, name))


def _keep_bounds(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Give the robot's bodies the least mass and inertia that its file bounds them by; what is added has its own."""
    if spec.compiler.boundmass <= 0.0 and spec.compiler.boundinertia <= 0.0:
        return
    model = robot.model
    for body in spec.bodies:
        if body.name and body.name != "world":
            number = model.body(body.name).id
            body.explicitinertial, body.mass = True, float(model.body_mass[number])
            body.inertia, body.fullinertia = model.body_inertia[number], [np.nan] * 6
            body.ipos, body.iquat = model.body_ipos[number], model.body_iquat[number]
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0


def _meet_robot(spec: mujoco.MjSpec, robot: Robot, *, ball: bool) -> None:
    """Let ground and ball touch feet, whatever bits of contact a robot's file has for them.

    Files with a floor of their own may have other bits than 1 for it, and for all that stands on it; on a floor of 1
    their robots would fall through. Of a robot without feet all shapes count.
    """
    named = [spec.body(foot.body) for foot in robot.feet] or [spec.body(robot.base_body)]
    shapes = [shape for body in named if body is not None for shape in body.find_all("geom")]
    apart = [shape for shape in shapes if not (shape.contype & 1 or shape.conaffinity & 1)]
    for shape in (*spec.worldbody.geoms, *(spec.body(BALL).geoms if ball else ())):
        for other in apart:
            shape.contype |= other.conaffinity
            shape.conaffinity |= other.contype


def _ground_contacts(contact_time: float | None) -> tuple[float, float]:
    """Time constant of the ground's contacts [s], and its weight beside that of the robot's shapes."""
    return (_USUAL_CONTACT_TIME, 1.0) if contact_time is None else (contact_time, _FLOOR_RULES)


def _add_floor(spec: mujoco.MjSpec, config: WorldConfig) -> None:
    texture = spec.add_texture(
        name=FLOOR,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.82, 0.84, 0.86],
        rgb2=[0.72, 0.75, 0.78],
        width=256,
        height=256,
    )
    material = spec.add_material(name=FLOOR, texrepeat=[5.0, 5.0], texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = texture.name
    carpet = config.carpet
    contact_time, weight = _ground_contacts(config.solver.contact_time if carpet is None else carpet.contact_time)
    floor = spec.worldbody.add_geom(
        name=FLOOR,
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0.0, 0.0, 0.1],
        material=FLOOR,
        # On a hard floor contacts are points that only slide: friction against turning would cost a fifth of all time.
        condim=3 if carpet is None else 6,
        friction=[
            bounds(config.friction)[1],
            0.0 if carpet is None else carpet.torsion,
            0.0 if carpet is None else carpet.rolling,
        ],
        solref=[contact_time, 1.0],
        solmix=weight,
    )
    if carpet is not None:
        floor.solimp[2] = carpet.give
    spec.worldbody.add_light(
        pos=[0.0, 0.0, 4.0], dir=[0.0, 0.0, -1.0], type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, castshadow=False
    )
    spec.visual.headlight.ambient[:] = 0.4


def _set_shapes(spec: mujoco.MjSpec, config: WorldConfig) -> None:
    """Friction of the robot's shapes is the world's, whatever the model says; softness, too, unless it is the model's.

    Of two shapes MuJoCo takes the larger friction, so turning and rolling are left to the floor. Where two of its own
    shapes touch, the impedance (solimp) is the model's either way.
    """
    contact_time = config.solver.contact_time
    for geom in spec.geoms:
        if geom.name == FLOOR:
            continue
        geom.condim = 3
        geom.friction = [bounds(config.friction)[1], 0.0, 0.0]
        # A ball has the highest priority: its bounce is its own.
        geom.priority = min(geom.priority, 1) if contact_time is None else 0
        if contact_time is not None:
            geom.solref = [contact_time, 1.0]
            geom.solmix = 1.0


def _set_base(spec: mujoco.MjSpec, robot: Robot, config: WorldConfig) -> None:
    base = spec.body(robot.base_body)
    if base is None:
        raise BackendError("the model has no such base body", place=f"robot {robot.name!r}", value=robot.base_body)
    free = [joint for joint in base.joints if joint.type == mujoco.mjtJoint.mjJNT_FREE]
    if config.fixed_base:
        for joint in free:
            spec.delete(joint)
    elif not base.joints:
        base.add_freejoint(name="base")
    if config.payload is not None:
        add_payload(base, config.payload)


def held(robot: Robot, config: WorldConfig) -> bool:
    """Whether a world holds a robot by its base, so that nothing moves that."""
    model, base = robot.model, robot.model.body(robot.base_body).id
    joints = model.jnt_type[model.jnt_bodyid == base]
    return config.fixed_base and bool(np.all(joints == mujoco.mjtJoint.mjJNT_FREE))


def _add_motors(spec: mujoco.MjSpec, robot: Robot) -> None:
    for joint in robot.joints:
        if spec.joint(joint.name) is None:
            raise BackendError("the model has no such joint", place=f"robot {robot.name!r}", value=joint.name)
    for group in motor_groups(robot):
        leader, servo = robot.joints[group[0]], robot.servos[group[0]]
        for i in group:
            hinge = spec.joint(robot.joints[i].name)
            hinge.damping = [servo.damping / len(group), 0.0, 0.0]
            hinge.frictionloss = servo.friction / len(group)
            hinge.armature = servo.armature / len(group)
        if len(group) == 1:
            transmission, target = mujoco.mjtTrn.mjTRN_JOINT, leader.name
        else:
            transmission, target = mujoco.mjtTrn.mjTRN_TENDON, _couple(spec, robot, group)
        _add_rigid(spec, name=LOCK_PREFIX + leader.name, name1=leader.name, active=False)
        spec.add_actuator(
            name=leader.name,
            trntype=transmission,
            target=target,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            gainprm=[servo.kp] + [0.0] * 9,
            biasprm=[0.0, -servo.kp, -servo.kd] + [0.0] * 7,
            forcelimited=True,
            forcerange=[-servo.max_torque, servo.max_torque],
        )


def _couple(spec: mujoco.MjSpec, robot: Robot, group: tuple[int, ...]) -> str:
    """Tie the joints of one motor together; gives the name of the tendon that the motor pulls."""
    leader = robot.joints[group[0]].name
    tendon = spec.add_tendon(name=leader)
    for i in group:
        name = robot.joints[i].name
        tendon.wrap_joint(name, 1.0 / len(group))
        if name != leader:
            _add_rigid(spec, name=f"{name}=={leader}", name1=name, name2=leader, data=[0.0, 1.0] + [0.0] * 10)
    return leader


def _add_rigid(spec: mujoco.MjSpec, **ends: Any) -> None:
    """Add a constraint of joints that hardly gives."""
    kind, of = mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtObj.mjOBJ_JOINT
    spec.add_equality(type=kind, objtype=of, solref=_COUPLING_SOLREF, solimp=_COUPLING_SOLIMP, **ends)


def _add_sensors(spec: mujoco.MjSpec, robot: Robot) -> None:
    if spec.site(robot.imu_site) is None:
        raise BackendError("the model has no such IMU site", place=f"robot {robot.name!r}", value=robot.imu_site)
    # The order is that of the fields orientation, gyro, accelerometer in Sensors: one copy reads all three.
    for name, kind in (
        ("orientation", mujoco.mjtSensor.mjSENS_FRAMEQUAT),
        ("gyro", mujoco.mjtSensor.mjSENS_GYRO),
        ("accelerometer", mujoco.mjtSensor.mjSENS_ACCELEROMETER),
    ):
        spec.add_sensor(name=SENSOR_PREFIX + name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=robot.imu_site)
    for foot in robot.feet:
        if spec.body(foot.body) is None or spec.site(foot.site) is None:
            raise BackendError(
                "the model lacks the foot's body or site", place=f"foot {foot.name!r}", value=(foot.body, foot.site)
            )
        _add_contact_sensor(spec, f"foot_{foot.name}", foot.body, with_ground=False)
    for foot in robot.feet:
        _add_contact_sensor(spec, f"ground_{foot.name}", foot.body)
    # All of the robot; what else touches the ground (a ball) is no concern of its.
    _add_contact_sensor(spec, "ground", robot.base_body, subtree=True)


def _add_contact_sensor(
    spec: mujoco.MjSpec, name: str, body: str, *, with_ground: bool = True, subtree: bool = False
) -> None:
    """Count the contacts of a body, or of all below it too, with the ground; or tell of those with anything in sum."""
    fields = _CONTACT_FIELDS[:1] if with_ground else _CONTACT_FIELDS
    bits = sum(1 << int(getattr(mujoco.mjtConDataField, f"mjCONDATA_{field}")) for field in fields)
    spec.add_sensor(
        name=SENSOR_PREFIX + name,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_XBODY if subtree else mujoco.mjtObj.mjOBJ_BODY,
        objname=body,
        reftype=mujoco.mjtObj.mjOBJ_BODY if with_ground else mujoco.mjtObj.mjOBJ_UNKNOWN,
        refname="world" if with_ground else "",
        # data fields as bits, how contacts are reduced (0 none, 3 net force), number of slots
        intprm=[bits, 0 if with_ground else 3, 1],
    )


@dataclass(frozen=True, eq=False)
class ModelIndex:
    """Where the parts of the robot lie in the arrays of a built model."""

    qpos: NDArray[np.intp]
    """Address of each joint in qpos, (nj,)."""
    qvel: NDArray[np.intp]
    """Address of each joint in qvel, (nj,)."""
    motor_of_joint: NDArray[np.intp]
    """Motor (actuator) that moves each joint, (nj,)."""
    leader_of_motor: NDArray[np.intp]
    """Leading joint of each motor, (nu,)."""
    base: int
    """Body index of the base."""
    free: int | None
    """Address of the base's free joint in qpos; None where the base has none."""
    floor: int
    """Geom index of the floor."""
    imu: slice
    """Orientation, gyro, accelerometer in sensordata."""
    feet: slice
    """Contact sums of the feet in sensordata, ten values each: found, force, torque, position."""
    foot_grounds: slice
    """Number of contacts with the ground per foot in sensordata."""
    ground: int
    """Number of all contacts with the ground in sensordata."""
    foot_sites: NDArray[np.intp]
    """Site of each foot, (nf,)."""

    @staticmethod
    def of(robot: Robot, model: mujoco.MjModel) -> ModelIndex:
        """The index of a model that `build_spec` made for this robot."""
        groups = motor_groups(robot)
        motor_of_joint = np.zeros(len(robot.joints), dtype=np.intp)
        for motor, group in enumerate(groups):
            motor_of_joint[list(group)] = motor
        joints = [model.joint(name).id for name in robot.joint_names]
        nf = len(robot.feet)
        base = int(model.body(robot.base_body).id)
        joint = int(model.body_jntadr[base])
        floating = joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE
        imu = int(model.sensor(SENSOR_PREFIX + "orientation").adr[0])
        feet = imu + 10
        grounds = feet + _FOOT_VALUES * nf
        return ModelIndex(
            qpos=model.jnt_qposadr[joints].astype(np.intp),
            qvel=model.jnt_dofadr[joints].astype(np.intp),
            motor_of_joint=motor_of_joint,
            leader_of_motor=np.array([group[0] for group in groups], dtype=np.intp),
            base=base,
            free=int(model.jnt_qposadr[joint]) if floating else None,
            floor=int(model.geom(FLOOR).id),
            imu=slice(imu, imu + 10),
            feet=slice(feet, grounds),
            foot_grounds=slice(grounds, grounds + nf),
            ground=grounds + nf,
            foot_sites=np.array([model.site(foot.site).id for foot in robot.feet], dtype=np.intp),
        )

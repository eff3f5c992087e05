"""Write what training needs of a robot: the model as MuJoCo reads it, and the numbers that Andante knows beside it.

    python export.py t1 [--out t1]

Makes `t1.mjb` (a floor, feet that touch it, a position servo per motor) and `t1.json`. The computer with the graphics
card needs MuJoCo of the same version, and not Andante.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import mujoco
import numpy as np

from andante.robots.robot import Robot

BOOSTER_LEG = [
    f"{{}}_{part}" for part in ("Hip_Pitch", "Hip_Roll", "Hip_Yaw", "Knee_Pitch", "Ankle_Pitch", "Ankle_Roll")
]
WALKS = {
    "t1": {
        "joints": ["Waist", *BOOSTER_LEG],
        "sides": ["Left", "Right"],
        "posture": {"Hip_Pitch": -0.25, "Knee_Pitch": 0.5, "Ankle_Pitch": -0.25},
        "gains": {"Waist": [200, 5], "Hip": [200, 5], "Knee": [200, 5], "Ankle": [60, 1.5]},
        "rate": 50.0,
        "step": 0.004,
        "frequency": 1.5,
        "lift": 0.07,
        "apart": 0.2,
        "forward": [-0.5, 1.0],
        "lateral": [-0.4, 0.4],
        "turn": [-1.0, 1.0],
    },
    "k1": {
        "joints": BOOSTER_LEG,
        "sides": ["Left", "Right"],
        "posture": {"Hip_Pitch": -0.25, "Knee_Pitch": 0.5, "Ankle_Pitch": -0.25},
        "gains": {"Hip": [80, 2], "Knee": [80, 2], "Ankle": [35, 1.5]},
        "rate": 50.0,
        "step": 0.004,
        "frequency": 1.7,
        "lift": 0.06,
        "apart": 0.17,
        "forward": [-0.4, 0.8],
        "lateral": [-0.3, 0.3],
        "turn": [-1.0, 1.0],
    },
    "nao": {
        "joints": ["{}HipYawPitch", "{}HipRoll", "{}HipPitch", "{}KneePitch", "{}AnklePitch", "{}AnkleRoll"],
        "sides": ["L", "R"],
        "posture": {"HipPitch": -0.3665, "KneePitch": 0.8727, "AnklePitch": -0.5062},
        "gains": {
            "HipYawPitch": [92.3, 1.385],
            "HipRoll": [92.3, 1.385],
            "HipPitch": [60, 0.9],
            "Knee": [60, 0.9],
            "AnklePitch": [60, 0.9],
            "AnkleRoll": [92.3, 1.385],
        },
        "rate": 1 / 0.024,
        "step": 0.004,
        "frequency": 2.0,
        "lift": 0.025,
        "apart": 0.09,
        "forward": [-0.25, 0.35],
        "lateral": [-0.2, 0.2],
        "turn": [-1.0, 1.0],
    },
}
"""Per robot: joints that the policy moves, posture and gains of the legs by parts of joint names (SI units),
calls per second, physics step [s], cycles of two steps per second, height of a swinging foot [m], least distance of the
feet [m], ranges of what is asked [m/s, m/s, rad/s]."""


def joints_of(walk: dict) -> list[str]:
    """Joints in the order of the policy: waist, left leg, right leg."""
    whole = [name for name in walk["joints"] if "{}" not in name]
    return whole + [name.format(side) for side in walk["sides"] for name in walk["joints"] if "{}" in name]


def by_part(parts: dict, name: str, otherwise):
    """The value whose key is part of the joint's name; the longest key that fits."""
    fitting = [key for key in parts if key in name]
    return parts[max(fitting, key=len)] if fitting else otherwise


def export(name: str, out: Path) -> None:
    """Write OUT.mjb and OUT.json."""
    walk, robot = WALKS[name], Robot.load(name)
    joints = joints_of(walk)
    posture = np.array(robot.posture("stand"), dtype=float)
    for i, each in enumerate(robot.joint_names):
        if each in joints:
            posture[i] = by_part(walk["posture"], each, 0.0)
    text = robot.mjcf() if callable(robot.mjcf) else robot.mjcf
    spec = mujoco.MjSpec.from_string(text, assets=dict(robot.assets or {}))
    feet = {foot.body for foot in robot.feet}
    for geom in spec.geoms:
        touches = geom.parent.name in feet and (geom.contype or geom.conaffinity)
        geom.contype, geom.conaffinity = (1, 0) if touches else (0, 0)
        geom.friction = [0.8, 0.005, 0.0001]
    spec.worldbody.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0, 0, 0.1],
        contype=0,
        conaffinity=1,
        friction=[0.1, 0.005, 0.0001],
    )
    base = spec.body(robot.base_body)
    root = base
    while root.parent.name != "world":
        root = root.parent
    if not any(j.type == mujoco.mjtJoint.mjJNT_FREE for j in root.joints):
        root.add_freejoint()
    for sensor in list(spec.sensors):
        spec.delete(sensor)
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    leaders = sorted({int(i) for i in robot.leaders})
    gains = []
    for i, servo in enumerate(robot.servos):
        joint = spec.joint(robot.joint_names[i])
        joint.armature, joint.frictionloss = servo.armature, 0.0
        joint.damping[0] = servo.damping + 0.5 * servo.friction
        each = robot.joint_names[i]
        kp, kd = by_part(walk["gains"], each, (servo.kp, servo.kd)) if each in joints else (servo.kp, servo.kd)
        gains.append((float(kp), float(kd)))
        if i not in leaders:
            spec.add_equality(
                type=mujoco.mjtEq.mjEQ_JOINT,
                objtype=mujoco.mjtObj.mjOBJ_JOINT,
                name1=each,
                name2=robot.joint_names[int(robot.leaders[i])],
                data=[0, 1] + [0] * 10,
            )
            continue
        motor = spec.add_actuator(name=each, target=each, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.gaintype, motor.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        motor.gainprm[0], motor.biasprm[1], motor.biasprm[2] = kp, -kp, -kd
        motor.forcelimited, motor.forcerange = 1, [-servo.max_torque, servo.max_torque]
    spec.option.timestep = walk["step"]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_PYRAMIDAL, 1.0
    spec.option.iterations, spec.option.ls_iterations, spec.option.tolerance = 8, 16, 1e-6
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
    for geom in list(spec.geoms):
        if not (geom.contype or geom.conaffinity):
            spec.delete(geom)
    for mesh in list(spec.meshes):
        if not any(geom.meshname == mesh.name for geom in spec.geoms):
            spec.delete(mesh)
    for geom in spec.geoms:
        geom.material = ""
    for mat in list(spec.materials) + list(spec.textures):
        spec.delete(mat)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[7:] = [posture[robot.joint_names.index(model.joint(j).name)] for j in range(1, model.njnt)]
    mujoco.mj_kinematics(model, data)
    corners = []
    for foot in robot.feet:
        body = model.body(foot.body).id
        site = model.site(foot.site)
        outline = np.array([(x, y, 0.0) for x, y in foot.outline])
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, site.quat)
        x, y = outline[:, 0], outline[:, 1]
        box = np.array([[a, b, 0.0] for a in (x.min(), x.max()) for b in (y.min(), y.max())])
        corners.append((site.pos + box @ turn.reshape(3, 3).T).tolist())
    low = np.inf
    for foot, points in zip(robot.feet, corners, strict=True):
        body = model.body(foot.body).id
        low = min(low, (np.array(points) @ data.xmat[body].reshape(3, 3).T + data.xpos[body])[:, 2].min())
    names = [model.actuator(a).name for a in range(model.nu)]
    index = [robot.joint_names.index(each) for each in names]
    servos = [robot.servos[i] for i in index]
    moved = [robot.joint_names.index(each) for each in joints]
    asked = ("rate", "step", "frequency", "lift", "apart", "forward", "lateral", "turn")
    table = {
        "robot": name,
        "joints": joints,
        "motors": names,
        "policy_motors": [names.index(robot.joint_names[int(robot.leaders[i])]) for i in moved],
        "qpos": [int(model.jnt_qposadr[model.joint(each).id]) for each in names],
        "qvel": [int(model.jnt_dofadr[model.joint(each).id]) for each in names],
        "joint_qpos": [int(model.jnt_qposadr[model.joint(each).id]) for each in joints],
        "joint_qvel": [int(model.jnt_dofadr[model.joint(each).id]) for each in joints],
        "default": [float(posture[robot.joint_names.index(each)]) for each in joints],
        "rest": [float(posture[i]) for i in index],
        "start": [0.0, 0.0, float(data.qpos[2] - low + 0.002), 1.0, 0.0, 0.0, 0.0, *data.qpos[7:].tolist()],
        "lower": [float(robot.lower[robot.joint_names.index(each)]) for each in joints],
        "upper": [float(robot.upper[robot.joint_names.index(each)]) for each in joints],
        "kp": [gains[i][0] for i in index],
        "kd": [gains[i][1] for i in index],
        "policy_kp": [gains[i][0] for i in moved],
        "policy_kd": [gains[i][1] for i in moved],
        "torque": [float(min(s.max_torque, robot.max_effort[i])) for s, i in zip(servos, index, strict=True)],
        "policy_torque": [float(min(robot.servos[i].max_torque, robot.max_effort[i])) for i in moved],
        "speed": [float(s.max_velocity) for s in servos],
        "corner": [float(s.torque_speed[0]) if s.torque_speed else 1e6 for s in servos],
        "no_load": [float(s.torque_speed[1]) if s.torque_speed else 2e6 for s in servos],
        "on_error": [float(s.derivative_of_error) for s in servos],
        "base": int(model.body(robot.base_body).id),
        "feet": [int(model.body(foot.body).id) for foot in robot.feet],
        "corners": corners,
        "foot_geoms": [int(g) for g in range(model.ngeom) if model.geom_contype[g]],
        **{key: walk[key] for key in asked},
    }
    other = {a: b for pair in robot.mirror.pairs for a, b in (pair, pair[::-1])}
    table["mirror_index"] = [joints.index(other.get(each, each)) for each in joints]
    table["mirror_sign"] = [-1.0 if each in robot.mirror.negate else 1.0 for each in joints]
    mujoco.mj_saveModel(model, str(out.with_suffix(".mjb")))
    out.with_suffix(".json").write_text(json.dumps(table))
    print(name, "nq", model.nq, "nv", model.nv, "nu", model.nu, "ngeom", model.ngeom, "height", table["start"][2])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robot", choices=sorted(WALKS))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    export(options.robot, options.out or Path(options.robot))

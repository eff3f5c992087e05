"""Robots without a pack: what can be read from a bare MJCF or URDF, and what has to be assumed.

Position limits must be in the file. Speeds and efforts are taken from it where it has them; they, the servos' gains,
the feet and the mirror are otherwise assumptions, which `Robot.sources` says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from andante.robots.mesh_files import collect_meshes, prepare_urdf
from andante.robots.model_text import compile_file, compile_spec, compile_text, read_model_text, spec_text
from andante.robots.robot import Foot, Joint, Mirror, Robot, RobotError, Servo

_SPEED = 10.0
"""Speed limit where the file has none, an assumption [rad/s]."""
_EFFORT = 10.0
"""Torque limit where the file has none, an assumption [N m]."""
_ACCELERATION = 1000.0
"""Limit of the command's acceleration, an assumption [rad/s^2]."""
_FULL_EFFORT_AT = 0.15
"""Position error at which an assumed servo gives its full torque [rad]."""
_DAMPING_TIME = 0.03
"""Velocity gain of an assumed servo over its position gain [s]."""
_ARMATURE = 0.01
"""Rotor inertia where the file has none, an assumption [kg m^2]."""


def load_bare(path: Path) -> Robot:
    """Load a robot from a MJCF or URDF file.

    Raises:
        RobotError: Not such a file, meshes missing, joints without limits, no hinge joints, or no single base.
    """
    text, root = read_model_text(path)
    declared: dict[str, tuple[float, float]] = {}
    sources = {"model": f"{path.name}, without a pack"}
    if root == "robot":
        urdf = prepare_urdf(text, path)
        assets, declared = urdf.assets, urdf.declared
        spec, _ = compile_text(urdf.text, place=str(path), assets=assets)
        if urdf.mended:
            sources["inertias"] = "products of inertia contradict the moments and are dropped: " + ", ".join(
                urdf.mended
            )
    else:
        spec, _ = compile_file(path)
        assets = collect_meshes(spec, path)
    return _describe(path, spec, assets, declared, sources)


def _describe(
    path: Path,
    spec: Any,
    assets: dict[str, bytes],
    declared: dict[str, tuple[float, float]],
    sources: dict[str, str],
) -> Robot:
    place = str(path)
    _name_all(spec)
    base = _base(spec, place, sources)
    model = compile_spec(spec, place=place)
    names = _hinges(model, place)
    efforts, postures = _actuator_efforts(model), _postures(spec, model, names)
    for element in (*spec.actuators, *spec.sensors, *spec.keys):
        spec.delete(element)
    for element in (*spec.worldbody.geoms, *spec.worldbody.lights, *spec.worldbody.cameras):
        spec.delete(element)
    if spec.site("imu") is None:
        base.add_site(name="imu", pos=[0.0, 0.0, 0.0])
        sources["imu"] = "assumption: at the origin of the base body"
    feet = _feet(spec, model, base, sources)
    text = spec_text(spec, place=place)
    _, model = compile_text(text, place=place, assets=assets)
    pairs = [
        _joint(model, name, declared.get(name, (0.0, 0.0)), efforts.get(name, 0.0), place, sources) for name in names
    ]
    return Robot(
        name=path.stem,
        title=f"{spec.modelname or path.stem} ({path.name})",
        joints=tuple(joint for joint, _ in pairs),
        servos=tuple(servo for _, servo in pairs),
        mjcf=text,
        base_body=base.name,
        imu_site="imu",
        feet=feet,
        groups={"all": tuple(names)},
        mirror=_mirror(names, model),
        postures={"zero": {}, **postures},
        assets=assets,
        sources=sources,
        path=path,
    )


def _name_all(spec: Any) -> None:
    """Give every joint and body without a name one, since joint arrays, sensors and feet go by names."""
    for kind, elements in (("joint", spec.joints), ("body", spec.bodies)):
        taken = {element.name for element in elements}
        for number, element in enumerate(elements):
            if not element.name:
                name = f"{kind}{number}"
                while name in taken:
                    name += "_"
                taken.add(name)
                element.name = name


def _base(spec: Any, place: str, sources: dict[str, str]) -> Any:
    """The base body; it is set free where it was welded to the world, and what else stands in the world is removed."""
    import mujoco

    tops = list(spec.worldbody.bodies)
    roots = [body for body in tops if _has_hinge(body)]
    if len(roots) != 1:
        raise RobotError(
            "the base cannot be guessed",
            place=place,
            value=[body.name for body in roots],
            limit="exactly one body below the world that carries hinge joints",
        )
    base = roots[0]
    for body in tops:
        if body.name != base.name:
            spec.delete(body)
    kinds = [joint.type for joint in base.joints]
    if not kinds:
        base.add_freejoint(name="root" if spec.joint("root") is None else "andante_root")
        sources["base"] = f"assumption: body {base.name!r} was welded to the world and is free here"
    elif kinds != [mujoco.mjtJoint.mjJNT_FREE]:
        raise RobotError(
            "the root body hangs on a joint; a legged robot needs a free base", place=place, value=base.name
        )
    return base


def _has_hinge(body: Any) -> bool:
    import mujoco

    return any(joint.type == mujoco.mjtJoint.mjJNT_HINGE for joint in body.find_all("joint"))


def _hinges(model: Any, place: str) -> list[str]:
    """Names of the hinge joints in the model's order."""
    import mujoco

    names = []
    for number in range(model.njnt):
        kind, name = model.jnt_type[number], model.joint(number).name
        if kind == mujoco.mjtJoint.mjJNT_HINGE:
            names.append(name)
        elif kind != mujoco.mjtJoint.mjJNT_FREE:
            raise RobotError("only hinge joints are supported", place=f"{place}: joint {name!r}")
    return names


def _actuator_efforts(model: Any) -> dict[str, float]:
    """Largest torque per joint that the file's actuators allow [N m]."""
    import mujoco

    efforts = {}
    for number in range(model.nu):
        if model.actuator_trntype[number] != mujoco.mjtTrn.mjTRN_JOINT:
            continue
        if model.actuator_forcelimited[number]:
            limit = float(np.abs(model.actuator_forcerange[number]).max())
        elif model.actuator_ctrllimited[number] and model.actuator_biastype[number] == mujoco.mjtBias.mjBIAS_NONE:
            # A motor is limited by its control range.
            limit = float(np.abs(model.actuator_ctrlrange[number] * model.actuator_gainprm[number, 0]).max())
        else:
            continue
        name = model.joint(model.actuator_trnid[number, 0]).name
        efforts[name] = limit * abs(float(model.actuator_gear[number, 0]))
    return efforts


def _joint(
    model: Any, name: str, declared: tuple[float, float], actuator: float, place: str, sources: dict[str, str]
) -> tuple[Joint, Servo]:
    """One joint and its servo; ``declared`` is a URDF's effort and velocity, 0 where it has none."""
    where, number = f"{place}: joint {name!r}", model.joint(name).id
    lower, upper = (float(bound) for bound in model.jnt_range[number])
    if not model.jnt_limited[number]:
        raise RobotError(
            "the joint has no position limits", place=where, remedy="give it a range in the file, or write a pack"
        )
    dof = model.jnt_dofadr[number]
    in_joint = float(np.abs(model.jnt_actfrcrange[number]).max()) if model.jnt_actfrclimited[number] else 0.0
    effort, speed = declared[0] or actuator or in_joint, declared[1]
    damping, friction = float(model.dof_damping[dof]), float(model.dof_frictionloss[dof])
    armature = float(model.dof_armature[dof])
    if not all(math.isfinite(value) for value in (lower, upper, effort, damping, friction, armature)):
        raise RobotError("a number of the joint is not finite", place=where)
    if not effort:
        effort = _EFFORT
        sources["efforts"] = f"assumption: {_EFFORT:g} N m where the file has none"
    if not speed:
        speed = _SPEED
        sources["speeds"] = f"assumption: {_SPEED:g} rad/s where the file has none"
    if not armature:
        armature = _ARMATURE
        sources["rotors"] = f"assumption: {_ARMATURE:g} kg m^2 where the file has none"
    sources["servos"] = (
        f"assumption: full torque at {_FULL_EFFORT_AT:g} rad of error, velocity gain {_DAMPING_TIME:g} s of that"
    )
    sources["acceleration limit"] = f"assumption: {_ACCELERATION:g} rad/s^2"
    kp = effort / _FULL_EFFORT_AT
    servo = Servo(
        kp=kp,
        kd=kp * _DAMPING_TIME,
        max_torque=effort,
        max_velocity=speed,
        damping=damping,
        friction=friction,
        armature=armature,
        stiffness_limits_torque=False,
    )
    return Joint(name, lower, upper, speed, effort, _ACCELERATION), servo


def _postures(spec: Any, model: Any, names: list[str]) -> dict[str, dict[str, float]]:
    """Keyframes of the file as named postures."""
    postures = {}
    for number, key in enumerate(spec.keys):
        if len(key.qpos) == model.nq and np.isfinite(key.qpos).all():
            postures[key.name or f"key{number}"] = {
                name: float(key.qpos[model.jnt_qposadr[model.joint(name).id]]) for name in names
            }
    return postures


def _feet(spec: Any, model: Any, base: Any, sources: dict[str, str]) -> tuple[Foot, ...]:
    """The lowest leaf body of each limb of at least three joints that reaches down, named by where it is."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    centre = data.body(base.name).xpos
    limbs: dict[str, tuple[Any, Any, list[float], float]] = {}
    for body in base.find_all("body"):
        chain = _hinge_chain(body)
        if body.find_all("body") or len(chain) < 3:
            continue
        balls = [geom for geom in body.geoms if geom.type == mujoco.mjtGeom.mjGEOM_SPHERE]
        ball = balls[-1] if balls else None
        position = [0.0, 0.0, 0.0] if ball is None else [float(x) for x in ball.pos]
        radius = 0.0 if ball is None else float(ball.size[0])
        world = data.body(body.name).xmat.reshape(3, 3) @ position + data.body(body.name).xpos
        rival = limbs.get(chain[-1])
        if rival is None or world[2] - radius < rival[0][2] - rival[3]:
            limbs[chain[-1]] = (world, body, position, radius)
    if not limbs:
        return ()
    low = min(world[2] for world, *_ in limbs.values())
    reach = max(centre[2] - low, 1e-6)
    chosen = [limb for limb in limbs.values() if limb[0][2] < low + 0.25 * reach]
    names = _foot_names([world - centre for world, *_ in chosen]) or [body.name for _, body, *_ in chosen]
    feet = []
    for name, (_, body, position, radius) in zip(names, chosen, strict=True):
        site = f"{name}_foot_site"
        while spec.site(site) is not None:
            site += "_"
        body.add_site(name=site, pos=position)
        feet.append(Foot(name, body.name, site, radius=radius))
    sources["feet"] = "guessed: lowest bodies at the end of three or more joints"
    return tuple(sorted(feet, key=lambda foot: _FOOT_ORDER.index(foot.name) if foot.name in _FOOT_ORDER else 9))


_FOOT_ORDER = ("FL", "FR", "HL", "HR", "left", "right")


def _foot_names(places: list[Any]) -> list[str] | None:
    """FL, FR, HL, HR or left, right by the places in the base's frame (3,); None where these names do not fit."""
    if len(places) == 4:
        names = [("F" if x > 0 else "H") + ("L" if y > 0 else "R") for x, y, _ in places]
    else:
        names = ["left" if y > 0 else "right" for _, y, _ in places]
    return names if len(set(names)) == len(names) else None


def _hinge_chain(body: Any) -> list[str]:
    """Names of the hinge joints from a body up to the base."""
    import mujoco

    chain = []
    while body is not None:
        chain += [joint.name for joint in reversed(body.joints) if joint.type == mujoco.mjtJoint.mjJNT_HINGE]
        body = body.parent
    return chain


_SIDES = (
    *(("FL", "FR"), ("HL", "HR"), ("RL", "RR"), ("LF", "RF"), ("LH", "RH")),
    *(("left", "right"), ("Left", "Right"), ("L", "R"), ("l", "r")),
)


def _mirror(names: list[str], model: Any) -> Mirror:
    """Pairs of joints whose names differ in the side only; signs by the joints' axes with all joints at zero."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    pairs: list[tuple[str, str]] = []
    partner: dict[str, str] = {}
    for name in names:
        other = next((o for o in _other_sides(name) if o in names and o not in partner), None)
        if other is not None and name not in partner:
            pairs.append((name, other))
            partner[name], partner[other] = other, name
    negate = set()
    for name in names:
        # A rotation axis keeps its y and turns its x and z in a mirror that exchanges left and right.
        mirrored = data.joint(name).xaxis * np.array([-1.0, 1.0, -1.0])
        if float(mirrored @ data.joint(partner.get(name, name)).xaxis) < 0.0:
            negate.add(name)
    return Mirror(tuple(pairs), frozenset(negate))


def _other_sides(name: str) -> Iterator[str]:
    """What a left joint's name could be on the right side, the surest guess first."""
    for left, right in _SIDES:
        for at in range(len(name)):
            if name.startswith(left, at):
                yield name[:at] + right + name[at + len(left) :]

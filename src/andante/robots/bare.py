"""Robots without a pack: what can be read from a bare MJCF or URDF, and what has to be assumed.

Position limits must be in the file. Speeds, efforts and servo gains are taken from it where it has them and are
otherwise assumptions, which `Robot.sources` says.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from andante.documents.files import check_text, read_text
from andante.documents.problems import DocumentError
from andante.robots.mesh_files import collect_meshes, resolve_urdf
from andante.robots.robot import Foot, Joint, Mirror, Robot, RobotError, Servo

_SPEED = 10.0
"""Speed limit where the file has none, an assumption [rad/s]."""
_EFFORT = 10.0
"""Torque limit where the file has none, an assumption [N m]."""
_ACCELERATION = 1000.0
"""Limit of the command's acceleration, an assumption [rad/s^2]."""
_FULL_EFFORT_AT = 0.15
"""Position error at which an assumed servo gives its full torque [rad]."""


def compile_text(text: str, *, place: str, assets: dict[str, bytes] | None = None) -> tuple[Any, Any]:
    """Parse and compile MJCF or URDF text.

    Returns:
        The specification (mujoco.MjSpec) and the model (mujoco.MjModel).

    Raises:
        RobotError: MuJoCo does not take it; the message is MuJoCo's.
    """
    import mujoco

    try:
        check_text(text, place=place)
        spec = mujoco.MjSpec.from_string(text, assets=assets or {})
        return spec, spec.compile()
    except DocumentError as error:
        raise RobotError(str(error)) from error
    except (ValueError, mujoco.FatalError) as error:
        raise RobotError(f"the model cannot be compiled: {error}", place=place) from error


def load_bare(path: Path) -> Robot:
    """Load a robot from a MJCF or URDF file.

    Raises:
        RobotError: Not such a file, meshes missing, joints without limits, or no legs and joints at all.
    """
    try:
        text = read_text(path)
    except DocumentError as error:
        raise RobotError(str(error)) from error
    root = re.search(r"<\s*(robot|mujoco)\b", text)
    if root is None:
        raise RobotError("is neither MJCF nor URDF", place=str(path), limit="root element <mujoco> or <robot>")
    declared: dict[str, tuple[float, float]] = {}
    if root.group(1) == "robot":
        text, assets, declared = resolve_urdf(text, path)
        spec, _ = compile_text(text, place=str(path), assets=assets)
    else:
        spec, assets = _load_mjcf(path)
    return _describe(path, spec, assets, declared)


def _load_mjcf(path: Path) -> tuple[Any, dict[str, bytes]]:
    import mujoco

    try:
        spec = mujoco.MjSpec.from_file(str(path))
        spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        raise RobotError(f"the model cannot be compiled: {error}", place=str(path)) from error
    return spec, collect_meshes(spec, path)


def _describe(path: Path, spec: Any, assets: dict[str, bytes], declared: dict[str, tuple[float, float]]) -> Robot:
    import mujoco

    place, sources = str(path), {"model": f"{path.name}, without a pack"}
    efforts = _actuator_efforts(spec)
    base = _base(spec, place, sources)
    names = [joint.name for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_HINGE]
    if not names:
        raise RobotError("the model has no hinge joints", place=place)
    other = [j.name for j in spec.joints if j.type in (mujoco.mjtJoint.mjJNT_BALL, mujoco.mjtJoint.mjJNT_SLIDE)]
    if other:
        raise RobotError("only hinge joints are supported", place=f"{place}: joint {other[0]!r}")
    postures = _take_postures(spec, names)
    for element in (*spec.actuators, *spec.sensors, *spec.keys):
        spec.delete(element)
    for element in (*spec.worldbody.geoms, *spec.worldbody.lights, *spec.worldbody.cameras):
        spec.delete(element)
    joints, servos = [], []
    for name in names:
        joint, servo = _joint(spec.joint(name), declared.get(name), efforts.get(name), place, sources)
        joints.append(joint)
        servos.append(servo)
    if spec.site("imu") is None:
        base.add_site(name="imu", pos=[0.0, 0.0, 0.0])
        sources["imu"] = "assumption: at the origin of the base body"
    feet = _feet(spec, base, sources)
    model = spec.compile()
    return Robot(
        name=path.stem,
        title=f"{spec.modelname or path.stem} ({path.name})",
        joints=tuple(joints),
        servos=tuple(servos),
        mjcf=spec.to_xml(),
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


def _base(spec: Any, place: str, sources: dict[str, str]) -> Any:
    """The body with the free joint; a welded root is set free and that is noted."""
    import mujoco

    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_FREE:
            return joint.parent
    roots = [body for body in spec.worldbody.bodies if list(body.bodies) or list(body.joints)]
    if len(roots) != 1:
        raise RobotError(
            "the base cannot be guessed",
            place=place,
            value=[body.name for body in roots],
            limit="one body with a free joint, or one body with joints below the world",
            remedy="write a pack.yaml that names base_body",
        )
    if list(roots[0].joints):
        raise RobotError(
            "the root body hangs on a joint; a legged robot needs a free base", place=place, value=roots[0].name
        )
    roots[0].add_freejoint(name="root")
    sources["base"] = f"assumption: body {roots[0].name!r} was welded to the world and is free here"
    return roots[0]


def _actuator_efforts(spec: Any) -> dict[str, float]:
    """Largest force per joint that the file's actuators allow."""
    efforts = {}
    for actuator in spec.actuators:
        limits = [abs(float(bound)) for bound in actuator.forcerange]
        if not any(limits):
            # A motor with unit gain is limited by its control range.
            limits = [abs(float(bound) * float(actuator.gainprm[0])) for bound in actuator.ctrlrange]
        if (any(limits) and actuator.biasprm[1] == 0.0) or any(float(bound) for bound in actuator.forcerange):
            efforts[actuator.target] = max(limits) * abs(float(actuator.gear[0]) or 1.0)
    return efforts


def _joint(
    joint: Any, declared: tuple[float, float] | None, actuator: float | None, place: str, sources: dict[str, str]
) -> tuple[Joint, Servo]:
    lower, upper = (float(bound) for bound in joint.range)
    if not lower < upper:
        raise RobotError(
            "the joint has no position limits",
            place=f"{place}: joint {joint.name!r}",
            value=(lower, upper),
            remedy="give it a range in the file, or write a pack",
        )
    in_joint = max(abs(float(bound)) for bound in joint.actfrcrange)
    effort = (declared[0] if declared else 0.0) or actuator or in_joint
    speed = declared[1] if declared else 0.0
    if not effort:
        effort = _EFFORT
        sources["efforts"] = f"assumption: {_EFFORT:g} N m where the file has none"
    if not speed:
        speed = _SPEED
        sources["speeds"] = f"assumption: {_SPEED:g} rad/s where the file has none"
    sources["servos"] = (
        f"assumption: full torque at {_FULL_EFFORT_AT:g} rad of error, damping ratio by the file's joint"
    )
    sources["acceleration limit"] = f"assumption: {_ACCELERATION:g} rad/s^2"
    kp = effort / _FULL_EFFORT_AT
    servo = Servo(
        kp=kp,
        kd=kp * 0.03,
        max_torque=effort,
        max_velocity=speed,
        damping=float(joint.damping[0]),
        friction=float(joint.frictionloss),
        armature=float(joint.armature) or 0.01,
        stiffness_limits_torque=False,
    )
    return Joint(joint.name, lower, upper, speed, effort, _ACCELERATION), servo


def _take_postures(spec: Any, names: list[str]) -> dict[str, dict[str, float]]:
    """Keyframes of the file as named postures."""
    if not list(spec.keys):
        return {}
    model = spec.compile()
    postures = {}
    for number, key in enumerate(spec.keys):
        qpos = list(key.qpos)
        if len(qpos) != model.nq:
            continue
        postures[key.name or f"key{number}"] = {
            name: float(qpos[model.jnt_qposadr[model.joint(name).id]]) for name in names
        }
    return postures


def _feet(spec: Any, base: Any, sources: dict[str, str]) -> tuple[Foot, ...]:
    """Leaf bodies at the end of at least three joints, lowest ones first, named by where they are."""
    import mujoco

    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    candidates = []
    for body in spec.bodies:
        if body.name in ("world", base.name) or list(body.bodies) or _hinges_above(body) < 3:
            continue
        balls = [geom for geom in body.geoms if geom.type == mujoco.mjtGeom.mjGEOM_SPHERE]
        ball = balls[-1] if balls else None
        position = [0.0, 0.0, 0.0] if ball is None else [float(x) for x in ball.pos]
        world = data.body(body.name).xmat.reshape(3, 3) @ position + data.body(body.name).xpos
        candidates.append((world, body, position, 0.0 if ball is None else float(ball.size[0])))
    if not candidates:
        return ()
    centre = data.body(base.name).xpos
    low = min(world[2] for world, *_ in candidates)
    reach = max(centre[2] - low, 1e-6)
    chosen = [entry for entry in candidates if entry[0][2] < low + 0.25 * reach]
    four = len(chosen) > 2
    feet = []
    for world, body, position, radius in chosen:
        side = ("L" if world[1] > centre[1] else "R") if four else ("left" if world[1] > centre[1] else "right")
        name = ("F" if world[0] > centre[0] else "H") + side if four else side
        if any(foot.name == name for foot in feet):
            name = body.name
        body.add_site(name=f"{name}_foot_site", pos=position)
        feet.append(Foot(name, body.name, f"{name}_foot_site", radius=radius))
    sources["feet"] = "guessed: lowest bodies at the end of three or more joints"
    order = {"FL": 0, "FR": 1, "HL": 2, "HR": 3, "left": 0, "right": 1}
    return tuple(sorted(feet, key=lambda foot: order.get(foot.name, 9)))


def _hinges_above(body: Any) -> int:
    count = 0
    while body is not None and body.name != "world":
        count += sum(1 for joint in body.joints if joint.type == 3)
        body = body.parent
    return count


_SIDES = (
    ("FL", "FR"),
    ("HL", "HR"),
    ("RL", "RR"),
    ("LF", "RF"),
    ("LH", "RH"),
    ("left", "right"),
    ("L", "R"),
    ("l", "r"),
)


def _mirror(names: list[str], model: Any) -> Mirror:
    """Pairs of joints whose names differ in the side only; angles about x and z change their sign."""
    pairs, negate, seen = [], set(), set()
    for name in names:
        for left, right in _SIDES:
            other = name.replace(left, right, 1)
            if other != name and other in names and name not in seen and other not in seen:
                pairs.append((name, other))
                seen |= {name, other}
    for name in names:
        axis = [abs(float(x)) for x in model.jnt_axis[model.joint(name).id]]
        if axis[1] < math.sqrt(0.5) - 1e-9:
            negate.add(name)
    return Mirror(tuple(pairs), frozenset(negate))

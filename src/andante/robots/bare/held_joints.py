"""Joints that slide or are balls, as a gripper's fingers have: held where they are at zero, and told.

Andante moves hinges. A slide or a ball that carries no hinge and is no part of a leg decides nothing of how a robot
walks, so such a robot is read without it; one in a leg is refused, as legs of slides are other legs. A rod on a ball
whose other end is held becomes a tie. A linear drive that
is tied at its end goes, where it holds nothing.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from andante.robots.bare.rods import tie_rods
from andante.robots.bare.telescopes import telescopes
from andante.robots.model_text import compile_spec

_OTHERS = (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_BALL)
_LOOPS = (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD)
_LOW = 0.15
"""What hangs lower than this share of the robot's height is part of a leg, with all joints at zero."""


def hold_joints(spec: Any, base: Any, place: str, sources: dict[str, str]) -> None:
    """Take slides and balls out of a parsed model where they carry nothing that moves and stand on nothing.

    Args:
        spec: The model, whose joints and bodies have names.
        base: Its base.
        place: Its file, for messages.
        sources: Where what is held is told.

    Raises:
        RobotError: MuJoCo does not take the model.
    """
    found = [joint for joint in base.find_all("joint") if joint.type in _OTHERS and joint.parent.name != base.name]
    bodies = {joint.name: [joint.parent, *joint.parent.find_all("body")] for joint in found}
    # What is off closes nothing: nobody turns it on here.
    tied = {name for tie in spec.equalities if tie.type in _LOOPS and tie.active for name in (tie.name1, tie.name2)}
    ends = [joint for joint in found if _carries_nothing(bodies[joint.name], tied)]
    balls = [joint for joint in found if joint.type == mujoco.mjtJoint.mjJNT_BALL and _is_alone(joint)]
    slides = [joint for joint in found if joint.type == mujoco.mjtJoint.mjJNT_SLIDE]
    if not ends and not balls and not slides:
        return
    chains: list[str] = []
    model = compile_spec(spec, place=place)
    held = [joint for joint in ends if not _stands(model, [body.name for body in bodies[joint.name]])]
    if held:
        told = ", ".join(f"{joint.name} ({_shape(joint)} of {joint.parent.name})" for joint in held)
        sources["other joints"] = f"held where they are at zero, for hinges alone are moved: {told}"
    for top, ties in telescopes(spec, model, base):
        bodies_of = [top, *top.find_all("body")]
        if _stands(model, [body.name for body in bodies_of]):
            continue
        held += [joint for body in bodies_of for joint in body.joints if joint not in held]
        for geom in (geom for body in bodies_of for geom in body.geoms):
            geom.contype = geom.conaffinity = 0
        for tie in ties:
            spec.delete(tie)
        chains.append(top.name)
    if chains:
        sources["linear drives"] = (
            "left out, with their limits and shapes to collide with, for they only follow; what they move has drives of"
            f" its own, and their masses are with what they hang on: {', '.join(chains)}"
        )
    held += tie_rods(
        spec, model, [ball for ball in balls if len(ball.parent.joints) == 1 and ball not in held], sources
    )
    if not held:
        return
    keys = _shorter_keys(spec, model, {joint.name for joint in held})
    _forget(spec, model, {joint.name for joint in held})
    for joint in held:
        spec.delete(joint)
    for name, numbers in keys.items():
        spec.add_key(name=name, qpos=numbers)


def _carries_nothing(bodies: list[Any], tied: set[str]) -> bool:
    """Whether no hinge is on bodies or below, and no loop is closed by them."""
    hinged = any(joint.type == mujoco.mjtJoint.mjJNT_HINGE for body in bodies for joint in body.joints)
    names = {body.name for body in bodies} | {site.name for body in bodies for site in body.sites}
    return not hinged and not names & tied


def _is_alone(joint: Any) -> bool:
    """Whether no other joint is on a joint's body or below."""
    bodies = [joint.parent, *joint.parent.find_all("body")]
    return sum(len(body.joints) for body in bodies) == 1


def _stands(model: mujoco.MjModel, names: list[str]) -> bool:
    """Whether shapes of bodies are among the lowest of the robot with all joints at zero."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    own = {model.body(name).id for name in names}
    moved = model.geom_bodyid > 0
    if not moved.any():
        return False
    heights = data.geom_xpos[:, 2] - model.geom_rbound
    low, high = heights[moved].min(), data.geom_xpos[moved, 2].max()
    mine = np.isin(model.geom_bodyid, list(own))
    return bool(mine.any() and heights[mine].min() < low + _LOW * (high - low))


def _shape(joint: Any) -> str:
    return "slide" if joint.type == mujoco.mjtJoint.mjJNT_SLIDE else "ball"


def _shorter_keys(spec: Any, model: mujoco.MjModel, names: set[str]) -> dict[str, list[float]]:
    """Take out the keyframes, and give the postures in them by name, without the numbers of some joints."""
    kept = np.ones(model.nq, dtype=np.bool_)
    for name in names:
        joint = model.joint(name)
        kept[joint.qposadr[0] : joint.qposadr[0] + len(joint.qpos0)] = False
    keys = {key.name: np.array(key.qpos)[kept].tolist() for key in spec.keys if len(key.qpos) == model.nq}
    for key in list(spec.keys):
        spec.delete(key)
    return keys


def _forget(spec: Any, model: mujoco.MjModel, names: set[str]) -> None:
    """Take out what a file says of joints that are no more: drives, ties, tendons over them."""
    tendons = set()
    for number in range(model.ntendon):
        first = model.tendon_adr[number]
        wraps = range(first, first + model.tendon_num[number])
        joints = [
            model.joint(int(model.wrap_objid[wrap])).name
            for wrap in wraps
            if model.wrap_type[wrap] == mujoco.mjtWrap.mjWRAP_JOINT
        ]
        if names & set(joints):
            tendons.add(model.tendon(number).name)
    drives = [drive for drive in spec.actuators if drive.target in names | tendons]
    ties = [tie for tie in spec.equalities if {tie.name1, tie.name2} & (names | tendons)]
    for element in (*drives, *ties, *(tendon for tendon in spec.tendons if tendon.name in tendons)):
        spec.delete(element)

"""A bare model made ready to compile: names for what has none, one free base, nothing of the world that it came in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from andante.robots.bare.held_joints import hold_joints
from andante.robots.bare.keyframes import drop_wrong_keys
from andante.robots.mesh_files import leave_out_lost_visuals
from andante.robots.model_text import parse_file, refusals
from andante.robots.parts import RobotError

_HINGE = mujoco.mjtJoint.mjJNT_HINGE
_LEG = 3
"""Fewest hinges of a robot, where other things in its scene have hinges too."""


def parse_bare(path: Path) -> mujoco.MjSpec:
    """A bare MJCF file as parsed, without meshes that are missing and only looked at, made ready to compile.

    Raises:
        RobotError: MuJoCo does not take it, or there is no single base.
    """
    spec = parse_file(path)
    leave_out_lost_visuals(spec, path)
    prepare_spec(spec, str(path), {})
    return spec


def prepare_spec(spec: Any, place: str, sources: dict[str, str]) -> Any:
    """The base body of a specification that was parsed only, made ready to compile.

    Raises:
        RobotError: What is in it contradicts itself (the message is MuJoCo's), or there is no single base.
    """
    # Skins are only looked at; their files are not handed on.
    for skin in list(spec.skins):
        spec.delete(skin)
    with refusals(place):
        _name_all(spec)
        drop_wrong_keys(spec, sources)
        base = _base(spec, place, sources)
        _let_go(spec, base, sources)
        for sensor in spec.sensors:
            spec.delete(sensor)
        hold_joints(spec, base, place, sources)
        _check_ranges(base, place)
        _drop_foreign_pairs(spec)
        _forget_options(spec)
    return base


def without_world(spec: Any) -> None:
    """Take out of a parsed model what is not the robot's: drives and keyframes, and what else stands in the world."""
    for element in (*spec.actuators, *spec.keys):
        spec.delete(element)
    for element in (*spec.worldbody.geoms, *spec.worldbody.lights, *spec.worldbody.cameras):
        spec.delete(element)


def _drop_foreign_pairs(spec: Any) -> None:
    """Take out contact pairs with shapes of the world, which is another one here; the robot's shapes in them collide
    with any. Nor does what a body does not touch in the file's world count."""
    for exclude in list(spec.excludes):
        if "world" in (exclude.bodyname1, exclude.bodyname2):
            spec.delete(exclude)
    own = {geom.name: geom for body in spec.worldbody.bodies for geom in body.find_all("geom") if geom.name}
    for pair in spec.pairs:
        names = (pair.geomname1, pair.geomname2)
        if not all(name in own for name in names):
            for name in names:
                if name in own:
                    own[name].contype = own[name].conaffinity = 1
            spec.delete(pair)


def _forget_options(spec: Any) -> None:
    """Solver and simulation options are the world's: some files ask for one iteration, with which nothing stands."""
    usual = mujoco.MjSpec().option
    for name in dir(usual):
        value = getattr(usual, name)
        if isinstance(value, (int, float)) and not name.startswith("_"):
            setattr(spec.option, name, value)
        elif isinstance(value, np.ndarray):
            getattr(spec.option, name)[:] = value


def _let_go(spec: Any, base: Any, sources: dict[str, str]) -> None:
    """Take out what holds a free robot in the world: ties to the world, friction and inertia of its free joint against
    the world, which a default for all joints gives it, and weight that is taken off it."""
    held = []
    for tie in list(spec.equalities):
        if tie.type in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD) and _of_world(spec, tie):
            held.append(f"a tie {tie.name!r} to the world" if tie.name else "a tie to the world")
            spec.delete(tie)
    for joint in base.joints:
        if np.any(joint.damping) or np.any(joint.stiffness) or joint.frictionloss or joint.armature:
            held.append("friction or inertia of its free joint")
            joint.damping, joint.stiffness = np.zeros_like(joint.damping), np.zeros_like(joint.stiffness)
            joint.frictionloss = joint.armature = 0.0
    light = [body for body in base.find_all("body") if body.gravcomp]
    for body in (base, *light) if base.gravcomp else light:
        body.gravcomp = 0.0
        held.append(f"gravity compensation of {body.name}")
    if held:
        sources["held"] = "left out, for nothing holds a robot in the world: " + ", ".join(held)


def _check_ranges(base: Any, place: str) -> None:
    """No range that ends before it begins: where the file does not say ``limited``, MuJoCo lets such a joint turn on.

    Raises:
        RobotError: A joint has such a range.
    """
    for joint in base.find_all("joint"):
        lower, upper = (float(bound) for bound in joint.range)
        free = joint.limited == mujoco.mjtLimited.mjLIMITED_FALSE
        if joint.type == _HINGE and not free and (lower > upper or lower == upper != 0.0):
            raise RobotError(
                "the joint's range is empty: lower is not below upper",
                place=f"{place}: joint {joint.name!r}: range",
                value=f"{lower:g} {upper:g}",
                limit="lower below upper",
            )


def _of_world(spec: Any, tie: Any) -> bool:
    """Whether one end of a tie between bodies or sites is the world."""
    ends = (tie.name1, tie.name2)
    if tie.objtype == mujoco.mjtObj.mjOBJ_SITE:
        sites = [spec.site(name) for name in ends]
        return any(site is not None and site.parent.name == "world" for site in sites)
    return any(name in ("", "world") for name in ends)


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


def _free_in_parts(kinds: Sequence[Any]) -> bool:
    """Whether joints that a root hangs on are a free joint in parts: three slides, and three hinges or a ball."""
    slide, hinge, ball = (
        kinds.count(kind)
        for kind in (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL)
    )
    return slide == 3 and (hinge, ball) in ((3, 0), (0, 1)) and len(kinds) == slide + hinge + ball


def _robot_among(roots: Sequence[Any], place: str) -> Any:
    """Of the bodies in a scene that carry hinges that of the robot: the only one that is free, else the only one with
    as many hinges as a leg; doors and balls have fewer.

    Raises:
        RobotError: There is none, or there are several.
    """
    free = [body for body in roots if _is_free(body)]
    found = free or list(roots)
    hinges = {body.name: sum(joint.type == _HINGE for joint in body.find_all("joint")) for body in roots}
    if len(found) > 1:
        found = [body for body in found if hinges[body.name] >= _LEG]
    if len(found) != 1:
        several = "leave one robot in the file: of several nobody can tell which is meant"
        nothing = "name the file of the robot itself; this one may be a scene or a part that another file includes"
        raise RobotError(
            "the base cannot be guessed",
            place=place,
            value=list(hinges),
            limit="exactly one body below the world that carries hinge joints, or one of them that is free",
            remedy=several if roots else nothing,
        )
    return found[0]


def _is_free(body: Any) -> bool:
    kinds = [joint.type for joint in body.joints]
    return kinds == [mujoco.mjtJoint.mjJNT_FREE] or _free_in_parts(kinds)


def _base(spec: Any, place: str, sources: dict[str, str]) -> Any:
    """The base body; it is set free where it was welded to the world, and what else stands in the world is removed."""
    tops = list(spec.worldbody.bodies)
    roots = [body for body in tops if any(joint.type == _HINGE for joint in body.find_all("joint"))]
    base = _robot_among(roots, place)
    others = [body.name for body in roots if body.name != base.name]
    if others:
        sources["scene"] = (
            f"guessed: the robot is body {base.name!r}; left out, with joints of their own: " + ", ".join(others)
        )
    for body in tops:
        if body.name != base.name:
            spec.delete(body)
    # How the file's scene has the robot lie or face says nothing of the robot.
    base.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    base.quat = (1.0, 0.0, 0.0, 0.0)
    kinds = [joint.type for joint in base.joints]
    if kinds == [mujoco.mjtJoint.mjJNT_FREE]:
        return base
    if kinds and not _free_in_parts(kinds):
        raise RobotError(
            "the root body hangs on a joint; a legged robot needs a free base",
            place=place,
            value=base.name,
            remedy="take its joints against the world out, or put a free joint in their place (URDF: floating)",
        )
    for joint in list(base.joints):
        spec.delete(joint)
    base.add_freejoint(name="root" if spec.joint("root") is None else "andante_root")
    welded = f"assumption: body {base.name!r} was welded to the world and is free here"
    in_parts = f"the joints of body {base.name!r} against the world leave it free: one free joint here"
    sources["base"] = in_parts if kinds else welded
    return base

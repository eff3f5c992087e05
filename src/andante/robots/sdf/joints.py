"""Joints of an SDF as those of a URDF: one of two axes becomes two, one that is locked is fixed."""

from __future__ import annotations

import math
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from andante.robots.parts import RobotError
from andante.robots.sdf.assembly import Assembly, ModelPart
from andante.robots.sdf.elements import flag, number, transform, vector, word
from andante.robots.sdf.frames import MODEL, scoped
from andante.robots.sdf.tally import Tally
from andante.spatial.arrays import Array
from andante.spatial.rotations import exp, to_matrix

TWO_AXES = ("universal", "revolute2")
"""Joints with two axes, one after the other through one point."""
KINDS = {
    **{kind: kind for kind in ("revolute", "continuous", "prismatic", "fixed")},
    "screw": "prismatic",  # held, as all that slides, where it carries nothing
    "ball": "spherical",  # as MuJoCo calls it in a URDF
    **dict.fromkeys(TWO_AXES, "revolute"),
}
"""URDF's name for each kind of joint that is read."""
GEARBOX = "gearbox"
"""The kind that holds no link; see `andante.robots.sdf.gearboxes`."""
_ENDLESS = 1e15
"""From this limit on a joint has none: files say 1e16 [rad, m]."""
_MODEL_AXES = 5
"""Before this version an axis was given in the frame of the model."""
_AXES = ("axis", "axis2")
_SCREW, _THREAD = "screw", ("thread_pitch", "screw_thread_pitch")


class JointAxis(NamedTuple):
    """One axis of a joint."""

    kind: str
    """URDF's kind of joint."""
    direction: Array
    """Against the outermost model's frame (3,)."""
    parts: tuple[Element, ...]
    """URDF's elements for limits, dynamics and the joint to mimic."""
    at: float | None
    """Where it is locked [rad, m]; None: it moves."""
    stiffness: float
    """Of its spring [N m/rad, N/m]."""
    rest: float
    """Where that spring is at rest [rad, m]."""

    def held(self, along: Array) -> Array:
        """How far what hangs on it is moved where it is locked (4, 4), for its direction in the joint's frame (3,)."""
        way = along * (self.at or 0.0)
        return transform(np.eye(3), way) if self.kind == "prismatic" else transform(to_matrix(exp(way)), np.zeros(3))


def kind_of(joint: ModelPart) -> str:
    """SDF's kind of a joint.

    Raises:
        RobotError: It is none of those that are read.
    """
    kind = (joint.element.get("type") or "").strip()
    if kind not in KINDS:
        remedy = "put joints of these kinds in its place, or take it out"
        raise RobotError(
            "this kind of joint is not read", place=joint.place, value=kind, legal=(*KINDS, GEARBOX), remedy=remedy
        )
    return kind


def axes_of(joint: ModelPart, model: Assembly) -> list[JointAxis]:
    """The axes of a joint, one after the other; none where it has none, as a ball or a fixed joint.

    Raises:
        RobotError: An axis is missing or has no length, a limit is wrong, or a frame is unknown.
    """
    kind = kind_of(joint)
    screw = kind == _SCREW
    model.left_out.rest(joint.element, ("pose", "parent", "child", *_AXES, *(_THREAD if screw else ())))
    if screw:
        model.changed.add("a screw, which slides here and does not turn, joint", joint.name)
    if KINDS[kind] not in ("revolute", "continuous", "prismatic"):
        return []
    return [_axis(joint, name, KINDS[kind], model) for name in _AXES[: 2 if kind in TWO_AXES else 1]]


def axis_of(joint: ModelPart, name: str) -> tuple[Element, str]:
    """An axis of a joint, and its place for messages.

    Raises:
        RobotError: It is missing.
    """
    axis = joint.element.find(name)
    if axis is None:
        raise RobotError(f"<{name}> is missing", place=joint.place)
    return axis, f"{joint.place}: {name}"


def _axis(joint: ModelPart, name: str, kind: str, model: Assembly) -> JointAxis:
    axis, place = axis_of(joint, name)
    model.left_out.rest(axis, ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position"))
    if number(axis, "initial_position", place, missing=0.0):
        model.left_out.add("initial_position", joint.name)
    # Limits of a screw are angles, and what slides needs none.
    limit = None if kind_of(joint) == _SCREW else axis.find("limit")
    parts, endless, locked, completed = _limits(limit, kind, place, model.left_out)
    if completed:
        model.changed.add("assumption: 180 degrees at the end where a limit is missing, joint", joint.name)
    mimic = axis.find("mimic")
    if mimic is not None:
        parts.append(_mimic(mimic, joint, model, f"{place}: mimic"))
    stiffness = rest = 0.0
    dynamics = axis.find("dynamics")
    if dynamics is not None:
        parts.append(_dynamics(dynamics, f"{place}: dynamics", model.left_out))
        stiffness, rest = (
            number(dynamics, each, f"{place}: dynamics", missing=0.0)
            for each in ("spring_stiffness", "spring_reference")
        )
    if locked is not None:
        model.changed.add("fixed where the limits leave it, joint", joint.name)
        parts = []
    elif kind == "revolute" and endless:
        kind = "continuous"
    return JointAxis(kind, direction_of(axis, joint, model, place), tuple(parts), locked, stiffness, rest)


def direction_of(axis: Element, joint: ModelPart, model: Assembly, place: str) -> Array:
    """Where an axis points, against the outermost model's frame (3,).

    Raises:
        RobotError: It has no length, or its frame is unknown.
    """
    xyz = axis.find("xyz")
    along = np.array((0.0, 0.0, 1.0) if xyz is None else vector(xyz.text, 3, f"{place}: xyz"))
    length = float(np.linalg.norm(along))
    if not 1e-9 < length < math.inf:
        raise RobotError("the axis has no length", place=f"{place}: xyz", value="" if xyz is None else xyz.text)
    named = "" if xyz is None else (xyz.get("expressed_in") or "").strip()
    if named:
        frame = model.frames.known(joint.of(named), f"{place}: xyz: expressed_in")
    elif joint.version < _MODEL_AXES or flag(axis, "use_parent_model_frame", place):
        frame = model.frames.known(joint.of(MODEL), place)
    else:
        frame = joint.name
    return np.asarray(model.frames.pose(frame)[:3, :3] @ (along / length))


def _limits(
    limit: Element | None, kind: str, place: str, left_out: Tally
) -> tuple[list[Element], bool, float | None, bool]:
    """URDF's limits, whether the joint moves without an end, where it is locked, and whether one end is assumed."""
    if limit is None:
        return [], True, None, False
    place = f"{place}: limit"
    left_out.rest(limit, ("lower", "upper", "effort", "velocity"))
    lower, upper = _limit(limit, "lower", place), _limit(limit, "upper", place)
    ends = (lower > -_ENDLESS, upper < _ENDLESS)
    completed = any(ends) and not all(ends) and kind != "continuous"
    if completed:
        # As a bare model's joint without limits has half a turn each way.
        if kind != "revolute" or not (lower if ends[0] else -upper) < math.pi:
            raise RobotError(
                "a joint has limits at both ends or at none",
                place=place,
                value=f"{lower:g} {upper:g}",
                limit="both or none; of a hinge one within 180 degrees will do",
                remedy="give the other one, too, as far as the joint can go",
            )
        lower, upper = (lower, math.pi) if ends[0] else (-math.pi, upper)
        ends = (True, True)
    if all(ends) and lower == upper and kind != "continuous":
        return [], False, lower, False
    said = {"lower": repr(lower), "upper": repr(upper)} if all(ends) and kind != "continuous" else {}
    for name in ("effort", "velocity"):
        most = _limit(limit, name, place)
        if 0.0 <= most < _ENDLESS:
            # Below zero, and where there is none, SDF means that nothing limits it.
            said[name] = repr(most)
    return [Element("limit", said)] if said else [], not all(ends), None, completed


def _limit(limit: Element, name: str, place: str) -> float:
    """A limit, which may be infinite; infinite where it is missing."""
    text = (limit.findtext(name) or "").strip()
    endless = -math.inf if name == "lower" else math.inf
    try:
        found = float(text) if text else endless
    except ValueError:
        found = math.nan
    if math.isnan(found):
        raise RobotError("is no number", place=f"{place}: {name}", value=text, limit="a number, or inf")
    return found


def _mimic(mimic: Element, joint: ModelPart, model: Assembly, place: str) -> Element:
    """The joint that a joint follows, with what SDF subtracts from its angle."""
    named = (mimic.get("joint") or "").strip()
    joints = {each.name: each for each in model.joints}
    leader = joints.get(scoped(joint.scope, named))
    if leader is None:
        raise RobotError("there is no such joint to follow", place=place, value=named, legal=tuple(joints))
    axis = (mimic.get("axis") or "axis").strip()
    if axis not in _AXES:
        raise RobotError("there is no such axis of a joint", place=f"{place}: axis", value=axis, legal=_AXES)
    factor = number(mimic, "multiplier", place)
    offset = number(mimic, "offset", place, missing=0.0) - factor * number(mimic, "reference", place, missing=0.0)
    step = _AXES.index(axis)
    name = step_names(leader.name, kind_of(leader) in TWO_AXES)[step:]
    if not name:
        raise RobotError("the joint to follow has one axis", place=f"{place}: axis", value=axis, legal=_AXES[:1])
    return Element("mimic", joint=name[0], multiplier=repr(factor), offset=repr(offset))


def step_names(name: str, two: bool) -> list[str]:
    """URDF's joints for a joint of one axis or two."""
    return [f"{name}_axis{number}" for number in (1, 2)] if two else [name]


def _dynamics(dynamics: Element, place: str, left_out: Tally) -> Element:
    """Damping and friction."""
    made = Element("dynamics")
    for name in ("damping", "friction"):
        value = number(dynamics, name, place, missing=0.0)
        if value < 0.0:
            raise RobotError("is below 0", place=f"{place}: {name}", value=value)
        made.set(name, repr(value))
    left_out.rest(dynamics, ("damping", "friction", "spring_stiffness", "spring_reference"))
    return made


def ends_of(joint: ModelPart, model: Assembly) -> tuple[str, str]:
    """Scoped names of the links that a joint joins, parent first; the world is ``world``.

    Raises:
        RobotError: There are no such links, or they are one.
    """
    frames, found = model.frames, []
    for end in ("parent", "child"):
        name, place = word(joint.element, end, joint.place), f"{joint.place}: {end}"
        world = end == "parent" and name == "world"
        found.append("world" if world else frames.link(frames.known(joint.of(name), place), place))
    if found[0] == found[1]:
        raise RobotError("the joint joins a link with itself", place=joint.place, value=found[0])
    return found[0], found[1]


def add_joint(root: Element, name: str, kind: str, parent: str, child: str) -> Element:
    """Add a joint to a URDF and return it."""
    made = SubElement(root, "joint", name=name, type=kind)
    SubElement(made, "parent", link=parent)
    SubElement(made, "child", link=child)
    return made

"""Joints of a URDF: between which links, their limits, and with which other joints they turn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from andante.robots.parts import RobotError

ROUNDING = 1e-12
"""Numbers this little below zero are zeros that were rounded by the file's writer."""
_LIMITED = ("revolute", "prismatic")
"""Types of joints with position limits."""
_ENDS = {"lower": "soft_lower_limit", "upper": "soft_upper_limit"}
"""Ends of a joint's limits, and what a safety controller calls its own."""


@dataclass(frozen=True)
class Mimic:
    """A joint whose angle is ``multiplier`` times that of its leader, and ``offset`` more [rad]."""

    joint: str
    """Its name."""
    leader: str
    """The joint that it turns with."""
    multiplier: float
    """Its angle over the leader's."""
    offset: float
    """Its angle where the leader's is 0 [rad]."""


@dataclass(frozen=True)
class UrdfJoints:
    """What a URDF says of its joints."""

    declared: dict[str, tuple[float, float]]
    """Effort [N m] and velocity [rad/s] per joint, 0 where it says none."""
    mimics: tuple[Mimic, ...]
    """Joints that turn with another one."""
    softer: tuple[str, ...]
    """Joints whose safety controller would stop them within their limits, with what it says."""
    completed: tuple[str, ...]
    """Joints with a limit at one end only; the other is 0."""


def check_links(root: Element, path: Path) -> None:
    """See that the joints of a URDF make a tree of its links; MuJoCo tells the line of another text, and no name.

    Raises:
        RobotError: Two links have one name, a joint is between what is no link, or a link hangs on two joints.
    """
    links = [link.get("name", "") for link in root.findall("link")]
    twice = sorted({name for name in links if links.count(name) > 1})
    if twice:
        raise RobotError("two links have one name", place=str(path), value=twice[0])
    hanging: dict[str, str] = {}
    for joint in root.findall("joint"):
        place = f"{path}: joint {joint.get('name', '')!r}"
        for end in ("parent", "child"):
            found = joint.find(end)
            name = "" if found is None else found.get("link", "")
            if name not in links:
                what = f"its {end} is no link of the file" if name else f"it names no {end} link"
                raise RobotError(what, place=place, value=name or None, legal=links if name else ())
        if name in hanging:
            raise RobotError(
                "its child hangs on another joint already, and a URDF is a tree",
                place=place,
                value=name,
                limit=f"one joint, {hanging[name]!r}",
                remedy="leave out the joint that closes the loop; SDF and MJCF have words for loops",
            )
        hanging[name] = joint.get("name", "")


def read_joints(root: Element, path: Path) -> UrdfJoints:
    """Read the joints of a URDF; one with a limit at one end only is given the other, which is 0 in URDF.

    Raises:
        RobotError: A wrong number, limits that contradict each other, two joints of one name, or joints that follow
            each other in a circle.
    """
    declared: dict[str, tuple[float, float]] = {}
    mimics: list[Mimic] = []
    softer: list[str] = []
    completed: list[str] = []
    for joint in root.findall("joint"):
        name, limit, mimic = joint.get("name", ""), joint.find("limit"), joint.find("mimic")
        if name and name in declared:
            # MuJoCo would keep the second one without its name.
            raise RobotError("two joints have one name", place=str(path), value=name)
        declared[name] = (0.0, 0.0)
        if mimic is not None:
            place = f"{path}: joint {name!r}: mimic"
            factor = 1.0 if mimic.get("multiplier") is None else read_number(mimic, "multiplier", place, signed=True)
            leader, offset = mimic.get("joint", ""), read_number(mimic, "offset", place, signed=True)
            mimics.append(Mimic(name, leader, factor, offset))
        if limit is None:
            continue
        place = f"{path}: joint {name!r}: limit"
        declared[name] = (read_number(limit, "effort", place), read_number(limit, "velocity", place))
        lower, upper = (read_number(limit, end, place, signed=True) for end in _ENDS)
        if joint.get("type") not in _LIMITED:
            continue
        if lower > upper:
            # MuJoCo would let such a joint turn on and on.
            raise RobotError("lower is above upper", place=place, value=lower, limit=f"at most upper, {upper:g}")
        missing = [end for end in _ENDS if end not in limit.attrib]
        if len(missing) == 1 and lower < upper:
            # MuJoCo would let such a joint turn on and on, too.
            limit.set(missing[0], "0")
            completed.append(f"{name} {missing[0]}")
        if (soft := _softer(joint, path, lower, upper)) is not None:
            softer.append(f"{name} {soft[0]:g} to {soft[1]:g}")
    return UrdfJoints(declared, _resolved(mimics, path), tuple(softer), tuple(completed))


def _resolved(mimics: list[Mimic], path: Path) -> tuple[Mimic, ...]:
    """Joints that turn with others, each with the one at the end of its chain, which turns with none.

    Raises:
        RobotError: Joints follow each other in a circle.
    """
    by_name = {mimic.joint: mimic for mimic in mimics}
    found = []
    for mimic in mimics:
        met = [mimic.joint]
        whole = mimic
        while (above := by_name.get(whole.leader)) is not None:
            met.append(above.joint)
            if met.count(above.joint) > 1:
                raise RobotError(
                    "joints follow each other in a circle",
                    place=f"{path}: joint {mimic.joint!r}: mimic",
                    value=" of ".join(met),
                    remedy="leave out the <mimic> of the one that has the motor",
                )
            factor = whole.multiplier * above.multiplier
            whole = Mimic(mimic.joint, above.leader, factor, whole.multiplier * above.offset + whole.offset)
        found.append(whole)
    return tuple(found)


def _softer(joint: Element, path: Path, lower: float, upper: float) -> tuple[float, float] | None:
    """The limits that a joint's safety controller asks for; None where they are no narrower than its own."""
    safety = joint.find("safety_controller")
    if safety is None:
        return None
    place = f"{path}: joint {joint.get('name', '')!r}: safety_controller"
    said = [
        read_number(safety, soft, place, signed=True) if soft in safety.attrib else hard
        for soft, hard in zip(_ENDS.values(), (lower, upper), strict=True)
    ]
    return (said[0], said[1]) if said[0] > lower or said[1] < upper else None


def read_number(element: Element, name: str, place: str, *, signed: bool = False) -> float:
    """A number of an element, 0 where it has none.

    Raises:
        RobotError: It is no number, not finite, or below zero where it is not ``signed``.
    """
    text = element.get(name, "0")
    try:
        value = float(text)
    except ValueError as error:
        raise RobotError(f"{name} is no number", place=place, value=text) from error
    if not math.isfinite(value) or (value < -ROUNDING and not signed):
        limit = "a finite number" if signed else "a finite number of at least 0"
        raise RobotError(f"{name} is out of range", place=place, value=text, limit=limit)
    return value if signed else max(value, 0.0)

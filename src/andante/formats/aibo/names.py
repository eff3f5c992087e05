"""Names of the AIBO's joints: the robot pack's, OPEN-R's, Tekkotsu's and those of EKMoves.h; joint sets of the designs.

Sources: docs/sources/aibo.md, sections 2.1 (designs and joint order), 2.5 (EKMoves.h), 2.6 (Tekkotsu) and 3 (OPEN-R
locators); the same numbers stand in Sony's Model Information for the ERS-7.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

ROBOT = "ers7"
"""Name of the robot pack."""


@dataclass(frozen=True)
class AiboJoint:
    """One joint of the ERS-7 in all its names."""

    name: str
    """Name in the robot pack."""
    number: int
    """OPEN-R's number, as in the locator."""
    locator: str
    """OPEN-R primitive locator."""
    tekkotsu: str
    """Tekkotsu's output name with its padding."""
    label: str
    """Name in the comments of EKMoves.h; empty where that file has no such joint."""
    lower: float
    """Lower software limit [deg]."""
    upper: float
    """Upper software limit [deg]."""

    @property
    def output(self) -> str:
        """Tekkotsu's output name without padding."""
        return self.tekkotsu.rstrip("~")

    @property
    def rest(self) -> float:
        """The angle nearest to zero inside the software limits, for joints that nobody gives [rad]."""
        return math.radians(min(max(0.0, self.lower), self.upper))


_FRONT, _REAR = (-115.0, 130.0), (-130.0, 115.0)
"""How far legs swing, by where they are [deg]."""


def _leg(leg: str, root: int, tekkotsu: str, label: str, swing: tuple[float, float]) -> Iterator[AiboJoint]:
    parts = (("rotor", "c1", swing), ("elvtr", "c1/c2", (-10.0, 88.0)), ("knee~", "c1/c2/c3", (-25.0, 122.0)))
    for index, (part, chain, limits) in enumerate(parts, 1):
        number = 10 * root + index
        locator = f"PRM:/r{root}/{chain}-Joint2:{number}"
        yield AiboJoint(f"{leg}J{index}", number, locator, f"{tekkotsu}:{part}", f"{label}J{index}", *limits)


JOINTS: tuple[AiboJoint, ...] = (
    AiboJoint("Tilt1", 11, "PRM:/r1/c1-Joint2:11", "NECK:tilt", "Tilt1", -75.0, 0.0),
    AiboJoint("Pan", 12, "PRM:/r1/c1/c2-Joint2:12", "NECK:pan~", "Pan", -88.0, 88.0),
    AiboJoint("Tilt2", 13, "PRM:/r1/c1/c2/c3-Joint2:13", "NECK:nod~", "Tilt2", -15.0, 45.0),
    AiboJoint("Mouth", 14, "PRM:/r1/c1/c2/c3/c4-Joint2:14", "MOUTH~~~~", "Mouth", -55.0, -3.0),
    AiboJoint("LeftEar", 15, "PRM:/r1/c1/c2/c3/e5-Joint4:15", "EAR:left~", "", 0.0, 1.0),
    AiboJoint("RightEar", 16, "PRM:/r1/c1/c2/c3/e6-Joint4:16", "EAR:right", "", 0.0, 1.0),
    *_leg("LF", 2, "LFr", "LeftFrontLeg", _FRONT),
    *_leg("LR", 3, "LBk", "LeftRearLeg", _REAR),
    *_leg("RF", 4, "RFr", "RightFrontLeg", _FRONT),
    *_leg("RR", 5, "RBk", "RightRearLeg", _REAR),
    AiboJoint("TailTilt", 61, "PRM:/r6/c1-Joint2:61", "TAIL:tilt", "", 5.0, 60.0),
    AiboJoint("TailPan", 62, "PRM:/r6/c2-Joint2:62", "TAIL:pan~", "", -45.0, 45.0),
)
"""The 20 joints in the order of OPEN-R and of the full-body MTN."""

BY_NAME: Mapping[str, AiboJoint] = {joint.name: joint for joint in JOINTS}
"""Joints by the robot pack's name."""
BY_NUMBER: Mapping[int, AiboJoint] = {joint.number: joint for joint in JOINTS}
"""Joints by OPEN-R's number."""
BY_LOCATOR: Mapping[str, AiboJoint] = {joint.locator: joint for joint in JOINTS}
"""Joints by primitive locator."""
BY_TEKKOTSU: Mapping[str, AiboJoint] = {joint.output: joint for joint in JOINTS}
"""Joints by Tekkotsu's output name without padding."""

NAMES = tuple(joint.name for joint in JOINTS)
"""All names of the robot pack, in the order of `JOINTS`."""

EK_ORDER: tuple[AiboJoint, ...] = tuple(BY_NUMBER[number] for number in (13, 12, 11, 14)) + tuple(
    joint for joint in JOINTS if 20 < joint.number < 60
)
"""The 16 joints of an EKMoves.h array in order: tilt2 comes first and tilt1 third, unlike everywhere else."""

TEKKOTSU_ORDER: tuple[str, ...] = tuple(
    BY_NUMBER[number].name for number in (21, 22, 23, 41, 42, 43, 31, 32, 33, 51, 52, 53, 11, 12, 13, 61, 62, 14)
)
"""The 18 servo outputs in the order of Tekkotsu's condensed posture files; LEDs and ears follow them there."""
TEKKOTSU_LEDS = 27
"""Outputs between the servos and the two ears in a condensed posture file."""

FULL_DESIGN = "DRX-1000"
"""Design name of the whole ERS-7 in MTN files."""


def _some(*numbers: int) -> tuple[str, ...]:
    return tuple(BY_NUMBER[number].name for number in numbers)


DESIGN_JOINTS: Mapping[str, tuple[str, ...]] = {
    FULL_DESIGN: NAMES,
    "DRX-1000_Head": _some(11, 12, 13),
    "DRX-1000_Mouth": _some(14),
    "DRX-1000_Ear": _some(15, 16),
    "DRX-1000_Legs": _some(21, 22, 23, 31, 32, 33, 41, 42, 43, 51, 52, 53),
    "DRX-1000_Tail": _some(61, 62),
}
"""Joints of the ERS-7's designs in the order of the files."""

_ROBOTS: Mapping[str, str] = {
    "DRX-1000": ROBOT,
    "DRX-900": "ers210",
    "DRX-910": "ers220",
    "DRX-700": "ers110",
}


MODELLESS = frozenset(_ROBOTS.values()) - {ROBOT}
"""Robots of Sony's files that Andante has no model of."""


def robot_of(design: str) -> str:
    """Robot that a design belongs to; an unknown design stands for itself, in small letters."""
    whole = design.split("_", 1)[0]
    return _ROBOTS.get(whole, whole.lower() or "unknown")


def joint_of(locator: str, robot: str) -> str:
    """Joint name for a primitive locator: the pack's on the ERS-7, else the locator itself."""
    joint = BY_LOCATOR.get(locator) if robot == ROBOT else None
    return joint.name if joint is not None else locator


def locator_of(joint: str) -> str:
    """Primitive locator of a joint name; a name that is none of the ERS-7's stands for itself."""
    known = BY_NAME.get(joint)
    return known.locator if known is not None else joint

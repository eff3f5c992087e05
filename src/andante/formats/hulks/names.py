"""Joints of HULKs' files and what Andante calls them (the pack `nao`).

Sources: docs/sources/motion-formats.md, section 3; the meaning of the numbers of `.motion2` files is told by their
angles (1.57 at 2 and 20 are the shoulder pitches of arms that hang down).
"""

from __future__ import annotations

from collections.abc import Mapping

from andante.formats.bhuman.names import HEAD, LIMB_JOINTS

ROBOT = "nao"

_ARM = ("shoulder_pitch", "shoulder_roll", "elbow_yaw", "elbow_roll", "wrist_yaw", "hand")
_LEG = ("hip_yaw_pitch", "hip_roll", "hip_pitch", "knee_pitch", "ankle_pitch", "ankle_roll")

GROUPS: Mapping[str, Mapping[str, str]] = {
    "head": {"yaw": "HeadYaw", "pitch": "HeadPitch"},
    **{limb: dict(zip(_LEG if "leg" in limb else _ARM, names, strict=True)) for limb, names in LIMB_JOINTS.items()},
}
"""Joint of each name of each group of a JSON file."""

JOINTS = tuple(joint for group in GROUPS.values() for joint in group.values())
"""All joints in the order of the groups."""

NUMBERED = (
    *HEAD,
    *LIMB_JOINTS["left_arm"],
    *LIMB_JOINTS["left_leg"],
    *LIMB_JOINTS["right_leg"],
    *LIMB_JOINTS["right_arm"],
)
"""Joint of each number of a `.motion2` file."""

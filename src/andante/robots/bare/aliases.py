"""Joint names of other programs for robots without a pack, where someone has published which is which.

B-Human's code release 2025 drives the Booster K1 and T1 with the joint names of the NAO. Angles are the same on both
sides, without signs or offsets: ElbowYaw is what Booster calls Elbow_Pitch (about y), ElbowRoll is Elbow_Yaw (about z),
and each leg has a HipYaw of its own where the NAO has one HipYawPitch for both. There are no wrists and no hands; the
waist of the T1 is WaistYaw. (Compared joint by joint on the models of rcsssmj 0.2.1 and the release's keyframe files.)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_PARTS: Mapping[str, str] = {
    "ShoulderPitch": "Shoulder_Pitch",
    "ShoulderRoll": "Shoulder_Roll",
    "ElbowYaw": "Elbow_Pitch",
    "ElbowRoll": "Elbow_Yaw",
    "HipYawPitch": "Hip_Yaw",
    "HipRoll": "Hip_Roll",
    "HipPitch": "Hip_Pitch",
    "KneePitch": "Knee_Pitch",
    "AnklePitch": "Ankle_Pitch",
    "AnkleRoll": "Ankle_Roll",
}
_ABSENT = ("WristYaw", "Hand")
_SORTED = re.compile(r"^A+(?=(Head|Left|Right)_)")
"""Letters that put a joint first in an alphabetical list."""


def booster_aliases(joints: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The NAO's joint names for a Booster's joints, and those that it has no joint for.

    Args:
        joints: The robot's joint names.

    Returns:
        Own joint by the NAO's name, and the NAO's names without a joint; both empty for a robot of another kind.
    """
    own = {_SORTED.sub("", joint).casefold(): joint for joint in joints}
    wanted = {
        f"{letter}{part}": own.get(f"{side}_{name}".casefold(), "")
        for letter, side in (("L", "Left"), ("R", "Right"))
        for part, name in _PARTS.items()
    }
    if not all(wanted.values()):
        return {}, ()
    rest = {
        "HeadYaw": own.get("head_yaw", ""),
        "HeadPitch": own.get("head_pitch", ""),
        "WaistYaw": own.get("waist", ""),
    }
    absent = [f"{letter}{part}" for letter in "LR" for part in _ABSENT]
    absent += [name for name, joint in rest.items() if not joint]
    return {name: joint for name, joint in (rest | wanted).items() if joint}, tuple(absent)

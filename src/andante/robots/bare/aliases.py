"""Joint names of other programs for robots without a pack, where someone has published which is which.

B-Human's code release 2025 drives the Booster K1 and T1 with the joint names of the NAO. Angles are the same on both
sides, without signs or offsets: ElbowYaw is what Booster calls Elbow_Pitch (about y), ElbowRoll is Elbow_Yaw (about z),
and each leg has a HipYaw of its own where the NAO has one HipYawPitch for both. There are no wrists and no hands; the
waist of the T1 is WaistYaw. (Compared joint by joint on the models of rcsssmj 0.2.1 and the release's keyframe files.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import mujoco

from andante.robots.spelling import canonical_name

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
_ALONG = 0.9
"""Share of a joint's axis along a direction of the base from which on it turns about that."""
_SORTED = re.compile(r"^A+(?=(Head|Left|Right)_)")
"""Letters that put a joint first in an alphabetical list."""


def booster_aliases(joints: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The NAO's joint names for a Booster's joints, and those that it has no joint for.

    Args:
        joints: The robot's joint names.

    Returns:
        Own joint by the NAO's name, and the NAO's names without a joint; both empty for a robot of another kind.
    """
    own = {_spelled(joint): joint for joint in joints}
    if len(own) < len(joints):
        # Two joints of one name: nothing tells which is meant.
        return {}, ()
    wanted = {
        f"{letter}{part}": own.get(canonical_name(f"{letter}{name}"), "")
        for letter in ("L", "R")
        for part, name in _PARTS.items()
    }
    if not all(wanted.values()):
        return {}, ()
    rest = {
        "HeadYaw": own.get("headyaw", ""),
        "HeadPitch": own.get("headpitch", ""),
        "WaistYaw": own.get("waist", ""),
    }
    absent = [f"{letter}{part}" for letter in "LR" for part in _ABSENT]
    absent += [name for name, joint in rest.items() if not joint]
    return {name: joint for name, joint in (rest | wanted).items() if joint}, tuple(absent)


def _spelled(joint: str) -> str:
    """A joint's name whatever its spelling: ``ALeft_Hip_Yaw``, ``left_hip_yaw_joint`` and ``LHipYaw`` are one."""
    return canonical_name(_SORTED.sub("", joint)).removesuffix("joint")


def leg_aliases(model: mujoco.MjModel, groups: Mapping[str, Sequence[str]], known: Sequence[str]) -> Mapping[str, str]:
    """Names of roles for the joints of two legs, by their axes with all joints at 0, where no name tells them.

    A joint is only called by its role where it turns about one of the base's axes: hip, knee and ankle pitch are the
    three that pitch, a hip rolls and turns before the knee, an ankle rolls behind it.

    Args:
        model: The robot, its base looking along x.
        groups: Joints on the way to each foot, by the name of the leg's group.
        known: Names that are told already: of joints and aliases.
    """
    told = {canonical_name(name) for name in known}
    found: dict[str, str] = {}
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for side in ("left", "right"):
        for role, joint in _roles(data, groups.get(f"{side}_leg", ())):
            if canonical_name(f"{side}_{role}") not in told:
                found[f"{side}_{role}"] = joint
    return found


def _roles(data: mujoco.MjData, joints: Sequence[str]) -> Iterator[tuple[str, str]]:
    along = {name: [abs(float(each)) > _ALONG for each in data.joint(name).xaxis] for name in joints}
    pitching = [name for name in joints if along[name][1]]
    if len(pitching) < 3:
        return
    yield from zip(("hip_pitch", "knee_pitch", "ankle_pitch"), pitching, strict=False)
    knee = list(joints).index(pitching[1])
    for part, names in (("hip", joints[:knee]), ("ankle", joints[knee:])):
        for role, axis in (("roll", 0), ("yaw", 2)):
            turning = [name for name in names if along[name][axis]]
            if len(turning) == 1:
                yield f"{part}_{role}", turning[0]

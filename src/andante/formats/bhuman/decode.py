"""Values of a configuration file to a motion library.

A value's key is the name of its field (`schema`), so that only what the two arrange differently is said here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.formats.bhuman.motion_shapes import COMPENSATION_GROUP
from andante.formats.bhuman.names import GROUPS, HEAD, LIMB_JOINTS
from andante.formats.bhuman.shapes import NOTE
from andante.motions.conditions import ConditionGroup
from andante.motions.extras import without_lines
from andante.motions.keyframe import Block, Branch, JointTarget, Keyframe
from andante.motions.library import Motion
from andante.motions.settings import EngineSettings, Oscillation

Raw = Mapping[str, Any]


def decode_comment(raw: Raw) -> dict[str, Any]:
    """Note and extras from a record's comment."""
    note, extras = without_lines(raw[NOTE])
    return {"note": note, "extras": extras}


def decode_settings(raw: Raw) -> EngineSettings:
    """Engine settings from the top level of the engine file."""
    settings = {name: raw[name] for name in EngineSettings.model_fields if name in raw}
    # A dialect that has no such setting does without it; a library of Andante's own has a default.
    settings.setdefault("min_reduce_difference", None)
    if "period" in raw:
        settings["oscillation"] = {name: raw[name] for name in Oscillation.model_fields}
    return EngineSettings.model_validate(settings)


def decode_motion(raw: Raw) -> Motion:
    """One entry of ``motions``."""
    return Motion.model_validate({**raw, **decode_comment(raw)})


def decode_block(raw: Raw) -> Block:
    """One entry of ``keyframeBlock``."""
    stiffness = dict(zip(GROUPS, raw["base_stiffness"], strict=True))
    keyframes = [_keyframe(keyframe) for keyframe in raw["keyframes"]]
    return Block.model_validate({**raw, **decode_comment(raw), "base_stiffness": stiffness, "keyframes": keyframes})


def _keyframe(raw: Raw) -> Keyframe:
    values = {**raw, **decode_comment(raw)}
    values |= values.pop(COMPENSATION_GROUP, None) or {}
    values["joints"] = _targets(values.pop("angles"))
    limbs = values.pop("robotPoses")
    if limbs is not None:
        poses = {limb: wrapped["pose"] for limb, wrapped in limbs["robotPoses"].items()}
        values["limbs"] = {limb: pose for limb, pose in poses.items() if pose is not None}
    values["branches"] = [_branch(branch) for branch in raw["branches"]]
    return Keyframe.model_validate(values)


def _targets(raw: Raw) -> dict[str, JointTarget]:
    targets: dict[str, JointTarget] = dict(zip(HEAD, raw["head"], strict=True))
    for limb, joints in LIMB_JOINTS.items():
        # A limb that the file leaves out keeps the original's default, which is 0.
        targets.update(zip(joints, raw["positions"].get(limb, [0.0] * len(joints)), strict=True))
    return targets


def _branch(raw: Raw) -> Branch:
    values = dict(raw)
    used = values.pop("use_early")
    early = ConditionGroup.model_validate(values["early"])
    values["early"] = early if used else None
    values["unused_early"] = early if not used and early != ConditionGroup() else None
    return Branch.model_validate(values)

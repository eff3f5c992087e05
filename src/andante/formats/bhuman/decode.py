"""Values of a configuration file to a motion library.

A value's key is the name of its field (`schema`), so that only what the two arrange differently is said here.

The robot wants an entry for every name of its enumerations, the library has fewer. Empty ones fill up the file, with a
comment that marks them, so that reading it gives the library again. An empty entry without the mark, as the real files
have some, is the library's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from andante.formats.bhuman.motion_shapes import COMPENSATION_GROUP
from andante.formats.bhuman.names import GROUPS, HEAD, LIMB_JOINTS
from andante.formats.bhuman.shapes import NOTE
from andante.motions.conditions import ConditionGroup
from andante.motions.extras import without_lines
from andante.motions.keyframe import Block, Branch, JointTarget, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.settings import EngineSettings, Oscillation

Raw = Mapping[str, Any]
MARK = "empty, as the library has none of this name"
"""The comment of an entry that fills up. Files in the field carry it, so it stays as it is."""
EMPTY_MOTION = Motion()
"""Fills up the motions, with the mark."""
EMPTY_BLOCK = Block(base_stiffness=dict.fromkeys(GROUPS, 0.0))
"""Fills up the blocks, with the mark; its content is the robot's own default."""

_Entry = TypeVar("_Entry", Motion, Block)


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


def without_padding(library: MotionLibrary) -> MotionLibrary:
    """Return the library without the entries that only fill up its file.

    An entry that a motion or branch names stays: someone has made use of it. So does one that has got contents; both
    lose the mark.
    """
    branches = [
        branch for block in library.blocks.values() for keyframe in block.keyframes for branch in keyframe.branches
    ]
    motions = {follow.motion for motion in library.motions.values() for follow in motion.follow_ups}
    motions.update(branch.motion for branch in branches if branch.motion is not None)
    blocks = {name for motion in library.motions.values() for name in motion.blocks}
    blocks.update(branch.block for branch in branches if branch.block is not None)
    return library.model_copy(
        update={
            "motions": _own(library.motions, EMPTY_MOTION, motions),
            "blocks": _own(library.blocks, EMPTY_BLOCK, blocks),
        }
    )


def _own(entries: Mapping[str, _Entry], empty: _Entry, used: set[str]) -> dict[str, _Entry]:
    own: dict[str, _Entry] = {}
    for name, entry in entries.items():
        bare = entry.model_copy(update={"note": ""}) if entry.note == MARK else None
        if bare is None:
            own[name] = entry
        elif bare != empty or name in used:
            own[name] = bare
    return own

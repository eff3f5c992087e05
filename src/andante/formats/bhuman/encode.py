"""A motion library to values of the configuration files, putting down everything that the files cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from andante.formats.bhuman.decode import EMPTY_BLOCK, EMPTY_MOTION, MARK
from andante.formats.bhuman.encode_settings import comment, encode_balance, encode_settings, milliseconds, whole
from andante.formats.bhuman.motion_shapes import COMPENSATION_GROUP
from andante.formats.bhuman.names import (
    BLOCK_ENUMERATION,
    GROUPS,
    HEAD,
    IDENTIFIER_RULE,
    JOINTS,
    LIMB_JOINTS,
    LIMBS,
    MOTION_ENUMERATION,
    MOTIONS,
    PHASES,
    blocks,
    is_identifier,
    joint_names,
    variables,
)
from andante.formats.bhuman.shapes import NOTE
from andante.formats.report import Losses
from andante.motions.conditions import Condition, ConditionGroup
from andante.motions.extras import with_lines
from andante.motions.keyframe import Block, Branch, JointScale, JointTarget, Keyframe, LimbPose
from andante.motions.library import FollowUp, Motion, MotionLibrary

Raw = dict[str, Any]
_Entry = TypeVar("_Entry", Motion, Block)
_Item = TypeVar("_Item")
DEFAULT_REDUCE_FACTOR = 0.2
"""The original's share of the compensation that is removed per tick."""

_AS_IT_IS = {
    *("duration", "com_goal", "start_from_measured_com", "forbid_wait_break", "interpolation"),
    *("window", "window_start"),
}
"""Fields of a keyframe that the files hold as they are."""


def encode(library: MotionLibrary, dialect: str, losses: Losses) -> tuple[Raw, Raw | None]:
    """Return the values of both files of a dialect, the second only of a library with balance parameters.

    What they cannot hold is put down.
    """
    if library.dialect != dialect:
        losses.once("dialect", f"{library.dialect} becomes {dialect}")
    if dialect == "bhuman-2023":
        losses.once("dialect", "the files of 2023 and 2024 do not differ; told from its content this one is of 2024")
    encoder = _Encoder(library, dialect, losses)
    engine = encode_settings(library.settings, dialect, losses)
    engine["motions"] = encoder.motions()
    engine["blocks"] = encoder.blocks()
    engine[NOTE] = comment(with_lines(library.note, library.extras), "note", losses)
    return engine, encode_balance(library.balance, losses) if library.balance else None


def _names(held: Iterable[str], release: tuple[str, ...]) -> tuple[str, ...]:
    """The names to write: the release's that are held in their order, its others, and those that it does not have."""
    held = list(held)
    return (
        *(name for name in held if name in release),
        *(name for name in release if name not in held),
        *(name for name in held if name not in release and is_identifier(name)),
    )


def _filled(
    held: Mapping[str, _Entry], names: Iterable[str], encoded: Callable[[_Entry, str], Raw], empty: _Entry, what: str
) -> Raw:
    """An entry of the file for every name, an empty one with a mark where the library has none."""
    padding = {**encoded(empty, ""), NOTE: MARK}
    return {name: encoded(held[name], f"{what}.{name}") if name in held else padding for name in names}


def _placed(items: Iterable[_Item], inside: str) -> Iterator[tuple[str, _Item]]:
    """The members of a list, each with its place."""
    return ((f"{inside}[{index}]", item) for index, item in enumerate(items))


class _Encoder:
    """One library being encoded."""

    def __init__(self, library: MotionLibrary, dialect: str, losses: Losses) -> None:
        self.library = library
        self.dialect = dialect
        self.losses = losses
        self.motion_names = _names(library.motions, MOTIONS)
        self.block_names = _names(library.blocks, blocks(dialect))
        self.joint_names = frozenset(joint_names(dialect).values())
        self.variables = frozenset(variables(dialect).values())

    def motions(self) -> Raw:
        self._tell_names("motions", self.library.motions, MOTIONS, MOTION_ENUMERATION)
        return _filled(self.library.motions, self.motion_names, self._motion, EMPTY_MOTION, "motions")

    def blocks(self) -> Raw:
        self._tell_names("blocks", self.library.blocks, blocks(self.dialect), BLOCK_ENUMERATION)
        return _filled(self.library.blocks, self.block_names, self._block, EMPTY_BLOCK, "blocks")

    def _entry_note(self, entry: Motion | Block, inside: str) -> str:
        held = comment(with_lines(entry.note, entry.extras), inside, self.losses)
        if held == MARK:
            self.losses.once(inside, "the text marks entries that only fill up the file; it is left out")
            return ""
        return held

    def _tell_names(self, what: str, held: Iterable[str], release: tuple[str, ...], enumeration: str) -> None:
        own = [name for name in held if name not in release]
        for name in own:
            if not is_identifier(name):
                self.losses.once(
                    f"{what}.{name}", f"the name is none for an enumeration ({IDENTIFIER_RULE}); it is left out"
                )
        added = [name for name in own if is_identifier(name)]
        if added:
            text = f"{self.dialect} has no such names; add them to the enumeration {enumeration} in the robot's code"
            self.losses.once(what, f"{text}: {', '.join(added)}")
        missing = [name for name in release if name not in held]
        if missing:
            self.losses.once(what, f"the file must have all names; written empty: {', '.join(missing)}")

    def _motion(self, motion: Motion, inside: str) -> Raw:
        return {
            **motion.model_dump(include={"balance_out", "end_request", "stable"}),
            "blocks": [name for name in motion.blocks if self._known_block(name, f"{inside}.blocks")],
            "follow_ups": self._follow_ups(motion.follow_ups, f"{inside}.follow_ups"),
            NOTE: self._entry_note(motion, f"{inside}.note"),
        }

    def _follow_ups(self, follow_ups: Iterable[FollowUp], inside: str) -> list[Raw]:
        for place, follow in _placed(follow_ups, inside):
            if follow.alternatives:
                others = ", ".join(follow.alternatives)
                self.losses.once(f"{place}.alternatives", f"{self.dialect} has none; left out: {others}")
            if follow.mirror:
                self.losses.once(f"{place}.mirror", f"{self.dialect} mirrors no follow-up; left out")
        return [
            {"motion": follow.motion, "conditions": self._conditions(follow.conditions, place), "all": follow.all}
            for place, follow in _placed(follow_ups, inside)
            if self._known_motion(follow.motion, place)
        ]

    def _known(self, what: str, name: str, legal: Collection[str], lacks: str, inside: str) -> bool:
        """Whether a name is legal; puts down that it is left out where it is not."""
        if name not in legal:
            self.losses.once(inside, f"{what} {name!r} {lacks}; it is left out")
        return name in legal

    def _known_block(self, name: str, inside: str) -> bool:
        return self._known("block", name, self.block_names, "is not in the file", inside)

    def _known_motion(self, name: str, inside: str) -> bool:
        return self._known("motion", name, self.motion_names, "is not in the file", inside)

    def _known_joint(self, name: str, inside: str) -> bool:
        return self._known("joint", name, self.joint_names, f"has no name in {self.dialect}", inside)

    def _block(self, block: Block, inside: str) -> Raw:
        for group in block.base_stiffness:
            self._known("joint group", group, GROUPS, "has no place", f"{inside}.base_stiffness")
        if block.capture_point is not None:
            self.losses.once(f"{inside}.capture_point", f"{self.dialect} has no such balance; it is left out")
        if any(group not in block.base_stiffness for group in GROUPS):
            self.losses.once("", "joint groups without a base stiffness are written as unchanged")
        return {
            "base_stiffness": [
                self._percent(block.base_stiffness.get(group), f"{inside}.base_stiffness.{group}") for group in GROUPS
            ],
            "keyframes": [
                self._keyframe(each, place) for place, each in _placed(block.keyframes, f"{inside}.keyframes")
            ],
            "interpolation": block.interpolation,
            NOTE: self._entry_note(block, f"{inside}.note"),
        }

    def _percent(self, value: float | None, inside: str) -> float | None:
        if value is not None:
            whole(value * 100.0, "%", inside, self.losses)
        return value

    def _keyframe(self, keyframe: Keyframe, inside: str) -> Raw:
        phase = keyframe.phase
        if phase not in PHASES.values():
            self.losses.once(f"{inside}.phase", f"{phase!r} is none of the file's phases; 'unknown' is written")
            phase = "unknown"
        return {
            **keyframe.model_dump(include=_AS_IT_IS),
            **self._compensation(keyframe, inside),
            "phase": phase,
            "waits": self._waits(keyframe, inside),
            "branches": [
                raw
                for place, branch in _placed(keyframe.branches, f"{inside}.branches")
                if (raw := self._branch(branch, place)) is not None
            ],
            "balance_pitch": self._scales(keyframe.balance_pitch, f"{inside}.balance_pitch", signed=True),
            "balance_roll": self._scales(keyframe.balance_roll, f"{inside}.balance_roll", signed=True),
            "stiffness": [
                {
                    "joint": change.joint,
                    "stiffness": self._percent(change.stiffness, f"{inside}.stiffness.{change.joint}"),
                }
                for change in keyframe.stiffness
                if self._known_joint(change.joint, f"{inside}.stiffness")
            ],
            "angles": self._targets(keyframe.joints, f"{inside}.joints"),
            "robotPoses": None if keyframe.limbs is None else self._limbs(keyframe.limbs, f"{inside}.limbs"),
            NOTE: comment(with_lines(keyframe.note, keyframe.extras), f"{inside}.note", self.losses),
        }

    def _targets(self, joints: Mapping[str, JointTarget], inside: str) -> Raw:
        for joint in joints:
            self._known("joint", joint, JOINTS, "has no target in the file", inside)
        if any(joint not in joints for joint in JOINTS):
            self.losses.once("", "joints that a keyframe does not name are written as ignored ones")
        return {
            "head": [joints.get(joint, "ignore") for joint in HEAD],
            "positions": {
                limb: [joints.get(joint, "ignore") for joint in members] for limb, members in LIMB_JOINTS.items()
            },
        }

    def _limbs(self, limbs: Mapping[str, LimbPose], inside: str) -> Raw:
        for limb in limbs:
            self._known("limb", limb, LIMBS.values(), "has no place in the file", inside)
        held = {limb: pose.model_dump() for limb, pose in limbs.items()}
        return {"robotPoses": {limb: {"pose": held.get(limb)} for limb in LIMBS.values()}}

    def _compensation(self, keyframe: Keyframe, inside: str) -> Raw:
        factor = keyframe.compensation_reduce_factor
        place = f"{inside}.compensation_reduce_factor"
        params = [
            {**rule.model_dump(), "targets": self._scales(rule.targets, f"{where}.targets", signed=False)}
            for where, rule in _placed(keyframe.compensation, f"{inside}.compensation")
            if self._known_joint(rule.joint, where)
        ]
        if self.dialect == "bhuman-2025":
            if factor is not None:
                self.losses.once(place, "the reduce factor is left out")
            return {"compensation": params}
        if factor is None:
            if not keyframe.compensation:
                return {COMPENSATION_GROUP: None}
            factor = DEFAULT_REDUCE_FACTOR
            self.losses.once(place, f"there is none; {factor} is written")
        return {COMPENSATION_GROUP: {"compensation": params, "compensation_reduce_factor": factor}}

    def _scales(self, scales: Iterable[JointScale], inside: str, *, signed: bool) -> list[Raw]:
        raws: list[Raw] = []
        for scale in scales:
            if not self._known_joint(scale.joint, inside):
                continue
            if scale.sign != "default" and not (signed and self.dialect == "bhuman-2025"):
                self.losses.once(inside, f"the sign rule {scale.sign!r} of joint {scale.joint!r} is left out")
            raws.append(scale.model_dump())
        return raws

    def _waits(self, keyframe: Keyframe, inside: str) -> list[Raw]:
        return [
            {**raw, "max_wait": milliseconds(wait.max_wait, f"{place}.max_wait", self.losses)}
            for place, wait in _placed(keyframe.waits, f"{inside}.waits")
            for raw in self._conditions((wait,), place)
        ]

    def _branch(self, branch: Branch, inside: str) -> Raw | None:
        if branch.motion is not None and not self._known_motion(branch.motion, inside):
            return None
        block = branch.block
        if block is not None and not self._known_block(block, inside):
            if branch.motion is None:
                return None
            block = None
        if block is None:
            if branch.motion is None:
                self.losses.once(inside, "the branch leads nowhere; it is left out")
                return None
            block = next((name for name in self.block_names if name in self.library.blocks), self.block_names[0])
            self.losses.once(f"{inside}.block", f"the file needs one; {block!r} is written, which is not used")
        if branch.early is not None and branch.unused_early is not None:
            self.losses.once(f"{inside}.unused_early", "conditions that are switched off are left out beside used ones")
        early = branch.early if branch.early is not None else branch.unused_early
        return {
            **branch.model_dump(),
            "block": block,
            "pre": self._group(branch.pre, f"{inside}.pre"),
            "use_early": branch.early is not None,
            "early": self._group(early or ConditionGroup(), f"{inside}.early"),
        }

    def _group(self, group: ConditionGroup, inside: str) -> Raw:
        return {"conditions": self._conditions(group.conditions, inside), "all": group.all}

    def _conditions(self, conditions: Iterable[Condition], inside: str) -> list[Raw]:
        lacks = f"has no name in {self.dialect}"
        return [
            condition.model_dump()
            for condition in conditions
            if self._known("condition variable", condition.variable.value, self.variables, lacks, inside)
        ]

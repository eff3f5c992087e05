"""Motion and MotionLibrary: the document at the centre of Andante.

A library holds *blocks* (lists of keyframes, reusable) and *motions* (lists of blocks with an end request and
follow-ups): the structure of the keyframe engine that this package runs. All values are SI; the file's units are
converted while reading (`andante.documents.quantities`). Everything is frozen: editing makes new objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from andante.documents.part import Part
from andante.motions.conditions import Condition
from andante.motions.extras import Extras
from andante.motions.keyframe import Block, Keyframe
from andante.motions.settings import BalanceParameters, EngineSettings

UNKNOWN_ROBOT = "unknown"
"""Robot of a library that does not name one."""
_NAMED = 12
"""Motions that a library's short text names."""


class EnergySaving(StrEnum):
    """When the engine may lower requests against heat after a motion."""

    NONE = "none"
    IN_WAIT = "in_wait"
    ALWAYS = "always"


class PostureKind(StrEnum):
    """What carries a robot in a posture."""

    STAND = "stand"
    """Its feet alone."""
    SIT = "sit"
    """Feet and what it sits on."""
    LIE = "lie"
    """Any part of it: a quadruped lies on its belly, a humanoid on any side."""
    DOWN = "down"
    """Any part of it, on any side: on its back, rolled over, playing dead."""
    UNKNOWN = "unknown"
    """Nobody says."""


class EndRequest(Part):
    """What holds after a motion has ended."""

    energy_saving_legs: EnergySaving = EnergySaving.NONE
    """Energy saving of the legs."""
    energy_saving_arms: EnergySaving = EnergySaving.NONE
    """Energy saving of the arms."""
    stand_high: bool = False
    """The robot stands with stretched knees afterwards."""


class FollowUp(Part):
    """A motion that is started at the end of another when its conditions hold."""

    motion: str
    """Name of the next motion."""
    alternatives: tuple[str, ...] = ()
    """Other motions for the same situation: in a get-up the one that failed least at one keyframe is started, of equal
    ones the first, ``motion`` before these."""
    mirror: bool = False
    """Exchange left and right from here on: from the right side as from the left one."""
    conditions: tuple[Condition, ...] = ()
    """Conditions; an empty list holds."""
    all: bool = True
    """True: all must hold; False: one is enough."""

    @property
    def motions(self) -> tuple[str, ...]:
        """Every motion that may be started."""
        return (self.motion, *self.alternatives)


class Motion(Part):
    """A list of blocks, executed one after another."""

    blocks: tuple[str, ...] = ()
    """Names of the blocks in order."""
    balance_out: bool = False
    """Keep balancing at the end until the robot is still."""
    end_request: EndRequest = EndRequest()
    """What holds after the end."""
    stable: bool = False
    """The robot needs no support from others while this motion runs."""
    follow_ups: tuple[FollowUp, ...] = ()
    """Motions that may follow, first match wins."""
    start_posture: PostureKind | None = None
    """Kind of posture in which it begins; None: as its name says (``a_sit#stand``, ``lie_to_sit``)."""
    end_posture: PostureKind | None = None
    """Kind of posture in which it ends, by which it is judged; None: as its name says."""
    may_touch: Annotated[tuple[str, ...], Field(max_length=200)] = ()
    """Bodies or joint groups that may touch the ground beside the feet, ``*`` for all; a motion that begins or ends
    sitting or lying may touch with all."""
    note: str = ""
    """Free text for people."""
    extras: Extras = Field(default_factory=dict)
    """What only files of one format say, by format; kept to write such a file again."""

    def __repr__(self) -> str:
        follow = f", then {', '.join(each.motion for each in self.follow_ups)}" if self.follow_ups else ""
        return f"<Motion: blocks {', '.join(self.blocks) or 'none'}{follow}>"

    __str__ = __repr__


class MotionLibrary(Part):
    """Blocks and motions for one robot, with the engine settings that they were made for."""

    format: Literal["andante.motions"] = "andante.motions"
    """Names the kind of document."""
    version: Literal[1] = 1
    """Version of this schema."""
    robot: str
    """Name of the robot pack that the joints belong to."""
    dialect: Literal["andante", "bhuman-2022", "bhuman-2023", "bhuman-2024", "bhuman-2025"] = "andante"
    """Rules of execution where they differ by origin."""
    settings: EngineSettings = EngineSettings()
    """What holds for all motions."""
    balance: dict[str, BalanceParameters] = Field(default_factory=dict)
    """Balance parameters by phase name."""
    motions: dict[str, Motion] = Field(default_factory=dict)
    """Motions by name."""
    blocks: dict[str, Block] = Field(default_factory=dict)
    """Blocks by name."""
    note: str = ""
    """Free text for people."""
    extras: Extras = Field(default_factory=dict)
    """What only files of one format say, by format; kept to write such a file again."""

    def __repr__(self) -> str:
        names = list(self.motions)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f"<MotionLibrary for {self.robot}: motions {', '.join(names[:_NAMED]) or 'none'}{more}>"

    __str__ = __repr__


def blocks_of(library: MotionLibrary, motion: str) -> list[Block]:
    """The blocks of a motion in the order in which they run, without those that the library lacks."""
    return [library.blocks[name] for name in library.motions[motion].blocks if name in library.blocks]


def keyframes_of(library: MotionLibrary, motion: str) -> list[Keyframe]:
    """The keyframes of a motion's blocks, see `blocks_of`."""
    return [keyframe for block in blocks_of(library, motion) for keyframe in block.keyframes]


def placed_keyframes(library: MotionLibrary) -> Iterator[tuple[str, Keyframe]]:
    """All keyframes with their places in the document."""
    for name, block in library.blocks.items():
        for index, keyframe in enumerate(block.keyframes):
            yield f"blocks.{name}.keyframes[{index}]", keyframe


def condition_groups(library: MotionLibrary) -> Iterator[tuple[str, Sequence[Condition], bool]]:
    """All lists of conditions with their places, and whether all of a list must hold together."""
    for name, motion in library.motions.items():
        for index, follow_up in enumerate(motion.follow_ups):
            yield f"motions.{name}.follow_ups[{index}].conditions", follow_up.conditions, follow_up.all
    for place, keyframe in placed_keyframes(library):
        yield f"{place}.waits", keyframe.waits, True
        for index, branch in enumerate(keyframe.branches):
            where = f"{place}.branches[{index}]"
            yield f"{where}.pre.conditions", branch.pre.conditions, branch.pre.all
            if branch.early is not None:
                yield f"{where}.early.conditions", branch.early.conditions, branch.early.all


def stiff_blocks(library: MotionLibrary) -> frozenset[str]:
    """Names of the blocks that begin at full stiffness, as no motion that runs them states any.

    Whoever leaves stiffness out means a robot that moves; run limp it falls without a word, and the checks judge it as
    stiff. So the blocks of a motion of which none states any begin at full stiffness. A motion that states some means
    what it leaves out, as do blocks that a branch inserts: there an absent value keeps what held before.
    """
    kept = {branch.block for block in library.blocks.values() for frame in block.keyframes for branch in frame.branches}
    silent: set[str] = set()
    for name, motion in library.motions.items():
        if any(_states(block) for block in blocks_of(library, name)):
            kept.update(motion.blocks)
        else:
            silent.update(motion.blocks)
    return frozenset(silent - kept)


def _states(block: Block) -> bool:
    return bool(block.base_stiffness) or any(keyframe.stiffness for keyframe in block.keyframes)

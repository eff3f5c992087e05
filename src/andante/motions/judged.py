"""JudgedRecord: what judges said of a motion, kept beside its file, and whether it still holds.

A file ``get-up.yaml`` has its record in ``get-up.judged.yaml``, a folder ``team`` in ``team.judged.yaml``. A judgement
names the motion and the robot by digests of their content. Once one of them changes, it no longer counts, and whoever
looks is told so.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from andante.documents.files import write_text
from andante.documents.part import Part
from andante.documents.reader import load_document
from andante.documents.writer import dump_document
from andante.motions.errors import MotionError, motion_of
from andante.motions.library import MotionLibrary
from andante.motions.reached import reached
from andante.robots.digest import robot_digest
from andante.robots.robot import Robot

_DIGEST = "^[0-9a-f]{64}$"
_SUFFIX = ".judged.yaml"
_HEAD = "# What judges said of motions, all of it in simulation; written by andante judge --record.\n"
MOST = 1000
"""Most judgements of a record."""


class Said(Part):
    """What one judge said."""

    judge: str
    """Its name."""
    version: str
    """Of its engine."""
    agreed: Annotated[int, Field(ge=0)]
    """Trials in which it gave the same verdict."""
    only_here: Annotated[int, Field(ge=0)]
    """Trials that passed as asked and failed there: the dangerous direction."""
    only_there: Annotated[int, Field(ge=0)]
    """Trials that failed as asked and passed there."""
    evidence: Literal["", "twins", "other engine"] = ""
    """What its word rests on; empty in records of before it was told."""


class Judgement(Part):
    """One judging of one motion."""

    motion: str
    """The motion."""
    motion_sha256: Annotated[str, Field(pattern=_DIGEST)]
    """Digest of it and of all that it can lead to, see `motion_digest`."""
    robot: str
    """The robot."""
    robot_sha256: Annotated[str, Field(pattern=_DIGEST)]
    """Digest of it, see `andante.robots.digest`."""
    asked: str
    """What was run, as it was typed."""
    seeds: tuple[int, int]
    """First and last seed."""
    trials: Annotated[int, Field(ge=1)]
    """Trials as asked."""
    passed: Annotated[int, Field(ge=0)]
    """How many of them passed."""
    held: Annotated[int, Field(ge=0)]
    """How many of those passed by every judge."""
    marginal: bool = False
    """Whether half of the trials were chosen because they fail."""
    judges: Annotated[tuple[Said, ...], Field(min_length=1, max_length=100)]
    """What each judge said."""
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """Day of the judging."""
    andante: str
    """Version of Andante."""

    def __str__(self) -> str:
        names = ", ".join(
            f"{each.judge} ({each.agreed} of {self.trials} agree"
            + (f", {each.only_here} pass here only)" if each.only_here else ")")
            for each in self.judges
        )
        few = " of a marginal set" if self.marginal else ""
        return (
            f"{self.motion} for {self.robot}, {self.date}, in simulation: {self.passed} of {self.trials} passed{few}, "
            f"{self.held} by all judges; judged by {names}"
        )


class JudgedRecord(Part):
    """Judgements of the motions of one file, the newest of each question."""

    format: Literal["andante.judged"] = "andante.judged"
    """Names the kind of document."""
    version: Literal[1] = 1
    """Version of this schema."""
    judgements: Annotated[tuple[Judgement, ...], Field(max_length=MOST)] = ()
    """They, in the order in which they were made."""


def record_path(library: Path) -> Path:
    """Where the record of a motion file or folder lies."""
    return library.with_name((library.stem if library.is_file() else library.name) + _SUFFIX)


def motion_digest(library: MotionLibrary, motion: str) -> str:
    """Digest of a motion with all blocks and motions that it can lead to, and of the settings that hold for it.

    Raises:
        MotionError: The library has no such motion.
    """
    motion_of(library, motion)
    used = reached(library, [motion])
    part = library.but(
        motions={name: library.motions[name] for name in sorted(used.motions) if name in library.motions},
        blocks={name: library.blocks[name] for name in sorted(used.blocks) if name in library.blocks},
        balance=dict(sorted(library.balance.items())),
        note="",
        extras={},
    )
    data = part.model_dump(mode="json", exclude={"robot"})
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def load_record(library: Path) -> JudgedRecord:
    """The record of a motion file; an empty one where there is none.

    Raises:
        DocumentError: It cannot be read.
    """
    path = record_path(library)
    return load_document(path, JudgedRecord) if path.is_file() else JudgedRecord()


def keep(library: Path, judgement: Judgement) -> Path:
    """Write a judgement into the record of a motion file; one of the same question and content goes.

    Raises:
        MotionError: The record is full.
        DocumentError: The record that is there cannot be read, or none can be written.
    """
    path, kept = record_path(library), load_record(library).judgements
    same = _question(judgement)
    rest = tuple(each for each in kept if _question(each) != same)
    if len(rest) >= MOST:
        raise MotionError("the record is full", place=str(path), value=len(rest), limit=f"{MOST} judgements")
    record = JudgedRecord(judgements=(*rest, judgement))
    write_text(path, _HEAD + dump_document(record), follow=False)
    return path


def lines_of(record: JudgedRecord, library: MotionLibrary, robot: Robot | None) -> list[str]:
    """What a record says of a library, a line for each judgement; those that no longer count say why.

    Args:
        record: The record.
        library: The library as it is now.
        robot: The robot as it is now; None: nobody knows it.
    """
    return [f"judged: {each}{_why_not(each, library, robot)}" for each in record.judgements]


def holding(record: JudgedRecord, library: MotionLibrary, robot: Robot | None) -> list[Judgement]:
    """The judgements that still count."""
    return [each for each in record.judgements if not _why_not(each, library, robot)]


def _why_not(judgement: Judgement, library: MotionLibrary, robot: Robot | None) -> str:
    if judgement.motion not in library.motions:
        return " (no longer counts: there is no such motion any more)"
    if motion_digest(library, judgement.motion) != judgement.motion_sha256:
        return " (no longer counts: the motion has changed since)"
    if robot is None or robot.name != judgement.robot:
        return " (counts for that robot alone)"
    if robot_digest(robot) != judgement.robot_sha256:
        return " (no longer counts: the robot has changed since)"
    return ""


def _question(judgement: Judgement) -> tuple[object, ...]:
    content = (judgement.motion, judgement.motion_sha256, judgement.robot, judgement.robot_sha256)
    return (*content, judgement.asked, judgement.seeds, *(each.judge for each in judgement.judges))

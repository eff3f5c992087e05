"""A trajectory as a table: times, a column of angles per joint, perhaps one of stiffness; to a library and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from andante.formats.report import FormatError, Losses
from andante.formats.shared.single import library_of_one, one_motion
from andante.formats.shared.steps import Holds, keyframe_of, steps_of, stiffness_changes, text_of
from andante.motions.extras import TABLE, Kind
from andante.motions.keyframe import Block, JointTarget
from andante.motions.library import MotionLibrary

MAX_CELLS = 3_000_000
"""Most angles of a table."""


@dataclass(frozen=True)
class TrajectoryTable:
    """Rows at rising times."""

    times: Sequence[float]
    """Time of each row [s]."""
    joints: Sequence[str]
    """Joint of each column."""
    rows: Sequence[Sequence[JointTarget | None]]
    """Target per joint of each row [rad]; None: not given."""
    stiffness: Sequence[Sequence[float | None]] = ()
    """Stiffness per joint of each row; empty: none given."""
    notes: Sequence[str] = field(default_factory=tuple)
    """Note of each row; empty: none."""


def library_of(table: TrajectoryTable, name: str, robot: str) -> MotionLibrary:
    """The library of a table."""
    keyframes = []
    state: dict[str, float] = {}
    before = 0.0
    for index, (time, row) in enumerate(zip(table.times, table.rows, strict=True)):
        joints = {joint: value for joint, value in zip(table.joints, row, strict=True) if value is not None}
        wanted: dict[str, float] = {}
        if table.stiffness:
            stiff = zip(table.joints, table.stiffness[index], strict=True)
            wanted = {joint: value for joint, value in stiff if value is not None}
        changes = stiffness_changes(state, wanted)
        note = table.notes[index] if table.notes else ""
        keyframes.append(keyframe_of(max(_between(before, time), 0.0), joints, changes, note=note))
        before = time
    # Sums of rounded durations drift; the times are kept as they were.
    said: dict[Kind, Any] = {TABLE: {"joints": list(table.joints)}}
    return library_of_one(robot, name, Block(keyframes=tuple(keyframes)), extras=said)


def _between(before: float, time: float) -> float:
    """Duration between two times, without the noise of their subtraction."""
    digits = 12 - max(math.floor(math.log10(abs(time))), 0) if time else 12
    return round(time - before, digits)


def table_of(library: MotionLibrary, losses: Losses, *, notes: bool) -> TrajectoryTable:
    """The table of a library with one motion, one row per keyframe."""
    name, motion = one_motion(library)
    holds = Holds(keyframe=("note", "extras") if notes else (), kind=TABLE, stiffness=True, off=True)
    steps = steps_of(library, name, losses, holds)
    before = motion.extras.get(TABLE, {}).get("joints")
    joints = [joint for joint in before if isinstance(joint, str)] if isinstance(before, list) else []
    used = (joint for step in steps for joint in (*step.keyframe.joints, *step.stated))
    joints = list(dict.fromkeys((*joints, *used)))
    if len(joints) * len(steps) > MAX_CELLS:
        raise FormatError("the table has too many cells", value=len(joints) * len(steps), limit=f"{MAX_CELLS}")
    targets = [[_given(step.keyframe.joints.get(joint)) for joint in joints] for step in steps]
    stiff = [[step.stated.get(joint) for joint in joints] for step in steps]
    texts = [text_of(step.keyframe, TABLE) if notes else "" for step in steps]
    return TrajectoryTable(
        times=[float(f"{step.end:.12g}") for step in steps],
        joints=joints,
        rows=targets,
        stiffness=stiff if any(value is not None for row in stiff for value in row) else (),
        notes=texts if any(texts) else (),
    )


def _given(value: JointTarget | None) -> JointTarget | None:
    return None if value == "ignore" else value

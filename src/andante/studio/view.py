"""What the page is shown of a document: blocks and keyframes, places of findings, the trajectory of a motion."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from pydantic_core import to_jsonable_python

from andante.documents.descriptions import descriptions
from andante.documents.problems import DocumentError
from andante.motions.findings import Finding
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.sampling import Trajectory
from andante.studio.live_library import KeyframePatch
from andante.studio.splices import Edit, to_units

POSE, TRAJECTORY, LANES = 1, 2, 3
"""Kinds of binary messages, their first number."""
WAYS = (Interpolation.LINEAR, Interpolation.SINE_MIN_TO_MAX, Interpolation.SINE_ZERO_TO_MAX)
"""Interpolations by the number that pages know."""


def keyframe_view(keyframe: Keyframe) -> dict[str, Any]:
    """A keyframe, SI, without what is at its default."""
    return keyframe.model_dump(mode="json", exclude_defaults=True)


def library_view(library: MotionLibrary) -> dict[str, Any]:
    """The library, SI, without what is at its default; every block with its keyframes."""
    data = library.model_dump(mode="json", exclude_defaults=True, exclude={"extras"})
    for name, block in library.blocks.items():
        shown = data["blocks"][name]
        shown.pop("extras", None)
        shown["keyframes"] = [keyframe_view(keyframe) for keyframe in block.keyframes]
    return {"motions": {}, "blocks": {}, "balance": {}} | data | {"robot": library.robot, "dialect": library.dialect}


def patch_view(patch: KeyframePatch) -> dict[str, Any]:
    """A change of keyframes."""
    return vars(patch) | {"keyframes": [keyframe_view(keyframe) for keyframe in patch.keyframes]}


def edit_view(edit: Edit, before: str) -> list[list[int | str]]:
    """Splices with offsets and lengths in UTF-16 units, of the text before them."""
    bounds = to_units(before, [offset for splice in edit for offset in (splice.at, splice.end)])
    return [[bounds[2 * index], bounds[2 * index + 1], splice.inserted] for index, splice in enumerate(edit)]


def problem_view(problem: DocumentError | None) -> list[dict[str, Any]]:
    """What is wrong with a text, with lines and columns."""
    if problem is None:
        return []
    found = []
    for each in (problem, *problem.others[:20]):
        line, column = _position(each.place)
        # Without its place in front, which the page shows by a mark in the text.
        text = str(DocumentError(each.what, value=each.value, limit=each.limit, legal=each.legal, remedy=each.remedy))
        found.append({"line": line, "column": column, "text": text})
    return found


def _position(place: str) -> tuple[int, int]:
    parts = place.rsplit(":", 2)
    if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit():
        return int(parts[1]), int(parts[2])
    return 1, 1


def finding_view(finding: Finding) -> dict[str, Any]:
    """A finding of a check; numbers that are not finite as null."""
    return finite(finding.as_dict())


def finite(data: dict[str, Any]) -> dict[str, Any]:
    """Plain data without numbers that JSON has no word for."""
    return to_jsonable_python(data, inf_nan_mode="null")  # type: ignore[no-any-return]


def trajectory_message(trajectory: Trajectory, revision: int, request: int) -> bytes:
    """A trajectory for the page: counts, then segments, then positions, then what the curves go between.

    Little-endian: kind, revision, request, samples, joints, segments (u32 each), tick (f32); then per segment keyframe,
    occurrence of the block in the motion, first and last sample, place of its interpolation in `WAYS` (u32 each); then
    positions, (samples, joints) f32, and the start posture with each segment's target, (segments + 1, joints) f64.
    """
    count, joints = trajectory.position.shape
    tick = float(trajectory.time[1] - trajectory.time[0]) if count > 1 else 0.0
    segments = trajectory.segments
    head = struct.pack("<6If", TRAJECTORY, revision, request, count, joints, len(segments), tick)
    rows = [[s.keyframe, s.occurrence, s.first, s.last, WAYS.index(s.interpolation)] for s in segments]
    table = np.array(rows, dtype="<u4")
    positions = trajectory.position.astype("<f4").tobytes()
    return head + table.tobytes() + positions + trajectory.targets.astype("<f8").tobytes()


def pose_message(
    number: int, time: float, pose: np.ndarray[Any, np.dtype[np.float64]], rows: list[list[float]]
) -> bytes:
    """A pose for the page, and the rows of plotted variables since the last one.

    Little-endian: kind, number of the run, rows, columns (u32 each), time (f64), pose, then the rows (f32).
    """
    head = struct.pack("<4Id", POSE, number, len(rows), len(rows[0]) if rows else 0, time)
    table = np.array(rows, dtype="<f4").tobytes() if rows else b""
    return head + np.asarray(pose, dtype="<f4").tobytes() + table


def lanes_message(number: int, rows: np.ndarray[Any, np.dtype[np.float32]]) -> bytes:
    """What joints were asked and did since the last such message, for the lanes of the time axis.

    Little-endian: kind, number of the run, rows, columns (u32 each), then the rows (f32), see
    `andante.studio.lanes.lane_row`.
    """
    count, width = rows.shape
    return struct.pack("<4I", LANES, number, count, width) + rows.astype("<f4").tobytes()


def field_notes() -> dict[str, dict[str, str]]:
    """Fields of the document's parts with what they mean, for completion in the text."""
    parts = (Keyframe, Block, Motion, MotionLibrary)
    return {
        part.__name__: {name: descriptions(part).get(name, "").strip() for name in part.model_fields} for part in parts
    }

"""Octrees of OctoMap as terrain: files .bt and .ot, and messages of octomap_msgs.

The head of a file: AbstractOcTree.cpp and AbstractOccupancyOcTree.cpp of github.com/OctoMap/octomap. The message:
octomap_msgs/msg/Octomap.msg of github.com/OctoMap/octomap_msgs; its data is what stands behind the head of a file.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from andante.documents.recordings.message_reader import MessageReader
from andante.terrain.files.found import Cells
from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

_BINARY, _FULL = b"# Octomap OcTree binary file", b"# Octomap OcTree file"
"""First lines of both kinds, whose endings are .bt and .ot."""
_SIZES = {"OcTree": 4, "ColorOcTree": 7, "OcTreeStamped": 4}
"""Bytes of a node of a full octree: its value, and the colour of coloured ones."""
_HEAD = 65_536
"""Longest head [bytes]."""
_MOST_LEAVES = 12_000_000
"""Most leaves that are held: 84 MB."""
_ENTRIES = ("id", "size", "res", "data")


class _Head(NamedTuple):
    """What is said of an octree beside its stream."""

    binary: bool
    kind: str
    size: float
    """Of its smallest cells [m]."""
    nodes: int | None
    """How many it has; None: nobody says it."""


def read_octree(content: bytes, place: str) -> Cells:
    """The leaves of an octree of OctoMap, binary or full, whichever ending its name has.

    A cell of a full one is occupied from the log-odds 0 on, a probability of a half, as OctoMap has it.

    Raises:
        TerrainError: Not such a file, of a kind that is not read, cut short, damaged, empty, or too large.
    """
    head, begin = _head(content, place)
    return _cells(np.frombuffer(content, np.uint8, offset=begin), head, place)


def octree_of(content: bytes, ros1: bool, place: str, options: FileOptions) -> Cells:
    """The leaves of an octree in a message of octomap_msgs/Octomap, in its own frame.

    Raises:
        ValueError: The message is cut short.
        TerrainError: As `read_octree`; an option that means nothing to it, or another frame than its own.
    """
    stream = MessageReader(content, ros1)
    *_, frame = stream.header()
    own = frame.removeprefix("/")
    for name, value in (("layer", options.layer), ("nodata", options.nodata)):
        if value is not None:
            raise TerrainError(f"the option {name} means nothing to an octree", place=place, value=value)
    if options.frame is not None and options.frame.removeprefix("/") != own:
        raise TerrainError(
            "an octree is read in its own frame", place=place, value=options.frame, legal=(own,),
            remedy="octomap_server builds it in another one by its parameter frame_id",
        )  # fmt: skip
    binary = bool(stream.number("u1"))
    kind, size = stream.text(), stream.number("f8")
    data = stream.array("u1", stream.size(MOST_BYTES))
    found = _cells(data, _Head(binary, kind, size, None), place)
    return replace(found, notes=(*found.notes, f"in its own frame {own!r}"))


def _head(content: bytes, place: str) -> tuple[_Head, int]:
    """What the head of a file says, and where it ends."""
    first = content[:200].partition(b"\n")[0].strip()
    if first not in (_BINARY, _FULL):
        raise TerrainError(
            "is no octree of OctoMap", place=place, value=first[:60].decode("latin-1"),
            limit=f"its first line is {_BINARY.decode()!r} or {_FULL.decode()!r}",
            remedy="OctoMap's convert_octree writes files of old kinds anew",
        )  # fmt: skip
    told: dict[str, str] = {}
    at = content.find(b"\n") + 1
    while "data" not in told:
        end = content.find(b"\n", at, _HEAD)
        if end < 0:
            raise TerrainError("the octree's head has no end", place=place, limit=f"a line data in {_HEAD} bytes")
        line = content[at:end].decode("latin-1").strip()
        at = end + 1
        word, _, rest = line.partition(" ")
        # OctoMap passes over entries that it does not know, too.
        if word in _ENTRIES:
            told[word] = rest.strip()
    for word in ("id", "res"):
        if word not in told:
            what = "the octree's head lacks an entry"
            raise TerrainError(what, place=place, value=word, limit="id, size, res, data")
    try:
        size = float(told["res"])
        nodes = int(told["size"]) if "size" in told else None
    except ValueError as error:
        raise TerrainError("size and res are numbers", place=place, value=str(error)[-60:]) from error
    # What it was called in files of before OctoMap 1.0.
    kind = "OcTree" if told["id"] == "1" else told["id"]
    return _Head(first == _BINARY, kind, size, nodes), at


def _cells(stream: np.ndarray[tuple[int], np.dtype[np.uint8]], head: _Head, place: str) -> Cells:
    from andante.terrain.files.octree_cells import CUT_SHORT, DEPTH, NO_NUMBER, OCCUPIED, TOO_DEEP, octree_leaves

    if head.kind not in _SIZES:
        raise TerrainError(
            "there is no reader for this kind of octree", place=place, value=head.kind[:50], legal=sorted(_SIZES)
        )
    if not (math.isfinite(head.size) and head.size > 0.0):
        raise TerrainError("cells have a size", place=place, value=head.size, limit="res above 0, in metres")
    if not len(stream):
        raise TerrainError("the octree is empty", place=place)
    stream = np.ascontiguousarray(stream)
    whole = 2 ** (DEPTH - 1)
    box = np.array([whole] * 3 + [-whole] * 3, np.int32)
    nowhere, nothing = np.zeros(0, np.int16), np.zeros(0, np.uint8)
    taken, nodes, leaves = octree_leaves(
        stream, head.binary, _SIZES[head.kind], nowhere, nowhere, nowhere, nothing, box
    )
    if taken < 0:
        what = {
            CUT_SHORT: "the octree is cut short",
            TOO_DEEP: f"the octree has more than {DEPTH} levels",
            NO_NUMBER: "the value of a cell is no number",
        }[taken]
        raise TerrainError(what, place=place, value=f"{len(stream)} bytes, node {nodes}")
    alike = head.nodes is None or head.nodes == nodes
    if taken < len(stream) and (head.nodes is None or not alike):
        raise TerrainError(
            f"there is more behind the octree's end: it is damaged, or its nodes are not those of {head.kind}",
            place=place, value=f"{len(stream)} bytes", limit=f"{taken} bytes",
        )  # fmt: skip
    if leaves > _MOST_LEAVES:
        raise TerrainError(
            "the octree has too many cells", place=place, value=leaves, limit=f"{_MOST_LEAVES}",
            remedy="take a part of it, or write it at a coarser depth",
        )  # fmt: skip
    if box[0] >= box[3]:
        raise TerrainError(
            "no cell of the octree is occupied", place=place, value=f"{leaves} free cells",
            limit="the ground is what is occupied",
        )  # fmt: skip
    x, y, z = (np.zeros(leaves, np.int16) for _ in range(3))
    codes = np.zeros(leaves, np.uint8)
    octree_leaves(stream, head.binary, _SIZES[head.kind], x, y, z, codes, box)
    full = int(np.count_nonzero(codes >= OCCUPIED))
    notes = [f"an octree of {leaves} cells, {full} of them occupied"]
    if not alike:
        notes.append(f"its head says that it has {head.nodes} nodes, it has {nodes}")
    return Cells((x, y, z), codes, box, head.size, tuple(notes))

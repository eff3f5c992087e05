"""OctoMap's streams of octrees taken apart: their leaves in the order in which they are stored, and columns of them.

The streams: writeBinaryNode of OccupancyOcTreeBase.hxx and writeNodesRecurs of OcTreeBaseImpl.hxx in
github.com/OctoMap/octomap. A node of a binary one is two bytes, of which child i has the bits 2 i and 2 i + 1: 1 0 is a
free leaf, 0 1 an occupied one, 1 1 a node, which follows, 0 0 nothing. A node of a full one is its value, in single
precision, and a byte that says which children follow. The first bit of a child's number is for x, the next for y, the
third for z, set on the side of larger coordinates.
"""

from __future__ import annotations

import numpy as np

from andante.kernels import entry
from andante.spatial.arrays import Codes1, Counts1, Index1, Shorts1

DEPTH = 16
"""Levels below the root, in OctoMap always: the root is 2^16 cells wide, from -2^15 on along each axis."""
CUT_SHORT, TOO_DEEP, NO_NUMBER = -1, -2, -3
"""What is wrong with a stream, in place of its length."""
OCCUPIED = 32
"""What is added to a leaf's level where it is occupied; its lower bits are how many times it was halved from there."""
UNSEEN, FREE, GROUND, COVERED, LOW, HANGS = 0, 1, 2, 3, 4, 5
"""What is known of a column: nothing; it is free; it has ground; there is more far above it; that is too near; the
lowest that is occupied has free space below."""


@entry
def octree_leaves(
    stream: Codes1, binary: bool, size: int, x: Shorts1, y: Shorts1, z: Shorts1, codes: Codes1, box: Counts1
) -> tuple[int, int, int]:
    """Leaves in the order of the stream, of which those of one column along any axis stand in the order of this axis.

    Args:
        stream: The nodes, (n,).
        binary: Whether it is a binary octree.
        size: Bytes of a node of a full one, without the byte of its children.
        x: Least cell of each leaf along x, (m,); what has no room is only counted.
        y: Along y.
        z: Along z.
        codes: log2 of how many cells wide it is, and `OCCUPIED` where it is.
        box: Least x, y, z of the occupied cells, and the x, y, z behind the largest, (6,); may be made wider.

    Returns:
        How many bytes were taken, or what is wrong; how many nodes and how many leaves there are.
    """
    at, end, nodes, leaves = 0, len(stream), 0, 0
    inner = np.zeros(DEPTH + 1, np.int64)
    solid = np.zeros(DEPTH + 1, np.int64)
    empty = np.zeros(DEPTH + 1, np.int64)
    child = np.full(DEPTH + 1, 8, np.int64)
    corner = np.full((DEPTH + 1, 3), -(1 << (DEPTH - 1)), np.int64)
    level, enter = 0, True
    while level >= 0:
        leaf, occupied = False, False
        if enter:
            enter = False
            nodes += 1
            if binary:
                if at + 2 > end:
                    return CUT_SHORT, nodes, leaves
                pairs = int(stream[at]) | int(stream[at + 1]) << 8
                at += 2
                inner[level] = solid[level] = empty[level] = 0
                for k in range(8):
                    pair = (pairs >> (2 * k)) & 3
                    bit = 1 << k
                    if pair == 3:
                        inner[level] |= bit
                    elif pair == 2:
                        solid[level] |= bit
                    elif pair == 1:
                        empty[level] |= bit
            else:
                if at + size + 1 > end:
                    return CUT_SHORT, nodes, leaves
                low, high = int(stream[at + 2]), int(stream[at + 3])
                small = int(stream[at]) | int(stream[at + 1])
                at += size
                inner[level], solid[level], empty[level] = int(stream[at]), 0, 0
                at += 1
                if inner[level] == 0:
                    # An exponent of ones with anything behind it is no number. Zero is occupied, be it -0.
                    if (high & 127) == 127 and low >= 128 and ((low & 127) | small):
                        return NO_NUMBER, nodes, leaves
                    leaf = True
                    occupied = high < 128 or ((high & 127) | low | small) == 0
            if inner[level] and level == DEPTH:
                return TOO_DEEP, nodes, leaves
            if binary and level == DEPTH and (solid[level] | empty[level]):
                return TOO_DEEP, nodes, leaves
            child[level] = 8 if leaf else 0
        place, width = level, DEPTH - level
        cx, cy, cz = corner[level, 0], corner[level, 1], corner[level, 2]
        if not leaf:
            k = child[level]
            if k == 8:
                level -= 1
                continue
            child[level] = k + 1
            bit = 1 << k
            if not ((inner[place] | solid[place] | empty[place]) & bit):
                continue
            width -= 1
            half = 1 << width
            cx, cy, cz = cx + half * (k & 1), cy + half * ((k >> 1) & 1), cz + half * (k >> 2)
            if inner[place] & bit:
                level += 1
                corner[level, 0], corner[level, 1], corner[level, 2] = cx, cy, cz
                enter = True
                continue
            nodes += 1
            occupied = (solid[place] & bit) != 0
        if occupied:
            wide = 1 << width
            box[0], box[1], box[2] = min(box[0], cx), min(box[1], cy), min(box[2], cz)
            box[3], box[4], box[5] = max(box[3], cx + wide), max(box[4], cy + wide), max(box[5], cz + wide)
        if leaves < len(codes):
            x[leaves], y[leaves], z[leaves] = cx, cy, cz
            codes[leaves] = width + (OCCUPIED if occupied else 0)
        leaves += 1
    return at, nodes, leaves


@entry
def fill_columns(
    x: Shorts1, y: Shorts1, z: Shorts1, codes: Codes1, axes: Index1, signs: Index1, first: Index1, shape: Index1,
    apart: float, room: float, most: int, top: Counts1, free: Counts1, state: Codes1,
) -> int:  # fmt: skip
    """What the leaves of an octree say of its columns.

    Args:
        x: Least cell of each leaf along x, (n,).
        y: Along y.
        z: Along z.
        codes: As `octree_leaves` gives them.
        axes: Which axes of the octree run along rows, along columns and upwards, (3,).
        signs: Their signs, (3,).
        first: Least cell of the map along rows and along columns, (2,); leaves may reach beyond it.
        shape: How many cells it has, (2,).
        apart: More cells than so many between two layers make them two.
        room: Cells that have to be free over the ground.
        most: How many columns may be looked at for all leaves together.
        top: Where the ground of each column ends, (m,); those of a row lie together.
        free: How many cells are free below its lowest occupied one, (m,).
        state: What is known of it, (m,).

    Returns:
        How many columns were looked at; more than ``most``: that many were not enough.
    """
    looked, count = 0, len(codes)
    rows, columns = int(shape[0]), int(shape[1])
    for number in range(count):
        # Leaves of a column stand in the order of their axis, and are taken from below.
        leaf = number if signs[2] > 0 else count - 1 - number
        occupied = codes[leaf] >= OCCUPIED
        wide = 1 << (int(codes[leaf]) & (OCCUPIED - 1))
        corner = (int(x[leaf]), int(y[leaf]), int(z[leaf]))
        u, v, bottom = corner[axes[0]], corner[axes[1]], corner[axes[2]]
        u = (u if signs[0] > 0 else -(u + wide)) - int(first[0])
        v = (v if signs[1] > 0 else -(v + wide)) - int(first[1])
        bottom = bottom if signs[2] > 0 else -(bottom + wide)
        first_i, last_i = max(0, u), min(rows, u + wide)
        first_j, last_j = max(0, v), min(columns, v + wide)
        if first_i >= last_i or first_j >= last_j:
            continue
        looked += (last_i - first_i) * (last_j - first_j)
        if looked > most:
            return looked
        for i in range(first_i, last_i):
            for j in range(first_j, last_j):
                at = i * columns + j
                known = state[at]
                if not occupied:
                    if known <= FREE:
                        state[at] = FREE
                        free[at] += wide
                elif known <= FREE:
                    state[at] = HANGS if free[at] > apart else GROUND
                    top[at] = bottom + wide
                elif known == GROUND:
                    gap = bottom - top[at]
                    if gap > apart:
                        state[at] = LOW if gap < room else COVERED
                    else:
                        top[at] = bottom + wide
    return looked

"""Octrees as OctoMap writes them, by the descriptions of its formats."""

from __future__ import annotations

import struct

WIDE = 1 << 16
"""Cells along a side of the root."""
OCCUPIED, FREE = 0.85, -0.4
"""Log-odds of a hit and of a miss, as OctoMap has them."""
Cell = tuple[int, int, int]


def tree_of(cells: dict[Cell, float], wide: int = WIDE, corner: Cell = (-WIDE // 2,) * 3):
    """Nested lists of eight children, None where nothing is known; eight alike are one, as OctoMap prunes them."""
    if not cells:
        return None
    if wide == 1:
        return next(iter(cells.values()))
    half = wide // 2
    parts: list[dict[Cell, float]] = [{} for _ in range(8)]
    for cell, value in cells.items():
        number = sum(1 << axis for axis in range(3) if cell[axis] >= corner[axis] + half)
        parts[number][cell] = value
    children = [
        tree_of(part, half, tuple(corner[axis] + half * (number >> axis & 1) for axis in range(3)))
        for number, part in enumerate(parts)
    ]
    if isinstance(children[0], float) and all(each == children[0] for each in children):
        return children[0]
    return children


def nodes_of(tree) -> int:
    return 1 + sum(nodes_of(each) for each in tree if each is not None) if isinstance(tree, list) else 1


def binary_stream(tree) -> bytes:
    """A node: two bits for each child, the first child's the lowest; then the nodes among them."""
    pairs = 0
    for number, child in enumerate(tree):
        kind = 0b00 if child is None else 0b11 if isinstance(child, list) else 0b10 if child >= 0.0 else 0b01
        pairs |= kind << (2 * number)
    return struct.pack("<H", pairs) + b"".join(binary_stream(child) for child in tree if isinstance(child, list))


def full_stream(tree, more: bytes = b"") -> bytes:
    """A node: its value, what a kind adds, and which children follow."""
    children = tree if isinstance(tree, list) else [None] * 8
    value = 7.0 if isinstance(tree, list) else tree
    mask = sum(1 << number for number, child in enumerate(children) if child is not None)
    head = struct.pack("<f", value) + more + bytes([mask])
    return head + b"".join(full_stream(child, more) for child in children if child is not None)


def octree_file(stream: bytes, *, binary: bool, size: float = 0.05, nodes: int = 0, kind: str = "OcTree") -> bytes:
    first = "# Octomap OcTree binary file" if binary else "# Octomap OcTree file"
    rest = "# (feel free to add / change comments, but leave the first line as it is!)\n#"
    return f"{first}\n{rest}\nid {kind}\nsize {nodes}\nres {size:g}\ndata\n".encode() + stream


def bt(cells: dict[Cell, float], size: float = 0.05) -> bytes:
    tree = tree_of(cells)
    return octree_file(binary_stream(tree), binary=True, size=size, nodes=nodes_of(tree))


def ot(cells: dict[Cell, float], size: float = 0.05, kind: str = "OcTree", more: bytes = b"") -> bytes:
    tree = tree_of(cells)
    return octree_file(full_stream(tree, more), binary=False, size=size, nodes=nodes_of(tree), kind=kind)


def ground(heights: dict[tuple[int, int], int], above: int = 4) -> dict[Cell, float]:
    """Columns that are occupied in the cell below their height, and free in some above it."""
    found = {}
    for (i, j), height in heights.items():
        found[i, j, height - 1] = OCCUPIED
        found.update({(i, j, height + k): FREE for k in range(above)})
    return found

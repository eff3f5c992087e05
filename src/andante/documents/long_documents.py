"""Parts of a long document, which are validated before the whole is.

Listing a mistake in each of 50,000 places takes seconds and half a gigabyte. So some pieces of a long document are
looked at first. Where these tell of thousands of mistakes, it is gone through part by part, only until some are found.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from andante.documents.fields import Step
from andante.documents.yaml_tree import Node

LONG = 200_000
"""A document of more characters is long."""
MANY = 5_000
"""All of so many mistakes are told or counted; of more, only the first."""
TOLD = 1_000
"""Of too many mistakes, those of the parts up to the one with this number are told or counted."""
_PIECE = 2_000
"""A mapping or list of more characters is not looked at as one."""
_SAMPLE = 40_000
"""Characters of the pieces that are looked at first."""
_PART = 60_000
"""Characters of a part."""
_FEW = 1_000
"""Pieces that are looked at first, and those of a part, where they are short."""
_SEED = 1
"""Pieces are picked by chance, so that mistakes in every second place are not all missed; the same ones each time."""


class Piece(NamedTuple):
    """An entry of a mapping or an item of a list, short enough to be looked at as a whole."""

    above: tuple[Step, ...]
    """Path of what holds it."""
    step: Step
    """Its key or index there."""
    node: Node
    """What it is."""


class Excerpt:
    """A document with some of its pieces alone."""

    def __init__(self, root: Node, pieces: Iterable[Piece]) -> None:
        """Put pieces together as they are in the document, lists without the gaps between them."""
        self.data: Any = _empty(root)
        """Plain data."""
        # Of each step in the part: the step in the whole, and those below it; None below a piece.
        self._steps: dict[Step, Any] = {}
        held: dict[tuple[Step, ...], tuple[Node, Any, dict[Step, Any]]] = {(): (root, self.data, self._steps)}

        def holder(path: tuple[Step, ...]) -> tuple[Node, Any, dict[Step, Any]]:
            if path not in held:
                node, data, steps = holder(path[:-1])
                below = node.child(path[-1])
                if below is None:
                    raise KeyError(path)
                inside: tuple[Any, dict[Step, Any]] = (_empty(below), {})
                _put(data, steps, path[-1], *inside)
                held[path] = (below, *inside)
            return held[path]

        for piece in pieces:
            _, data, steps = holder(piece.above)
            _put(data, steps, piece.step, piece.node.data, None)

    def place(self, location: Sequence[Step]) -> tuple[Step, ...] | None:
        """Where the place of a mistake in the part is in the whole.

        Args:
            location: Where pydantic found it; labels of union members may be among its steps.

        Returns:
            None where it is not inside of a piece: it may be that only others are missed there.
        """
        whole: list[Step] = []
        steps: dict[Step, Any] | None = self._steps
        for step in location:
            if steps is not None and step in steps:
                own, steps = steps[step]
                whole.append(own)
            else:
                whole.append(step)
        return tuple(whole) if steps is None else None


def pieces_of(root: Node, data: Mapping[str, Any]) -> list[Piece]:
    """All pieces in the order of the text; of the top level, only entries that ``data`` has."""
    found: list[Piece] = []
    _collect(root, (), found)
    return [piece for piece in found if (piece.above[0] if piece.above else piece.step) in data]


def sample(pieces: Sequence[Piece]) -> tuple[list[Piece], float]:
    """Some pieces, spread over all, and for how many each stands."""
    size = sum(piece.node.end - piece.node.start for piece in pieces)
    share = min(1.0, _SAMPLE / max(1, size), _FEW / max(1, len(pieces)))
    chance = random.Random(_SEED).random
    return [piece for piece in pieces if chance() < share], 1.0 / share


def in_parts(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """All pieces, one part after the other."""
    held: list[Piece] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += piece.node.end - piece.node.start
        if size > _PART or len(held) == _FEW:
            yield held
            held, size = [], 0
    if held:
        yield held


def _collect(node: Node, path: tuple[Step, ...], found: list[Piece]) -> None:
    children: Iterable[tuple[Step, Node]] = node.entries.items() or enumerate(node.items)
    for step, child in children:
        if child.end - child.start > _PIECE and child.data and isinstance(child.data, (dict, list)):
            _collect(child, (*path, step), found)
        else:
            found.append(Piece(path, step, child))


def _empty(node: Node) -> dict[str, Any] | list[Any]:
    return {} if isinstance(node.data, dict) else []


def _put(data: Any, steps: dict[Step, Any], step: Step, value: Any, below: dict[Step, Any] | None) -> None:
    if isinstance(data, dict):
        data[step] = value
        steps[step] = step, below
    else:
        steps[len(data)] = step, below
        data.append(value)

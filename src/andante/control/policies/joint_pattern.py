"""JointPattern: a regular expression of somebody's file, matched without the backtracking that may take for ever.

Python's own engine tries every way to divide a name among nested repetitions, so that ``(a+)+$`` takes twice as long
for each letter more. Here each part of the expression gives the set of places where it may end, once for each place
where it may begin (K. Thompson, Regular expression search algorithm, 1968). Single letters and borders are still looked
at by Python's engine, so that what fits is the same.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from andante.control.policies.contract import PolicyError

_LONGEST = 4000
"""Longest expression."""
_MOST_STEPS = 1_000_000
"""So many places are looked at for one name; expressions of trainers need some hundreds."""
_GROUPS = frozenset({"GROUPREF", "GROUPREF_IGNORE", "GROUPREF_EXISTS", "ATOMIC_GROUP", "POSSESSIVE_REPEAT"})
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT"})

Node = tuple[Any, Any]
"""A part of an expression as Python's parser gives it: what it is, and its parameters."""


class JointPattern:
    """A regular expression that fits whole names of joints.

    Args:
        text: The expression.
        place: Where it stands, for messages.

    Raises:
        PolicyError: It is none, is too long or nested too deeply, or looks back at what a group has matched.
    """

    def __init__(self, text: str, place: str) -> None:
        if len(text) > _LONGEST:
            raise PolicyError("a pattern is too long", place=place, value=len(text), limit=str(_LONGEST))
        parser, self._compiler = importlib.import_module("re._parser"), importlib.import_module("re._compiler")
        self.text, self._place = text, place
        try:
            self._tree = parser.parse(text)
        except re.error as error:
            raise PolicyError(f"this is no regular expression: {error}", place=place, value=text) from error
        except (RecursionError, OverflowError):
            raise self._refused("a pattern is nested too deeply") from None
        self._single: dict[tuple[int, int], re.Pattern[str]] = {}
        self._begin("")

    def fits(self, name: str) -> bool:
        """Whether it fits the whole of a name.

        Raises:
            PolicyError: It takes too many steps, or looks back at what a group has matched.
        """
        self._begin(name)
        try:
            return len(name) in self._sequence(self._tree, 0, self._tree.state.flags)
        except RecursionError:
            raise self._refused("a pattern is nested too deeply") from None

    def _refused(self, what: str, limit: str = "", remedy: str = "") -> PolicyError:
        return PolicyError(what, place=self._place, value=self.text[:80], limit=limit, remedy=remedy)

    def _begin(self, name: str) -> None:
        self._name, self._steps = name, 0
        self._known: dict[tuple[int, int, int], frozenset[int]] = {}

    def _sequence(self, parts: Any, start: int, flags: int) -> frozenset[int]:
        """Where parts that follow each other may end."""
        ends = frozenset((start,))
        for part in parts:
            ends = frozenset().union(*(self._part(part, end, flags) for end in ends))
        return ends

    def _part(self, part: Node, start: int, flags: int) -> frozenset[int]:
        key = (id(part), start, flags)
        found = self._known.get(key)
        if found is None:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise self._refused("a pattern takes too long to match", limit=f"{_MOST_STEPS} steps for one joint")
            found = self._known[key] = self._ends(part, start, flags)
        return found

    def _ends(self, part: Node, start: int, flags: int) -> frozenset[int]:
        """Where a part that begins at a place may end."""
        kind, data = str(part[0]), part[1]
        if kind == "BRANCH":
            return frozenset().union(*(self._sequence(way, start, flags) for way in data[1]))
        if kind == "SUBPATTERN":
            _, more, fewer, inner = data
            return self._sequence(inner, start, (flags | more) & ~fewer)
        if kind in _REPEATS:
            return self._repeated(start, flags, *data)
        if kind in ("ASSERT", "ASSERT_NOT"):
            held = self._looks(start, flags, *data)
            return frozenset((start,)) if held is (kind == "ASSERT") else frozenset()
        if kind in _GROUPS:
            remedy = "write it without back references, atomic groups and possessive repetitions"
            raise self._refused("a pattern may not look back at what a group has matched", remedy=remedy)
        match = self._engine(part, flags).match(self._name, start)
        return frozenset() if match is None else frozenset((match.end(),))

    def _repeated(self, start: int, flags: int, least: int, most: int, inner: Any) -> frozenset[int]:
        ends, reached = frozenset((start,)), frozenset[int]()
        # After as many rounds as there are places nothing new is reached.
        rounds = len(self._name) + 2
        for _ in range(min(least, rounds)):
            ends = frozenset().union(*(self._sequence(inner, end, flags) for end in ends))
        for _ in range(min(int(most) - least, rounds)):
            if ends <= reached:
                break
            reached |= ends
            ends = frozenset().union(*(self._sequence(inner, end, flags) for end in ends))
        return reached | ends

    def _looks(self, start: int, flags: int, way: int, inner: Any) -> bool:
        """Whether something stands ahead of a place, or behind it."""
        if way > 0:
            return bool(self._sequence(inner, start, flags))
        # What is looked for behind a place has one width.
        begin = start - inner.getwidth()[0]
        return begin >= 0 and start in self._sequence(inner, begin, flags)

    def _engine(self, part: Node, flags: int) -> re.Pattern[str]:
        """Python's engine for a single letter, a set of them or a border."""
        key = (id(part), flags)
        found = self._single.get(key)
        if found is None:
            one = type(self._tree)(self._tree.state, [part])
            found = self._single[key] = self._compiler.compile(one, flags)
        return found

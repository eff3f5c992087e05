"""Splices: exact changes of a text, each with what it takes away, so that it can be undone byte for byte.

The history of a document keeps every edit since it was opened, undone and redone without limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from andante.studio.errors import StudioError


@dataclass(frozen=True)
class Splice:
    """Some characters of a text in place of others."""

    at: int
    """Offset of the first character that changes."""
    removed: str
    """What stands there before."""
    inserted: str
    """What stands there after."""

    @property
    def end(self) -> int:
        """Offset after the last character that is taken away."""
        return self.at + len(self.removed)


Edit = tuple[Splice, ...]
"""Splices that happen at once: offsets are those of the text before all of them; rising, without overlap."""


def applied(text: str, edit: Edit) -> str:
    """The text after an edit.

    Raises:
        StudioError: The edit does not fit the text.
    """
    parts, position = [], 0
    for splice in edit:
        if splice.at < position or splice.end > len(text) or not text.startswith(splice.removed, splice.at):
            raise StudioError(
                "the edit does not fit the text",
                value=splice.at,
                limit=f"{position} to {len(text)}, what it takes away",
            )
        parts += [text[position : splice.at], splice.inserted]
        position = splice.end
    return "".join([*parts, text[position:]])


def inverse(edit: Edit) -> Edit:
    """The edit that takes an edit back."""
    back, shift = [], 0
    for splice in edit:
        back.append(Splice(splice.at + shift, splice.inserted, splice.removed))
        shift += len(splice.inserted) - len(splice.removed)
    return tuple(back)


def difference(old: str, new: str) -> Edit:
    """One splice from a text to another, as short as a common beginning and end make it; none where they are equal."""
    if old == new:
        return ()
    head = common(old, new)
    most = min(len(old), len(new)) - head
    tail = common(old[len(old) - most :][::-1], new[len(new) - most :][::-1]) if most else 0
    return (Splice(head, old[head : len(old) - tail], new[head : len(new) - tail]),)


def common(a: str, b: str) -> int:
    """Length of the common beginning of two texts, by halving."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def from_units(text: str, offsets: Sequence[int]) -> list[int]:
    """Offsets of characters from offsets of UTF-16 units, which browsers count.

    Raises:
        StudioError: An offset is beyond the text or inside a character.
    """
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2
    for offset in offsets:
        if not 0 <= offset <= length:
            raise StudioError("an offset is outside the text", value=offset, limit=f"0 to {length}")
    if length == len(text):
        return list(offsets)
    places = {position: index for index, position in enumerate(_units(text))}
    if any(offset not in places for offset in offsets):
        raise StudioError("an offset is inside a character", value=list(offsets))
    return [places[offset] for offset in offsets]


def to_units(text: str, offsets: Sequence[int]) -> list[int]:
    """Offsets of UTF-16 units from offsets of characters."""
    if len(text.encode("utf-16-le", "surrogatepass")) // 2 == len(text):
        return list(offsets)
    places = _units(text)
    return [places[offset] for offset in offsets]


def _units(text: str) -> list[int]:
    """Offsets of a text's characters and of its end in UTF-16 units, (n + 1,)."""
    return [0, *accumulate(2 if ord(character) > 0xFFFF else 1 for character in text)]


@dataclass
class _Step:
    """What one undo takes back: the edits of one drag or one word."""

    group: str
    edits: list[Edit] = field(default_factory=list)


class History:
    """The edits that can be taken back, and those that were."""

    def __init__(self) -> None:
        self._done: list[_Step] = []
        self._undone: list[_Step] = []

    def view(self) -> dict[str, bool]:
        """Whether there is something to take back, and something that was taken back, as pages are told."""
        return {"canUndo": bool(self._done), "canRedo": bool(self._undone)}

    def add(self, edit: Edit, group: str = "") -> None:
        """Note an edit; edits of one group that follow each other are one step (an empty group is none)."""
        self._undone.clear()
        if group and self._done and self._done[-1].group == group:
            self._done[-1].edits.append(edit)
        else:
            self._done.append(_Step(group, [edit]))

    def next_undo(self) -> list[Edit]:
        """The edits that take the last step back, in order; none where there is no step."""
        return [inverse(edit) for edit in reversed(self._done[-1].edits)] if self._done else []

    def next_redo(self) -> list[Edit]:
        """The edits that do the step again that was taken back last, in order; none where there is none."""
        return list(self._undone[-1].edits) if self._undone else []

    def undo(self) -> None:
        """Note that the last step was taken back, where there is one."""
        if self._done:
            self._undone.append(self._done.pop())

    def redo(self) -> None:
        """Note that the step was done again that was taken back last, where there is one."""
        if self._undone:
            self._done.append(self._undone.pop())

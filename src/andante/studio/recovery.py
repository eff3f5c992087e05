"""Recovery: the edits of a journal done again, also where some of its records are lost.

Each lost record costs itself only: the edits behind it are found their places by what they take away and by the text
around them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from andante.studio.errors import StudioError
from andante.studio.journal import JournalEntry
from andante.studio.splices import Edit, History, Splice, applied, common

_PART = 5
"""This part of the text around an edit must stand at its place."""
_ALIKE = 0.5
"""Least likeness of texts around the likeliest places."""
_SEARCHED = 20_000
"""So far from its old place an edit behind a lost one is looked for [characters]."""


@dataclass
class Recovered:
    """A text with its edits done again."""

    text: str
    """The text after them."""
    history: History
    """Their history."""
    base: str
    """The text that the entries begin with: the first one, or that of the last save."""
    entries: list[JournalEntry]
    """The entries as they were done."""
    done: int = 0
    """Edits, undone and redone ones that were done again."""
    lost: int = 0
    """Records that are gone, and those that have no place without them."""


def recovered(base: str, file: str, entries: Iterable[tuple[int, JournalEntry]]) -> Recovered:
    """Do the edits of a journal again.

    Args:
        base: The text that they begin with.
        file: SHA-256 of the document's file as it is: edits up to the save that wrote it are in it.
        entries: Number and record of what can be read.
    """
    found = Recovered(base, History(), base, [])
    expected, whole = 1, True
    for number, entry in entries:
        if number != expected:
            found.lost += number - expected
            whole = False
        expected = number + 1
        if entry.action == "save":
            if entry.file == file:
                found.base, found.entries, found.done = found.text, [], 0
            continue
        if not (_repeated(found, entry) if whole else _placed(found, entry)):
            found.lost += 1
            whole = False
            continue
        found.done += 1
    return found


def _repeated(found: Recovered, entry: JournalEntry) -> bool:
    """Do an entry as it was done; False where it does not fit."""
    text = found.text
    try:
        for edit in entry.edits:
            text = applied(text, edit)
    except StudioError:
        return False
    _note(found, entry, text)
    return True


def _placed(found: Recovered, entry: JournalEntry) -> bool:
    """Do an entry where the text around it is now; False where that is nowhere."""
    if len(entry.edits) != 1 or not entry.edits[0]:
        # Steps of several edits are taken back or done again as they were, or not at all.
        return bool(entry.edits) and all(entry.edits) and _stepped(found, entry)
    edit = entry.edits[0]
    shift = _shift(found.text, edit, entry)
    if shift is None:
        return False
    moved = tuple(Splice(each.at + shift, each.removed, each.inserted) for each in edit)
    return _repeated(found, replace(entry, edits=(moved,)))


def _stepped(found: Recovered, entry: JournalEntry) -> bool:
    """Take a step back or forth that the history has, wherever it is now."""
    step = found.history.next_undo() if entry.action == "undo" else found.history.next_redo()
    same = len(step) == len(entry.edits) and all(
        [(each.removed, each.inserted) for each in one] == [(each.removed, each.inserted) for each in other]
        for one, other in zip(step, entry.edits, strict=True)
    )
    return same and _repeated(found, replace(entry, edits=tuple(step)))


def _shift(text: str, edit: Edit, entry: JournalEntry) -> int | None:
    """How far an edit has moved: to the place with the most of the text around it; None: to none.

    Of places that are as good, those come first to which all or none of the lost text moves it, then the nearest.
    """
    (before, behind), first = entry.near, edit[0]
    all_lost = len(text) - entry.size
    best, most = None, max((len(before) + len(behind)) // _PART, 1) - 1
    low, high = max(first.at - _SEARCHED, 0), min(first.at + _SEARCHED, len(text))
    likely = (0, all_lost)
    places = _candidates(text, first, entry.near, low, high)
    for place in sorted(places, key=lambda place: (place - first.at not in likely, abs(place - first.at))):
        after = place + len(first.removed)
        score = common(text[max(place - len(before), 0) : place][::-1], before[::-1])
        score += common(text[after : after + len(behind)], behind)
        if score > most:
            best, most = place - first.at, score
    if best is not None:
        return best
    # What stood beside it is lost itself: what is left of the text around it tells.
    for shift in likely:
        place = first.at + shift
        if 0 <= place <= len(text) and text.startswith(first.removed, place):
            after = place + len(first.removed)
            now = text[max(place - len(before), 0) : place] + text[after : after + len(behind)]
            if SequenceMatcher(None, before + behind, now, autojunk=False).ratio() >= _ALIKE:
                return shift
    return None


def _candidates(text: str, first: Splice, near: tuple[str, str], low: int, high: int) -> set[int]:
    """Places at which something of what stood around a splice stands."""
    before, behind = near
    found: set[int] = set()
    for piece, offset in ((first.removed, 0), (before[-8:], len(before[-8:])), (behind[:8], -len(first.removed))):
        if not piece:
            continue
        at = text.find(piece, low, high + len(piece))
        while at >= 0 and len(found) < 10_000:
            place = at + offset
            if place >= 0 and text.startswith(first.removed, place):
                found.add(place)
            at = text.find(piece, at + 1, high + len(piece))
    return found


def _note(found: Recovered, entry: JournalEntry, text: str) -> None:
    """Note what was done: a step back or forth where the history has it, else an edit."""
    found.text = text
    if entry.action == "undo" and found.history.next_undo() == list(entry.edits):
        found.history.undo()
    elif entry.action == "redo" and found.history.next_redo() == list(entry.edits):
        found.history.redo()
    else:
        for edit in entry.edits:
            found.history.add(edit, entry.group)
    found.entries.append(entry)

"""Edits of keyframes as splices of the text: each touches its own keyframe's lines and carries their comments along."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import JsonValue, ValidationError

from andante.documents.emitter import item_lines
from andante.documents.part import Part
from andante.documents.problems import DocumentError
from andante.documents.validation import first_problem
from andante.documents.writer import updated_part, updated_text
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import MotionLibrary
from andante.studio.errors import StudioError
from andante.studio.live_library import LiveLibrary
from andante.studio.splices import Edit, Splice, difference

LARGEST = 10_000
"""Most keyframes that a block may be given here."""
_Made = TypeVar("_Made", bound=Part)


def changed(keyframe: Keyframe, fields: dict[str, JsonValue]) -> Keyframe:
    """A keyframe with other values, SI, checked.

    Args:
        keyframe: The keyframe.
        fields: New values by field, as JSON; ``joints`` changes only the joints that it names, null takes one away.

    Raises:
        DocumentError: A value is not legal.
    """
    data: dict[str, Any] = keyframe.model_dump(mode="json", exclude_defaults=True)
    joints = fields.get("joints")
    if isinstance(joints, dict):
        fields = {**fields, "joints": given({**data.get("joints", {}), **joints})}
    return made(Keyframe, given(data | fields), "keyframe")


def given(data: Mapping[str, Any]) -> dict[str, Any]:
    """What is not null."""
    return {name: value for name, value in data.items() if value is not None}


def made(model: type[_Made], data: Mapping[str, Any], place: str) -> _Made:
    """A part of plain data, SI.

    Args:
        model: The part's model.
        data: Its fields.
        place: What a refusal calls it.

    Raises:
        DocumentError: A value is not legal.
    """
    try:
        return model.model_validate(dict(data))
    except ValidationError as error:
        raise first_problem(DocumentError, error, model, place) from error


def keyframe_of(live: LiveLibrary, block: str, index: int) -> Keyframe:
    """A keyframe of a block.

    Raises:
        StudioError: There is none, or the document has a mistake.
    """
    keyframes = _block(live, block).keyframes
    if not 0 <= index < len(keyframes):
        limit = f"0 to {len(keyframes) - 1}"
        raise StudioError("there is no such keyframe", place=f"blocks.{block}.keyframes", value=index, limit=limit)
    return keyframes[index]


def replaced(live: LiveLibrary, block: str, new: dict[int, Keyframe]) -> Edit:
    """The edit that gives keyframes of a block new values.

    Raises:
        StudioError: There are no such keyframes.
        DocumentError: The document has a mistake.
    """
    old = _block(live, block)
    for index in new:
        keyframe_of(live, block, index)
    items = live.items.get(block)
    if items is None:
        keyframes = tuple(new.get(index, keyframe) for index, keyframe in enumerate(old.keyframes))
        return _whole(live, block, keyframes)
    splices: list[Splice] = []
    for index, keyframe in sorted(new.items()):
        begin, _ = items.span(index)
        before = live.keyframe(block, index)
        dash = items.column
        part = before[:dash] + " " + before[dash + 1 :]
        text = updated_part(keyframe, part, live.place, live.units)
        after = text[:dash] + "-" + text[dash + 1 :]
        splices += [Splice(begin + splice.at, splice.removed, splice.inserted) for splice in difference(before, after)]
    return tuple(splices)


def inserted(live: LiveLibrary, block: str, at: int, keyframes: Sequence[Keyframe]) -> Edit:
    """The edit that puts keyframes before the one at ``at`` (behind the last, where it is their number).

    Raises:
        StudioError: There is no such place.
        DocumentError: The document has a mistake.
    """
    old = _block(live, block)
    if not 0 <= at <= len(old.keyframes):
        raise StudioError("no such place in the block", place=block, value=at, limit=f"0 to {len(old.keyframes)}")
    if len(old.keyframes) + len(keyframes) > LARGEST:
        raise StudioError("the block would have too many keyframes", place=block, limit=f"{LARGEST}")
    items = live.items.get(block)
    if items is None:
        return _whole(live, block, (*old.keyframes[:at], *keyframes, *old.keyframes[at:]))
    newline = "\r\n" if "\r\n" in live.text else "\n"
    lines = [line for keyframe in keyframes for line in item_lines(_plain(live, keyframe), items.column)]
    text = "".join(line + newline for line in lines)
    return _placed(live, block, at, text)


def duplicated(live: LiveLibrary, block: str, indices: Iterable[int]) -> Edit:
    """The edit that puts a copy of keyframes, comments included, behind the last of them."""
    chosen = sorted(set(indices))
    copies = [keyframe_of(live, block, index) for index in chosen]
    if not chosen:
        return ()
    if block not in live.items:
        return inserted(live, block, chosen[-1] + 1, copies)
    return _placed(live, block, chosen[-1] + 1, "".join(_ended(live, _lines(live, block, i)) for i in chosen))


def deleted(live: LiveLibrary, block: str, indices: Iterable[int]) -> Edit:
    """The edit that takes keyframes away, with the comments that stand at them.

    Raises:
        StudioError: There are no such keyframes.
    """
    old = _block(live, block)
    gone = set(indices)
    for index in gone:
        keyframe_of(live, block, index)
    items = live.items.get(block)
    if items is None or len(gone) == len(old.keyframes):
        return _whole(live, block, tuple(each for index, each in enumerate(old.keyframes) if index not in gone))
    return tuple(Splice(_begin(live, block, index), _lines(live, block, index), "") for index in sorted(gone))


def moved(live: LiveLibrary, block: str, index: int, to: int) -> Edit:
    """The edit that moves a keyframe, with its comments, so that it is the one at ``to`` afterwards.

    Raises:
        StudioError: There is no such keyframe or place.
    """
    for each in (index, to):
        keyframe_of(live, block, each)
    if index == to:
        return ()
    items = live.items.get(block)
    if items is None:
        keyframes = list(_block(live, block).keyframes)
        keyframes.insert(to, keyframes.pop(index))
        return _whole(live, block, tuple(keyframes))
    text = _lines(live, block, index)
    begin = _begin(live, block, index)
    away = Splice(begin, text, "")
    target = _begin(live, block, to + 1 if to > index else to)
    before = live.text[target - 1 : target] not in ("\n", "")
    there = Splice(target, "", ("\n" if before else "") + _ended(live, text))
    return (away, there) if target > begin else (there, away)


def whole(live: LiveLibrary, change: Callable[[MotionLibrary], MotionLibrary]) -> Edit:
    """The edit that any change of the library makes, by reading and comparing the whole document.

    Raises:
        DocumentError: The document has a mistake, or a value is not legal.
    """
    return difference(live.text, updated_text(change(live.known()), live.text, live.place))


def _placed(live: LiveLibrary, block: str, at: int, text: str) -> Edit:
    place = _begin(live, block, at)
    if place > 0 and live.text[place - 1] != "\n":
        text = ("\r\n" if "\r\n" in live.text else "\n") + text
    return (Splice(place, "", text),)


def _lines(live: LiveLibrary, block: str, index: int) -> str:
    """The text that goes where a keyframe goes."""
    return live.text[_begin(live, block, index) : _begin(live, block, index + 1)]


def _begin(live: LiveLibrary, block: str, index: int) -> int:
    """Begin of a keyframe's lines, or the end of the last one's.

    Comments right above a dash, and in its column, are about what follows. Those above the first keyframe are about the
    block where the second has none.
    """
    items = live.items[block]
    if index == len(items.starts):
        return items.end
    begin = _heading(live.text, items.starts[index], items.column)
    if index == 0 and (len(items.starts) < 2 or _heading(live.text, items.starts[1], items.column) == items.starts[1]):
        return items.starts[0]
    return begin


def _heading(text: str, line: int, column: int) -> int:
    """Begin of the comments right above a line that are indented like it."""
    while line > 0:
        above = text.rfind("\n", 0, line - 1) + 1
        if text[above : above + column].strip(" ") or text[above + column : above + column + 1] != "#":
            break
        line = above
    return line


def _ended(live: LiveLibrary, text: str) -> str:
    return text if text.endswith("\n") else text + ("\r\n" if "\r\n" in live.text else "\n")


def _plain(live: LiveLibrary, keyframe: Keyframe) -> dict[str, JsonValue]:
    return keyframe.model_dump(mode="json", context=live.units, exclude_defaults=True)


def _whole(live: LiveLibrary, block: str, keyframes: tuple[Keyframe, ...]) -> Edit:
    def change(library: MotionLibrary) -> MotionLibrary:
        new = library.blocks[block].but(keyframes=keyframes)
        return library.but(blocks={**library.blocks, block: new})

    return whole(live, change)


def _block(live: LiveLibrary, block: str) -> Block:
    blocks = live.known().blocks
    if block not in blocks:
        raise StudioError("there is no such block", value=block, legal=blocks)
    return blocks[block]

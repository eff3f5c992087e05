"""LiveLibrary: a text that is edited and the motion library that it says, kept together at the cost of an edit.

Reading a document of hundreds of keyframes takes a quarter of a second, too long for a slider. So an edit that stays
within some keyframes of one block reads these keyframes only: whole lines from one item's dash to the next item's are
a YAML document by themselves, and say there what they say in the whole. Everything else reads the whole text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from andante.documents.files import check_text
from andante.documents.problems import DocumentError
from andante.documents.quantities import Units
from andante.documents.reader import document_units, validate_tree
from andante.documents.yaml_tree import Node, parse_tree
from andante.motions.keyframe import Keyframe
from andante.motions.library import MotionLibrary
from andante.motions.storage import load_library
from andante.studio.errors import StudioError
from andante.studio.splices import Edit, applied

_HIDDEN = re.compile(r"\w \{\\?\"")
"""What older documents have in notes where newer ones have extras, which the reader of documents takes out."""
_MARKER = re.compile(r"^(---|\.\.\.)", re.MULTILINE)
"""Lines that end a YAML document; a part of one cannot tell whether it may."""


@dataclass(frozen=True)
class Items:
    """Where the keyframes of one block stand in the text: items of a block sequence, dashes first on their lines."""

    column: int
    """Column of the dashes, from 0."""
    starts: tuple[int, ...]
    """Offset of the begin of each dash's line."""
    end: int
    """Offset of the begin of the line after the last item."""

    def span(self, index: int) -> tuple[int, int]:
        """Begin and end of an item: whole lines, with the comments that follow it up to the next item."""
        return self.starts[index], self.starts[index + 1] if index + 1 < len(self.starts) else self.end


@dataclass(frozen=True)
class KeyframePatch:
    """Keyframes of one block that are others after an edit."""

    block: str
    """Name of the block."""
    at: int
    """Index of the first one."""
    removed: int
    """So many keyframes were there."""
    keyframes: tuple[Keyframe, ...]
    """These are there now."""


@dataclass(frozen=True)
class Reading:
    """What a whole text says."""

    library: MotionLibrary | None = None
    """The library; None: the text has a mistake."""
    problem: DocumentError | None = None
    """The mistake."""
    units: Units | None = None
    """The document's units; None: the text does not say."""
    items: Mapping[str, Items] = field(default_factory=dict)
    """Where the keyframes stand, by block."""
    lost: bool = False
    """It could not be read for reasons that are not the text's, and may be read another time."""


def read_library(text: str, place: str) -> Reading:
    """Read a whole text.

    Args:
        text: The document.
        place: Its name in messages.
    """
    try:
        check_text(text, place=place)
        root = parse_tree(text, place)
        library = validate_tree(root, MotionLibrary, context=None, place=place)
        if _HIDDEN.search(text):
            library = load_library(text, place=place)
        units = document_units(root, MotionLibrary, place=place)
    except DocumentError as error:
        return Reading(problem=error)
    return Reading(library, None, units, dict(_all_items(root, text)))


class LiveLibrary:
    """A text and its library.

    Args:
        text: The document.
        place: Its name in messages.
        reader: Reads a whole text; another process where that takes long.

    Attributes:
        text: The document now.
        library: What it says; None while it has a mistake.
        problem: The mistake; None: none.
        units: The document's units.
        items: Where the keyframes stand, by block; without blocks whose layout is another one.
        revision: Counts edits.
        lost: The text could not be read for reasons that are not its own.
    """

    def __init__(self, text: str, place: str, reader: Callable[[str, str], Reading] = read_library) -> None:
        self.place = place
        self._reader = reader
        self.revision = 0
        self.text = text
        self.units = Units()
        self.read()

    def read(self) -> None:
        """Read the whole text."""
        found = self._reader(self.text, self.place)
        self.library, self.problem, self.items = found.library, found.problem, dict(found.items)
        self.lost = found.lost
        self.units = self.units if found.units is None else found.units

    def known(self) -> MotionLibrary:
        """The library.

        Raises:
            StudioError: The text has a mistake.
        """
        if self.library is None:
            raise StudioError("the document has a mistake; mend its text first", place=self.place) from self.problem
        return self.library

    def apply(self, edit: Edit) -> KeyframePatch | None:
        """Change the text; gives the keyframes that changed, or None where anything may have changed.

        Raises:
            StudioError: The edit does not fit the text; nothing has been changed.
        """
        old, self.text = self.text, applied(self.text, edit)
        self.revision += 1
        if not edit:
            return None
        patch = None if self.library is None else self._patched(edit, old)
        if patch is None:
            self.read()
        return patch

    def keyframe(self, block: str, index: int) -> str:
        """The text of one keyframe, whole lines."""
        begin, end = self.items[block].span(index)
        return self.text[begin:end]

    def _patched(self, edit: Edit, old: str) -> KeyframePatch | None:
        """Read only the keyframes that an edit touches; None: it touches more than that."""
        low, high = edit[0].at, edit[-1].end
        grown = len(self.text) - len(old)
        library = self.library
        inside = (name for name, items in self.items.items() if items.starts[0] <= low and high <= items.end)
        name = next(inside, None)
        if name is None or library is None:
            return None
        items = self.items[name]
        first = bisect_right(items.starts, low) - 1
        last = max(bisect_right(items.starts, high) - 1, first)
        begin, end = items.starts[first], items.span(last)[1]
        region = self.text[begin : end + grown]
        found = _read_items(region, items.column, self.units)
        if found is None or not (region.endswith("\n") or end + grown == len(self.text)):
            return None
        starts, keyframes, length = found
        block = library.blocks[name]
        if not keyframes and len(block.keyframes) == last + 1 - first:
            return None  # An empty sequence says something else than a sequence.
        changed = block.but(keyframes=(*block.keyframes[:first], *keyframes, *block.keyframes[last + 1 :]))
        self.library = library.but(blocks={**library.blocks, name: changed})
        places = (
            *items.starts[:first],
            *(begin + start for start in starts),
            *(start + grown for start in items.starts[last + 1 :]),
        )
        tail = items.end + grown if last + 1 < len(items.starts) or not keyframes else begin + length
        patched = Items(items.column, places, tail)
        self.items = {key: patched if key == name else _shifted(each, end, grown) for key, each in self.items.items()}
        return KeyframePatch(name, first, last + 1 - first, keyframes)


def _shifted(items: Items, since: int, by: int) -> Items:
    if items.starts[0] < since:
        return items
    return replace(items, starts=tuple(start + by for start in items.starts), end=items.end + by)


def _read_items(text: str, column: int, units: Units) -> tuple[list[int], tuple[Keyframe, ...], int] | None:
    """Offsets, keyframes and length of some lines that are items of a sequence; None where they are anything else."""
    if not text:
        return [], (), 0
    if _MARKER.search(text):
        return None
    try:
        check_text(text, place="")
        root = parse_tree(text, "")
    except DocumentError:
        return None
    if not isinstance(root.data, list) or root.flow:
        return None
    starts = _dashes(root, text, column)
    if starts is None or starts[0] != 0:
        return None
    keyframes = []
    for item in root.items:
        try:
            keyframe = Keyframe.model_validate_json(json.dumps(item.data), strict=True, context=units)
        except (ValidationError, ValueError):
            return None
        if "{" in keyframe.note:
            return None  # Older documents hide extras there; the reader of documents takes them out.
        keyframes.append(keyframe)
    return starts, tuple(keyframes), _next_line(text, root.end)


def _all_items(root: Node, text: str) -> Iterator[tuple[str, Items]]:
    blocks = root.child("blocks")
    for name, block in ({} if blocks is None else blocks.entries).items():
        node = block.child("keyframes")
        if node is None or not node.items or node.flow:
            continue
        column = node.column - 1
        starts = _dashes(node, text, column)
        if starts is not None:
            yield name, Items(column, tuple(starts), _next_line(text, node.end))


def _dashes(node: Node, text: str, column: int) -> list[int] | None:
    """Offsets of the lines that the items' dashes begin; None where one stands elsewhere."""
    starts = []
    for item in node.items:
        dash = text.rfind("-", 0, item.start + 1 if not item.flow and item.data is None else item.start)
        line = text.rfind("\n", 0, dash) + 1
        if dash < 0 or dash - line != column or text[line:dash].strip() or text[dash + 1 : item.start].strip():
            return None
        starts.append(line)
    return starts


def _next_line(text: str, offset: int) -> int:
    if offset > 0 and text[offset - 1] == "\n":
        return offset
    found = text.find("\n", offset)
    return found + 1 if found >= 0 else len(text)

"""Bringing new values into an existing YAML text while everything else in it stays as it is.

The old text is compared with the new data node by node, and only the characters of what differs are exchanged. So
comments, order, blank lines, number spellings and defaults that someone wrote down stay.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from andante.documents.emitter import entry_lines, flow_text, item_lines
from andante.documents.yaml_tree import Node

_ABSENT = object()
# Written numbers have 12 significant digits; a closer old spelling means the same value.
_SAME = 1e-11


def merge_text(text: str, root: Node, minimal: Mapping[str, Any], full: Mapping[str, Any]) -> str:
    """The text with the new data in it.

    Args:
        text: The old document.
        root: Its tree; a mapping.
        minimal: The new data without fields at their defaults.
        full: The new data with all fields; tells which spelled-out defaults of the old text still hold.
    """
    return _Merge(text).merged(root, minimal, full)


class _Merge:
    """Collects the edits of one text."""

    def __init__(self, text: str) -> None:
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._text = text if text.endswith("\n") else text + self._newline
        self._edits: list[tuple[int, int, str]] = []

    def merged(self, root: Node, minimal: Mapping[str, Any], full: Mapping[str, Any]) -> str:
        if not self._update(root, minimal, full):
            self._replace(root.start, root.end, flow_text(_result(root, minimal, full)))
        parts, position = [], 0
        for start, end, replacement in sorted(self._edits, key=lambda edit: edit[0]):
            parts += [self._text[position:start], replacement]
            position = max(position, end)
        return "".join([*parts, self._text[position:]])

    def _replace(self, start: int, end: int, replacement: str) -> None:
        self._edits.append((start, end, replacement))

    def _update(self, node: Node, minimal: Any, full: Any) -> bool:
        """Edit the text of ``node``; False where the whole value must be written anew by its parent."""
        if node.entries and isinstance(minimal, Mapping):
            return self._update_mapping(node, minimal, full)
        if node.items and isinstance(minimal, (list, tuple)):
            return self._update_sequence(node, minimal, full)
        return _equal(node, minimal, full)

    def _update_mapping(self, node: Node, minimal: Mapping[str, Any], full: Mapping[str, Any]) -> bool:
        values = {key: _new_value(child, key, minimal, full) for key, child in node.entries.items()}
        kept = [value is not _ABSENT for value in values.values()]
        if not any(kept):
            return False
        for key, child in node.entries.items():
            value = values[key]
            if value is not _ABSENT and not self._update(child, value, full[key]):
                self._rewrite_entry(node, key, _result(child, value, full[key]))
        starts = [key_node.start for key_node in node.keys.values()]
        self._delete(node, list(node.entries.values()), starts, kept)
        added = {key: value for key, value in minimal.items() if key not in node.entries}
        last = [child for child, stays in zip(node.entries.values(), kept, strict=True) if stays][-1]
        if node.flow:
            for key, value in added.items():
                self._replace(last.end, last.end, f", {flow_text(key)}: {flow_text(value)}")
        else:
            lines = [line for key, value in added.items() for line in entry_lines(key, value, node.column - 1)]
            self._insert_lines(last.end, lines)
        return True

    def _update_sequence(self, node: Node, minimal: Any, full: Any) -> bool:
        items = node.items
        dashes = [item.start if node.flow else self._dash(item) for item in items]
        if not minimal or any(dash < 0 for dash in dashes):
            return False
        shorter = min(len(items), len(minimal))
        head = 0
        while head < shorter and _equal(items[head], minimal[head], full[head]):
            head += 1
        tail = 0
        while tail < shorter - head and _equal(items[-1 - tail], minimal[-1 - tail], full[-1 - tail]):
            tail += 1
        old_end, new_end = len(items) - tail, len(minimal) - tail
        paired = min(old_end, new_end)
        for index in range(head, paired):
            if not self._update(items[index], minimal[index], full[index]):
                value = _result(items[index], minimal[index], full[index])
                if node.flow:
                    self._replace(items[index].start, items[index].end, flow_text(value))
                else:
                    self._rewrite_item(dashes[index], items[index], value)
        self._delete(node, items, dashes, [index < paired or index >= old_end for index in range(len(items))])
        if new_end > paired:
            self._insert_items(node, paired, minimal[paired:new_end], dashes)
        return True

    def _insert_items(self, node: Node, at: int, added: Any, dashes: list[int]) -> None:
        """Insert ``added`` before the item at index ``at``."""
        items = node.items
        if node.flow:
            before = items[0].start if at == 0 else items[at - 1].end
            pattern = "{}, " if at == 0 else ", {}"
            self._replace(before, before, "".join(pattern.format(flow_text(value)) for value in added))
            return
        column = dashes[0] - self._line_start(dashes[0])
        lines = [line for value in added for line in item_lines(value, column)]
        if at == 0:
            line = self._line_start(dashes[0])
            self._replace(line, line, "".join(text + self._newline for text in lines))
        else:
            self._insert_lines(items[at - 1].end, lines)

    def _rewrite_entry(self, parent: Node, key: str, value: Any) -> None:
        child, key_node = parent.entries[key], parent.keys[key]
        scalars = not isinstance(value, (Mapping, list, tuple)) and not isinstance(child.data, (dict, list))
        colon = self._text.find(":", key_node.end)
        if parent.flow or colon < 0 or (scalars and child.end > child.start):
            self._rewrite(child, child.start, flow_text(value))
            return
        indent = parent.column - 1
        written = self._newline.join(entry_lines(key, value, indent))
        self._rewrite(child, colon + 1, written[indent + len(flow_text(key)) + 1 :])

    def _rewrite_item(self, dash: int, item: Node, value: Any) -> None:
        column = dash - self._line_start(dash)
        self._rewrite(item, dash, self._newline.join(item_lines(value, column))[column:])

    def _rewrite(self, node: Node, start: int, written: str) -> None:
        end = max(node.end, start)
        if end > node.start and self._text[end - 1] == "\n":
            written += self._newline  # a literal text's last line break is part of it
        self._replace(start, end, written)

    def _delete(self, node: Node, children: list[Node], starts: list[int], kept: list[bool]) -> None:
        """Remove what is not kept (at least one is); ``starts`` are the offsets of the keys or dashes."""
        first = kept.index(True)
        moves = first > 0 and (node.flow or bool(self._text[self._line_start(starts[0]) : starts[0]].strip()))
        if moves:
            # The first one that stays moves to the place of the very first (in braces, or behind a dash).
            self._replace(starts[0], starts[first], "")
        for index in range(first if moves else 0, len(children)):
            if kept[index]:
                continue
            if node.flow:
                self._replace(children[index - 1].end, children[index].end, "")
            else:
                self._replace(self._line_start(starts[index]), self._next_line(children[index].end), "")

    def _insert_lines(self, after: int, lines: list[str]) -> None:
        at = self._next_line(after)
        if lines:
            self._replace(at, at, "".join(line + self._newline for line in lines))

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _next_line(self, offset: int) -> int:
        if offset > 0 and self._text[offset - 1] == "\n":
            return offset
        found = self._text.find("\n", offset)
        return found + 1 if found >= 0 else len(self._text)

    def _dash(self, child: Node) -> int:
        """Offset of a block item's dash, or -1 where it does not stand first on its line."""
        dash = self._text.rfind("-", 0, child.start)
        if dash < 0 or self._text[dash + 1 : child.start].strip() or self._text[self._line_start(dash) : dash].strip():
            return -1
        return dash


def _new_value(child: Node, key: str, minimal: Mapping[str, Any], full: Mapping[str, Any]) -> Any:
    """The new value of an entry that the old text has; absent where the entry must go."""
    if key in minimal:
        return minimal[key]
    if key in full:
        # A field at its default, spelled out wholly or in part.
        default = {} if isinstance(full[key], Mapping) else full[key]
        if _equal(child, default, full[key]):
            return default
    return _ABSENT


def _equal(node: Node, minimal: Any, full: Any) -> bool:
    """True where the old text already says the new value."""
    if isinstance(node.data, dict) and isinstance(minimal, Mapping):
        if any(key not in node.entries for key in minimal):
            return False
        for key, child in node.entries.items():
            value = _new_value(child, key, minimal, full)
            if value is _ABSENT or not _equal(child, value, full[key]):
                return False
        return True
    if isinstance(node.data, list) and isinstance(minimal, (list, tuple)):
        return len(node.items) == len(minimal) and all(map(_equal, node.items, minimal, full))
    return _equal_scalar(node.data, minimal)


def _equal_scalar(old: Any, new: Any) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return old == new or math.isclose(old, new, rel_tol=_SAME)
    return type(old) is type(new) and bool(old == new)


def _result(node: Node, minimal: Any, full: Any) -> Any:
    """The new value in the old text's order, spelled-out defaults included."""
    if isinstance(node.data, dict) and isinstance(minimal, Mapping):
        known = {}
        for key, child in node.entries.items():
            value = _new_value(child, key, minimal, full)
            if value is not _ABSENT:
                known[key] = _result(child, value, full[key])
        return known | {key: value for key, value in minimal.items() if key not in known}
    return minimal

"""Plain data as YAML text: block style for the frame, one line in flow style for what fits on one.

Written by hand because the layout is the point: a keyframe's joints stay together on a few lines, names such as ``off``
stay unquoted (YAML 1.2), and whole numbers carry no decimal point.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from andante.documents.yaml_tree import plain_scalar

WIDTH = 110
"""Widest line that is written in flow style [characters]."""

_PLAIN = re.compile(r"[A-Za-z_][\w./+()-]*( [\w./+()-]+)*\Z", re.ASCII)
_FLOW_DEPTH = 2
_WRAP_FROM = 7
_LARGEST_WHOLE = 1e15
_LONGEST_KEY = 1000
"""A key of more characters needs a question mark before it (YAML 1.2, 7.4.2: 1024 at most without)."""


class ExactFloat(float):
    """A finite float that is written as one: 1.0, not 1."""


def block_text(value: Mapping[str, Any], indent: int = 0) -> str:
    """A block mapping as text, one key after another."""
    return "".join(f"{line}\n" for line in _block_lines(value, indent))


def scalar_text(value: Any) -> str:
    """A scalar as YAML writes it."""
    if value is None or isinstance(value, int):
        return json.dumps(value)
    if isinstance(value, float):
        return repr(value.real) if isinstance(value, ExactFloat) else _float_text(value)
    text = str(value)
    if _PLAIN.match(text) and isinstance(plain_scalar(text), str):
        return text
    return '"' + "".join(_escaped(character) for character in text) + '"'


def flow_text(value: Any) -> str:
    """Any value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow_key(key)} {flow_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow_text(item) for item in value) + "]"
    return scalar_text(value)


def entry_lines(key: str, value: Any, indent: int) -> list[str]:
    """One ``key: value`` of a block mapping whose keys stand at ``indent``."""
    text = scalar_text(key)
    if len(text) > _LONGEST_KEY:
        return [" " * indent + "? " + text, *_entry_lines(" " * indent + ":", value, indent)]
    return _entry_lines(" " * indent + text + ":", value, indent)


def _entry_lines(start: str, value: Any, indent: int) -> list[str]:
    """The value of a block mapping's entry, behind the start of its line."""
    one_line = _one_line(value, len(start) + 1)
    if one_line is not None:
        return [f"{start} {one_line}"]
    # Long mappings of numbers and names are easier to survey in a few lines than in a column.
    if isinstance(value, Mapping) and len(value) >= _WRAP_FROM and _depth(value) == 1:
        return _wrapped(start, value, indent + 2)
    return [start, *_block_lines(value, indent + 2)]


def item_lines(value: Any, indent: int) -> list[str]:
    """One item of a block sequence whose dashes stand at ``indent``."""
    start = " " * indent + "- "
    one_line = _one_line(value, len(start))
    if one_line is not None:
        return [start + one_line]
    lines = _block_lines(value, indent + 2)
    return [start + lines[0][indent + 2 :], *lines[1:]]


def _block_lines(value: Any, indent: int) -> list[str]:
    """A block mapping whose keys stand at ``indent``, or a block sequence whose dashes do."""
    if isinstance(value, Mapping):
        return [line for key, item in value.items() for line in entry_lines(key, item, indent)]
    return [line for item in value for line in item_lines(item, indent)]


def _one_line(value: Any, column: int) -> str | None:
    """The value in flow style where it is a scalar, empty, or small and flat enough for the rest of the line."""
    if not isinstance(value, (Mapping, list, tuple)):
        return scalar_text(value)
    if not value:
        return flow_text(value)
    if _depth(value) > _FLOW_DEPTH or len(value) > WIDTH:
        return None
    text = flow_text(value)
    return text if column + len(text) <= WIDTH else None


def _depth(value: Any) -> int:
    if isinstance(value, Mapping):
        return 1 + max((_depth(item) for item in value.values()), default=0)
    if isinstance(value, (list, tuple)):
        return 1 + max((_depth(item) for item in value), default=0)
    return 0


def _flow_key(key: str) -> str:
    text = scalar_text(key)
    return f"? {text} :" if len(text) > _LONGEST_KEY else f"{text}:"


def _wrapped(start: str, value: Mapping[str, Any], indent: int) -> list[str]:
    lines, line = [f"{start} {{"], " " * indent
    for number, (key, item) in enumerate(value.items()):
        entry = f"{_flow_key(key)} {flow_text(item)}" + ("," if number < len(value) - 1 else "")
        if line.strip() and len(line) + len(entry) + 1 > WIDTH:
            lines.append(line)
            line = " " * indent
        line += entry if not line.strip() else f" {entry}"
    return [*lines, line, " " * (indent - 2) + "}"]


def _float_text(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    if value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return str(int(value))
    return repr(value)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character == "\n":
        return "\\n"
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

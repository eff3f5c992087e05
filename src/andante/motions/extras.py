"""Extras: what files of one format say and a motion document has no field for, kept to write such a file again.

Every part with a note has extras: plain data under the name of the format that they belong to; nothing else looks at
them, but that checks ask whether a motion was read from a `TABLE`. A file of another format that has room for text (a
comment, a title) carries them as lines ``kind {json}`` behind the note. Documents written before extras were have the
same lines in their notes; reading takes them out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, JsonValue
from pydantic_core import PydanticCustomError

Kind = Literal[
    "at-once",
    "bitbots",
    "choregraphe-python",
    "ekmoves",
    "hulks-json",
    "hulks-motion2",
    "mtn",
    "mujoco",
    "naodevils",
    "nubots",
    "oda",
    "pose",
    "retargeted",
    "robotis",
    "runswift",
    "table",
    "tekkotsu",
    "webots",
    "xar",
]
"""Whose the extras are: a format's, a trajectory table's (CSV, NPZ), or a keyframe's that took no time (at-once)."""
TABLE: Kind = "table"
"""Extras of motions that were read from the rows of a table or recording."""
KINDS: tuple[Kind, ...] = get_args(Kind)
"""All kinds."""
MAX_EXTRAS = 16_000_000
"""Most characters of a part's extras of one kind, as JSON; also the longest line that is taken for extras."""

_LINE = re.compile(rf"({'|'.join(KINDS)}) (\{{.*)")


def _bounded(extras: dict[Kind, dict[str, JsonValue]]) -> dict[Kind, dict[str, JsonValue]]:
    for kind, data in extras.items():
        try:
            size = len(_json(data))
        except ValueError:
            raise PydanticCustomError("finite", "extras of '{kind}' need finite numbers", {"kind": kind}) from None
        if size > MAX_EXTRAS:
            text = "extras of '{kind}' have {size} characters as JSON, more than {most}"
            raise PydanticCustomError("too_large", text, {"kind": kind, "size": size, "most": MAX_EXTRAS})
    return extras


Extras = Annotated[dict[Kind, dict[str, JsonValue]], AfterValidator(_bounded)]
"""Plain data by the format that they belong to."""


def with_lines(note: str, extras: Mapping[Kind, Mapping[str, Any]]) -> str:
    """Return a note with a line for each kind of extras behind it."""
    return "\n".join([*([note] if note else []), *(f"{kind} {_json(data)}" for kind, data in extras.items())])


def without_lines(text: str, held: Container[Kind] = ()) -> tuple[str, dict[Kind, dict[str, Any]]]:
    """Return the note and the extras of a text made by `with_lines`; lines of the kinds ``held`` stay in the note.

    People may have written around the lines. One that somebody has broken, and a second of its kind, stay in the note.
    """
    if "{" not in text:
        return text, {}
    rest: list[str] = []
    extras: dict[Kind, dict[str, Any]] = {}
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        kind: Any = match[1] if match and match[1] not in extras and match[1] not in held else None
        data = _data(match[2]) if match and kind else None
        if data is None:
            rest.append(line)
        else:
            extras[kind] = data
    return "\n".join(rest), extras


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _data(text: str) -> dict[str, Any] | None:
    if len(text) > MAX_EXTRAS:
        return None
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _refuse(constant: str) -> float:
    raise ValueError(constant)

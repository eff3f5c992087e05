"""How tables of angles begin, as programs write them: comments, a column that counts rows, times, joints.

pandas writes its index in front of the times (``,time,HeadYaw``), numpy's savetxt its header behind ``#`` and, unless
it is told otherwise, spaces between all cells.
"""

from __future__ import annotations

import datetime
import re
from contextlib import suppress
from dataclasses import dataclass

TIME = r"_{0,2}(?:t|time|time_?stamp|stamp)(?:_(s|sec|ms|msec|us|usec|ns|nsec))?"
"""What a column of times is called; its unit may stand behind its name."""
COUNT = r"(?:unnamed: ?\d{1,9}|index|idx|frame|seq|step|row)?"
"""What a column in front of the times is called that counts rows; pandas' own has no name, or that of none."""
_TITLE = re.compile(
    rf"(?:\"?{COUNT}\"?[ ]*[,;\t][ ]*)?\"?{TIME}\"?\s*(?:[\[(][^\[\]()\r\n]{{1,20}}[\])])?\"?\s*[,;\t]", re.IGNORECASE
)
_BEFORE = re.compile(r"(?:#[^\n]*|[^\S\n]*)\n|#[^\n]*\Z")
"""A line before the header: a comment or a blank one."""
_LONGEST = 200_000
"""So many characters of a line are looked at."""


@dataclass(frozen=True)
class TableText:
    """A table's text from its header on, with what stands before."""

    text: str
    """Header and rows."""
    comments: tuple[str, ...]
    """Comments before the header."""
    skipped: int
    """Lines before the header."""
    separator: str
    """What parts cells."""


def is_table(head: str) -> bool:
    """Whether the beginning of a text is that of a table of angles over time."""
    found = table_text(head)
    first, second = _two_lines(found.text)
    return _TITLE.match(first) is not None or _is_spaced(first, second)


def table_text(text: str) -> TableText:
    """A table's text without what stands before its header, which may stand behind a ``#``."""
    comments: list[str] = []
    skipped, at = 0, 0
    while (head := _BEFORE.match(text, at)) is not None:
        at = head.end()
        skipped += 1
        if head[0].startswith("#"):
            comments.append(head[0])
    text = text[at:]
    first, _ = _two_lines(text)
    title = comments[-1].lstrip("#").strip() if comments else ""
    if title and _are_numbers(first) and (_TITLE.match(title) or _is_spaced(title, first)):
        comments.pop()
        text, skipped = f"{title}\n{text}", skipped - 1
    first, second = _two_lines(text)
    if _TITLE.match(first) is None and _is_spaced(first, second):
        return TableText("\n".join(" ".join(line.split()) for line in text.split("\n")), tuple(comments), skipped, " ")
    return TableText(text, tuple(comments), skipped, max(",;\t", key=text.partition("\n")[0].count))


def seconds_of_date(word: str) -> float | None:
    """Seconds of a date with a time of day, as ``2026-03-01T12:00:00.5``, in UTC where it says nothing; None: it is
    none."""
    if "-" not in word[1:] or ":" not in word:
        return None
    with suppress(ValueError, OverflowError):
        date = datetime.datetime.fromisoformat(word)
        return (date if date.tzinfo else date.replace(tzinfo=datetime.UTC)).timestamp()
    return None


def _two_lines(text: str) -> tuple[str, str]:
    """The first line, and the next one that is not blank."""
    first, _, rest = text.partition("\n")
    second = next((line for line in rest[:_LONGEST].split("\n", 20) if line.strip()), "")
    return first[:_LONGEST], second


def _is_spaced(first: str, second: str) -> bool:
    """Whether spaces alone part the cells of a header, and numbers stand below it."""
    words = first.split()
    if len(words) < 2 or re.search("[,;\t]", first) or re.fullmatch(TIME, words[0], re.IGNORECASE) is None:
        return False
    return len(second.split()) == len(words) and _are_numbers(second)


def _are_numbers(line: str) -> bool:
    words = re.split(r"[,;\s]+", line.strip())
    try:
        return bool([float(word) for word in words if word])
    except ValueError:
        return False

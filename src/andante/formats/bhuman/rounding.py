"""What numbers and notes become in a configuration file, telling what is rounded away."""

from __future__ import annotations

import re

from andante.formats.report import Losses

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


def whole(in_file: float, unit: str, inside: str, losses: Losses) -> None:
    """Put down that a number is rounded, where it is no whole number of file units."""
    if abs(in_file - round(in_file)) > 1e-9 * max(1.0, abs(in_file)):
        losses.once(inside, f"{in_file:g} {unit} is written as {round(in_file)} {unit}")


def milliseconds(value: float, inside: str, losses: Losses) -> float:
    """Return a time as the file can hold it: whole milliseconds, not below zero [s]."""
    whole(value * 1000.0, "ms", inside, losses)
    if value < 0.0:
        losses.once(inside, f"{value * 1000.0:g} ms is written as 0 ms")
    return max(value, 0.0)


def comment(note: str, inside: str, losses: Losses) -> str:
    """Return a note as a comment can hold it."""
    lines = [_CONTROL.sub("", line).strip(" \t") for line in note.split("\n")]
    held = "\n".join(lines).strip("\n")
    if held != note:
        losses.once(inside, "blanks and empty lines around the note's text are not kept")
    return held

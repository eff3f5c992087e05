"""What a library says and a configuration file cannot: collected while the library is written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass
class Losses:
    """Sentences in the order met, each once."""

    texts: list[str] = field(default_factory=list)
    """The sentences, without a full stop."""

    def add(self, inside: str, text: str) -> None:
        """Put down a loss at a place of the library."""
        sentence = f"{inside}: {text}" if inside else text
        if sentence not in self._seen:
            self._seen.add(sentence)
            self.texts.append(sentence)

    def __post_init__(self) -> None:
        self._seen: set[str] = set()

    def whole(self, in_file: float, unit: str, inside: str) -> None:
        """Put down that a number is rounded, where it is no whole number of file units."""
        if abs(in_file - round(in_file)) > 1e-9 * max(1.0, abs(in_file)):
            self.add(inside, f"{in_file:g} {unit} is written as {round(in_file)} {unit}")

    def milliseconds(self, value: float, inside: str) -> float:
        """Return a time as the file can hold it: whole milliseconds, not below zero."""
        self.whole(value * 1000.0, "ms", inside)
        if value < 0.0:
            self.add(inside, f"{value * 1000.0:g} ms is written as 0 ms")
        return max(value, 0.0)

    def note(self, note: str, inside: str) -> str:
        """Return a note as a comment can hold it."""
        lines = [_CONTROL.sub("", line).strip(" \t") for line in note.split("\n")]
        held = "\n".join(lines).strip("\n")
        if held != note:
            self.add(inside, "blanks and empty lines around the note's text are not kept")
        return held

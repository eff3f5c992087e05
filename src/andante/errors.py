"""The one base class of everything Andante raises on purpose, and how its messages are built.

A message says what is wrong, where, the value met, what would be legal and the nearest legal name, so that a user can
mend the input without reading code. Every room adds its own named subclasses beside the code that raises them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

_LEGAL_SHOWN = 40
_LONGEST_NAME = 200
_MOST_COMPARED = 3000
LONGEST_MESSAGE = 1980
"""Most characters of a message, which has less than 2,000 with the name of a command before it; of a longer one its
beginning and its end are kept."""


class AndanteError(Exception):
    """Base of all errors that Andante raises for bad input or an impossible request.

    Args:
        what: One sentence without a full stop.
        place: File, line, field or entry that the sentence speaks of.
        value: The offending value; shown as Python writes it, shortened.
        limit: What the value had to obey, as text.
        legal: The legal names; the nearest to ``value`` is offered.
        remedy: What to do about it.
        meant: The legal name that was probably meant, where that is known; empty: the nearest of ``legal``.
    """

    def __init__(
        self,
        what: str,
        *,
        place: str = "",
        value: object = None,
        limit: str = "",
        legal: Iterable[str] = (),
        remedy: str = "",
        meant: str = "",
    ) -> None:
        # Programs that pass errors between processes make one anew of the one that they caught, as gymnasium's vectors.
        self.what = str(what)
        self.place = place
        self.value = value
        self.limit = limit
        self.legal = tuple(legal)
        self.remedy = remedy
        self.meant = meant
        super().__init__(middle_out(self._message(), LONGEST_MESSAGE))

    def _message(self) -> str:
        parts = [f"{middle_out(self.place)}: {self.what}" if self.place else self.what]
        if self.value is not None:
            parts.append(f"got {shorten(repr(self.value))}")
        if self.limit:
            parts.append(f"limit: {self.limit}")
        nearest = self.meant or (nearest_name(str(self.value), self.legal) if self.value is not None else None)
        if nearest:
            parts.append(f"did you mean {middle_out(nearest)!r}?")
        if self.legal:
            shown = ", ".join(middle_out(name, 80) for name in self.legal[:_LEGAL_SHOWN])
            more = f", and {len(self.legal) - _LEGAL_SHOWN} more" if len(self.legal) > _LEGAL_SHOWN else ""
            parts.append(f"legal: {shown}{more}")
        if self.remedy:
            parts.append(self.remedy)
        return "; ".join(parts)


class ProcessTerminated(SystemExit):
    """The process was asked to end by a signal, and ends by itself with 128 and the signal's number."""


def install(extra: str) -> str:
    """What to do where a package is missing that an extra of Andante has."""
    return f"pip install 'andante[{extra}]'"


def nearest_name(name: str, legal: Iterable[str]) -> str | None:
    """Return the legal name nearest to ``name`` (case ignored), or None where none is near.

    Nobody mistypes a name of hundreds of characters, and nobody looks through thousands: comparing takes the product.
    """
    if len(name) > _LONGEST_NAME:
        return None
    short = (candidate for candidate in islice(legal, _MOST_COMPARED) if len(candidate) <= _LONGEST_NAME)
    by_fold = {candidate.casefold(): candidate for candidate in short}
    found = difflib.get_close_matches(name.casefold(), list(by_fold), n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def middle_out(text: str, width: int = 300) -> str:
    """Return ``text`` with its middle left out where it has more than ``width`` characters: a path's end tells most."""
    half = (width - 3) // 2
    return text if len(text) <= width else f"{text[:half]}...{text[-half:]}"


def shorten(text: str, width: int = 120) -> str:
    """Return ``text`` on one line of at most ``width`` characters."""
    line = " ".join(text[: 10 * width].split())
    return line if len(line) <= width else line[: width - 3] + "..."

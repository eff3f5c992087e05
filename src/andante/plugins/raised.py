"""What code that others wrote raised, in a line that names the file to look into."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

from andante.errors import AndanteError, ProcessTerminated, shorten

_HERE = Path(__file__).parents[1]
_INSTALLED = ("site-packages", "dist-packages", "<frozen", sysconfig.get_path("stdlib"))

ASKED_TO_END = (KeyboardInterrupt, ProcessTerminated)
"""What asks this program to end, by Ctrl-C or a signal: nobody's failure, whosever code runs at that moment."""


def described(error: BaseException, whose: str = "") -> str:
    """An exception in a line: what Andante raises speaks for itself, of others kind and place are told.

    Args:
        error: What was raised.
        whose: Module of the code that ran. The place is the last line of it, or of files that are not installed, on the
            way; where there is none, the last line of it in a library. Andante's own lines tell nobody what to mend.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_others(frame.filename, whose.partition(".")[0])]
    theirs = [frame for frame in frames if _HERE not in Path(frame.filename).parents and frame.filename[:1] != "<"]
    at = own[-1] if own else theirs[-1] if theirs and not isinstance(error, AndanteError) else None
    place = f" ({Path(at.filename).name}:{at.lineno})" if at is not None else ""
    text = text_of(error, 1500)
    if isinstance(error, AndanteError):
        return f"{text}{place}"
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


def text_of(error: BaseException, most: int) -> str:
    """The text of an exception, shortened to so many characters: a class of others may fail at that, too."""
    try:
        return shorten(str(error), most)
    except Exception as second:  # noqa: BLE001 - its own `__str__` raises what it likes
        return f"its text cannot be had: {type(second).__name__}"


def _is_others(file: str, package: str) -> bool:
    """Whether a file is not Andante's, and is installed by this package or by none."""
    parts = Path(file).parts
    if _HERE in Path(file).parents:
        return False
    return not any(each in file for each in _INSTALLED) or package in parts or f"{package}.py" in parts

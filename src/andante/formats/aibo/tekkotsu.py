"""What Tekkotsu's two text formats share: output names, numbers, models.

Facts: reference ``aibo.md``, section 2.6. Names are padded with ``~`` to a fixed width; a name without L or R in front
stands for both sides.
"""

from __future__ import annotations

import math
import re

from andante.formats.aibo.names import BY_NAME, BY_TEKKOTSU
from andante.formats.errors import FormatError

MODEL = "ERS-7"
"""Tekkotsu's name of the robot."""
MAX_NAME = 64
"""Longest output name that is read."""

_PLAIN_PATTERN = re.compile(r"[A-Za-z0-9.|*?+^$\[\]-]{1,40}")


def outputs(name: str) -> tuple[str, ...]:
    """Outputs that a name stands for, without padding: itself, or both sides; () where the ERS-7 has none such."""
    bare = name.rstrip("~")
    if bare in BY_TEKKOTSU:
        return (bare,)
    both = (f"L{bare}", f"R{bare}")
    return both if all(side in BY_TEKKOTSU for side in both) else ()


def joint_for(output: str) -> str | None:
    """The robot pack's joint of an output without padding; None for lights and unknown ones."""
    joint = BY_TEKKOTSU.get(output)
    return joint.name if joint is not None else None


def output_for(joint: str) -> str:
    """Padded output name of one of the robot pack's joints.

    Raises:
        FormatError: The robot has no such joint.
    """
    known = BY_NAME.get(joint)
    if known is None:
        raise FormatError("the robot has no such joint", value=joint, legal=BY_NAME)
    return known.tekkotsu


def number(word: str, what: str, file: str, line: int, inside: str) -> float:
    """A word as a finite number.

    Raises:
        FormatError: It is none.
    """
    try:
        value = float(word) if "_" not in word else math.nan
    except ValueError:
        value = None
    if value is None or not math.isfinite(value):
        fault = "is no number" if value is None else "is not finite"
        raise FormatError(f"the {what} {fault}", file=file, line=line, inside=inside, value=word)
    return value


def fits_model(pattern: str, file: str, line: int) -> bool:
    """Whether a pattern of ``specialize`` fits the ERS-7.

    Raises:
        FormatError: It is broken, or uses more than single characters, sets, alternatives and repetitions.
    """
    if _PLAIN_PATTERN.fullmatch(pattern) is None:
        raise FormatError(
            "the pattern of 'specialize' is not supported",
            file=file,
            line=line,
            value=pattern,
            limit="letters, digits and . | * ? + ^ $ [ ] -, at most 40",
        )
    try:
        return re.search(pattern, MODEL) is not None
    except re.error as error:
        raise FormatError(
            f"the pattern of 'specialize' is broken: {error}", file=file, line=line, value=pattern
        ) from error


def shown(value: float) -> str:
    """A number as it is written: the shortest text that gives the same number again."""
    return (
        repr(int(value)) if value == int(value) and abs(value) < 1e15 and math.copysign(1.0, value) > 0 else repr(value)
    )

"""Numbers in files: degrees and milliseconds there and back without losing a bit that was read."""

from __future__ import annotations

import math

from andante.formats.report import FormatError

LARGEST = 1e9
"""Largest magnitude of a number that is read: far beyond any motion, and safe to convert between units."""
LONGEST = 86_400.0
"""Longest duration that is read [s]."""
AT_ONCE = 0.001
"""Duration that stands for none, since a keyframe needs one [s]."""

_DEGREE = math.pi / 180.0


def radians(degrees: float) -> float:
    """An angle of a file in degrees [rad]."""
    return degrees * _DEGREE


def degrees(angle: float) -> float:
    """The shortest number of degrees that `radians` turns into ``angle`` again; the nearest where none does."""
    value = angle / _DEGREE
    if not math.isfinite(value):
        raise FormatError("an angle is too large for the file", value=angle)
    for digits in (12, 15, 16, 17):
        short = float(f"{value:.{digits}g}")
        if radians(short) == angle:
            return short
    return value


def seconds(milliseconds: float) -> float:
    """A time of a file in milliseconds [s]; 0.2 for 200, as people write it."""
    return milliseconds / 1000.0


def number_text(value: float) -> str:
    """The shortest decimal text of a number, without the `.0` of a whole one."""
    if not math.isfinite(value):
        raise FormatError("a number is too large for the file", value=value)
    if value == int(value) and abs(value) < 1e15 and not (value == 0.0 and math.copysign(1.0, value) < 0.0):
        return str(int(value))
    return repr(float(value))


def plain(value: float) -> float | int:
    """A number as JSON should show it: a whole one without `.0`."""
    return int(value) if number_text(value).lstrip("-").isdigit() else value

"""Rows of numbers in a long text, read by a kernel, which takes a fifth of the time of Python's words and numbers."""

from __future__ import annotations

import numpy as np

from andante.kernels import entry, inlined
from andante.spatial.arrays import Array, Array1, Codes1, Index1

_TAB, _END, _RETURN, _SPACE, _COMMA, _POINT = 9, 10, 13, 32, 44, 46
_PLUS, _MINUS, _ZERO, _NINE = 43, 45, 48, 57
_A, _E, _N, _LOWER = 97, 101, 110, 32
_DIGITS = (2**53 - 9) // 10
"""Another digit behind a number up to this makes one that is exact as a float."""
_TENS = tuple(float(10**power) for power in range(23))
"""Powers of ten that are exact as floats: the quotient or product of one and an exact number is the nearest float
(Clinger, How to read floating point numbers accurately, 1990)."""
_ENDLESS = 100_000
"""Exponents count up to this."""
_NONE, _READ, _OTHER = range(3)
"""What a word is: no number, one that was read, one that Python has to read."""


def numbers_in(text: bytes, divide: str, width: int) -> Array | None:
    """The numbers of lines that each have ``width`` of them and nothing else; blank lines have none.

    Each is the float that is nearest to what is written, as Python has it; a word ``nan`` is NaN.

    Args:
        text: Whole lines.
        divide: What stands between numbers: a semicolon, a tab, a comma, or a blank for any number of blanks and tabs.
            Where it is no comma, a comma is the decimal mark, as a point is.
        width: How many a line has.

    Returns:
        All numbers in a row, (n * width,); None where some line is not so.
    """
    found = np.empty(len(text) // 2 + 1)
    others = np.empty(3 * len(found), np.int64)
    count, other = _read(np.frombuffer(text, np.uint8), ord(divide), width, found, others)
    if count < 0:
        return None
    if other:
        pointed = text.replace(b",", b".")
        numbers, begins, ends = others[: 3 * other].reshape(-1, 3).T
        found[numbers] = [float(pointed[begin:end]) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return found[:count].copy()


@entry
def _read(text: Codes1, divide: int, width: int, found: Array1, others: Index1) -> tuple[int, int]:
    """Read all lines; returns how many numbers there are, below zero where a line is of another form, and how many of
    them Python has to read: their number, begin and end are in ``others``."""
    at, size, count, other = 0, len(text), 0, 0
    while at < size:
        at = _after_blanks(text, at, divide)
        if at == size or text[at] == _END:
            at += 1
            continue
        for column in range(width):
            end, state, value = _number(text, at, divide != _COMMA)
            if state == _NONE:
                return -1, 0
            if state == _OTHER:
                others[3 * other], others[3 * other + 1], others[3 * other + 2] = count, at, end
                other += 1
            found[count] = value
            count += 1
            at = _after_blanks(text, end, divide)
            marked = divide != _SPACE and at < size and text[at] == divide
            if marked:
                at = _after_blanks(text, at + 1, divide)
            over, last = at == size or text[at] == _END, column == width - 1
            # Behind the last number may stand what divides them, too: many programs end each row with it.
            if over != last or not (last or marked or (divide == _SPACE and at > end)):
                return -1, 0
        at += 1
    return count, other


@inlined
def _number(text: Codes1, at: int, commas: bool) -> tuple[int, int, float]:
    """The number that begins at a place: where it ends, what it is, and its value."""
    size = len(text)
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    if at + 2 < size and text[at] | _LOWER == _N == text[at + 2] | _LOWER and text[at + 1] | _LOWER == _A:
        return at + 3, _READ, np.nan
    digits, scale, some, pointed, exact = 0, 0, False, False, True
    while at < size:
        letter = text[at]
        if _ZERO <= letter <= _NINE:
            some = True
            if digits <= _DIGITS:
                digits = 10 * digits + (int(letter) - _ZERO)
                scale -= 1 if pointed else 0
            else:
                exact = False
        elif not pointed and (letter == _POINT or (letter == _COMMA and commas)):
            pointed = True
        else:
            break
        at += 1
    if some and at < size and text[at] | _LOWER == _E:
        at += 1
        less = at < size and text[at] == _MINUS
        if at < size and (less or text[at] == _PLUS):
            at += 1
        first, power = at, 0
        while at < size and _ZERO <= text[at] <= _NINE:
            power = min(10 * power + (int(text[at]) - _ZERO), _ENDLESS)
            at += 1
        some = at > first
        scale += -power if less else power
    if not some:
        return at, _NONE, 0.0
    if not exact or scale >= len(_TENS) or scale <= -len(_TENS):
        return at, _OTHER, 0.0
    value = digits / _TENS[-scale] if scale < 0 else digits * _TENS[scale]
    return at, _READ, -value if negative else value


@inlined
def _after_blanks(text: Codes1, at: int, divide: int) -> int:
    """Where blanks end; a return before the end of a line is one."""
    size = len(text)
    while at < size and (
        text[at] == _SPACE
        or (text[at] == _TAB and divide != _TAB)
        or (text[at] == _RETURN and at + 1 < size and text[at + 1] == _END)
    ):
        at += 1
    return at

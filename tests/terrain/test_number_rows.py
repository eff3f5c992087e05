"""Rows of numbers read by a kernel: the same numbers, and the same refusals, as line by line in Python."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andante.terrain.files import row_reader
from andante.terrain.files.number_rows import numbers_in
from andante.terrain.files.row_reader import RowReader
from andante.terrain.height_map import TerrainError

WRITTEN = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.6f}"),
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.18e}"),
    st.from_regex(r"[+-]?[0-9]{1,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r"[+-]?\.[0-9]{1,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["nan", "-NaN", "0", "-0", "9007199254740993", "9007199254740992", "1e22", "1e23", "1e-22"]),
).filter(lambda word: "inf" not in word)


def bits(values: np.ndarray) -> list[bytes]:
    return [b"nan" if math.isnan(value) else struct.pack("d", value) for value in values.tolist()]


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(WRITTEN, min_size=1, max_size=12), st.sampled_from([";", "\t", ",", " "]), st.integers(1, 3))
@example(["179769313486231580793e289", "2.2250738585072011e-308", "0.1", "123456789012345678"], " ", 2)
@example(["1e99999999999999999999", "0e999999", "1e-99999"], ";", 3)
def test_every_number_is_the_one_that_python_reads(words: list[str], divide: str, width: int) -> None:
    words = words * width
    lines = [divide.join(words[k : k + width]) for k in range(0, len(words), width)]
    found = numbers_in("\n".join(lines).encode(), divide, width)
    assert found is not None
    assert bits(found) == bits(np.array([float(word) for word in words]))


@pytest.mark.parametrize(
    ("text", "divide", "width", "expected"),
    [
        ("1,2\r\n3,4", ",", 2, [1, 2, 3, 4]),
        ("\n 1 ;  2 \n\n\t3;4;\n", ";", 2, [1, 2, 3, 4]),
        ("1,5;-2,25e1\n", ";", 2, [1.5, -22.5]),
        (" 1 \t 2\n3 4 ", " ", 2, [1, 2, 3, 4]),
        ("1\t2\n", "\t", 2, [1, 2]),
        ("", " ", 3, []),
        ("7", " ", 1, [7]),
        ("1,2,3\n4,5\n", ",", 3, None),
        ("1,2,3,4\n", ",", 3, None),
        ("1,,3\n", ",", 3, None),
        ("1,2,3,,\n", ",", 3, None),
        ("1 2 x\n", " ", 3, None),
        ("# 1 2\n", " ", 2, None),
        ("1 2e\n", " ", 2, None),
        ("1 2e+\n", " ", 2, None),
        ("1 .\n", " ", 2, None),
        ("1 -\n", " ", 2, None),
        ("1 1.2.3\n", " ", 2, None),
        ("1;1,2.3\n", ";", 2, None),
        ("1 2\r3 4\n", " ", 2, None),
        ("1 na\n", " ", 2, None),
        ("1-2\n", " ", 2, None),
        ("0x1 2\n", " ", 2, None),
        ("1_0 2\n", " ", 2, None),
    ],
)
def test_lines_of_another_form_are_not_read(text: str, divide: str, width: int, expected: list[float] | None) -> None:
    found = numbers_in(text.encode(), divide, width)
    assert (None if found is None else found.tolist()) == expected


def read(text: bytes, long: int, beginning: int) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_reader, "_LONG", long)
        patch.setattr(row_reader, "_BEGINNING", beginning)
        reader = RowReader("a.csv", points=False)
        try:
            reader.take(1, text)
            rows = reader.end()
        except TerrainError as error:
            return str(error)
        return rows.shape, bits(rows.ravel()), reader.names, reader.above


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.lists(
        st.lists(st.sampled_from(["1", "-2.5", "3e2", "nan", "", "x", "1,5", " 4 ", "."]), min_size=1, max_size=4),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([";", "\t", ",", " "]),
    st.sampled_from(["\n", "\r\n", "\n\n", ";\n", "\r"]),
)
def test_a_text_is_the_same_by_the_kernel_and_line_by_line(rows: list[list[str]], divide: str, end: str) -> None:
    text = "".join(divide.join(row) + end for row in rows).encode()
    line_by_line = read(text, 10**9, 10**9)
    assert read(text, 0, 0) == line_by_line
    assert read(text, 10**9, 0) == line_by_line

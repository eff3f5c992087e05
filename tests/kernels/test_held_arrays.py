"""Arrays by their addresses: the same memory for compiled kernels and for Python, kept while anybody has the table."""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest

from andante.kernels import lazy_entry
from andante.kernels.errors import KernelError
from andante.kernels.held import HeldArrays, Table, counts1, flags1, flags2, floats1, floats2, index1, index2
from andante.spatial.arrays import Array1


@lazy_entry
def _told(table: Table, out: Array1) -> float:
    row, rows, places, pairs = floats1(table, 0), floats2(table, 1), index1(table, 2), index2(table, 3)
    counts, flags, allowed = counts1(table, 4), flags1(table, 5), flags2(table, 6)
    total = 0.0
    for k in range(len(places)):
        total += row[places[k]] * rows[pairs[k, 0], pairs[k, 1]] * (counts[k] if flags[k] and allowed[1, k] else -1)
    row[0] = 7.0
    out[0], out[1], out[2] = rows.shape[0], rows.shape[1], len(row)
    return total


def held() -> HeldArrays:
    rng = np.random.default_rng(0)
    return HeldArrays(
        rng.normal(size=5),
        rng.normal(size=(3, 4)),
        np.array([4, 0, 2]),
        np.array([[0, 1], [2, 3], [1, 1]]),
        np.array([3, 5, 7], np.int32),
        np.array([True, False, True]),
        np.array([[False, True, True], [False, True, True]]),
    )


@pytest.mark.slow
def test_compiled_kernels_and_python_see_the_arrays_themselves():
    arrays, out = held(), np.zeros(3)
    row, rows, places, pairs, counts, flags, allowed = arrays.arrays
    expected = sum(row[places] * rows[tuple(pairs.T)] * np.where(flags & allowed[1], counts, -1))
    for told in (_told.py_func, _told.entry):
        row[0] = arrays.arrays[0][0] if told is _told.py_func else held().arrays[0][0]
        assert told(arrays.table, out) == pytest.approx(expected, rel=1e-15)
        assert row[0] == 7.0
        assert out.tolist() == [3.0, 4.0, 5.0]


def test_the_table_alone_keeps_the_memory():
    arrays = held()
    watched = weakref.ref(arrays.arrays[0])
    table, before = arrays.table, arrays.arrays[1].copy()
    del arrays
    gc.collect()
    assert watched() is not None
    assert np.array_equal(floats2(table, 1), before)
    del table
    gc.collect()
    assert watched() is None


def test_a_copy_has_memory_of_its_own():
    arrays = held()
    other = copy.deepcopy(arrays)
    floats1(other.table, 0)[1] = 100.0
    assert other.arrays[0][1] == 100.0
    assert arrays.arrays[0][1] != 100.0


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((4, 4))[:, 1], np.zeros((2, 2, 2)), np.zeros(3, np.float32), np.array(1.0), np.zeros((4, 6)).T],
    ids=["strided", "three dimensions", "other numbers", "no dimension", "turned"],
)
def test_other_arrays_are_refused(wrong):
    with pytest.raises(KernelError, match=r"array 1: such an array cannot be handed over by its address"):
        HeldArrays(np.zeros(2), wrong)


def test_nobody_changes_an_address():
    with pytest.raises(ValueError, match="read-only"):
        held().table[0] = 0

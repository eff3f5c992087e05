"""Kernels that begin as Python give the same numbers on views of memory as their machine code does on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from andante.backends.servo_kernels import bound_torques, count_part, mesh_and_bound
from andante.control.agreement_kernels import add_block
from andante.control.echo_watch import find_echo
from andante.control.keyframes.blocked_kernels import stood_still
from andante.control.keyframes.capture_kernels import over_soles
from andante.control.keyframes.output_kernels import limit_output
from andante.kernels.errors import KernelError
from andante.kernels.held import HeldArrays, floats2
from andante.kernels.lazy import LazyEntry
from andante.search.observers.rise_kernels import point_supported, see_rise

Rng = np.random.Generator


def numbers(rng: Rng, *shape: int) -> np.ndarray:
    """Numbers of many sizes, zeros among them."""
    return rng.normal(0.0, 1.0, shape) * rng.choice((0.0, 1e-9, 1e-3, 1.0, 1.0, 1.0, 50.0), shape)


def block(rng: Rng) -> list[Any]:
    """A block of readings of 12 joints, some rows of it a copy of the one before."""
    rows, nj = numbers(rng, 1 + 3 * int(rng.integers(1, 6)), 35), 12
    rows[:, 0] = 0.01 * np.arange(len(rows)) * rng.choice((0.0, 1.0, 1.0, 1.0))
    if rng.random() < 0.3:
        rows[1:, 1:] = rows[0, 1:]
    places = np.array([1, 13, 25, 29, 32])
    sums = [np.abs(numbers(rng, count, 8)) * rng.choice((0.0, 20.0)) for count in (nj, 3)]
    room = numbers(rng, 4, 15)
    return [rows, places, 3, 0.05, 0.5, *sums, np.zeros(4), np.zeros(nj + 3, dtype=np.int64), room]


def echo(rng: Rng) -> list[Any]:
    rows = numbers(rng, 11, 6)
    rows[6:] = rows[1:6]
    room = np.zeros((2, 16), dtype=np.int64)
    odd = rng.integers(0, 2**62, 6) * 2 + 1
    columns = np.array([[0, 4], [4, 6]])
    sums, found = np.zeros((2, 16)), np.zeros((2, 2), dtype=np.int64)
    return [rows, rows.view(np.int64), columns, odd, numbers(rng, 6), room, sums, 0, 4, found]


def soles(rng: Rng) -> list[Any]:
    shapes = ((3,), (3, 3), (3,), (3, 3), (3,), (3, 3), (3,), (6,), (6,), (4, 3), (4, 3), (3,), (3,), (3, 3), (3,))
    return [0.1 * rng.normal(0.0, 1.0, shape) for shape in shapes[:-1]] + [numbers(rng, 3)]


def output(rng: Rng) -> list[Any]:
    nj = 9
    bounds = np.stack(
        [-np.ones(nj), np.ones(nj), -0.9 * np.ones(nj), 0.9 * np.ones(nj), *rng.uniform(1e-3, 0.1, (2, nj))]
    )
    state = numbers(rng, 5, nj)
    state[3] = rng.choice((0.0, 1.0), nj)
    stiffness = rng.choice((0.0, 0.5, 1.0), nj)
    wanted = np.where(rng.random(nj) < 0.1, np.nan, numbers(rng, nj))
    return [bounds, state, np.array([3]), np.array([1]), wanted, stiffness, numbers(rng, nj), np.zeros(nj)]


def still(rng: Rng) -> list[Any]:
    place = np.where(rng.random(4) < 0.3, np.nan, 0.02 * rng.normal(size=4))
    joints = np.array([0, 2, 3, 5])
    return [0.02 * rng.normal(size=6), rng.normal(size=6), rng.random(6), joints, 0.012, place, rng.random(4)]


def rise(rng: Rng) -> list[Any]:
    feet, dofs = np.array([0, 1]), np.arange(6, 18)
    heads = [numbers(rng, 12), rng.random(12), numbers(rng, 18), dofs, rng.random(12), numbers(rng, 3)]
    return [
        *heads,
        numbers(rng, 9),
        numbers(rng, 3),
        numbers(rng, 4, 3),
        numbers(rng, 4, 9),
        feet,
        rng.random(2),
        np.zeros(11),
    ]


def supported(rng: Rng) -> list[Any]:
    sites = np.repeat(np.array([0, 1]), 4)
    heads = [
        numbers(rng, 3),
        numbers(rng, 3),
        numbers(rng, 2, 3),
        numbers(rng, 2, 9),
        sites,
        0.1 * rng.normal(size=(8, 2)),
    ]
    return [*heads, numbers(rng, 9), numbers(rng, 3), 0.05, 9.81, 0.7]


def bounded(rng: Rng) -> list[Any]:
    return [numbers(rng, 8, 10), numbers(rng, 10), np.zeros((10, 2))]


def meshed(rng: Rng) -> list[Any]:
    off = rng.random(10) < 0.3
    plays = [numbers(rng, 10), numbers(rng, 10), np.abs(numbers(rng, 10)), off]
    return [numbers(rng, 8, 10), numbers(rng, 10), numbers(rng, 10), np.zeros((10, 2)), *plays]


def counted(rng: Rng) -> list[Any]:
    warned = np.zeros(8, dtype=np.int32)
    warned[::2] = rng.random(4) < 0.05
    state = [numbers(rng, 13), numbers(rng, 12), numbers(rng, 11), numbers(rng, 11)]
    return [*state, np.zeros(25), np.zeros(2), warned, 0.002, 1e4]


CASES: list[tuple[Any, Callable[[Rng], list[Any]]]] = [
    (add_block, block), (find_echo, echo), (over_soles, soles), (limit_output, output), (stood_still, still),
    (see_rise, rise), (point_supported, supported), (bound_torques, bounded), (mesh_and_bound, meshed),
    (count_part, counted),
]  # fmt: skip


def answered(call: Callable[..., Any], arguments: list[Any]) -> tuple[str, list[bytes]]:
    """What a kernel returns and what its arrays hold then."""
    given = [item.copy() if isinstance(item, np.ndarray) else item for item in arguments]
    result = call(*given)
    told = [float(item) for item in (result if isinstance(result, tuple) else (result,)) if item is not None]
    return repr(told), [item.tobytes() for item in given if isinstance(item, np.ndarray)]


@pytest.mark.parametrize(("kernel", "drawn"), CASES, ids=[kernel.py_func.__name__ for kernel, _ in CASES])
def test_numbers_are_the_same_to_the_last_bit(kernel: LazyEntry, drawn: Callable[[Rng], list[Any]]) -> None:
    rng = np.random.default_rng(7)
    with np.errstate(all="ignore"):
        for _ in range(60):
            arguments = drawn(rng)
            assert answered(kernel.as_python, arguments) == answered(kernel.entry, arguments)


def test_a_view_of_a_table_gives_views_and_the_table_arrays():
    held = HeldArrays(np.arange(6.0).reshape(2, 3))
    assert floats2(held.table, 0) is held.arrays[0]
    seen = floats2(held.table.data, 0)
    assert type(seen[1, 2]) is float
    seen[1, 2] = 7.0
    assert held.arrays[0][1, 2] == 7.0


def test_a_kernel_is_decorated_once():
    with pytest.raises(KernelError, match="decorated twice"):
        LazyEntry(limit_output)

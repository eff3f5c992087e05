"""Long reports: small, and no peak is lost."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.robots.records import Field, Layout, scalar
from andante.runs.logs.log import ChannelRows
from andante.runs.reports.report import report_channels, thinned


def unpacked(text: str, kind: str) -> np.ndarray:
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    return np.ascontiguousarray(planes.reshape(np.dtype(kind).itemsize, -1).T).view(kind).ravel()


def rows_of(values: np.ndarray, period: float = 0.01) -> ChannelRows:
    layout = Layout("sensors", (scalar("time", "s"), Field("x", tuple(f"x{k}" for k in range(values.shape[1])), "m")))
    moments = np.arange(len(values)) * round(period * 1e9)
    return ChannelRows(layout, moments, np.hstack([moments[:, None] / 1e9, values]))


def test_of_each_span_minimum_and_maximum_stay_in_their_order() -> None:
    rows = np.array([[1.0, 5.0], [3.0, 4.0], [2.0, 0.0], [7.0, 7.0]])
    # First column: 1 before 3, then 2 before 7; second: 5 before 4, then 0 before 7.
    assert thinned(rows, 2).tolist() == [[1, 5], [3, 4], [2, 0], [7, 7]]
    assert thinned(rows, 4).tolist() == [[1, 0], [7, 7]]
    assert thinned(rows, 3).tolist() == [[1, 5], [3, 0], [7, 7], [7, 7]]


def test_what_is_not_known_stays_unknown() -> None:
    rows = np.array([[np.nan, np.nan], [2.0, np.nan], [np.nan, 1.0], [-1.0, np.nan]])
    np.testing.assert_array_equal(thinned(rows, 2), [[2, np.nan], [2, np.nan], [-1, 1], [-1, 1]])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 90), st.integers(2, 12), st.integers(0, 2**31))
def test_extremes_of_every_span_are_kept(count: int, span: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(count, 3))
    made = thinned(rows, span)
    assert made.shape == (2 * -(-count // span), 3)
    for number, begin in enumerate(range(0, count, span)):
        part = rows[begin : begin + span]
        pair = made[2 * number : 2 * number + 2]
        np.testing.assert_array_equal(pair.min(axis=0), part.min(axis=0))
        np.testing.assert_array_equal(pair.max(axis=0), part.max(axis=0))


def test_a_short_run_keeps_every_row() -> None:
    values = np.random.default_rng(1).normal(size=(500, 4))
    (channel,) = report_channels({"sensors": rows_of(values)})
    assert (channel["span"], channel["rows"], channel["columns"]) == (1, 500, ["x.x0", "x.x1", "x.x2", "x.x3"])
    np.testing.assert_array_equal(unpacked(channel["data"], "<f4").reshape(4, 500), values.T.astype("<f4"))
    np.testing.assert_array_equal(unpacked(channel["times"], "<f8"), np.arange(500) * 10_000_000 / 1e9)


def test_a_long_run_stays_below_the_limit_with_all_peaks() -> None:
    """Noise does not pack: it is the worst case."""
    values = np.random.default_rng(2).normal(size=(20_000, 6))
    values[12_345, 3] = 99.0
    channels = report_channels({"sensors": rows_of(values), "truth": rows_of(values[::2], 0.02)}, most=150_000)
    assert sum(len(each["data"]) + len(each["times"]) for each in channels) <= 150_000
    first = channels[0]
    assert first["span"] > 2
    data = unpacked(first["data"], "<f4").reshape(6, first["rows"])
    assert data[3].max() == 99.0
    times = unpacked(first["times"], "<f8")
    assert abs(times[int(data[3].argmax())] - 123.45) <= 0.01 * first["span"]
    assert (np.diff(times) >= 0.0).all()
    assert data.min() == pytest.approx(values.min(), rel=1e-6)


def test_an_empty_channel_is_no_trouble() -> None:
    (channel,) = report_channels({"sensors": rows_of(np.zeros((0, 2)))})
    assert channel["rows"] == 0

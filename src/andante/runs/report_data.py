"""The recorded rows as a report carries them: float32, thinned by minima and maxima where a run is long."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.pictures.pages import packed_array
from andante.runs.log import ChannelRows

MOST_PACKED = 6_000_000
"""Letters that the recorded values of all channels may take in a report."""
MOST_VALUES = 6_000_000
"""Values that a report carries before it is tried how well they pack."""
_LEAST_ROWS = 200
"""A channel is not thinned below this."""


def report_channels(channels: Mapping[str, ChannelRows], most: int = MOST_PACKED) -> list[dict[str, Any]]:
    """Every column of every channel for a page, as deflated float32, all together below ``most`` letters.

    A long run is thinned: of each span of rows the smallest and the largest value of a column are kept, in the order in
    which they came, so that no peak is lost; the log has every row.
    """
    values = sum(rows.rows.size for rows in channels.values())
    share = max(1.0, values / MOST_VALUES)
    while True:
        made = [_channel(name, rows, share) for name, rows in channels.items()]
        size = sum(len(channel["data"]) + len(channel["times"]) for channel in made)
        if size <= most or all(len(rows.rows) <= _LEAST_ROWS for rows in channels.values()):
            return made
        share *= 1.1 * size / most


def thinned(rows: NDArray[np.float64], span: int) -> NDArray[np.float64]:
    """Two rows for each ``span`` rows: per column the smallest and the largest value, the earlier one first.

    Args:
        rows: (n, k).
        span: At least 2; the last span may have fewer rows.

    Returns:
        (2 ceil(n / span), k). NaN only where a whole span is NaN.
    """
    count = len(rows)
    starts = np.arange(0, count, span)
    known = np.where(np.isnan(rows), np.inf, rows)
    low = np.minimum.reduceat(known, starts, axis=0)
    known = np.where(np.isnan(rows), -np.inf, rows)
    high = np.maximum.reduceat(known, starts, axis=0)
    low, high = (np.where(low > high, np.nan, each) for each in (low, high))
    owner = np.repeat(np.arange(len(starts)), np.diff([*starts, count]))
    at = np.arange(count)[:, None]
    first_low = np.minimum.reduceat(np.where(rows == low[owner], at, count), starts, axis=0)
    first_high = np.minimum.reduceat(np.where(rows == high[owner], at, count), starts, axis=0)
    falling = first_high < first_low
    made = np.empty((2 * len(starts), rows.shape[1]))
    made[0::2] = np.where(falling, high, low)
    made[1::2] = np.where(falling, low, high)
    return made


def _channel(name: str, rows: ChannelRows, share: float) -> dict[str, Any]:
    keep = [index for index, column in enumerate(rows.layout.columns) if column != "time"]
    units = [field.unit for field in rows.layout.fields for _ in field.labels]
    times, values = rows.times, rows.rows[:, keep]
    # Two rows stand for each span, so that spans are twice as long as the share that is left out.
    span = min(math.ceil(2.0 * share), max(2, 2 * len(times) // _LEAST_ROWS)) if share > 1.0 else 1
    if span > 2:
        begins = times[::span]
        ends = times[np.minimum(np.arange(0, len(times), span) + span // 2, len(times) - 1)]
        times, values = np.stack([begins, ends], axis=1).ravel(), thinned(values, span)
    else:
        span = 1
    with np.errstate(over="ignore"):
        columns = np.ascontiguousarray(values.T, dtype="<f4")
    return {
        "name": name,
        "columns": [rows.layout.columns[index] for index in keep],
        "units": [units[index] for index in keep],
        "span": span,
        "rows": len(times),
        "times": packed_array(times.astype("<f8")),
        "data": packed_array(columns),
    }

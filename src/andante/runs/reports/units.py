"""Units of metrics as people read them."""

from __future__ import annotations

import re

from andante.runs.evaluation.metrics import own_metrics
from andante.runs.tasks.registry import TASKS

_UNITS = {
    r"(final|max)_tilt|turn|tracking_error|worst_tracking_error|astray": "deg",
    r"duration|done_at|fall_time": "s",
    r"final_height|travel\.[xy]|slip": "m",
    r"energy": "J",
    r"impact\..*": "N",
    r"impulse\..*": "N s",
}
"""Units by the metrics' names; tasks have those of their own."""


def unit_of(name: str) -> str:
    """The unit of a metric as people read it; empty: a pure number or a word."""
    for pattern, unit in _UNITS.items():
        if re.fullmatch(pattern, name):
            return unit
    if name.partition(".")[0] in own_metrics():
        # No task tells it, so that none need be imported.
        return ""
    others = (each for kind in TASKS.kinds.values() for each in kind.units.items())
    return next((unit for pattern, unit in others if re.fullmatch(pattern, name)), "")

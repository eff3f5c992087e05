"""Numbers of a run that stand deeper than those of its task are shown and compared like the others."""

from __future__ import annotations

import json

from andante.runs.logs.log import Log
from andante.runs.logs.record import RunRecord, result_of

METRICS = {
    "fell": False,
    "travel": [1.0, 2.0],
    "wobble": {"late": None, "legs": {"left": {"front": 1.0}, "right": 2}, "rms": [1, 2, 3], "all": [1, 2, 3, 4]},
}


def test_parts_of_parts_are_told_by_their_whole_names(tmp_path):
    """Those below a task's own were left out without a word."""
    path = tmp_path / "metrics.json"
    path.write_text(json.dumps({"verdict": "pass", "metrics": METRICS}))
    assert RunRecord(path, Log({}), result_of(path)).numbers() == {
        "fell": False,
        "travel.x": 1.0,
        "travel.y": 2.0,
        "wobble.late": None,
        "wobble.legs.left.front": 1.0,
        "wobble.legs.right": 2,
        "wobble.rms.x": 1,
        "wobble.rms.y": 2,
        "wobble.rms.z": 3,
    }

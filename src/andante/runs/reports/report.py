"""The report: one HTML file that shows a run and needs nothing else, not even a network.

Every recorded variable is in it (as float32, thinned where a long run would make the file too large), and the poses of
all bodies for a replay in 3-D. Plots are drawn in the browser by plotly.js, the replay by three.js; both are written
into the file, packed. A report of any length stays below 15 MB.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_jsonable_python

from andante.control.events import EventKind
from andante.documents.files import write_text
from andante.pictures.pages import packed, packed_array, page
from andante.plugins.answers import plain_data
from andante.robots.robot import Robot
from andante.robots.tree import joints_of, upwards
from andante.runs.evaluation.falls import spans_of
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics
from andante.runs.evaluation.story import causes_of_fall
from andante.runs.evaluation.verdict import Verdict
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import scenario_text
from andante.version import __version__

MAX_EVENTS = 5000
"""Events that a report lists."""
MOST_PACKED = 6_000_000
"""Letters that the recorded values of all channels may take in a report."""
MOST_VALUES = 6_000_000
"""Values that a report carries before it is tried how well they pack."""
_LEAST_ROWS = 200
"""A channel is not thinned below this."""


def write_report(
    path: Path, run: FinishedRun, metrics: Metrics, verdict: Verdict, pictures: Mapping[str, Path]
) -> None:
    """Write the report of a run.

    Args:
        path: The file; overwritten.
        run: The run.
        metrics: Its numbers.
        verdict: Its verdict.
        pictures: PNG files to show, by caption.

    Raises:
        DocumentError: The file cannot be written.
    """
    scenario, log, robot = run.scenario, run.log, run.parts.robot
    channels = dict(log.channels)
    if run.balance is not None:
        channels["balance"] = run.balance[1]
    data = {
        "name": scenario.name,
        "verdict": verdict.verdict,
        "reasons": verdict.reasons,
        "summary": f"{robot.title}, {_where(scenario)}, seed {scenario.seed}, {metrics.duration:.2f} s",
        "duration": metrics.duration,
        "metrics": to_jsonable_python(_flat(run, metrics), inf_nan_mode="null"),
        "cards": _cards(run, metrics),
        "channels": report_channels(channels),
        "replays": replays_of([log], robot, run.drawn_model),
        "bands": _bands(log, run.parts.threshold),
        "events": _events(run, metrics),
        "panels": panels_of(robot, channels),
        "legs": leg_rows(robot),
        "tables": [],
        "pictures": [[title, base64.b64encode(file.read_bytes()).decode()] for title, file in pictures.items()],
        "scenario": scenario_text(scenario),
        "footer": f"Andante {__version__}. All results {_where(scenario)}."
        + (f" The log is {log.problem}." if log.problem else ""),
    }
    write_page(path, f"{scenario.name}: {verdict.verdict}", data)


def _events(run: FinishedRun, metrics: Metrics) -> list[list[Any]]:
    """Time, kind and text of each event, and of why the robot fell, in order."""
    told = sorted(run.log.events, key=lambda event: event.time)[:MAX_EVENTS]
    events = [[round(event.time, 6), event.kind, event.text] for event in told]
    events += [[round(each.time, 6), EventKind.FALL, each.text] for each in causes_of_fall(run, metrics)]
    return sorted(events, key=lambda event: event[0])


def _where(scenario: Scenario) -> str:
    """Where results come from, for people."""
    source = scenario.evidence
    return f"in {source}" if source.startswith("simulation") else f"from {source}"


def write_page(path: Path, title: str, data: Mapping[str, Any]) -> None:
    """Write the page of one run or of two, from what its script shows.

    Raises:
        DocumentError: The file cannot be written.
    """
    folder = resources.files("andante.runs") / "report_page"
    template, script = ((folder / name).read_text(encoding="utf-8") for name in ("page.html", "app.js"))
    code = packed((folder / "replay.js").read_bytes()) if data["replays"] else ""
    write_text(path, page(template, title, data, script, {"PACKED_REPLAY": code}), follow=False)


def replays_of(logs: Sequence[Log], robot: Robot, model: mujoco.MjModel) -> list[dict[str, Any]]:
    """The replays of some runs in one world; runs without ground truth have none."""
    from andante.runs.reports.replay_scene import replay_scene

    truths = [log.channels["truth"] for log in logs if "truth" in log.channels]
    base = int(model.body(robot.base_body).id)
    return [scene for truth in truths if (scene := replay_scene(truth, model, base)) is not None]


def _bands(log: Log, threshold: float) -> list[dict[str, Any]]:
    """Spans of time in which feet touch, by the truth or else by the sensors, and in which anything else does."""
    bands: list[dict[str, Any]] = []
    truth, sensors = log.channels.get("truth"), log.channels.get("sensors")
    if truth is not None and "foot_force" in truth.layout.slices and truth["foot_force"].shape[1]:
        labels = next(field.labels for field in truth.layout.fields if field.name == "foot_force")
        feet = [label.removesuffix(".z") for label in labels if label.endswith(".z")]
        load = truth["foot_force"][:, 2::3]
        bands += [_band(truth, f"{foot} foot", load[:, i] > threshold, i) for i, foot in enumerate(feet)]
    elif sensors is not None:
        labels = next((field.labels for field in sensors.layout.fields if field.name == "contact"), ())
        held = sensors["contact"] > 0.5
        bands += [_band(sensors, f"{foot} foot", held[:, i], i) for i, foot in enumerate(labels)]
    if truth is not None and "other_contacts" in truth.layout.slices:
        bands.append(_band(truth, "other contact", truth["other_contacts"][:, 0] > 0.0))
    if "request" in log.channels and sensors is not None:
        changed = np.isin(sensors.nanoseconds, log.channels["request"].nanoseconds)
        bands.append(_band(sensors, "guard at work", changed))
    return bands[::-1]


def _band(rows: ChannelRows, name: str, holds: Any, foot: int | None = None) -> dict[str, Any]:
    return {"name": name, "spans": spans_of(rows.times, np.asarray(holds)), "foot": foot}


def leg_rows(robot: Robot) -> dict[str, int]:
    """The row of a foot, by its name and by those of the joints that move this foot alone."""
    model, moved = robot.model, [set[str]() for _ in robot.feet]
    for foot, joints in zip(robot.feet, moved, strict=True):
        for body in upwards(model, int(model.body(foot.body).id)):
            joints.update(model.joint(joint).name for joint in joints_of(model, body))
    rows = {foot.name: row for row, foot in enumerate(robot.feet)}
    for row, joints in enumerate(moved):
        alone = joints.difference(*(others for other, others in enumerate(moved) if other != row))
        rows |= dict.fromkeys(sorted(alone), row)
    return rows


def panels_of(robot: Robot, channels: Mapping[str, ChannelRows]) -> list[tuple[str, list[str]]]:
    """The plots that a page begins with: titles and names of variables."""
    knees = [name for name in robot.joint_names if "knee" in name.lower()] or list(robot.joint_names[:2])
    panels = [
        ("Torso", ["truth.pitch", "truth.roll"]),
        ("Tracking", [f"{channel}.position.{knee}" for knee in knees for channel in ("command", "sensors")]),
        ("Torque", [f"sensors.effort.{knee}" for knee in knees]),
        ("Base", ["truth.base_height", "truth.power"]),
    ]
    known = {f"{name}.{column}" for name, rows in channels.items() for column in rows.layout.columns}
    return [(title, [name for name in names if name in known]) for title, names in panels]


def _cards(run: FinishedRun, metrics: Metrics) -> list[tuple[str, str]]:
    def degrees(value: float | None) -> str:
        return "not known" if value is None else f"{math.degrees(value):.1f} deg"

    def number(value: float | None, unit: str, digits: int = 2) -> str:
        return "not known" if value is None else f"{value:.{digits}f} {unit}".rstrip()

    told = run.tasks.ask("show numbers", lambda task: tuple(task.cards(metrics.block(task.type))), _pairs)
    cards = [
        *(card for _, cards in told for card in cards),
        ("motion done after", number(metrics.done_at, "s")),
        ("base height at the end", number(metrics.final_height, "m", 3)),
        ("largest torso tilt", degrees(metrics.max_tilt)),
        ("tracking error, RMS", degrees(metrics.tracking_error)),
        (
            f"peak torque / servo's limit ({metrics.peak_torque_joint or 'no joint'})",
            number(metrics.peak_torque_ratio, ""),
        ),
        (
            f"peak torque / effort for long ({metrics.peak_effort_joint or 'no joint'})",
            number(metrics.peak_effort_ratio, ""),
        ),
        (f"peak speed / limit ({metrics.peak_velocity_joint or 'no joint'})", number(metrics.peak_velocity_ratio, "")),
        ("energy", number(metrics.energy, "J", 1)),
        *((f"largest force on the {part}", f"{force:.0f} N") for part, force in (metrics.impact or {}).items()),
        *((f"impulse on the {part}", f"{blow:.2f} N s") for part, blow in (metrics.impulse or {}).items()),
        ("slip of the worst foot", "not known" if metrics.slip is None else f"{100.0 * metrics.slip:.1f} cm"),
        ("guard interventions", str(metrics.guard_interventions)),
        ("ticks late, half and 99 %", _late(metrics)),
        ("robot's clock", "not known" if metrics.drift is None else f"{100.0 * metrics.drift:+.2f} %"),
        ("times real time", number(metrics.real_time_factor, "x", 1)),
    ]
    return [card for card in cards if card[1] != "not known"]


def _pairs(given: tuple[tuple[object, object], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(value)) for name, value in given)


def _late(metrics: Metrics) -> str:
    if metrics.late_p50 is None or metrics.late_p99 is None:
        return "not known"
    return f"{1e3 * metrics.late_p50:.2f} ms, {1e3 * metrics.late_p99:.2f} ms; {metrics.late_missed} missed"


def _flat(run: FinishedRun, metrics: Metrics) -> dict[str, Any]:
    """All metrics by name; those of tasks one by one."""
    values = metrics.data()
    numbers = run.tasks.ask("show numbers", lambda task: dict(task.numbers(metrics.block(task.type))), plain_data)
    named: dict[str, Any] = {}
    for task, each in numbers:
        values.pop(task.type, None)
        named |= each
    return values | {name: str(value) if isinstance(value, (dict, tuple)) else value for name, value in named.items()}


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

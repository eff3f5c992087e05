"""The tables of the suite `quadruped`: which runs each makes, over how many seeds, and what is asked of them.

What is asked is for Go2; another robot is measured by the same figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from andante.planning.quadruped.gait import GAITS
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.search.suites.quadruped_trial import BEGIN, QuadrupedSetup

_SIDES = {"forward": (1.0, 0.0), "backward": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_PUSHED_AT, _AFTER = 1.5, 2.0
"""When the first push comes and how long the twist is asked after it [s]."""
_TURNS = (
    (0.0, (0.6, 0.0, 0.0)),
    (0.15, (0.6, 0.0, 0.6)),
    (0.35, (0.8, 0.0, -0.5)),
    (0.55, (0.5, 0.2, 0.5)),
    (0.75, (0.6, 0.0, -0.8)),
    (0.9, (0.3, 0.0, 0.0)),
)
"""Shares of the time and twists of a walk with turns."""
_PERIOD = 0.002
"""Period of readings and commands of a robot that is driven by torque [s]."""
_EVERY = 2.0
"""Time between two pushes of the solver's table [s]."""
_KICKS = ((0.0, 25.0), (-25.0, 0.0), (0.0, -25.0), (25.0, 0.0))
"""Their impulses in turn, along x and y [N s]."""


class Touching(StrEnum):
    """What may not touch the ground."""

    ANYTHING = "any"
    """Any part but a foot touches."""
    BODY = "body"
    """Thigh or trunk touches."""


@dataclass(frozen=True)
class ConditionBars:
    """What is asked of one condition; None: nothing."""

    upright: float | None = 1.0
    """Share of runs without a fall."""
    recovered: float | None = None
    """Share of runs that go on as asked after a push."""
    crossed: float | None = None
    """Share of runs that come across."""
    axis: int = 0
    """Component of the twist that is judged: forward, lateral, turn."""
    mean: float | None = None
    """Largest difference of its mean [m/s or rad/s]."""
    share: float | None = None
    """The same as a share of what is asked."""
    height: float | None = None
    """Largest difference of the mean height of the centre of mass from that of standing [m]."""
    rms: float | None = None
    """Largest root mean square error of it."""
    drift: float | None = None
    """Farthest from the place [m]."""
    pitch: float | None = None
    """Largest difference of the mean pitch from the slope [rad]."""
    clean: Touching | None = None
    """What may not touch the ground in any run."""
    lowest: float | None = None
    """Lowest point of a foot [m]."""
    airtime: float | None = None
    """Shortest of the longest times in the air [s]."""
    estimate_rms: float | None = None
    """Largest error of the estimated velocity [m/s]."""
    estimate_share: float | None = None
    """Largest drift of the estimated position as a share of the way."""
    speed: float | None = None
    """Simulated time over processor time."""
    solve: tuple[float, float] | None = None
    """Median and 95th percentile of the online solver's time [s]."""
    faster: tuple[tuple[str, float], ...] = ()
    """How many times as long as the online solver others take at least, by name."""
    excess: float | None = None
    """How far a force may leave its limits [N]."""
    growth: float | None = None
    """Growth of the process [kB per minute of the run]."""


@dataclass(frozen=True)
class RunCondition:
    """What is run under one heading."""

    label: str
    """The heading."""
    setups: tuple[QuadrupedSetup, ...]
    """The runs of every seed."""
    asked: ConditionBars = ConditionBars()
    """What is asked."""
    far: float | None = None
    """The robot has come across where the end of its way is beyond this x [m]."""


@dataclass(frozen=True)
class Ask:
    """What a table is made for."""

    robot: str
    """Robot by name or path."""
    robots: tuple[str, ...]
    """Robots of the table `robots`."""
    seconds: float
    """How long a steady twist is asked [s]."""
    phases: int
    """Phases of the gait at which pushes come."""
    minutes: float
    """How long the run is whose memory is watched [min]."""
    clocked: bool
    """Whether times by the clock are kept."""

    def task(self, twist: tuple[float, float, float] | None, **changes: Any) -> QuadrupedTask:
        """A task of the robot."""
        return replace(QuadrupedTask(self.robot, twist or (0.0, 0.0, 0.0), seconds=self.seconds), **changes)

    def one(
        self,
        heading: str,
        task: QuadrupedTask,
        asked: ConditionBars | None = None,
        far: float | None = None,
        **setup: Any,
    ) -> RunCondition:
        """A condition of one run per seed; ``setup`` are more fields of the run's setup."""
        run = QuadrupedSetup(task, heading, clocked=self.clocked)
        return RunCondition(heading, (replace(run, **setup),), asked or ConditionBars(), far)


@dataclass(frozen=True)
class QuadrupedTable:
    """One table."""

    what: str
    """What it asks, in a few words."""
    seeds: int
    """Seeds where nobody says how many."""
    conditions: Callable[[Ask], Sequence[RunCondition]]
    """Its conditions."""


def _speed(ask: Ask) -> list[RunCondition]:
    rows: list[tuple[str, tuple[float, float, float], ConditionBars]] = [
        ("forward 1.0 m/s", (1.0, 0.0, 0.0), ConditionBars(mean=0.05, rms=0.10)),
        ("forward 2.0 m/s", (2.0, 0.0, 0.0), ConditionBars(mean=0.15)),
        ("forward 2.5 m/s", (2.5, 0.0, 0.0), ConditionBars(upright=None)),
        ("lateral 1.0 m/s", (0.0, 1.0, 0.0), ConditionBars(axis=1, mean=0.10)),
        ("lateral 1.5 m/s", (0.0, 1.5, 0.0), ConditionBars(axis=1, mean=0.15)),
        ("turn 4 rad/s", (0.0, 0.0, 4.0), ConditionBars(axis=2, mean=0.15)),
        ("stand", (0.0, 0.0, 0.0), ConditionBars(drift=0.01)),
    ]
    return [ask.one(label, ask.task(twist), asked) for label, twist, asked in rows]


def _push(ask: Ask) -> list[RunCondition]:
    step = GAITS["trot"].period / ask.phases
    found = []
    for name, speed in (("standing", 0.0), ("at 0.5 m/s", 0.5)):
        for impulse, share in ((35.0, 1.0), (45.0, None)):
            setups = []
            for phase in range(ask.phases):
                for side, (x, y) in _SIDES.items():
                    push = (_PUSHED_AT + phase * step, impulse * x, impulse * y, 0.0)
                    seconds = _PUSHED_AT + _AFTER - BEGIN
                    task = ask.task((speed, 0.0, 0.0), push=push, seconds=seconds)
                    label = f"{side}, phase {phase}/{ask.phases}"
                    setups.append(QuadrupedSetup(task, label, jitter=step, clocked=ask.clocked))
            asked = ConditionBars(upright=None, recovered=share)
            found.append(RunCondition(f"push {impulse:g} N s {name}", tuple(setups), asked))
    return found


def _slope(ask: Ask) -> list[RunCondition]:
    return [
        ask.one(f"slope {slope:g}", ask.task((0.5, 0.0, 0.0), slope=slope), ConditionBars(pitch=0.03))
        for slope in (0.2, 0.4)
    ]


def _step(ask: Ask) -> list[RunCondition]:
    rows = (("step-10", Touching.ANYTHING), ("step-20", None))
    found = [ask.one(name, _over(ask, name), ConditionBars(crossed=1.0, clean=clean), 4.2) for name, clean in rows]
    return [*found, _planned(ask, "step-20")]


def _stairs(ask: Ask) -> list[RunCondition]:
    task = _over(ask, "stairs-13x28", start=(1.5, 0.0), seconds=8.0)
    return [ask.one("stairs-13x28", task, ConditionBars(crossed=1.0), 4.2), _planned(ask, "stairs-13x28")]


def _planned(ask: Ask, board: str) -> RunCondition:
    """Over a board by the global plan."""
    task = replace(ask.task(None), twist=None, board=board, goal=(5.0, 0.0))
    return ask.one(f"{board} by a plan", task, ConditionBars(crossed=1.0), 4.2)


def _gap(ask: Ask) -> list[RunCondition]:
    rows = (
        (20, ConditionBars(crossed=1.0, clean=Touching.BODY, lowest=-0.02, airtime=0.15)),
        (30, ConditionBars(crossed=1.0, clean=Touching.BODY, lowest=-0.02, airtime=0.15)),
        (40, ConditionBars(upright=None, crossed=0.8)),
        (50, ConditionBars(upright=None)),
    )
    found = []
    for width, asked in rows:
        task = replace(ask.task(None), twist=None, board=f"gap-{width}", goal=(5.0, 0.0))
        found.append(ask.one(f"gap-{width}", task, asked, 3.0 + 0.01 * width + 0.3))
    return found


def _friction(ask: Ask) -> list[RunCondition]:
    rows = ((0.3, ConditionBars()), (0.2, ConditionBars(upright=None)))
    return [ask.one(f"friction {value:g}", ask.task((1.0, 0.0, 0.0), friction=value), asked) for value, asked in rows]


def _payload(ask: Ask) -> list[RunCondition]:
    return [ask.one(f"payload {mass:g} kg", ask.task((1.0, 0.0, 0.0), payload=mass)) for mass in (3.0, 5.0)]


def _strength(ask: Ask) -> list[RunCondition]:
    return [ask.one("motors at 0.7", ask.task((1.0, 0.0, 0.0), strength=0.7))]


def _blind(ask: Ask) -> list[RunCondition]:
    task = _over(ask, "step-10", twist=(1.0, 0.0, 0.0), values={"height": 0.05}, blind=True, seconds=3.5)
    return [ask.one("blind step of 5 cm", task, ConditionBars(crossed=1.0), 4.2)]


def _gaits(ask: Ask) -> list[RunCondition]:
    return [
        ask.one(f"{gait} 0.5 m/s", ask.task((0.5, 0.0, 0.0), gait=gait)) for gait in ("bound", "pace", "pronk", "walk")
    ]


def _robots(ask: Ask) -> list[RunCondition]:
    names = [robot.rpartition("/")[2] for robot in ask.robots]
    labels = [robot if names.count(name) > 1 else name for robot, name in zip(ask.robots, names, strict=True)]
    asked = ConditionBars(share=0.03, height=0.01)
    return [
        ask.one(f"{label} 0.5 m/s by leg", ask.task((0.5, 0.0, 0.0), robot=robot), asked, by_leg=True)
        for label, robot in zip(labels, ask.robots, strict=True)
    ]


def _estimator(ask: Ask) -> list[RunCondition]:
    seconds = 3.0 * ask.seconds
    turns = tuple((BEGIN + share * seconds, *twist) for share, twist in _TURNS)
    steering = (*turns, (BEGIN + seconds, 0.0, 0.0, 0.0))
    asked = ConditionBars(estimate_rms=0.03, estimate_share=0.02)
    return [ask.one("trot with turns", ask.task(None, seconds=seconds), asked, label="turns", steering=steering)]


def _rate(ask: Ask) -> list[RunCondition]:
    task, asked = ask.task((0.5, 0.0, 0.3), seconds=60.0 * ask.minutes), ConditionBars(speed=4.0, growth=50.0)
    return [ask.one(f"{ask.minutes:g} min of trot", task, asked, label="long", watched=False, clocked=False)]


def _solver(ask: Ask) -> list[RunCondition]:
    seconds = 2.0 * ask.seconds
    count = max(1, math.floor((seconds - _EVERY) / _EVERY))
    pushes = tuple((_EVERY * (k + 1), *_KICKS[k % len(_KICKS)], 0.0) for k in range(count))
    task = ask.task((0.5, 0.0, 0.0), seconds=seconds)
    asked = ConditionBars(solve=(1e-3, 2e-3), excess=1e-6, faster=(("fatrop", 4.0), ("ipopt", 10.0)))
    return [ask.one("trot with pushes", task, asked, label="pushes", pushes=pushes, compared=True, clocked=True)]


def _latency(ask: Ask) -> list[RunCondition]:
    rows = (
        (0, ConditionBars()),
        (10, ConditionBars()),
        (20, ConditionBars(upright=None)),
        (30, ConditionBars(upright=None)),
    )
    task = ask.task((1.0, 0.0, 0.0))
    return [ask.one(f"plans {late} ms late", task, asked, latency=1e-3 * late) for late, asked in rows]


def _age(ask: Ask) -> list[RunCondition]:
    task, even = ask.task((1.0, 0.0, 0.0)), (("sensor_jitter", _PERIOD), ("command_jitter", _PERIOD))
    found = []
    for age in (0, 2, 4, 6, 8):
        asked, old = ConditionBars(upright=1.0 if age <= 4 else None), ("sensor_latency", 1e-3 * age)
        found.append(ask.one(f"readings {age} ms old", task, asked, late=(old,)))
        found.append(ask.one(f"readings {age} ms old, uneven", task, asked, late=(old, *even)))
    rows = (
        ("joints 4 ms behind the IMU", "joint_latency", 0.004),
        ("a tenth of the readings lost", "sensor_loss", 0.1),
    )
    found += [ask.one(label, task, late=((name, value),)) for label, name, value in rows]
    return [*found, ask.one("commands in bursts", task, late=(("command_jitter", 4.0 * _PERIOD),))]


def _over(ask: Ask, board: str, **changes: Any) -> QuadrupedTask:
    """Straight over a board of real size, from a place near its obstacle."""
    plain: dict[str, Any] = {"board": board, "twist": (0.5, 0.0, 0.0), "start": (1.8, 0.0), "seconds": 7.0}
    return replace(ask.task(None), **(plain | changes))


TABLES: Mapping[str, QuadrupedTable] = {
    "speed": QuadrupedTable("forward, lateral, turning, standing", 10, _speed),
    "push": QuadrupedTable("pushes of 0.1 s in all phases, standing and walking", 5, _push),
    "slope": QuadrupedTable("up slopes", 10, _slope),
    "step": QuadrupedTable("up steps that the robot knows", 10, _step),
    "stairs": QuadrupedTable("up stairs", 10, _stairs),
    "gap": QuadrupedTable("leaps over gaps by the global plan", 10, _gap),
    "friction": QuadrupedTable("less friction than believed", 10, _friction),
    "payload": QuadrupedTable("masses that nobody told of", 10, _payload),
    "strength": QuadrupedTable("weak motors", 10, _strength),
    "blind": QuadrupedTable("a step that the robot does not know", 10, _blind),
    "gaits": QuadrupedTable("bound, pace, pronk, walk", 10, _gaits),
    "robots": QuadrupedTable("the same controller on robots of any size: speed by leg, height", 5, _robots),
    "estimator": QuadrupedTable("drift of the estimate on a way with turns", 10, _estimator),
    "solver": QuadrupedTable("times and limits of the predictive control", 1, _solver),
    "latency": QuadrupedTable("plans that come late", 5, _latency),
    "age": QuadrupedTable("readings and commands that come late and unevenly", 10, _age),
    "rate": QuadrupedTable("speed of the simulation, growth of the process", 1, _rate),
}
"""All tables."""

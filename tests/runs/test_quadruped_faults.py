"""What a walking quadruped does when a part fails: lie down within 100 ms and say why, or walk on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.control.quadruped.drive_mode import DriveMode
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution, NmpcStatus
from andante.planning.quadruped.local_plan import LocalPlan
from andante.robots.records import Sensors
from andante.runs.build import Parts, build
from andante.runs.execute import run_scenario, session_of
from andante.runs.loop.outcome import Ending, Outcome
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated
from andante.runs.tasks.quadruped.task import QuadrupedTask

BEGIN = 1.0
"""When a fault begins, amid a trot at half a metre per second [s]."""
SOON = 0.1
"""A reaction begins so soon [s]."""
Spoil = Callable[[Parts], None]


def scenario(
    *faults: dict[str, Any], seconds: float = BEGIN + 0.5, twist: float = 0.5, latency: float = 0.01, **more: Any
) -> Scenario:
    data = QuadrupedTask("spirit40", (twist, 0.0, 0.0), seconds=seconds).scenario().model_dump(exclude_unset=True)
    data["world"]["faults"] = [{"start": BEGIN, **fault} for fault in faults]
    data["controller"]["local"]["latency"] = latency
    return validated(data)


@dataclass
class Seen(Observer):
    """What was told, where the body was and where the joints were sent."""

    def __post_init__(self) -> None:
        self.events: list[ControlEvent] = []
        self.times: list[float] = []
        self.places: list[np.ndarray] = []
        self.drives: list[DriveMode | None] = []
        self.targets: list[np.ndarray] = []

    def see(self, tick: Tick) -> None:
        assert tick.truth is not None
        self.events += tick.events
        self.times.append(tick.time)
        self.places.append(tick.truth["qpos"][:7].copy())
        self.targets.append(tick.command.position.copy())

    def first(self, kind: EventKind) -> tuple[float, str]:
        """Time since the fault began and text of the first event of a kind."""
        return next((event.time - BEGIN, event.text) for event in self.events if event.kind is kind)

    def speed(self, begin: float, end: float) -> float:
        """Mean forward speed [m/s]."""
        rows = np.searchsorted(self.times, (begin, end))
        return float((self.places[rows[1]][0] - self.places[rows[0]][0]) / (end - begin))

    @property
    def tilt(self) -> float:
        """Largest tilt [rad]."""
        w, x, y, z = np.array(self.places)[:, 3:7].T
        return float(np.arccos(np.clip(w * w - x * x - y * y + z * z, -1.0, 1.0)).max())


def run(what: Scenario, spoil: Spoil | None = None) -> tuple[Seen, Outcome, Parts]:
    seen, parts = Seen(), build(what)
    if spoil is not None:
        spoil(parts)
    with session_of(what, parts, observers=(seen,)) as session:
        while session.ending is None:
            session.step()
        return seen, session.outcome(), parts


def lies_down(seen: Seen, outcome: Outcome, parts: Parts) -> float:
    """Check that the robot gave up at once and sat down without tipping over; gives the time to it [s]."""
    delay, text = seen.first(EventKind.HELP)
    assert 0.0 <= delay <= SOON + 0.005, text
    downs = [event.time - BEGIN for event in seen.events if event.text == "lies down"]
    assert downs == [delay]
    assert outcome.ending in (Ending.FAILED, Ending.BROKEN)
    # A leg that gives way lets it lean, not fall.
    assert seen.tilt < 0.9
    if outcome.ending is Ending.FAILED:
        assert parts.controller.failed
        assert seen.targets[-1] == pytest.approx(parts.robot.posture("sit"), abs=0.05)
        # It comes down: half as high as it stood, or less.
        assert seen.places[-1][2] < 0.6 * seen.places[round(BEGIN / 0.002)][2]
    return delay


def walks_on(seen: Seen, outcome: Outcome, slack: float = 0.1, tilt: float = 0.35) -> None:
    """Check that the robot walked on as fast as it was asked and came to rest."""
    assert [event.text for event in seen.events if event.kind is EventKind.HELP] == []
    assert outcome.ending is Ending.DONE
    assert seen.speed(BEGIN, BEGIN + 0.9) == pytest.approx(0.5, abs=slack)
    assert seen.tilt < tilt


def switch(foot: int, value: float) -> Spoil:
    """A foot switch that always reads one thing."""

    def spoil(parts: Parts) -> None:
        read = parts.backend.read

        def spoiled() -> Sensors:
            sensors = read()
            if sensors.time >= BEGIN - 1e-9:
                sensors.contact[foot] = value
            return sensors

        parts.backend.read = spoiled

    return spoil


def unsolved(count: int) -> Spoil:
    """A solver that solves nothing for so many plans in a row."""

    def spoil(parts: Parts) -> None:
        planner, controller = parts.planner, parts.controller
        solver = planner._solver
        solve, plan, failed = solver.solve, planner.plan, []

        def planned(request: Any) -> LocalPlan:
            if request.time >= BEGIN - 1e-9:
                failed.append(request.time)
            return plan(request)

        def spoiled(problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
            found = solve(problem, guess)
            if 0 < len(failed) <= count:
                return replace(found, status=NmpcStatus.LIMIT, reason="made to fail")
            return found

        solver.solve, planner.plan = spoiled, planned
        assert controller is not None

    return spoil


def silent(begin: float) -> Spoil:
    """Plans that are lost on their way from a time on [s]."""

    def spoil(parts: Parts) -> None:
        accept = parts.controller.accept

        def spoiled(plan: LocalPlan) -> None:
            if plan.time < begin - 1e-9:
                accept(plan)

        parts.controller.accept = spoiled

    return spoil


@pytest.mark.slow
@pytest.mark.parametrize("joint", ["FL_knee", "HR_pitch", "FR_roll"])
def test_a_motor_that_dies_unnoticed_is_found_by_its_torque(joint: str) -> None:
    seen, outcome, parts = run(scenario({"type": "dead", "joints": [joint]}))
    lies_down(seen, outcome, parts)
    assert seen.first(EventKind.HELP)[1] == (
        f"cannot walk on: joint {joint} does not give the torque that it is asked for"
    )


@pytest.mark.slow
def test_a_motor_that_reports_its_failure_ends_the_walk_at_once() -> None:
    seen, outcome, parts = run(scenario({"type": "dead", "joints": ["HL_knee"], "reported": True}))
    assert lies_down(seen, outcome, parts) <= 0.004
    assert seen.first(EventKind.HELP)[1] == "cannot walk on: joint HL_knee reports a malfunction"


@pytest.mark.slow
def test_an_encoder_that_gives_no_number_is_told_at_once_and_stops_the_walk() -> None:
    seen, outcome, parts = run(scenario({"type": "dropped", "joints": ["FL_knee"], "reading": "nan"}))
    delay, text = seen.first(EventKind.SENSOR)
    assert (delay, text) == (pytest.approx(0.0, abs=0.003), "encoder, speed, effort FL_knee: not finite")
    lies_down(seen, outcome, parts)
    assert outcome.reason == "encoder FL_knee: not finite since 1.00 s"
    assert np.isfinite(np.array(seen.targets)).all()


@pytest.mark.slow
@pytest.mark.parametrize("reading", ["nan", "hold"])
def test_a_dead_imu_ends_the_walk(reading: str) -> None:
    seen, outcome, parts = run(scenario({"type": "imu_dropped", "reading": reading}))
    lies_down(seen, outcome, parts)
    assert seen.first(EventKind.HELP)[1].endswith("not trusted: gyro; accelerometer")
    assert outcome.reason == f"imu: {'not finite' if reading == 'nan' else 'frozen'} since 1.00 s"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("foot", "value"),
    [(0, 0.0), pytest.param(3, 0.0, marks=pytest.mark.slow), pytest.param(1, 1.0, marks=pytest.mark.slow)],
    ids=["open", "hind open", "closed"],
)
def test_a_foot_switch_that_sticks_is_told_and_the_robot_walks_on(foot: int, value: float) -> None:
    seen, outcome, parts = run(scenario(), switch(foot, value))
    walks_on(seen, outcome)
    assert f"foot switch {parts.robot.feet[foot].name}: stuck" in [event.text for event in seen.events]


@pytest.mark.slow
def test_plans_without_forces_end_the_walk_before_the_tenth() -> None:
    seen, outcome, parts = run(scenario(), unsolved(10))
    # A plan is there 10 ms after it was asked for: the ninth comes 90 ms after the first was asked for.
    assert lies_down(seen, outcome, parts) < SOON
    assert seen.first(EventKind.UNSOLVED)[1] == "no forces found: made to fail"
    assert seen.first(EventKind.HELP)[1] == "cannot walk on: 9 plans in a row without forces"


@pytest.mark.slow
def test_a_few_plans_without_forces_are_walked_through() -> None:
    seen, outcome, _ = run(scenario(), unsolved(5))
    walks_on(seen, outcome, slack=0.15)
    assert seen.first(EventKind.UNSOLVED)[1] == "no forces found: made to fail"


@pytest.mark.slow
def test_plans_that_no_longer_come_end_the_walk() -> None:
    seen, outcome, parts = run(scenario(), silent(BEGIN))
    lies_down(seen, outcome, parts)
    assert seen.first(EventKind.HELP)[1] == "cannot walk on: no plan for 0.10 s"


def test_a_robot_that_never_gets_a_plan_sits_down_again() -> None:
    seen, outcome, _ = run(scenario(), silent(0.0))
    helps = [(event.time, event.text) for event in seen.events if event.kind is EventKind.HELP]
    # It stands as soon as its feet touch and waits for 0.1 s.
    assert helps == [(pytest.approx(0.105, abs=0.01), "cannot walk on: no plan for 0.10 s")]
    assert outcome.ending is Ending.FAILED


@pytest.mark.slow
@pytest.mark.parametrize("latency", [0.02, 0.03])
def test_plans_that_come_late_are_walked_by_and_stood_by(latency: float) -> None:
    seen, outcome, _ = run(scenario(latency=latency))
    walks_on(seen, outcome, tilt=0.15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ({"type": "dead", "joints": ["FL_knee"]}, "joint FL_knee does not give the torque that it is asked for"),
        ({"type": "dropped", "joints": ["HL_roll"], "reading": "nan"}, "encoder HL_roll: not finite since 1.00 s"),
        ({"type": "imu_dropped", "reading": "nan"}, "imu: not finite since 1.00 s"),
    ],
)
def test_the_verdict_names_the_reason(fault: dict[str, Any], reason: str, tmp_path: Path) -> None:
    result = run_scenario(scenario(fault), tmp_path / "run")
    assert result.verdict == "fail"
    assert reason in result.reasons[0]

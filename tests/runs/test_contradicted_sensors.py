"""Runs whose sensors contradict each other say so in their verdict, whatever else they tell; other runs do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from andante.control.events import EventKind
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot
from andante.runs import execute
from andante.runs.build import Parts
from andante.runs.execute import RunResult, run_scenario
from andante.runs.scenario import Scenario
from andante.runs.tasks.quadruped.task import QuadrupedTask

PART = Robot.load("spirit40").sensors_layout.slices
Spoil = Callable[[Vector], None]


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, spoil: Spoil | None, *settings: str) -> RunResult:
    """A trot of two seconds in which every reading is spoiled."""
    made = execute.build

    def build(scenario: Scenario) -> Parts:
        parts = made(scenario)
        if spoil is not None:
            read = parts.backend.read

            def spoiled() -> Sensors:
                sensors = read()
                vector = sensors.vector.copy()
                spoil(vector)
                return Sensors(sensors.layout, vector)

            monkeypatch.setattr(parts.backend, "read", spoiled)
        return parts

    monkeypatch.setattr(execute, "build", build)
    return run_scenario(QuadrupedTask("spirit40", (0.4, 0.0, 0.0), seconds=2.0, settings=settings).scenario(), folder)


def turned_gyro(vector: Vector) -> None:
    vector[PART["gyro"].start] *= -1.0


def another_order(vector: Vector) -> None:
    vector[PART["orientation"]] = vector[PART["orientation"]][[1, 2, 3, 0]]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [(turned_gyro, "the gyro has the other sign about x"), (another_order, "when it is read as x y z w")],
)
def test_the_verdict_names_the_sensor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Spoil, words: str
) -> None:
    result = run(tmp_path / "run", monkeypatch, spoil)
    assert any(words in reason for reason in result.reasons)
    assert any(words in moment.text for moment in result.story)


def exchanged_sides(vector: Vector) -> None:
    for name in ("position", "velocity", "effort"):
        vector[PART[name]] = vector[PART[name]].reshape(4, 3)[[1, 0, 3, 2]].ravel()


def turned_torques(vector: Vector) -> None:
    vector[PART["effort"]] *= -1.0


def another_zero(vector: Vector) -> None:
    vector[PART["position"].start + 1] += 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (exchanged_sides, "the angles, speeds and torques of FL and FR and of HL and HR are exchanged"),
        (turned_torques, "all measured torques have the other sign"),
        (another_zero, "the angle of FL_pitch reads 0.20 rad more than its drive goes by"),
    ],
)
def test_a_quadruped_that_reads_its_joints_wrongly_says_how(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Spoil, words: str
) -> None:
    result = run(tmp_path / "run", monkeypatch, spoil)
    assert any(words in reason for reason in result.reasons)
    assert not any("too old" in reason or "does not give" in reason for reason in result.reasons)


@pytest.mark.slow
def test_a_recording_that_goes_round_stops_the_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Vector] = []

    def spoil(vector: Vector) -> None:
        if vector[0] < 1.5:
            kept.append(vector.copy())
        else:
            vector[1:] = kept[-180 + round((vector[0] - 1.5) / 0.002) % 180][1:]

    result = run(tmp_path / "run", monkeypatch, spoil)
    assert any("repeats itself bit for bit since 1.50 s (each reading is that of 0.36 s" in r for r in result.reasons)


@pytest.mark.slow
def test_noise_is_not_told_as_a_contradiction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(tmp_path / "run", monkeypatch, None, "world.sensor_latency=0.004", "world.sensor_loss=0.1")
    assert result.passed
    assert not any("contradicted" in reason for reason in result.reasons)


@pytest.mark.slow
def test_a_load_off_the_middle_tells_why_the_robot_steps_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = "world.payload={mass: 4, place: [0.25, 0.15, 0.1]}"
    result = run(tmp_path / "run", monkeypatch, None, load, "timeout=8.0")
    assert not result.passed
    told = [event.text for event in result.log.events if event.kind is EventKind.RESTLESS]
    assert len(told) == 1
    assert told[0].startswith("steps on though nothing is asked: the body tilts by 0.")
    assert "local.stand_tilt: 0.15" in told[0]
    assert result.reasons[0].endswith(told[0])


@pytest.mark.slow
def test_a_twist_that_is_no_order_tells_why_the_robot_stands(tmp_path: Path) -> None:
    result = run_scenario(QuadrupedTask("spirit40", (0.015, 0.0, 0.0), seconds=2.0).scenario(), tmp_path / "run")
    told = [event.text for event in result.log.events if event.kind is EventKind.RESTLESS]
    assert told == ["stands: 0.015 m/s or rad/s is no order to walk (local.stand_command: 0.02 for this robot)"]
    assert any(moment.text == told[0] for moment in result.story)

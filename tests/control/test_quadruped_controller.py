"""The dynamic quadruped on short ways: stands up, stands, trots, turns, changes its gait, and repeats itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from andante.control.controller import ControlError, ControlEvent
from andante.control.estimation.contact_kalman import ContactKalman
from andante.control.events import EventKind
from andante.control.quadruped.controller import QuadrupedController
from andante.control.quadruped.drive_mode import DriveMode
from andante.control.quadruped.settings import LegSettings
from andante.control.steering import SteeringScript
from andante.planning.quadruped.body_plan import BodyPlan
from andante.planning.quadruped.local_plan import Mode
from andante.runs.build import Parts, build
from andante.runs.execute import session_of
from andante.runs.loop.outcome import Ending
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated
from andante.runs.session import Session
from andante.runs.tasks.quadruped.task import QuadrupedTask


def scenario(twist: tuple[float, float, float], seconds: float, **control: Any) -> Scenario:
    """A run on the level floor, from 0.5 s on and for so long."""
    task = QuadrupedTask("spirit40", twist, seconds=seconds, seed=3)
    data = task.scenario().model_dump(exclude_unset=True)
    data["controller"] |= control
    return validated(data)


class Rows(Observer):
    """What was commanded and told at every tick."""

    def __init__(self) -> None:
        self.commands: list[bytes] = []
        self.asked: list[bytes] = []
        self.told: list[np.ndarray] = []
        self.truth: list[np.ndarray] = []
        self.events: list[ControlEvent] = []

    def see(self, tick: Tick) -> None:
        assert tick.truth is not None
        assert tick.telemetry is not None
        self.commands.append(tick.command.vector.tobytes())
        self.told.append(tick.telemetry.vector.copy())
        self.truth.append(tick.truth["qpos"][:7].copy())
        self.events += tick.events

    def of(self, kind: EventKind) -> list[tuple[float, str]]:
        """Times and texts of events."""
        return [(event.time, event.text) for event in self.events if event.kind is kind]

    def mode(self) -> np.ndarray:
        """`Mode` of the plans, at every tick."""
        return np.array([row[1] for row in self.told])

    def contacts(self) -> np.ndarray:
        """Which feet stand by the plans, (n, 4)."""
        return np.array([row[17:21] for row in self.told]) > 0.5


def run(what: Scenario, until: float | None = None) -> tuple[Rows, Session, Parts]:
    """Run it to its end, or for so long [s]."""
    rows, parts = Rows(), build(what)
    with session_of(what, parts, observers=(rows,)) as session:
        while session.ending is None and (until is None or session.time < until - 1e-9):
            session.step()
    return rows, session, parts


@pytest.fixture(scope="module", name="trotted")
def _trotted() -> tuple[Rows, Session, Parts]:
    return run(scenario((0.5, 0.0, 0.0), 2.0))


def speed(rows: Rows, begin: float, end: float) -> np.ndarray:
    """Mean velocity of the base in the world, (3,) [m/s]."""
    first, last = round(begin / 0.002), round(end / 0.002) - 1
    return (rows.truth[last][:3] - rows.truth[first][:3]) / (0.002 * (last - first))


@pytest.mark.slow
def test_it_trots_as_fast_as_asked_stops_and_is_done(trotted) -> None:
    rows, session, parts = trotted
    assert session.ending is Ending.DONE
    assert rows.of(EventKind.HELP) == []
    # From 1.2 s on it has sped up; the twist ends at 2.5 s.
    assert speed(rows, 1.2, 2.4)[:2] == pytest.approx((0.5, 0.0), abs=0.1)
    assert rows.truth[-1][2] == pytest.approx(rows.truth[0][2], abs=0.03)
    # Where it stands at the end, it stands still.
    assert np.linalg.norm(rows.truth[-1][:2] - rows.truth[-100][:2]) < 0.01
    assert parts.controller.done
    assert not parts.controller.failed
    assert rows.mode()[-1] == Mode.STAND


@pytest.mark.slow
def test_diagonal_feet_step_together_only_while_a_speed_is_asked(trotted) -> None:
    rows, _, _ = trotted
    contact, mode = rows.contacts(), rows.mode()
    # The end stands: all feet down.
    assert contact[mode == Mode.STAND][-100:].all()
    steps = contact[600:1150]
    assert (mode[600:1150] == Mode.STEP).all()
    assert (steps[:, 0] == steps[:, 3]).all()
    assert (steps[:, 1] == steps[:, 2]).all()
    assert 0.3 < steps.mean() < 0.8


def test_the_guard_has_nothing_to_do_in_a_steady_trot(trotted) -> None:
    rows, _, _ = trotted
    late = [(time, text) for time, text in rows.of(EventKind.GUARD) if time > 1.2]
    assert late == []


@pytest.mark.slow
def test_it_stands_up_from_sitting_and_then_stands() -> None:
    task = QuadrupedTask("spirit40", (0.0, 0.0, 0.0), seconds=0.5, sitting=True)
    rows, session, parts = run(task.scenario())
    texts = [text for _, text in rows.of(EventKind.DRIVE)]
    times = [time for time, _ in rows.of(EventKind.DRIVE)]
    assert texts == ["stands up", "stands"]
    # Standing up begins with the first tick and takes 1 s whatever the size.
    assert times == pytest.approx([0.0, parts.controller.settings.rise], abs=0.005)
    assert session.ending is Ending.DONE
    assert parts.controller.drive is DriveMode.READY
    heights = np.array([row[2] for row in rows.truth])
    body = parts.controller.body
    # The base is as far above the ground as the centre of mass, less where that lies in it.
    assert heights[0] < 0.7 * heights[-1]
    assert heights[-1] == pytest.approx(body.height - body.com[2], abs=0.015)
    assert (rows.mode()[-200:] == Mode.STAND).all()
    assert np.ptp(np.array(rows.truth)[-200:, :2], axis=0).max() < 0.01


@pytest.mark.slow
def test_it_turns_about_itself_to_the_left() -> None:
    rows, _, _ = run(scenario((0.0, 0.0, 1.0), 2.0), until=2.4)
    w, _, _, z = rows.truth[1190][3:7]
    w0, _, _, z0 = rows.truth[600][3:7]
    turned = 2.0 * (np.arctan2(z, w) - np.arctan2(z0, w0))
    # 590 ticks of 2 ms.
    assert turned / 1.18 == pytest.approx(1.0, abs=0.1)
    assert np.linalg.norm(rows.truth[1190][:2] - rows.truth[600][:2]) < 0.1


@pytest.mark.slow
def test_the_gait_changes_on_the_way() -> None:
    gaits = [{"gait": "trot"}, {"time": 1.5, "gait": "walk"}]
    rows, session, _ = run(scenario((0.3, 0.0, 0.0), 2.5, gaits=gaits), until=2.9)
    assert session.ending is None
    assert rows.of(EventKind.HELP) == []
    contact = rows.contacts()
    trot, walk = contact[500:740], contact[1000:1450]
    assert (trot.sum(axis=1) == 2).mean() > 0.5
    # A walk has three feet on the ground, or four.
    assert (walk.sum(axis=1) >= 3).all()
    assert speed(rows, 2.0, 2.9)[0] == pytest.approx(0.3, abs=0.1)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_commands() -> None:
    first, second = (run(scenario((0.4, 0.0, 0.3), 1.0), until=1.2)[0] for _ in range(2))
    assert first.commands == second.commands
    assert len(set(first.commands)) > 500


@pytest.mark.slow
def test_a_session_goes_on_from_a_snapshot_while_it_trots() -> None:
    what, rows = scenario((0.4, 0.0, 0.3), 2.0), Rows()
    session = session_of(what, build(what), observers=(rows,))
    # 1 s: amid a step, with a plan under way.
    session.steps(502)
    snapshot = session.snapshot()
    before = len(rows.commands)
    session.steps(200)
    first = list(rows.commands)
    for _ in range(2):
        session.restore(snapshot)
        assert len(rows.commands) == before
        session.steps(200)
        assert rows.commands == first
    session.close()


def straight(length: float, speed: float, height: float) -> BodyPlan:
    """A body plan straight ahead at one speed, and then at rest."""
    step = 0.03
    times = step * np.arange(round(length / speed / step) + 40)
    states = np.zeros((len(times), 12))
    states[:, 0], states[:, 2] = np.minimum(speed * times, length), height
    states[:, 6] = np.where(speed * times < length, speed, 0.0)
    return BodyPlan(step, states, np.zeros((len(times), 3)), np.zeros(len(times), dtype=np.int64))


@pytest.mark.slow
def test_a_body_plan_is_followed_to_its_end() -> None:
    what = scenario((0.0, 0.0, 0.0), 3.0)
    parts, rows = build(what), Rows()
    body = parts.controller.body
    start = np.array([0.0, 0.0, body.height - body.com[2]])
    controller = QuadrupedController(
        parts.robot,
        SteeringScript([]),
        ContactKalman(body.legs),
        body,
        course=straight(0.4, 0.4, body.height),
        start=(start, 0.0),
    )
    with session_of(what, replace(parts, controller=controller), observers=(rows,)) as session:
        while session.ending is None:
            session.step()
    assert session.ending is Ending.DONE
    assert rows.of(EventKind.HELP) == []
    # The plan begins 0.3 s after the robot stands at 1 s; at its end the centre of mass is at (0.4, 0).
    told = np.array(rows.told)[-1]
    assert told[2:4] == pytest.approx((0.4, 0.0), abs=0.07)
    assert rows.truth[-1][:2] == pytest.approx(told[2:4] - body.com[:2], abs=0.03)
    assert rows.mode()[-1] == Mode.STAND


def test_settings_change_on_the_way_and_others_are_refused(trotted) -> None:
    _, _, parts = trotted
    controller = parts.controller
    controller.change(LegSettings(frequency=50.0))
    assert controller.settings.frequency == 50.0
    with pytest.raises(ControlError, match=r"another controller's settings"):
        controller.change(object())

"""A robot that is steered while it walks, and the replay of such a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from andante.control.controller import ControlError
from andante.control.events import EventKind
from andante.control.steering import STILL, Heading, SteeringScript, Turn
from andante.documents.validation import DocumentError
from andante.errors import AndanteError
from andante.runs.build import build
from andante.runs.controls.steering import LiveChoice
from andante.runs.errors import SessionError
from andante.runs.execute import run_scenario, session_of
from andante.runs.live.pilot import EVERY, Pilot, rehearse, source_of
from andante.runs.live.source import SourceError, SourceLostError, SteeringWish
from andante.runs.logs.log import Log
from andante.runs.logs.replay import replay_log
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated
from andante.runs.session import Session
from andante.runs.tasks.quadruped.task import QuadrupedTask, QuadrupedTaskError
from andante.runs.tasks.walk.task import FLOOR, WalkTask, WalkTaskError


def scenario(kind: str, seconds: float = 3.0) -> Scenario:
    if kind == "quadruped":
        return QuadrupedTask("spirit40", live=True, seconds=seconds).scenario()
    return WalkTask(board=FLOOR, controller=kind, live=True, seconds=seconds).scenario()


class Script:
    """A source that wishes what a script says, at the times of the run at which it is asked."""

    name = "the script"
    guide: Sequence[str] = ()

    def __init__(self, *wishes: tuple[float, SteeringWish | str]) -> None:
        self._wishes, self._polls = wishes, -1
        self.gaits: tuple[str, ...] = ()

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def begin(self, gaits: Sequence[str]) -> None:
        self.gaits = tuple(gaits)

    def poll(self) -> SteeringWish:
        self._polls += 1
        now = [wish for time, wish in self._wishes if time <= self._polls * EVERY + 1e-9]
        wish = now[-1] if now else SteeringWish()
        if isinstance(wish, str):
            raise SourceLostError(wish)
        return wish


AHEAD = (0.3, SteeringWish(forward=0.5))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quadruped", "trot", "reactive-crawl"])
def test_a_replay_of_a_run_steered_by_hand_commands_the_same_bytes(kind: str, tmp_path: Path) -> None:
    gait = "pace" if kind == "quadruped" else None
    source = Script(
        AHEAD, (0.8, SteeringWish(forward=0.5, turn=-0.3, gait=gait)), (1.2, SteeringWish(gait=gait, over=True))
    )
    result = run_scenario(scenario(kind), tmp_path, pilot=Pilot(source))
    # Whether it kept its feet is another question: the pace tips the robot.
    assert result.metrics.finished, result.reasons
    assert result.metrics.travel[0] > 0.01
    log = Log.open(tmp_path / "log.mcap")
    steered = [event for event in log.events if event.kind is EventKind.STEER]
    assert [event.time for event in steered] == pytest.approx(
        [0.3, 0.8, 0.8, 1.2] if gait else [0.3, 0.8, 1.2], abs=1e-6
    )
    assert steered[0].data["forward"] > 0.0
    assert steered[-1].data == {"over": "ended by the script"}
    assert [moment.text for moment in result.story if "gait" in moment.text] == ([f"gait {gait}"] if gait else [])
    replayed = replay_log(tmp_path)
    assert replayed.ticks == len(log.rows("sensors").rows)
    assert replayed.identical


def test_what_is_asked_is_a_share_of_the_largest_speeds() -> None:
    with session_of(scenario("quadruped"), build(scenario("quadruped"))) as session:
        pilot = Pilot(Script((0.0, SteeringWish(0.5, -1.0, 1.0))))
        pilot(session)
        steering = session.steering
        assert steering is not None
        assert steering.fastest is not None
        asked, most = steering.heading(0.0), steering.fastest
        assert (asked.forward, asked.lateral, asked.turn) == pytest.approx(
            (0.5 * most.forward, -most.lateral, most.turn), abs=1e-3
        )
        # Froude number 1 ahead: v = sqrt(g h); half of that to a side.
        height = session.controller.body.height  # type: ignore[attr-defined]
        assert most.forward == pytest.approx(math.sqrt(9.81 * height), rel=1e-3)
        assert most.lateral == pytest.approx(0.5 * most.forward)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ("the gamepad x is gone: No such device", "the gamepad x is gone: No such device"),
        (SteeringWish(over=True), "ended by"),
    ],
)
def test_a_robot_whose_steering_is_lost_stands_and_says_why(wish: SteeringWish | str, why: str, tmp_path: Path) -> None:
    pilot = Pilot(Script(AHEAD, (1.0, wish)))
    result = run_scenario(scenario("quadruped", 20.0), tmp_path, pilot=pilot)
    assert result.passed
    assert any(moment.text.startswith(f"stands: {why}") for moment in result.story)
    assert bool(pilot.lost) == isinstance(wish, str)
    truth = Log.open(tmp_path / "log.mcap").rows("truth")
    assert np.abs(truth["qvel"][-50:, :3]).max() < 0.15
    assert result.metrics.duration < 6.0


@pytest.mark.slow
def test_after_its_time_the_robot_stands(tmp_path: Path) -> None:
    result = run_scenario(scenario("trot", 1.0), tmp_path, pilot=Pilot(Script(AHEAD), 1.0))
    assert result.passed
    assert [(m.time, m.text) for m in result.story] == [(1.0, "stands: 1 s are over")]


@pytest.mark.slow
def test_nobody_at_the_wheel_leaves_the_robot_standing(tmp_path: Path) -> None:
    result = run_scenario(scenario("trot", 1.0), tmp_path)
    assert not result.passed
    assert result.metrics.travel[0] == pytest.approx(0.0, abs=0.01)


def test_a_session_refuses_what_may_not_be_asked() -> None:
    with session_of(scenario("quadruped"), build(scenario("quadruped"))) as session:
        session.steer(Heading(0.2))
        with pytest.raises(ControlError) as raised:
            session.steer(Heading(99.0))
        assert str(raised.value).startswith(
            "steering.forward: is faster than may be asked of this robot while it walks; got '99 m/s'; limit: "
        )
        with pytest.raises(ControlError, match=r"there is no such gait; got 'hop'; legal: trot, running-trot"):
            session.choose_gait("hop")
        assert session.steering is not None
        assert session.steering.heading(0.0) == Heading(0.2)
        assert session.step().events[0].text.startswith("0.2 m/s ahead")


def test_one_gait_cannot_be_changed() -> None:
    with (
        session_of(scenario("trot"), build(scenario("trot"))) as session,
        pytest.raises(ControlError, match="this controller has one gait only; got 'pace'"),
    ):
        session.choose_gait("pace")


def test_a_run_by_a_script_cannot_be_steered() -> None:
    by_script = QuadrupedTask("spirit40", (0.3, 0.0, 0.0)).scenario()
    with session_of(by_script, build(by_script)) as session:
        assert session.steering is None
        for steer in (lambda s: s.steer(STILL), lambda s: s.choose_gait("trot"), lambda s: s.end_steering("")):
            with pytest.raises(SessionError, match="this robot is not steered while it walks"):
                steer(session)
        with pytest.raises(SessionError):
            Pilot(Script())(session)


def test_snapshots_keep_what_was_asked() -> None:
    with session_of(scenario("trot"), build(scenario("trot"))) as session:
        session.steer(Heading(0.1))
        session.steps(30)
        snapshot = session.snapshot()
        first = _end(session)
        session.steer(STILL)
        session.steps(5)
        session.restore(snapshot)
        assert _end(session) == first


def _end(session: Session) -> bytes:
    tick = session.steps(40)
    assert tick is not None
    return tick.command.vector.tobytes()


def test_largest_speeds_of_a_scenario_hold(tmp_path: Path) -> None:
    data = scenario("trot").model_dump(exclude_unset=True)
    data["controller"]["live"] = {"forward": 0.05}
    with session_of(validated(data), build(validated(data))) as session:
        assert session.steering is not None
        assert session.steering.fastest is not None
        assert session.steering.fastest.forward == 0.05
        assert session.steering.fastest.turn > 0.1
    data["controller"]["live"] = {"forward": 50.0}
    with pytest.raises(ControlError, match=r"the trot cannot go so fast within the robot's limits; got '50 m/s'"):
        build(validated(data))


def test_live_and_a_script_or_a_goal_contradict_each_other() -> None:
    data = scenario("trot").model_dump(exclude_unset=True)
    data["controller"]["steering"] = [{"forward": 0.1}]
    with pytest.raises(ControlError, match="a robot that is steered live follows no script"):
        build(validated(data))
    for more, error in (({"twist": (0.1, 0.0, 0.0)}, "twist"), ({"goal": (1.0, 0.0)}, "goal")):
        with pytest.raises(QuadrupedTaskError, match=f"{error}: a robot that is steered by hand has none"):
            QuadrupedTask("spirit40", live=True, **more)  # type: ignore[arg-type]
    with pytest.raises(WalkTaskError, match="twist: a robot that is steered by hand has none"):
        WalkTask(controller="trot", live=True, twist=(0.1, 0.0, 0.0))
    with pytest.raises(WalkTaskError, match="this controller follows no twist; got 'crawl'"):
        WalkTask(controller="crawl", live=True)
    data = scenario("quadruped").model_dump(exclude_unset=True)
    data["controller"]["goal"] = (1.0, 0.0)
    with pytest.raises((DocumentError, AndanteError), match="is not steered"):
        validated(data)


@pytest.mark.parametrize("name", ["mouse", "", "keyboard:1", "gamepad:"])
def test_what_cannot_steer_is_named(name: str) -> None:
    with pytest.raises(SourceError, match=r"--live: nothing of this name can steer; got '.*legal: keyboard, gamepad"):
        source_of(name)


def test_a_rehearsal_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rehearse(scenario("reactive-crawl"))
    assert list(tmp_path.iterdir()) == []


def walked(
    wishes: Sequence[tuple[float, SteeringWish]], seconds: float, tmp_path: Path, **live: object
) -> tuple[Log, list[str]]:
    """The log of a trot that is steered for some seconds, and what was shown."""
    shown: list[str] = []
    start = scenario("trot", seconds)
    control = start.controller.model_copy(update={"live": LiveChoice(**live)})
    run_scenario(
        start.model_copy(update={"controller": control}), tmp_path, pilot=Pilot(Script(*wishes), seconds, shown.append)
    )
    return Log.open(tmp_path / "log.mcap"), shown


def told(log: Log) -> list[tuple[float, str]]:
    return [(round(event.time, 2), event.text) for event in log.events if event.kind is EventKind.STEER]


@pytest.mark.slow
def test_a_command_ends_two_seconds_after_it_was_given_last(tmp_path: Path) -> None:
    again = [(0.3 + 0.5 * n, SteeringWish(forward=0.5, number=n)) for n in range(4)]
    log, shown = walked(again, 5.0, tmp_path)
    # Given last at 1.8 s; polled every 20 ms.
    assert [each for each in told(log) if "stands" in each[1]] == [
        (3.8, "stands: no command for 2 s"),
        (5.0, "stands: 5 s are over"),
    ]
    assert "stands: no command for 2 s" in shown
    speed = np.abs(log.rows("truth")["qvel"][:, 0])
    times = log.rows("truth").times
    assert speed[(times > 3.0) & (times < 3.8)].mean() > 0.02
    assert speed[-5:].max() < 0.005
    assert replay_log(tmp_path).identical


@pytest.mark.slow
def test_the_same_asked_again_after_it_ended_is_walked_again(tmp_path: Path) -> None:
    log, shown = walked(
        [(0.3, SteeringWish(forward=0.5, number=1)), (1.5, SteeringWish(forward=0.5, number=2))],
        3.0,
        tmp_path,
        timeout=0.5,
    )
    texts = [text for _, text in told(log)]
    assert texts.count("stands: no command for 0.5 s") == 2
    assert [text.startswith("+") for text in shown] == [False, True, False, True, False, False]
    assert replay_log(tmp_path).identical


@pytest.mark.slow
def test_a_command_may_hold_until_the_next_one(tmp_path: Path) -> None:
    log, _ = walked([(0.3, SteeringWish(forward=0.5))], 4.0, tmp_path, timeout=None)
    assert [text for _, text in told(log) if "stands" in text] == ["stands: 4 s are over"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["quadruped", "trot", "reactive-crawl"])
def test_a_program_that_asks_once_is_followed_for_two_seconds(kind: str) -> None:
    with session_of(scenario(kind), build(scenario(kind))) as session:
        while session.time < 0.5:
            session.step()
        assert session.steering is not None
        session.steer(Heading(forward=0.05))
        events = [event for _ in range(round(2.6 / session.controller.period)) for event in session.step().events]
        ended = [event for event in events if event.data.get("timeout") == 2.0]
        assert [event.time for event in ended] == pytest.approx([2.5], abs=0.021)
        assert session.steering.asked == STILL


@pytest.mark.parametrize("timeout", [0.0, -1.0, math.nan, math.inf])
def test_a_time_after_which_commands_end_is_above_zero(timeout: float) -> None:
    with pytest.raises(AndanteError, match="timeout"):
        validated(
            {
                "name": "x",
                "robot": "littledog",
                "controller": {"type": "trot", "live": {"timeout": timeout}},
                "timeout": 1.0,
            }
        )


def test_a_script_holds_for_as_long_as_it_says() -> None:
    script = SteeringScript([Turn(0.0, Heading(forward=0.1))])
    assert script.heading(1e4) == Heading(forward=0.1)

"""The get-up suite: its figures, its picture, and that a seed decides everything."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time

import pytest
from typer.testing import CliRunner

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.cli.app import app
from andante.robots.parts import Joint, MissingModelError, Servo
from andante.robots.robot import Robot
from andante.search.errors import SearchError
from andante.search.executor import InProcess, Processes
from andante.search.experiment import trial as trials_of
from andante.search.experiment.cases import groups_of
from andante.search.experiment.suite import rows_of
from andante.search.experiment.trial import TrialResult
from andante.search.observers.body_watch import Watch
from andante.search.observers.get_up_result import GetUp, Stop
from andante.search.observers.spread import spread_named, spread_over, spreads
from andante.search.suites.getup import SUITE, GetUpOptions, asked, causes, get_up, setup_for
from andante.search.suites.getup_picture import failure_figure

STOP = Stop(time=1.5, block="rise", keyframe=2, why="torso <outside> its window", pitch=-0.5, roll=0.0)


def trial(tries=1, stood=True, time=3.0, needless=None):
    return GetUp(
        stood=stood,
        tries=tries,
        time=time,
        motions=("recoverGeneric",),
        stops=(STOP,) * (tries - int(stood)),
        restarts=int(needless is not None),
        torque=0.5,
        saturated=0.25,
        speed=1.0,
        touching=0.1,
        hardest=100.0,
        waited=0.6,
        touches={"a-b": 3},
    )


def test_rows_count_tries_times_and_needless_restarts():
    told = [
        (trial(time=3.0), None),
        (trial(time=4.0, needless=True), True),
        (trial(tries=2), None),
        (trial(tries=3, stood=False), None),
    ]
    results = [
        TrialResult(seed, each.stood, (), {"get-up": each.data(), "needless": needless})
        for seed, (each, needless) in enumerate(told)
    ]
    experiment = asked(GetUpOptions(start="front", asked=0.6))
    rows = {row.name: row for row in rows_of(experiment, groups_of(experiment), {"front": results})}
    assert rows["front: first try"].value == 0.5
    assert rows["front: first try"].ok is False
    assert rows["front: within 3 tries"].value == 0.75
    assert rows["front: time to stand, median"].value == 3.5
    assert rows["front: time to stand, median"].n == 2
    assert rows["front: needless restarts"].value == 0.25
    assert rows["front: with a restart"].value == 0.25
    # Four times 0.6 s of 3 + 4 + 3 + 3 s.
    assert rows["front: waiting for conditions"].value == pytest.approx(2.4 / 13.0, abs=1e-6)
    low, high = rows["front: first try"].interval
    assert low < 0.5 < high


def test_causes_are_counted_per_keyframe():
    trials = [trial(tries=2), trial(), trial(tries=3, stood=False)]
    assert causes(trials) == [{"block": "rise", "keyframe": 2, "why": STOP.why, "times": 4}]
    results = [TrialResult(seed, True, (), {"get-up": each.data()}) for seed, each in enumerate(trials)]
    (cell,) = SUITE.report(GetUpOptions(start="front"), {"front": results}).about["cells"]
    assert cell["touches"] == [{"pair": "a-b", "ticks": 9}]
    assert cell["causes"][0]["times"] == 4
    json.dumps(cell, allow_nan=False)


def test_the_picture_has_one_dot_per_stop_and_a_bar_per_keyframe() -> None:
    cells = [("front", [trial(tries=3), trial(tries=2, stood=False)]), ("back", [trial()])]
    bars, scatter = failure_figure("A & B", cells).axes
    front, back = scatter.get_lines()
    assert list(front.get_xdata()) == [1.5] * 4
    assert front.get_ydata() == pytest.approx([math.degrees(-0.5)] * 4)
    assert len(back.get_xdata()) == 0
    assert front.get_label() == "front: 0 of 2 at the first try, 1 in the end"
    assert front.get_color() != back.get_color()
    assert [label.get_text() for label in bars.get_yticklabels()] == ["rise[2]"]
    assert sum(patch.get_width() for patch in bars.patches) == 4
    assert [text.get_text() for text in bars.texts] == ["4: torso <outside> its window"]
    assert (scatter.get_xlabel(), scatter.get_ylabel()) == ("time [s]", "pitch [deg]")


def test_a_picture_without_failures_says_so() -> None:
    figure = failure_figure("none", [("back", [trial()])])
    assert [text.get_text() for text in figure.axes[0].texts] == ["No try failed."]


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no such start"), ("frnt", "mean 'front'"), ("front,front", "named twice"), ("front,up", "got 'up'")],
)
def test_unknown_starts_are_refused(text, message):
    with pytest.raises(SearchError, match=message):
        SUITE.cases(GetUpOptions(start=text))


def test_names_of_starts_and_spreads():
    assert asked(GetUpOptions(start="back, front")).axes["start"].chosen == ("back", "front")
    assert spreads() == ("none", "standard", "noisy", "randomised", "randomised-1.5", "wide")
    assert spread_named("wide").name == "wide"
    with pytest.raises(SearchError, match="standard"):
        spread_named("standrad")


def test_wide_world_holds_what_the_spread_says():
    config = setup_for("back", spread="wide").base.world
    assert config.friction == (0.2, 1.4)
    assert config.command_delay == (1, 5)
    assert config.start.lying == "supine"
    assert {stretch.axis for stretch in config.stretches} == {"x", "y"}
    assert all(stretch.factor == (0.95, 1.05) for stretch in config.stretches)
    # The same spread over a world of anybody else.
    other = spread_over(config.but(friction=0.1, noise=config.noise.but(gyro=1.0)), spread_named("wide"), carpet=True)
    assert other.carpet is not None
    assert other.but(carpet=None) == config


@pytest.mark.slow
@pytest.mark.parametrize("start", ["front", "back", "left", "right"])
def test_own_library_stands_up_from_every_side(start):
    result = get_up(setup_for(start, spread="none"), 0)
    assert result.first_try
    assert result.time < 5.0
    assert result.torque <= 1.05


@pytest.mark.slow
def test_a_seed_decides_everything_whatever_ran_before():
    setup = setup_for("front", spread="wide", changes={"observers.get-up.tries": 1, "observers.get-up.hold": 0.1})
    first = get_up(setup, 3)
    get_up(setup, 4)
    assert get_up(setup, 3) == first
    assert get_up(setup, 4) != first


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_workers(tmp_path):
    # Two starts of two seeds: more trials than workers, and cells that must not be mixed up.
    options = GetUpOptions(start="front,back", spread="noisy", tries=1, seeds=2, picture=tmp_path / "x.svg")
    texts = []
    for executor in (InProcess(), Processes(2)):
        report = SUITE.run(options, executor)
        for path, write in report.files.items():
            write(path)
        texts.append((json.dumps(report.data()), options.picture.read_bytes()))
    assert texts[0] == texts[1]


def test_a_trial_that_may_not_end_its_try_runs_out_of_time():
    off = {f"controller.{part}": False for part in ("break_up", "waits", "balance")}
    result = get_up(setup_for("back", spread="none", changes={**off, "timeout": 1.0}), 0)
    assert not result.stood
    assert result.stops[-1].why == "time was over"
    assert result.stops[-1].block == "back_sit"


@pytest.mark.slow
def test_real_library_gets_up(bhuman_folder):
    result = get_up(setup_for("back", library=str(bhuman_folder), spread="none"), 0)
    assert result.first_try
    assert "back" in result.motions
    assert 4.0 < result.time < 6.0


@pytest.mark.slow
def test_a_trial_does_not_depend_on_the_trials_before_it() -> None:
    """Worlds are used again from trial to trial; what one leaves behind must not reach the next."""
    setup = setup_for("front", again=True)
    alone = {}
    for seed in (880535, 880536):
        trials_of._MADE.clear()
        alone[seed] = get_up(setup, seed)
    again = {seed: get_up(setup, seed) for seed in (880536, 880535, 880536)}
    assert again == alone


TABLE = """
<mujoco><worldbody><body name="torso" pos="0 0 1"><freejoint/><geom size=".05" mass="5"/><site name="imu"/>
<body name="table"><joint name="Table" axis="0 0 1"/>
<geom name="top" type="box" size=".05 .05 .01" pos=".3 0 -.03" mass="1"/></body>
<body name="arm"><joint name="Arm" axis="0 1 0"/><geom name="hand" size=".02" pos=".3 0 0" mass=".5"/></body>
</body></worldbody></mujoco>
"""


def test_the_hardest_touch_is_a_force_that_was_solved() -> None:
    """A hand of 0.5 kg rests on a table of the same robot, as far from its hinge as the touch: 0.5 x 9.81 = 4.905 N."""
    servo = Servo(kp=10.0, kd=0.1, max_torque=2.0, max_velocity=5.0, damping=0.0, friction=0.0, armature=0.0)
    robot = Robot(
        name="table",
        title="A hand on a table",
        joints=tuple(Joint(name, -1.0, 1.0, 50.0, 2.0, 50_000.0) for name in ("Table", "Arm")),
        servos=(servo, servo),
        mjcf=TABLE,
        base_body="torso",
        imu_site="imu",
        feet=(),
        tick=0.01,
    )
    world = MujocoWorld(robot, WorldConfig(fixed_base=True, start=Start(height=1.0)))
    watch = Watch(world)
    for settled in (False, True):
        world.reset(0)
        for _ in range(100 if settled else 0):
            world.advance(0.01)
        watch.begin()
        for _ in range(20):
            world.advance(0.01)
            watch.see()
    assert watch.pairs == {"hand-top": 20}
    assert watch.hardest == pytest.approx(4.905, rel=1e-3)


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_an_interrupted_get_up_is_no_result(number) -> None:
    """The runner ends the run under way in good order; what it was by then is not what the seed gives."""
    before = {end: signal.getsignal(end) for end in (signal.SIGINT, signal.SIGTERM)}

    def ask() -> None:
        # Before the runner has the signal, Python raises wherever it is, also where nobody can catch it.
        while signal.getsignal(number) == before[number]:
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    watch = threading.Thread(target=ask, daemon=True)
    endless = {
        "controller.break_up": False,
        "controller.waits": False,
        "timeout": 3600.0,
        "observers.get-up.hold": 1e4,
        "observers.get-up.idle_limit": 1e4,
    }
    setup = setup_for("front", spread="none", changes=endless)
    get_up(setup_for("front", spread="none", changes={**endless, "timeout": 0.1}), 0)
    watch.start()
    with pytest.raises(KeyboardInterrupt):
        get_up(setup, 0)
    watch.join()
    assert {end: signal.getsignal(end) for end in before} == before


@pytest.mark.slow
def test_a_bench_tells_whose_motions_it_plays() -> None:
    """NAO's motions were benched on a T1 without a word, as they are the usual ones."""
    try:
        Robot.load("t1")
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
    asked = ["bench", "getup", "--start", "front", "--spread", "none", "--seeds", "1", "--set", "timeout=0.1"]
    told = CliRunner().invoke(app, [*asked, "--robot", "t1"]).stdout
    assert told.startswith(
        "note: library 'nao' is for robot 'nao'; t1 takes its angles as they are (there is a library 't1'); left out, "
    )
    assert "note:" not in CliRunner().invoke(app, [*asked, "--robot", "t1", "--library", "t1"]).stdout

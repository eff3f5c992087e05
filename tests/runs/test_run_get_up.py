"""Scenarios of get-ups: what they ask, how they are judged, and faults that wait for a keyframe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from run_fakes import FakeBackend, FakeController

from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.documents.problems import DocumentError
from andante.robots.robot import Robot
from andante.runs.build import build, picture_model
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.standing import standing_height
from andante.runs.evaluation.verdict import judge
from andante.runs.execute import run_scenario
from andante.runs.logs.log import Log
from andante.runs.loop.clock import ClockLateness
from andante.runs.loop.outcome import Ending, Outcome, RunLimits
from andante.runs.loop.runner import run
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import read_scenario, scenario_text
from andante.runs.session import Session

TEXT = """\
format: andante.scenario
version: 1
units: {angle: deg, time: ms, length: mm}
name: rise
robot: nao
controller: {type: keyframes, library: LIBRARY, get_up: true, branches: false, tries: 2}
world:
  friction: [0.4, 1.0]
  start: {lying: supine}
  faults:
    - {type: stuck, joints: [LHipYawPitch], when: {block: fromSitting, keyframe: 3}, duration: 300, name: lock}
timeout: 20000
success: {stands_at_end: true}
recording: {report: false, video: false}
"""


def scenario(library: Path | str = "nao-basics", **changes: str) -> Scenario:
    text = TEXT.replace("LIBRARY", str(library))
    for old, new in changes.values() if changes else ():
        text = text.replace(old, new)
    return read_scenario(text, "x")


def test_a_get_up_can_be_asked_for_and_written_back() -> None:
    asked = scenario()
    assert asked.controller.get_up
    assert not asked.controller.branches
    assert asked.controller.compensation
    assert asked.controller.tries == 2
    assert asked.world.faults[0].duration == 0.3
    assert read_scenario(scenario_text(asked), "x") == asked


@pytest.mark.parametrize("task", ["motions: [stand], get_up: true", "mirror: true"])
def test_either_motions_or_a_get_up(task: str) -> None:
    with pytest.raises(DocumentError, match="give either motions or get_up"):
        read_scenario(TEXT.replace("get_up: true", task), "x")


def test_standing_is_measured_by_the_standing_robot(nao) -> None:
    # Thigh 100, shank 102.9, foot 45.19, hip 85 mm below the torso; knees bent by 50 degrees, of which 21 in the hip.
    expected = 0.085 + 0.1 * np.cos(0.3665) + 0.1029 * np.cos(0.5062) + 0.04519
    assert standing_height(nao) == pytest.approx(expected, abs=1e-4)
    assert 0.9 * standing_height(nao) == pytest.approx(0.28, abs=0.01)


def test_the_picture_shows_the_floor_of_the_seed(nao) -> None:
    world = scenario().world.model_copy(update={"slope": (0.0, 0.2), "slope_direction": (-3.0, 3.0)})
    tilts = [picture_model(nao, world, seed).geom("andante_floor").quat.tolist() for seed in (1, 2, 1)]
    assert tilts[0] == tilts[2] != tilts[1]


def test_a_real_get_up_with_a_joint_that_sticks(bhuman_folder: Path, tmp_path: Path) -> None:
    asked = scenario(bhuman_folder)
    result = run_scenario(asked, tmp_path / "a", seed=1)
    assert result.passed, result.reasons
    log = Log.open(tmp_path / "a" / "log.mcap")
    started = [e for e in log.events if e.kind is EventKind.KEYFRAME and e.text == "fromSitting[3]"]
    assert started
    # From the keyframe's tick on, the coupled joints stand still for 0.3 s although they are told to move.
    truth, begin = log.channels["truth"], started[0].time
    part = (truth.times > begin + 0.05) & (truth.times < begin + 0.29)
    joint = list(truth.layout.columns).index("qpos.LHipYawPitch")
    assert np.ptp(truth.rows[part, joint]) < np.radians(0.3)
    after = (truth.times > begin + 0.3) & (truth.times < begin + 0.6)
    assert np.ptp(truth.rows[after, joint]) > np.radians(3.0)
    # Judged by the height at its start, a robot that stays lying would stand.
    parts = build(asked)
    assert parts.standing_height is not None
    outcome = Outcome(Ending.DONE, len(truth.rows), result.metrics.duration, 0.0, 1.0, ClockLateness(), ())
    assert judge(FinishedRun(asked, parts, log, outcome), result.metrics).passed
    lazy = judge(FinishedRun(asked, replace(parts, standing_height=10.0), log, outcome), result.metrics)
    assert [each.text for each in lazy.criteria if not each.passed] != []


LAZY = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao
motions: {recoverGeneric: {blocks: [nothing]}, stand: {blocks: [nothing]}}
blocks: {nothing: {keyframes: [{duration: 100}]}}
"""


def test_a_run_ends_when_the_robot_needs_help(tmp_path: Path) -> None:
    library = tmp_path / "lazy.yaml"
    library.write_text(LAZY)
    asked = scenario(library, fault=(TEXT[TEXT.index("  faults") : TEXT.index("timeout")], ""))
    result = run_scenario(asked, tmp_path / "run", seed=1)
    # Two tries of 100 ms (9 ticks of 12 ms), each followed by a soft fall of 1000 ms.
    assert result.metrics.duration == pytest.approx(2 * (9 * 0.012 + 1.0), abs=0.05)
    assert result.reasons[0] == f"gave up after {result.metrics.duration:.2f} s: 2 tries are used up"
    log = Log.open(tmp_path / "run" / "log.mcap")
    assert [event.text for event in log.events if event.kind is EventKind.HELP] == [
        "the robot needs help: 2 tries are used up"
    ]
    assert log.events[-1].text == "the run ended: failed"


@pytest.mark.slow
def test_a_run_that_was_asked_to_go_on_goes_on_without_hope(robot: Robot) -> None:
    backend, controller = FakeBackend(robot), HopelessController(robot)
    endings = []
    for until_timeout in (False, True):
        limits = RunLimits(0.2, until_timeout=until_timeout)
        outcome = run(Session(backend, controller, Guard(robot, controller.period), limits=limits))
        endings.append((outcome.ending, outcome.ticks, outcome.done_at))
    assert endings == [(Ending.FAILED, 5, None), (Ending.TIMEOUT, 20, None)]


class HopelessController(FakeController):
    """Gives up at its fifth step."""

    @property
    def failed(self) -> bool:
        return self.count >= 5


def test_the_same_get_up_gives_the_same_log(bhuman_folder: Path, tmp_path: Path) -> None:
    rows = []
    for name in ("a", "b"):
        run_scenario(scenario(bhuman_folder), tmp_path / name, seed=3)
        log = Log.open(tmp_path / name / "log.mcap")
        rows.append(b"".join(log.rows(channel).rows.tobytes() for channel in ("sensors", "command", "truth")))
    assert rows[0] == rows[1]

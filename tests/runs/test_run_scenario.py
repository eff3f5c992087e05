"""Scenario documents: what is read, what is refused and how, and what the command line may change."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from andante.backends.world import WorldConfig
from andante.control.controller import ControlError
from andante.documents.problems import DocumentError
from andante.robots.robot import Robot
from andante.runs.controls.motions import KeyframeControl
from andante.runs.errors import ScenarioError
from andante.runs.motion_libraries import library_path, load_motions
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import (
    Overrides,
    load_scenario,
    motion_scenario,
    overridden,
    read_scenario,
    scenario_path,
    scenario_text,
    shipped_scenarios,
)
from andante.runs.task import scenario_of

TEXT = """\
format: andante.scenario
version: 1
units: {angle: deg, time: ms, length: mm}
name: lean
robot: nao
controller: {type: keyframes, library: moves.yaml, motions: [lean, stand], mirror: true}
world:
  friction: [0.5, 0.9]
  pushes: [{time: 500, duration: 50, force: [20, 0, 0]}]
guard: {fall: soften, fall_tilt: 50}
timeout: 9000
success: {stands_at_end: true, fall: {tilt: 45, height: 200}}
"""


def test_units_are_converted() -> None:
    scenario = read_scenario(TEXT, "x")
    assert scenario.timeout == 9.0
    assert scenario.world.pushes[0].time == 0.5
    assert scenario.success.fall.tilt == pytest.approx(math.radians(45))
    assert scenario.success.fall.height == 0.2
    assert scenario.guard.fall_tilt == pytest.approx(math.radians(50))
    assert scenario.controller.motions == ("lean", "stand")


def test_the_text_of_a_scenario_reads_back_equal() -> None:
    scenario = read_scenario(TEXT, "x")
    assert read_scenario(scenario_text(scenario), "x") == scenario


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("timeout", "time_out", "x:11:1: the document has no such field; got 'time_out'; did you mean 'timeout'?"),
        ("friction", "fricton", "x:8:3: world has no such field; got 'fricton'; did you mean 'friction'?"),
        ("stands_at_end", "stands", "x:12:11: success has no such field; got 'stands'"),
        ("timeout: 9000", "timeout: .nan", "x:11:10: timeout"),
        ("timeout: 9000", "timeout: -1", "x:11:10: timeout"),
        ("name: lean", "name: ../up", "x:4:7: name"),
        ("motions: [lean, stand]", "motions: []", "x:6:13: controller: give either motions or get_up"),
        (
            "type: keyframes",
            "type: magic",
            "x:6:20: controller.type is not legal; got 'magic'; legal: keyframes, openr",
        ),
    ],
)
def test_mistakes_are_named_with_their_place(old: str, new: str, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_scenario(TEXT.replace(old, new), "x")
    assert message in str(caught.value)


def test_overrides_change_what_they_name_and_nothing_else() -> None:
    scenario = read_scenario(TEXT, "x")
    changed = overridden(scenario, Overrides(seed=5, motions=("kick",), library="other.cfg", video=False))
    assert (changed.seed, changed.controller.motions, changed.controller.library) == (5, ("kick",), "other.cfg")
    assert not changed.recording.video
    assert overridden(changed, Overrides()) == changed
    assert changed.world == scenario.world


def test_an_illegal_override_is_refused() -> None:
    with pytest.raises(ScenarioError, match="seed: is not legal; got -1; limit: at least 0"):
        overridden(read_scenario(TEXT, "x"), Overrides(seed=-1))


def test_paths_are_seen_from_the_scenarios_file(tmp_path: Path) -> None:
    (tmp_path / "moves.yaml").write_text("")
    (tmp_path / "s.yaml").write_text(TEXT)
    scenario = load_scenario(tmp_path / "s.yaml")
    assert scenario.controller.library == str(tmp_path / "moves.yaml")
    assert scenario.robot == "nao"


def test_an_unknown_scenario_is_named_with_the_shipped_ones() -> None:
    with pytest.raises(ScenarioError, match="no such scenario, neither shipped nor a file; got 'nothing-here'"):
        load_scenario("nothing-here")


def test_a_file_of_motions_is_named_as_one(tmp_path: Path) -> None:
    moves = tmp_path / "moves.yaml"
    moves.write_text(library_path("nao-basics").read_text())
    with pytest.raises(ScenarioError, match=r"holds motions and is no scenario; legal: stand, .*moves\.yaml/stand$"):
        load_scenario(moves)
    with pytest.raises(ScenarioError, match=r"there is no such file; got '.*gone\.yaml'"):
        load_scenario(tmp_path / "gone.yaml" / "stand")


def test_a_file_of_motions_or_a_library_goes_with_the_motions_to_play(tmp_path: Path) -> None:
    moves = tmp_path / "moves.yaml"
    moves.write_text(library_path("nao-basics").read_text())
    for what, library in ((moves, str(moves)), ("nao-basics", "nao-basics")):
        control = scenario_of(what, motion=["sit_down", "stand_up"]).controller
        assert (control.library, control.motions) == (library, ("sit_down", "stand_up"))
    # A library that is called like a scenario stays the scenario.
    assert scenario_of("nao-kick", motion=["kick"]).success.ball is not None


def test_a_scenario_with_a_mistake_is_told_as_a_scenario(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("format: andante.scenario\nversion: 1\nname: 3\n")
    with pytest.raises(DocumentError, match="controller is missing"):
        load_scenario(tmp_path / "s.yaml")


def test_shipped_scenarios_are_valid_and_named_like_their_files() -> None:
    assert "sit-and-stand" in shipped_scenarios()
    for name in shipped_scenarios():
        assert load_scenario(name).name == name


def test_a_motion_alone_makes_a_scenario() -> None:
    scenario = motion_scenario("nao", "file.cfg", ("sitDown", "a b/c"))
    assert scenario.name == "sitDown-a-b-c"
    assert scenario.controller.motions == ("sitDown", "a b/c")
    assert Scenario.model_validate(scenario.model_dump()) == scenario


def test_an_unknown_library_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"neither shipped nor a file; got 'nowhere\.cfg'"):
        load_motions("nowhere.cfg")


def test_motions_for_another_robot_are_refused(tmp_path: Path, squatter) -> None:
    from run_fakes import twin

    from andante.motions.storage import save_library

    path = tmp_path / "squats.yaml"
    save_library(squatter.library, path)
    with pytest.raises(ScenarioError, match=r"library is for another robot; limit: robot 'twin'; .*got 'LHipP"):
        KeyframeControl(library=str(path), motions=("squat",)).controller(twin(), WorldConfig())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "ids: {5: kick_z}",
            r"^controller.ids.5: a command id stands for a motion that the library lacks; got 'kick_z'",
        ),
        ("ids: {601: kick}", r"^ids.601: a command id means both a motion and a stop; got 'kick'$"),
        (
            "counted: {77: {switches: [1], finish: 2}}",
            r"^counted timing for an id without a motion; got '77'; legal",
        ),
        ("motions: [kick_x]", r"^motions: the library has no such motion; got 'kick_x'; did you mean 'kick_"),
    ],
)
def test_commands_that_stand_for_nothing_are_named_before_the_run(line: str, message: str) -> None:
    shipped = scenario_path("ers7-kick").read_text()
    scenario = read_scenario(shipped.replace("library: ers7", f"library: ers7\n  {line}"), "s.yaml")
    with pytest.raises(ControlError, match=message):
        scenario.controller.controller(Robot.load("ers7"), scenario.world)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("time: 0.2", "time: .nan", r"s.yaml:\d+:\d+: controller.commands\[0\].time must be a finite number; got nan"),
        ("library: ers7", "library: ers7\n  frames: 17", r"controller.frames is not legal; got 17; limit: at most 16"),
        (
            "timeout: 10",
            "timeout: 10\nvectors: {buffers: 1}",
            r"vectors.buffers is not legal; got 1; limit: at",
        ),
        ("min_reach: 0.5", "min_reach: 0", r"success.ball.min_reach is not legal; got 0"),
    ],
)
def test_openr_settings_out_of_range_are_named_with_their_line(before: str, after: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_scenario(scenario_path("ers7-kick").read_text().replace(before, after), "s.yaml")


def test_an_openr_robot_plays_motions_with_its_own_player() -> None:
    scenario = motion_scenario("ers7", "ers7", ("block",))
    assert (scenario.controller.type, scenario.world.start.posture) == ("openr", "walk")
    assert motion_scenario("nao", "nao", ("sit",)).controller.type == "keyframes"

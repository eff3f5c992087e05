"""rcsssmj as a judge: its true server is qualified, planted errors are found, and it gives a verdict.

The server runs in the environment that ``ANDANTE_RCSSSMJ`` names, else in this one's, with whatever MuJoCo it has.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.backends.rcsssmj import environment
from andante.backends.rcsssmj.link import RcsssmjLink, close_links
from andante.backends.world import Stretch
from andante.cli.app import app
from andante.robots.robot import Robot
from andante.runs.task import scenario_of
from andante.search.judging import qualify_rcsssmj as qualifying
from andante.search.judging.explain import TrialCourse, parting
from andante.search.judging.judges import JUDGES
from andante.search.judging.qualify_rcsssmj import qualify_rcsssmj


@pytest.fixture
def server(monkeypatch):
    """The true server."""
    if not os.environ.get(environment.VARIABLE):
        if importlib.util.find_spec("rcsssmj") is None:
            pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
        monkeypatch.setenv(environment.VARIABLE, sys.prefix)
    yield
    close_links()


class Planted(RcsssmjLink):
    """A server with an error."""

    error = ""
    last = "(syn)"

    def cycle(self, motors):
        motors, self.last = (self.last if self.error == "late" else motors), motors
        return super().cycle(motors)


@pytest.mark.slow
@pytest.mark.long
def test_the_true_server_is_qualified_and_stands_a_k1_up(server, tmp_path):
    out = tmp_path / "said.json"
    asked = [
        *("judge", "getup", "--robot", "k1", "--option", "library=k1", "--start", "front", "--option", "spread=none"),
        *("--option", "tries=1", "--seeds", "1", "--first-seed", "63000", "--set", "world.timestep=0.002"),
        *("--set", "world.command_delay=1", "--in", "rcsssmj", "--out", str(out), "--figures", "--explain"),
    ]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert re.search(r"^rcsssmj 0\.2\.1 with MuJoCo [\d.]+: qualified for k1 by 1\d\d tests", done.output, re.MULTILINE)
    said = json.loads(out.read_text())
    (judged,) = said["judges"]
    assert (judged["both pass"], judged["pairs"], judged["evidence"]) == (1, 1, "other engine")
    assert re.search(r"^rcsssmj, k1: there: .*motors that lose no torque with speed \(22\)", done.output, re.MULTILINE)
    assert "rcsssmj" in said["figures"]["front: time to stand, median"]
    assert "rcsssmj" not in said["figures"]["front: peak torque, median"]
    (why,) = said["explained"]
    assert "deg there" in why or "never farther away" in why


@pytest.mark.slow
@pytest.mark.parametrize("planted", ["late", "one-sided", "armature", "step"])
def test_a_planted_error_is_found(server, planted, monkeypatch):
    robot = Robot.load("k1")
    link = Planted("K1")
    link.error = planted
    if planted == "one-sided":
        true = qualifying.motor_text

        def stronger(motors, rows):
            told = rows.copy()
            told[:, 4] = np.where(rows[:, 4] < 0.0, 1.1 * rows[:, 4], rows[:, 4])
            return true(motors, told)

        monkeypatch.setattr(qualifying, "motor_text", stronger)
    elif planted == "armature":
        begin = qualifying._Bench.__init__

        def thinner(bench, robot, link):
            begin(bench, robot, link)
            bench._model.dof_armature[:] *= 0.1

        monkeypatch.setattr(qualifying._Bench, "__init__", thinner)
    elif planted == "step":
        monkeypatch.setattr(qualifying, "STEP", 0.02)
    failed = next((test for test in qualify_rcsssmj(robot, link) if not test.passed), None)
    link.close()
    assert failed is not None, f"a server with a wrong {planted} is qualified"


def test_a_judge_without_its_environment_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path))
    done = CliRunner().invoke(app, ["judge", "nao/wave", "--in", "rcsssmj", "--seeds", "1"])
    assert done.exit_code == 2
    assert "rcsssmj is not installed" in done.output
    assert "andante judge --install rcsssmj" in done.output
    assert done.output.count("\n") == 1


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([], "WHAT: say what is to be judged"),
        (["--install", "drake"], "--install: no judge of this name has an environment of its own; got 'drake'"),
        (["nao/wave", "--install", "rcsssmj"], "--install: nothing is judged while an environment is made"),
    ],
)
def test_what_is_asked_wrongly_is_told_in_one_message(asked, message):
    done = CliRunner().invoke(app, ["judge", *asked])
    assert done.exit_code == 2
    assert message in done.output


def test_the_environment_is_made_by_one_command(tmp_path, monkeypatch):
    made = tmp_path / "made"
    monkeypatch.setenv(environment.VARIABLE, str(made))
    commands = []

    def run(command):
        commands.append(command)
        (made / "bin").mkdir(parents=True, exist_ok=True)
        python = made / "bin" / "python"
        python.write_text("#!/bin/sh\nprintf '0.2.1 with MuJoCo 3.5.0'\n")
        python.chmod(0o755)

    monkeypatch.setattr(environment, "_run", run)
    done = CliRunner().invoke(app, ["judge", "--install", "rcsssmj"])
    assert done.exit_code == 0, done.output
    assert f"rcsssmj 0.2.1 with MuJoCo 3.5.0 is in {made}" in done.output.replace("\n", "")
    assert [Path(command[0]).name for command in commands] == [Path(sys.executable).name, "python"]
    assert commands[1][-1] == "rcsssmj==0.2.1"


def test_the_judges_word_is_another_engines():
    assert JUDGES["rcsssmj"].evidence == "other engine"
    assert JUDGES["soft"].evidence == "twins"


def test_an_engine_without_forces_is_explained_by_heights_and_joints():
    """Hand-made courses: the judge's torso is 0.1 m lower from 0.3 s on, and its knee bends by 0.5 rad more."""
    times = np.arange(0.0, 0.5, 0.02)
    torso, twin = np.zeros((25, 5)), np.full((25, 5), 0.001)
    torso[:, 4] = 0.5
    twin[:, 4] = 0.501
    low, angles, bent = torso.copy(), np.zeros((25, 2)), np.zeros((25, 2))
    low[15:, 4] = 0.4
    bent[10:, 1] = 0.5
    forces, names, places = np.ones((25, 2)), ("world", "torso"), ("rise",) * 25
    here = TrialCourse(times, torso, forces, names, places, angles, ("hip", "knee"))
    there = TrialCourse(times, low, None, names, places, bent, ("hip", "knee"))
    found = parting(here, there, [TrialCourse(times, twin, forces, names, places, angles, ("hip", "knee"))])
    assert found is not None
    assert (found.time, found.body, found.joint) == (pytest.approx(0.3), "", "knee")
    assert str(found) == (
        "the torso is 0.50 m high as asked and 0.40 m there; knee differs most, 0.0 deg as asked and 28.6 deg there"
    )


STRETCHED = Stretch(geoms=("sole",), axis="x", factor=1.1)


def test_what_of_a_world_is_left_out_there_is_told():
    robot = Robot.load("k1")
    told = JUDGES["rcsssmj"].differences
    plain = scenario_of("k1/sit_down")
    world = plain.world.but(slope=0.1, masses=(0.9, 1.1), torque_speed=(1.0, 1.0), stretches=(STRETCHED,))
    (line,) = [each for each in told(robot, plain.but(world=world)) if "left out" in each]
    assert line == (
        "left out there, as it cannot be told of it: world.slope 0.1, world.masses 0.9 to 1.1, world.stretches (1)"
    )
    assert not [each for each in told(robot, plain) if "left out" in each]

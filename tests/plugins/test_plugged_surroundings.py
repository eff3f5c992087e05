"""What a package's code changes for all of the process, or raises past `Exception`, costs a run and nothing else."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import warnings
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import yaml
from installed_packages import install
from typer.testing import CliRunner

from andante.cli.app import app
from andante.plugins.answers import answer_of
from andante.plugins.errors import PluginError, ReplacedError
from andante.plugins.surroundings import undisturbed
from andante.search.executor import InProcess, run_all
from andante.search.work import ExecutorError

NUMBERS = count()
CODE = """
import builtins, json, math, os, sys, tempfile
from typing import Literal
import numpy as np
from andante.extend import ControlKind, ControllerBase

class Odd(BaseException):
    pass

class Rogue(ControllerBase):
    done = False
    def __init__(self, robot, how):
        super().__init__(robot.tick)
        self.robot, self.how, self.ticks = robot, how, 0
    def reset(self):
        self.ticks = 0
    def step(self, sensors):
        self.ticks += 1
        if self.ticks == 3:
            exec(self.how)
        command = self.robot.command()
        command.position[:] = self.robot.posture("stand")
        command.kp[:], command.kd[:] = self.robot.servo_kp, self.robot.servo_kd
        return command

class RogueControl(ControlKind):
    type: Literal["rogue"]
    how: str = "pass"
    made: str = "pass"
    def controller(self, robot, world):
        exec(self.made)
        return Rogue(robot, self.how)
"""
MOVED = "os.chdir(tempfile.mkdtemp())"
GONE = "folder = tempfile.mkdtemp(); os.chdir(folder); os.rmdir(folder)"


@pytest.fixture
def brought(packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name = f"rogues{next(NUMBERS)}"
    install(packages, name, CODE, {"andante.controllers": {"rogue": "RogueControl"}})
    monkeypatch.chdir(tmp_path)
    yield name
    sys.modules.pop(name, None)


def scenario(**said: str) -> str:
    document = {
        "name": "rogue",
        "robot": "nao",
        "controller": {"type": "rogue", **said},
        "timeout": 0.1,
        "success": {"finishes": False},
        "recording": {"report": False},
    }
    Path("rogue.yaml").write_text(yaml.safe_dump(document))
    return "rogue.yaml"


def run(**said: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["run", scenario(**said), "--out", "out"])
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize("said", [{"how": MOVED}, {"how": GONE}, {"made": MOVED}])
def test_results_go_where_they_were_asked_for_whatever_folder_a_controller_goes_to(brought, said):
    """They went with it, or were lost: the log was looked for in the other folder."""
    here = os.getcwd()
    code, told = run(**said)
    assert (code, os.getcwd()) == (0, here), told
    assert json.loads(Path("out/metrics.json").read_text())["verdict"] == "pass"


def test_a_bench_goes_on_in_its_folder(brought):
    scenario()
    Path("own.yaml").write_text(
        "format: andante.experiment\nversion: 1\nname: own\nwhat: It stands.\nscenario: rogue.yaml\n"
        f"axes: {{how: {{variants: {{moves: {{set: {{controller.how: '{MOVED}'}}}}, stays: {{}}}}}}}}\n"
        "figures: {stood: {metric: fell, is: false, at_least: 1.0}}\nseeds: {count: 2}\n"
    )
    done = CliRunner().invoke(app, ["bench", "own.yaml", "--out", "own.json"])
    assert done.exit_code == 0, done.output
    assert Path("own.json").is_file()


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("raise Odd('mine')", "Odd: mine"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("sys.exit(0)", "SystemExit(0)"),
        ("os._exit(0)", "SystemExit('os._exit(0)')"),
    ],
)
def test_what_would_end_the_program_stops_the_robot_and_is_told(brought, how, says):
    code, told = run(how=how)
    assert code == 1
    assert f"the controller broke off: Rogue.step ({brought}.py:17): wants to end the program by {says}" in told
    assert f"controller 'rogue' of {brought} 1.2" in told


@pytest.mark.parametrize("name", ["np.clip", "np.isfinite", "math.isfinite", "json.dumps", "np.linalg.norm"])
def test_a_run_in_which_a_library_was_changed_counts_for_nothing(brought, name):
    kept = eval(name)
    code, told = run(how=f"{name} = lambda *a, **k: None")
    assert eval(name) is kept
    assert code == 2
    assert f"plug-in {brought} 1.2: its kind of controller 'rogue' failed: the code that was run has replaced" in told
    assert f"got '{name.replace('np.', 'numpy.')}'" in told
    assert not Path("out/metrics.json").exists()


def test_a_verdict_is_told_under_the_settings_of_the_caller(brought):
    before = np.geterr(), sys.getrecursionlimit(), list(warnings.filters)
    how = "np.seterr(all='raise'); sys.setrecursionlimit(200); __import__('warnings').simplefilter('error')"
    assert run(how=how)[0] == 0
    assert (np.geterr(), sys.getrecursionlimit(), list(warnings.filters)) == before


def test_ctrl_c_in_code_of_others_is_ctrl_c(brought):
    code, told = run(how="raise KeyboardInterrupt")
    assert code == 2
    assert "interrupted" in told


def test_a_share_of_robots_on_their_feet_does_not_count_those_whose_controller_broke_off(brought):
    """They had not fallen when they were stopped; the share was 1 and the exit code 0."""
    scenario()
    Path("own.yaml").write_text(
        "format: andante.experiment\nversion: 1\nname: own\nwhat: It stands.\nscenario: rogue.yaml\n"
        "axes: {how: {pooled: true, variants: {breaks: {set: {controller.how: 'raise ValueError(1)'}}, stays: {}}}}\n"
        "figures: {stood: {metric: fell, is: false, at_least: 1.0}}\nseeds: {count: 2}\n"
    )
    done = CliRunner().invoke(app, ["bench", "own.yaml", "--json"])
    (row,) = json.loads(done.stdout)["rows"]
    assert (done.exit_code, row["value"], row["n"]) == (1, 0.5, 4)


def test_the_way_out_past_python_is_shut_while_code_of_others_runs_in_any_thread():
    way = os._exit
    with undisturbed():
        with undisturbed(), pytest.raises(SystemExit, match=r"os\._exit\(3\)"):
            os._exit(3)
        with pytest.raises(SystemExit):
            os._exit(0)
        # What the code forks may go: the test's process goes on alone.
        child = os.fork()
        if not child:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert os._exit is way


class Ends(BaseException):
    pass


def _end(*_: object) -> None:
    raise Ends("here")


def test_all_doors_tell_what_ends_a_program_as_a_failure():
    with pytest.raises(PluginError, match="foothold rule 'mine': raised Ends: here"):
        answer_of("foothold rule 'mine'", _end)
    with pytest.raises(ExecutorError, match="code that was run wants to end the program: Ends: here"):
        run_all(_end, [1], InProcess())


def test_put_back_is_what_was_changed_alone():
    before = math.isfinite
    with pytest.raises(ReplacedError, match=r"math\.isfinite"), undisturbed():
        vars(math)["isfinite"] = id
    assert math.isfinite is before
    with undisturbed():
        np.of_a_test = 1  # type: ignore[attr-defined]
    del np.of_a_test  # type: ignore[attr-defined]

    def interrupted() -> None:
        with undisturbed():
            vars(math)["isfinite"] = id
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert math.isfinite is before


def test_ctrl_c_and_a_request_to_terminate_mean_what_they_meant():
    """A library that takes them left a run that nobody could end."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    with undisturbed():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
    assert [signal.getsignal(number) for number in numbers] == before


def test_what_is_printed_to_is_as_before(monkeypatch):
    before = sys.stdout, sys.stderr
    with undisturbed():
        monkeypatch.setattr(sys, "stdout", None)
        monkeypatch.setattr(sys, "stderr", None)
    assert (sys.stdout, sys.stderr) == before

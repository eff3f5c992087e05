"""What a controller's kind or a task of a package answers: one message with its name, and the run stays as it is."""

from __future__ import annotations

import json
import math
import sys
from itertools import count
from pathlib import Path

import pytest
import yaml
from installed_packages import install
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.logs.log import Log

NUMBERS = count()
BACKEND = """
import math
from typing import Literal
from andante.extend import BackendKind

class Odd(BackendKind):
    type: Literal["odd"]
    wrong: str = ""
    answer: str = "1 / 0"
    def say(self, what, usual):
        return eval(self.answer, {"math": math}) if self.wrong == what else usual
    @property
    def source(self):
        return self.say("source", "simulation")
    @property
    def linked(self):
        return self.say("linked", False)
    @property
    def overhead(self):
        return self.say("overhead", 0.0)
    def physics_period(self, world):
        return self.say("physics_period", None)
    def guarded(self, guard):
        return self.say("guarded", guard)
    def above(self, controller, backend, *, lies=False):
        return self.say("above", controller)
    def backend(self, robot, world):
        from andante.backends.mujoco_world import MujocoWorld
        return MujocoWorld(robot, world)
"""
CODE = """
import math
from typing import Literal
from andante.extend import ControlEvent, ControlKind, ControllerBase, Criterion, EventKind, Moment, Observer, TaskKind

class Mute(Exception):
    def __str__(self):
        raise ValueError("no words")

class Several:
    def __bool__(self):
        raise ValueError("several truths")

class Hold(ControllerBase):
    done = False
    def __init__(self, robot):
        super().__init__(robot.tick)
        self.robot = robot
    def step(self, sensors):
        command = self.robot.command()
        command.position[:] = self.robot.posture("stand")
        command.kp[:], command.kd[:] = self.robot.servo_kp, self.robot.servo_kd
        return command

class HoldControl(ControlKind):
    type: Literal["holder"]
    wrong: str = ""
    def controller(self, robot, world):
        return Hold(robot)
    def answer(self, what, usual):
        if self.wrong == what + " raises":
            raise Mute
        return None if self.wrong == what + " none" else usual
    def driven(self, robot):
        return self.answer("driven", robot)
    def asked(self, robot):
        return self.answer("asked", super().asked(robot))
    def assumed(self, robot):
        return self.answer("assumed", ())
    def binding_note(self, robot):
        return self.answer("binding_note", "")
    def anchored(self, folder):
        return self.answer("anchored", self)
    @property
    def sees_truth(self):
        return self.answer("sees_truth", False)

class Writes(Observer):
    def __init__(self, wrong):
        self.wrong = wrong
    def see(self, tick):
        if self.wrong == "writes":
            tick.command.position[:] = 0.5
        if self.wrong == "mute":
            raise Mute
    def over(self, backend):
        return Several() if self.wrong == "over" else False

class Scribble(TaskKind):
    type: Literal["scribble"] = "scribble"
    wrong: str = ""
    def observers(self, scenario, parts):
        return [Writes(self.wrong)]
    def measure(self, run):
        return {"n": 10**400 if self.wrong == "large" else 1}
    def entries(self, block):
        return {"fell": True} if self.wrong == "shadows" else super().entries(block)
    def brings_down(self, run):
        return Several() if self.wrong == "brings" else False
    def moments(self, run, metrics):
        if self.wrong == "never":
            yield Moment(math.nan, "never")
    def hint(self, scenario):
        return 3 if self.wrong == "hint" else ""
"""


@pytest.fixture
def brought(packages: Path):
    name = f"scribbling{next(NUMBERS)}"
    points = {"andante.controllers": {"holder": "HoldControl"}, "andante.tasks": {"scribble": "Scribble"}}
    install(packages, name, CODE, points)
    yield name
    sys.modules.pop(name, None)


def run(folder: Path, control: str = "", task: str | None = None) -> tuple[int, str, dict]:
    document = {
        "format": "andante.scenario",
        "version": 1,
        "name": "held",
        "robot": "nao",
        "controller": {"type": "holder", "wrong": control},
        "timeout": 0.2,
        "success": {"finishes": False},
        "recording": {"report": False},
        "tasks": [] if task is None else [{"type": "scribble", "wrong": task}],
    }
    file, out = folder / "held.yaml", folder / "out"
    file.write_text(yaml.safe_dump(document))
    (out / "metrics.json").unlink(missing_ok=True)
    done = CliRunner().invoke(app, ["run", str(file), "--out", str(out)])
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    data = json.loads((out / "metrics.json").read_text()) if (out / "metrics.json").is_file() else {}
    return done.exit_code, " ".join(done.output.split()), data


@pytest.mark.parametrize("what", ["driven", "asked", "assumed", "binding_note", "anchored", "sees_truth"])
@pytest.mark.parametrize("way", ["raises", "none"])
def test_what_a_kind_of_controller_says_is_looked_at(brought, tmp_path, what, way):
    code, said, _ = run(tmp_path, f"{what} {way}")
    assert code == 2
    told = "failed: Mute: its text cannot be had" if way == "raises" else "got 'NoneType'"
    assert f"plug-in {brought} 1.2: its kind of controller 'holder' " in said
    assert told in said or (what, way) == ("assumed", "none")


@pytest.mark.slow
def test_who_watches_for_a_task_changes_no_command(brought, tmp_path):
    """The posture that is commanded would otherwise be the observer's, without a word."""
    code, said, _ = run(tmp_path, task="writes")
    assert code == 2
    assert f"{brought} 1.2: task 'scribble' cannot watch: ValueError: assignment destination is read-only" in said
    rows = Log.open(tmp_path / "out" / "log.mcap").rows("command")
    assert abs(rows["position"][:, 0]).max() < 0.1


@pytest.mark.parametrize(
    ("wrong", "code", "says"),
    [
        ("mute", 2, "cannot watch: Mute: its text cannot be had: ValueError"),
        ("over", 2, "cannot watch: ValueError: several truths"),
        ("brings", 1, "cannot say whether it brings the robot down: TypeError: it gives <"),
        ("large", 1, "cannot be measured: its metric 'scribble.n' is larger than any number"),
        ("shadows", 1, "cannot be measured: its metric 'fell' has the name of one that is not its own"),
    ],
)
def test_a_task_that_answers_oddly_is_named(brought, tmp_path, wrong, code, says):
    got, said, data = run(tmp_path, task=wrong)
    assert got == code
    assert f"{brought} 1.2: task 'scribble' {says}" in said
    if data:
        assert data["metrics"]["fell"] is False


def test_a_moment_at_no_time_and_a_hint_that_is_none_are_left_out(brought, tmp_path):
    code, said, data = run(tmp_path, task="never")
    assert code == 0
    assert f"{brought} 1.2: task 'scribble' cannot tell what it saw: ValueError: its moment 'never' is at nan s" in said
    assert all(math.isfinite(each["time"]) for each in data["story"])
    code, said, _ = run(tmp_path, task="hint")
    assert (code, "note: 3" in said) == (0, False)


@pytest.mark.parametrize("what", ["source", "linked", "overhead", "physics_period", "guarded", "above"])
@pytest.mark.parametrize("answer", ["1 / 0", "[]", "math.nan"])
def test_what_a_kind_of_backend_says_is_looked_at(packages, tmp_path, what, answer):
    if (what, answer) == ("physics_period", "math.nan"):
        says = "the physics period must be a positive time"
    else:
        says = "kind of backend 'odd'"
    name = f"oddity{next(NUMBERS)}"
    install(packages, name, BACKEND, {"andante.backends": {"odd": "Odd"}})
    file = tmp_path / "odd.yaml"
    file.write_text(
        "name: odd\nrobot: nao\ntimeout: 0.1\ncontroller: {type: keyframes, library: nao-basics, motions: [stand]}\n"
        f"backend: {{type: odd, wrong: {what}, answer: '{answer}'}}\n"
    )
    done = CliRunner().invoke(app, ["run", str(file), "--out", str(tmp_path / "out"), "--no-report"])
    sys.modules.pop(name, None)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2
    assert says in " ".join(done.output.split())


def test_two_tasks_of_a_kind_are_refused(brought, tmp_path):
    """The first of two would be lost: their numbers stand in one place."""
    file = tmp_path / "two.yaml"
    tasks = "tasks: [{type: scribble}, {type: scribble}]\n"
    file.write_text("name: two\nrobot: nao\ncontroller: {type: holder}\n" + tasks)
    done = CliRunner().invoke(app, ["run", str(file)])
    assert done.exit_code == 2
    assert "two tasks of the kind 'scribble'" in " ".join(done.output.split())

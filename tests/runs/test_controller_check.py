"""`andante doctor --controller`: what a controller does is compared with what it does again, and the cause is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.robots.robot import Robot
from andante.runs.checks.controller_check import CheckFinding, check_controller
from andante.runs.checks.controller_source import ControllerSourceError, controller_source

HEAD = """
import ctypes, itertools, os, random, time
import numpy as np
from typing import Literal
from andante.control.controller import ControllerBase
from andante.runs.controls.kind import ControlKind

LIBC = ctypes.CDLL(None)

class Base(ControllerBase):
    done = False

    def __init__(self, robot):
        super().__init__(robot.tick)
        self.robot = robot

    def step(self, sensors):
        command = self.robot.command()
        command.position[:] = self.robot.posture("stand")
        command.position[0] += 1e-3 * self.value(sensors)
        command.kp[:], command.kd[:] = self.robot.servo_kp, self.robot.servo_kd
        return command
"""
CASES = {
    "good": ("def value(self, sensors): return sensors.time", {}),
    "clock": (
        "def value(self, sensors): return time.perf_counter() % 1.0",
        {"again": "outside of it decides; its code uses time.perf_counter", "snapshot": "perf_counter", "restart": ""},
    ),
    "clock kept": (
        "def value(self, sensors):\n        self.began = time.monotonic()\n        return self.began % 1.0",
        {"again": "controller.began is ", "snapshot": "controller.began is ", "restart": "controller.began is "},
    ),
    "system": (
        "def value(self, sensors): return os.urandom(1)[0]",
        {"again": "os.urandom (line", "snapshot": "os.urandom (line", "restart": "outside of it decides"},
    ),
    "C library": (
        "def value(self, sensors): return LIBC.rand() % 100",
        {"again": "different commands", "snapshot": "LIBC", "restart": "other commands than a new one"},
    ),
    "no reset": (
        "n = 0\n    def value(self, sensors):\n        self.n += 1\n        return self.n",
        {"restart": "controller.n is 17 instead of not there"},
    ),
    "class attribute": (
        "seen = 0\n    def value(self, sensors):\n        type(self).seen += 1\n        return self.seen",
        {"again": "Mine.seen is 17 instead of 0", "restart": "Mine.seen"},
    ),
    "global random": (
        "def value(self, sensors): return random.random()",
        {"again": "random is ", "restart": "random is "},
    ),
    "iterator": (
        "numbers = itertools.count()\n    def value(self, sensors): return next(self.numbers)",
        {"again": "", "snapshot": "no snapshot can be taken of it: Mine.numbers: ", "restart": ""},
    ),
    "raises": (
        "def value(self, sensors): return 1 // int(sensors.time < 0.05)",
        {"again": "the controller raises in tick 5: ZeroDivisionError: "},
    ),
}


def source(tmp_path: Path, body: str) -> str:
    (tmp_path / "mine.py").write_text(f"{HEAD}\n\nclass Mine(Base):\n    {body}\n")
    return f"{tmp_path / 'mine.py'}:Mine"


@pytest.mark.parametrize("name", CASES)
def test_what_differs_is_found_and_named(name: str, tmp_path: Path) -> None:
    body, expected = CASES[name]
    found = check_controller(controller_source(source(tmp_path, body)), Robot.load("nao"), 0.2)
    bad: dict[str, CheckFinding] = {}
    for finding in found:
        if not finding.good:
            bad.setdefault(finding.check, finding)
    assert set(bad) == set(expected)
    for check, text in expected.items():
        assert text in bad[check].text
        assert len(bad[check].text) < 2000
        assert bad[check].remedy or "declare it" in bad[check].text


@pytest.mark.slow
def test_the_command_says_it_in_one_sentence_first(tmp_path: Path) -> None:
    words = ["doctor", "--seconds", "0.2", "--controller"]
    good = CliRunner().invoke(app, [*words, source(tmp_path, CASES["good"][0])])
    assert (good.exit_code, good.stdout.splitlines()[0]) == (
        0,
        "Mine on nao, in simulation: it does the same again, made anew, from snapshots and after reset()",
    )
    bad = CliRunner().invoke(app, [*words, source(tmp_path, CASES["no reset"][0])])
    assert bad.exit_code == 1
    assert bad.stdout.startswith("Mine on nao, in simulation: after reset() it asks for other commands than a new one")


def test_a_kind_is_made_as_a_scenario_makes_it(tmp_path: Path) -> None:
    kind = (
        "def value(self, sensors): return self.gain\n\n\nclass MineControl(ControlKind):\n    type: Literal['my-nod']\n"
        "    gain: float = 0.5\n    def controller(self, robot, world):\n        made = Mine(robot)\n"
        "        made.gain = self.gain\n        return made\n"
    )
    path = source(tmp_path, kind).removesuffix(":Mine")
    made = controller_source(path)
    assert made.name == "my-nod"
    assert all(finding.good for finding in check_controller(made, Robot.load("nao"), 0.1))


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ("x = 1", "", "the file has no controller"),
        ("x = ", "", "the file cannot be run: SyntaxError"),
        ("import nothing_like_this", "", "the file cannot be run: ModuleNotFoundError"),
        ("class Mine(BaseException): ...\nraise Mine", "", "the file cannot be run: Mine"),
        ("raise SystemExit(3)", "", "it ends the program (3)"),
        ("class A:\n  def step(self): ...\n  def reset(self): ...\nclass B(A): ...", "", "several controllers"),
        ("class A:\n  def step(self): ...\n  def reset(self): ...\n", "B", "did you mean"),
    ],
)
def test_what_is_no_controller_is_told(text: str, name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(text)
    with pytest.raises(ControllerSourceError) as told:
        controller_source(f"{tmp_path / 'a.py'}{':' if name else ''}{name}")
    if says != "did you mean":
        assert says in str(told.value)


def test_what_lacks_a_part_of_a_controller_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "class A:\n  def __init__(self, robot): ...\n  def step(self): ...\n  reset = step\n"
    )
    with pytest.raises(ControllerSourceError, match="is no controller: it has no period, done, telemetry, take_events"):
        check_controller(controller_source(str(tmp_path / "a.py")), Robot.load("nao"), 0.1)
    with pytest.raises(ControllerSourceError, match="there is no such Python file"):
        controller_source("nowhere.py")


WRONG = {
    "a class, not a controller": (
        "def value(self, s): return 0.0\ndef made(robot): return Mine",
        "it is the class Mine",
    ),
    "a period in words": ("period = 'fast'", "its period is 'fast'; it must be a number of seconds above 0"),
    "a period that is a method": ("def period(self): return 0.01", "its period is a method, no property"),
    "a done that is a method": ("def done(self): return False", "its done is a method, no property"),
    "a done in words": ("done = 'no'", "its done is 'no'; it must be True or False"),
    "a failed that is a method": ("def failed(self): return False", "its failed is a method, no property"),
    "needs that are a method": ("def needs(self): return ()", "its needs is a method, no property"),
    "needs of its own": (
        "needs = 2.0",
        "its needs is 2.0; it must be a collection of SensorPart: give an attribute of your own another name",
    ),
    "a period of its own": (
        "def __init__(self, robot): super().__init__(robot); self.period = 0.8",
        "Mine.period: period is the time between two steps, which ControllerBase is made with; got 0.8; give your own"
        " attribute another name, such as my_period",
    ),
    "telemetry of its own": (
        "def __init__(self, robot): super().__init__(robot); self.telemetry = {}",
        "Mine.telemetry: telemetry is what went on at the last step, which is kept in self._telemetry; got {}",
    ),
    "a reset that raises": (
        "def reset(self): raise KeyError('gain')",
        "Mine: cannot begin: KeyError: 'gain' (wrong.py:",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_asked_is_told_in_one_message(name: str, tmp_path: Path) -> None:
    body, says = WRONG[name]
    file = tmp_path / "wrong.py"
    file.write_text(f"{HEAD}\nclass Mine(Base):\n    {body}\n")
    which = f"{file}:made" if "made" in body else f"{file}:Mine"
    done = CliRunner().invoke(app, ["doctor", "--controller", which, "--robot", "nao", "--seconds", "0.1"])
    assert done.exit_code == 2, done.output
    assert says in " ".join(done.output.split())


def test_events_that_are_none_are_bad_as_a_step_that_raises_is(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        f"{HEAD}\nclass Mine(Base):\n    def value(self, s): return 0.0\n    def take_events(self): return None\n"
    )
    words = ["doctor", "--controller", f"{file}:Mine", "--robot", "nao", "--seconds", "0.1"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1, done.output
    assert "the controller raises in tick 0: Mine.take_events (wrong.py:" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("None", "Mine.step (wrong.py:25): gave no command; got 'NoneType'"),
        ("self.robot.command(np.full(130, np.nan))", "asks for what is no finite number in tick 0: position.HeadYaw"),
    ],
)
def test_what_gives_no_command_or_no_numbers_is_bad(answer: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(f"{HEAD}\nclass Mine(Base):\n    def step(self, sensors): return {answer}\n")
    found = check_controller(controller_source(f"{file}:Mine"), Robot.load("nao"), 0.1)
    assert not found[0].good
    assert says in found[0].text

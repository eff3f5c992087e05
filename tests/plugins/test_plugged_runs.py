"""Tasks, backends and controllers of packages in runs: good ones, and bad ones that cost only themselves."""

from __future__ import annotations

import importlib
import json
import sys
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from installed_packages import install
from typer.testing import CliRunner

from andante.cli.app import app
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.logs.log import Log
from andante.runs.tasks.registry import TASKS

NUMBERS = count()
CODE = """
import math
from typing import ClassVar, Literal
import numpy as np
from andante.extend import (BackendKind, ControlKind, ControllerBase, Criterion, Moment, Observer, TaskKind)

class Hold(ControllerBase):
    done = False

    def __init__(self, robot, wrong):
        super().__init__(robot.tick)
        self.robot, self.wrong, self.count = robot, wrong, 0

    def reset(self):
        super().reset()
        self.count = 0

    def step(self, sensors):
        self.count += 1
        command = self.robot.command()
        command.position[:] = self.robot.posture("stand")
        command.kp[:], command.kd[:] = self.robot.servo_kp, self.robot.servo_kd
        if self.count == 5 and self.wrong == "nan":
            command.position[0] = math.nan
        if self.count == 5 and self.wrong == "shape":
            return np.zeros(3)
        if self.count == 5 and self.wrong == "events":
            self.take_events = lambda: 1 / 0
        if self.count == 5 and self.wrong == "raises":
            raise ZeroDivisionError("no legs")
        return command

class HoldControl(ControlKind):
    type: Literal["hold"]
    wrong: str = ""
    def controller(self, robot, world):
        if self.wrong == "made":
            raise KeyError("lost")
        return None if self.wrong == "none" else Hold(robot, self.wrong)

class Mute:
    def __init__(self, robot, fails, wrong):
        self.robot, self.sensors, self.fails, self.wrong = robot, robot.sensors(), fails, wrong
        if wrong != "timeless":
            self.time = 0.0
    def reset(self, seed):
        self.time, self.sensors, self.noise = 0.0, self.robot.sensors(), np.random.default_rng(seed)
        self.sensors.orientation[0] = self.sensors.health[:] = self.sensors.contact[:] = 1.0
        self.sensors.position[:] = self.robot.posture("stand")
    def read(self):
        self.sensors.vector[0] = self.time
        self.sensors.accelerometer[:] = self.noise.normal((0.0, 0.0, 9.81), 0.01)
        self.sensors.gyro[:] = self.noise.normal(0.0, 1e-3, 3)
        if self.wrong == "senseless":
            return None
        return self.sensors if self.wrong == "shares" else self.sensors.copy()
    def write(self, command):
        self.sensors.position[:] = command.position
        if self.wrong == "writes":
            command.position[:] = 55.0
    def advance(self, duration):
        self.time += duration
        if self.time > self.fails:
            raise OSError("cable pulled")
    def truth(self):
        return None
    def close(self):
        if self.wrong == "stuck":
            raise OSError("socket gone")

class MuteBackend(BackendKind):
    type: Literal["mute"]
    fails: float = 100.0
    wrong: str = ""
    @property
    def source(self):
        return "recording"
    def backend(self, robot, world):
        return Mute(robot, self.fails, self.wrong)

class Count(Observer):
    def __init__(self, last):
        self.ticks, self.last = 0, last
    def see(self, tick):
        self.ticks += 1
        if self.last == -1:
            raise OSError("camera gone")
    def over(self, backend):
        return self.last is not None and self.ticks >= self.last

class HopTask(TaskKind):
    type: Literal["hop"] = "hop"
    files: ClassVar[tuple[str, ...]] = ("hop.png",)
    units: ClassVar[dict[str, str]] = {r"hop\\\\.height": "m"}
    least: float = 0.1
    last: int | None = None
    wrong: str = ""

    def fail(self, what):
        if self.wrong == what:
            raise ZeroDivisionError("no ground")

    def observers(self, scenario, parts):
        self.fail("observers")
        return [Count(self.last)]
    def keepers(self, scenario, parts):
        return [Count(None)]
    def notes(self, scenario, parts):
        return ["hops are counted"]
    def measure(self, run):
        self.fail("measure")
        if self.wrong == "nan":
            return {"height": math.nan, "steps": [1, math.inf], "ticks": 3}
        if self.wrong == "object":
            return {"height": object()}
        if self.wrong == "ends":
            raise SystemExit(0)
        if self.wrong == "numpy":
            return {"height": np.float32(0.25), "of": np.arange(2), "sure": np.bool_(True)}
        return {"height": 0.25, "ticks": len(run.log.rows("sensors").rows)}
    def criteria(self, run, metrics):
        self.fail("criteria")
        if self.wrong == "word":
            yield "too low"
        if self.wrong == "said":
            yield Criterion("hop", "no", "said no")
        height = metrics.block("hop")["height"]
        text = f"hopped {height:.2f} m (limit {self.least:.2f} m)"
        yield Criterion("hop", height >= self.least, text, self.least, height, "m")
    def brings_down(self, run):
        return "maybe" if self.wrong == "down" else None
    def moments(self, run, metrics):
        self.fail("moments")
        yield Moment(0.05, "took off")
    def cards(self, block):
        return [("hop", f"{block['height']:.2f} m")]
    def pictures(self, run, folder, metrics):
        self.fail("pictures")
        from matplotlib.figure import Figure
        (kept,) = run.kept["hop"]
        figure = Figure(figsize=(2, 2))
        figure.suptitle(f"{kept.inner.ticks if hasattr(kept, 'inner') else kept.ticks} ticks")
        figure.savefig(folder / "hop.png")
        if self.wrong == "text":
            (folder / "hop.png").write_text("hopped")
        if self.wrong == "cut":
            (folder / "hop.png").write_bytes((folder / "hop.png").read_bytes()[:900])
        return {"The hop": folder / "hop.png"}

class Sprang(TaskKind):
    type: Literal["sprang"] = "sprang"
    @classmethod
    def found_in(cls, scenario):
        return cls() if scenario.note == "sprang" else None
    def measure(self, run):
        return {"height": 0.25}
    def criteria(self, run, metrics):
        yield Criterion("sprang", metrics.block("sprang")["height"] > 1.0, "sprang too low")

OTHER = 3
"""
POINTS = {
    "andante.controllers": {"hold": "HoldControl", "broken-hold": "OTHER", "lost": "MISSING"},
    "andante.backends": {"mute": "MuteBackend"},
    "andante.tasks": {"hop": "HopTask", "broken-hop": "OTHER"},
}


@pytest.fixture
def brought(packages: Path) -> str:
    """A package that brings a controller, a backend and a task."""
    name = f"hopping{next(NUMBERS)}"
    install(packages, name, CODE, POINTS)
    yield name
    sys.modules.pop(name, None)


def run(folder: Path, code: int, **parts: Any) -> tuple[str, dict[str, Any]]:
    """What `andante run` says of a scenario, and its metrics.json; empty where there is none."""
    document = {
        "format": "andante.scenario",
        "version": 1,
        "name": "held",
        "robot": "nao",
        "controller": {"type": "hold"},
        "timeout": 0.3,
        "success": {"finishes": False},
        "recording": {"report": False},
    } | parts
    file, out = folder / "held.yaml", folder / "out"
    file.write_text(yaml.safe_dump(document))
    done = CliRunner().invoke(app, ["run", str(file), "--out", str(out)])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    data = json.loads((out / "metrics.json").read_text()) if (out / "metrics.json").is_file() else {}
    return " ".join(done.output.split()), data


def ticks(folder: Path) -> int:
    return len(Log.open(folder / "out" / "log.mcap").rows("sensors").rows)


def test_a_task_of_a_package_is_measured_judged_told_and_drawn(brought, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "hop.png").write_bytes(b"of an earlier run")
    said, data = run(tmp_path, 0, tasks=[{"type": "hop"}], recording={"report": True})
    assert data["metrics"]["hop"] == {"height": 0.25, "ticks": ticks(tmp_path)}
    assert list(data["metrics"])[-1] == "hop"
    criterion = data["criteria"][-1]
    assert (criterion["name"], criterion["passed"], criterion["asked"], criterion["reached"]) == (
        "hop",
        True,
        0.1,
        0.25,
    )
    assert data["story"] == [{"time": 0.05, "text": "took off"}]
    assert data["notes"] == ["hops are counted"]
    assert (tmp_path / "out" / "hop.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "The hop" in page
    assert "hop.height" in page
    assert "hopped 0.25 m (limit 0.10 m)" in said


def test_numbers_of_numpy_are_numbers(brought, tmp_path):
    _, data = run(tmp_path, 0, tasks=[{"type": "hop", "wrong": "numpy"}])
    assert data["metrics"]["hop"] == {"height": 0.25, "of": [0, 1], "sure": True}
    assert (data["criteria"][-1]["passed"], data["criteria"][-1]["reached"]) == (True, 0.25)


def test_fields_of_kinds_are_listed_with_their_paths(brought):
    for kind, path in (("hold", "controller.wrong"), ("mute", "backend.fails"), ("hop", "tasks[0].least")):
        told = CliRunner().invoke(app, ["params", kind])
        assert f"{path} " in told.stdout, told.output
    listed = CliRunner().invoke(app, ["params"]).stdout
    assert f"Kind of task of {brought} 1.2" in " ".join(listed.split())
    refused = CliRunner().invoke(app, ["params", "lost"])
    assert (refused.exit_code, f"plug-in {brought} 1.2: cannot be imported" in refused.stderr) == (2, True)


def test_its_settings_are_those_of_the_scenario(brought, tmp_path):
    said, data = run(tmp_path, 1, tasks=[{"type": "hop", "least": 0.5}])
    assert data["reasons"] == ["hopped 0.25 m (limit 0.50 m)"]
    said, _ = run(tmp_path, 2, tasks=[{"type": "hop", "leest": 0.5}])
    assert "'leest'" in said
    assert "did you mean 'least'" in said
    said, _ = run(tmp_path, 2, tasks=[{"type": "hpo"}])
    assert "tasks[0].type is not legal; got 'hpo'; did you mean 'hop'" in said


def test_its_observer_ends_the_run(brought, tmp_path):
    run(tmp_path, 0, tasks=[{"type": "hop", "last": 7}])
    assert ticks(tmp_path) == 7


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ("measure", "be measured: ZeroDivisionError: no ground"),
        ("nan", "be measured: its metric 'hop.height' is NaN; None says that there is no number"),
        ("object", "be measured: its metric 'hop.height' is a object, no number, text, list or mapping"),
        ("ends", "be measured: SystemExit: 0"),
        ("criteria", "be judged: ZeroDivisionError: no ground"),
        ("word", "be judged: TypeError: it gives a str, no Criterion"),
        ("said", "be judged: TypeError: it gives 'no' (str), not True or False"),
        ("down", "say whether it brings the robot down: TypeError: it gives 'maybe' (str), not True or False"),
    ],
)
def test_what_it_does_wrong_fails_the_verdict_by_its_name_and_keeps_the_rest(brought, tmp_path, wrong, what):
    said, data = run(tmp_path, 1, tasks=[{"type": "hop", "wrong": wrong}])
    assert data["reasons"] == [f"{brought} 1.2: task 'hop' cannot {what}"]
    assert f"task 'hop' cannot {what}" in said
    assert data["metrics"]["fell"] is False
    assert ticks(tmp_path) > 10


def test_other_numbers_of_a_task_are_kept_beside_one_that_is_none(brought, tmp_path):
    """All that the task had measured was lost."""
    _, data = run(tmp_path, 1, tasks=[{"type": "hop", "wrong": "nan"}])
    assert data["metrics"]["hop"] == {"height": None, "steps": [1, None], "ticks": 3}


@pytest.mark.parametrize(("wrong", "what"), [("moments", "tell what it saw"), ("pictures", "draw its pictures")])
def test_pictures_and_story_that_cannot_be_made_are_noted(brought, tmp_path, wrong, what):
    _, data = run(tmp_path, 0, tasks=[{"type": "hop", "wrong": wrong}], recording={"report": True})
    assert f"{brought} 1.2: task 'hop' cannot {what}: ZeroDivisionError: no ground" in data["notes"]
    assert data["verdict"] == "pass"


@pytest.mark.parametrize("wrong", ["text", "cut"])
def test_a_file_that_is_no_picture_is_told_and_not_shown(brought, tmp_path, wrong):
    _, data = run(tmp_path, 0, tasks=[{"type": "hop", "wrong": wrong}], recording={"report": True})
    (note,) = [each for each in data["notes"] if "cannot draw" in each]
    what = "draw its pictures: ValueError: its hop.png is no picture in PNG, JPEG, GIF, WEBP: "
    assert note.startswith(f"{brought} 1.2: task 'hop' cannot {what}")
    assert "The hop" not in (tmp_path / "out" / "report.html").read_text()


def test_an_observer_that_raises_is_named_and_the_log_kept(brought, tmp_path):
    said, _ = run(tmp_path, 2, tasks=[{"type": "hop", "last": -1}])
    assert f"{brought} 1.2: task 'hop' cannot watch: OSError: camera gone" in said
    assert any("camera gone" in event.text for event in Log.open(tmp_path / "out" / "log.mcap").events)
    said, _ = run(tmp_path, 2, tasks=[{"type": "hop", "wrong": "observers"}])
    assert f"{brought} 1.2: task 'hop' cannot watch: ZeroDivisionError: no ground" in said


def test_a_folder_and_a_line_of_registration_are_a_kind_that_is_found(brought, tmp_path):
    """As a kind in the tree: it is not named by the scenario, and finds itself in it."""
    TASKS.register("sprang", importlib.import_module(brought).Sprang)
    try:
        _, data = run(tmp_path, 1, note="sprang")
        assert data["reasons"] == ["sprang too low"]
        assert data["metrics"]["sprang"] == {"height": 0.25}
        _, data = run(tmp_path, 0)
        assert "sprang" not in data["metrics"]
    finally:
        TASKS.unregister("sprang")


def test_a_broken_kind_costs_only_who_names_it(brought, tmp_path):
    run(tmp_path, 0)
    for parts in ({"controller": {"type": "broken-hold"}}, {"tasks": [{"type": "broken-hop"}]}):
        said, _ = run(tmp_path, 2, **parts)
        assert f"plug-in {brought} 1.2" in said
        assert said.count("andante:") == 1
    said, _ = run(tmp_path, 2, controller={"type": "lost"})
    assert f"plug-in {brought} 1.2: cannot be imported" in said
    assert "MISSING" in said


def test_a_backend_without_ground_truth_says_what_is_not_known(brought, tmp_path):
    said, data = run(tmp_path, 0, backend={"type": "mute"}, recording={"report": True})
    # Without ground truth the robot's own IMU is what tells of a fall, and the verdict says so.
    assert "did not fall, as observed by its own IMU" in said
    metrics = data["metrics"]
    assert metrics["observed"] is True
    assert metrics["fell"] is False
    assert metrics["max_tilt"] < 0.01
    assert {metrics[name] for name in ("final_height", "travel", "energy", "slip", "walk")} == {None}
    assert metrics["tracking_error"] == 0.0
    assert Log.open(tmp_path / "out" / "log.mcap").metadata["run"]["kind"] == "recording"
    assert "from recording" in (tmp_path / "out" / "report.html").read_text()
    asked = {"finishes": False, "no_fall": False, "stands_at_end": True}
    _, data = run(tmp_path, 1, backend={"type": "mute"}, success=asked)
    assert data["reasons"] == ["does not stand at the end: there is no ground truth"]
    run(tmp_path, 0, backend={"type": "mute"}, success={"finishes": False, "no_fall": False})


def test_a_backend_that_breaks_is_named_and_the_log_kept(brought, tmp_path):
    said, _ = run(tmp_path, 2, backend={"type": "mute", "fails": 0.1})
    assert f"plug-in {brought} 1.2: its kind of backend 'mute' failed: OSError: cable pulled" in said
    assert ticks(tmp_path) > 5


def test_a_backend_that_gives_no_sensors_is_named_by_its_package(brought, tmp_path):
    said, _ = run(tmp_path, 2, backend={"type": "mute", "wrong": "senseless"})
    assert f"plug-in {brought} 1.2: its kind of backend 'mute' failed: Mute.read (" in said
    assert "gave no sensors; got 'NoneType'; limit: Sensors of robot" in said


def test_a_backend_that_cannot_be_let_go_of_costs_no_verdict(brought, tmp_path):
    said, data = run(tmp_path, 0, backend={"type": "mute", "wrong": "stuck"}, success={"finishes": False})
    assert data["verdict"] == "pass"
    told = f"what was moved could not be let go of: plug-in {brought} 1.2: its kind of backend 'mute' failed: OSError:"
    assert f"note: {told} socket gone" in said


def test_a_backend_may_keep_its_record_and_change_the_command(brought, tmp_path):
    logs = []
    for wrong in ("", "shares", "writes"):
        run(tmp_path, 0, backend={"type": "mute", "wrong": wrong})
        log = Log.open(tmp_path / "out" / "log.mcap")
        logs.append([log.rows(channel).rows for channel in ("sensors", "command")])
    for other in logs[1:]:
        np.testing.assert_array_equal(other[0], logs[0][0])
        np.testing.assert_array_equal(other[1], logs[0][1])


def test_what_a_backend_lacks_is_told(brought, tmp_path):
    said, _ = run(tmp_path, 2, backend={"type": "mute", "wrong": "timeless"})
    assert "kind of backend 'mute': makes no backend; got 'Mute'; it has no time when it is made" in said


def test_vectors_go_around_any_backend(brought, tmp_path):
    said, _ = run(tmp_path, 2, backend={"type": "mute"}, vectors={"frames": 2})
    assert "OPEN-R frames last 8 ms" in said
    said, _ = run(tmp_path, 2, backend={"type": "openr", "inner": {"type": "mute"}})
    assert "OPEN-R frames last 8 ms" in said
    said, _ = run(tmp_path, 2, backend={"type": "openr", "inner": {"type": "mutee"}})
    assert "did you mean 'mute'" in said


@pytest.mark.parametrize(
    ("wrong", "code", "says"),
    [
        ("made", 2, "its kind of controller 'hold' failed: KeyError: 'lost'"),
        ("none", 2, "kind of controller 'hold': makes no controller; got 'NoneType'"),
        ("raises", 1, "the controller broke off: ZeroDivisionError: no legs"),
        ("shape", 1, "the controller broke off"),
        ("events", 1, "the controller broke off when asked for take_events: ZeroDivisionError: division by zero"),
        ("nan", 1, "1.2 asked for what is no finite number at HeadYaw, first after 0.0"),
    ],
)
def test_a_controller_that_does_something_wrong_is_named(brought, tmp_path, wrong, code, says):
    said, data = run(tmp_path, code, controller={"type": "hold", "wrong": wrong})
    assert says in said
    if data:
        assert ticks(tmp_path) > 5
        assert f"controller 'hold' of {brought} 1.2" in said


def test_installed_kinds_are_listed_and_told_with_what_is_wrong(brought):
    done = CliRunner().invoke(app, ["plugins"])
    for name in ("hold", "mute", "hop"):
        assert name in done.output
    assert "broken-hop" in done.output
    assert "hold" in CONTROLLERS.plugged


def test_a_package_that_ends_the_program_when_it_is_imported_costs_only_itself(packages, tmp_path):
    name = f"ending{next(NUMBERS)}"
    install(packages, name, "import sys\nsys.exit(3)\n", {"andante.controllers": {"ends": "ANYTHING"}})
    said, _ = run(tmp_path, 2, controller={"type": "ends"})
    assert f"plug-in {name} 1.2: cannot be imported" in said
    assert f"SystemExit: 3 ({name}.py:2)" in said
    done = CliRunner().invoke(app, ["plugins"])
    assert done.exit_code == 1
    assert "SystemExit: 3" in done.output

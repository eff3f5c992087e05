"""What a package's pictures do to the run's folder, to matplotlib and to figures of others: told once, and put back."""

from __future__ import annotations

import json
import os
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
CODE = """
import os, shutil
from pathlib import Path
from typing import ClassVar, Literal
import matplotlib
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from andante.extend import TaskKind

class Draws(TaskKind):
    type: Literal["draws"]
    how: str
    def pictures(self, run, folder, metrics):
        exec(self.how)
        figure = Figure(figsize=(2, 2))
        figure.savefig(folder / "drawn.png")
        return {"The drawn one": folder / "drawn.png"}

class Before(TaskKind):
    type: Literal["before"]
    def pictures(self, run, folder, metrics):
        figure = Figure(figsize=(2, 2))
        figure.savefig(folder / "before.png")
        return {"The first one": folder / "before.png"}
"""


@pytest.fixture
def brought(packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package with two tasks that draw."""
    name = f"drawing{next(NUMBERS)}"
    install(packages, name, CODE, {"andante.tasks": {"draws": "Draws", "before": "Before"}})
    monkeypatch.chdir(tmp_path)
    yield name
    sys.modules.pop(name, None)


def run(how: str) -> tuple[str, list[str], str]:
    """What `andante run` says where a task draws so, the notes among the results, and the report."""
    document = {
        "name": "drawn",
        "robot": "nao",
        "controller": {"type": "keyframes", "library": "nao-basics", "motions": ["stand"]},
        "timeout": 0.1,
        "success": {"finishes": False},
        "tasks": [{"type": "before"}, {"type": "draws", "how": how}],
    }
    Path("drawn.yaml").write_text(yaml.safe_dump(document))
    done = CliRunner().invoke(app, ["run", "drawn.yaml", "--out", "out"])
    assert done.exit_code == 0, (done.output, done.exception)
    data = json.loads(Path("out/metrics.json").read_text())
    assert data["verdict"] == "pass"
    assert Log.open(Path("out/log.mcap")).complete
    assert Path("out/scenario.yaml").is_file()
    report = Path("out/report.html").read_text(encoding="utf-8")
    assert "The first one" in report
    return done.output, data["notes"], report


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("shutil.rmtree(folder)", "it has deleted the run's folder, whose files are put back; it raised FileNotFound"),
        ("shutil.rmtree(folder); folder.write_text('mine')", "it has deleted the run's folder"),
        ("shutil.rmtree(folder); folder.mkdir()", "it has deleted or changed files that are not its own"),
        (
            "[each.unlink() for each in folder.iterdir()]",
            "which are put back: scenario.yaml, log.mcap, metrics.json, bef",
        ),
        ("(folder / 'metrics.json').write_text('{}')", "which are put back: metrics.json"),
        ("(folder / 'log.mcap').open('ab').write(b'mine')", "which are put back: log.mcap"),
        ("(folder / 'log.mcap').unlink(); (folder / 'log.mcap').mkdir()", "which are put back: log.mcap"),
        ("os.chdir(folder); shutil.rmtree(os.path.abspath('.')); 1 / 0", "it raised ZeroDivisionError"),
    ],
)
def test_a_run_keeps_its_files_whatever_a_task_does_to_the_folder(brought, how, what):
    here = os.getcwd()
    told, notes, report = run(how)
    assert os.getcwd() == here
    (note,) = notes
    assert note.startswith(f"{brought} 1.2: task 'draws' cannot draw its pictures: RunError: ")
    assert what in note
    assert told.count("task 'draws'") == 1
    assert "The drawn one" not in report


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("os.chdir('/')", "it went to another folder"),
        ("matplotlib.rcParams['figure.dpi'] = 7", "it changed matplotlib's settings (figure.dpi), which are put back"),
        ("plt.style.use('dark_background')", " more), which are put back"),
        ("plt.figure(); plt.figure()", "it left 2 figures of pyplot open, which are closed"),
        ("[plt.figure() for _ in range(25)]", "it left 25 figures of pyplot open"),
        (
            "plt.figure(); plt.ion()",
            "it left 1 figure of pyplot open, which are closed and changed matplotlib's settings",
        ),
    ],
)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_what_a_task_leaves_changed_is_told_once_and_put_back(brought, how, what):
    import matplotlib.pyplot as plt

    mine = plt.figure()
    here, settings = os.getcwd(), dict(plt.rcParams.copy())
    try:
        told, notes, report = run(how)
        assert plt.get_fignums() == [mine.number]
    finally:
        plt.close(mine)
    assert (os.getcwd(), dict(plt.rcParams.copy())) == (here, settings)
    (note,) = notes
    assert note.startswith(f"{brought} 1.2: task 'draws' cannot draw its pictures without leaving traces: it ")
    assert what in note
    assert told.count("task 'draws'") == 1
    assert "The drawn one" in report


@pytest.mark.parametrize(
    "how",
    [
        "plt.close('all')",
        "f = plt.figure(); f.savefig(folder / 'more.png'); plt.close(f)",
        "(folder / 'mine.csv').write_text('1')",
        "matplotlib.use('agg')",
        "(folder / 'log.mcap').read_bytes(); (folder / 'metrics.json').touch()",
    ],
)
def test_what_harms_nobody_is_not_told(brought, how):
    import matplotlib.pyplot as plt

    mine = plt.figure()
    try:
        _, notes, report = run(how)
        assert plt.get_fignums() == [mine.number]
    finally:
        plt.close(mine)
    assert notes == []
    assert "The drawn one" in report

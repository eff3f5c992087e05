"""A contributor's first hour: the lines of CONTRIBUTING.md, followed to the letter, each end in a green test."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from page_steps import REPOSITORY, Command, Shown, Step, steps

sys.path.append(str(Path(__file__).resolve().parents[1] / "plugins"))
from installed_packages import install_project

PAGE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
WALKS = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL))


class Hour:
    """One contributor in a checkout: what was installed is found by each command after it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: list[str] = []
        shutil.copytree(REPOSITORY / "examples" / "plugin", folder / "examples" / "plugin")

    def take(self, step: Step) -> str:
        """Do one step; return what it printed."""
        if isinstance(step, Shown):
            (self._folder / step.name).write_text(step.text, encoding="utf-8")
            return ""
        assert isinstance(step, Command)
        if step.line.startswith("pip install"):
            # As an editable install does it, without touching the environment that all tests share.
            project = self._folder / step.line.split()[-1]
            self._places += install_project(self._folder / f"site-{project.name}", project)
            return ""
        return self.run(step.line)

    def run(self, line: str) -> str:
        """Run a line of the shell; it has to succeed."""
        program, _, words = line.partition(" ")
        andante = f"{sys.executable} -c 'from andante.cli.app import main; main()'"
        own = {"pytest": f"{sys.executable} -m pytest -q -p no:cacheprovider", "andante": andante}
        places = [*self._places, *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            f"{own.get(program, program)} {words}",
            shell=True,
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        return done.stdout


def test_there_is_a_walk_for_each_of_three() -> None:
    assert list(WALKS)[:3] == ["A robot pack", "A codec", "A controller"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["A robot pack", "A codec", "A controller"])
def test_its_lines_end_in_a_green_test(kind: str, tmp_path: Path) -> None:
    hour = Hour(tmp_path)
    told = [(step, hour.take(step)) for step in steps(WALKS[kind])]
    (own,) = [step for step, _ in told if isinstance(step, Shown)]
    (green,) = [printed for step, printed in told if isinstance(step, Command) and step.line.startswith("pytest")]
    assert " passed" in green
    # It is the change that makes the contributor's own test green: without it the test fails.
    (edit,) = [step for step, _ in told if isinstance(step, Command) and step.line.startswith("sed")]
    changed = tmp_path / edit.line.split()[-1]
    template = next((REPOSITORY / "examples" / "plugin").glob(f"*/{Path(*Path(edit.line.split()[-1]).parts[1:])}"))
    shutil.copy(template, changed)
    with pytest.raises(AssertionError, match="1 failed"):
        hour.run(f"pytest {own.name}")

"""The templates of `examples/plugin`: each is installed, imports public names only, and its own tests pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from outside_packages import private_imports

sys.path.append(str(Path(__file__).resolve().parents[1] / "plugins"))
from installed_packages import install_project

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted(path.parent for path in (ROOT / "examples" / "plugin").glob("*/pyproject.toml"))


def test_there_is_one_for_each_walk_through() -> None:
    assert [path.name for path in TEMPLATES] == ["backend", "controller", "format", "robot"]


@pytest.mark.slow
@pytest.mark.parametrize("project", TEMPLATES, ids=lambda path: path.name)
def test_its_own_tests_pass(project: Path, tmp_path: Path) -> None:
    places = [*install_project(tmp_path / "site", project), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(project)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.parametrize("project", TEMPLATES, ids=lambda path: path.name)
def test_it_imports_public_names_only(project: Path) -> None:
    assert private_imports(project) == []

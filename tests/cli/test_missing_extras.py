"""What a user reads where a package of an extra is missing, and that the core needs none of them."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.specifiers import SpecifierSet
from typer.testing import CliRunner

from andante.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = {
    "pyyaml": "yaml",
    "pillow": "PIL",
    "imageio-ffmpeg": "imageio_ffmpeg",
    "pycollada": "collada",
    "foxglove-sdk": "foxglove",
}
"""Names of modules that are not those of their packages."""
NO_ENCODER = "videos need imageio-ffmpeg, which is not installed; pip install 'andante[video]'"
BESIDE = {"pydantic": {"pydantic_core"}, "numba": {"llvmlite"}, "fastapi": {"starlette"}, "typer": {"click"}}
"""Modules that come with a package."""


def modules_of(needs: list[str]) -> set[str]:
    """Top-level modules of requirements."""
    names = [re.split(r"[<>=\[]", need)[0] for need in needs]
    own = {MODULES.get(name, name) for name in names}
    return own.union(*(BESIDE.get(name, set()) for name in names))


def imported_at_once(tree: ast.Module) -> set[str]:
    """Top-level modules that a file imports while it is imported itself, outside ``try`` and ``if``."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).partition(".")[0])
    return found


@pytest.mark.slow
def test_the_core_imports_no_package_of_an_extra_before_it_is_asked_for_it():
    core = modules_of(PROJECT["dependencies"]) | set(sys.stdlib_module_names) | {"andante"}
    strangers = {}
    for path in sorted((ROOT / "src" / "andante").rglob("*.py")):
        other = imported_at_once(ast.parse(path.read_text(encoding="utf-8"))) - core
        if other:
            strangers[path.relative_to(ROOT / "src" / "andante").as_posix()] = other
    # The studio and the leg lab's own physics are whole extras; nothing else imports these files at once.
    extras = modules_of(PROJECT["optional-dependencies"]["studio"] + PROJECT["optional-dependencies"]["leglab"])
    assert {name: other - extras for name, other in strangers.items() if other - extras} == {}
    assert all(name.startswith(("studio/", "backends/leglab/")) for name in strangers)


def test_what_tests_need_is_in_the_extra_dev():
    extras = PROJECT["optional-dependencies"]
    tried = [need for name in ("video", "solvers", "leglab", "studio", "env", "terrain") for need in extras[name]]
    assert set(tried) <= set(extras["dev"])


def test_a_run_with_a_video_counts_and_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    done = CliRunner().invoke(app, ["run", "nao/wave", "--video", "--no-report", "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert f"no video: {NO_ENCODER}" in " ".join(done.output.split())
    assert not (tmp_path / "run" / "video.mp4").exists()


def test_a_picture_book_of_its_own_is_refused_with_the_extra(tmp_path, monkeypatch):
    from andante.runs.errors import VideoError
    from andante.runs.reports.video import encode

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(VideoError, match=re.escape(NO_ENCODER)):
        encode(tmp_path / "kick.webp", [np.zeros((2, 2, 3), np.uint8)], 10, (2, 2))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["casadi", "daqp"])
def test_solvers_to_compare_with_are_missed_before_anything_runs(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    done = CliRunner().invoke(app, ["bench", "quadruped", "--table", "solver"])
    assert done.exit_code != 0
    told = " ".join(done.output.split())
    assert f"this solver needs {missing}, which is not installed; pip install 'andante[solvers]'" in told
    assert "Traceback" not in told


@pytest.mark.slow
def test_the_doctor_tells_what_for_and_how_but_finds_nothing_wrong(monkeypatch):
    known = importlib.metadata.version
    absent = {"imageio-ffmpeg": "video", "casadi": "solvers", "daqp": "solvers"}

    def version(name: str) -> str:
        if name in absent:
            raise importlib.metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    for name, extra in absent.items():
        at = next(number for number, line in enumerate(lines) if line.startswith(f"--  {name}: not installed, needed"))
        assert lines[at + 1].strip() == f"pip install 'andante[{extra}]'"
    assert not any("BAD" in line for line in lines)


def test_numba_is_one_that_the_kernels_were_tried_with():
    need = next(each for each in PROJECT["dependencies"] if each.startswith("numba"))
    allowed, installed = SpecifierSet(need.removeprefix("numba")), importlib.metadata.version("numba")
    assert any(each.operator == "<" for each in allowed), f"{need}: kernels use numba's insides, so a cap is needed"
    assert installed in allowed, (
        f"numba {installed} is not {allowed}: run tests/kernels and benchmarks/tick.py with it, mend what "
        "src/andante/kernels uses of numba's insides, then raise the cap in pyproject.toml and run `make lock`"
    )

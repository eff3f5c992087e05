"""Robots by path are read once, and anew as soon as one of their files is another one."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.robots import kept, model_text
from andante.robots.parts import RobotError
from andante.robots.robot import Robot

INCLUDED = """<mujocoinclude><geom name="shape" type="box" size="{size} 0.05 0.05" mass="1"/></mujocoinclude>"""
MODEL = """<mujoco model="two"><worldbody><body name="trunk" pos="0 0 0.5"><freejoint/>
<include file="shape.xml"/>
<body name="arm" pos="0.1 0 0"><joint name="elbow" axis="0 1 0" range="-1 1"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.2"/></body></body></worldbody></mujoco>"""


def written(file: Path, text: str, age: float = 60.0) -> None:
    """Write a file as if that had been some time ago [s]."""
    file.write_text(text)
    then = file.stat().st_mtime - age
    os.utime(file, (then, then))


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Models that were compiled as robots were read, one entry each."""
    seen = []
    usual = model_text.compiled

    def counted(spec):
        seen.append(spec.modelname)
        return usual(spec)

    monkeypatch.setattr("andante.robots.model_text.compiled", counted)
    kept._kept.clear()
    return seen


@pytest.fixture
def model(tmp_path: Path) -> Path:
    written(tmp_path / "shape.xml", INCLUDED.format(size=0.1))
    written(tmp_path / "two.xml", MODEL)
    return tmp_path / "two.xml"


def test_a_robot_by_path_is_compiled_once_and_each_caller_has_a_model_of_its_own(model, compiles):
    first = Robot.load(model)
    count = len(compiles)
    assert count > 0
    first.model.body_mass[:] = 7.0
    second = Robot.load(str(model))
    second.model.body_mass[:] = 8.0
    third = Robot.load(model)
    assert len(compiles) == count
    assert third.model.body("arm").mass == pytest.approx(0.2)
    assert (third.mjcf, third.path, third.sources) == (first.mjcf, first.path, first.sources)


def test_one_is_read_anew_where_an_included_file_has_changed(model, compiles):
    before = Robot.load(model)
    written(model.parent / "shape.xml", INCLUDED.format(size=0.2))
    after = Robot.load(model)
    assert (before.model.geom_size[0, 0], after.model.geom_size[0, 0]) == pytest.approx((0.1, 0.2))
    (model.parent / "shape.xml").unlink()
    with pytest.raises(RobotError, match=r"shape\.xml"):
        Robot.load(model)


def test_one_that_was_just_written_is_not_kept(model, compiles):
    model.write_text(MODEL)
    Robot.load(model)
    count = len(compiles)
    Robot.load(model)
    assert len(compiles) == 2 * count


def test_few_are_kept(model, compiles):
    files = [model.parent / f"{number}.xml" for number in range(kept.MOST + 1)]
    for file in files:
        written(file, MODEL)
        Robot.load(file)
    count = len(compiles)
    Robot.load(files[-1])
    assert len(compiles) == count
    Robot.load(files[0])
    assert len(compiles) > count


def test_a_command_compiles_a_pack_by_path_once(tmp_path, compiles):
    nao = Path(str(Robot.load("nao").path)).parent
    for name in ("nao.xml", "pack.yaml"):
        written(tmp_path / name, (nao / name).read_text(encoding="utf-8"))
    compiles.clear()
    words = [
        "run",
        "nao-basics/stand",
        "--robot",
        str(tmp_path),
        "--set",
        "timeout=0.1",
        "--out",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(app, [*words, "--set", "recording.report=false"])
    assert done.exit_code in (0, 1), done.output
    assert len(compiles) == 1
    again = Robot.load(tmp_path)
    assert len(compiles) == 1
    assert np.array_equal(again.model.body_mass, Robot.load("nao").model.body_mass)

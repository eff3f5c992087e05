"""Rolls from a model alone, and what a study of a get-up begins from."""

from __future__ import annotations

import importlib.util
import math

import mujoco
import numpy as np
import pytest

from andante.documents.reader import load_document
from andante.errors import AndanteError
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.motion_libraries import library_path
from andante.search.studies.document import Study
from andante.search.studies.get_up import get_up_study
from andante.search.studies.goals import completed
from andante.search.studies.motion_figures import motion_figures
from andante.search.studies.sagittal import Sagittal

if importlib.util.find_spec("rcsssmj") is None:
    pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)", allow_module_level=True)

T1 = Robot.load("t1")


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_leg_goes_to_its_side_and_the_other_stays(side):
    sagittal = Sagittal(T1, "a test")
    angles = sagittal.one_leg(sagittal.stand, side, math.radians(30.0), 0.0, math.radians(10.0), 0.0)
    data = mujoco.MjData(T1.model)
    for name, angle in zip(T1.joint_names, angles, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(T1.model, data)
    hip, _, ankle = (np.array(data.joint(name).xanchor) for name in sagittal.legs[side].names)
    leg = ankle - hip
    assert math.degrees(math.atan2(leg[0], -leg[2])) == pytest.approx(30.0, abs=4.0)
    # To the left in both cases, whichever leg it is; the hip's offsets cost a few degrees.
    assert math.degrees(math.asin(leg[1] / np.linalg.norm(leg))) == pytest.approx(10.0, abs=4.0)
    other = "right" if side == "left" else "left"
    moved = [name for name in T1.groups[f"{other}_leg"] if angles[T1.index(name)] != sagittal.stand[T1.index(name)]]
    assert not moved


@pytest.mark.slow
def test_a_start_gets_up_from_all_sides_within_speed_limits(tmp_path):
    study = completed(Study(goal="get-up back", robot="t1"), tmp_path)
    assert study.options["start"] == "back"
    front = {"front_*", "front_push", "front_rise"}
    assert {each.path.split(".")[1] for each in study.parameters} == {"roll_over", *front}
    # Its stages search the front, then the roll, then both; a study with stages of its own has the roll alone.
    assert [each.type for each in study.stages] == ["rounds"] * 3
    assert study.stages[0].only
    assert all("roll_over" in path for path in study.stages[1].only)
    assert not study.stages[2].only
    polish = {"type": "polish", "generations": 1}
    own = completed(Study(goal="get-up back", robot="t1", stages=[polish]), tmp_path / "own")
    assert {each.path.split(".")[1] for each in own.parameters} == {"roll_over"}
    library = load_document(tmp_path / "start.yaml", MotionLibrary)
    assert set(library.motions) == {"stand", "recoverGeneric", "get_up_front", "get_up_back", "get_up_left"}
    told = [each.motion for each in library.motions["recoverGeneric"].follow_ups]
    assert told == ["get_up_left", "get_up_left", "get_up_front", "get_up_back"]
    assert motion_figures(library, T1)["speed"] <= 0.91


@pytest.mark.slow
def test_a_later_side_begins_with_the_motions_of_an_earlier_one(tmp_path):
    first = completed(Study(goal="get-up front", robot="t1"), tmp_path / "front")
    start = tmp_path / "front" / "start.yaml"
    second = completed(Study(goal="get-up left", robot="t1", library=str(start)), tmp_path / "left")
    assert first.library != second.library
    assert {each.path.split(".")[1] for each in second.parameters} == {
        "roll_side",
        "front_*",
        "front_push",
        "front_rise",
    }


@pytest.mark.slow
def test_motions_that_lack_a_roll_are_refused(tmp_path):
    with pytest.raises(AndanteError, match="lack what a get-up has") as error:
        get_up_study(Study(goal="get-up back", robot="nao", library=str(library_path("nao"))), tmp_path)
    assert "best.yaml" in str(error.value)


@pytest.mark.slow
def test_a_shipped_library_is_known_by_its_name(tmp_path):
    with pytest.raises(AndanteError, match=r"nao: these motions lack what a get-up has; got .*get_up_left"):
        completed(Study(goal="get-up left", robot="nao", library="nao"), tmp_path)


def test_sides_that_nobody_knows_are_refused(tmp_path):
    with pytest.raises(AndanteError, match="no get-up is known from this side") as error:
        completed(Study(goal="get-up head", robot="t1"), tmp_path)
    assert "left" in str(error.value)

"""Runs of motions by name: what they ask of a robot that begins lying."""

from __future__ import annotations

import pytest

import andante
from andante.motions.posture_kind import dives
from andante.runs.motion_libraries import library_path
from andante.runs.task import scenario_of


def test_motions_that_begin_lying_ask_the_robot_to_stand():
    assert scenario_of("nao/get_up_back", start="back").success.stands_at_end
    assert scenario_of(library="nao", motion=("get_up_back",), start="front").success.stands_at_end
    assert not scenario_of("nao/get_up_back").success.stands_at_end
    assert not scenario_of("nao/get_up_back", start="back", allow_fall=True).success.stands_at_end
    # A scenario says itself what counts.
    own = scenario_of("sit-and-stand")
    own = own.model_copy(update={"success": own.success.model_copy(update={"stands_at_end": False})})
    assert not scenario_of(own, start="back").success.stands_at_end


@pytest.mark.slow
def test_a_robot_that_stays_on_the_floor_has_failed(tmp_path):
    lying = andante.run("nao-basics/stand", start="back", out=tmp_path / "asked", report=False)
    assert lying.verdict == "fail"
    assert any("stand" in reason for reason in lying.reasons)
    assert andante.run("nao-basics/stand", start="back", out=tmp_path / "let", report=False, allow_fall=True).passed
    up = andante.run("nao/get_up_back", start="back", out=tmp_path / "up", report=False)
    assert up.passed, up.reasons


@pytest.mark.parametrize("name", ["dive_left", "keeperDive", "Tumble"])
def test_dives_are_known_by_their_names(name):
    assert dives(name)


@pytest.mark.parametrize("name", ["keeperJumpLeft", "stand", "diver", "fall", "fall_forward", "LEAP"])
def test_other_motions_do_not_dive(name):
    assert not dives(name)


@pytest.mark.slow
def test_a_dive_is_no_fall_but_has_to_end_as_it_says(tmp_path):
    up = andante.run("nao/dive_left", out=tmp_path / "up", report=False)
    assert up.passed, up.reasons
    assert up.metrics.fell
    assert any("stands at the end" in reason for reason in up.reasons)
    asked = andante.run("nao/dive_left", out=tmp_path / "asked", report=False, settings=["success.no_fall=true"])
    assert not asked.passed
    # The engine gets up by itself, so a dive that is said to end lying has not done what it says.
    text, place = library_path("nao").read_text(encoding="utf-8"), tmp_path / "stays.yaml"
    dive = text.index("  dive_left:")
    place.write_text(text[:dive] + text[dive:].replace("end_posture: stand", "end_posture: lie", 1), encoding="utf-8")
    down = andante.run(library=str(place), motion="dive_left", out=tmp_path / "down", report=False)
    assert not down.passed
    assert any("lie" in reason for reason in down.reasons), down.reasons


@pytest.mark.slow
def test_a_fall_before_the_dive_is_one(tmp_path):
    push = "world.pushes=[{time: 0.5, duration: 0.1, impulse: [12, 0, 0]}]"
    run = andante.run(library="nao", motion=("wave", "dive_left"), out=tmp_path / "out", report=False, settings=[push])
    assert not run.passed
    assert any("before it dived" in reason for reason in run.reasons), run.reasons

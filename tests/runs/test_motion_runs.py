"""Runs of motions by name: what they ask of a robot that begins lying."""

from __future__ import annotations

import andante
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


def test_a_robot_that_stays_on_the_floor_has_failed(tmp_path):
    lying = andante.run("nao-basics/stand", start="back", out=tmp_path / "asked", report=False)
    assert lying.verdict == "fail"
    assert any("stand" in reason for reason in lying.reasons)
    assert andante.run("nao-basics/stand", start="back", out=tmp_path / "let", report=False, allow_fall=True).passed
    up = andante.run("nao/get_up_back", start="back", out=tmp_path / "up", report=False)
    assert up.passed, up.reasons

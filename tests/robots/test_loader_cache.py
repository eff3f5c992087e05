"""Robots that come with Andante are read once in a process; each caller has a model of its own."""

from __future__ import annotations

import pytest

from andante.robots import loader
from andante.robots.robot import Robot


def test_a_shipped_robot_is_read_once_and_nobody_shares_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Robot.load("littledog")
    monkeypatch.setattr(loader, "load_document", lambda *_, **__: pytest.fail("its pack is read again"))
    second = Robot.load("littledog")
    assert second is not first
    assert second.model is not first.model
    mass = float(first.model.body_mass[1])
    first.model.body_mass[1] = 7.0
    assert float(second.model.body_mass[1]) == mass
    assert float(Robot.load("littledog").model.body_mass[1]) == mass

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


def test_a_pack_by_path_is_read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Robot.load("littledog").path
    assert folder is not None
    read: list[object] = []
    load = loader.load_document
    monkeypatch.setattr(loader, "load_document", lambda file, *a, **k: read.append(file) or load(file, *a, **k))
    for _ in range(2):
        Robot.load(folder)
    assert len(read) == 2

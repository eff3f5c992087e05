"""Faults are told in the log when they begin and end, at a time and at a keyframe alike."""

from __future__ import annotations

import pytest

from andante.backends.fault import Fault, When
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.robot import Robot


def test_begin_and_end_are_told_once() -> None:
    faults = (
        Fault(type="weak", joints=("LKneePitch",), start=0.024, duration=0.036, factor=0.5),
        Fault(type="stuck", joints=("RKneePitch",), when=When(block="rise", keyframe=1), duration=0.024),
    )
    world = MujocoWorld(Robot.load("nao"), WorldConfig(faults=faults))
    world.reset(0)
    told: list[ControlEvent] = []
    for tick in range(12):
        if tick == 6:
            world.notify(ControlEvent(world.time, EventKind.KEYFRAME, "rise[1]", {"block": "rise", "keyframe": 1}))
        world.advance(0.012)
        told += world.take_events()
    assert [(event.kind, event.text) for event in told] == [
        ("fault", "LKneePitch: weak"),
        ("fault_over", "LKneePitch: weak no more"),
        ("fault", "RKneePitch: stuck"),
        ("fault_over", "RKneePitch: stuck no more"),
    ]
    assert [event.time for event in told] == pytest.approx([0.024, 0.06, 0.072, 0.096])
    world.reset(0)
    assert world.take_events() == []

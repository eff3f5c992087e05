"""Robots' ends as others write them, from what is published of the protocols, not from Andante's own fakes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from andante.backends.backend import BackendError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.link import PacketLink, Transport
from andante.robots.robot import Robot
from andante.runs.hardware.fakes import hardware_kind


class Batches(Transport):
    """Gives batches of packets in turn, as they lie in a socket."""

    def __init__(self, batches: list[list[Any]]) -> None:
        self.batches = batches

    def open(self) -> None:
        """Nothing to open."""

    def receive(self, until: float) -> list[Any]:
        """The next batch."""
        return self.batches.pop(0) if self.batches else []

    def send(self, packet: Any) -> None:
        """Nobody hears it."""

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize(
    "batches",
    [[[1], [2, "hello 3"]], [[1], ["hello 2", 3]], [[1], [2], ["hello 1"], [3]], [[1, "hello 2"]]],
    ids=["in a later state", "in one that a newer one followed", "in one that was overtaken", "at once"],
)
def test_a_bridge_that_says_later_who_it_is_is_refused_before_anything_moves(batches: list[list[Any]]) -> None:
    robot, kind = Robot.load("littledog"), hardware_kind({"type": "udp"})
    codec = kind.codec(robot)
    hello = {"version": 1, "robot": "littledog", "joints": codec.slots[::-1], "period": codec.period}

    def packet(each: int | str) -> bytes:
        told = {"hello": hello} if isinstance(each, str) else {}
        seq = int(each.split()[1]) if isinstance(each, str) else each
        return json.dumps({"seq": seq, "position": [0.0] * len(codec.slots), **told}).encode()

    link = PacketLink(codec, Batches([[packet(each) for each in batch] for batch in batches]), "here")
    backend = HardwareBackend(robot, link, kind.joint_map(robot, codec))
    with pytest.raises(BackendError, match="the robot has other joints, or another order of them"):
        backend.reset(0)
        for _ in range(3):
            backend.advance(codec.period)

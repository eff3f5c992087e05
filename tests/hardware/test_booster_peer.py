"""A Booster's end written from the published messages alone, byte by byte, not by Andante's codec or fake."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

from andante.backends.backend import LinkLostError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.link import PacketLink, Transport
from andante.robots.robot import Robot
from andante.runs.hardware.fakes import hardware_kind

COUNT = {"k1": 22, "t1": 23}
KNEE = {"k1": (13, 19), "t1": (14, 20)}
"""Places of the left and the right knee among the motors, by the published order."""


class Peer(Transport):
    """Motors that go at once to where they are told; each state is one packet of its topic."""

    def __init__(self, count: int) -> None:
        self.angles, self.count, self.commands = [0.0] * count, count, list[tuple[int, list[tuple[Any, ...]]]]()
        self.rpy, self.cut = (0.0, 0.1, 0.0), lambda data: data

    def open(self) -> None:
        """Nothing to open."""

    def receive(self, until: float) -> list[Any]:
        """A state: IMU, then motors by the cranks of the ankles, which read otherwise, then by joints."""
        parallel = b"".join(self._motor(9.0) for _ in self.angles)
        serial = b"".join(self._motor(angle) for angle in self.angles)
        up = (9.81 * -math.sin(self.rpy[1]), 0.0, 9.81 * math.cos(self.rpy[1]))
        imu = struct.pack("<9f", *self.rpy, 0.0, 0.0, 0.0, *up)
        count = struct.pack("<I", self.count)
        return [("rt/low_state", self.cut(b"\x00\x01\x00\x00" + imu + count + parallel + count + serial))]

    def _motor(self, angle: float) -> bytes:
        return struct.pack("<B3x4fB3x3I", 0, angle, 0.5, 0.0, 2.0, 41, 0, 0, 0)

    def send(self, packet: Any) -> None:
        """Take a command as the robot's end does."""
        ((topic, data),) = packet
        assert topic == "rt/joint_ctrl"
        head, kind, count = struct.unpack_from("<4sII", data)
        assert head == b"\x00\x01\x00\x00"
        assert len(data) == 12 + 28 * count
        motors = [struct.unpack_from("<B3x6f", data, 12 + 28 * each) for each in range(count)]
        self.commands.append((kind, motors))
        self.angles = [motor[1] for motor in motors]

    def close(self) -> None:
        """Nothing to close."""


def met(robot: str) -> tuple[HardwareBackend, Peer]:
    """A backend that has met the peer."""
    model, kind, peer = Robot.load(robot), hardware_kind({"type": "booster"}), Peer(COUNT[robot])
    codec = kind.codec(model)
    backend = HardwareBackend(model, PacketLink(codec, peer, "here"), kind.joint_map(model, codec))
    backend.reset(0)
    return backend, peer


@pytest.mark.parametrize("robot", COUNT)
def test_a_booster_s_own_bytes_are_read_and_it_reads_ours(robot: str) -> None:
    backend, peer = met(robot)
    model = backend.robot
    names = [next(name for name in model.joint_names if side in name and "nee" in name) for side in ("Left", "Right")]
    command = model.held(model.posture("stand") if "stand" in model.postures else np.zeros(len(model.joint_names)))
    for name, angle in zip(names, (0.7, 0.3), strict=True):
        command.position[model.index(name)] = angle
    command.velocity[model.index(names[0])], command.torque[model.index(names[0])] = 0.25, 1.5
    backend.write(command)
    kind, motors = peer.commands[-1]
    assert (kind, len(motors)) == (1, COUNT[robot])
    left, right = (motors[place] for place in KNEE[robot])
    # mode, q, dq, tau, kp, kd, weight.
    knee = model.index(names[0])
    wanted = (0, 0.7, 0.25, 1.5, model.servo_kp[knee], model.servo_kd[knee], 0.0)
    assert left == pytest.approx(wanted, rel=1e-6)
    assert right[1] == pytest.approx(0.3)
    backend.advance(0.002)
    sensors = backend.read()
    assert sensors.position[knee] == pytest.approx(0.7)
    assert sensors.velocity[knee] == pytest.approx(0.5)
    assert sensors.effort[knee] == pytest.approx(2.0)
    assert sensors.orientation.tolist() == pytest.approx([math.cos(0.05), 0.0, math.sin(0.05), 0.0], abs=1e-6)
    assert backend.state.temperature is not None
    assert backend.state.temperature.tolist() == [41.0] * COUNT[robot]


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 3, 4, 40, 100, 900, 1627, 1631, 1633])
def test_a_state_that_is_cut_anywhere_is_none(size: int) -> None:
    backend, peer = met("k1")
    peer.cut = lambda data: (data + b"\0" * 10)[:size]
    with pytest.raises(LinkLostError, match=r"packets came that are none of this protocol"):
        backend.looked_at(0.8)
    assert not peer.commands

"""Command vectors in front of a backend: the same joint stream, later by the buffers, whatever the frame count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.backends.backend import Backend, BackendError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.openr import OpenRBackend
from andante.backends.world import Start, WorldConfig
from andante.control.controller import ControlError
from andante.control.openr.frames import to_micro
from andante.control.openr.player import OpenRPlayer
from andante.robots.records import Command, Record, Sensors
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions

TICK = 0.008


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


class Joints:
    """A backend whose joints are where they were told to be; it keeps every command."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.time = robot, 0.0
        self.position, self.commands = robot.posture("walk"), []

    def reset(self, seed: int) -> None:
        self.time, self.position, self.commands = 0.0, self.robot.posture("walk"), []

    def read(self) -> Sensors:
        sensors = self.robot.sensors()
        sensors.vector[0] = self.time
        sensors.position[:] = self.position
        return sensors

    def write(self, command: Command) -> None:
        self.position = command.position.copy()
        self.commands.append(command.copy())

    def advance(self, duration: float) -> None:
        self.time += duration

    def truth(self) -> Record | None:
        return None

    def close(self) -> None:
        pass

    @property
    def stream(self) -> np.ndarray:
        return np.array([command.position for command in self.commands])


def run(backend: Backend, player: OpenRPlayer, ticks: int) -> None:
    backend.reset(0)
    player.reset()
    for _ in range(ticks):
        backend.write(player.step(backend.read()))
        backend.advance(TICK)


@pytest.mark.parametrize(("frames", "buffers"), [(1, 2), (4, 2), (16, 2), (4, 4), (5, 3)])
def test_the_joint_stream_is_the_direct_one_later_by_the_waiting_buffers(ers7, frames, buffers):
    player = OpenRPlayer(ers7, load_motions("ers7"), ["kick_a", "walk"])
    direct = Joints(ers7)
    run(direct, player, 500)
    behind = Joints(ers7)
    backend = OpenRBackend(behind, frames, buffers)
    assert isinstance(backend, Backend)
    late = (buffers - 1) * frames
    run(backend, player, 500 + late)
    assert np.array_equal(behind.stream[late:], direct.stream)
    # Until then the joints are commanded exactly where they are.
    assert np.abs(behind.stream[:late] - ers7.posture("walk")).max() <= 0.5e-6
    assert backend.ready == (500 + late) // frames


def test_vectors_of_any_length_can_be_sent_and_ready_tells_when_they_are_out(ers7):
    inner = Joints(ers7)
    backend = OpenRBackend(inner, buffers=2)
    backend.reset(3)
    begin = to_micro(ers7.posture("walk"))
    pan, made = ers7.index("Pan"), []
    for count in (3, 1):
        frames = np.repeat(begin[None], count, axis=0)
        frames[:, pan] = 1000 * (np.arange(count) + 1 + len(made))
        made += frames[:, pan].tolist()
        backend.send(frames)
    assert not backend.free
    with pytest.raises(ControlError, match=r"no buffer is free; got 2; limit: 2 buffers"):
        backend.send(begin[None])
    counts = []
    for _ in range(5):
        backend.advance(TICK)
        counts.append(backend.ready)
    assert counts == [0, 0, 1, 2, 2]
    assert to_micro(inner.stream[:, pan]).tolist() == [*made, made[-1]]


def test_gains_act_at_once_and_begin_as_the_servos(ers7):
    inner = Joints(ers7)
    backend = OpenRBackend(inner, frames=4)
    command = ers7.command()
    command.position[:], command.kp[:] = ers7.posture("sit"), 0.25
    backend.write(command)
    backend.advance(TICK)
    assert (inner.commands[0].kp == 0.25).all()
    assert np.abs(inner.commands[0].position - ers7.posture("walk")).max() <= 0.5e-6
    backend.reset(0)
    backend.send(to_micro(ers7.posture("walk"))[None])
    backend.advance(TICK)
    assert np.array_equal(inner.commands[0].kp, ers7.servo_kp)


def test_what_vectors_cannot_hold_is_named(ers7, nao):
    backend = OpenRBackend(Joints(ers7))
    for field, message in (("velocity", "no velocity"), ("torque", "no torque")):
        command = ers7.command()
        command[field][ers7.index("LFJ1")] = 0.5
        with pytest.raises(BackendError, match=rf"^LFJ1: OPEN-R vectors hold angles only, {message}; got 0.5"):
            backend.write(command)
    lost = ers7.command()
    lost.position[2] = math.nan
    with pytest.raises(ControlError, match="must be finite"):
        backend.write(lost)
    with pytest.raises(BackendError, match=r"whole frames; got 0.01; limit: multiples of 0.008 s"):
        backend.advance(0.01)
    with pytest.raises(BackendError, match=r"other joints; got 3; limit: 20 joints"):
        backend.send(np.zeros((1, 3), dtype=np.int64))
    with pytest.raises(BackendError, match="the command is for other joints"):
        backend.write(nao.command())
    with pytest.raises(BackendError, match=r"robot 'nao': tick: OPEN-R frames last 8 ms; got"):
        OpenRBackend(MujocoWorld(nao, WorldConfig()))
    for frames, buffers, message in ((17, 2, "1 to 16"), (0, 2, "1 to 16"), (4, 1, "at least 2 buffers")):
        with pytest.raises(ControlError, match=message):
            OpenRBackend(Joints(ers7), frames, buffers)


def test_both_ways_at_once_are_refused(ers7):
    backend = OpenRBackend(Joints(ers7), frames=1)
    frames = np.repeat(to_micro(ers7.posture("walk"))[None], 16, axis=0)
    for _ in range(2):
        backend.send(frames)
    command = ers7.command()
    command.position[:] = ers7.posture("walk")
    backend.write(command)
    with pytest.raises(ControlError, match="either write commands or send vectors, not both"):
        backend.advance(TICK)


@pytest.mark.parametrize("frames", [1, 16])
def test_physics_runs_behind_it(ers7, frames):
    world = MujocoWorld(ers7, WorldConfig(friction=0.7, start=Start(posture="walk")))
    backend = OpenRBackend(world, frames=frames)
    run(backend, OpenRPlayer(ers7, load_motions("ers7"), ["block"]), 300)
    truth = backend.truth()
    assert abs(float(truth["pitch"][0])) < math.radians(3.0)
    assert np.abs(backend.read().position - ers7.posture("walk")).max() < math.radians(3.0)
    assert backend.time == pytest.approx(2.4)
    backend.close()

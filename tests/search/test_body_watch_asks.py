"""How fast joints were told to move, and how hard head and trunk met the floor."""

from __future__ import annotations

import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.robots.robot import Robot
from andante.search.observers.body_watch import Watch


def asked(nao: Robot, steps: list[tuple[float, float]]) -> float:
    """Peak after commands of the head yaw, each its angle [rad] and its position gain."""
    watch = Watch(MujocoWorld(nao, WorldConfig(impacts=False)))
    for angle, gain in steps:
        command = nao.command()
        command.position[nao.index("HeadYaw")] = angle
        command.kp[nao.index("HeadYaw")] = gain
        watch.ask(command)
    return watch.asked_speed


def test_a_commanded_speed_is_told_over_the_joint_s_limit(nao: Robot) -> None:
    step = 0.5 * nao.tick * float(nao.max_velocity[nao.index("HeadYaw")])
    assert asked(nao, [(0.0, 1.0), (step, 1.0), (0.5 * step, 1.0)]) == pytest.approx(0.5)


def test_a_joint_that_is_off_is_told_nothing(nao: Robot) -> None:
    assert asked(nao, [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1.0, 1.0)]) == 0.0


def test_impacts_of_a_limp_fall_are_seen_where_the_world_measures_them(nao: Robot) -> None:
    for measured in (True, False):
        fall = Start(posture="stand", pitch=0.6, stiffness=0.0)
        world = MujocoWorld(nao, WorldConfig(impacts=measured, start=fall, friction=0.7))
        watch, command = Watch(world), nao.command()
        for _ in range(int(1.2 / nao.tick)):
            world.write(command)
            world.advance(nao.tick)
            watch.see()
        peaks = np.array(list(watch.floor_touches.values()))
        assert set(watch.floor_touches) == ({"trunk", "head"} if measured else set())
        assert (peaks.max() > 50.0) if measured else not peaks.size

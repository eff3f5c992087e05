"""Play between motor and link: its width, its freedom, and what the encoder hides."""

from __future__ import annotations

import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.robots.robot import Robot

PLAY = 0.02


def hanging(robot: Robot, gravity: tuple[float, float, float], play: object = PLAY, **fields: object) -> MujocoWorld:
    return MujocoWorld(
        robot,
        WorldConfig.model_validate(
            {
                "fixed_base": True,
                "gravity": gravity,
                "command_delay": 0,
                "start": Start(height=2.0),
                "backlash": play,
                **fields,
            }
        ),
    )


def test_the_link_rests_half_the_play_from_its_command_on_either_side(pendulum: Robot) -> None:
    ends = []
    for pull in (-0.5, 0.5):
        # A pull along x turns the hanging rod; 0.5 kg at 0.4 m give 0.1 N m, which the spring of 60 N m/rad holds.
        world = hanging(pendulum, (pull, 0.0, 0.0))
        world.advance(3.0)
        q, measured = world.truth()["qpos"][0], world.read().position[0]
        sag = 0.5 * 0.5 * 0.4 / 60.0
        assert abs(q) == pytest.approx(PLAY + sag, abs=2e-5)
        assert abs(measured) == pytest.approx(sag, abs=2e-5)
        ends.append(q)
    assert abs(ends[1] - ends[0]) == pytest.approx(2.0 * (PLAY + sag), abs=4e-5)


def test_within_the_play_the_link_is_free(pendulum: Robot) -> None:
    world = hanging(pendulum, (0.0, 0.0, 0.0))
    command = pendulum.command()
    command.kp[:] = 60.0
    world.write(command)
    world.data.qvel[0] = 0.05
    positions, efforts = [], []
    for _ in range(200):
        world.advance(0.01)
        positions.append(world.truth()["qpos"][0])
        efforts.append(world.read().effort[0])
    inside = np.abs(positions) < PLAY - 0.001
    assert inside.sum() > 20
    assert np.abs(np.array(efforts)[inside]).max() < 1e-9
    # Undamped, it bounces back from both flanks and never gets far beyond them: v / w = 0.05 sqrt(0.08 / 60).
    assert 0.9 * PLAY < max(positions) < PLAY + 0.05 * (0.08 / 60.0) ** 0.5 + 1e-3
    assert min(positions) < 0.0


def test_an_off_motor_is_carried_along(pendulum: Robot) -> None:
    world = hanging(pendulum, (0.0, 0.0, 0.0))
    world.write(pendulum.command())
    world.advance(0.01)
    world.data.qvel[0] = 0.5
    world.advance(0.5)
    q = world.truth()["qpos"][0]
    assert q == pytest.approx(0.25, rel=0.02)
    assert world.read().position[0] == pytest.approx(q - PLAY, abs=1e-9)


def test_without_play_nothing_changes(biped: Robot) -> None:
    worlds = [MujocoWorld(biped, WorldConfig(backlash=play)) for play in (0.0, (0.0, 0.0))]
    for world in worlds:
        for _ in range(20):
            world.advance(0.012)
    assert worlds[0].read().vector.tobytes() == worlds[1].read().vector.tobytes()


def test_play_is_drawn_for_each_motor(quadruped: Robot) -> None:
    world = MujocoWorld(quadruped, WorldConfig(backlash=(0.005, 0.02)))
    world.reset(1)
    play = world.servos.play.copy()
    assert len(set(play)) == 12
    assert ((play >= 0.005) & (play <= 0.02)).all()
    world.reset(2)
    assert (world.servos.play != play).all()


def test_a_robot_with_play_stands(biped: Robot) -> None:
    world = MujocoWorld(biped, WorldConfig(backlash=0.01))
    height = world.truth()["base_height"][0]
    for _ in range(250):
        world.advance(0.012)
    assert world.truth()["base_height"][0] == pytest.approx(height, abs=0.005)

"""Impacts of trunk and head: momentum, groups, ticks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push, Solver, Start, WorldConfig
from andante.robots.robot import Robot

G = 9.81


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_all_impulses_make_up_the_momentum(brick: Robot, cone: str) -> None:
    config = WorldConfig.model_validate(
        {"start": Start(clearance=0.3), "solver": Solver.model_validate({"cone": cone})}
    )
    world = MujocoWorld(brick, config)
    mass = float(world.model.body_mass.sum())
    peaks, total = [], 0.0
    for _ in range(150):
        world.advance(0.01)
        truth = world.truth()
        peaks.append(truth["impact"][0])
        total += truth["impulse"][0]
    # It falls, is caught, and rests: the floor's whole impulse is m g T.
    assert total == pytest.approx(mass * G * 1.5, rel=1e-3)
    fall = math.sqrt(2.0 * 0.3 / G)
    first = next(i for i, peak in enumerate(peaks) if peak > 0.0)
    assert first == int(fall / 0.01)
    # At rest it weighs m g; the blow is many times that.
    assert peaks[-1] == pytest.approx(mass * G, rel=1e-3)
    assert max(peaks) > 10.0 * mass * G


def test_one_long_advance_sees_the_same_peak(brick: Robot) -> None:
    config = WorldConfig(start=Start(clearance=0.1))
    short, long = MujocoWorld(brick, config), MujocoWorld(brick, config)
    peaks = []
    for _ in range(30):
        short.advance(0.01)
        peaks.append(short.truth()["impact"][0])
    long.advance(0.3)
    assert long.truth()["impact"][0] == max(peaks)


def test_impacts_do_not_change_the_physics(brick: Robot) -> None:
    worlds = [MujocoWorld(brick, WorldConfig(start=Start(clearance=0.1, roll=0.2), impacts=on)) for on in (True, False)]
    for world in worlds:
        for _ in range(60):
            world.advance(0.01)
    assert (worlds[0].data.qpos == worlds[1].data.qpos).all()
    assert worlds[0].read().vector.tobytes() == worlds[1].read().vector.tobytes()
    assert worlds[0].truth()["impact"][0] > 0.0
    assert worlds[1].truth()["impact"][0] == 0.0


def test_trunk_and_head_of_a_falling_nao(nao: Robot) -> None:
    for sign in (1.0, -1.0):
        push = Push(time=0.1, duration=0.1, impulse=(8.0 * sign, 0.0, 0.0))
        world = MujocoWorld(nao, WorldConfig(pushes=(push,), start=Start(stiffness=0.3)))
        assert world.truth().layout.columns[-4:] == ("impact.trunk", "impact.head", "impulse.trunk", "impulse.head")
        impacts = []
        for _ in range(180):
            world.advance(nao.tick)
            impacts.append(world.truth()["impact"])
        # A stiff NAO falls on head and hips like a board; the blow is far above its weight of 53 N.
        blow = int(np.argmax(np.array(impacts)[:, 1]))
        assert impacts[blow][1] > 500.0
        assert blow * nao.tick > 0.4
        assert not np.array(impacts[: blow - 20]).any()
        assert impacts[-1][1] < 53.0

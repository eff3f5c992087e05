"""MuJoCo's timers are off while a world is stepped, and as they were for everybody else."""

from __future__ import annotations

import ctypes
import threading

import mujoco
import pytest

from andante.backends.backend import DivergenceError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.physics_timers import TIMERS, PhysicsTimers
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot

PENDULUM = "<mujoco><worldbody><body><joint/><geom size='0.1'/></body></worldbody></mujoco>"


def ticks_of(model: mujoco.MjModel, steps: int) -> float:
    """What MuJoCo's own timer of steps says after some of them."""
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, steps)
    timer = data.timer[mujoco.mjtTimer.mjTIMER_STEP]
    assert timer.number == steps
    return float(timer.duration)


@pytest.mark.parametrize("name", ["nao", "spirit40"])
def test_a_world_asks_for_no_time_and_leaves_others_their_timers(name):
    world = MujocoWorld(Robot.load(name), WorldConfig())
    world.reset(0)
    timer = world.data.timer[mujoco.mjtTimer.mjTIMER_STEP]
    timer.duration = 0.0
    for _ in range(5):
        world.advance(world.robot.tick)
    assert timer.duration == 0.0
    assert ticks_of(mujoco.MjModel.from_xml_string(PENDULUM), 100) > 0.0


def test_physics_that_diverges_leaves_others_their_timers_too():
    world = MujocoWorld(Robot.load("spirit40"), WorldConfig())
    world.reset(0)
    world.data.qvel[:] = 1e9
    with pytest.raises(DivergenceError):
        world.advance(world.robot.tick)
    assert ticks_of(mujoco.MjModel.from_xml_string(PENDULUM), 100) > 0.0


def test_a_timer_of_ones_own_is_put_back():
    asked = []
    mujoco.set_mjcb_time(lambda: float(len(asked)) if asked.append(1) is None else 0.0)
    try:
        world = MujocoWorld(Robot.load("spirit40"), WorldConfig())
        world.reset(0)
        asked.clear()
        TIMERS.off()
        ticks_of(mujoco.MjModel.from_xml_string(PENDULUM), 3)
        TIMERS.on()
        assert not asked
        ticks_of(mujoco.MjModel.from_xml_string(PENDULUM), 3)
        assert asked
    finally:
        mujoco.set_mjcb_time(None)


def test_the_last_of_several_threads_switches_them_on():
    pointer = ctypes.c_void_p(1234)
    timers = PhysicsTimers(pointer)

    def often() -> None:
        for _ in range(2000):
            timers.off()
            assert pointer.value is None
            timers.on()

    threads = [threading.Thread(target=often) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert pointer.value == 1234

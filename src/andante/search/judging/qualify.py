"""Qualification: what an engine must get right of a robot before it may judge its motions.

A wrong engine gives plausible verdicts: with a rotor's inertia left out 21 of 24 verdicts on get-ups still agreed. So
each judge is tried on what can be worked out by hand or measured on one joint: weight, free fall, how far a torque
turns a joint, dry friction that holds, torque limits on both sides, and friction on a slope.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot

TOLERANCE = 0.02
"""Largest error of a qualified engine, of the value."""
_PULSE = 0.01
"""Length of the pulse of torque on one joint [s]."""
_FALL = 0.2
"""Time of the free fall [s]."""
_SLIDE = 0.4
"""Time on the slope [s]."""
_FRICTION = 0.25
"""Friction on the slope."""
_CREEP = 2e-3
"""How far a robot on a slope below the angle of friction may move [m]."""
_FOUR = 4
_FINER = 4.0
"""Joints are tried at so much smaller steps: engines differ in how they integrate the motors that hold the others."""
_CALM = 0.4
"""Time after which a robot on a slope keeps its posture [s]."""
_REST = 1.0
"""Time after which a robot has come to rest [s]."""
_LEAST_TURN = 1e-4
"""Smallest turn of a joint that a test is made of [rad]."""

MakeWorld = Callable[[Robot, WorldConfig], MujocoWorld]
"""Makes a world of the engine that is tried."""


@dataclass(frozen=True)
class Test:
    """One test of a qualification."""

    name: str
    """What is tried."""
    expected: float
    """Value worked out, or that of MuJoCo."""
    measured: float
    """Value of the engine."""
    unit: str
    """Unit of both."""
    slack: float = 0.0
    """Difference that is allowed whatever the value, in the unit."""

    @property
    def passed(self) -> bool:
        """Whether the engine is within the tolerance."""
        limit = TOLERANCE * abs(self.expected) + self.slack
        return math.isfinite(self.measured) and abs(self.measured - self.expected) <= limit

    def __str__(self) -> str:
        return f"{self.name}: {self.measured:.5g} {self.unit}, expected {self.expected:.5g}"


def qualify(make: MakeWorld, robot: Robot, step: float = 0.002) -> Iterator[Test]:
    """Try an engine on a robot.

    Args:
        make: Makes a world of the engine.
        robot: The robot.
        step: Physics step [s].

    Raises:
        AndanteError: The world cannot be made.
    """
    yield from _weight(make, robot, step)
    yield from _falls(make, robot, step)
    yield from _joints(make, robot, step)
    yield from _slope(make, robot, step)


def _weight(make: MakeWorld, robot: Robot, step: float) -> Iterator[Test]:
    """A robot on a level floor presses with its weight, where it stands still in its posture."""
    forces = []
    for made in (MujocoWorld, make):
        world = made(robot, WorldConfig(timestep=step))
        _hold(world)
        _pass(world, _REST)
        truth = world.truth()
        forces.append(float(truth["foot_force"][2::3].sum()) if truth["other_contacts"][0] == 0.0 else math.nan)
    weight = float(world.model.body_subtreemass[world.model.body(robot.base_body).id]) * 9.81
    yield from _known(Test("weight on the feet", weight, forces[1], "N"), forces[0])


def _known(test: Test, reference: float) -> Iterator[Test]:
    """A test, where MuJoCo passes it: else the robot does not do what is tried, whatever the engine."""
    if replace(test, measured=reference).passed:
        yield test


def _falls(make: MakeWorld, robot: Robot, step: float) -> Iterator[Test]:
    """A robot above the floor falls as everything falls."""
    world = make(robot, WorldConfig(timestep=step, start=Start(height=5.0)))
    _hold(world)
    before = world.truth()["com"][2]
    ticks = _pass(world, _FALL)
    time = ticks * robot.tick
    # Both engines go by semi-implicit steps, which fall g t h / 2 farther than g t^2 / 2.
    yield Test("free fall", 0.5 * 9.81 * time * (time + step), float(before - world.truth()["com"][2]), "m", 1e-4)


def _joints(make: MakeWorld, robot: Robot, step: float) -> Iterator[Test]:
    """Each motor on its own, on a test stand without gravity: how far a pulse turns it, and its limits both ways."""
    stand = WorldConfig(
        timestep=step / _FINER,
        gravity=(0.0, 0.0, 0.0),
        fixed_base=True,
        start=Start(height=5.0),
        command_delay=0,
        impacts=False,
    )
    tried, known = make(robot, stand), MujocoWorld(robot, stand)
    leaders = sorted(set(robot.leaders.tolist()))
    for joint in leaders:
        name = robot.joint_names[joint]
        most = robot.servos[joint].max_torque
        friction = float(robot.servos[joint].friction)
        if not math.isfinite(most):
            continue
        for sign in (1.0, -1.0):
            side = "+" if sign > 0.0 else "-"
            strength = min(0.5 * most, 2.0 * friction + 0.2 * most)
            for torque, what in ((strength, f"{strength:.3g} N m"), (4.0 * most, "its limit")):
                asked, limit = _pulse(known, joint, sign * torque)
                alone = not len(known.data.contact.geom) and _free(robot, joint, 2.0 * asked)
                turn, effort = _pulse(tried, joint, sign * torque)
                if alone and abs(asked) > _LEAST_TURN:
                    yield Test(f"{name}{side}: turned by {what}", asked, turn, "rad", 0.1 * _LEAST_TURN)
                yield Test(f"{name}{side}: torque asked {sign * torque:.3g} N m", limit, effort, "N m")
        if friction > 0.0:
            turns, _ = _pulse(tried, joint, 0.8 * friction)
            yield Test(f"{name}: held by dry friction", 0.0, turns, "rad", 1e-3)


def _slope(make: MakeWorld, robot: Robot, step: float) -> Iterator[Test]:
    """A robot on a slope slides where it is steeper than friction holds, and stays where it is not.

    It keeps its posture: on its feet with four of them, else on its front, as it would topple.
    """
    pitch = 0.0 if len(robot.feet) >= _FOUR else math.pi / 2.0
    for share in (0.85, 1.3):
        angle = share * math.atan(_FRICTION)
        start = Start(pitch=pitch)
        config = WorldConfig(timestep=step, friction=_FRICTION, slope=angle, start=start, impacts=False)
        down = np.array([-math.cos(angle), 0.0, -math.sin(angle)])
        ways, speeds = [], []
        for made in (MujocoWorld, make):
            world = made(robot, config)
            _hold(world)
            _pass(world, _CALM)
            before = _motion(world)
            time = _pass(world, _SLIDE) * robot.tick
            after = _motion(world)
            ways.append(float((after[0] - before[0]) @ down))
            speeds.append(float((after[1] - before[1]) @ down))
        what = f"slope of {math.degrees(angle):.0f} deg, friction {_FRICTION:g}"
        if share < 1.0:
            yield from _known(Test(f"{what}: stays", 0.0, ways[1], "m", _CREEP), ways[0])
        else:
            gained = 9.81 * (math.sin(angle) - _FRICTION * math.cos(angle)) * time
            yield from _known(Test(f"{what}: speed gained", gained, speeds[1], "m/s", 0.01 * gained), speeds[0])


def _motion(world: MujocoWorld) -> tuple[Vector, Vector]:
    """Place and speed of the centre of mass, (3,) each [m, m/s]."""
    mujoco.mj_subtreeVel(world.model, world.data)
    root = int(world.model.body_rootid[world.model.body(world.robot.base_body).id])
    return world.data.subtree_com[root].copy(), world.data.subtree_linvel[root].copy()


def _pulse(world: MujocoWorld, joint: int, torque: float) -> tuple[float, float]:
    """Turn of one joint by a pulse of torque while the others are held [rad], and the torque at its begin [N m]."""
    robot = world.robot
    world.reset(0)
    angles: Vector = world.read()["position"].copy()
    command = robot.command()
    command.position[:] = angles
    command.kp[:], command.kd[:] = robot.servo_kp, robot.servo_kd
    group = [i for i, leader in enumerate(robot.leaders) if leader == joint]
    command.kp[group], command.kd[group] = 0.0, 0.0
    command.torque[group] = torque
    world.write(command)
    step = world.config.timestep
    world.advance(step)
    first = float(world.read()["effort"][joint])
    world.advance(step * max(1, round(_PULSE / step)))
    return float(world.read()["position"][joint] - angles[joint]), first


def _free(robot: Robot, joint: int, turn: float) -> bool:
    """Whether a joint at its start can turn so far without coming to a stop."""
    posture = robot.posture("stand") if "stand" in robot.postures else np.clip(0.0, robot.lower, robot.upper)
    return bool(robot.lower[joint] < posture[joint] + turn < robot.upper[joint])


def _hold(world: MujocoWorld) -> None:
    """Hold the posture in which it is, with full stiffness."""
    robot = world.robot
    command = robot.command()
    command.position[:] = world.read()["position"]
    command.kp[:], command.kd[:] = robot.servo_kp, robot.servo_kd
    world.write(command)


def _pass(world: MujocoWorld, time: float) -> int:
    ticks = max(1, round(time / world.robot.tick))
    for _ in range(ticks):
        world.advance(world.robot.tick)
    return ticks

"""A robot under other limits than its pack declares: a weaker drive, a slower joint, another cycle."""

from __future__ import annotations

import math
from dataclasses import replace

from andante.robots.parts import RobotError
from andante.robots.robot import Robot


def with_limits(
    robot: Robot,
    *,
    torque: float | None = None,
    speed: float | None = None,
    tick: float | None = None,
    delay_ticks: int | None = None,
    gains: str | None = None,
) -> Robot:
    """The robot with other declared limits for all its joints; what is None stays.

    Gains stay, so a joint that is made weaker clips earlier and is not softer. The limit of the command's acceleration
    scales with speed over tick, a torque-speed limit with speed.

    Args:
        robot: The robot.
        torque: Torque limit of every joint and servo [N m].
        speed: Speed limit of every joint and servo [rad/s].
        tick: Period of the motion cycle [s].
        delay_ticks: Ticks from a command until the servos act on it.
        gains: Name of one of the robot's sets of gains.

    Raises:
        RobotError: A limit that is not above zero, or a set of gains that the robot has not.
    """
    asked = (("torque", torque, "N m"), ("speed", speed, "rad/s"), ("tick", tick, "s"))
    given = [(name, value, unit) for name, value, unit in asked if value is not None]
    for name, value, _ in given:
        if not (math.isfinite(value) and value > 0.0):
            raise RobotError(f"a declared {name} must be above zero", place=robot.name, value=value)
    if delay_ticks is not None and delay_ticks < 0:
        raise RobotError("a declared delay is not below zero", place=robot.name, value=delay_ticks)
    if gains is not None:
        robot = robot.with_gains(gains)
    cycle = tick or robot.tick
    joints, servos = [], []
    for joint, servo in zip(robot.joints, robot.servos, strict=True):
        fast = speed or joint.max_velocity
        faster = fast / joint.max_velocity
        joints.append(
            replace(
                joint,
                max_velocity=fast,
                max_effort=torque or joint.max_effort,
                max_acceleration=joint.max_acceleration * (faster * (robot.tick / cycle)),
            )
        )
        servos.append(
            replace(
                servo,
                max_velocity=speed or servo.max_velocity,
                max_torque=torque or servo.max_torque,
                torque_speed=servo.torque_speed and (servo.torque_speed[0] * faster, servo.torque_speed[1] * faster),
            )
        )
    changed = [f"{name} {value:g} {unit}" for name, value, unit in given]
    if delay_ticks is not None:
        changed.append(f"delay {delay_ticks} ticks")
    if gains is not None:
        changed.append(f"gains {gains}")
    sources = dict(robot.sources)
    if changed:
        sources["declared limits"] = "set for this run: " + ", ".join(changed)
    return replace(
        robot,
        joints=tuple(joints),
        servos=tuple(servos),
        tick=cycle,
        delay_ticks=robot.delay_ticks if delay_ticks is None else delay_ticks,
        sources=sources,
    )

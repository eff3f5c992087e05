"""In what rcsssmj's robot and floor are not those that were asked for: what two verdicts may differ by."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from andante.backends.config_parts import bounds
from andante.backends.rcsssmj.like import robot_like, world_like
from andante.backends.rcsssmj.parts import Part
from andante.backends.world import WorldConfig
from andante.robots.parts import Servo
from andante.robots.robot import Robot

TOLD: tuple[Part, ...] = ("friction", "contacts", "cone", "speeds", "limits", "inertias", "targets")
"""What robot and floor differ by, how the floor rubs included; the rest is how it is simulated."""


def differences(robot: Robot, world: WorldConfig, parts: tuple[Part, ...] = ()) -> Iterator[tuple[Part, str]]:
    """What of a robot and its floor is otherwise in rcsssmj, in a few words with numbers; nothing where it is alike.

    Args:
        robot: The robot, whose model file is taken to be the one that rcsssmj has.
        world: The world as asked.
        parts: What is like rcsssmj already.

    Yields:
        Name of the part, and how it differs.
    """
    own, there = robot_like(robot, frozenset(parts)), robot_like(robot, frozenset(TOLD))
    here = world_like(robot, world, frozenset(parts))
    asked, contact_time = bounds(here.friction), here.solver.contact_time
    level = bounds(world_like(robot, world, frozenset(TOLD)).friction)[0]
    if asked != (level, level):
        low, high = asked
        yield "friction", f"a floor of friction {level:g}, not {low:g}" + (f" to {high:g}" if low != high else "")
    if contact_time is not None:
        yield "contacts", f"contacts as soft as its model says, not of {1000.0 * contact_time:g} ms"
    if (here.solver.cone, here.solver.impratio) != ("pyramidal", 1.0):
        yield "cone", "a pyramid as friction cone, and friction as soft as the normal force"
    slowed = sum(servo.torque_speed is not None for servo in own.servos)
    if slowed:
        yield "speeds", f"motors that lose no torque with speed ({slowed})"
    yield from _other("limits", "torque limits", "N m", own, there, lambda servo: servo.max_torque)
    yield from _other("inertias", "rotor inertias", "kg m^2", own, there, lambda servo: servo.armature)
    held = sum(one.max_velocity < other.max_velocity for one, other in zip(own.servos, there.servos, strict=True))
    if held:
        yield "targets", f"motors whose targets jump at any speed ({held})"


def _other(
    part: Part, what: str, unit: str, own: Robot, there: Robot, value: Callable[[Servo], float]
) -> Iterator[tuple[Part, str]]:
    """How many motors have another value there, and the one whose value differs by the largest factor."""
    pairs = [
        (name, value(one), value(other))
        for name, one, other in zip(own.joint_names, own.servos, there.servos, strict=True)
    ]
    differing = [each for each in pairs if each[1] != each[2]]
    if differing:
        name, here, other = max(differing, key=lambda each: max(each[1:]) / max(min(each[1:]), 1e-9))
        yield part, f"other {what} ({len(differing)}), {name} {other:g} {unit}, not {here:g}"

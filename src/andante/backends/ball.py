"""A ball in the world: how it is described, built and placed.

It rolls with a constant deceleration a. For a sphere of radius r and inertia k m r^2 a rolling resistance with arm c
(torque c m g) gives a = c g / (r (1 + k)), hence c = a r (1 + k) / g; a hollow ball has k = 2/3. A ball that is struck
without spin slides first and rolls on with 1 / (1 + k) = 0.6 of its speed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import mujoco
import numpy as np
from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Length, Number, Positive

BALL = "ball"
"""Name of the ball's body, joint and geom."""
_HOLLOW = 2.0 / 3.0
_TORSION = 0.001
_CONTACT_TIME = 0.02
"""Time constant of its contacts [s]: slow enough that a bounce spans several physics steps."""
_STREAM = 0xBA11
"""Keeps the ball's randomness apart from the world's other streams."""


class Ball(Part):
    """A ball on the floor; sizes and mass are those of the RoboCup's four-legged league, assumptions."""

    diameter: Annotated[Length, Field(gt=0.0, le=10.0)] = 0.086
    """Diameter [m]."""
    mass: Positive = 0.05
    """Mass [kg]."""
    deceleration: Annotated[Number, Field(ge=0.0)] = 0.35
    """Deceleration while it rolls on the floor [m/s^2]."""
    friction: Positive = 0.6
    """Sliding friction coefficient of its contacts."""
    restitution: Annotated[Number, Field(ge=0.0, le=0.7)] = 0.5
    """Speed after a bounce over the speed before, about; an assumption for a hollow ball of hard plastic."""
    position: tuple[Length, Length] = (0.2, 0.0)
    """Where it lies at the start, x and y [m]."""
    position_noise: Annotated[Length, Field(ge=0.0)] = 0.0
    """It starts up to this far from there in x and in y, uniform, seeded [m]."""
    velocity: tuple[Number, Number] = (0.0, 0.0)
    """Velocity with which it rolls at the start [m/s]."""


def add_ball(spec: mujoco.MjSpec, ball: Ball, gravity: float) -> None:
    """Add a ball to a world; it comes after the robot in all state arrays.

    Args:
        spec: The world.
        ball: The ball.
        gravity: Strength of gravity [m/s^2].
    """
    radius = 0.5 * ball.diameter
    arm = ball.deceleration * radius * (1.0 + _HOLLOW) / gravity if gravity > 0.0 else 0.0
    body = spec.worldbody.add_body(name=BALL, pos=[*ball.position, radius])
    body.add_freejoint(name=BALL)
    friction, bounce = [ball.friction, _TORSION, arm], [_CONTACT_TIME, damping_ratio(ball.restitution)]
    shape_ball(body, radius, ball.mass, _HOLLOW, condim=6, friction=friction, solref=bounce, conaffinity=1)


def shape_ball(body: mujoco.MjsBody, radius: float, mass: float, share: float, **contacts: Any) -> None:
    """Give a body the mass and the shape of a ball, whose own friction and bounce hold in its contacts.

    Args:
        body: The body.
        radius: Radius [m].
        mass: Mass [kg].
        share: Moment of inertia over mass times radius squared.
        contacts: What MuJoCo's shape has beside.
    """
    inertia = share * mass * radius**2
    body.explicitinertial, body.mass, body.inertia = True, mass, [inertia] * 3
    body.ipos, body.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    size, colour = [radius, 0.0, 0.0], [0.98, 0.42, 0.08, 1.0]
    body.add_geom(
        name=BALL, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=size, rgba=colour, priority=2, contype=1, **contacts
    )


def place_ball(data: mujoco.MjData, ball: Ball, seed: int, rest: Callable[[float, float, float], float]) -> None:
    """Put the ball at its start on the ground, where the seed draws its place, rolling without slip.

    Args:
        data: State of the world.
        ball: The ball.
        seed: Of the world.
        rest: Height of the centre of a ball that rests on the ground at x and y, by its radius, all [m].
    """
    rng = np.random.default_rng(np.random.SeedSequence((seed, _STREAM)))
    offset = rng.uniform(-ball.position_noise, ball.position_noise, 2)
    radius = 0.5 * ball.diameter
    joint = data.joint(BALL)
    x, y = ball.position[0] + offset[0], ball.position[1] + offset[1]
    joint.qpos[:] = [x, y, rest(x, y, radius), 1.0, 0.0, 0.0, 0.0]
    vx, vy = ball.velocity
    joint.qvel[:] = [vx, vy, 0.0, -vy / radius, vx / radius, 0.0]


def damping_ratio(restitution: float) -> float:
    """Damping ratio z of a spring that gives a bounce back with ``exp(-pi z / sqrt(1 - z^2))`` of its speed."""
    if restitution <= 0.0:
        return 1.0
    loss = -math.log(restitution)
    return loss / math.hypot(math.pi, loss)


def rolling_distance(speed: float, deceleration: float) -> float:
    """How far a ball rolls until it rests [m]; infinite without deceleration."""
    return speed * speed / (2.0 * deceleration) if deceleration > 0.0 else math.inf

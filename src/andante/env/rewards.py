"""The reward terms that are there from the start; costs are positive numbers, weighted below zero."""

from __future__ import annotations

import math

from andante.env.observations import gravity_direction
from andante.env.terms import RewardTerm, StepMoment, terms_of
from andante.plugins.register import Register
from andante.robots.records import Vector


def _mean_square(values: Vector) -> float:
    return float(values.dot(values)) / max(len(values), 1)


def _true_forward_speed(moment: StepMoment) -> float:
    truth = moment.truth
    w, x, y, z = truth["qpos"][3:7].tolist()
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    vx, vy = truth["qvel"][0:2].tolist()
    return float(math.cos(yaw) * vx + math.sin(yaw) * vy)


_SHIPPED = (
    RewardTerm("alive", "", lambda m: 1.0, "1 in every step"),
    RewardTerm("upright", "", lambda m: -float(gravity_direction(m)[2]), "cosine of the IMU's tilt"),
    RewardTerm("turning", "rad^2/s^2", lambda m: float(m.sensors.gyro.dot(m.sensors.gyro)), "square of the gyro"),
    RewardTerm(
        "joint_effort", "N^2 m^2", lambda m: _mean_square(m.sensors.effort), "mean square of the joints' torques"
    ),
    RewardTerm(
        "joint_velocity", "rad^2/s^2", lambda m: _mean_square(m.sensors.velocity), "mean square of the joints' speeds"
    ),
    RewardTerm(
        "action_change",
        "",
        lambda m: _mean_square(m.action - m.before),
        "mean square of the change of the action, in its own units",
    ),
    RewardTerm("true_forward_speed", "m/s", _true_forward_speed, "speed of the base along its heading"),
    RewardTerm("true_height", "m", lambda m: m.truth["base_height"].item(), "height of the base above the floor"),
    RewardTerm("true_power", "W", lambda m: m.truth["power"].item(), "mechanical power of all motors"),
)
REWARDS: Register[RewardTerm] = terms_of(RewardTerm, "reward_terms", _SHIPPED)
"""What rewards may be made of, by name."""

USUAL_REWARD = {"alive": 1.0}
"""What a reward is made of where nothing else is asked: weights by name."""

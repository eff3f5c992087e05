"""The reward terms that are there from the start; costs are positive numbers, weighted below zero."""

from __future__ import annotations

import math

from andante.env.observations import gravity_direction
from andante.env.terms import REWARDS, RewardTerm, StepMoment


def _action_change(moment: StepMoment) -> float:
    change = moment.action - moment.before
    return float(change.dot(change)) / max(len(change), 1)


def _true_forward_speed(moment: StepMoment) -> float:
    truth = moment.truth
    w, x, y, z = truth["qpos"][3:7].tolist()
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    vx, vy = truth["qvel"][0:2].tolist()
    return float(math.cos(yaw) * vx + math.sin(yaw) * vy)


def _mean_square(values_of: str) -> RewardTerm:
    about, unit = {
        "effort": ("mean square of the joints' torques", "N^2 m^2"),
        "velocity": ("mean square of the joints' speeds", "rad^2/s^2"),
    }[values_of]

    def read(moment: StepMoment) -> float:
        values = moment.sensors[values_of]
        return float(values.dot(values)) / max(len(values), 1)

    return RewardTerm(f"joint_{values_of}", unit, read, about)


for term in (
    RewardTerm("alive", "", lambda m: 1.0, "1 in every step"),
    RewardTerm("upright", "", lambda m: -float(gravity_direction(m)[2]), "cosine of the IMU's tilt"),
    RewardTerm("turning", "rad^2/s^2", lambda m: float(m.sensors.gyro.dot(m.sensors.gyro)), "square of the gyro"),
    _mean_square("effort"),
    _mean_square("velocity"),
    RewardTerm("action_change", "", _action_change, "mean square of the change of the action, in its own units"),
    RewardTerm("true_forward_speed", "m/s", _true_forward_speed, "speed of the base along its heading"),
    RewardTerm("true_height", "m", lambda m: m.truth["base_height"].item(), "height of the base above the floor"),
    RewardTerm("true_power", "W", lambda m: m.truth["power"].item(), "mechanical power of all motors"),
):
    REWARDS.register(term)

USUAL_REWARD = {"alive": 1.0}
"""What a reward is made of where nothing else is asked: weights by name."""

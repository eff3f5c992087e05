"""What gaits for four legs need: four three-joint legs in the house's order, and where they stand by themselves."""

from __future__ import annotations

import numpy as np

from andante.control.controller import ControlError
from andante.kinematics.leg_model import LegGeometryError
from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.robots.robot import Robot
from andante.spatial.arrays import Array

FEET = ("FL", "FR", "HL", "HR")
"""Feet in the order of all leg arrays."""
FL, FR, HL, HR = range(4)


def four_legged(robot: Robot) -> LeggedBody:
    """The robot's legs, checked.

    Raises:
        ControlError: It has not the feet FL, FR, HL and HR in this order, or a leg is not of three joints.
    """
    names = tuple(foot.name for foot in robot.feet)
    if names != FEET:
        why = f": {robot.doubts['feet']}" if not names and "feet" in robot.doubts else ""
        raise ControlError(
            f"robot {robot.name!r} has not the four legs of this gait{why}", value=names, limit=", ".join(FEET)
        )
    try:
        return LeggedBody.of(robot)
    except LegGeometryError as error:
        raise ControlError(f"robot {robot.name!r} has not the legs of this gait: {error}") from None


def size_of(body: LeggedBody) -> float:
    """The robot's size against LittleDog's, by which lengths that were found on LittleDog are multiplied."""
    return body.leg_length / REFERENCE_LEG


def nominal_stance(body: LeggedBody, height: float, length: float, spread: float) -> Array:
    """Places of the feet in standing, in the base's frame, (4, 3) [m], symmetric to both sides.

    Args:
        body: The robot.
        height: Pitch axis to foot as a share of the stretched leg.
        length: Front to hind feet as a share of the distance of the hips.
        spread: How much farther apart left and right feet are than legs that hang straight down [m].
    """
    table = body.table
    hips = table.hip + table.offset
    down = height * table.lengths.sum(axis=1)
    middle = 0.5 * (hips[:2, 0].mean() + hips[2:, 0].mean())
    half = 0.5 * length * (hips[:2, 0].mean() - hips[2:, 0].mean())
    places = np.empty((4, 3))
    places[:, 0] = middle + np.array([half, half, -half, -half])
    places[:, 1] = table.hip[:, 1] + table.lateral + 0.5 * spread * np.array([1.0, -1.0, 1.0, -1.0])
    places[:, 2] = hips[:, 2].mean() - down.mean()
    return places

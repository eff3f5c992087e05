"""GlobalBody: what the global plan knows of a robot: a box on four feet, how high it goes, how heavy it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from andante.errors import AndanteError
from andante.kinematics.leg_table import LeggedBody

_STANDING, _HIGHEST, _LOWEST, _HALF_HEIGHT = 0.62, 0.92, 0.18, 0.06
"""Heights by leg length: Spirit (0.412 m) walks at 0.27 m, reaches 0.375 m, keeps 0.075 m off the ground and is 5 cm
thick; Go2 (0.448 m) stands at 0.27 m."""


class GlobalBodyError(AndanteError):
    """Numbers that are no body."""


@dataclass(frozen=True)
class GlobalBody:
    """A robot as the global plan sees it. Lengths are above zero, and heights grow from lowest to highest.

    Raises:
        GlobalBodyError: They are not.
    """

    mass: float
    """Mass [kg]."""
    leg_length: float
    """Pitch axis of the hip to the ground with the leg stretched [m]."""
    standing: float
    """Height of the body's middle above the ground on which it walks [m]."""
    highest: float
    """Largest distance from a hip to its foot [m]."""
    lowest: float
    """Least clearance of the body's underside [m]."""
    half_length: float
    """Half the distance of front and hind hips; feet stand below hips [m]."""
    half_width: float
    """Half the distance of left and right feet [m]."""
    half_height: float
    """Half the thickness of the body [m]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value > 0.0):
                raise GlobalBodyError("must be above zero", place=field.name, value=value)
        if not self.lowest + self.half_height < self.standing < self.highest:
            raise GlobalBodyError(
                "the body must stand between its lowest and highest height",
                place="standing",
                value=self.standing,
                limit=f"{self.lowest + self.half_height:.3f} to {self.highest:.3f} m",
            )

    @staticmethod
    def of(body: LeggedBody) -> GlobalBody:
        """A robot's, from its model: heights by its leg length, the box by its hips.

        Raises:
            GlobalBodyError: The robot has not four legs.
        """
        if len(body.legs) != 4:
            raise GlobalBodyError("the global plan is for four legs", place=body.robot.name, value=len(body.legs))
        length = body.leg_length
        hips = np.array([leg.hip for leg in body.legs]) + body.table.offset
        wide = np.abs(hips[:, 1] + np.array([leg.lateral for leg in body.legs]) - body.table.offset[:, 1])
        return GlobalBody(
            mass=float(body.table.total_mass),
            leg_length=length,
            standing=_STANDING * length,
            highest=_HIGHEST * length,
            lowest=_LOWEST * length,
            half_length=float(0.5 * np.ptp(hips[:, 0])),
            half_width=float(wide.mean()),
            half_height=_HALF_HEIGHT * length,
        )

"""EstimatorKind: what tells a dynamic quadruped how its body moves, chosen in a scenario by its name.

An installed package brings one by an entry point in the group ``andante.estimators``::

    def make(body, ground):
        return MyEstimator(body)

    STILL = EstimatorKind(make)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from andante.control.estimation.floating_base import FloatingBase
from andante.control.estimation.state import Estimator
from andante.plugins.errors import PluginError
from andante.plugins.register import Register
from andante.spatial.arrays import Array

if TYPE_CHECKING:
    from andante.kinematics.leg_table import LeggedBody

Heights = Callable[[Array], Array]
"""Heights of the ground that the robot knows (n,) at places (n, 2) [m]."""


@dataclass(frozen=True)
class EstimatorKind:
    """How an estimator is made."""

    make: Callable[[LeggedBody, Heights | None], Estimator[FloatingBase]]
    """From the robot's legs and the ground that it knows, None where it knows none, to the estimator."""
    tracked: bool = False
    """Whether it needs motion capture, so that a robot without it gets it."""


def _contact(body: LeggedBody, ground: Heights | None) -> Estimator[FloatingBase]:
    from andante.control.estimation.contact_kalman import ContactKalman

    return ContactKalman(body, ground=ground)


def _complementary(body: LeggedBody, ground: Heights | None) -> Estimator[FloatingBase]:
    from andante.control.estimation.complementary import Complementary

    return Complementary(body)


def _accept(thing: Any) -> EstimatorKind:
    if not isinstance(thing, EstimatorKind):
        raise PluginError("is no estimator", value=type(thing).__name__, limit="an EstimatorKind")
    return thing


ESTIMATORS: Register[EstimatorKind] = Register(
    "estimators",
    "estimator",
    _accept,
    {"contact": EstimatorKind(_contact), "complementary": EstimatorKind(_complementary, tracked=True)},
)
"""Estimators by name."""

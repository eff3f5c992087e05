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

import numpy as np

from andante.control.estimation.floating_base import FloatingBase
from andante.control.estimation.state import Estimator, Feet
from andante.plugins.answers import answer_of, finite_array
from andante.plugins.errors import PluginError
from andante.plugins.register import SHIPPED, Register
from andante.robots.records import Sensors
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


def make_estimator(name: str, body: LeggedBody, ground: Heights | None) -> Estimator[FloatingBase]:
    """The estimator of a name, for a robot; what those of others answer is looked at.

    Args:
        name: Its name.
        body: The robot's legs.
        ground: Heights of the ground that the robot knows; None: it knows none.

    Raises:
        PluginError: It cannot be used, raised, or is no estimator; names it.
    """
    with ESTIMATORS.blame(name):
        made = ESTIMATORS[name].make(body, ground)
    if ESTIMATORS.source(name) == SHIPPED:
        return made
    return CheckedEstimator(ESTIMATORS.told(name), len(body.legs), made)


class CheckedEstimator:
    """An estimator that others wrote, whose answers are looked at.

    Args:
        who: What messages call it.
        legs: How many legs the robot has.
        estimator: The estimator.

    Raises:
        PluginError: It has no `reset` or no `update`.
    """

    def __init__(self, who: str, legs: int, estimator: Estimator[FloatingBase]) -> None:
        self._who, self.inner = who, estimator
        for method in ("reset", "update"):
            if not callable(getattr(estimator, method, None)):
                raise PluginError(f"has no {method}()", place=who, value=type(estimator).__name__, limit="an Estimator")
        self._numbers = {
            **dict.fromkeys(("position", "rpy", "velocity", "angular_velocity"), (3,)),
            "rotation": (3, 3),
            "feet": (legs, 3),
            "confidence": (legs,),
            "way": (2,),
        }
        self._shapes = {**self._numbers, "contact": (legs,), "deviation": (9,)}

    def reset(self, position: Array | None = None, yaw: float | None = None) -> None:
        """Forget everything; the next update is the first.

        Raises:
            PluginError: It raised; names it.
        """
        answer_of(self._who, lambda: self.inner.reset(position, yaw))

    def update(self, sensors: Sensors, standing: Feet | None = None) -> FloatingBase:
        """The state after one more tick; what it writes into the sensors changes nothing.

        Raises:
            PluginError: It raised, gave something else than a `FloatingBase`, arrays of other shapes, or numbers that
                are not finite in a state that it trusts; names it.
        """
        feet = None if standing is None else standing.copy()
        state = answer_of(self._who, lambda: self.inner.update(sensors.copy(), feet))
        if not isinstance(state, FloatingBase):
            raise PluginError("gave no FloatingBase", place=self._who, value=type(state).__name__)
        for what, shape in self._shapes.items():
            array = getattr(state, what)
            if not (isinstance(array, np.ndarray) and array.shape == shape and array.dtype.kind in "fb"):
                shown = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise PluginError(f"gave no {what}", place=self._who, value=shown, limit=f"an array of shape {shape}")
        if state.health.trusted:
            for what, shape in self._numbers.items():
                finite_array(self._who, what, getattr(state, what), shape)
        return state

"""Stumbles: what a robot that does not know the ground learns of it by its feet.

A swinging foot that strikes something begins its swing anew from where it is, so that it goes over it (Focchi and
others, "Local reflex generation for obstacle negotiation in quadrupedal locomotion", 2013, have the legs do the like).
A foot that comes down elsewhere than on the plane through the others makes all swings higher for a while.
"""

from __future__ import annotations

import math

import numpy as np

from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest
from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.swing import swing_state
from andante.spatial.arrays import Array, Flags

_RISING = 0.3
"""Share of a swing that began anew in which the foot only rises."""


class Stumbles:
    """Feet that struck something, and how uneven the ground has been of late.

    Args:
        settings: What counts, for this robot's size.
    """

    def __init__(self, settings: LocalSettings) -> None:
        self._settings = settings
        self._flying = np.zeros(4, dtype=np.bool_)
        self._struck = np.zeros(4, dtype=np.bool_)
        self._places, self._times = np.zeros((4, 3)), np.zeros(4)
        self._uneven, self._time = 0.0, -math.inf

    @property
    def clearance(self) -> float:
        """How high feet swing over the higher of their ends [m]: higher by what feet were surprised by, at most twice
        the usual."""
        usual = self._settings.clearance
        return usual + min(max(self._uneven - self._settings.surprise, 0.0), usual)

    def starts(self, standing: Array, lifted: Array) -> tuple[Array, Array]:
        """Where and when each swing began, (4, 3) [m] and (4,) [s].

        Args:
            standing: Where each foot stands or stood last, (4, 3) [m].
            lifted: When each foot was lifted that swings, (4,) [s].
        """
        return np.where(self._struck[:, None], self._places, standing), np.where(self._struck, self._times, lifted)

    def note(self, request: LocalRequest, contact: Flags, last: LocalPlan | None) -> None:
        """Take in what the feet do.

        Args:
            request: The state.
            contact: Which feet stand in this interval of the plan, (4,).
            last: The plan before; None: there is none.
        """
        self._uneven *= math.exp(-(request.time - self._time) / self._settings.uneven)
        self._time = request.time
        for leg in range(4):
            if contact[leg]:
                if self._flying[leg] and request.contact[leg]:
                    if last is not None and last.swing_counts[leg]:
                        self._uneven = max(self._uneven, abs(request.feet[leg, 2] - last.swings[leg, 0, 7]))
                    self._flying[leg] = False
                self._struck[leg] = False
            elif not request.contact[leg]:
                self._flying[leg] = True
            elif self._flying[leg] and last is not None and not last.contact[0, leg]:
                self._strike(leg, request, last.swings[leg, 0])

    def wait(self, swings: Array) -> None:
        """Let feet that struck something rise before they move ahead.

        Args:
            swings: The swings of a plan, (4, `MOST_SWINGS`, `SWING`); those of such feet are changed.
        """
        swings[self._struck, 0, 10] = np.maximum(swings[self._struck, 0, 10], _RISING)

    def _strike(self, leg: int, request: LocalRequest, swing: Array) -> None:
        """Begin a swing anew where its foot is behind its way; one that is nearly over is a landing."""
        place, velocity, acceleration = np.empty(3), np.empty(3), np.empty(3)
        swing_state(swing, request.time, place, velocity, acceleration)
        way = swing[5:7] - swing[2:4]
        length = math.hypot(way[0], way[1])
        behind = float((place[:2] - request.feet[leg, :2]) @ way) / max(length, 1e-6)
        if behind > self._settings.stumble and swing[1] - request.time > self._settings.stumble_time:
            self._struck[leg], self._flying[leg] = True, False
            self._places[leg], self._times[leg] = request.feet[leg], request.time

"""Recovery: feet in the air go straight down until they touch, the body over their middle; then the robot rests."""

from __future__ import annotations

import numpy as np

from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.tracking import Tracking
from andante.control.estimation.estimator import BodyState
from andante.kinematics.leg_forward import leg_places
from andante.spatial.arrays import Array, Flags

_LOWERING = 1.0
"""Time over which a foot without ground goes down, and over which it is waited for [s]."""
_LONGEST = 2.0
"""Time after which a robot that still moves counts as at rest [s]."""


class Recovery:
    """What a robot does that cannot go on with its plan, until it asks for another one.

    Args:
        tracking: Moves the joints.
        settings: The crawl's settings, for this robot's size.
    """

    def __init__(self, tracking: Tracking, settings: CrawlSettings) -> None:
        self._tracking, self.settings = tracking, settings

    def begin(self, feet: Array, swinging: Flags | None = None) -> None:
        """Start with feet at these places, (nl, 3) [m], of which some swing: those come down fast.

        The commanded pose is held, not the measured one: what has tilted shall not stay tilted.
        """
        self._feet = feet.copy()
        self._deepest = np.zeros(len(feet), dtype=np.bool_)
        self._swinging = np.zeros(len(feet), dtype=np.bool_) if swinging is None else swinging.copy()
        self._hold = self._tracking.position.copy(), self._tracking.orientation.copy()

    def step(self, state: BodyState, since: float) -> bool:
        """One tick; whether the robot is at rest now.

        Args:
            state: Where body and feet are.
            since: Time since recovery began [s].
        """
        settings, tracking, feet = self.settings, self._tracking, self._feet
        before = feet.copy()
        for leg in range(len(feet)):
            if state.contact[leg]:
                self._swinging[leg] = False
                feet[leg] += settings.place_gain * (state.feet[leg] - feet[leg])
            elif since < _LOWERING and not self._deepest[leg]:
                speed = settings.catch_speed if self._swinging[leg] else settings.search_speed
                feet[leg, 2] -= speed * tracking.period
        # Ground is looked for as far as legs reach, and a foot that was held up is not asked for where it cannot go.
        feet[:] = tracking.within_reach(feet)
        position, orientation = self._hold
        way = feet[:, :2].mean(axis=0) - tracking.com()[:2]
        size = float(np.linalg.norm(way))
        if size > settings.lost_way * 0.2:
            position[:2] += way / size * min(settings.recentre_speed * tracking.period, size)
        everyone = np.ones(len(feet), dtype=np.bool_)
        tracking.follow(position, orientation, feet, everyone, position, orientation)
        if tracking.clamped.any():
            # No leg reaches farther down; asked for more, all legs would stay as they are.
            feet[~state.contact] = before[~state.contact]
            self._deepest |= ~state.contact
        if tracking.short < 1.0:
            self._hold = tracking.position.copy(), tracking.orientation.copy()
        still = float(np.linalg.norm(state.velocity)) < settings.rest_speed
        # A plan that begins with a foot in the air lifts the next one and falls.
        down = bool((state.contact | self._deepest | self._pressing(state)).all()) or since >= _LOWERING
        return since >= settings.settle and ((still and down) or since > _LONGEST)

    def _pressing(self, state: BodyState) -> Flags:
        """Feet held up while they are commanded lower, which a switch that never closes does not tell, (nl,)."""
        tracking = self._tracking
        wanted = np.empty_like(state.feet)
        leg_places(tracking.body.table, tracking.angles, wanted, np.empty(3))
        seen = (state.feet - state.position) @ state.rotation
        return np.asarray(seen[:, 2] - wanted[:, 2] > self.settings.pressing)

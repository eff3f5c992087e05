"""Footing: which foot stands where, which swings, and where all of them shall be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.control.crawl.foot import Foot, FootTick, Switch, Tell
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.timeline import Timeline
from andante.control.estimation.estimator import BodyState

Array = NDArray[np.float64]


class Footing:
    """All feet of one robot.

    Args:
        names: Names of the feet.
        settings: The settings, for this robot's size.
        tell: Takes events.
    """

    def __init__(self, names: tuple[str, ...], settings: CrawlSettings, tell: Tell) -> None:
        self.names, self.settings, self._tell = names, settings, tell
        self.reset()

    def reset(self) -> None:
        """Forget all feet; `stand` finds them again."""
        self.feet: list[Foot] = []
        self._last: dict[int, int] = {}

    def use(self, settings: CrawlSettings) -> None:
        """Go on with other settings, for this robot's size."""
        self.settings = settings
        for foot in self.feet:
            foot.settings = settings

    def stand(self, state: BodyState) -> None:
        """All feet stand where they are; of those before only what is known of their switches is kept."""
        switches: list[Switch | None] = [foot.switch for foot in self.feet] or [None] * len(self.names)
        known = zip(self.names, state.feet, switches, strict=True)
        self.feet = [
            Foot(leg, name, place, self.settings, self._tell, switch) for leg, (name, place, switch) in enumerate(known)
        ]

    @property
    def standing(self) -> NDArray[np.bool_]:
        """Which feet do not swing, (nl,)."""
        return np.array([foot.swing < 0 for foot in self.feet])

    def carrying(self, timeline: Timeline | None, ahead: float, state: BodyState) -> NDArray[np.bool_]:
        """Which feet carry, or will by the time that commands reach, (nl,).

        A foot is taken to carry as soon as it is commanded to land: pushed down it finds the ground, and the next foot
        lifts off only a few ticks later. One that touches lightly loses contact now and then and goes on carrying.

        Args:
            timeline: The plan under way; None: all feet stand.
            ahead: Commanded time [s].
            state: Where body and feet are, and which of them touch.
        """
        carrying = state.contact.copy()
        for leg, foot in enumerate(self.feet):
            carrying[leg] = foot.carries(timeline, ahead, bool(state.contact[leg]))
        return carrying

    @property
    def arriving(self) -> bool:
        """Whether a foot still looks for the ground where it should have landed."""
        return any(foot.stand.arriving and foot.trusted for foot in self.feet)

    def advance(self, timeline: Timeline, time: float, lead: float, state: BodyState, step: float) -> None:
        """One tick: feet lift off by the commanded time, touch down by the measured one."""
        tick = FootTick.of(timeline, time, lead)
        rolls = tick.here.feet - timeline.at(time - step).feet
        now = timeline.swing(time + lead)
        for leg, foot in enumerate(self.feet):
            if foot.swing >= 0:
                foot.fly(tick, state, step)
            elif now >= 0 and timeline.plan.swings[now].leg == leg and self._last[leg] < now:
                foot.lift_off(now, tick)
                self._last[leg] = now
            else:
                if not (timeline.swings(leg, time - step) or timeline.swings(leg, time)):
                    foot.place[:2] += rolls[leg, :2]
                foot.rest(state, step)

    def begin(self) -> None:
        """A new plan: no swing of it is done."""
        self._last = dict.fromkeys(range(len(self.feet)), -1)
        for foot in self.feet:
            foot.swing = -1

    def last_swing(self, leg: int) -> int:
        """Number of the last swing that a foot began in this plan; -1: none."""
        return self._last[leg]

    def targets(self, timeline: Timeline, time: float, lead: float) -> Array:
        """Where each foot shall be at the commanded time, (nl, 3) [m]."""
        tick = FootTick.of(timeline, time, lead)
        return np.stack([foot.target(tick) for foot in self.feet])

    def expected(self, timeline: Timeline, time: float) -> Array:
        """Where the feet will be at a time of the plan that is a little ahead, as far as is known now, (nl, 3) [m]."""
        wanted, number = timeline.at(time), timeline.swing(time)
        feet = wanted.feet.copy()
        for leg, foot in enumerate(self.feet):
            if number >= 0 and timeline.plan.swings[number].leg == leg:
                begin, end = timeline.begins[number], timeline.ends[number]
                start = foot.flight.start if foot.swing == number else foot.place - timeline.at(begin).feet[leg]
                feet[leg] += foot.offset(start, (time - begin) / max(end - begin, 1e-9))
            elif foot.swing < 0:
                feet[leg] = foot.place - [0.0, 0.0, foot.stand.searched]
        return feet

    def renewed(self, number: int) -> None:
        """The plan goes on with the feet where they are: the foot of this swing no longer differs from it."""
        for foot in self.feet:
            if foot.swing == number:
                foot.flight.start = np.zeros(3)

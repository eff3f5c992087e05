"""Footing: which foot stands where, and the reflexes of the one that swings.

A standing foot's place follows the estimate, its height only while it touches: a foot in the air that is taken for
standing would hold its leg up and let the robot tip. A foot that touches early stops there; one that finds no ground
goes on down slowly, while the body follows its plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.timeline import Moment, Timeline
from andante.control.estimation.estimator import BodyState
from andante.control.events import EventKind

Array = NDArray[np.float64]
Tell = Callable[..., None]
"""Called with kind, text and data of an event."""
_SURE = 2
"""Ticks that a switch must say the same before a standing foot is taken to have lost the ground."""
_LIGHT = 1
"""Ticks without a touch after which a standing foot is taken to carry nothing."""


@dataclass
class FootState:
    """One foot."""

    place: Array
    """Where it stands, or stood before its swing, (3,) [m]."""
    swing: int = -1
    """Number of the swing that it is in; -1: it stands."""
    start: Array = field(default_factory=lambda: np.zeros(3))
    """How far from the plan's it lifted off, (3,) [m]."""
    searched: float = 0.0
    """How far below its place it looks for the ground [m]."""
    lost: int = 0
    """Ticks since it touched while standing."""
    lifted: float = 0.0
    """By how much a stumble lifts it now [m]."""
    wanted_lift: float = 0.0
    """By how much it shall be lifted [m]."""
    left: bool = False
    """Whether the switch has opened in this swing."""
    always: int = 0
    """Swings in a row in which the switch never opened."""
    never: int = 0
    """Landings in a row that it did not feel."""
    pressed: bool = False
    """Whether it stands on something that its switch does not tell of."""
    felt: bool = False
    """Whether its switch has ever closed."""
    arriving: bool = False
    """Whether it has ended its swing and looks for the ground for the first time."""
    reported: bool = False
    """Whether this standing time's missing ground has been told."""


class Footing:
    """All feet of one robot.

    Args:
        names: Names of the feet.
        settings: The settings, for this robot's size.
        tell: Takes events.
    """

    def __init__(self, names: tuple[str, ...], settings: CrawlSettings, tell: Tell) -> None:
        self.names, self.settings, self._tell = names, settings, tell
        self.feet: list[FootState] = []
        self._last: dict[int, int] = {}
        self.misses = 0
        """Landings that found no ground within the depth of the search."""

    def stand(self, state: BodyState) -> None:
        """All feet stand where they are."""
        known = self.feet or [FootState(place) for place in state.feet]
        self.feet = [
            FootState(np.array(place), always=old.always, never=old.never, felt=old.felt)
            for place, old in zip(state.feet, known, strict=True)
        ]

    @property
    def standing(self) -> NDArray[np.bool_]:
        """Which feet do not swing, (nl,)."""
        return np.array([foot.swing < 0 for foot in self.feet])

    def trusted(self, leg: int) -> bool:
        """Whether a foot's switch is believed."""
        foot = self.feet[leg]
        return max(foot.always, foot.never) < self.settings.stuck_after

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
            if foot.swing < 0:
                carrying[leg] |= foot.lost <= _LIGHT or not self.trusted(leg)
            else:
                carrying[leg] = timeline is not None and ahead >= timeline.ends[foot.swing]
        return carrying

    @property
    def arriving(self) -> bool:
        """Whether a foot still looks for the ground where it should have landed."""
        return any(foot.arriving and self.trusted(leg) for leg, foot in enumerate(self.feet))

    def advance(self, timeline: Timeline, time: float, lead: float, state: BodyState, step: float) -> None:
        """One tick: feet lift off by the commanded time, touch down by the measured one."""
        ahead = timeline.at(time + lead)
        rolls = timeline.at(time).feet - timeline.at(time - step).feet
        now = timeline.swing(time + lead)
        for leg, foot in enumerate(self.feet):
            if foot.swing >= 0:
                self._swinging(leg, foot, timeline, time, lead, state, step)
            elif now >= 0 and timeline.plan.swings[now].leg == leg and not self._done(leg, now):
                if foot.arriving and not foot.reported:
                    # It leaves again and has not felt the ground all the time.
                    self._unfelt(leg, foot)
                foot.swing = now
                foot.searched, foot.arriving = 0.0, False
                foot.start = foot.place - ahead.feet[leg]
                foot.lifted = foot.wanted_lift = 0.0
                foot.left = foot.reported = foot.pressed = False
                self._last[leg] = now
                x, y, _ = timeline.plan.footsteps.steps[timeline.plan.swings[now].step].place.tolist()
                self._tell(
                    EventKind.FOOTHOLD, f"{self.names[leg]} swings to {x:.3f}, {y:.3f}", foot=self.names[leg], x=x, y=y
                )
            else:
                if not (timeline.swings(leg, time - step) or timeline.swings(leg, time)):
                    foot.place[:2] += rolls[leg, :2]
                self._stand_on(leg, foot, state, step)

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
        here, ahead = timeline.at(time), timeline.at(time + lead)
        return np.stack(
            [self._target(leg, foot, timeline, time + lead, lead, here, ahead) for leg, foot in enumerate(self.feet)]
        )

    def expected(self, timeline: Timeline, time: float) -> Array:
        """Where the feet will be at a time of the plan that is a little ahead, as far as is known now, (nl, 3) [m]."""
        moment, number = timeline.at(time), timeline.swing(time)
        feet = moment.feet.copy()
        for leg, foot in enumerate(self.feet):
            if number >= 0 and timeline.plan.swings[number].leg == leg:
                begin, end = timeline.begins[number], timeline.ends[number]
                start = foot.start if foot.swing == number else foot.place - timeline.at(begin).feet[leg]
                feet[leg] += self._offset(start, (time - begin) / max(end - begin, 1e-9))
            elif foot.swing < 0:
                feet[leg] = foot.place - [0.0, 0.0, foot.searched]
        return feet

    def renewed(self, number: int) -> None:
        """The plan goes on with the feet where they are: the foot of this swing no longer differs from it."""
        for foot in self.feet:
            if foot.swing == number:
                foot.start = np.zeros(3)

    def _offset(self, start: Array, share: float) -> Array:
        """How far from the plan's a swinging foot is kept that lifted off from elsewhere, (3,) [m]."""
        share = min(max(share, 0.0), 1.0)
        # By the middle of its way, where edges are, it is on the plan's.
        early = min(share / self.settings.catch_up, 1.0)
        offset = start * (1.0 - early * early * (3.0 - 2.0 * early))
        if start[2] < 0.0:
            # A foot that comes from below must be up before it goes across.
            early = min(share / self.settings.rise, 1.0)
            offset[2] = start[2] * (1.0 - early * early * (3.0 - 2.0 * early))
        return np.asarray(offset)

    def _target(
        self,
        leg: int,
        foot: FootState,
        timeline: Timeline,
        time: float,
        lead: float,
        here: Moment,
        ahead: Moment,
    ) -> Array:
        if foot.swing < 0:
            target = foot.place.copy()
            if not (timeline.swings(leg, time) or timeline.swings(leg, time - lead)):
                target[:2] += ahead.feet[leg, :2] - here.feet[leg, :2]
            target[2] -= foot.searched
            return target
        begin, end = timeline.begins[foot.swing], timeline.ends[foot.swing]
        target = ahead.feet[leg] + self._offset(foot.start, (time - begin) / max(end - begin, 1e-9))
        target[2] += foot.lifted - foot.searched
        return np.asarray(target)

    def _done(self, leg: int, number: int) -> bool:
        return self._last[leg] >= number

    def _stand_on(self, leg: int, foot: FootState, state: BodyState, step: float) -> None:
        settings, seen = self.settings, state.feet[leg]
        gain = 1.0 - (1.0 - settings.place_gain) ** (step / 0.01)
        touching = bool(state.contact[leg])
        if touching or not self.trusted(leg):
            if state.slip[leg] > settings.slip_speed:
                # What slipped stays where it came to rest; pulling it back would slip again.
                gain = 0.5
                self._tell(
                    EventKind.SLIP, f"{self.names[leg]} slips", foot=self.names[leg], speed=float(state.slip[leg])
                )
            foot.place[:2] += gain * (seen[:2] - foot.place[:2])
            if touching and self.trusted(leg):
                foot.arriving, foot.felt = False, True
                if foot.searched > 0.0 or foot.lost > _SURE:
                    foot.place[2] = seen[2]
                    foot.searched = 0.0
                foot.place[2] += gain * (seen[2] - foot.place[2])
                foot.lost = 0
            return
        foot.lost += 1
        if foot.arriving and not foot.pressed and seen[2] - foot.place[2] + foot.searched > settings.pressing:
            # Commanded below where it is, it presses on something.
            foot.pressed, foot.arriving = True, False
            foot.place[2], foot.searched = seen[2], 0.0
            self._unfelt(leg, foot)
        if foot.pressed:
            return
        if not foot.arriving and (foot.lost <= _SURE or not foot.felt):
            # What was never felt is not missed; a foot that stands light may be, and so is a broken switch.
            return
        if foot.searched >= settings.search_depth and not foot.reported:
            foot.reported, foot.arriving = True, False
            self.misses += 1
            self._tell(
                EventKind.NO_GROUND,
                f"{self.names[leg]} finds no ground {foot.searched * 1e3:.0f} mm below its place",
                foot=self.names[leg],
            )
            if self._unfelt(leg, foot):
                return
        speed = settings.landing_speed if foot.arriving else settings.search_speed
        foot.searched = min(foot.searched + speed * step, settings.search_depth)

    def _unfelt(self, leg: int, foot: FootState) -> bool:
        """Count a landing that was not felt; whether the switch is known to be stuck now."""
        foot.never += 1
        if foot.never != self.settings.stuck_after:
            return False
        # What it says is no reason to reach deeper than the map any more.
        foot.searched = 0.0
        self._tell(EventKind.SWITCH, f"{self.names[leg]}: the foot switch never closes", foot=self.names[leg])
        return True

    def _swinging(
        self, leg: int, foot: FootState, timeline: Timeline, time: float, lead: float, state: BodyState, step: float
    ) -> None:
        settings = self.settings
        begin, end, top = timeline.begins[foot.swing], timeline.ends[foot.swing], timeline.tops[foot.swing]
        share = (time - begin) / max(end - begin, 1e-9)
        touching = bool(state.contact[leg])
        if not touching and share > 0.1:
            foot.left = True
        near = float(np.linalg.norm(state.feet[leg] - timeline.at(end).feet[leg])) < settings.landing_reach
        if foot.left and touching and share > settings.earliest and time > top and near:
            self._land(leg, foot, state, True)
            return
        if foot.left and touching and 0.15 < share < 0.8 and not (time > top and near) and foot.wanted_lift == 0.0:
            # Far from its place it is not the ground: an edge on its way, on which it would not stand.
            foot.wanted_lift = settings.stumble_lift
            # At once no lower than it is: on its way down it would push the robot over.
            aim = self._target(leg, foot, timeline, time + lead, lead, timeline.at(time), timeline.at(time + lead))
            held = float(state.feet[leg, 2] - aim[2])
            if held > 0.0:
                foot.wanted_lift += held
                foot.lifted += held
            self._tell(
                EventKind.STUMBLE, f"{self.names[leg]} hits something and is lifted higher", foot=self.names[leg]
            )
        if foot.wanted_lift > 0.0:
            # Down again in time for the landing.
            cap = foot.wanted_lift * min(1.0, max(0.0, (1.0 - share) / 0.35))
            foot.lifted = min(foot.lifted + settings.lift_speed * step, cap)
        if time + lead >= end and self.trusted(leg):
            # On its way down it goes on below its place without a stop, until it touches.
            foot.searched = min(foot.searched + settings.landing_speed * step, settings.search_depth)
        if time >= end:
            planned = timeline.at(end).feet[leg, 2]
            self._land(leg, foot, state, touching)
            if not (touching and self.trusted(leg)):
                foot.place[2] = min(planned, float(foot.place[2]))

    def _land(self, leg: int, foot: FootState, state: BodyState, touching: bool) -> None:
        if not foot.left:
            foot.always += 1
            if foot.always == self.settings.stuck_after:
                self._tell(EventKind.SWITCH, f"{self.names[leg]}: the foot switch never opens", foot=self.names[leg])
        else:
            foot.always = 0
        if touching:
            foot.never = 0
        foot.swing = -1
        foot.place = np.array(state.feet[leg])
        foot.arriving = not touching
        foot.lost = 0
        if touching or not self.trusted(leg):
            foot.searched = 0.0

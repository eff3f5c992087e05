"""The feet of a planned crawl: where each stands, its swing, what its switch is worth, and where all of them shall be.

A standing foot's place follows the estimate, its height only while it touches: a foot in the air that is taken for
standing would hold its leg up and let the robot tip. A foot that touches early stops there; one that finds no ground
goes on down slowly, while the body follows its plan.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from andante.control.crawl.foot_state import FootTick, StandState, SwingState, Switch
from andante.control.crawl.landing_heights import LandingHeights
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.timeline import Timeline
from andante.control.estimation.estimator import BodyState
from andante.control.events import EventKind
from andante.spatial.arrays import Array, Flags

Tell = Callable[..., None]
"""Called with kind, text and data of an event."""
_SURE = 2
"""Ticks that a switch must say the same before a standing foot is taken to have lost the ground."""
_LIGHT = 1
"""Ticks without a touch after which a standing foot is taken to carry nothing."""
_EARLIEST = 0.45
"""Share of a swing before which a touch is no landing."""
_CATCH_UP = 0.5
"""Share of a swing within which a foot that stood elsewhere than planned makes up for it."""


class CrawlFoot:
    """One foot.

    Args:
        leg: Row of the leg.
        name: Name of the foot.
        place: Where it stands, (3,) [m].
        settings: The settings, for this robot's size.
        tell: Takes events.
        switch: What is known of its switch; None: nothing.
        heights: What is known of landings of all feet; None: nothing.
    """

    def __init__(
        self,
        leg: int,
        name: str,
        place: Array,
        settings: CrawlSettings,
        tell: Tell,
        switch: Switch | None = None,
        heights: LandingHeights | None = None,
    ) -> None:
        self.leg, self.name, self.settings, self._tell = leg, name, settings, tell
        self.place = np.array(place)
        """Where it stands, or stood before its swing, (3,) [m]."""
        self.swing = -1
        """Number of the swing that it is in; -1: it stands."""
        self.last = -1
        """Number of the last swing that it began in this plan; -1: none."""
        self.switch, self.flight, self.stand = switch or Switch(), SwingState(), StandState()
        self._heights = heights or LandingHeights()

    @property
    def trusted(self) -> bool:
        """Whether its switch is believed."""
        return max(self.switch.always, self.switch.never) < self.settings.stuck_after

    def carries(self, timeline: Timeline | None, ahead: float, touching: bool) -> bool:
        """Whether it carries, or will by the commanded time [s]; see `Footing.carrying`."""
        if self.swing < 0:
            return touching or self.stand.lost <= _LIGHT or not self.trusted
        return timeline is not None and ahead >= timeline.ends[self.swing]

    def target(self, tick: FootTick) -> Array:
        """Where it shall be at the commanded time, (3,) [m]."""
        timeline, time, leg = tick.timeline, tick.time + tick.lead, self.leg
        if self.swing < 0:
            target = self.place.copy()
            if not (timeline.swings(leg, time) or timeline.swings(leg, time - tick.lead)):
                target[:2] += tick.ahead.feet[leg, :2] - tick.here.feet[leg, :2]
            target[2] -= self.stand.searched
            return target
        begin, end = timeline.begins[self.swing], timeline.ends[self.swing]
        target = tick.ahead.feet[leg] + self.offset(self.flight.start, (time - begin) / max(end - begin, 1e-9))
        target[2] = max(target[2] + self.flight.lifted - self.stand.searched, self.flight.floor)
        return np.asarray(target)

    def offset(self, start: Array, share: float) -> Array:
        """How far from the plan's a swinging foot is kept that lifted off from elsewhere, (3,) [m]."""
        settings, share = self.settings, min(max(share, 0.0), 1.0)
        # By the middle of its way, where edges are, it is on the plan's.
        early = min(share / _CATCH_UP, 1.0)
        offset = start * (1.0 - early * early * (3.0 - 2.0 * early))
        if start[2] < 0.0:
            # A foot that comes from below must be up before it goes across.
            early = min(share / settings.rise, 1.0)
            offset[2] = start[2] * (1.0 - early * early * (3.0 - 2.0 * early))
        return np.asarray(offset)

    def lift_off(self, number: int, tick: FootTick) -> None:
        """Begin a swing."""
        if self.stand.arriving and not self.stand.reported:
            # It leaves again and has not felt the ground all the time.
            self._unfelt()
        self.swing = number
        self.flight = SwingState(start=self.place - tick.ahead.feet[self.leg])
        self.stand = StandState(lost=self.stand.lost)
        plan = tick.timeline.plan
        x, y, _ = plan.footsteps.steps[plan.swings[number].step].place.tolist()
        self._tell(EventKind.FOOTHOLD, f"{self.name} swings to {x:.3f}, {y:.3f}", foot=self.name, x=x, y=y)

    def fly(self, tick: FootTick, state: BodyState, step: float) -> None:
        """One tick of a swing: it lands where it touches in its place, stumbles where it touches before."""
        timeline, time, flight = tick.timeline, tick.time, self.flight
        begin, end, top = timeline.begins[self.swing], timeline.ends[self.swing], timeline.tops[self.swing]
        share = (time - begin) / max(end - begin, 1e-9)
        touching = bool(state.contact[self.leg])
        if not touching and share > 0.1:
            flight.left = True
        place = timeline.at(end).feet[self.leg]
        near = float(np.linalg.norm(state.feet[self.leg] - place)) < self.settings.landing_reach
        flight.floor -= self.settings.edge_speed * step
        if flight.left and touching and share > _EARLIEST and time > top and near:
            height = float(state.feet[self.leg, 2])
            if time >= end or not self._heights.tell_edge(height - float(place[2]), self.settings.edge_height):
                self._land(state, True, float(place[2]))
                return
            # It would slip from there: it goes on along what it has met.
            flight.floor = height
        if flight.left and touching and 0.15 < share < 0.8 and not (time > top and near) and flight.wanted_lift == 0.0:
            self._stumble(tick, float(state.feet[self.leg, 2]))
        if flight.wanted_lift > 0.0:
            # Down again in time for the landing.
            cap = flight.wanted_lift * min(1.0, max(0.0, (1.0 - share) / 0.35))
            flight.lifted = min(flight.lifted + self.settings.lift_speed * step, cap)
        if time + tick.lead >= end and self.trusted:
            # On its way down it goes on below its place without a stop, until it touches.
            self._search(self.settings.landing_speed * step)
        if time >= end:
            self._land(state, touching, float(place[2]))
            if not (touching and self.trusted):
                self.place[2] = min(place[2], float(self.place[2]))

    def rest(self, state: BodyState, step: float) -> None:
        """One tick on the ground."""
        settings, stand, seen = self.settings, self.stand, state.feet[self.leg]
        gain = 1.0 - (1.0 - settings.place_gain) ** (step / 0.01)
        touching = bool(state.contact[self.leg])
        if touching or not self.trusted:
            if state.slip[self.leg] > settings.slip_speed:
                # What slipped stays where it came to rest; pulling it back would slip again.
                gain = 0.5
                self._tell(EventKind.SLIP, f"{self.name} slips", foot=self.name, speed=float(state.slip[self.leg]))
            self.place[:2] += gain * (seen[:2] - self.place[:2])
            if touching and self.trusted:
                stand.arriving, self.switch.felt = False, True
                if stand.searched > 0.0 or stand.lost > _SURE:
                    self.place[2] = seen[2]
                    stand.searched = 0.0
                self.place[2] += gain * (seen[2] - self.place[2])
                stand.lost = 0
            return
        stand.lost += 1
        if stand.arriving and not stand.pressed and seen[2] - self.place[2] + stand.searched > settings.pressing:
            # Commanded below where it is, it presses on something.
            stand.pressed, stand.arriving = True, False
            self.place[2], stand.searched = seen[2], 0.0
            self._unfelt()
        # What was never felt is not missed; a foot that stands light may be, and so is a broken switch.
        light = stand.lost <= _SURE or not self.switch.felt
        if not (stand.pressed or (light and not stand.arriving)):
            self._look_for_ground(step)

    def _look_for_ground(self, step: float) -> None:
        settings, stand = self.settings, self.stand
        if stand.searched >= settings.search_depth and not stand.reported:
            stand.reported, stand.arriving = True, False
            text = f"{self.name} finds no ground {stand.searched * 1e3:.0f} mm below its place"
            self._tell(EventKind.NO_GROUND, text, foot=self.name)
            if self._unfelt():
                return
        self._search((settings.landing_speed if stand.arriving else settings.search_speed) * step)

    def _search(self, way: float) -> None:
        self.stand.searched = min(self.stand.searched + way, self.settings.search_depth)

    def _stumble(self, tick: FootTick, height: float) -> None:
        """Far from its place it is not the ground: an edge on its way, on which it would not stand."""
        flight = self.flight
        flight.wanted_lift = self.settings.stumble_lift
        # At once no lower than it is: on its way down it would push the robot over.
        held = float(height - self.target(tick)[2])
        if held > 0.0:
            flight.wanted_lift += held
            flight.lifted += held
        self._tell(EventKind.STUMBLE, f"{self.name} hits something and is lifted higher", foot=self.name)

    def _land(self, state: BodyState, touching: bool, planned: float) -> None:
        self._heights.note(float(state.feet[self.leg, 2]) - planned)
        if not self.flight.left:
            self.switch.always += 1
            if self.switch.always == self.settings.stuck_after:
                self._tell(EventKind.SWITCH, f"{self.name}: the foot switch never opens", foot=self.name)
        else:
            self.switch.always = 0
        if touching:
            self.switch.never = 0
        self.swing = -1
        self.place = np.array(state.feet[self.leg])
        self.stand.arriving, self.stand.lost = not touching, 0
        if touching or not self.trusted:
            self.stand.searched = 0.0

    def _unfelt(self) -> bool:
        """Count a landing that was not felt; whether the switch is known to be stuck now."""
        self.switch.never += 1
        if self.switch.never != self.settings.stuck_after:
            return False
        # What it says is no reason to reach deeper than the map any more.
        self.stand.searched = 0.0
        self._tell(EventKind.SWITCH, f"{self.name}: the foot switch never closes", foot=self.name)
        return True


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
        self.feet: list[CrawlFoot] = []
        self._heights = LandingHeights()

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
            CrawlFoot(leg, name, place, self.settings, self._tell, switch, self._heights)
            for leg, (name, place, switch) in enumerate(known)
        ]

    @property
    def standing(self) -> Flags:
        """Which feet do not swing, (nl,)."""
        return np.array([foot.swing < 0 for foot in self.feet])

    def carrying(self, timeline: Timeline | None, ahead: float, state: BodyState) -> Flags:
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

    def advance(self, timeline: Timeline, time: float, lead: float, state: BodyState, step: float) -> None:
        """One tick: feet lift off by the commanded time, touch down by the measured one."""
        tick = FootTick.of(timeline, time, lead)
        rolls = tick.here.feet - timeline.at(time - step).feet
        now = timeline.swing(time + lead)
        for leg, foot in enumerate(self.feet):
            if foot.swing >= 0:
                foot.fly(tick, state, step)
            elif now >= 0 and timeline.plan.swings[now].leg == leg and foot.last < now:
                foot.lift_off(now, tick)
                foot.last = now
            else:
                if not (timeline.swings(leg, time - step) or timeline.swings(leg, time)):
                    foot.place[:2] += rolls[leg, :2]
                foot.rest(state, step)

    def begin(self) -> None:
        """A new plan: no swing of it is done."""
        for foot in self.feet:
            foot.swing = foot.last = -1

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

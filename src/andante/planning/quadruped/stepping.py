"""Stepping: whether a quadruped stands or steps, in which gait, and since when.

Source: Quad-SDK steps where a twist is asked, where the body moves, or where it is not over the middle of its feet, and
stands otherwise. A tilt counts here too, and a robot stops only at a step of the gait in which no foot stays in the
air. The plan before says so already: until a plan is used, legs go by the one before, and one that has been lifted
finishes its swing, while the plan would count on its force. So it is with another gait.
"""

from __future__ import annotations

import math

import numpy as np

from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.gait import GAITS, Gait, contact_schedule, quicker
from andante.planning.quadruped.leap_timing import LeapTiming
from andante.planning.quadruped.local_plan import LocalRequest, Mode
from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.speed_trim import in_world
from andante.spatial.arrays import Array, Flags, Index


class Stepping:
    """The mode, and the gait's place in time.

    Args:
        settings: When it steps, for this robot's size.
        body: The robot.
        step: Length of an interval of the plan [s].
    """

    def __init__(self, settings: LocalSettings, body: QuadrupedBody, step: float) -> None:
        self._settings, self._body, self._step = settings, body, step
        self._arm = body.com - body.hips.mean(axis=0)
        self.mode = Mode.STAND
        """Whether it steps."""
        self.gait = GAITS["trot"]
        """The gait."""
        self._pattern = self.gait.pattern(step)
        self._duty = self.gait.duty
        self._begun = self._moved = 0
        self._hurried: int | None = None
        # The interval from which on all feet stand, as the plan before it says already.
        self._stops: int | None = None
        # The interval in which it stopped last; None: it was pushed or asked to walk since, or never stepped.
        self._stopped: int | None = None
        # Another gait and the interval that it begins in, as the plan before it says already.
        self._next: tuple[Gait, int] | None = None
        self._unrest = np.zeros(6)
        self._timing: LeapTiming | None = None
        self._course: BodyPlan | None = None

    @property
    def catching(self) -> bool:
        """Whether a push is being caught."""
        return self._hurried is not None

    @property
    def stance_times(self) -> Array:
        """How long each foot stands in the gait, (4,) [s]."""
        return np.array(self._duty) * len(self._pattern) * self._step

    def middle(self, state: Array, feet: Array) -> Array:
        """Where the centre of mass is over the middle of the feet, x and y [m]."""
        return np.asarray(feet[:, :2].mean(axis=0) + in_world(self._arm, state[5]))

    def choose(self, request: LocalRequest, wrong: Array, level: Array, asked: bool, index: int) -> None:
        """Decide for the plan that begins in an interval.

        Args:
            request: State and gait.
            wrong: Measured velocity less the one that is asked for, (2,) [m/s].
            level: Roll and pitch of the body standing on the ground below it, (2,) [rad].
            asked: Whether motion is asked for.
            index: The interval.
        """
        self._take(request.gait, index)
        state, settings = request.state, self._settings
        offset = state[:2] - self.middle(state, request.feet)
        unrest = np.array([*state[6:8], *offset, *(state[3:5] - level)])
        if self.mode is Mode.STAND:
            # A gait that sways is caught by four feet; for a period it counts as its mean does.
            calming = self._stopped is not None and index - self._stopped < len(self._pattern)
            self._weigh(unrest)
            if asked or self._restless(self._unrest if calming else unrest):
                self._stopped = None
                self.mode, self._begun, self._moved = Mode.STEP, index, index
                self._unrest[:] = unrest
                self._timing = None
                self._restore()
            return
        self._pace(request, wrong, index)
        # A gait sways in its own rhythm; what counts for a stop is the mean over a period.
        self._weigh(unrest)
        if asked or self._restless(self._unrest):
            self._moved, self._stops = index, None
        elif self._stops is not None and index >= self._stops:
            self.mode, self._stops, self._stopped = Mode.STAND, None, index
            self._next = None
        elif index + 1 - self._moved >= settings.settling * len(self._pattern) and self._all_land(index + 1):
            self._stops = index + 1

    def why(self, asked: bool) -> str:
        """Why it steps though no motion is asked for; empty where it need not, or is about to stand."""
        if asked or self.mode is Mode.STAND or self._stops is not None or not self._restless(self._unrest):
            return ""
        settings, unrest = self._settings, self._unrest
        each = (
            ("is off the middle of its feet by", math.hypot(*unrest[2:4]), "stand_offset", "m"),
            ("tilts by", float(np.abs(unrest[4:]).max()), "stand_tilt", "rad"),
            ("moves at", math.hypot(*unrest[:2]), "stand_speed", "m/s"),
        )
        return " and ".join(
            f"{what} {value:.2g} {unit} (local.{name}: {getattr(settings, name):.2g} for this robot)"
            for what, value, name, unit in each
            if value > getattr(settings, name)
        )

    def _weigh(self, unrest: Array) -> None:
        """Let the mean over a period follow the unrest of now."""
        share = self._settings.interval / (len(self._pattern) * self._step)
        self._unrest += (unrest - self._unrest) * min(share, 1.0)

    def _restless(self, unrest: Array) -> bool:
        settings = self._settings
        return (
            math.hypot(unrest[0], unrest[1]) > settings.stand_speed
            or math.hypot(unrest[2], unrest[3]) > settings.stand_offset
            or max(abs(unrest[4]), abs(unrest[5])) > settings.stand_tilt
        )

    def _all_land(self, index: int) -> bool:
        """Whether every foot stands in an interval or was lifted no longer ago than the gait makes unavoidable.

        In most gaits there is an interval in which some feet land and the others need not be lifted; a gait with flight
        has none, so there those stop that have just been lifted.
        """
        period, phase = len(self._pattern), index - self._begun
        if self._timing is not None and self._course is not None:
            phase = int(self._timing.phase(index, len(self._course.primitives)) + 1e-6)
        for back in range(1, period):
            down = np.logical_or.reduce([np.roll(self._pattern, k, axis=0) for k in range(back + 1)]).all(axis=1)
            if down.any():
                return bool(down[phase % period])
        return False

    def _pace(self, request: LocalRequest, wrong: Array, index: int) -> None:
        """Step quicker while the velocity is far off: a standing leg is stretched before its stance would end."""
        settings, follows = self._settings, request.plan is not None
        if not follows and math.hypot(wrong[0], wrong[1]) > settings.hurry_error:
            if self._hurried is None:
                self._change(quicker(self.gait, settings.hurry_swing, self._step), index)
            self._hurried = index
        elif self._hurried is not None and (follows or index - self._hurried >= len(self._pattern)):
            self._hurried = None
            self._change(self.gait, index)

    def _restore(self) -> None:
        """The gait's own timing, from where it begins."""
        self._pattern, self._duty = self.gait.pattern(self._step), self.gait.duty
        self._hurried = None

    def _change(self, gait: Gait, index: int) -> None:
        """Go on in another timing of the same gait, at the same share of the period."""
        share = (index - self._begun) % len(self._pattern) / len(self._pattern)
        self._pattern, self._duty, self._stops = gait.pattern(self._step), gait.duty, None
        self._next = None
        self._begun = index - math.floor(share * len(self._pattern) + 0.5)

    def _take(self, gait: Gait, index: int) -> None:
        """Take another gait where the old one begins anew, told one interval before, or while the robot stands."""
        if self.mode is Mode.STAND:
            if gait != self.gait:
                self._begin(gait, index)
        elif self._next is not None and index >= self._next[1]:
            # Legs go by it already, whatever is asked for meanwhile.
            self._begin(*self._next)
        elif gait == self.gait:
            self._next = None
        elif (index + 1 - self._begun) % len(self._pattern) == 0:
            self._next = gait, index + 1

    def _begin(self, gait: Gait, index: int) -> None:
        self.gait, self._pattern, self._begun = gait, gait.pattern(self._step), index
        self._duty, self._hurried, self._stops = gait.duty, None, None
        self._timing = self._next = None

    def contact(
        self,
        index: int,
        count: int,
        primitives: Index,
        landed: Flags,
        course: BodyPlan | None = None,
        row: int = 0,
    ) -> Flags:
        """Which feet stand in the intervals from one on, (count, 4); see `contact_schedule`.

        Args:
            index: The interval.
            count: How many intervals.
            primitives: Kind of motion in each, (count,).
            landed: Legs that have come down already in intervals of flight, (count, 4).
            course: The body plan that is followed; with leaps in it `LeapTiming` times the gait.
            row: Row of the body plan that belongs to the interval.
        """
        if self.mode is Mode.STAND:
            return np.ones((count, 4), dtype=np.bool_)
        if course is None or not bool((course.primitives == Primitive.LEAP_STANCE).any()):
            self._timing = None
            contact = contact_schedule(self._pattern, index - self._begun, count, primitives, landed)
            if self._next is not None:
                gait, begin = self._next
                k = begin - index
                contact[k:] = contact_schedule(gait.pattern(self._step), 0, count - k, primitives[k:], landed[k:])
        else:
            if self._timing is None or self._course is not course:
                self._course, self._timing = course, LeapTiming(self._pattern, course.primitives)
            contact = self._timing.contact(index, row, count)
            contact |= (primitives == Primitive.FLIGHT)[:, None] & landed
        if self._stops is not None:
            contact[max(self._stops - index, 0) :] = True
        return contact

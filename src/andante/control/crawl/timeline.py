"""Timeline: a walk plan at any time between its samples, and which foot swings when; and plans spliced."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.planning.plans import FootstepPlan
from andante.planning.walk_plan import Swing, WalkPlan
from andante.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class Setpoint:
    """What a plan wants at one time."""

    position: Array
    """Origin of the base, (3,) [m]."""
    rpy: Array
    """Roll, pitch and yaw of the base, (3,) [rad]."""
    com: Array
    """Centre of mass, (3,) [m]."""
    zmp: Array
    """Zero moment point, (2,) [m]."""
    feet: Array
    """Centres of the feet, (nl, 3) [m]."""
    angles: Array
    """Joint angles that reach them, (nl, 3) [rad]."""


class Timeline:
    """Reads a plan by time.

    Args:
        plan: The plan.
    """

    def __init__(self, plan: WalkPlan) -> None:
        self.plan = plan
        self.duration = plan.duration
        self.begins = np.array([swing.lift_off for swing in plan.swings]) * plan.period
        self.ends = np.array([swing.touchdown for swing in plan.swings]) * plan.period
        # Where each swing turns downward, so that a touch after it is a landing.
        self.tops = np.array([self._top(swing) for swing in plan.swings])
        self._yaw = np.unwrap(plan.rpy[:, 2])
        # All that is read at a time lies in one row: six readings were a twentieth of a walk's tick.
        wanted = {name: np.asarray(getattr(plan, name)) for name in Setpoint.__annotations__}
        self._rows = np.concatenate([each.reshape(len(each), -1) for each in wanted.values()], axis=1)
        ends = np.cumsum([each[0].size for each in wanted.values()]).tolist()
        self._parts = tuple(
            (name, slice(end - each[0].size, end), each.shape[1:])
            for (name, each), end in zip(wanted.items(), ends, strict=True)
        )

    def at(self, time: float) -> Setpoint:
        """The plan at a time; before its start and after its end it rests."""
        plan = self.plan
        place = min(max(time / plan.period, 0.0), float(len(plan.com) - 1))
        low = min(int(place), len(plan.com) - 2)
        share = place - low
        row = self._rows[low] + share * (self._rows[low + 1] - self._rows[low])
        found = {name: row[part].reshape(shape) for name, part, shape in self._parts}
        found["rpy"][2] = self._yaw[low] + share * (self._yaw[low + 1] - self._yaw[low])
        return Setpoint(**found)

    def swing(self, time: float) -> int:
        """Number of the swing under way at a time, -1 where all feet stand."""
        number = int(np.searchsorted(self.begins, time, side="right")) - 1
        return number if number >= 0 and time < self.ends[number] else -1

    def swings(self, leg: int, time: float) -> bool:
        """Whether a leg is in the air at a time."""
        number = self.swing(time)
        return number >= 0 and self.plan.swings[number].leg == leg

    def _top(self, swing: Swing) -> float:
        heights = self.plan.feet[swing.lift_off : swing.touchdown + 1, swing.leg, 2]
        highest = np.flatnonzero(heights >= heights.max() - 1e-6)
        return (swing.lift_off + int(highest[-1])) * self.plan.period


def splice(old: WalkPlan, new: WalkPlan, at: int) -> WalkPlan:
    """A walk whose rest was planned anew, on the clock and with the numbers of swings of the one under way.

    It is the old walk up to sample ``at``, and from there on the new one, whose sample 0 it is.

    A step that was in the air then keeps its number and the moment at which it lifted off.
    """
    first = next((k for k, swing in enumerate(old.swings) if swing.touchdown > at), len(old.swings))
    swings = list(old.swings[:first])
    for number, swing in enumerate(new.swings):
        lift_off = swing.lift_off + at
        if number == 0 and first < len(old.swings):
            lift_off = min(lift_off, max(old.swings[first].lift_off, 0)) if swing.lift_off == 0 else lift_off
        swings.append(Swing(first + swing.step, swing.leg, lift_off, swing.touchdown + at))
    steps = old.footsteps.steps[:first] + new.footsteps.steps
    warm_start = None
    if old.warm_start is not None and new.warm_start is not None:
        warm_start = old.warm_start.part(0, first).then(new.warm_start) if first else new.warm_start
    return WalkPlan(
        footsteps=FootstepPlan(old.footsteps.feet, steps, old.footsteps.cost, old.footsteps.bound),
        period=old.period,
        swings=tuple(swings),
        warm_start=warm_start,
        **old.joined_samples(at, new),
    )

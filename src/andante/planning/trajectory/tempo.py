"""Tempo: what each step of a walk is allowed; a walk is slowed step by step, never as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from andante.planning.course import PlanningError
from andante.planning.plans import FootstepPlan, StancePlan
from andante.planning.trajectory.settings import TrajectorySettings
from andante.spatial.arrays import Array, Flags

_NEIGHBOURS = 4
"""Steps before and after a high one that are made as carefully."""
_EACH = ("lift", "ramp", "use", "wide", "back", "aside", "moved", "exact")
"""What each step has one value of."""
_ROWS = ("poses", "aims", "rooms", "laws")
"""Fields with one row per step."""


@dataclass(frozen=True, eq=False)
class Tempo:
    """Timing wishes per step, n steps."""

    four_foot_time: Array
    """Least time in which all feet carry before each step and after the last, (n + 1,) [s]."""
    lift: Array
    """Height of the foot over what lies on its way, (n,) [m]."""
    ramp: Array
    """Share of the swing in which it gets fast, and the same in which it gets slow, (n,)."""
    use: Array
    """Share of the joints' declared speed that is used, (n,)."""
    wide: Array
    """How far before and behind what lies on its way the foot is above it already, (n,) [m]."""
    back: Array
    """How far the foot keeps back from a high edge on its way up or down, so that knee and shank pass it, (n,) [m]."""
    aside: Array
    """How far the foot swings outwards, or inwards where below 0, so that the folded leg passes the trunk, (n,) [m]."""
    moved: Array
    """How far from the step's poses at lift-off and landing the body is, so that belly, thighs and shanks pass an edge:
    x, y, z, roll, pitch, yaw, (n, 2, 6) [m, rad]."""
    exact: Flags
    """Whether the body does not cut the corners of the step's poses, (n,)."""

    @staticmethod
    def of(stances: StancePlan, settings: TrajectorySettings, scale: float) -> Tempo:
        """Brisk on even ground where the margins of the centre of mass are fat, careful where either fails.

        Args:
            stances: The poses.
            settings: The paces.
            scale: The robot's size against LittleDog's.
        """
        settings = settings.timed(scale)
        thin, fat = settings.thin_margin * scale, settings.fat_margin * scale
        margins = stances.margin.min(axis=1)
        share = np.clip((margins - thin) / max(fat - thin, 1e-12), 0.0, 1.0)
        # What the foot of each step climbs and clears, up or down, less its lift.
        apex, lower, higher = _heights(stances)
        climbs = np.maximum(apex - settings.fast.lift * scale - lower, 0.0)
        share = np.minimum(share, _evenness(climbs, settings, scale))
        safe, fast, steady = settings.safe, settings.fast, settings.steady
        tall = climbs >= settings.tall * scale

        def between(name: str) -> Array:
            low, high = getattr(safe, name), getattr(fast, name)
            return np.asarray(np.where(tall, getattr(steady, name), low + share * (high - low)))

        four_foot_times = between("four_foot_time")
        # The time between two steps is that of the more careful one.
        inner = np.maximum(four_foot_times[1:], four_foot_times[:-1]) + _shifting(stances, settings, scale)
        # A body that is too fast when a long swing begins may fall before it ends: its error grows e-fold in a tenth
        # of a second, and the few millimetres that the zero moment point can shift stop only a slow one.
        wall = apex - higher >= (settings.over + settings.fast.lift) * scale
        long = (climbs >= settings.steep * scale) | wall
        inner = inner + settings.calm * long[1:]
        return Tempo(
            four_foot_time=np.concatenate([[settings.start], inner, [settings.settle]]),
            lift=between("lift") * scale,
            ramp=between("ramp"),
            use=between("use"),
            wide=scale
            * np.interp(climbs / scale, (0.5 * settings.edge, settings.edge), (settings.wide, settings.wider)),
            back=scale * np.interp(climbs / scale, (0.5 * settings.edge, settings.edge), (0.0, settings.back)),
            aside=np.zeros(len(margins)),
            moved=np.zeros((len(margins), 2, 6)),
            exact=np.zeros(len(margins), dtype=np.bool_),
        )

    def slow(self, steps: Iterable[int], factor: float) -> Tempo:
        """The same with some steps slower: their joint speed divided, the time around them multiplied.

        Args:
            steps: Numbers of the steps.
            factor: How many times slower, at least 1.

        Raises:
            PlanningError: An unknown step, or a factor below 1.
        """
        if not (math.isfinite(factor) and factor >= 1.0):
            raise PlanningError("steps are slowed by a factor of at least 1", value=factor)
        four_foot_time, use = self.four_foot_time.copy(), self.use.copy()
        for step in sorted(set(steps)):
            if not 0 <= step < len(use):
                raise PlanningError("the walk has no such step", value=step, limit=f"0 to {len(use) - 1}")
            use[step] /= factor
            four_foot_time[step] *= factor
            four_foot_time[step + 1] *= factor
        return replace(self, four_foot_time=four_foot_time, use=use)

    def clearing(self, steps: Iterable[int], height: float, width: float) -> Tempo:
        """The same with some steps keeping off the ground: feet higher, from farther off, the body where it shall be.

        Args:
            steps: Numbers of the steps.
            height: How much higher the feet are lifted [m].
            width: How much wider they keep off [m].
        """
        on = self._rows(steps)
        return replace(self, lift=self.lift + height * on, wide=self.wide + width * on, exact=self.exact | on)

    def upright(self, steps: Iterable[int], widths: Array) -> Tempo:
        """The same with the feet of some steps swinging farther aside, and the body where it shall be.

        Args:
            steps: Numbers of the steps.
            widths: How much farther outwards, or inwards where below 0, for all steps, (n,) [m].
        """
        on = self._rows(steps)
        return replace(self, aside=self.aside + np.where(on, widths, 0.0), exact=self.exact | on)

    def raising(self, steps: Iterable[int], height: float) -> Tempo:
        """The same with the body higher in some steps and in those before them.

        Args:
            steps: Numbers of the steps.
            height: How much higher [m].
        """
        moved = self.moved.copy()
        rows = sorted(set(steps) | {max(step - 1, 0) for step in steps})
        moved[rows, :, 2] += height
        return replace(self, moved=moved)

    def moving(self, moves: Array, most: Array) -> Tempo:
        """The same with the body moved farther from some poses, and exactly there.

        Args:
            moves: How much farther, (n, 2, 6) [m, rad].
            most: How far in all at most, (6,) [m, rad].
        """
        exact = self.exact | (moves != 0.0).any(axis=(1, 2))
        return replace(self, moved=np.clip(self.moved + moves, -most, most), exact=exact)

    def plain(self, step: int, moved: Array | None = None) -> Tempo:
        """The same with nothing special in one step, where joints lack the room.

        Args:
            step: Its number.
            moved: How far the body is moved around it instead, of all steps, (n, 2, 6); None: it is as posed.
        """
        back, aside, new = self.back.copy(), self.aside.copy(), self.moved.copy()
        back[step] = aside[step] = 0.0
        around = slice(max(step - 1, 0), step + 2)
        new[around] = 0.0 if moved is None else moved[around]
        return replace(self, back=back, aside=aside, moved=new)

    def modest(self, step: int, height: float) -> Tempo:
        """The same with the foot of one step lifted less, by a height [m], and no earlier than on the straight way."""
        lift, wide = self.lift.copy(), self.wide.copy()
        lift[step] = max(lift[step] - height, 0.0)
        wide[step] = 0.0
        return replace(self, lift=lift, wide=wide)

    def special(self, step: int) -> bool:
        """Whether anything would change by that."""
        return bool(self.back[step] or self.aside[step] or self.moved[max(step - 1, 0) : step + 2].any())

    def _rows(self, steps: Iterable[int]) -> Flags:
        return np.isin(np.arange(len(self.use)), list(steps))

    def part(self, first: int, last: int) -> Tempo:
        """The tempo of steps ``first`` to before ``last`` only."""
        rows = slice(first, last)
        each = {name: getattr(self, name)[rows] for name in _EACH}
        return Tempo(four_foot_time=self.four_foot_time[first : last + 1], **each)

    def then(self, rest: Tempo) -> Tempo:
        """This and then the rest, whose first time with all feet down counts."""
        each = {name: np.concatenate([getattr(self, name), getattr(rest, name)]) for name in _EACH}
        return Tempo(four_foot_time=np.concatenate([self.four_foot_time[:-1], rest.four_foot_time]), **each)


def _heights(stances: StancePlan) -> tuple[Array, Array, Array]:
    """Apex of each step, and the lower and the higher of the old and the new place of its foot, (n,) [m]."""
    steps = stances.footsteps.steps
    old = [before[step.leg, 2] for step, before in zip(steps, stances.footsteps.stances(), strict=False)]
    ends = np.array([old, [step.place[2] for step in steps]])
    return np.array([step.apex for step in steps]), ends.min(axis=0), ends.max(axis=0)


def _shifting(stances: StancePlan, settings: TrajectorySettings, scale: float) -> Array:
    """Time that far shifts of the body between two steps take beyond short ones, (n - 1,) [s].

    In too short a time it gets so fast that it tips over where the next foot carries a little late.
    """
    far = np.linalg.norm(stances.com[1:, 0, :2] - stances.com[:-1, 1, :2], axis=-1)
    return np.asarray(np.maximum(far - settings.near * scale, 0.0) / (settings.shifting * math.sqrt(scale)))


def _evenness(climbs: Array, settings: TrajectorySettings, scale: float) -> Array:
    """1 for steps that climb and clear little, 0 for those that do much and for their neighbours, (n,)."""
    level, high = settings.level * scale, settings.high * scale
    share = np.clip((high - climbs) / (high - level), 0.0, 1.0)
    # The body moves for a high step before its foot leaves and after it has landed.
    padded = np.pad(share, _NEIGHBOURS, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1).min(axis=1))


@dataclass(frozen=True, eq=False)
class PlanWarmStart:
    """What the n steps of a walk were timed with."""

    poses: Array
    """Centre of mass and roll, pitch, yaw that were wanted at lift-off and landing, (n, 2, 6) [m, rad]."""
    aims: Array
    """How far past them the body was aimed, (n, 2, 6) [m, rad]."""
    rooms: Array
    """Room and margin of the stances there, (n, 2, 2) [m]."""
    tempo: Tempo
    """What each step was allowed."""
    laws: Array
    """Times 0 to 1 at which each foot is at the points of its path, (n, m)."""

    def stances(self, footsteps: FootstepPlan, first: int, last: int) -> StancePlan:
        """The poses of steps ``first`` to before ``last`` over footsteps that are these."""
        poses, rooms = self.poses[first:last], self.rooms[first:last]
        return StancePlan(footsteps, poses[..., :3], poses[..., 3:], rooms[..., 0], rooms[..., 1])

    def part(self, first: int, last: int | None = None) -> PlanWarmStart:
        """The same of steps ``first`` to before ``last`` only."""
        last = len(self.poses) if last is None else last
        rows = {name: getattr(self, name)[first:last] for name in _ROWS}
        return PlanWarmStart(tempo=self.tempo.part(first, last), **rows)

    def then(self, rest: PlanWarmStart) -> PlanWarmStart:
        """This, and then the rest."""
        rows = {name: np.concatenate([getattr(self, name), getattr(rest, name)]) for name in _ROWS}
        return PlanWarmStart(tempo=self.tempo.then(rest.tempo), **rows)

"""QuadrupedViews: what the pictures of a dynamic quadruped's run show, gathered from its log and its plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.planning.quadruped.local_plan import LocalPlan, Mode
from andante.robots.records import Vector
from andante.runs.falls import runs_of
from andante.runs.quadruped.plan_keeper import PlanFigures
from andante.runs.quadruped.trace import QuadrupedTrace
from andante.terrain.terrain import Terrain

_LEAST_STANCE = 0.02
"""A touch that is shorter is no footfall [s]."""


@dataclass(frozen=True)
class Footfall:
    """Where a foot came down."""

    leg: int
    """Row of the foot."""
    time: float
    """When [s]."""
    place: tuple[float, float]
    """Where its centre was [m]."""
    planned: tuple[float, float] | None
    """Where it should have come down by the last plan of its swing, as the estimator saw the world [m]."""


@dataclass(frozen=True, eq=False)
class QuadrupedViews:
    """One run."""

    title: str
    """What it is."""
    trace: QuadrupedTrace
    """What it did."""
    feet: Vector
    """Centres of the feet, (n, 4, 3) [m]."""
    names: tuple[str, ...]
    """Names of the feet."""
    radius: float
    """Radius of a foot [m]."""
    friction: float
    """Friction coefficient of the ground."""
    believed: float
    """Friction coefficient of the plans."""
    weight: float
    """Weight of the robot as its model has it [N]."""
    figures: Sequence[PlanFigures] = ()
    """Figures of every plan."""
    plans: Sequence[LocalPlan] = ()
    """Plans that were kept whole."""
    terrain: Terrain | None = None
    """The ground; None: a floor."""
    end: float | None = None
    """When it fell or gave up [s]; None: it did not."""
    push: float | None = None
    """When it was pushed first [s]; None: it was not."""

    def excerpt(self, seconds: float) -> tuple[float, float]:
        """Begin and end of a part that shows the most [s].

        Before the end of a run that failed, else from shortly before a push, else the middle of the longest stepping.
        """
        times = self.trace.times
        low, high = float(times[0]), float(times[-1])
        if self.end is not None:
            end = min(high, self.end + 0.15 * seconds)
        elif self.push is not None:
            end = min(high, self.push + 0.75 * seconds)
        else:
            walks = runs_of(self.trace.mode == Mode.STEP)
            first, last = max(walks, key=lambda walk: walk[1] - walk[0], default=(0, len(times) - 1))
            end = float(times[first] + times[last] + seconds) / 2.0
        begin = max(low, end - seconds)
        return begin, min(high, begin + seconds)

    def footfalls(self, threshold: float = 1.0) -> list[Footfall]:
        """Where feet came down while the robot stepped."""
        trace, found = self.trace, []
        touching = trace.touching(threshold)
        period = float(np.median(np.diff(trace.times)))
        for leg in range(touching.shape[1]):
            for first, last in runs_of(touching[:, leg]):
                if first == 0 or (last - first + 1) * period < _LEAST_STANCE:
                    continue
                planned = trace.foothold[first - 1, leg]
                aimed = (float(planned[0]), float(planned[1])) if planned.any() else None
                # The foot is where it comes down when its first touch has ended its fall.
                x, y = self.feet[min(first + round(0.01 / period), last), leg, :2].tolist()
                found.append(Footfall(leg, float(trace.times[first]), (x, y), aimed))
        return sorted(found, key=lambda fall: fall.time)

    @property
    def shift(self) -> Vector:
        """True minus estimated place of the centre of mass, (n, 2) [m]: puts what is planned into the true world."""
        shift: Vector = self.trace.com[:, :2] - self.trace.estimate[:, :2]
        return shift

    def margins(self, force: Vector, friction: float) -> Vector:
        """Distance of forces (n, 4, 3) from the edge of the friction cone, (n, 4) [N]; nan without load."""
        along = np.hypot(force[..., 0], force[..., 1])
        margin: Vector = np.where(force[..., 2] > 1.0, friction * force[..., 2] - along, np.nan)
        return margin

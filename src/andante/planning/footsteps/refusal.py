"""Why there is no plan: what lies ahead of the feet that came farthest, and whether every step was tried."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.planning.course import Course, NoPlanError
from andante.planning.footsteps.body_path import BodyPath
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.settings import FootstepSettings
from andante.spatial.arrays import Array, Flags

_GAP, _STEP, _WALL = 0.22, 0.115, 0.095
"""About the hardest that plans are found over where nothing else is in the way: a stretch without footholds, a rise,
and what goes up and down again, for LittleDog [m]. They only say which of several things in the way is told."""
_NOTHING, _ALIKE = 0.25, 0.95
"""Share of these below which something is not told, and share of the hardest from which on two are alike."""


@dataclass(frozen=True)
class Searched:
    """What all searches for a plan came to."""

    feet: Array
    """Centres of the feet that came farthest, (4, 3) [m]."""
    tests: int
    """Steps that were tested for a pose."""
    looks: int
    """Poses that were looked at in them."""
    everything: bool
    """Whether no step was left to test; else the work was used up."""


@dataclass(frozen=True)
class Obstacle:
    """What one foot has to cross between a foothold and the next on its line."""

    leg: int
    """Row of the foot."""
    at: int
    """Point of the path where it begins."""
    begin: Array
    """Last place on its line before it, (2,) [m]."""
    width: float
    """Way from there to the first foothold behind it [m]."""
    rise: float
    """Difference of their heights, up or down [m]."""
    over: float
    """Height of what stands between, over the higher of them [m]."""
    thickness: float
    """How far that reaches along the way, where it is at least half as high [m]."""

    def hardness(self, scale: float) -> float:
        """How hard it is to cross, about 1 where robots of a size hardly do."""
        return max(self.width / _GAP, self.rise / _STEP, self.over / _WALL) / scale

    def text(self, scale: float) -> str:
        """What it is, for people."""
        shares = {
            "wall": self.over / (_WALL * scale),
            "step": self.rise / (_STEP * scale),
            "gap": self.width / (_GAP * scale),
        }
        kind = max(shares, key=lambda name: shares[name])
        if kind == "wall":
            return f"a wall {_cm(self.over)} high and {_cm(self.thickness)} thick that bears no foot"
        if kind == "step":
            return f"a step of {_cm(self.rise)}"
        aslant = f", {_cm(self.rise)} up or down" if shares["step"] >= _NOTHING else ""
        return f"a gap of {_cm(self.width)} without footholds{aslant}"


def check_footholds(course: Course, lines: FootLines, path: BodyPath, farthest: float, tolerance: float) -> None:
    """Refuse what no search can cross: a stretch without footholds that is longer than every step, for all feet.

    Args:
        course: The course.
        lines: Footholds on the lines of the feet, as far aside as any step goes.
        path: Path of the body.
        farthest: Longest way from a foothold to the next of any search [m].
        tolerance: Distance before the goal at which the robot is there [m].

    Raises:
        NoPlanError: There is such a stretch before the goal.
    """
    begin = [lines.path.at(foot) for foot in course.feet]
    end = round((path.goal - tolerance) / path.spacing)
    stuck: list[tuple[int, int, float]] = []
    for leg, first in enumerate(begin):
        places = np.flatnonzero(lines.free[leg, first + 1 :]) + first + 1
        places = np.concatenate([[first], places, [lines.free.shape[1] + round(farthest / path.spacing) + 1]])
        wide = np.flatnonzero(np.diff(places) * path.spacing > farthest)
        at = int(places[wide[0]])
        if at >= end:
            return
        stuck.append((at, leg, float(np.diff(places)[wide[0]] * path.spacing)))
    # The foot that comes farthest tells: no robot gets past what stops it.
    at, leg, width = max(stuck)
    foot = course.body.legs[leg].name
    behind = lines.free[leg, at + 1 :].any()
    what = f"no foot gets over a gap of {_cm(width)} without footholds" if behind else "there are no footholds"
    raise NoPlanError(
        what, place=_where(path.points[at]), limit=f"the longest step, {_cm(farthest)}; {foot} comes farthest"
    )


@dataclass(frozen=True, eq=False)
class FootLines:
    """The ground on the lines of the feet, some way to either side."""

    path: BodyPath
    """Path of the body."""
    free: Flags
    """Whether there is a foothold beside each point of the path, (4, n)."""
    level: Array
    """Height of the foothold nearest to the line, where there is one, (4, n) [m]."""
    top: Array
    """Height of the ground on the line itself, (4, n) [m]."""
    places: Array
    """The points of the lines, (4, n, 2) [m]."""
    radius: float
    """Radius of a foot's ball [m]."""

    @staticmethod
    def of(course: Course, costs: FootholdCosts, path: BodyPath, sides: Array, aside: float) -> FootLines:
        """The ground beside a path.

        Args:
            course: The course.
            costs: Costs of footholds.
            path: Path of the body.
            sides: Distance of each foot's line from the path, above zero to the left, (4,) [m].
            aside: How far from its line a foot may go [m].
        """
        ground = course.ground
        across = np.arange(-aside, aside + 1e-9, ground.spacing)
        # Nearest to the line first, so that the first foothold is the one that tells the height.
        across = across[np.argsort(np.abs(across), kind="stable")]
        count, places = len(path.points), path.beside(sides)
        free, level = np.zeros((4, count), dtype=np.bool_), np.full((4, count), np.nan)
        for leg in range(4):
            i, j, inside = path.nodes_beside(ground, sides[leg] + across)
            open_ = np.isfinite(costs.of_leg(course.body, leg)[i, j]) & inside
            free[leg] = open_.any(axis=1)
            heights = ground.heights[i, j][np.arange(count), np.argmax(open_, axis=1)]
            level[leg] = np.where(free[leg], heights, np.nan)
        return FootLines(path, free, level, ground.nearest(places), places, float(course.body.table.radius.max()))

    def ahead(self, leg: int, place: Array, reach: float) -> list[Obstacle]:
        """What a foot at a place (3,) [m] has to cross that begins within its reach [m]."""
        first = self.path.at(place)
        until, spacing = first + round(reach / self.path.spacing), self.path.spacing
        places = np.flatnonzero(self.free[leg, first + 1 :]) + first + 1
        # A foot stands beside its line, where there may be a pit.
        found, last, level = list[Obstacle](), first, float(place[2]) - self.radius
        for k in places.tolist():
            height = float(self.level[leg, k])
            between = self.top[leg, last : k + 1]
            higher = max(level, height)
            over = max(float(between.max()) - higher, 0.0)
            thickness = float((between > higher + 0.5 * over).sum()) * spacing if over > 0.0 else 0.0
            begin = self.places[leg, last]
            found.append(Obstacle(leg, last, begin, (k - last) * spacing, abs(height - level), over, thickness))
            last, level = k, height
            if k > until:
                break
        return found


def refusal(course: Course, lines: FootLines, searched: Searched, settings: FootstepSettings) -> NoPlanError:
    """Why there is no plan: the hardest that lies before a foot of the robot that came farthest.

    Args:
        course: The course.
        lines: Footholds on the lines of the feet.
        searched: What all searches came to.
        settings: How footsteps were chosen.
    """
    scale, reach = course.scale, settings.longest * course.scale
    feet, middle = searched.feet, searched.feet[:, :2].mean(axis=0)
    before = [each for leg in range(4) for each in lines.ahead(leg, feet[leg], reach)]
    tried = (
        f"all {searched.tests} steps that lead there were tested"
        if searched.everything
        else f"{searched.tests} steps were tested, {searched.looks} poses looked at"
    )
    came = f"the robot comes to x {middle[0]:.2f} m; {tried}"
    remedy = "" if searched.everything else "more effort may find some"
    worst = max((each.hardness(scale) for each in before), default=0.0)
    if worst < _NOTHING:
        ahead = lines.path.points[max(lines.path.at(foot) for foot in feet)]
        found = "lead on from here" if searched.everything else "were found on from here"
        return NoPlanError(f"no footsteps {found}", place=_where(ahead), limit=came, remedy=remedy)
    # Front feet go on as far as they can; what the robot is stuck at is the last of the hardest.
    told = min((each for each in before if each.hardness(scale) >= _ALIKE * worst), key=lambda each: each.at)
    name, what = course.body.legs[told.leg].name, told.text(scale)
    found = f"lead {name} over {what}" if searched.everything else f"were found for {name} over {what}"
    return NoPlanError(f"no footsteps {found}", place=_where(told.begin), limit=came, remedy=remedy)


def _where(place: Array) -> str:
    return f"x {place[0]:.2f} m, y {place[1]:.2f} m"


def _cm(length: float) -> str:
    return f"{100.0 * length:.1f} cm"

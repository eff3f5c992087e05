"""Why there is no plan: what lies ahead of the feet that came farthest, and whether every step was tried."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.planning.course import KnownCourse, NoPlanError
from andante.planning.footsteps.body_path import BodyPath
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.settings import FootstepSettings
from andante.spatial.arrays import Array, Flags, Index

_GAP, _STEP, _WALL = 0.22, 0.115, 0.095
"""About the hardest that plans are found over where nothing else is in the way: a stretch without footholds, a rise,
and what goes up and down again, for LittleDog [m]. They only say which of several things in the way is told."""
_HIGHEST = 0.15
"""Height that no leg gets over in one step, up or down, or over what bears no foot, for LittleDog [m]: legs are 18.7 cm
long, and of steps and walls of 12 to 16 cm none was planned, however long was looked."""
_COARSE = 0.1
"""Distance of the nodes of a map, which are the footholds, up to which plans are found over level ground, for LittleDog
[m]; 0.2 m is too far."""
_BLIND = ", of which the map knows no height"
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
    blind: bool = False
    """Whether the map knows nothing of most of the ground between."""

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
        return f"a gap of {_cm(self.width)} without footholds{_BLIND if self.blind else ''}{aslant}"


def check_footholds(course: KnownCourse, lines: FootLines, path: BodyPath, farthest: float, tolerance: float) -> None:
    """Refuse what no search can cross: for all feet, a stretch without footholds that is longer than every step, or a
    step or a wall that is higher than every leg gets over.

    Args:
        course: The course.
        lines: Footholds on the lines of the feet, as far aside as any step goes.
        path: Path of the body.
        farthest: Longest way from a foothold to the next of any search [m].
        tolerance: Distance before the goal at which the robot is there [m].

    Raises:
        NoPlanError: There is such a place before the goal; names it and the limit.
    """
    end = round((path.goal - tolerance) / path.spacing)
    highest, reach = _HIGHEST * course.scale, math.floor(farthest / path.spacing + 1e-9)
    stuck: list[tuple[int, int]] = []
    for leg, foot in enumerate(course.feet):
        at = lines.farthest(leg, foot, end, reach, highest)
        if at >= end:
            return
        stuck.append((at, leg))
    # The foot that comes farthest tells: no robot gets past what stops it.
    at, leg = max(stuck)
    name, ahead = course.body.legs[leg].name, lines.free[leg, at + 1 :]
    gap = int(np.argmax(ahead)) + 1
    comes = f"; {name} comes farthest"
    if ahead.any() and gap <= reach:
        what, place = lines.too_high(leg, course.feet[leg], at, reach)
        limit = f"{_cm(highest)}{comes}"
        raise NoPlanError(f"no leg gets over {what}", place=_where(place), limit=limit, remedy=_finer(course))
    stretch = slice(at + 1, at + gap if ahead.any() else None)
    blind = _BLIND if lines.blind[leg, stretch].mean() >= 0.5 else ""
    what = f"no foot gets over a gap of {_cm(gap * path.spacing)} without footholds{blind}"
    raise NoPlanError(
        what if ahead.any() else f"there are no footholds{blind}",
        place=_where(path.points[at]),
        limit=f"the longest step, {_cm(farthest)}{comes}",
        remedy=_finer(course),
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
    low: Array
    """Height of the lowest foothold beside each point, infinite where there is none, (4, n) [m]."""
    high: Array
    """Height of the highest, minus infinite where there is none, (4, n) [m]."""
    lowest: Array
    """Height of the lowest ground beside each point, over which a foot would pass, (4, n) [m]."""
    blind: Flags
    """Whether the map knows nothing beside each point, (4, n)."""
    places: Array
    """The points of the lines, (4, n, 2) [m]."""
    radius: float
    """Radius of a foot's ball [m]."""

    @staticmethod
    def of(course: KnownCourse, costs: FootholdCosts, path: BodyPath, sides: Array, aside: float) -> FootLines:
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
        low, high, lowest = (np.full((4, count), value) for value in (np.inf, -np.inf, np.inf))
        blind = np.zeros((4, count), dtype=np.bool_)
        for leg in range(4):
            i, j, inside = path.nodes_beside(ground, sides[leg] + across)
            open_ = np.isfinite(costs.of_leg(course.body, leg)[i, j]) & inside
            free[leg] = open_.any(axis=1)
            heights = ground.heights[i, j]
            level[leg] = np.where(free[leg], heights[np.arange(count), np.argmax(open_, axis=1)], np.nan)
            low[leg] = np.where(open_, heights, np.inf).min(axis=1)
            high[leg] = np.where(open_, heights, -np.inf).max(axis=1)
            lowest[leg] = np.where(inside, heights, np.inf).min(axis=1)
            blind[leg] = (course.layers.unknown[i, j] | ~inside).all(axis=1)
        radius = float(course.body.table.radius.max())
        return FootLines(path, free, level, ground.nearest(places), low, high, lowest, blind, places, radius)

    def farthest(self, leg: int, foot: Array, end: int, reach: int, highest: float) -> int:
        """The last point that a foot comes to by steps over so many points and so high [m], or one from ``end`` on.

        It tells what is impossible, not what is possible: of all footholds beside a point the best for a step counts.

        Args:
            leg: Row of the foot.
            foot: Where it stands, (3,) [m].
            end: Point at which no more is looked for.
            reach: Points of the longest step.
            highest: Height that no step comes over, up or down [m].
        """
        first = self.path.at(foot)
        came, waiting = {first}, [first]
        while waiting and max(came) < end:
            at = waiting.pop()
            for way in (-1, 1):
                ahead = np.arange(at, at + way * (reach + 1), way)
                ahead = ahead[(ahead >= 0) & (ahead < self.free.shape[1])]
                steps, over = self._rises(leg, foot, ahead)
                for k in ahead[(steps <= highest) & (over <= highest)].tolist():
                    if k not in came:
                        came.add(k)
                        waiting.append(k)
        return max(came)

    def _rises(self, leg: int, foot: Array, ahead: Index) -> tuple[Array, Array]:
        """Least height of a step from the first of some points to each, and least rise over what lies between [m]."""
        low, high = self.low[leg, ahead], self.high[leg, ahead]
        from_low, from_high = float(low[0]), float(high[0])
        if int(ahead[0]) == self.path.at(foot):
            from_low = from_high = float(foot[2]) - self.radius
        over = np.maximum.accumulate(self.lowest[leg, ahead]) - np.maximum(high, from_high)
        return np.maximum(np.maximum(low - from_high, from_low - high), 0.0), over

    def too_high(self, leg: int, foot: Array, at: int, reach: int) -> tuple[str, Array]:
        """What is too high for a foot between a point and the footholds in reach, and where."""
        ahead = np.arange(at, min(at + reach + 1, self.free.shape[1]))
        steps, over = self._rises(leg, foot, ahead)
        # Of all footholds in reach the one tells that lacks least.
        k = int(np.argmin(np.where(np.arange(len(ahead)) > 0, np.maximum(steps, over), np.inf)))
        what = f"a step of {_cm(steps[k])}" if steps[k] >= over[k] else f"a wall {_cm(over[k])} high that bears no foot"
        return what, self.places[leg, at]

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
            width, rise, begin = (k - last) * spacing, abs(height - level), self.places[leg, last]
            blind = k > last + 1 and bool(self.blind[leg, last + 1 : k].mean() >= 0.5)
            found.append(Obstacle(leg, last, begin, width, rise, over, thickness, blind))
            last, level = k, height
            if k > until:
                break
        return found


def refusal(course: KnownCourse, lines: FootLines, searched: Searched, settings: FootstepSettings) -> NoPlanError:
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
    remedy = _finer(course) or ("" if searched.everything else "more effort may find some")
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


def _finer(course: KnownCourse) -> str:
    """What to do where the map, and not what lies on it, leaves no footholds."""
    spacing = course.ground.spacing
    if spacing <= _COARSE * course.scale * (1.0 + 1e-9):
        return ""
    return f"footholds are the nodes of the map, {_cm(spacing)} apart: make a finer map, as by its file's resolution"


def _where(place: Array) -> str:
    return f"x {place[0]:.2f} m, y {place[1]:.2f} m"


def _cm(length: float) -> str:
    return f"{100.0 * length:.1f} cm"

"""BodyPath: where the middle of the robot shall go, found on coarse cells; footsteps are searched beside it, on the
ground made ready as `SearchedCourse`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.feasibility.scene import Scene
from andante.planning.footsteps.footholds import Features, FootholdCosts
from andante.planning.footsteps.settings import FootstepSettings
from andante.spatial.arrays import Array, Flags, Index
from andante.terrain.height_map import HeightMap

CELL, STEP = 0.025, 0.01
"""Width of a coarse cell, and distance of the points of the path, for LittleDog [m]."""
_MOST_CELLS = 1_000_000
"""More coarse cells are not searched: their graph would take gigabytes."""
_MOVES = [(i, j) for i in range(-2, 3) for j in range(-2, 3) if math.gcd(i, j) == 1]
"""To the eight neighbours and by knights' moves."""
_REGION = 0.045
"""A foot may stand this far from under its hip [m]."""
_STRIDE = 0.15
"""Each foot steps once on this much of the way [m]."""
_MISSING = 0.5
"""Cost of a foot that finds no place near its own [s]."""
_TOO_HIGH, _CLIMB = 0.13, 5.0
"""A rise between cells that no leg climbs [m], and its cost [s]."""
_BLIND = 10.0
"""Cost of a way over ground of which nothing is known, for LittleDog [s/m]."""
_BEYOND = 0.30
"""The path goes on straight before the start and behind the goal, for the feet that are ahead or behind [m]."""
_SMOOTH = 0.12
"""Half of the way over which the path is averaged [m]."""
_BRIDGED, _SMALL = 0.10, 0.02
"""Width of pits and height of bumps that no foot climbs, for LittleDog [m]."""
_AROUND = 0.15
"""How far before and behind a foot the ground counts as near, for LittleDog [m]."""
_ASTERN = math.radians(75.0)
"""Largest angle between the robot's heading and the goal; it does not turn on the spot [rad]."""


@dataclass(frozen=True, eq=False)
class BodyPath:
    """A line for the middle of the robot, from somewhat before its start to somewhat behind its goal."""

    points: Array
    """Points at equal distance, (n, 2) [m]."""
    headings: Array
    """Direction of the path at each, (n,) [rad]."""
    spacing: float
    """Distance of neighbouring points [m]."""
    togo: Array
    """Estimated time from each to the goal, below zero behind it, (n,) [s]."""
    goal: float
    """Length of the path to the goal [m]."""
    nearest: Index
    """Number of the point nearest to each node of the map, (nx, ny)."""
    middle: Array
    """Where the path crosses coarse cells, before it is smoothed, (m, 2) [m]."""

    @staticmethod
    def of(course: KnownCourse, costs: FootholdCosts, settings: FootstepSettings) -> BodyPath:
        """The path of least estimated time.

        Raises:
            NoPlanError: The goal is behind the robot, which walks ahead and aside only.
            PlanningError: The ground has more than a million coarse cells.
        """
        check_ahead(course)
        rate = pace(settings, course.scale)
        cells = _Cells.of(course, costs)
        line, times = cells.line(course, rate, settings)
        return _smoothed(course, line, times, rate)

    def beside(self, sides: Array) -> Array:
        """Places at the given distances from each point, above zero to the left, (n sides, n points, 2) [m]."""
        normal = np.stack([-np.sin(self.headings), np.cos(self.headings)], axis=-1)
        return np.asarray(self.points + sides[:, None, None] * normal)

    def nodes_beside(self, ground: HeightMap, sides: Array) -> tuple[Index, Index, Flags]:
        """Rows and columns of the map's nodes there, and which are on the map, (n points, n sides) each."""
        nodes = np.round((self.beside(sides).swapaxes(0, 1) - ground.origin) / ground.spacing).astype(np.int64)
        shape = np.array(ground.heights.shape)
        i, j = np.moveaxis(np.clip(nodes, 0, shape - 1), -1, 0)
        return i, j, np.asarray(((nodes >= 0) & (nodes < shape)).all(axis=-1))

    def at(self, place: Array) -> int:
        """Number of the point nearest to a place (2 or more,) [m]."""
        return int(np.argmin(np.hypot(*(self.points - place[:2]).T)))

    def profile(self, ground: HeightMap, sides: Array, scale: float) -> Array:
        """Ground at the given distances from the path, without pits, which feet step over, (n sides, n points) [m]."""
        from scipy.ndimage import grey_closing

        width = max(3, round(_BRIDGED * scale / self.spacing))
        return np.asarray(grey_closing(ground.nearest(self.beside(sides)), size=(1, width), mode="nearest"))

    def climbs(self, profile: Array, settings: FootstepSettings, scale: float) -> Array:
        """Time that feet on the lines of a profile climb up and down from each point on, (n sides, n points) [s]."""
        slack = 0.5 * _SMALL * scale
        level, left = profile[:, -1].copy(), np.zeros(profile.shape)
        for k in range(profile.shape[1] - 2, -1, -1):
            # The level follows the ground as far as it leaves a band around it, so that small bumps do not count.
            before, level = level, np.clip(level, profile[:, k] - slack, profile[:, k] + slack)
            left[:, k] = left[:, k + 1] + np.abs(level - before) / (settings.lifting * scale)
        return left

    def rises(self, profile: Array, scale: float) -> Array:
        """Largest height difference near each point of the lines of a profile, (n sides, n points) [m]."""
        from scipy.ndimage import maximum_filter1d, minimum_filter1d

        width = 2 * max(1, round(_AROUND * scale / self.spacing)) + 1
        high, low = (each(profile, width, axis=1, mode="nearest") for each in (maximum_filter1d, minimum_filter1d))
        return np.asarray(high - low)


def pace(settings: FootstepSettings, scale: float) -> float:
    """Least time that the middle of four feet needs for a metre [s/m]: one longest step moves it by a quarter."""
    longest = settings.longest * scale
    return 4.0 * (settings.pause + longest / (settings.speed * scale)) / longest


def check_ahead(course: KnownCourse) -> None:
    """Refuse a goal that lies behind.

    Raises:
        NoPlanError: It does.
    """
    ahead = np.array(course.goal) - course.position[:2]
    bearing = math.atan2(ahead[1], ahead[0]) - math.atan2(course.rotation[1, 0], course.rotation[0, 0])
    bearing = math.remainder(bearing, 2.0 * math.pi)
    if float(np.hypot(*ahead)) > 0.05 * course.scale and abs(bearing) > _ASTERN:
        raise NoPlanError(
            "the goal is behind the robot, which does not turn on the spot",
            place=f"goal at x {course.goal[0]:.3f} m, y {course.goal[1]:.3f} m",
            value=f"{math.degrees(bearing):.0f} deg from its heading",
            limit=f"{math.degrees(_ASTERN):.0f} deg to either side",
        )


def coarse_cells(course: KnownCourse) -> tuple[float, tuple[int, int]]:
    """Width of the coarse cells of a course [m], and how many there are along x and y.

    Raises:
        PlanningError: There are more than a million.
    """
    low_x, high_x, low_y, high_y = course.map.extent
    size = CELL * course.scale
    shape = (max(int((high_x - low_x) / size) + 1, 2), max(int((high_y - low_y) / size) + 1, 2))
    if shape[0] * shape[1] > _MOST_CELLS:
        raise PlanningError(
            "the ground is too large to look for a way over it",
            place=f"{high_x - low_x:.4g} x {high_y - low_y:.4g} m",
            value=f"{shape[0] * shape[1]:,} cells of {size:.3g} m",
            limit=f"{_MOST_CELLS:,}; take a part of it, or a window that moves with the robot (--map-window)",
        )
    return size, shape


@dataclass(frozen=True, eq=False)
class _Cells:
    """The map at coarse cells."""

    origin: Array
    size: float
    shape: tuple[int, int]
    best: Array
    """Cost of the best foothold near each cell [s]."""
    height: Array
    blind: Flags
    """Whether nothing is known of the ground there."""

    @staticmethod
    def of(course: KnownCourse, costs: FootholdCosts) -> _Cells:
        from scipy import ndimage

        ground, scale = course.ground, course.scale
        width = 2 * max(1, round(_REGION * scale / ground.spacing)) + 1
        either = np.minimum(0.5 * (costs.front + costs.hind), _MISSING)
        near = ndimage.minimum_filter(either, width, mode="constant", cval=2.0 * _MISSING)
        size, shape = coarse_cells(course)
        rows = np.minimum(np.round(np.arange(shape[0]) * size / ground.spacing).astype(np.intp), len(ground.x) - 1)
        columns = np.minimum(np.round(np.arange(shape[1]) * size / ground.spacing).astype(np.intp), len(ground.y) - 1)
        level = ndimage.uniform_filter(ground.heights, width, mode="nearest")
        # A wall counts with its full height wherever its top is; pits do not count, a body spans them.
        tall = _tall(ground.heights[::2, ::2], max(3, width // 2), rows // 2, columns // 2)
        spots = np.ix_(rows, columns)
        origin = np.array(ground.origin, dtype=np.float64)
        blind = course.layers.unknown[spots]
        return _Cells(origin, size, shape, near[spots], np.maximum(level[spots], tall), blind)

    def index(self, place: Array) -> int:
        """Number of the cell nearest to a place (2,) [m]."""
        i, j = np.clip(np.round((place - self.origin) / self.size), 0, np.array(self.shape) - 1).astype(int)
        return int(i * self.shape[1] + j)

    def line(self, course: KnownCourse, rate: float, settings: FootstepSettings) -> tuple[Array, Array]:
        """Middles of the cells from start to goal, (n, 2) [m], and the time from each to the goal, (n,) [s]."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import dijkstra

        size, scale = self.size, course.scale
        count = self.shape[0] * self.shape[1]
        number = np.arange(count).reshape(self.shape)
        towards = math.atan2(course.goal[1] - course.position[1], course.goal[0] - course.position[0])
        starts, ends, weights = [], [], []
        for i, j in _MOVES:
            length, heading = size * math.hypot(i, j), math.atan2(j, i)
            feet = self._feet(course, heading)
            rows = slice(max(0, -i), self.shape[0] - max(0, i)), slice(max(0, -j), self.shape[1] - max(0, j))
            to = slice(max(0, i), self.shape[0] + min(0, i)), slice(max(0, j), self.shape[1] + min(0, j))
            rise = np.abs(self.height[to] - self.height[rows])
            turned = abs(math.remainder(heading - towards, 2.0 * math.pi))
            time = length * rate * (1.0 + 0.15 * turned) + length / (_STRIDE * scale) * 0.5 * (feet[to] + feet[rows])
            time = time + rise / (settings.lifting * scale) + np.where(rise > _TOO_HIGH * scale, _CLIMB, 0.0)
            time = time + length / scale * _BLIND * (self.blind[to] | self.blind[rows])
            starts.append(number[rows].ravel())
            ends.append(number[to].ravel())
            weights.append(time.ravel())
        graph = coo_array(
            (np.concatenate(weights), (np.concatenate(ends), np.concatenate(starts))), shape=(count, count)
        ).tocsr()
        # Edges are reversed, so that the times are those to the goal.
        times, onward = dijkstra(graph, indices=self.index(np.array(course.goal)), return_predecessors=True)
        cell, cells = self.index(course.position[:2]), []
        while cell >= 0:
            cells.append(cell)
            cell = int(onward[cell])
        middles = np.column_stack(np.divmod(cells, self.shape[1])) * size + self.origin
        middles[0], middles[-1] = course.position[:2], course.goal
        return middles, times[cells]

    def _feet(self, course: KnownCourse, heading: float) -> Array:
        """Sum of the best footholds' costs of all feet with the body over each cell, (nx, ny) [s]."""
        table = course.body.table
        c, s = math.cos(heading), math.sin(heading)
        i, j = np.meshgrid(np.arange(self.shape[0]), np.arange(self.shape[1]), indexing="ij")
        total = np.zeros(self.shape)
        for leg in range(len(table.hip)):
            x, y = table.hip[leg, 0], table.hip[leg, 1] + table.lateral[leg]
            row = i + round((c * x - s * y) / self.size)
            column = j + round((s * x + c * y) / self.size)
            inside = (row >= 0) & (row < self.shape[0]) & (column >= 0) & (column < self.shape[1])
            spots = np.clip(row, 0, self.shape[0] - 1), np.clip(column, 0, self.shape[1] - 1)
            total += np.where(inside, self.best[spots], 2.0 * _MISSING)
        return total


def _tall(heights: Array, size: int, rows: Index, columns: Index) -> Array:
    """The height that 80 % of the nodes in a square around each of some rows and columns do not exceed,
    (n rows, n columns); beyond the rim the ground goes on as its outermost nodes."""
    # As `scipy.ndimage.percentile_filter`, which would look at every node: of fine maps a few of them count.
    before = size // 2
    padded = np.pad(heights, (before, size - 1 - before), mode="edge")
    squares = np.lib.stride_tricks.sliding_window_view(padded, (size, size))
    rank = int(size * size * 80.0 / 100.0)
    return np.stack([np.partition(squares[row, columns].reshape(len(columns), -1), rank)[:, rank] for row in rows])


def _smoothed(course: KnownCourse, line: Array, times: Array, rate: float) -> BodyPath:
    from scipy.ndimage import uniform_filter1d
    from scipy.spatial import cKDTree

    scale, step = course.scale, STEP * course.scale
    if len(line) < 2 or float(np.hypot(*(line[-1] - line[0]))) < step:
        ahead = course.rotation[:2, 0] / max(float(np.hypot(*course.rotation[:2, 0])), 1e-9)
        line, times = np.stack([line[0], line[0] + step * ahead]), np.array([step * rate, 0.0])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    count = max(round(along[-1] / step), 1) + 1
    even = np.linspace(0.0, along[-1], count)
    points = np.column_stack([np.interp(even, along, line[:, axis]) for axis in (0, 1)])
    # Mirrored at the ends, where it stays.
    size = 2 * max(1, round(_SMOOTH * scale / step)) + 1
    for axis in (0, 1):
        chord = np.linspace(points[0, axis], points[-1, axis], count)
        off = np.pad(points[:, axis] - chord, count - 1, mode="reflect", reflect_type="odd")
        points[:, axis] = chord + uniform_filter1d(uniform_filter1d(off, size), size)[count - 1 : 2 * count - 1]
    spare = round(_BEYOND * scale / step)
    first, last = points[1] - points[0], points[-1] - points[-2]
    lead = points[0] + np.arange(-spare, 0)[:, None] * first
    tail = points[-1] + np.arange(1, spare + 1)[:, None] * last
    full = np.concatenate([lead, points, tail])
    headings = np.unwrap(np.arctan2(*np.gradient(full, axis=0).T[::-1]))
    spacing = float(np.mean(np.hypot(*np.diff(full, axis=0).T)))
    steps = np.arange(1, spare + 1) * spacing * rate
    left = np.interp(even, along, times)
    togo = np.concatenate([left[0] + steps[::-1], left, -steps])
    ground = course.ground
    nodes = np.stack(np.meshgrid(ground.x, ground.y, indexing="ij"), axis=-1)
    nearest = cKDTree(full).query(nodes)[1]
    goal = (spare + count - 1) * spacing
    return BodyPath(full, headings, spacing, togo, goal, nearest.astype(np.int64), line)


@dataclass(frozen=True, eq=False)
class SearchedCourse:
    """A course made ready for searches."""

    course: KnownCourse
    """The course."""
    scene: Scene
    """Robot and ground."""
    costs: FootholdCosts
    """Costs of footholds."""
    path: BodyPath
    """Path of the body."""

    @staticmethod
    def of(course: KnownCourse, settings: FootstepSettings) -> SearchedCourse:
        """Make a course ready.

        Raises:
            NoPlanError: The goal is behind the robot.
            PlanningError: The robot has not four legs, or the ground has more than a million coarse cells.
        """
        # Told before the features of all nodes take many times the room of the map.
        coarse_cells(course)
        if len(course.body.legs) != 4:
            raise PlanningError("footsteps are planned for four legs", value=len(course.body.legs))
        ahead = course.goal[0] - course.position[0], course.goal[1] - course.position[1]
        features = Features.of(course, settings.limits, float(np.arctan2(ahead[1], ahead[0])))
        costs = FootholdCosts.of(features, settings.weights)
        path = BodyPath.of(course, costs, settings)
        return SearchedCourse(course, Scene.of(course.body, course.ground, course.scale), costs, path)

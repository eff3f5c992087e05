"""GlobalPlanner: where the body of a dynamic quadruped goes and when, from a state to a goal over a map.

The method is that of Quad-SDK's global body planner (J. Norby and A. M. Johnson, IROS 2020): RRT-Connect, begun anew
with a growing horizon until a way is found, then shortcuts. What it may spend is counted in tested states, so that the
same request gives the same plan on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from andante.errors import AndanteError
from andante.kinematics.leg_table import LeggedBody
from andante.planning.quadruped.body_plan import BodyPlan
from andante.planning.quadruped.global_plan.body import GlobalBody
from andante.planning.quadruped.global_plan.draws import seeded
from andante.planning.quadruped.global_plan.full_states import body_plan
from andante.planning.quadruped.global_plan.layers import body_layers
from andante.planning.quadruped.global_plan.path import GlobalPath, shorten
from andante.planning.quadruped.global_plan.settings import LEG, GlobalSettings
from andante.planning.quadruped.global_plan.tables import CHECKS, ITERATIONS, LEAPS, STATE, GroundLayers, Rules, Trees
from andante.planning.quadruped.global_plan.tree import grow
from andante.planning.quadruped.global_plan.validity import CONNECT, StateFault, state_fault
from andante.robots.robot import Robot
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.layers import Layers

_FULL = 12
_ROOM = 64
_SAID = {
    StateFault.OFF_MAP: "body or feet are off the map",
    StateFault.TOO_FAST: "faster than plans may be",
    StateFault.CLIMBS_TOO_FAST: "rises or sinks faster than a walk may",
    StateFault.HOLE: "over a hole, or a foot too near to one",
    StateFault.STEP_TOO_HIGH: "on a step too high to walk over",
    StateFault.TOO_LOW: "the underside of the body is too near to the ground",
    StateFault.OUT_OF_REACH: "the ground is out of a leg's reach",
    StateFault.NO_FOOTHOLD: "no ground on which a foot would stand",
}


class GlobalPlanError(AndanteError):
    """A request that cannot be planned for: numbers that make no sense, a map that does not hold start and goal."""


class GlobalStatus(StrEnum):
    """How planning ended."""

    VALID = "valid"
    """The plan ends at the goal."""
    PARTIAL = "partial"
    """The plan ends at rest nearer to the goal; no way to it was found within the budget."""
    UNSOLVED = "unsolved"
    """Nothing was found that is nearer than the start."""
    INVALID_START = "invalid-start"
    """The body may not be at the start."""
    INVALID_GOAL = "invalid-goal"
    """The body may not be at the goal."""
    AT_GOAL = "at-goal"
    """Start and goal are the same place."""


@dataclass(frozen=True, eq=False)
class GlobalRequest:
    """From where to where, over what."""

    start: Array
    """State of the body in the layout of `BodyPlan.states`, (12,)."""
    goal: tuple[float, float]
    """Where the middle of the body shall come to rest [m]."""
    layers: Layers
    """The ground as the planner knows it."""
    seed: int = 0
    """Decides all that is random."""


@dataclass(frozen=True)
class GlobalStatistics:
    """What a plan took and is; counts do not depend on the machine."""

    checks: int = 0
    """Tested states."""
    iterations: int = 0
    """Extensions of trees that were tried."""
    tried_leaps: int = 0
    """Leaps that were tried."""
    horizons: int = 0
    """Pairs of trees that were grown."""
    nodes: int = 0
    """Nodes of the last pair."""
    solutions: int = 0
    """Ways to the goal that were found."""
    found_length: float = 0.0
    """Length of the best way before shortcuts [m]."""
    length: float = 0.0
    """Length of the plan [m]."""
    duration: float = 0.0
    """Duration of the plan [s]."""
    leaps: int = 0
    """Leaps in the plan."""
    remaining: float = 0.0
    """Distance from the end of the plan to the goal [m]."""


@dataclass(frozen=True, eq=False)
class GlobalPlan:
    """The answer to a request."""

    status: GlobalStatus
    """How planning ended."""
    body: BodyPlan | None = None
    """The plan; None where there is none."""
    reason: str = ""
    """Why it is not valid; empty where it is."""
    statistics: GlobalStatistics = field(default_factory=GlobalStatistics)
    """What it took."""


class GlobalPlanner:
    """Plans for one robot.

    Args:
        body: The robot, or what planning needs of it.
        settings: For legs of `settings.LEG`; they are scaled to the robot's. None: the defaults.
        latency: Time from a request to its plan, as the runner keeps it [s].

    Raises:
        GlobalPlanError: The latency is no time.
        GlobalBodyError: The robot has not four legs.
    """

    def __init__(self, body: GlobalBody | Robot, settings: GlobalSettings | None = None, latency: float = 0.5) -> None:
        if isinstance(body, Robot):
            body = GlobalBody.of(LeggedBody.of(body))
        if not (math.isfinite(latency) and latency >= 0.0):
            raise GlobalPlanError("the latency must not be below zero", value=latency)
        self.body = body
        self.settings = (settings or GlobalSettings()).scaled(body.leg_length / LEG)
        self.rules = Rules.of(body, self.settings)
        self._latency = latency

    @property
    def latency(self) -> float:
        """Time from a request's sensors to the arrival of its plan [s]."""
        return self._latency

    def reset(self) -> None:
        """Nothing: every request stands for itself."""

    def request(
        self,
        known: ElevationMap,
        goal: tuple[float, float],
        place: tuple[float, float] = (0.0, 0.0),
        yaw: float = 0.0,
        seed: int = 0,
    ) -> GlobalRequest:
        """A request from rest, standing on a map.

        Args:
            known: The map.
            goal: Where the middle of the body shall come to rest [m].
            place: Where it is [m].
            yaw: Its heading [rad].
            seed: Decides all that is random.
        """
        layers, start = body_layers(known, self.body.leg_length), np.zeros(_FULL)
        start[:3], start[5] = self._at_rest(layers, place)[:3], yaw
        return GlobalRequest(start, goal, layers, seed)

    def plan(self, request: GlobalRequest) -> GlobalPlan:
        """The plan for a request; the same request always gives the same.

        Raises:
            GlobalPlanError: A number is not finite or of the wrong shape, or start or goal is off the map.
        """
        first, yaw = _checked(request)
        ground = GroundLayers.of(request.layers)
        goal = self._at_rest(request.layers, request.goal)
        away = float(np.hypot(*(goal[:2] - first[:2])))
        if away <= self.settings.arrived and math.hypot(first[3], first[4]) < 1e-3:
            return GlobalPlan(GlobalStatus.AT_GOAL, reason=f"the goal is {away:.3f} m from the start")
        toward = math.atan2(goal[1] - first[1], goal[0] - first[0])
        for status, state, angle in (
            (GlobalStatus.INVALID_START, first, yaw),
            (GlobalStatus.INVALID_GOAL, goal, toward),
        ):
            wrong = StateFault(int(state_fault(ground, self.rules, state, angle, CONNECT, state[:2])))
            if wrong is not StateFault.NONE:
                return GlobalPlan(status, reason=self._said(ground, wrong, state))
        return self._searched(request, ground, first, goal, yaw)

    def _searched(
        self, request: GlobalRequest, ground: GroundLayers, first: Array, goal: Array, yaw: float
    ) -> GlobalPlan:
        settings, rules = self.settings, self.rules
        trees = Trees.of(settings.nodes, seeded(request.seed))
        horizon, horizons, solutions = float(settings.horizon), 0, 0
        best: GlobalPath | None = None
        found, nearest, stop = 0.0, math.inf, None
        limit = settings.budget
        while trees.counters[CHECKS] < limit and solutions < settings.solutions:
            room = min(int(horizon), limit - int(trees.counters[CHECKS]))
            met, node, other = grow(ground, rules, first, goal, room, trees)
            horizons += 1
            if met:
                raw = GlobalPath.joined(trees, node, other)
                path = self._shortened(raw, ground, trees)
                solutions += 1
                if best is None:
                    # Better ways are looked for as long again as the first one took.
                    limit = min(limit, 2 * int(trees.counters[CHECKS]) + settings.horizon)
                if best is None or path.cost(ground, rules) < best.cost(ground, rules):
                    best, found = path, raw.length(ground, rules)
                if len(raw.motions) == 1:
                    break
            else:
                horizon *= settings.growth
                if best is None and trees.nearest[0] < nearest:
                    nearest, stop = float(trees.nearest[0]), GlobalPath.stopping(trees)
        partial = best is None
        if best is None and stop is not None:
            best, found = self._shortened(stop, ground, trees), stop.length(ground, rules)
        statistics = GlobalStatistics(
            checks=int(trees.counters[CHECKS]),
            iterations=int(trees.counters[ITERATIONS]),
            tried_leaps=int(trees.counters[LEAPS]),
            horizons=horizons,
            nodes=int(trees.counts.sum()),
            solutions=solutions,
            found_length=found,
            remaining=float(np.hypot(*(goal[:2] - first[:2]))),
        )
        if best is None:
            reason = f"no way nearer to the goal was found by testing {statistics.checks} states"
            return GlobalPlan(GlobalStatus.UNSOLVED, reason=reason, statistics=statistics)
        plan = body_plan(best, ground, rules, self.body.mass, settings, yaw)
        if plan is None:
            reason = "a way was found, but it leaves no room to turn the body into it"
            return GlobalPlan(GlobalStatus.UNSOLVED, reason=reason, statistics=statistics)
        statistics = replace(
            statistics,
            length=best.length(ground, rules),
            duration=plan.duration,
            leaps=best.leaps,
            remaining=float(np.hypot(*(goal[:2] - plan.states[-1, :2]))),
        )
        if not partial:
            return GlobalPlan(GlobalStatus.VALID, plan, statistics=statistics)
        reason = (
            f"no way to the goal was found by testing {statistics.checks} states; "
            f"the plan stops {statistics.remaining:.2f} m before it"
        )
        return GlobalPlan(GlobalStatus.PARTIAL, replace(plan, partial=True), reason, statistics)

    def _shortened(self, path: GlobalPath, ground: GroundLayers, trees: Trees) -> GlobalPath:
        count, room = len(path.states), max(len(path.states), _ROOM) + 3
        states, motions = np.zeros((room, STATE)), np.zeros((room, path.motions.shape[1]))
        states[:count], motions[: count - 1] = path.states, path.motions
        count = int(shorten(ground, self.rules, states, motions, count, self.settings.shortcuts, trees))
        return GlobalPath(states[:count].copy(), motions[: count - 1].copy())

    def _at_rest(self, layers: Layers, place: tuple[float, float]) -> Array:
        """At rest at a place, at standing height."""
        ground = type(layers.ground)(layers.smooth, layers.ground.origin, layers.ground.spacing)
        height = float(ground.nearest(place)) + self.body.standing
        return np.array([*map(float, place), height, 0.0, 0.0, 0.0])

    def _said(self, ground: GroundLayers, wrong: StateFault, state: Array) -> str:
        limits = {
            StateFault.TOO_FAST: f"{math.hypot(state[3], state[4]):.2f} m/s of {self.settings.largest_speed:.2f}",
            StateFault.TOO_LOW: f"it must be {self.body.lowest:.3f} m off",
            StateFault.OUT_OF_REACH: f"legs reach {self.body.highest:.3f} m",
            StateFault.STEP_TOO_HIGH: f"limit {self.rules.climb:.3f} m",
            StateFault.HOLE: f"limit {self.rules.hole_margin:.3f} m",
            StateFault.NO_FOOTHOLD: f"within {self.rules.foot_search:.3f} m of the hip",
        }
        more = f" ({limits[wrong]})" if wrong in limits else ""
        return f"at x {state[0]:.3f} m, y {state[1]:.3f} m, z {state[2]:.3f} m: {_SAID[wrong]}{more}"


def _checked(request: GlobalRequest) -> tuple[Array, float]:
    """Position and velocity at the start (6,), and its yaw [rad]."""
    start, goal = np.asarray(request.start, dtype=np.float64), np.asarray(request.goal, dtype=np.float64)
    for name, value, shape in (("start", start, (_FULL,)), ("goal", goal, (2,))):
        if value.shape != shape:
            raise GlobalPlanError("has the wrong shape", place=name, value=value.shape, limit=str(shape))
        if not np.isfinite(value).all():
            raise GlobalPlanError("must be finite", place=name, value=value.tolist())
    if request.seed < 0:
        raise GlobalPlanError("a seed is not below zero", value=request.seed)
    known = request.layers.ground
    for name, place in (("start", start[:2]), ("goal", goal)):
        if not known.covers(place):
            what, remedy = f"the map does not hold the {name}", "the map is smaller than the plan"
            raise GlobalPlanError(what, value=place.tolist(), limit=known.extent_text, remedy=remedy)
    # A gait's own up and down is no part of the plan.
    return np.concatenate([start[:3], start[6:8], [0.0]]), float(start[5])

"""Footsteps that a person chose: is each possible, why not, and which place nearby is?

The tests are those of the search: costs of footholds that are infinite where no foot may stand, and a pose of the body
at lift-off and at landing (`look_at_step`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.planning.course import KnownCourse, NoPlanError
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.steps import UNSUPPORTED, step_room, swing_apex
from andante.planning.footsteps.body_path import SearchedCourse
from andante.planning.footsteps.settings import FootstepSettings, search_schedule
from andante.planning.plans import Footstep, FootstepPlan
from andante.spatial.arrays import Array, Index

_APART = 0.03
"""Least distance between feet in the plane, for LittleDog [m]."""
_AROUND = 0.26
"""How far from where a foot stands a place for it is looked for, for LittleDog [m]."""
_COARSE = 4
"""Every so many nodes are looked at first."""


@dataclass(frozen=True)
class ChosenStep:
    """A foot and where it shall go."""

    foot: str
    """Name of the foot."""
    x: float
    """Where it goes along x [m]."""
    y: float
    """Where it goes along y [m]."""


class StepCheck:
    """Judges single steps on a course.

    Args:
        course: Robot, ground, where it stands.
        settings: How footsteps are chosen; None: the defaults.

    Raises:
        PlanningError: The robot has not four legs, or the goal is behind it.
    """

    def __init__(self, course: KnownCourse, settings: FootstepSettings | None = None) -> None:
        self.course = course
        asked = settings or FootstepSettings()
        self.ground = SearchedCourse.of(course, asked)
        self.names = [leg.name for leg in course.body.legs]
        self._rules = self._freest([asked])
        # What the last of all searches takes is possible, too, where footsteps are there already.
        self._kept = self._freest(list(search_schedule(asked)))

    def _freest(self, searches: Sequence[FootstepSettings]) -> PoseRules:
        leg, share = self.course.body.leg_length, self.course.scale / self.course.body.leg_length
        names = {"margin": "margin", "least": "slack", "enough": "comfort", "lift": "lift"}
        return PoseRules.of(
            leg, **{rule: min(getattr(each, name) for each in searches) * share for rule, name in names.items()}
        )

    def step(self, before: Array, leg: int, x: float, y: float) -> Footstep:
        """The step of a foot to the node of the map nearest to a place, which is on the map.

        Args:
            before: Centres of the feet before it, (4, 3) [m].
            leg: Row of the foot.
            x: Where it goes along x [m].
            y: Where it goes along y [m].
        """
        i, j = self._node(x, y)
        scene = self.ground.scene
        place = np.array([scene.x + i * scene.spacing, scene.y + j * scene.spacing, scene.foot[i, j]])
        apex = float(swing_apex(scene, before[leg], place, self._rules.lift))
        return Footstep(leg, place, apex, float(self.ground.costs.of_leg(self.course.body, leg)[i, j]))

    def obstacle(self, before: Array, step: Footstep, *, kept: bool = False) -> str:
        """Why a step is not possible; empty where it is.

        Args:
            before: Centres of the feet before it, (4, 3) [m].
            step: The step.
            kept: Whether it is one that is there already, which may be as bold as the last of all searches.
        """
        course, leg, place = self.course, step.leg, step.place
        if not course.ground.covers(place[:2]).all():
            return "the place is off the map"
        if not np.isfinite(self.ground.costs.of_leg(self.course.body, leg)[self._node(place[0], place[1])]):
            return f"no foot may stand there: {self._ground_reason(place[0], place[1])}"
        for other, at in enumerate(before):
            if other != leg and float(np.hypot(*(at - place)[:2])) < _APART * course.scale:
                return f"too near to the foot {self.names[other]}"
        rules = self._kept if kept else self._rules
        room = step_room(self.ground.scene, rules, before, leg, place, step.apex)
        if room == UNSUPPORTED:
            return f"the other feet cannot carry the body while {self.names[leg]} is in the air"
        if room < rules.least:
            far = float(np.hypot(*(place - before[leg])[:2]))
            return (
                f"out of reach: no pose of the body with room to joint limits and ground takes {self.names[leg]} there,"
                f" {100.0 * far:.1f} cm away and {100.0 * (place[2] - before[leg, 2]):+.1f} cm up"
            )
        return ""

    def trouble(self, feet: Array, steps: Sequence[Footstep], number: int) -> str:
        """Why a sequence is not possible from a new step on, until its foot moves again; empty where it is.

        Args:
            feet: Centres of the feet before all of them, (4, 3) [m].
            steps: The footsteps.
            number: Number of the new one.
        """
        before = FootstepPlan(feet, tuple(steps)).stances()
        leg = steps[number].leg
        for at in (number - 1, number + 1):
            if 0 <= at < len(steps) and steps[at].leg == leg:
                return f"{self.names[leg]} would step twice in a row"
        reason = self.obstacle(before[number], steps[number])
        if reason:
            return reason
        for later in range(number + 1, len(steps)):
            reason = self.obstacle(before[later], steps[later], kept=True)
            if reason:
                return f"step {later + 1} ({self.names[steps[later].leg]}) would no longer be possible: {reason}"
            if steps[later].leg == leg:
                break
        return ""

    def nearest(self, feet: Array, steps: Sequence[Footstep], number: int, x: float, y: float) -> Footstep | None:
        """The possible step nearest to a place in the same place of a sequence; None where there is none.

        Every fourth node around the foot is looked at first, then all around what was found.

        Args:
            feet: Centres of the feet before all of them, (4, 3) [m].
            steps: The footsteps.
            number: Number of the step that is looked for.
            x: The place along x [m].
            y: The place along y [m].
        """
        leg = steps[number].leg
        before = FootstepPlan(feet, tuple(steps)).stances()[number]
        reach = round(_AROUND * self.course.scale / self.ground.scene.spacing)
        i, j = self._node(before[leg, 0], before[leg, 1])
        coarse = self._around(i, j, reach, _COARSE)
        found = self._first(feet, steps, number, coarse, x, y, np.inf)
        if found is None:
            return None
        far = float(np.hypot(found.place[0] - x, found.place[1] - y))
        i, j = self._node(found.place[0], found.place[1])
        fine = self._around(i, j, _COARSE, 1)
        near = self._around(*self._node(x, y), _COARSE, 1)
        return self._first(feet, steps, number, np.unique(np.vstack([fine, near]), axis=0), x, y, far) or found

    def _first(
        self, feet: Array, steps: Sequence[Footstep], number: int, nodes: Index, x: float, y: float,
        far: float,
    ) -> Footstep | None:  # fmt: skip
        """The first possible step to one of some nodes, those nearer to a place first, that is nearer than ``far``."""
        scene, leg = self.ground.scene, steps[number].leg
        open_nodes = nodes[np.isfinite(self.ground.costs.of_leg(self.course.body, leg)[nodes[:, 0], nodes[:, 1]])]
        places = np.array([scene.x, scene.y]) + scene.spacing * open_nodes
        away = np.hypot(*(places - (x, y)).T)
        before = FootstepPlan(feet, tuple(steps)).stances()[number]
        changed = list(steps)
        for k in np.argsort(away, kind="stable"):
            if away[k] >= far - 1e-9:
                return None
            changed[number] = self.step(before, leg, *places[k].tolist())
            if not self.trouble(feet, changed, number):
                return changed[number]
        return None

    def _around(self, i: int, j: int, reach: int, every: int) -> Index:
        """Nodes of the map in a disc around a node, (n, 2)."""
        span = np.arange(-reach, reach + 1, every)
        di, dj = np.meshgrid(span, span, indexing="ij")
        inside = di**2 + dj**2 <= reach**2
        nodes = np.stack([i + di[inside], j + dj[inside]], axis=-1).astype(np.int64)
        on_map = ((nodes >= 0) & (nodes < self.ground.scene.foot.shape)).all(axis=1)
        return np.asarray(nodes[on_map])

    def _node(self, x: float, y: float) -> tuple[int, int]:
        i, j = self.course.ground.nodes((x, y))
        return int(i), int(j)

    def _ground_reason(self, x: float, y: float) -> str:
        """Which limit of footholds a node does not keep."""
        node = self._node(x, y)
        course, layers = self.course, self.course.layers
        limits = FootstepSettings().limits.scaled(course.scale)
        if layers.unknown[node]:
            return "the map knows no height there"
        if layers.pits[node]:
            return "the bottom of a pit"
        if layers.deviation[node] > limits.doubt:
            spread, most = 1e3 * layers.deviation[node], 1e3 * limits.doubt
            return f"the map's height is only known to {spread:.0f} mm, limit {most:.0f} mm"
        if layers.edge_distance[node] < limits.edge:
            return f"an edge is {1e3 * layers.edge_distance[node]:.0f} mm away, limit {1e3 * limits.edge:.0f} mm"
        if layers.slope[node] > limits.slope:
            return f"the slope is {np.degrees(layers.slope[node]):.0f} deg, limit {np.degrees(limits.slope):.0f} deg"
        if layers.roughness[node] > limits.roughness:
            return (
                f"the ground is rough by {1e3 * layers.roughness[node]:.1f} mm, limit {1e3 * limits.roughness:.1f} mm"
            )
        return "the foot would lean on a wall"


def chosen_plan(
    course: KnownCourse, chosen: Sequence[ChosenStep], settings: FootstepSettings | None = None
) -> FootstepPlan:
    """The footsteps that were chosen, where all of them are possible one after the other.

    Args:
        course: Robot, ground, where it stands.
        chosen: Feet and places in the order of stepping.
        settings: How footsteps are judged; None: the defaults.

    Raises:
        NoPlanError: A step is not possible; names its number, foot, place and the reason.
        PlanningError: A foot that the robot has not.
    """
    check = StepCheck(course, settings)
    names = check.names
    feet, steps = course.feet.copy(), list[Footstep]()
    for number, each in enumerate(chosen, start=1):
        if each.foot not in names:
            raise NoPlanError(f"footstep {number} has no such foot", value=each.foot, legal=names)
        leg = names.index(each.foot)
        place = f"x {each.x:.3f}, y {each.y:.3f} m"
        if not course.ground.covers((each.x, each.y)).all():
            raise NoPlanError(f"footstep {number} ({each.foot}) is not possible: the place is off the map", place=place)
        if steps and steps[-1].leg == leg:
            raise NoPlanError(f"footstep {number} ({each.foot}) is not possible: it steps twice in a row", place=place)
        step = check.step(feet, leg, each.x, each.y)
        reason = check.obstacle(feet, step, kept=True)
        if reason:
            raise NoPlanError(f"footstep {number} ({each.foot}) is not possible: {reason}", place=place)
        steps.append(step)
        feet[leg] = step.place
    return FootstepPlan(course.feet, tuple(steps))


def short_of_goal(course: KnownCourse, footsteps: FootstepPlan, settings: FootstepSettings | None = None) -> float:
    """How far the middle of the feet ends before the goal, less the tolerance of the search; 0 where it arrives [m]."""
    settings = settings or FootstepSettings()
    middle = footsteps.stances()[-1][:, :2].mean(axis=0)
    begin = course.feet[:, :2].mean(axis=0)
    way = np.asarray(course.goal) - begin
    left = float((np.asarray(course.goal) - middle) @ way / max(float(np.hypot(*way)), 1e-9))
    return max(left - settings.tolerance * course.scale, 0.0)

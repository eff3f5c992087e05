"""LocalPlanner: reference, contact schedule, footholds and forces over the horizon, a hundred times a second.

Source: Quad-SDK's local planner. What differs is said where it differs.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

import numpy as np

from andante.documents.settings import filled
from andante.planning.nmpc.answer import fallback
from andante.planning.nmpc.dynamics import next_state
from andante.planning.nmpc.problem import NmpcProblem
from andante.planning.nmpc.rollout import shifted
from andante.planning.nmpc.solver import NmpcSolver, make_solver, solve_near
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.course_clock import CourseClock
from andante.planning.quadruped.foothold_rule import NearestFoothold, choose_footholds
from andante.planning.quadruped.footholds import FREE, Horizon, LegsNow, PlannedFeet, StepRules, hips_at, plan_feet
from andante.planning.quadruped.ground import (
    Ground,
    ground_height,
    ground_of_map,
    level_ground,
    smooth_heights,
    support_plane,
)
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest, Mode
from andante.planning.quadruped.reference import heights_flown, plan_index, plan_reference, twist_reference
from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.speed_trim import SpeedTrim, in_world, is_order
from andante.planning.quadruped.stepping import Stepping
from andante.planning.quadruped.stumbles import Stumbles
from andante.robots.robot import Robot
from andante.spatial.arrays import Array, Flags, Index
from andante.spatial.gravity import GRAVITY
from andante.terrain.elevation_map import ElevationMap

_SHORTEST = 1e-3
"""An interval that is shorter is left out [s]."""


class LocalPlanner:
    """Plans over the horizon from the measured state; keeps what the next plan begins from.

    Args:
        body: The robot, or what planning needs of it.
        solver: Solves for the forces; None: the one that the settings name.
        settings: For Go2; fitted to the robot.
        ground: The ground, or a map of it; None: the plane through the feet that stood last.
        catching: Solves while a push is caught; None: the same solver, or as the settings have it where they name it.

    Raises:
        QuadrupedError: The robot is no quadruped of twelve joints.
        PluginError: A solver that others wrote cannot be made.
    """

    def __init__(
        self,
        body: QuadrupedBody | Robot,
        solver: NmpcSolver | None = None,
        settings: LocalSettings | None = None,
        ground: Ground | ElevationMap | None = None,
        catching: NmpcSolver | None = None,
    ) -> None:
        settings = settings or LocalSettings()
        if isinstance(body, Robot):
            body = QuadrupedBody.of(body, settings.standing)
        self._settings = scaled = settings.fitted(body)
        if solver is None:
            solver = make_solver(scaled.nmpc, body.rigid)
            catching = catching or make_solver(scaled.nmpc.changed(weights=scaled.hurry_weights), body.rigid)
        if isinstance(ground, ElevationMap):
            ground = ground_of_map(ground, body.legs.leg_length)
        self._body, self._solver, self._catching = body, solver, catching or solver
        self._map, self._ground = ground, ground or level_ground()
        self._step, self._count = solver.settings.step, solver.settings.states
        self._hips = body.hips - body.com
        # The bend plane's way beside the roll axis belongs to a hip's distance to its foot.
        self._longest = float(body.legs.table.lengths.sum(axis=1).mean())
        self._rules = filled(StepRules, scaled, height=body.height, threshold=scaled.traversability)
        self._foothold = scaled.foothold
        self._waiting = 2 * math.ceil(scaled.latency / scaled.interval) + 2
        self.reset()

    @property
    def latency(self) -> float:
        """Time from a state to the plan that begins from it [s]."""
        return self._settings.latency

    def reset(self) -> None:
        """Forget everything."""
        self._origin: float | None = None
        self._stepping = Stepping(self._settings, self._body, self._step)
        self._stumbles = Stumbles(self._settings)
        self._clock, self._trim = CourseClock(self._settings), SpeedTrim(self._settings)
        self._pose = np.zeros(3)
        self._standing = np.zeros((4, 3))
        self._lifted = np.zeros(4)
        self._late = np.full(4, np.nan)
        self._leaves = np.full(4, np.inf)
        self._down = np.zeros(4, dtype=np.bool_)
        self._landed_at = -math.inf
        self._before = np.full((4, 3), np.nan)
        self._last: LocalPlan | None = None
        self._under_way: deque[tuple[float, LocalPlan]] = deque(maxlen=self._waiting)

    def plan(self, request: LocalRequest) -> LocalPlan:
        """The plan that begins from a state; from the state when it is used where that is later than the next plan."""
        asked, request = request.time, self._ahead(request)
        now, step = request.time, self._step
        if self._origin is None:
            self._origin = now
            self._pose[:] = request.state[[0, 1, 5]]
            self._standing[:] = request.feet
        if self._map is None:
            self._ground = support_plane(self._standing, self._body.radius)
        index, first = plan_index(now, self._origin, step)
        if first < _SHORTEST:
            index, first = index + 1, first + step
        before = self._stepping.mode
        primitives = np.zeros(self._count, dtype=np.int64)
        durations = np.full(self._count - 1, step)
        durations[0] = first
        times = np.concatenate([[now], now + np.cumsum(durations)])
        reference = np.empty((self._count, 12))
        flown = np.full(self._count - 1, -np.inf)
        row = 0
        if request.plan is not None:
            since = self._clock.read(request.plan, request.plan_start, now, request.state[:2])
            row = math.floor(since / request.plan.step + 1e-6)
            extra = np.zeros(2)
            pace, yaw = min(self._clock.pace, 1.0), float(request.state[5])
            reference, primitives = plan_reference(request.plan, since, times - now, pace, yaw)
            flown = heights_flown(request.plan, row, self._count - 1)
        else:
            twist = np.asarray(request.twist, dtype=np.float64)
            self._follow(request, twist)
            trimmed = self._trim.asked(now, twist, request.state, before is Mode.STEP, self._stepping.catching)
            twist_reference(self._ground, self._pose, trimmed, self._body.height, durations, reference)
            extra = in_world(trimmed - twist, self._pose[2])
        stepping = self._stepping
        wrong = request.state[6:8] - reference[0, 6:8]
        ordered = self._asked(request, reference, primitives)
        stepping.choose(request, wrong + extra, reference[0, 3:5], ordered, index)
        if stepping.mode is Mode.STAND and before is Mode.STEP:
            self._pose[:2] = stepping.middle(request.state, request.feet)
        if stepping.mode is Mode.STAND and request.plan is None:
            self._stand_reference(reference)
        landed = self._landed(request, primitives, times[:-1])
        contact = stepping.contact(index, self._count - 1, primitives[:-1], landed, request.plan, row)
        self._push_off(request, times, reference, primitives[:-1] == int(Primitive.LEAP_STANCE), contact)
        self._track_feet(request, contact[0])
        rules, starts, lifted = self._rules, self._standing, self._lifted
        if self._map is None:
            self._stumbles.note(request, contact[0], self._last)
            rules = rules._replace(clearance=self._stumbles.clearance)
            starts, lifted = self._stumbles.starts(starts, lifted)
        shift = request.state[:2] - reference[0, :2]
        over = Horizon(times, contact.astype(np.float64), flown, reference, shift, wrong)
        legs = LegsNow(self._hips, self._body.radius, stepping.stance_times, starts, lifted, self._before)
        planned = PlannedFeet.empty(self._count - 1)
        plan_feet(self._ground, rules, over, legs, FREE, planned)
        if not isinstance(self._foothold, NearestFoothold):
            chosen, lost = choose_footholds(self._foothold, self._ground, rules, legs, planned)
            plan_feet(self._ground, rules, over, legs, chosen, planned)
            planned.unsafe[:] = lost
        feet, swings, counts, unsafe, _ = planned
        self._stumbles.wait(swings)
        self._before[:] = np.where(counts[:, None] > 0, swings[:, 0, 5:8], np.nan)
        ground = smooth_heights(self._ground, reference[:, :2])
        problem = NmpcProblem(request.state, reference, durations, self._carrying(request, contact), feet, ground)
        guess = None if self._last is None else shifted(self._last.solution, index - self._last.index)
        caught = stepping.catching or self._catches_landing(request, reference[0], int(primitives[0]))
        solver = self._catching if caught else self._solver
        solution = solve_near(solver, problem, guess)
        if not solution.solved and guess is not None:
            # What was planned before a push may be no trajectory to go on from.
            solution = solve_near(solver, problem)
        failed = not solution.solved
        if failed:
            solution = fallback(problem, self._body.rigid, solution.reason)
        plan = LocalPlan(
            *(now, index, stepping.mode, times, contact, swings, counts, unsafe, primitives, problem, solution, failed),
            self._why(request, ordered),
        )
        self._last = None if failed else plan
        self._under_way.append((asked, plan))
        return plan

    def _ahead(self, request: LocalRequest) -> LocalRequest:
        """The request moved on to when its plan is used, by the forces of the plans that are under way until then.

        Forces that answer a state of long ago push a leaning body too little and too late: a robot that stands by
        forces alone falls over slowly. Within one interval that does not matter.
        """
        latency, interval = self._settings.latency, self._settings.interval
        if latency <= interval + 1e-9:
            return request
        state, body = request.state, self._body.rigid
        count = math.ceil(latency / interval - 1e-9)
        each = latency / count
        for part in range(count):
            time = request.time + part * each
            forces = np.zeros((4, 3))
            used = [plan for asked, plan in self._under_way if asked + latency <= time + 1e-9]
            if used:
                row = int(np.searchsorted(used[-1].times, time + 1e-9, side="right")) - 1
                forces = used[-1].forces[min(max(row, 0), len(used[-1].forces) - 1)]
            else:
                forces[:, 2] = 0.25 * body.mass * GRAVITY
            state = next_state(body, state, forces, request.feet, each)
        return replace(request, time=request.time + latency, state=state)

    def _follow(self, request: LocalRequest, twist: Array) -> None:
        """Move the reference's place on by the time since the last plan, and keep it near the body."""
        pose, state = self._pose, request.state
        if self._stepping.mode is Mode.STEP and self._last is not None:
            passed = request.time - self._last.time
            pose[:2] += in_world(twist, pose[2]) * passed
            pose[2] += twist[2] * passed
        leash, turn = self._settings.leash, self._settings.yaw_leash
        away = pose[:2] - state[:2]
        far = math.hypot(away[0], away[1])
        if far > leash:
            pose[:2] = state[:2] + away * (leash / far)
        pose[2] = state[5] + min(max(pose[2] - state[5], -turn), turn)

    def _stand_reference(self, reference: Array) -> None:
        """Hold the pose over the feet: no speed is asked."""
        still = np.zeros(len(reference) - 1)
        twist_reference(self._ground, self._pose, np.zeros(3), self._body.height, still, reference)
        reference[:, 2] = float(self._standing[:, 2].mean() - self._body.radius.mean()) + self._body.height

    def _asked(self, request: LocalRequest, reference: Array, primitives: Index) -> bool:
        """Whether motion is asked for."""
        settings = self._settings
        if request.plan is None:
            return is_order(request.twist, settings)
        if bool(primitives.any()) or float(np.abs(reference[:, 6:9]).max()) > settings.stand_command:
            return True
        end = request.plan.states[-1]
        return math.hypot(end[0] - request.state[0], end[1] - request.state[1]) > settings.stand_offset

    def _why(self, request: LocalRequest, ordered: bool) -> str:
        """Why it does not what is asked, see `LocalPlan.why`."""
        twist = request.twist
        if request.plan is not None or ordered or not (twist[0] or twist[1] or twist[2]):
            return self._stepping.why(ordered)
        limit = self._settings.stand_command
        most = float(np.abs(twist).max())
        return f"{most:.2g} m/s or rad/s is no order to walk (local.stand_command: {limit:.2g} for this robot)"

    def _landed(self, request: LocalRequest, primitives: Index, times: Array) -> Flags:
        """Rows of a planned flight in which a leg of the body, which flies already, has come down, (N, 4).

        A leap is seldom as high as its plan, and a body that pitches has one end down before the other. Legs that wait
        for the planned touch-down would be folded when the ground comes; so they are there from when free fall brings
        the hip to the height at which it stands, or the foot touches.
        """
        down = np.zeros((len(times), 4), dtype=np.bool_)
        if int(primitives[0]) != Primitive.FLIGHT:
            self._down[:] = False
            return down
        state, fall = request.state, times - times[0]
        height = state[2] + state[8] * fall - 0.5 * GRAVITY * fall**2
        places = state[:2] + fall[:, None] * state[6:8]
        low = height < smooth_heights(self._ground, places) + self._body.height
        down[low & (state[8] < GRAVITY * fall)] = True
        if state[8] < 0.0:
            # A foot that bounces has landed all the same: it does not begin another swing.
            self._down |= request.contact
            down[0] |= self._down
        return np.asarray(np.logical_or.accumulate(down, axis=0))

    def _catches_landing(self, request: LocalRequest, wanted: Array, primitive: int) -> bool:
        """Whether a landing is being caught: a body that came down low and tilted has to be raised before all else.

        In the weights of ordinary walking it would run on with its plan, low, until a knee scrapes the ground.
        """
        settings, state = self._settings, request.state
        if self._down.any() or primitive == Primitive.LAND_STANCE:
            self._landed_at = request.time
        since = request.time - self._landed_at
        if since >= settings.landing_time:
            return False
        x, y = state[:2]
        low = ground_height(self._ground, x, y) + self._body.height - state[2]
        tilt = float(np.abs(state[3:5] - wanted[3:5]).max())
        return since < settings.landing or low > settings.landing_low or tilt > settings.landing_tilt

    def _push_off(self, request: LocalRequest, times: Array, reference: Array, pushing: Flags, contact: Flags) -> None:
        """Let legs that push off end their stance where they are stretched.

        A force that is planned for such a leg is missing when it is needed, and the others' tip the body over; so legs
        whose stances would end together leave together, and one that has left does not come back. Feet that come down
        before they push stand elsewhere than now; they are put where they reach.
        """
        left = self._leaves <= times[0] + 1e-9
        self._leaves[~left | (not pushing[0])] = np.inf
        if not pushing.any():
            return
        contact &= ~(left & pushing[:, None] & pushing[0])
        stays = np.logical_and.accumulate(contact, axis=0)
        ends = stays.sum(axis=0)
        for row in np.flatnonzero(pushing):
            hips = hips_at(reference[row + 1], self._hips)
            hips[:, :2] += request.state[:2] - reference[0, :2]
            far = np.linalg.norm(request.feet - hips, axis=1)
            gone = stays[row] & (far >= self._settings.stretch * self._longest)
            gone = stays[row] & np.isin(ends, ends[gone])
            contact[row:] &= ~(gone & pushing[row:, None])
            self._leaves[gone] = np.minimum(self._leaves[gone], times[row])

    def _track_feet(self, request: LocalRequest, contact: Flags) -> None:
        """Remember where feet stand, and when those that swing were lifted."""
        last, index = self._last, plan_index(request.time, self._origin or 0.0, self._step)[0]
        for leg in range(4):
            if contact[leg]:
                self._standing[leg] = request.feet[leg]
                if not request.contact[leg]:
                    # It is about to come down on the ground that is known.
                    x, y = request.feet[leg, :2]
                    self._standing[leg, 2] = ground_height(self._ground, x, y) + self._body.radius[leg]
            # One that swings is lifted now where the last plan had it standing in an interval before this one.
            if contact[leg] or last is None or (last.contact[0, leg] and last.index < index):
                self._lifted[leg] = request.time

    def _carrying(self, request: LocalRequest, contact: Flags) -> Flags:
        """Feet on which forces are planned: without those that have not found the ground, until the next interval.

        A force that is planned on a foot in the air is missing when it is needed, and the others' tip the body over.
        """
        if self._stepping.mode is Mode.STAND:
            self._late[:] = np.nan
            return contact
        late = contact[0] & ~request.contact
        self._late = np.where(late, np.where(np.isnan(self._late), request.time, self._late), np.nan)
        missing = late & (request.time - self._late >= self._settings.missing - _SHORTEST)
        carrying = contact.copy()
        carrying[0, missing] = False
        return carrying

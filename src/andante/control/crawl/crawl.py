"""CrawlController: carries out a walk plan, notices what differs from it, and plans anew where it must."""

from __future__ import annotations

import math

import numpy as np

from andante.control.controller import ControlError, TunableBase
from andante.control.crawl.deviation import Deviation
from andante.control.crawl.feet import Footing
from andante.control.crawl.load import load_torques
from andante.control.crawl.map_watch import MapWatch
from andante.control.crawl.recovery import Recovery
from andante.control.crawl.requests import PlanRequests
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.telemetry import PHASES, telemetry_layout
from andante.control.crawl.timeline import Setpoint, Timeline, splice
from andante.control.crawl.tracking import Tracking
from andante.control.estimation.estimator import BodyEstimator, BodyState
from andante.control.estimation.state import Estimator
from andante.control.events import EventKind
from andante.control.legs.four_legs import size_of
from andante.kinematics.leg_table import LeggedBody
from andante.planning.walk.request import WalkRequest, WalkUnderWay
from andante.planning.walk_plan import WalkPlan
from andante.robots.records import Command, Record, Sensors
from andante.spatial.arrays import Array, Flags
from andante.spatial.polygons import convex_hull, signed_distance
from andante.spatial.rotation_kernels import conjugate, exp, from_rpy, log, multiply, to_matrix

_FALLEN_TILT = math.radians(60.0)
"""Tilt above which the robot has fallen [rad]."""
_BLIND_LIMIT = 1.0
"""Time without motion capture after which the walk is broken off [s]."""


class CrawlController(TunableBase[CrawlSettings]):
    """Walks a robot on three-joint legs and ball feet along a plan.

    Args:
        body: The robot; it has motion capture.
        plan: The plan to walk; None: asked of the planner once the robot stands.
        settings: How it is carried out, for LittleDog's size.
        estimator: Tells where body and feet are on the map; None: from all sensors, see `BodyEstimator`.
        replans: Whether the rest of the walk is planned anew after a step that missed its place, from where the feet
            are; the body is taken to be where the plan has it.

    Raises:
        ControlError: The robot has no motion capture, or the plan is for other legs.
    """

    def __init__(
        self,
        body: LeggedBody,
        plan: WalkPlan | None = None,
        settings: CrawlSettings | None = None,
        estimator: Estimator[BodyState] | None = None,
        *,
        replans: bool = False,
    ) -> None:
        robot = body.robot
        if not robot.motion_capture:
            raise ControlError("a planned crawl needs motion capture", place=f"robot {robot.name!r}")
        if plan is not None and plan.feet.shape[1] != len(body.legs):
            raise ControlError(
                "the plan is for other legs",
                place=f"robot {robot.name!r}",
                value=plan.feet.shape[1:2],
                limit=f"{len(body.legs)} legs",
            )
        self.body, self._given, self._replans = body, plan, replans
        self.estimator = estimator or BodyEstimator(body)
        names = tuple(leg.name for leg in body.legs)
        settings = settings or CrawlSettings()
        self._scaled = settings.scaled(size_of(body))
        self.footing = Footing(names, self._scaled, self._tell)
        self._map_watch = MapWatch(names, body.table.radius, self._scaled, self._tell)
        self._tracking = Tracking(body, robot.tick, self._scaled.speed_share)
        self._recovery = Recovery(self._tracking, self._scaled)
        self._deviation = Deviation(len(body.legs), self._scaled, robot.tick)
        self._layout = telemetry_layout(names)
        self._most_torque = np.array([servo.max_torque for servo in robot.servos])
        self._indices = np.array([leg.indices for leg in body.legs])
        super().__init__(robot.tick, settings)
        self.reset()

    def _use(self, settings: CrawlSettings) -> None:
        self._scaled = scaled = settings.scaled(size_of(self.body))
        self.footing.use(scaled)
        self._recovery.settings = self._deviation.settings = self._map_watch.settings = scaled
        self._tracking.limit(scaled.speed_share)

    @property
    def done(self) -> bool:
        """True when the walk is over and the last posture is held."""
        return self._phase == "done"

    @property
    def failed(self) -> bool:
        """True once it has given up."""
        return self._phase == "failed"

    @property
    def plan(self) -> WalkPlan | None:
        """The plan under way."""
        return None if self._timeline is None else self._timeline.plan

    def reset(self) -> None:
        """Forget everything; the next step is the first."""
        super().reset()
        self.estimator.reset()
        self.footing.reset()
        self._map_watch.reset()
        self._phase = "stand"
        self.reason = ""
        """Why it gave up; empty while it has not."""
        self._since = 0.0
        self._clock = 0.0
        self._broken = 0
        self._timeline: Timeline | None = None
        self._whole = True
        self.state: BodyState | None = None
        """Where body and feet are estimated to be."""
        self._requests = PlanRequests()
        self._deviation = Deviation(len(self.body.legs), self._scaled, self.period)
        # Share of what each foot may carry; 1: all.
        self._weights: Array = np.ones(len(self.body.legs))
        self._landing: Array = np.zeros(len(self.body.legs))
        self._stood: Flags = np.ones(len(self.body.legs), dtype=np.bool_)
        self._clamps = 0
        self._told: dict[str, float] = {}

    def take_request(self) -> WalkRequest | None:
        """What the planner shall answer, once."""
        return self._requests.take()

    def accept(self, plan: object) -> None:
        """Use a planner's answer from the next step on; answers to requests that no longer matter are dropped."""
        if not self._requests.answered_by(plan):
            return
        if self._phase == "walk" and plan.request.under_way is not None:
            self._requests.keep(plan)
            if plan.plan is None:
                self._tell_once(EventKind.NOT_REPLANNED, f"keeps its plan: {plan.reason}")
                self._deviation.refused(plan.reason)
        elif self._phase == "plan":
            if plan.plan is None:
                self._no_plan(plan.reason)
            else:
                self._map_watch.use(plan.known)
                self._take_up(plan.plan, plan.whole)

    def _no_plan(self, why: str) -> None:
        """A robot that broke off a walk rests a little more and asks again; one that never walked gives up."""
        if self._broken == 0 or self._broken >= self._scaled.tries:
            self._give_up(f"there is no plan: {why}")
            return
        self._broken += 1
        self._tell(EventKind.BREAK_OFF, f"rests and looks for another plan: {why}")
        self._recovery.begin(np.array([foot.place for foot in self.footing.feet]))
        self._enter("recover")

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        state = self.estimator.update(sensors)
        first = self.state is None
        self.state, self._time = state, state.time
        if first:
            self._tracking.begin(sensors.position[self._indices], state.position, state.orientation)
        before = self._tracking.angles
        self._since += self.period
        self._watch(state)
        wanted: Setpoint | None = None
        if self._phase in ("stand", "plan", "done", "failed"):
            self._stand(state)
        elif self._phase == "recover" or self._timeline is None:
            self._recover(state)
        else:
            wanted = self._walk(self._timeline, state)
        return self._command(state, before, wanted)

    def _stand(self, state: BodyState) -> None:
        if self._phase == "stand" and self._since >= self._scaled.settle:
            if state.blind == math.inf:
                if self._since >= self._scaled.settle + _BLIND_LIMIT:
                    self._give_up("motion capture never saw the robot")
                return
            self.footing.stand(state)
            self._tracking.begin(self._tracking.angles, state.position, state.orientation)
            if self._given is not None:
                self._take_up(self._given)
            else:
                self._ask(state)

    def _ask(self, state: BodyState) -> None:
        self._requests.ask(state)
        self._enter("plan")

    def _take_up(self, plan: WalkPlan, whole: bool = True) -> None:
        self._timeline, self._whole = Timeline(plan), whole
        self.footing.begin()
        self._clock = 0.0
        self._deviation.begin()
        self._from = self._tracking.position.copy(), self._tracking.orientation.copy()
        self._enter("blend")
        count, part = len(plan.swings), "" if whole else ", a part of the way"
        self._tell(EventKind.WALK, f"walks {count} steps in {plan.duration:.1f} s{part}", steps=count)

    def _walk(self, timeline: Timeline, state: BodyState) -> Setpoint:
        """The plan's setpoint of now, with joints following it ahead of time."""
        settings = self._scaled
        lead = settings.lead
        if self._phase == "walk":
            self._clock += self.period
            timeline = self._renew(timeline)
            self.footing.advance(timeline, self._clock, lead, state, self.period)
            self._landings(timeline, state)
            self._map_watch.compare(self.footing.feet, state, self._deviation.offset, self._deviation.lean)
            self._watch_feet(timeline, state)
            if self._phase != "walk":
                return timeline.at(self._clock)
        ahead = timeline.at(self._clock + lead if self._phase == "walk" else 0.0)
        position, orientation = ahead.position, from_rpy(ahead.rpy)
        if self._phase == "blend":
            share = min(self._since / max(settings.blend, self.period), 1.0)
            smooth = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
            start, turn = self._from
            position = start + smooth * (position - start)
            orientation = multiply(turn, exp(smooth * log(multiply(conjugate(turn), orientation))))
            feet = np.stack([foot.place for foot in self.footing.feet])
            if share >= 1.0:
                self._enter("walk")
        else:
            feet = self.footing.targets(timeline, self._clock, lead)
        here = timeline.at(self._clock)
        self._deviation.compare(here, state)
        self._tracking.follow(
            position,
            orientation,
            feet,
            self.footing.standing,
            position + self._deviation.offset,
            multiply(exp(self._deviation.lean), orientation),
            ahead.angles,
        )
        self._clamps += int(self._tracking.clamped.any())
        self._check_reach()
        if self._phase == "walk" and self._clock >= timeline.duration + settings.lead and self.footing.standing.all():
            self._arrive()
        return here

    def _arrive(self) -> None:
        """At the end of a plan that is only a part of the way the robot stands and asks for more."""
        self._enter("done" if self._whole else "stand")
        self._tell(EventKind.ARRIVED, "has walked its plan")

    def _landings(self, timeline: Timeline, state: BodyState) -> None:
        standing = self.footing.standing
        for leg in np.flatnonzero(standing & ~self._stood):
            number = self.footing.feet[leg].last
            if number >= 0:
                place = timeline.plan.footsteps.steps[timeline.plan.swings[number].step].place
                self._landing[leg] = float(np.linalg.norm(state.feet[leg, :2] - place[:2]))
                self._broken = 0
        self._stood = standing
        if self._replans and self._deviation.misses(self.footing.feet, timeline.at(self._clock).feet, self._clock):
            self._ask_for_rest(timeline, state)

    def _watch_feet(self, timeline: Timeline, state: BodyState) -> None:
        """Break off when a foot hangs somewhere, or feet stand where no new plan begins."""
        deviation, footing = self._deviation, self.footing
        why = deviation.hangs(state.feet, footing.targets(timeline, self._clock, 0.0), footing.names)
        if why:
            self._break_off(state, why)
        elif self._map_watch.misfit and footing.standing.all():
            self._break_off(state, self._map_watch.misfit)
        elif deviation.stops and footing.standing.all():
            # On all feet it can stop; one more step over feet that stand elsewhere would tip it over.
            self._break_off(state, f"its feet are not where they should be, and {deviation.stops}")

    def _ask_for_rest(self, timeline: Timeline, state: BodyState) -> None:
        """Ask for the rest of the walk as it is from where commands will be when the answer has come."""
        settings, plan = self._scaled, timeline.plan
        at = math.ceil((self._clock + settings.lead + settings.latency) / plan.period - 1e-9) + 1
        if at < len(plan.com) - 1 and plan.swings[-1].touchdown > at and plan.warm_start is not None:
            self._requests.ask(state, WalkUnderWay(plan, at, self.footing.expected(timeline, at * plan.period)))

    def _renew(self, timeline: Timeline) -> Timeline:
        """Take over the rest that was planned anew once commands have come to where it begins."""
        time, period = self._clock + self._scaled.lead, timeline.plan.period
        rest = self._requests.rest(time, period)
        if rest is None:
            return timeline
        plan, at = rest
        self._deviation.renewed()
        if time > (at + 1) * period + 1e-9:
            return timeline
        self._timeline = Timeline(splice(timeline.plan, plan, at))
        self.footing.renewed(self._timeline.swing(at * period))
        self._tell(EventKind.REPLANNED, "goes on with a new plan from where its feet are")
        return self._timeline

    def _watch(self, state: BodyState) -> None:
        """Notice what a plan cannot go on from."""
        if self._phase == "failed":
            return
        if float(state.rotation[2, 2]) < math.cos(_FALLEN_TILT):
            self._give_up("the robot has fallen")
        elif self._phase in ("blend", "walk", "recover") and state.blind > _BLIND_LIMIT:
            self._give_up(f"no motion capture for {state.blind:.1f} s")
        elif self._phase == "walk":
            why = self._deviation.lost(bool(self.footing.standing.all()))
            if why:
                self._break_off(state, why)

    def _break_off(self, state: BodyState, why: str) -> None:
        self._broken += 1
        self._tell(EventKind.BREAK_OFF, f"puts all feet down and stops: {why}")
        if self._given is not None:
            self._give_up(why)
        elif self._broken > self._scaled.tries:
            self._give_up(f"{self._broken} broken walks without a step in between, the last because {why}")
        else:
            self._enter("recover")
            known = zip(self.footing.feet, state.feet, strict=True)
            feet = np.array([place if foot.swing >= 0 else foot.place for foot, place in known])
            self._recovery.begin(feet, ~self.footing.standing)

    def _recover(self, state: BodyState) -> None:
        """Rest on all feet; then it plans anew."""
        rests = self._recovery.step(state, self._since)
        self._clamps += int(self._tracking.clamped.any())
        if rests:
            self.footing.stand(state)
            self._map_watch.rest(self.footing.feet, state)
            self._tracking.begin(self._tracking.angles, state.position, state.orientation)
            if self._map_watch.misfit:
                # Another plan by the same map would lead there, too.
                self._give_up(self._map_watch.misfit)
            else:
                self._ask(state)

    def _check_reach(self) -> None:
        tracking = self._tracking
        if tracking.short < 1.0:
            self._tell_once(EventKind.REACH, "the body waits for feet in reach", share=tracking.short)
        if tracking.missed.any():
            name = self.footing.names[int(np.argmax(tracking.missed))]
            self._tell_once(EventKind.REACH, f"{name} cannot reach its place and goes as planned", foot=name)

    def _command(self, state: BodyState, before: Array, wanted: Setpoint | None) -> Command:
        angles, body = self._tracking.angles, self.body
        command = body.robot.held(body.joints(angles))
        command.velocity[self._indices] = (angles - before) / self.period * self._scaled.velocity_share
        if self._phase != "failed":
            self._load(command, self._torques(state, wanted))
        self._note(state, wanted)
        return command

    def _load(self, command: Command, torques: Array) -> None:
        """Tell the servos of the torques (nl, 3) that carry the robot, in the way that they take it."""
        flat, way = self._indices, self._scaled.load
        if way == "torque":
            command.torque[flat] = torques
            np.clip(command.torque, -self._most_torque, self._most_torque, out=command.torque)
        elif way == "position":
            # A servo that gives way by torque over gain stands where it should when it is asked for so much more.
            command.position[flat] += torques / np.maximum(command.kp[flat], 1e-9)
            np.clip(command.position, self.body.robot.lower, self.body.robot.upper, out=command.position)

    def _torques(self, state: BodyState, wanted: Setpoint | None) -> Array:
        walking = None if self._phase != "walk" else self._timeline
        carrying = self.footing.carrying(walking, self._clock + self._scaled.lead, state)
        # A foot takes its load within some 30 ms, and loses it within 20.
        self._weights = np.clip(self._weights + np.where(carrying, 0.3, -0.5), 0.0, 1.0)
        zmp = state.com[:2] if wanted is None else wanted.zmp + (state.com[:2] - wanted.com[:2])
        return load_torques(
            self.body.table,
            self._tracking.angles,
            to_matrix(state.orientation),
            state.feet,
            self._weights,
            state.com,
            zmp,
        )

    def _note(self, state: BodyState, wanted: Setpoint | None) -> None:
        record = Record(self._layout)
        carrying = self.footing.standing & state.contact if self.footing.feet else state.contact
        if carrying.sum() > 2:
            record["margin"][0] = float(signed_distance(convex_hull(state.feet[carrying, :2]), state.com[:2]))
        record["position"][:], record["velocity"][:] = state.position, state.velocity
        if wanted is not None:
            record["error"][:] = state.position - wanted.position
            lean = log(multiply(state.orientation, conjugate(from_rpy(wanted.rpy))))
            record["tilt_error"][0] = np.linalg.norm(lean)
        record["carrying"][:] = carrying
        record["blind"][0] = min(state.blind, 1e3)
        record["phase"][0] = PHASES.index(self._phase)
        record["plan_time"][0], record["rate"][0] = self._clock, 1.0
        record["swing"][0] = -1 if self._timeline is None or wanted is None else self._timeline.swing(self._clock)
        places = [foot.place for foot in self.footing.feet] or list(state.feet)
        record["place"][:] = np.concatenate(places)
        record["landing"][:] = self._landing
        record["reach"][0], record["slowed"][0] = self._tracking.short, self._tracking.slowed
        record["clamps"][0] = self._clamps
        self._telemetry = record

    def _enter(self, phase: str) -> None:
        self._phase, self._since = phase, 0.0

    def _give_up(self, why: str) -> None:
        self.reason = why
        self._enter("failed")
        self._tell(EventKind.HELP, f"gives up: {why}")

    def _tell_once(self, kind: EventKind, text: str, **data: float | int | str) -> None:
        """An event that would repeat in every tick is told once per half second."""
        if self._time - self._told.get(text, -math.inf) > 0.5:
            self._tell(kind, text, **data)
        self._told[text] = self._time

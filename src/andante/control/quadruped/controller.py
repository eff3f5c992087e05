"""QuadrupedController: walks a quadruped of twelve torque-controlled joints by plans of forces.

It stands up, follows local plans at every tick while the planner makes the next, and lies down when it is told to or
when something that it cannot walk without is gone: a fresh plan, a solution, an estimate, a joint.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from andante.control.controller import TunableBase
from andante.control.estimation.floating_base import Doubt, FloatingBase
from andante.control.estimation.state import Estimator
from andante.control.events import EventKind
from andante.control.foresight import Foresight
from andante.control.quadruped.drive_doubts import DriveDoubts
from andante.control.quadruped.drive_mode import Blend, DriveMode
from andante.control.quadruped.drive_watch import DriveWatch
from andante.control.quadruped.drive_words import explained
from andante.control.quadruped.dynamics import FloatingModel
from andante.control.quadruped.leg_kernels import (
    FollowedPlan,
    LegDrives,
    LegMemory,
    LegReadings,
    LegRules,
    LegState,
    control_legs,
)
from andante.control.quadruped.repeats import RepeatWatch
from andante.control.quadruped.settings import LegSettings
from andante.control.sensor_parts import Failure
from andante.control.steering import Steering
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.body_plan import BodyPlan
from andante.planning.quadruped.gait import GAITS, Gait
from andante.planning.quadruped.gait_policy import GaitMoment
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest, Mode
from andante.planning.quadruped.settings import GO2_LEG
from andante.robots.records import Command, Layout, Record, Sensors, Vector, axes, scalar
from andante.robots.robot import Robot
from andante.spatial.arrays import Array

_SETTLES = 0.2
"""So long a robot in its standing posture may take until all its feet touch [s]."""
_BLIND = Doubt.GYRO | Doubt.ACCELEROMETER | Doubt.ORIENTATION | Doubt.TILT
"""Doubts with which nobody knows how the body moves."""
_STANDS = 0.35
"""Largest difference of a joint from standing at which a robot begins at once [rad]."""
_EXACT, _MOST_PERIODS = 1e-7, 2.0
"""As the guard has them: how far a tick may miss a period and count as one, and for how many it may make up."""
_LATE = 2.5
"""So many periods later than usual commands show in the readings before that is told."""
_LAYOUT = Layout(
    "quadruped",
    (
        scalar("drive"),
        scalar("mode"),
        axes("estimate", "", ("x", "y", "z", "roll", "pitch", "yaw", "vx", "vy", "vz", "wx", "wy", "wz")),
        axes("asked", "", ("forward", "lateral", "turn")),
        axes("planned_contact", "", ("FL", "FR", "HL", "HR")),
        axes("landed", "", ("FL", "FR", "HL", "HR")),
        axes("force", "N", tuple(f"{foot}.{axis}" for foot in ("FL", "FR", "HL", "HR") for axis in "xyz")),
        axes("foothold", "m", tuple(f"{foot}.{axis}" for foot in ("FL", "FR", "HL", "HR") for axis in "xy")),
        axes("reference", "", ("x", "y", "z", "roll", "pitch", "yaw")),
        scalar("iterations"),
        scalar("fallback"),
    ),
)
_LIMIT_MARGIN = 0.03
"""A joint nearer to a limit is pushed back [rad]."""
_TURN_ACCELERATION = 6.0
"""How fast the rate of turning that is asked for is approached [rad/s^2]."""
_OLDEST_PLAN = 0.1
"""The robot lies down where its newest plan began longer ago [s]."""
_COASTING = 0.25
"""The robot lies down where feet and IMU contradict each other for longer [s]."""
_RESTLESS, _IDLE = 3.0, 0.2
"""So long a robot may step though nothing is asked, or stand though something is, before it says why [s]."""
_TORQUE_MEMORY = 0.03
"""Time constant of the means of both torques [s]."""
_ASKED_TORQUE = 0.1
"""Least mean torque by which a drive is judged, as a share of its limit."""


GaitChoice = Callable[[GaitMoment], Gait]
"""Which gait is asked for when: the gait at a moment of the run."""


class QuadrupedController(TunableBase[LegSettings]):
    """Follows local plans with forces and swings.

    Args:
        robot: A robot of twelve joints in four legs, driven by torque.
        steering: Where to go.
        estimator: Tells how the body moves.
        body: The robot as the planner sees it.
        settings: For Go2's size; scaled to the robot.
        gait: The gait, or which one when.
        interval: Time between two requests to the planner [s].
        course: A body plan to be followed in place of the steering, from the moment at which the robot stands.
        start: Place (3,) [m] and heading [rad] of the base at the start; None: above the origin, as the IMU has it.
    """

    def __init__(
        self,
        robot: Robot,
        steering: Steering,
        estimator: Estimator[FloatingBase],
        body: QuadrupedBody,
        settings: LegSettings | None = None,
        gait: Gait | GaitChoice = GAITS["trot"],
        interval: float = 0.01,
        course: BodyPlan | None = None,
        start: tuple[Array, float] | None = None,
    ) -> None:
        self.steering = steering
        """What it follows."""
        self.body = body
        """The robot as the planner sees it."""
        self._robot, self._estimator = robot, estimator
        self._gait, self._course, self._start = gait, course, start
        self._every = max(1, round(interval / robot.tick))
        self._model = FloatingModel(robot, body.legs)
        self._order = np.array([list(leg.indices) for leg in body.legs.legs])
        self._drives = LegDrives(
            self._model.dofs,
            body.radius,
            np.array([servo.friction for servo in robot.servos])[self._order],
            np.array([servo.damping for servo in robot.servos])[self._order],
            np.stack([robot.lower[self._order], robot.upper[self._order]], axis=-1),
            robot.max_velocity[self._order],
            robot.max_effort[self._order],
        )
        self._ready = body.legs.joints(body.posture)
        self._sitting = robot.posture("sit") if "sit" in robot.postures else self._ready
        super().__init__(robot.tick, settings or LegSettings())
        self.reset()

    def _use(self, settings: LegSettings) -> None:
        s = self._scaled = settings.scaled(self.body.legs.leg_length / GO2_LEG)
        error = s.error if self._course is None else s.plan_error
        gains = (s.frequency, s.damping, s.stance_kp, s.stance_kd, s.early)
        leaps = self._course is not None and bool(self._course.primitives.any())
        ways = (s.probe, s.leap_probe if leaps else s.probe, s.depth, error, s.slow, s.ahead, s.lost)
        stops = (_LIMIT_MARGIN, s.stop_share, self._robot.tick, self.body.rigid.mass, s.extend)
        self._rules = LegRules(*gains, *ways, *stops)
        self._watch = DriveWatch(self._robot, s.powerless, _TORQUE_MEMORY, _ASKED_TORQUE, s.longest_lag)
        self._repeats = RepeatWatch(self._robot, s.frozen)
        self._drive_doubts = DriveDoubts(self._watch, self._order.tolist(), self._robot.joint_names)

    @property
    def done(self) -> bool:
        """Whether it stands, or lies, and nothing more will be asked."""
        if self.drive is DriveMode.LIE_DOWN:
            return self._reason == "" and self._rested
        plan = self.plan
        if self.drive is not DriveMode.READY or plan is None or plan.mode is not Mode.STAND:
            return False
        if self._course is not None:
            return self._time >= self._course_start + self._course.duration + self._scaled.rise
        return self.steering.over(self._time) and not self._asked.any()

    @property
    def failed(self) -> bool:
        """Whether it has lain down, or only brakes, because it could not walk on."""
        fallen = self.drive is DriveMode.DAMPED and self._time - self._braked > self._scaled.rise
        return self._reason != "" and (self._rested or fallen)

    @property
    def foresight(self) -> Foresight | None:
        """The rest of the local plan: the next two footholds of each foot, and the body over the horizon."""
        plan, told = self.plan, self._telemetry
        if plan is None or told is None:
            return None
        now = told["estimate"]
        ahead = plan.times > self._time
        steps = [
            (swing[1], leg, swing[5:8])
            for leg, count in enumerate(plan.swing_counts)
            for swing in plan.swings[leg, :count]
            if swing[1] > self._time
        ]
        steps.sort(key=lambda step: float(step[0]))
        feet = tuple(self.body.legs.legs[leg].name for _, leg, _ in steps)
        places = np.array([place for *_, place in steps]).reshape(-1, 3) - (0.0, 0.0, self.body.radius.mean())
        way = np.vstack([now[:3], plan.states[ahead, :3]])
        return Foresight(feet, places, way, now[:3], float(now[5]))

    def reset(self) -> None:
        """Forget everything; the next step takes the posture that it measures."""
        super().reset()
        self._estimator.reset(*(self._start or (None, None)))
        self.plan: LocalPlan | None = None
        """The plan in force; None before the first."""
        self._request: LocalRequest | None = None
        self._tick = self._unsolved = 0
        self._elapsed, self._stepped = self._robot.tick, False
        self.drive = DriveMode.WAIT
        """What the legs do."""
        self._reason, self._rested = "", False
        self._repeats.reset()
        self._waited = self._mistrusted = self._braked = math.inf
        self._blend: Blend | None = None
        self._asked, self._wanted = np.zeros(3), [0.0, 0.0, 0.0]
        self._course_start = self._ready_since = math.inf
        self._powerless = np.zeros(0, dtype=np.int64)
        self._watch.reset()
        self._drive_doubts.reset()
        self._memory = LegMemory(
            np.ones(4, dtype=np.bool_),
            np.zeros(4, dtype=np.bool_),
            np.zeros(4, dtype=np.bool_),
            np.zeros((4, 3)),
            np.zeros(4),
            np.zeros(4),
            np.zeros((4, 3)),
        )
        self._standing = np.ones(4, dtype=np.bool_)
        self._contact = np.ones((1, 4))
        self._doubts, self._late, self._following = "", "", False
        self._as_asked, self._explained = math.inf, False
        self._unsafe = np.zeros(4, dtype=np.bool_)

    def take_request(self) -> LocalRequest | None:
        """What the planner shall answer; None: nothing."""
        request, self._request = self._request, None
        return request

    def accept(self, plan: LocalPlan) -> None:
        """Use this plan from the next step on."""
        if plan.fallback and self._unsolved == 0:
            self._tell(EventKind.UNSOLVED, f"no forces found: {plan.solution.reason}")
        self._unsolved = self._unsolved + 1 if plan.fallback else 0
        for leg in np.flatnonzero(plan.unsafe & ~self._unsafe):
            self._tell(EventKind.UNSAFE_FOOTHOLD, f"{self._robot.feet[leg].name} finds no place to stand")
        self._unsafe = plan.unsafe
        self.plan = plan
        self._explain(plan)
        self._contact = plan.contact.astype(np.float64)

    def _explain(self, plan: LocalPlan) -> None:
        """Say why the legs do for long what was not asked."""
        # While speed is taken up or lost, what is asked is another thing.
        if not plan.why or (self._asked.any() and self._asked.tolist() != self._wanted):
            self._as_asked, self._explained = math.inf, self._explained and bool(plan.why)
            return
        self._as_asked = min(self._as_asked, self._time)
        longest = _IDLE if plan.mode is Mode.STAND else _RESTLESS
        if not self._explained and self._time - self._as_asked >= longest:
            self._explained = True
            what = "stands" if plan.mode is Mode.STAND else "steps on though nothing is asked: the body"
            self._tell(EventKind.RESTLESS, f"{what}{': ' if plan.mode is Mode.STAND else ' '}{plan.why}")

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        self._elapsed = max(sensors.time - self._time, 0.0) if self._stepped else self._robot.tick
        self._time, self._stepped = sensors.time, True
        state = self._estimator.update(sensors, self._standing)
        self._note_health(state)
        self._powerless = self._watch.lost(sensors)
        legs = self._model.update(
            state.position,
            state.rotation,
            state.velocity,
            state.angular_velocity,
            sensors.position,
            sensors.velocity,
            state.contact,
        )
        row = np.empty(12)
        row[:3], row[3:6], row[6:9], row[9:] = legs.com, state.rpy, legs.velocity, state.angular_velocity
        self._choose_drive(sensors, state, row)
        if self.drive is DriveMode.READY:
            self._steer()
            if self._tick % self._every == 0:
                self._watch_lag()
                self._ask(row, legs, state)
            self._tick += 1
        command = self._robot.command()
        if self.drive is DriveMode.READY and self.plan is not None:
            self._follow(command, sensors, legs, self.plan)
        elif self.drive is DriveMode.DAMPED:
            command.position[:] = sensors.position
            command.kd[:] = self._robot.servo_kd * self._scaled.braking
        else:
            self._hold(command, sensors)
        self._watch.commanded(command)
        self._note(row)
        return command

    def _choose_drive(self, sensors: Sensors, state: FloatingBase, row: Vector) -> None:
        """Stand up, be ready, or lie down with the reason."""
        if self.drive is DriveMode.WAIT:
            self._waited = min(self._waited, self._time)
            stands = float(np.abs(sensors.position - self._ready).max()) < _STANDS
            if stands and bool(state.contact.all()):
                self._become(DriveMode.READY, "stands")
            elif not stands or self._time - self._waited > _SETTLES:
                self._blend = Blend(sensors.position, self._ready, self._time, self._scaled.rise)
                self._become(DriveMode.STAND_UP, "stands up")
        elif self.drive is DriveMode.STAND_UP and self._blend is not None and self._blend.at(self._time)[2]:
            self._become(DriveMode.READY, "stands")
        if self.drive is DriveMode.DAMPED:
            return
        tilt = max(abs(row[3]), abs(row[4]))
        if tilt > self._scaled.fallen:
            self._give_up(DriveMode.DAMPED, f"the body tilts {math.degrees(tilt):.0f} deg{self._late_by()}")
        elif self.drive is DriveMode.READY:
            reason = self._why_not(sensors, state)
            if reason:
                self._blend = Blend(sensors.position, self._sitting, self._time, self._scaled.rise)
                self._give_up(DriveMode.LIE_DOWN, reason)
        elif self.drive is DriveMode.LIE_DOWN and self._blend is not None:
            self._rested = self._blend.at(self._time)[2]

    def _why_not(self, sensors: Sensors, state: FloatingBase) -> str:
        """Why the robot cannot walk on; empty where it can."""
        if state.health.trusted:
            self._mistrusted = math.inf
        else:
            # A slip or a bump is over in a moment, and until then the IMU alone will do; without the IMU nothing will.
            self._mistrusted = min(self._mistrusted, self._time)
            if state.health.doubts & _BLIND or self._time - self._mistrusted > _COASTING:
                return f"the estimate cannot be walked by: {state.health.text}{self._late_by()}"
        frozen = self._repeats.frozen(sensors)
        if frozen >= 0:
            return f"joint {self._robot.joint_names[frozen]} gives the same reading again and again"
        health = sensors.health
        if health.min() < 0.5:
            broken = np.flatnonzero(health[self._order.ravel()] < 0.5)[0]
            return f"joint {self._robot.joint_names[self._order.ravel()[broken]]} reports a malfunction"
        if len(self._powerless):
            return self._why_powerless()
        if self._unsolved >= self._scaled.unsolved:
            return f"{self._unsolved} plans in a row without forces"
        newest = self._ready_since if self.plan is None else self.plan.time
        if self._time - newest > _OLDEST_PLAN + 1e-9:
            return f"no plan for {self._time - newest:.2f} s"
        return ""

    def _why_powerless(self) -> str:
        """What it means that drives do not give what they are asked for."""
        names = self._robot.joint_names
        if self._repeats.all_still:
            return "the readings of the joints stand still"
        within = f"no command of the last {1e3 * self._watch.longest:.0f} ms"
        found = explained(self._watch.history(), self._order.tolist(), names)
        if found is not None:
            return f"measured torques fit {within}: {found.text}"
        if 2 * len(self._powerless) > len(names):
            return f"the torques of {len(self._powerless)} joints fit {within}: drives are off, or readings too old"
        if not self._watch.explains(len(self._powerless)):
            return f"the joints' torques fit {within}: readings too old, or several drives that give too little"
        return f"joint {names[self._powerless[0]]} does not give the torque that it is asked for"

    def _late_by(self) -> str:
        """How late commands show in the readings, where that is later than usual; else nothing."""
        return f"; {self._late}" if self._late else ""

    def _watch_lag(self) -> None:
        """Tell where commands begin to show in the readings later than usual by some periods, and where no more."""
        for found in self._drive_doubts.look(self._time):
            names = " ".join(self._robot.joint_names[joint] for joint in found.joints)
            failure = Failure.CONTRADICTED
            data = {"component": found.part.value, "names": names, "failure": failure.value}
            self._tell(EventKind.SENSOR, f"{found.part} {failure}: {found.text}", **data)
        lag, usual = self._watch.lag, self._watch.usual
        if math.isnan(lag) or (lag > usual + _LATE * self._robot.tick) == bool(self._late):
            return
        more = " or more" if lag > self._watch.longest - 0.5 * self._robot.tick else ""
        text = f"commands show in the readings after {1e3 * lag:.0f} ms{more}, {1e3 * usual:.0f} ms are usual"
        self._tell(EventKind.LATE, f"{text} again" if self._late else text, lag=lag)
        self._late = "" if self._late else text

    def _become(self, drive: DriveMode, text: str) -> None:
        self.drive = drive
        self._tell(EventKind.DRIVE, text, mode=drive.name)
        if drive is DriveMode.READY:
            self._tick = 0
            self._ready_since = self._time
            self._course_start = self._time + self._scaled.settle
            if self._course is not None and self._course.partial:
                x, y = self._course.states[-1, :2]
                text = f"no way to the goal was found; the plan ends at {x:.2f}, {y:.2f} m"
                self._tell(EventKind.PARTIAL_PLAN, text)

    def _give_up(self, drive: DriveMode, reason: str) -> None:
        if not self._reason:
            self._reason = reason
            self._tell(EventKind.HELP, f"cannot walk on: {reason}")
        self._braked = self._time
        self._become(drive, "lies down" if drive is DriveMode.LIE_DOWN else "only brakes its joints")

    def _note_health(self, state: FloatingBase) -> None:
        text = state.health.text
        if text != self._doubts and not state.health.trusted:
            self._tell(EventKind.ESTIMATE, text)
        self._doubts = text

    def _ask(self, row: Vector, legs: LegState, state: FloatingBase) -> None:
        gait = self._gait
        if not isinstance(gait, Gait):
            gait = gait(GaitMoment(self._time, self._asked.copy(), row.copy()))
        course = self._course if self._time >= self._course_start else None
        self._request = LocalRequest(
            self._time, row, legs.feet, state.contact.copy(), self._asked.copy(), gait, course, self._course_start
        )

    def _follow(self, command: Command, sensors: Sensors, legs: LegState, plan: LocalPlan) -> None:
        if not self._following:
            self._memory.target[:] = sensors.position[self._order]
            self._following = True
        out = np.zeros((5, 4, 3))
        rules, tick = self._rules, self._robot.tick
        if abs(self._elapsed - tick) > _EXACT * tick:
            # The guard counts by the time of the readings, too, and lets targets move no farther than that allows.
            rules = rules._replace(tick=min(self._elapsed, _MOST_PERIODS * tick))
        now = LegReadings(self._time, sensors.position[self._order], sensors.velocity[self._order])
        followed = FollowedPlan(plan.times, plan.states, plan.forces, self._contact, plan.swings)
        interval = control_legs(rules, legs, self._memory, self._drives, now, followed, out)
        self._standing = plan.contact[interval] | self._memory.landed
        command.vector.reshape(5, -1)[:, self._order] = out

    def _hold(self, command: Command, sensors: Sensors) -> None:
        """Joints at the angles of the blend, or at those of standing."""
        if self._blend is not None:
            command.position[:], command.velocity[:], _ = self._blend.at(self._time)
        else:
            command.position[:] = self._ready
        command.kp[:], command.kd[:] = self._robot.servo_kp, self._robot.servo_kd

    def _steer(self) -> None:
        heading, quick = self.steering.heading(self._time), self._scaled.acceleration
        most = self.period * np.array([quick, quick, _TURN_ACCELERATION])
        self._wanted = [heading.forward, heading.lateral, heading.turn]
        wanted = np.array(self._wanted)
        self._asked += np.clip(wanted - self._asked, -most, most)

    def _note(self, row: Vector) -> None:
        plan = self.plan
        record = Record(_LAYOUT)
        vector = record.vector
        vector[0], vector[2:14], vector[14:17] = float(self.drive), row, self._asked
        if plan is not None:
            vector[1] = float(plan.mode)
            vector[17:21], vector[21:25] = self._contact[0], self._memory.landed
            vector[25:37] = plan.forces[0].ravel()
            vector[37:45] = plan.swings[:, 0, 5:7].ravel()
            vector[45:51] = plan.problem.reference[0, :6]
            vector[51], vector[52] = plan.solution.iterations, float(plan.fallback)
        self._telemetry = record

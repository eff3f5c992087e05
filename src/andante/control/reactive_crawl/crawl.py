"""The reactive crawl: walks without a map, by joint sensors, IMU and foot switches alone.

After IHMC's crawl of 2006: the stance legs follow a sum of slow controllers (height and attitude, centre of mass,
heading), one leg at a time swings up, across and down until its switch closes, in the order HR, FR, HL, FL, and lifts
only once the centre of mass is inside the triangle of the other three. Added: the centre of mass is already moved
towards the next triangle while a leg swings, and the guard looks at its momentum too.
"""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from andante.control.estimation.leg_estimator import LevelEstimator
from andante.control.estimation.state import Attitude, Estimator
from andante.control.events import EventKind
from andante.control.foresight import Foresight
from andante.control.legs.four_legs import FEET, FL, FR, HL, HR, four_legged, nominal_stance
from andante.control.legs.gait import STANCE_LENGTH, SteeredGait
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.reactive_crawl.stance import MassShift, attitude_motion
from andante.control.reactive_crawl.swing import CrawlPace, CrawlSwing, Headway
from andante.control.steering import STILL, Heading, Steering, limited, refuse_faster
from andante.kinematics.support_triangle import common_nearest, corner_margin, inset_triangle, into_triangle
from andante.robots.records import Command, Layout, Record, Sensors, axes, scalar
from andante.robots.robot import Robot
from andante.spatial.arrays import Array, Flags
from andante.spatial.gravity import GRAVITY

ORDER = (HR, FR, HL, FL)
"""Legs in the order in which they swing."""
_PHASES = np.array([0.375, 0.125, -0.125, -0.375])
"""How far feet are ahead of the middle, in steps, from the one that landed last to the one that did first."""
_SMALL_TRIANGLE = 0.7
_PRESS_SPEED = 0.1
_SQUARE = 0.012
"""Feet that are nearer than this to where they stand by themselves need no further step at the end [m]."""
_TOLD = {
    EventKind.LIFT_OFF: "lifts off",
    EventKind.TOUCH_DOWN: "is down",
    EventKind.SHIFT_LATE: "stays down: the body does not come over the other feet",
    EventKind.NO_GROUND: "finds no ground",
    EventKind.STUMBLE: "met something on its way and was lifted higher",
    EventKind.SWITCH: "is down by its place: the foot switch never opens",
}
_LAYOUT = Layout(
    "crawl",
    (
        scalar("phase"),
        scalar("leg"),
        scalar("margin", "m"),
        axes("com", "m", ("x", "y")),
        axes("target", "m", ("x", "y")),
        axes("steering", "", ("forward", "lateral", "turn")),
        scalar("cycle", "s"),
        scalar("way", "m"),
    ),
)
_UPHILL = 0.15
"""How far the centre of mass is shifted uphill, as a share of its height times the rise."""
_SPREAD_GAIN = 0.6
"""Share of an error of stance length and width that one step mends."""
_HEADING_GAIN = 0.5
"""Share of an error of the heading that one cycle of steps mends."""


class CrawlPhase(IntEnum):
    """What the crawl is doing."""

    STAND = 0
    SHIFT = 1
    SWING = 2


class ReactiveCrawl(SteeredGait[ReactiveCrawlSettings, Attitude]):
    """A crawl over ground that it does not know.

    Args:
        robot: A robot on four three-joint legs.
        steering: Where to go.
        settings: For LittleDog's size; scaled to the robot.
        estimator: Tells how the body leans and which feet touch; None: from IMU and foot switches.

    Raises:
        ControlError: The robot has other legs, or the steering asks for more than the robot's limits allow.
    """

    smooth = 0.03

    def __init__(
        self,
        robot: Robot,
        steering: Steering,
        settings: ReactiveCrawlSettings | None = None,
        estimator: Estimator[Attitude] | None = None,
    ) -> None:
        super().__init__(
            four_legged(robot), steering, settings or ReactiveCrawlSettings(), estimator or LevelEstimator()
        )

    def _use(self, settings: ReactiveCrawlSettings) -> None:
        scaled = settings.scaled(self._scale)
        home = nominal_stance(self._body, scaled.height, STANCE_LENGTH, scaled.stance_spread)
        pace = CrawlPace.of(self._body, scaled, home, self.period)
        refuse_faster(self.steering.largest, pace.largest, "the crawl")
        self._scaled, self._home, self.pace = scaled, home, pace
        self.largest = pace.largest
        """Largest speeds within the joints' limits, each on its own."""
        self._height = -float(home[0, 2])
        self._headway = Headway(scaled)

    @property
    def failed(self) -> bool:
        """True once it has given up: it stands and goes no farther."""
        return bool(self.reason)

    @property
    def standing(self) -> bool:
        """Whether all feet are down and the body rests over them."""
        return self.phase is CrawlPhase.STAND and self._resting

    def reset(self) -> None:
        """Forget everything; the next step takes the posture that it measures."""
        super().reset()
        self.phase = CrawlPhase.STAND
        self._shift = MassShift(self._period)
        self._landed = list(reversed(ORDER))
        self._turn = 0
        self._swing: CrawlSwing | None = None
        self._pressed, self._turning = np.zeros(4), 0.0
        self._cycle = self.pace.cycle
        self._lifted_at: list[float] = []
        self._entered = 0.0
        self._still_swings = 0
        self._resting = False
        self._headway = Headway(self._scaled)
        self.reason = ""
        """Why it gave up; empty while it has not."""

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        self._begin(sensors)
        state = self._estimator.update(sensors)
        self._time, rotation = state.time, state.level
        asked = STILL if self.failed else limited(self.steering.heading(self._time), self.largest)
        step = self._step_of(asked, state.yaw)
        feet, com = self._motion.places @ rotation.T, rotation @ self._motion.com
        self._decide(asked, step, feet, com)
        target = self._target(step, feet, rotation)
        self._turning = 0.0 if self.phase is CrawlPhase.STAND else float(step[2]) / self._cycle
        self._move(target - com[:2], feet, state.contact, rotation, sensors)
        self._note(asked, com, target, feet)
        resting = float(np.hypot(*self._shift.velocity)) < 0.01 * self._scaled.shift_speed
        self._resting = resting and self.phase is CrawlPhase.STAND
        self.done = self.done or (self._resting and asked.still and self.steering.over(self._time))
        return self._weight.add(self._motion.command(lead=0.0), rotation, self._standing)

    @property
    def _leg(self) -> int:
        return ORDER[self._turn]

    def _step_of(self, asked: Heading, yaw: float) -> Array:
        """The way that every foot goes in a cycle: x, y [m], and turn [rad]."""
        mend = _HEADING_GAIN * self._off_heading(yaw, asked.turn)
        # Heading is held only while walking, and no faster than the robot can turn.
        most = self.largest.turn * self._cycle
        turn = 0.0 if asked.still else min(max(asked.turn * self._cycle + mend, -most), most)
        return np.array([asked.forward * self._cycle, asked.lateral * self._cycle, turn])

    def _decide(self, asked: Heading, step: Array, feet: Array, com: Array) -> None:
        """Stand, shift, or begin a swing."""
        lost = self._headway.lost
        if lost and not self.failed and self.phase is CrawlPhase.SHIFT:
            self.reason = lost
            self._enter(CrawlPhase.STAND)
            self._tell(EventKind.HELP, f"gives up: {lost}")
        if self.phase is CrawlPhase.STAND and not asked.still and not self.failed:
            self._enter(CrawlPhase.SHIFT)
            self._still_swings = 0
        if self.phase is not CrawlPhase.SHIFT:
            return
        if asked.still and (self._still_swings >= 2 * len(ORDER) or self._is_square(feet)):
            self._enter(CrawlPhase.STAND)
            return
        triangle = np.delete(feet[:, :2], self._leg, axis=0)
        ahead = com[:2] + self._shift.velocity * math.sqrt(self._height / GRAVITY)
        late = self._time - self._entered > self._scaled.shift_timeout
        inside = min(corner_margin(triangle, com[0], com[1]), corner_margin(triangle, ahead[0], ahead[1]))
        enough = inset_triangle(triangle, self._scaled.guard, 0.5 * _SMALL_TRIANGLE, np.empty((3, 2)))
        if inside >= enough:
            self._swing = CrawlSwing(self._scaled, self._way_of(step, feet, self._leg), self._scale)
            self._tell_of(EventKind.LIFT_OFF, self._leg)
            self._time_cycle()
            self._still_swings = self._still_swings + 1 if asked.still else 0
            self._enter(CrawlPhase.SWING)
        elif late:
            # The body does not get there: the other legs come first.
            self._tell_of(EventKind.SHIFT_LATE, self._leg)
            self._headway.stayed()
            self._turn = (self._turn + 1) % len(ORDER)
            self._entered = self._time

    @property
    def foresight(self) -> Foresight | None:
        """Where the foot comes down that swings, and the way of the body to where it carries best over the others.

        Both are counted from the robot's base with x ahead.
        """
        swing, told = self._swing, self._telemetry
        if self.phase is CrawlPhase.STAND or told is None:
            return None
        com, target = self._motion.com.copy(), self._motion.com.copy()
        target[:2] = told["target"]
        leg, places = self._leg, np.empty((0, 3))
        if swing is not None:
            places = self._motion.places[leg : leg + 1].copy()
            places[0, :2] += swing.way - swing.done[:2]
            places[0, 2] -= swing.done[2]
        return Foresight((FEET[leg],) * len(places), places, np.stack([com, target]), com, 0.0)

    def _enter(self, phase: CrawlPhase) -> None:
        self.phase, self._entered = phase, self._time

    def _time_cycle(self) -> None:
        """Learn how long a cycle takes, since steps must be as long as speed times that."""
        self._lifted_at.append(self._time)
        if len(self._lifted_at) > len(ORDER):
            took = self._time - self._lifted_at.pop(0)
            if took < 2.0 * self._cycle:
                self._cycle += 0.3 * (took - self._cycle)

    def _is_square(self, feet: Array) -> bool:
        offsets = feet[:, :2] - self._home[:, :2]
        offsets -= offsets.mean(axis=0)
        return bool(np.hypot(offsets[:, 0], offsets[:, 1]).max() < _SQUARE * self._scale)

    def _way_of(self, step: Array, feet: Array, leg: int) -> Array:
        """Where a foot shall come down, from where it is, (2,) [m]: the step, and what stance length and width want.

        The other three feet tell where the middle of the stance is, each from its own place in the order.
        """
        order = [leg, *(each for each in self._landed if each != leg)]
        middle = np.zeros(2)
        for phase, each in zip(_PHASES[1:], order[1:], strict=True):
            middle += (feet[each, :2] - self._home[each, :2] - phase * self._stride(step, each)) / 3.0
        stride = self._stride(step, leg)
        wanted = middle + self._home[leg, :2] + _PHASES[0] * stride
        way = stride + _SPREAD_GAIN * (wanted - feet[leg, :2] - stride)
        size, most = math.hypot(way[0], way[1]), 1.25 * self._scaled.longest_step
        return np.asarray(way if size <= most else way * (most / size))

    def _stride(self, step: Array, leg: int) -> Array:
        """The way of one foot in a cycle, (2,) [m]."""
        x, y = self._home[leg, :2]
        return np.array([step[0] - step[2] * y, step[1] + step[2] * x])

    def _target(self, step: Array, feet: Array, rotation: Array) -> Array:
        """Where the centre of mass should be, (2,) [m], in the level frame."""
        ground = feet[:, :2].copy()
        middle = ground.mean(axis=0) + _UPHILL * self._height * rotation[2, :2]
        if self.phase is CrawlPhase.STAND:
            return np.asarray(middle)
        leg, following = self._leg, ORDER[(self._turn + 1) % len(ORDER)]
        now = np.empty((3, 2))
        inset_triangle(np.delete(ground, leg, axis=0), self._scaled.margin, _SMALL_TRIANGLE, now)
        swing = self._swing
        left = self._way_of(step, feet, leg) if swing is None else swing.way - swing.done[:2]
        ground[leg] += left
        then = np.empty((3, 2))
        inset_triangle(np.delete(ground, following, axis=0), self._scaled.margin, _SMALL_TRIANGLE, then)
        middle += left / 4.0
        x, y = common_nearest(now, then, middle[0], middle[1])
        return np.array(into_triangle(now, x, y))

    def _move(self, error: Array, feet: Array, contact: Flags, rotation: Array, sensors: Sensors) -> None:
        """Move all feet by one tick."""
        motion, period = self._motion, self._period
        standing = np.ones(4, dtype=np.bool_)
        if self._swing is not None:
            standing[self._leg] = False
        self._standing = standing
        velocity = self._shift.step(error, self._scaled)
        places = motion.places
        rise, attitude = attitude_motion(places, standing, self._height, self._scaled)
        front, hind = feet[[FL, FR], :2].mean(axis=0), feet[[HL, HR], :2].mean(axis=0)
        turn = self._turning + self._scaled.height_rate * math.atan2(front[1] - hind[1], front[0] - hind[0])
        linear = rotation.T @ np.array([velocity[0], velocity[1], 0.0]) + (0.0, 0.0, rise)
        angular = np.array([attitude[0], attitude[1], turn])
        flow = -period * (linear + np.cross(angular, places))
        goals = places + flow
        self._press(goals, standing, contact, rotation)
        before, swing, down = places.copy(), self._swing, False
        if swing is not None:
            moved, down = swing.step(period, bool(contact[self._leg]))
            goals[self._leg] += rotation.T @ moved
            if down and not swing.missed:
                goals[self._leg] = self._landing(goals[self._leg], sensors, rotation)
        motion.move(goals, standing)
        share = float(motion.shares[standing].min())
        self._shift.slowed(share)
        self.way += share * period * float(velocity[0])
        if swing is not None:
            swing.take(rotation @ (motion.places[self._leg] - before[self._leg] - share * flow[self._leg]))
            if down:
                self._touch(swing, feet)

    def _press(self, goals: Array, standing: Flags, contact: Flags, rotation: Array) -> None:
        """Push standing feet whose switch is open slowly down, so that a foot in the air is not taken for support."""
        for leg in range(4):
            if not standing[leg]:
                self._pressed[leg] = 0.0
            elif not contact[leg] and self._pressed[leg] < self._scaled.press:
                push = _PRESS_SPEED * self._scale * self._period
                self._pressed[leg] += push
                goals[leg] -= push * rotation[2]

    def _landing(self, goal: Array, sensors: Sensors, rotation: Array) -> Array:
        """The touched ground as the foot's place: the height that is measured, not the one that was on its way down."""
        measured = self._motion.measured(self._motion.leg_rows(sensors.position))[self._leg]
        level = rotation @ goal
        level[2] = max(level[2], float(rotation[2] @ measured) - 0.001 * self._scale)
        return np.asarray(rotation.T @ level)

    def _touch(self, swing: CrawlSwing, feet: Array) -> None:
        """A foot is down: the next one's turn."""
        leg = self._leg
        self._headway.landed(swing, feet)
        if swing.raises > 0:
            self._tell_of(EventKind.STUMBLE, leg)
        if swing.missed:
            self._tell_of(EventKind.NO_GROUND if swing.switch_opened else EventKind.SWITCH, leg)
        self._tell_of(EventKind.TOUCH_DOWN, leg)
        self._swing = None
        self._landed = [leg, *(each for each in self._landed if each != leg)]
        self._turn = (self._turn + 1) % len(ORDER)
        self._enter(CrawlPhase.SHIFT)

    def _tell_of(self, kind: EventKind, leg: int) -> None:
        self._tell(kind, f"{FEET[leg]} {_TOLD[kind]}", foot=FEET[leg])

    def _note(self, asked: Heading, com: Array, target: Array, feet: Array) -> None:
        triangle = np.delete(feet[:, :2], self._leg, axis=0)
        row = [float(self.phase), float(self._leg), corner_margin(triangle, com[0], com[1]), com[0], com[1]]
        row += [target[0], target[1], asked.forward, asked.lateral, asked.turn, self._cycle, self.way]
        self._telemetry = Record(_LAYOUT, np.array(row))

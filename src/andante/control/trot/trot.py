"""The trot: diagonal pairs in turn, caught by where the feet come down.

The clock decides which pair swings. A foot comes down where half a stance's way lies ahead of its place under the body,
and further by what catches the error of the velocity: k (v - v*), with the k that would end the error of an inverted
pendulum in one step. Stance legs carry the body at its speed and mend height and attitude. Speed is raised and lowered
slowly, and a stop is trotted out on the spot until the body is slow.
"""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from andante.control.estimation.leg_estimator import LegEstimator
from andante.control.estimation.state import BodyMotion, Estimator
from andante.control.events import EventKind
from andante.control.foresight import Foresight
from andante.control.legs.four_legs import FEET, FL, FR, HL, HR, four_legged, nominal_stance
from andante.control.legs.gait import STANCE_LENGTH, SteeredGait
from andante.control.steering import Heading, Steering, limited, refuse_faster
from andante.control.trot.pace import fastest, swing_place
from andante.control.trot.settings import TrotSettings
from andante.robots.records import Command, Layout, Record, Sensors, axes, scalar
from andante.robots.robot import Robot
from andante.spatial.arrays import Array, Flags
from andante.spatial.gravity import GRAVITY

PAIRS = ((FL, HR), (FR, HL))
"""Diagonal pairs in the order in which they swing."""
_SLOW = 0.05
_SETTLING_HALVES = 6
"""Half steps on the spot before it stands still, at least."""
_LEVEL = math.radians(6.0)
_EARLY = 0.6
"""Share of a swing from which on a closed switch is a touch-down."""
_LAYOUT = Layout(
    "trot",
    (
        scalar("phase"),
        scalar("pair"),
        scalar("share"),
        axes("velocity", "m/s"),
        axes("asked", "", ("forward", "lateral", "turn")),
        axes("steering", "", ("forward", "lateral", "turn")),
        axes("tilt", "rad", ("roll", "pitch")),
        axes("capture", "m", ("x", "y")),
        scalar("way", "m"),
    ),
)


class TrotPhase(IntEnum):
    """What the trot is doing."""

    STAND = 0
    TROT = 1


class Trot(SteeredGait[TrotSettings, BodyMotion]):
    """A trot on smooth ground.

    Args:
        robot: A robot on four three-joint legs.
        steering: Where to go.
        settings: For LittleDog's size; scaled to the robot.
        estimator: Tells how the body moves; None: from IMU and legs.

    Raises:
        ControlError: The robot has other legs, or the steering asks for more than the robot's limits allow.
    """

    smooth = 0.02
    rate = 0.98

    def __init__(
        self,
        robot: Robot,
        steering: Steering,
        settings: TrotSettings | None = None,
        estimator: Estimator[BodyMotion] | None = None,
    ) -> None:
        body = four_legged(robot)
        super().__init__(body, steering, settings or TrotSettings(), estimator or LegEstimator(body, robot.tick))

    def _use(self, settings: TrotSettings) -> None:
        scaled = settings.scaled(self._scale)
        home = nominal_stance(self._body, scaled.height, STANCE_LENGTH, scaled.stance_spread)
        largest = fastest(self._body, scaled, home, self.period)
        refuse_faster(self.steering.largest, largest, "the trot")
        self._scaled, self._home, self._height = scaled, home, -float(home[0, 2])
        self.acceleration = scaled.acceleration
        """How fast the speed is raised and lowered [m/s^2]."""
        self.largest = largest
        """Largest speeds within the joints' limits, each on its own."""
        pendulum = math.sqrt(GRAVITY / self._height)
        self._catch = scaled.capture / (pendulum * math.tanh(pendulum * scaled.half))

    @property
    def standing(self) -> bool:
        """Whether all feet are down and the body rests over them."""
        return self.phase is TrotPhase.STAND

    def reset(self) -> None:
        """Forget everything; the next step takes the posture that it measures."""
        super().reset()
        self.phase = TrotPhase.STAND
        self._asked = np.zeros(3)
        self._pair, self._clock = 0, 0.0
        self._still_halves = 0
        self._starts = self._home.copy()
        self._landed = np.ones(4, dtype=np.bool_)
        self._capture = np.zeros(2)

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        self._begin(sensors)
        state = self._estimator.update(sensors, self._landed)
        self._time, rotation, velocity = state.time, state.level, state.level_velocity
        self.way = float(state.way[0])
        steering = limited(self.steering.heading(self._time), self.largest)
        turn = self._steer(steering, state.yaw)
        self._decide(steering, velocity, rotation)
        tilt = np.array([math.atan2(rotation[2, 1], rotation[2, 2]), math.atan2(-rotation[2, 0], rotation[2, 2])])
        goals, standing = self._carried(sensors, tilt, turn)
        if self.phase is TrotPhase.TROT:
            self._swing(goals, standing, rotation, state, turn)
        self._motion.move(goals, standing)
        self._standing = standing
        self._note(steering, velocity, tilt)
        self.done = self.done or (self.phase is TrotPhase.STAND and steering.still and self.steering.over(self._time))
        return self._weight.add(self._motion.command(), rotation, self._standing)

    def _steer(self, steering: Heading, yaw: float) -> float:
        """Bring the asked speeds nearer to the steering's; the speed of turning that also holds the heading [rad/s]."""
        wanted = np.array([steering.forward, steering.lateral, steering.turn])
        quicker = self._scaled.acceleration * self._period
        most = np.array([quicker, quicker, quicker / abs(float(self._home[0, 0]))])
        self._asked += np.clip(wanted - self._asked, -most, most)
        if self.phase is TrotPhase.STAND:
            self._yaw_wanted = None
        error = self._off_heading(yaw, self._asked[2])
        limit = self.largest.turn
        return min(max(float(self._asked[2]) + self._scaled.heading_rate * error, -limit), limit)

    def _decide(self, steering: Heading, velocity: Array, rotation: Array) -> None:
        """Begin, change pairs, or stand."""
        if self.phase is TrotPhase.STAND:
            if not steering.still:
                self._tell(EventKind.TROT, "trots")
                self.phase, self._clock, self._pair, self._still_halves = TrotPhase.TROT, 0.0, 0, 0
                self._lift(rotation)
            return
        self._clock += self._period
        if self._clock < self._scaled.half - 1e-9:
            return
        self._clock -= self._scaled.half
        self._still_halves = self._still_halves + 1 if not self._asked.any() else 0
        slow = float(np.hypot(velocity[0], velocity[1])) < _SLOW * math.sqrt(self._scale)
        if self._still_halves > _SETTLING_HALVES and slow and rotation[2, 2] > math.cos(_LEVEL):
            self.phase = TrotPhase.STAND
            self._landed[:] = True
            self._tell(EventKind.STAND, "stands")
            return
        self._pair = 1 - self._pair
        self._lift(rotation)

    @property
    def foresight(self) -> Foresight | None:
        """Where the swinging feet come down, and the body over the next half cycle at the speeds that are asked of it.

        Both are counted from the robot's base with x ahead.
        """
        if self.phase is not TrotPhase.TROT:
            return None
        settings, (forward, lateral, turn) = self._scaled, self._asked
        left = max(settings.swing * settings.half - self._clock, 0.0)
        feet, places = [], []
        for leg in PAIRS[self._pair]:
            if self._standing[leg]:
                continue
            home = self._home[leg] + (*self._capture, 0.0)
            home[:2] += self._motion.com[:2]
            home[:2] += (left + 0.5 * settings.half) * np.array([forward - turn * home[1], lateral + turn * home[0]])
            feet.append(FEET[leg])
            places.append(home)
        times = np.linspace(0.0, settings.half, 8)
        way = self._motion.com + np.column_stack([times * forward, times * lateral, np.zeros(8)])
        return Foresight(tuple(feet), np.array(places).reshape(-1, 3), way, self._motion.com.copy(), 0.0)

    def _lift(self, rotation: Array) -> None:
        self._landed[:] = True
        self._landed[list(PAIRS[self._pair])] = False
        self._starts = self._motion.places @ rotation.T

    def _carried(self, sensors: Sensors, tilt: Array, turn: float) -> tuple[Array, Flags]:
        """Where all feet go if the body moves as it should over them, and which of them stand."""
        settings, places = self._scaled, self._motion.places
        standing = self._landed.copy()
        height = -float(places[standing, 2].mean())
        rise = settings.height_rate * (self._height - height)
        linear = np.array([self._asked[0], self._asked[1], rise])
        angular = np.array([0.0, 0.0, turn])
        angular[:2] = -settings.attitude_rate * tilt - settings.attitude_damping * sensors.gyro[:2]
        goals = places - self._period * (linear + np.cross(angular, places))
        return goals, standing

    def _swing(self, goals: Array, standing: Flags, rotation: Array, state: BodyMotion, turn: float) -> None:
        """Put the swinging feet into ``goals`` and take those that have landed for standing ones."""
        settings = self._scaled
        duration = settings.swing * settings.half
        share = (self._clock + self._period) / duration
        self._capture = self._catch * (state.level_velocity[:2] - self._asked[:2])
        size = math.hypot(self._capture[0], self._capture[1])
        if size > settings.longest_capture:
            self._capture *= settings.longest_capture / size
        com = rotation @ self._motion.com
        for leg in PAIRS[self._pair]:
            if standing[leg]:
                continue
            if state.contact[leg] and share > _EARLY:
                self._landed[leg] = standing[leg] = True
                continue
            home = self._home[leg]
            speed = np.array([self._asked[0] - turn * home[1], self._asked[1] + turn * home[0]])
            goal = home.copy()
            goal[:2] += com[:2] + 0.5 * settings.half * speed + self._capture
            if share <= 1.0:
                place = swing_place(self._starts[leg], goal, settings.lift, share, -duration * speed)
            else:
                place = goal
                place[2] -= min(settings.probe, (share - 1.0) * duration * settings.probe_speed)
            goals[leg] = rotation.T @ place

    def _note(self, steering: Heading, velocity: Array, tilt: Array) -> None:
        row = [float(self.phase), float(self._pair), self._clock / self._scaled.half, *velocity.tolist()]
        row += [*self._asked.tolist(), steering.forward, steering.lateral, steering.turn]
        row += [*tilt.tolist(), *self._capture.tolist(), self.way]
        self._telemetry = Record(_LAYOUT, np.array(row))

"""The working parts of one engine, built once and shared by its state machine and its output."""

from __future__ import annotations

import math

from andante.control.keyframes.balancer import ComBalancer
from andante.control.keyframes.blocked import BlockedJoints
from andante.control.keyframes.buttons import Buttons
from andante.control.keyframes.catch import FallCatcher
from andante.control.keyframes.clock import KeyframeClock, SensorClock, to_microseconds
from andante.control.keyframes.compensation import JointCompensator
from andante.control.keyframes.conditions import Situation
from andante.control.keyframes.configuration import EngineSettings
from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.energy import EnergySaver
from andante.control.keyframes.examination import examine
from andante.control.keyframes.fall import SoftFall
from andante.control.keyframes.features import Body, TorsoAngles
from andante.control.keyframes.get_ups import get_up_motions
from andante.control.keyframes.lag import LagPause
from andante.control.keyframes.oscillation import AnkleOscillation
from andante.control.keyframes.output_limits import OutputLimits
from andante.control.keyframes.posture import PosturePlayer
from andante.control.keyframes.program import Program
from andante.control.keyframes.release import RULES
from andante.control.keyframes.stop import StandstillStop
from andante.control.keyframes.waiting import Wait
from andante.control.keyframes.window import BreakUpWindow
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role

_DEFAULT_DELAY = 3


class EngineParts:
    """Everything between the engine's sensors and its state machine, with one `reset`.

    Args:
        robot: The robot.
        library: Its motions.
        config: Settings of this run.
        period: Time between two steps [s].

    Raises:
        ControlError: The library does not fit the robot.
    """

    def __init__(self, robot: Robot, library: MotionLibrary, config: EngineSettings, period: float) -> None:
        settings = library.settings
        nj, tick = len(robot.joints), to_microseconds(period)
        self.rules = rules = RULES[config.release or library.dialect]
        """Rules of the release that the motions were made for."""
        self.robot, self.library = robot, library
        self.tick = tick
        self.torso = TorsoAngles()
        self.body = Body(robot, settings.support_offsets, rules.first_corner_missing)
        self.situation = Situation(robot, self.body, self.torso, period)
        self.sensor_clock, self.clock = SensorClock(tick), KeyframeClock(tick)
        self.window = BreakUpWindow()
        self.player = PosturePlayer(robot)
        self.situation.requested = self.player.output
        factors = settings.difference_filter
        self.differences = JointDifferences(
            nj, self._delay(config), None if factors is None else (factors.min, factors.max)
        )
        self.compensator = JointCompensator(
            self.differences,
            joint_with_role(robot, "left_hip_pitch"),
            joint_with_role(robot, "right_hip_pitch"),
            recompute=rules.recompute,
            reduce_difference=settings.min_reduce_difference or 0.0,
        )
        self.balancer = ComBalancer(nj, period, rules.damped, adaptive=rules.adaptive)
        self.oscillation = AnkleOscillation(robot, settings.oscillation)
        self.energy = EnergySaver(robot, period)
        self.limits = OutputLimits(robot, period)
        self.buttons = Buttons(robot)
        self.catcher = FallCatcher(config, library)
        self.fall = SoftFall(robot, settings.safe_fall)
        self.stop = StandstillStop(robot, tick)
        self.wait = Wait(self.situation, rules.given_up)
        self.blocked = BlockedJoints(robot, self.differences, period)
        self.pause = LagPause(self.differences, joint_with_role(robot, "left_hip_yaw_pitch"))
        # Both sides now: a retry must not spend a tick on compiling.
        self._programs = {mirror: Program(library, robot, mirror) for mirror in (False, True)}
        self.warnings = examine(library, robot)
        """What is legal in the library and probably not meant."""
        self.get_ups: frozenset[str] = frozenset()
        """Motions in which no fall is met, because a robot that rises leans."""
        self.use(config)

    def use(self, config: EngineSettings) -> None:
        """Go on with these settings."""
        self.config = config
        self.get_ups = get_up_motions(self._programs[False], config.recover_motion, config.stand_motion)
        self.player.cap = self.library.settings.step_mode_stiffness if config.step_mode else 1.0
        self.differences.expect(self._delay(config))
        self.compensator.clip = config.clip_compensation
        self.catcher.use(config)
        self.stop.within(to_microseconds(config.stop_time))
        self.pause.limit = config.pause_error if config.pauses and not config.step_mode else math.inf
        self.pause.longest = to_microseconds(config.pause_time)

    def takes_branches(self) -> bool:
        """Whether branches are taken."""
        return self.config.branches

    @property
    def balances(self) -> bool:
        """Whether the balancer is on."""
        return self.config.balance and not self.config.step_mode

    def _delay(self, config: EngineSettings) -> int:
        return config.delay_ticks or self.robot.delay_ticks or _DEFAULT_DELAY

    def program(self, mirror: bool) -> Program:
        """The compiled library for this side."""
        return self._programs[mirror]

    def reset(self) -> None:
        """Forget everything measured and asked."""
        self.sensor_clock.reset()
        self.clock.start(0, 1)
        self.torso.reset()
        self.window.reset()
        self.player.reset()
        self.differences.reset()
        self.compensator.reset()
        self.balancer.reset()
        self.stop.reset()
        self.energy.reset()
        self.limits.reset()
        self.blocked.reset()
        self.buttons.reset()
        self.catcher.reset()
        self.situation.reset()

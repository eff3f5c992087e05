"""The working parts of one engine, built once and shared by its state machine and its output."""

from __future__ import annotations

import math

from andante.control.controller import ControlError
from andante.control.keyframes.balancer import ComBalancer
from andante.control.keyframes.blocked import BlockedJoints
from andante.control.keyframes.buttons import Buttons
from andante.control.keyframes.capture_point import CaptureFeedback
from andante.control.keyframes.catch import FallCatcher
from andante.control.keyframes.clock import KeyframeClock, MicrosecondClock, to_microseconds
from andante.control.keyframes.compensation import JointCompensator
from andante.control.keyframes.conditions import Situation
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.early_ends import SoftFall, StandstillStop
from andante.control.keyframes.energy import EnergySaver
from andante.control.keyframes.features import Body, TorsoAngles
from andante.control.keyframes.hip_yaw import AnkleOscillation, LagPause
from andante.control.keyframes.output_limits import OutputLimits
from andante.control.keyframes.posture import PosturePlayer
from andante.control.keyframes.program import Programs
from andante.control.keyframes.reach import motions_from
from andante.control.keyframes.release import RULES
from andante.control.keyframes.waiting import Wait
from andante.control.keyframes.window import BreakUpWindow
from andante.motions.checks.context import CheckContext
from andante.motions.checks.contradictions import check_ranges
from andante.motions.checks.structure import check_loops
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.motions.needs import uses_capture_point
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
        ahead: Compile the library for both sides now.

    Raises:
        ControlError: The library does not fit the robot.
    """

    def __init__(
        self, robot: Robot, library: MotionLibrary, config: KeyframeEngineSettings, period: float, ahead: bool
    ) -> None:
        settings = library.settings
        nj, tick = len(robot.joints), to_microseconds(period)
        self.rules = rules = RULES[config.release or library.dialect]
        """Rules of the release that the motions were made for."""
        self.robot, self.library = robot, library
        self.tick = tick
        self.torso = TorsoAngles()
        self.body = Body(robot, settings.support_offsets, rules.first_corner_missing)
        self.situation = Situation(robot, self.body, self.torso, period)
        self.sensor_clock, self.clock = MicrosecondClock(tick), KeyframeClock(tick)
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
        self.capture = CaptureFeedback(nj, self.situation.capture, self.body, period)
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
        self.programs = Programs(library, robot)
        """The compiled library for each side."""
        for mirror in (False, True) if ahead else (False,):
            # A retry must not spend a tick on compiling.
            self.programs[mirror]
        self.captures = uses_capture_point(library)
        """Whether anything in the library looks at the capture point."""
        self.warnings = _examine(library, robot)
        """What is legal in the library and probably not meant."""
        self.blind = False
        """The robot measures no orientation: whether it is upright is not known."""
        self.use(config)

    def use(self, config: KeyframeEngineSettings) -> None:
        """Go on with these settings."""
        self.config = config
        self.get_ups = frozenset(motions_from(self.library, [config.recover_motion], config.stand_motion))
        """Motions in which no fall is met, because a robot that rises leans: the recover motion and all that it leads
        to, but for the one for a robot that is upright."""
        self.player.cap = self.library.settings.step_mode_stiffness if config.step_mode else 1.0
        self.differences.expect(self._delay(config))
        self.situation.capture.delay = self._delay(config) * self.tick * 1e-6
        self.compensator.clip = config.clip_compensation
        self.catcher.use(config)
        self.blocked.limit = config.blocked_time if config.give_up_blocked else math.inf
        self.stop.within(to_microseconds(config.stop_time))
        self.pause.limit = config.pause_error if config.pauses and not config.step_mode else math.inf
        self.pause.longest = to_microseconds(config.pause_time)

    @property
    def balances(self) -> bool:
        """Whether the balancer is on."""
        return self.config.balance and not self.config.step_mode

    def _delay(self, config: KeyframeEngineSettings) -> int:
        return config.delay_ticks or self.robot.delay_ticks or _DEFAULT_DELAY

    def reset(self) -> None:
        """Forget everything measured and asked."""
        self.clock.start(0, 1)
        for part in vars(self).values():
            # Whatever keeps something from tick to tick can forget it.
            reset = getattr(part, "reset", None)
            if reset is not None:
                reset()


def _examine(library: MotionLibrary, robot: Robot) -> tuple[Finding, ...]:
    """What is legal in a library that compiles and probably not meant: ranges the other way round.

    Raises:
        ControlError: Motions or blocks follow each other for ever without a condition and without time passing.
    """
    context = CheckContext(library, robot)
    for finding in check_loops(context):
        raise ControlError(finding.message, place=finding.place, remedy="give a branch or follow-up a condition")
    return tuple(check_ranges(context))

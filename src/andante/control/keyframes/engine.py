"""The keyframe engine: runs the motions of a library on a robot, whatever the robot does meanwhile.

One step is a pipeline: take the sensors, run the state machine until it rests, interpolate the posture with stuck-joint
compensation, add the balancer's correction, turn stiffness into gains, record. Energy saving and the joints' limits
change only the command: the engine itself goes on from what it asked for.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from andante.control.controller import ControlError, ControlEvent, TunableBase
from andante.control.events import EventKind
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.machine import MOVING, StateMachine
from andante.control.keyframes.orientation_uses import orientation_uses
from andante.control.keyframes.parts import EngineParts
from andante.control.keyframes.states import STATE_CODE, EngineState
from andante.control.sensor_parts import NEEDED, SensorPart
from andante.motions.library import MotionLibrary
from andante.robots.records import Command, Field, Layout, Record, Sensors, Vector, axes, scalar
from andante.robots.robot import Robot

_MEASUREMENT_MARGIN = 0.5
"""A measured position farther outside the joint's limits than this is cut off there [rad]."""
_SHORTEST_PERIOD = 1e-4
_BALANCING = MOVING | {EngineState.FINISHED}
"""States in which the capture point is answered to: after a motion as well, for as long as its posture is held."""
_UNBALANCED = (0.0, 0.0, 0.0, 0.0)
_MOST_USES = 3
"""A refusal names so many places that look at the orientation."""
FALLS = frozenset((EventKind.FALL, EventKind.BREAK_UP))
"""Kinds of events that say that the robot falls."""


class KeyframeEngine(TunableBase[KeyframeEngineSettings]):
    """Controller that runs keyframe motions.

    Args:
        robot: The robot.
        library: Its motions.
        request: First motion: a name, a `MotionRequest`, several that run one after another, or None to begin off.
        settings: Settings of this run.
        period: Time between two steps [s]; None: the robot's motion cycle.
        ahead: Compile the motions for both sides now, so that no tick is spent on it; False: each side when it is
            first played, for a search in which few candidates play both.

    Raises:
        ControlError: The library does not fit the robot or lacks the motion.
    """

    def __init__(
        self,
        robot: Robot,
        library: MotionLibrary,
        request: MotionRequest | str | Sequence[MotionRequest | str] | None = None,
        settings: KeyframeEngineSettings | None = None,
        period: float | None = None,
        *,
        ahead: bool = True,
    ) -> None:
        self.robot, self.library = robot, library
        settings = settings or KeyframeEngineSettings()
        tick = robot.tick if period is None else period
        if not (math.isfinite(tick) and tick >= _SHORTEST_PERIOD):
            raise ControlError(
                "the engine needs a period", place="engine.period", value=period, limit=f">= {_SHORTEST_PERIOD} s"
            )
        self._parts = EngineParts(robot, library, settings, tick, ahead)
        super().__init__(tick, settings)
        self._measured_low = robot.lower - _MEASUREMENT_MARGIN
        self._measured_high = robot.upper + _MEASUREMENT_MARGIN
        self._kp, self._kd, self._off = robot.servo_kp, robot.servo_kd, np.zeros(len(robot.joints))
        self._layout = _layout(robot, self._parts.captures)
        self.tells = True
        """Whether each step gives telemetry; a search in which nobody looks at it goes without."""
        several = (request,) if isinstance(request, (str, MotionRequest)) else request or ()
        self._first = tuple(MotionRequest(each) if isinstance(each, str) else each for each in several)
        # What was asked for at construction.
        self._asked = self._first
        for each in self._first:
            self._check(each)
        self.reset()

    @property
    def state(self) -> EngineState:
        """What the engine is doing."""
        return self._machine.state

    @property
    def motion(self) -> str:
        """Name of the motion under way, empty before the first."""
        motion = self._machine.sequencer.motion
        return motion.name if motion else ""

    @property
    def done(self) -> bool:
        """True when the motion is over, nothing else is asked for and the last posture is held."""
        machine = self._machine
        waiting = machine.pending is not None or machine.queue or machine.stop_wanted is not None
        return machine.state is EngineState.FINISHED and not waiting

    @property
    def failed(self) -> bool:
        """True while the robot lies and the engine has given up: tries are used up or a leg motor is broken.

        It still stands up straight when somebody puts it upright; a run may end here as it ends at `done`.
        """
        return self._machine.state is EngineState.HELP

    @property
    def stand_high(self) -> bool:
        """True where the motion that is over leaves the robot on stretched legs (its end request says so)."""
        motion = self._machine.sequencer.motion
        return self.done and motion is not None and motion.written.end_request.stand_high

    @property
    def needs(self) -> frozenset[SensorPart]:
        """Joint angles, and the IMU of a robot that has one."""
        return NEEDED - {SensorPart.IMU} if self._parts.blind else NEEDED

    def do_without(self, absent: Collection[str]) -> None:
        """Play open loop on a robot that measures no orientation.

        Raises:
            ControlError: What is asked for looks at the orientation.
        """
        blind = "orientation" in absent
        if blind:
            self._look_at_nothing(self._asked)
        self._parts.blind = blind

    def _look_at_nothing(self, requests: Sequence[MotionRequest]) -> None:
        uses = orientation_uses(self._parts, requests)
        if uses:
            more = f"; and {len(uses) - _MOST_USES} more" if len(uses) > _MOST_USES else ""
            text = f"which the robot does not measure: {'; '.join(uses[:_MOST_USES])}{more}"
            raise ControlError(f"the motions look at the orientation, {text}", place=f"robot {self.robot.name!r}")

    def reset(self) -> None:
        """Forget everything; the next step begins the request given at construction."""
        super().reset()
        self._parts.reset()
        self._machine = StateMachine(self._parts, self._first)
        self._balanced = self._limp = False

    def take_over(self, sensors: Sensors, last: Command) -> None:
        """Begin the first request from the posture that another controller asked for; a fall under way is met first.

        A robot that gets up when asked (a request without a motion) is caught where it falls, as after a motion.
        """
        self.reset()
        parts, player = self._parts, self._parts.player
        gains = np.where(self._kp > 0.0, self._kp, 1.0)
        player.set_stiffness(np.clip(np.where(self._kp > 0.0, last.kp / gains, 0.0), 0.0, 1.0))
        player.hold(last.position)
        now = self._sense(sensors)
        player.finish(parts.situation.measured, None)
        parts.differences.push(player.output)
        gets_up = bool(self._first) and self._first[0].motion is None
        side = parts.catcher.see(parts.torso, sensors) if gets_up else ""
        if side:
            self._machine.falling_to(side, now)

    def take_scratch(self, other: KeyframeEngine) -> None:
        """Compute in the memory of another engine of the same robot that is not used any more."""
        self._parts.body.take_scratch(other._parts.body)

    def take_events(self) -> list[ControlEvent]:
        """What happened since the last call, in order; of very many the oldest are gone."""
        events = list(self._machine.events)
        self._machine.events.clear()
        return events

    def request(self, motion: MotionRequest | str, mirror: bool = False, *, replace: bool = False) -> None:
        """Ask for a motion; of several requests that have not begun, the last one counts.

        Args:
            motion: Its name, or a request.
            mirror: Exchange left and right (for a name).
            replace: Begin at the next step from wherever the robot is; else when the present motion is over.

        Raises:
            ControlError: The library has no such motion.
        """
        asked = MotionRequest(motion, mirror) if isinstance(motion, str) else motion
        self._check(asked)
        self._machine.queue.clear()
        self._machine.pending, self._machine.replace = asked, replace
        self._machine.stop_wanted = None

    def request_stop(self, then: str = "hold") -> None:
        """Slow down to a standstill; ``then`` hold the posture or begin the stand motion.

        Raises:
            ControlError: ``then`` is neither ``hold`` nor ``stand``, or the library has no stand motion.
        """
        if then not in ("hold", "stand"):
            raise ControlError("unknown end of a stop", place="request_stop.then", value=then, legal=("hold", "stand"))
        if then == "stand":
            self._parts.programs[False].motion(self.settings.stand_motion)
        self._machine.pending = None
        self._machine.queue.clear()
        self._machine.stop_wanted = then

    def advance(self) -> None:
        """In step mode, go on to the next keyframe once the present one is reached; the chest button does the same."""
        self._machine.advance = True

    def _use(self, settings: KeyframeEngineSettings) -> None:
        before = self._parts.config
        self._parts.use(settings)
        if self._parts.blind:
            try:
                self._look_at_nothing(self._asked)
            except ControlError:
                self._parts.use(before)
                raise

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        now = self._sense(sensors)
        if self._machine.getting_up:
            self._parts.blocked.update(self._parts.situation.measured, self._parts.player.active_stiffness)
        self._machine.run(now)
        self._compose(now)
        if self.tells:
            self._record()
        if self.settings.limp_falls:
            self._limp = self._limp or any(event.kind in FALLS for event in self._machine.events)
        return self.robot.command() if self._limp else self._command()

    def _sense(self, sensors: Sensors) -> int:
        parts = self._parts
        position, measured = sensors.position, parts.situation.measured
        inside = np.minimum(np.maximum(position, self._measured_low), self._measured_high)
        np.copyto(measured, inside, where=np.isfinite(position))
        parts.torso.update(sensors)
        parts.body.update(measured, parts.torso.up)
        parts.situation.sensors = sensors
        if parts.captures:
            parts.situation.capture.update(sensors)
        if parts.catcher.on:
            parts.catcher.update(parts.torso, sensors)
        parts.differences.update(measured)
        return parts.sensor_clock.update(sensors.time)

    def _compose(self, now: int) -> None:
        """Request and output of this tick."""
        parts, machine = self._parts, self._machine
        player, compensator, keyframe, ratio = parts.player, parts.compensator, machine.keyframe, parts.clock.ratio
        measured, balance = parts.situation.measured, None
        if machine.state in MOVING and keyframe is not None:
            if self.settings.compensation and compensator.active:
                compensator.update(measured)
                player.play(keyframe.curve(ratio), compensator.start_change, compensator.correction)
            else:
                player.play(keyframe.curve(ratio), None, None)
            if keyframe.balanced and self._parts.balances:
                settle = machine.state is EngineState.BALANCE_OUT
                offset = parts.body.com_offset(machine.sequencer.mirrored)
                parts.balancer.update(now, ratio, parts.clock.duration, offset, settle)
                balance = parts.balancer.correction
        self._balanced = balance is not None
        if parts.capture.rule is not None and parts.balances and machine.state in _BALANCING:
            parts.capture.update(ratio)
            balance = parts.capture.correction if balance is None else balance + parts.capture.correction
        player.finish(measured, balance)
        if self._balanced and machine.state is not EngineState.BALANCE_OUT:
            self._oscillate(now)
        if self.settings.energy_saving:
            waiting = machine.state is EngineState.FINISHED
            motion = machine.sequencer.motion if waiting or machine.state in MOVING else None
            parts.energy.update(motion, waiting, player.output, measured)
        parts.stop.see(player.output)
        parts.differences.push(player.output)

    def _oscillate(self, now: int) -> None:
        parts = self._parts
        if parts.oscillation.joints:
            offset = parts.oscillation.offset(now, parts.differences.predicted(parts.oscillation.hip))
            for joint, side in parts.oscillation.joints:
                parts.player.shift(joint, side * offset)

    def _command(self) -> Command:
        parts, robot = self._parts, self.robot
        wanted, stiffness = parts.player.output, parts.player.active_stiffness
        if parts.energy.active:
            wanted = wanted + parts.energy.change
        if self._settings.respect_limits:
            wanted = parts.limits.apply(wanted, stiffness, parts.situation.measured)
        elif parts.energy.active:
            wanted = np.clip(wanted, robot.lower, robot.upper)
        off = self._off
        return robot.command(np.concatenate((wanted, off, self._kp * stiffness, self._kd * stiffness, off)))

    def _record(self) -> None:
        parts, machine = self._parts, self._machine
        motion, block, keyframe = machine.sequencer.motion, machine.sequencer.block, machine.keyframe
        situation, (ahead, side) = parts.situation, parts.balancer.axes
        shown = (ahead.error, side.error, math.radians(ahead.output), math.radians(side.output))
        singles = (
            STATE_CODE[machine.state],
            motion.number if motion else -1,
            block.number if block else -1,
            keyframe.index if keyframe and block else -1,
            parts.clock.ratio,
            situation.wait_time,
            situation.tries,
            machine.sequencer.mirrored,
            parts.catcher.ahead,
            parts.torso.pitch,
            parts.torso.roll,
            *parts.window.now,
            *(shown if self._balanced else _UNBALANCED),
        )
        player, differences = parts.player, parts.differences
        values: list[Sequence[float] | Vector] = [singles, player.request, player.active_stiffness]
        values += [differences.filtered, parts.compensator.correction]
        if parts.captures:
            point, capture = situation.capture, parts.capture
            values += [point.point, point.velocity, capture.error, (point.trust, capture.strength), capture.correction]
        self._telemetry = Record(self._layout, np.concatenate(values))

    def _check(self, request: MotionRequest) -> None:
        program = self._parts.programs[request.mirror]
        names = (request.motion,) if request.motion else (self.settings.stand_motion, self.settings.recover_motion)
        for name in names:
            program.motion(name)
        if self._parts.blind:
            self._look_at_nothing([request])


class Playlist(KeyframeEngine):
    """Keyframe engine that asks itself for the next motion whenever it is done.

    Args:
        robot: The robot.
        library: Its motions.
        requests: The motions in order, at least one.
        settings: Settings of the engine.
        ahead: As of the engine.

    Raises:
        ControlError: The library does not fit the robot or lacks one of the motions.
    """

    def __init__(
        self,
        robot: Robot,
        library: MotionLibrary,
        requests: Sequence[MotionRequest],
        settings: KeyframeEngineSettings | None = None,
        *,
        ahead: bool = True,
    ) -> None:
        self._requests = tuple(requests)
        super().__init__(robot, library, self._requests[0], settings, ahead=ahead)
        self._asked = self._requests
        # A wrong name fails now instead of in the middle of the run.
        for request in self._requests[1:]:
            self._check(request)

    @property
    def done(self) -> bool:
        """True when the last motion is over and its posture is held."""
        return self._next == len(self._requests) and super().done

    def reset(self) -> None:
        """Forget everything; the next step begins the first motion."""
        super().reset()
        self._next = 1

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        if super().done and self._next < len(self._requests):
            self.request(self._requests[self._next])
            self._next += 1
        return super().step(sensors)


def _layout(robot: Robot, captures: bool) -> Layout:
    """Layout of the engine's telemetry; with the capture point only where the library looks at it.

    Indices are -1 where there is none; ``com_error`` and ``balance`` are 0 while the balancer is off, ``lean_ahead``
    while falls are not watched for.
    """
    joints = robot.joint_names
    capture = (
        axes("capture_point", "m", ("x", "y")),
        axes("com_velocity", "m/s", ("x", "y")),
        axes("capture_error", "m", ("x", "y")),
        axes("capture_share", "", ("trust", "strength")),
        Field("capture_correction", joints, "rad"),
    )
    return Layout(
        "engine",
        (
            scalar("state"),
            scalar("motion"),
            scalar("block"),
            scalar("keyframe"),
            scalar("ratio"),
            scalar("wait_time", "s"),
            scalar("tries"),
            scalar("mirrored"),
            scalar("lean_ahead", "rad"),
            axes("torso", "rad", ("pitch", "roll")),
            axes("window", "rad", ("pitch_min", "pitch_max", "roll_min", "roll_max")),
            axes("com_error", "m", ("x", "y")),
            axes("balance", "rad", ("pitch", "roll")),
            Field("request", joints, "rad"),
            Field("stiffness", joints),
            Field("difference", joints, "rad"),
            Field("compensation", joints, "rad"),
            *(capture if captures else ()),
        ),
    )

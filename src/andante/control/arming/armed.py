"""ArmedController: brings a robot safely to the beginning of a motion, watches over it, and lets go of the robot.

The steps are those of `SafetySettings`: measure, hold, approach, settle, run, then release, fade and off; damp where
something is wrong. All of it happens above the guard, so that the log has every command as it was sent.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Literal

import numpy as np

from andante.control.answers import commanded, told_events, told_telemetry, told_yes
from andante.control.arming.frozen_imu import FrozenImuWatch
from andante.control.arming.held import HeldPosture, held_where_found
from andante.control.arming.measured import Finding, ReadVitals, Vitals, findings_of, unread
from andante.control.arming.phase import Phase
from andante.control.arming.settings import SafetySettings
from andante.control.arming.speeds import SpeedCheck
from andante.control.controller import ControlEvent, Controller, ControllerBase, Fallible
from andante.control.events import EventKind
from andante.plugins.raised import described
from andante.robots.records import Command, Record, Sensors, Vector
from andante.robots.robot import Robot

NOT_SHOWN = (
    "what nothing at rest shows: a joint whose states and commands both count the other way, or go to another joint"
    " (`andante hardware joints` does); an IMU that is turned about the vertical, or whose gyro has another unit"
    " (`andante hardware imu` does)"
)
"""What measuring cannot find."""
_SPEEDS = "see the joint map, or leave speeds out of the states"
"""What to do about speeds that do not fit the way that was gone."""
_TILTED = "`andante hardware imu` shows which of its signs, axes and units are wrong"
"""What to do about an IMU that contradicts itself."""
_LEAST_WAY = 0.5
"""An approach takes so long at least [s]."""
_TOO_TILTED = math.cos(math.radians(45.0))
"""A robot that is tilted by more is not brought to its sitting posture."""
_MIDDLE, _RELEASED_BY = 10, 5
"""The measured posture is the median of so many readings; a robot that is only let go of is held where so many are."""
_READINGS = 200
"""Readings that are kept of the measuring."""


_WATCHED = (Phase.MEASURE, Phase.HOLD, Phase.APPROACH, Phase.SETTLE, Phase.RUN)
"""Steps in which speeds are held against ways."""
_ARMING = (Phase.HOLD, Phase.APPROACH, Phase.SETTLE, Phase.RELEASE)
"""Steps beside the motion in which a robot is held."""
_LETTING_GO = (Phase.RELEASE, Phase.FADE, Phase.DAMP, Phase.OFF)


class ArmedController(ControllerBase):
    """A controller with the safety sequence around it.

    Args:
        inner: What decides while the motion goes on.
        robot: The robot.
        settings: The numbers of the sequence.
        vitals: What the robot tells beside its sensors; None: it is a recording.
        absent: Fields of the sensors that the robot does not measure.
        lies: Whether the motion begins, or may end, on the floor: tilt says nothing then.
        only: ``arm``: the robot is armed, held for `SafetySettings.settle` and let go of, without the motion.
            ``release``: it is held where it is and let go of, whatever it measures. Empty: everything.
        alarm: Why the robot must not be commanded any more, asked at each tick; empty: it may.
    """

    def __init__(
        self,
        inner: Controller,
        robot: Robot,
        settings: SafetySettings | None = None,
        vitals: ReadVitals | None = None,
        absent: frozenset[str] = frozenset(),
        *,
        lies: bool = False,
        only: Literal["", "arm", "release"] = "",
        alarm: Callable[[], str] | None = None,
    ) -> None:
        super().__init__(inner.period)
        self.inner = inner
        """What decides while the motion goes on."""
        self._robot, self._settings = robot, settings or SafetySettings()
        self._vitals: ReadVitals = vitals or Vitals
        self._absent = absent
        self._only, self._alarm = only, alarm
        tilt = None if lies or "orientation" in absent else self._settings.tilt
        self._cos_tilt = None if tilt is None else math.cos(tilt)
        self._speeds = SpeedCheck(robot.joint_names)
        self._held = HeldPosture(robot, self._settings.held)
        self._repeats = FrozenImuWatch(tuple(name for name in ("gyro", "accelerometer") if name not in absent))
        self._damping = np.maximum(self._settings.damping * robot.servo_kd, self._settings.least_damping)
        self.reset()

    def reset(self) -> None:
        """Begin with measuring."""
        super().reset()
        self.inner.reset()
        nj = len(self._robot.joints)
        self.phase = Phase.MEASURE
        """The step that goes on."""
        self.findings: list[Finding] = []
        """What was looked at before the robot was armed."""
        self._ticks = 0
        self._last = self._robot.command()
        self._last_time = -math.inf
        self._stale = 0.0
        self._stale_told = False
        self._readings: deque[Sensors] = deque(maxlen=_READINGS)
        self._sensed: Sensors | None = None
        self._repeats.reset()
        self._start: Vector = np.zeros(nj)
        self._start_gains = np.zeros((2, nj))
        self._target = self._robot.command()
        self._duration = self._began = 0.0
        self.failure = ""
        """Why it failed; empty where it has not."""
        self._doubted = ""
        self._inner_failed = self._measures_speeds = self._silent_told = False

    @property
    def running(self) -> bool:
        """Whether the motion goes on."""
        return self.phase is Phase.RUN

    @property
    def done(self) -> bool:
        """Whether the motion is done."""
        return (
            told_yes(self.inner, "done") if self.phase is Phase.RUN else self.phase in _LETTING_GO and not self.failure
        )

    @property
    def failed(self) -> bool:
        """Whether the robot could not be armed, or something went wrong in the motion."""
        inner = self.inner
        return bool(self.failure) or (self.running and isinstance(inner, Fallible) and told_yes(inner, "failed"))

    @property
    def released(self) -> bool:
        """Whether the last commands of nothing have been given to a robot that still sends states."""
        return self.phase is Phase.OFF and self._ticks >= self._settings.zeros and self._stale == 0.0

    @property
    def telemetry(self) -> Record | None:
        """What the motion's controller tells while it runs."""
        return told_telemetry(self.inner) if self.running and not self._inner_failed else None

    def take_events(self) -> list[ControlEvent]:
        """What happened, the motion's own events by the time of the run."""
        # The motion's controller first: where it raises, nothing is lost.
        inner = told_events(self.inner) if self.running and not self._inner_failed else []
        own = super().take_events()
        return own + [ControlEvent(each.time + self._began, each.kind, each.text, each.data) for each in inner]

    def release(self, why: str) -> None:
        """Let go of the robot: slowly where it stands, at once where it has not been armed."""
        if self.phase in _LETTING_GO:
            return
        if self.phase is Phase.MEASURE:
            self._refuse(why)
        elif not (self._last.kp.any() or self._last.kd.any()):
            self._enter(Phase.OFF, why)
        else:
            self._let_go(why)

    def give_up(self, why: str) -> None:
        """Let go of the robot because something is wrong with it, such as a sensor that is lost: the run fails."""
        if self.phase is not Phase.MEASURE and self.phase not in _LETTING_GO:
            self._fail(why)
        self.release(why)

    def doubt(self, why: str) -> None:
        """How the IMU contradicts itself in this tick: before the motion begins the robot is let go of for that."""
        if self.phase is Phase.MEASURE:
            self._doubted = why
        elif self.phase in (Phase.HOLD, Phase.APPROACH, Phase.SETTLE):
            self._fail(f"{why}; {_TILTED}")
            self._let_go("its IMU contradicts itself")

    def off(self) -> Command:
        """All joints damped or, where the sequence has come so far, off: what to leave behind."""
        command = self._robot.held(self._last.position, 0.0)
        if self.phase is not Phase.OFF and self._last.kp.any():
            command.kd[:] = self._damping
        return command

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        self._time = sensors.time
        self._ticks += 1
        self._watch_speeds(sensors)
        late = self._watch(sensors)
        command = self._decide(sensors) if late is None else late
        self._last, self._doubted = command, ""
        return command.copy()

    def _watch_speeds(self, sensors: Sensors) -> None:
        """Let go of a robot whose measured speeds are not those of its joints."""
        if self._ticks == 1 and self.phase in (Phase.MEASURE, Phase.HOLD):
            # What limp limbs did is not held against what comes after.
            self._speeds.begin()
            self._measures_speeds = "velocity" not in self._absent | self._vitals().absent
        if not (self.phase in _WATCHED and self._measures_speeds and self._speeds.see(sensors)):
            return
        if self.phase is Phase.MEASURE:
            # A finding like others, once all has been measured.
            return
        # What pushes a joint as gains rise, and how fast a motion is, nobody knows.
        wrong = "" if self.phase is Phase.HOLD else self._speeds.amiss
        wrong = wrong or ("" if self.phase is Phase.RUN else self._speeds.untrue)
        if wrong:
            self._fail(f"{wrong}; {_SPEEDS}")
            self._let_go("its speeds are wrong")
        elif self._speeds.silent and not self._silent_told:
            self._silent_told = True
            self._tell(EventKind.ARM, f"{self._speeds.silent}; {_SPEEDS}")

    def _watch(self, sensors: Sensors) -> Command | None:
        """What staleness and tilt ask for in place of the step that goes on; None: nothing."""
        settings = self._settings
        self._stale = 0.0 if sensors.time > self._last_time else self._stale + self._period
        away, self._last_time = sensors.time - self._last_time, sensors.time
        self._sensed = sensors
        if self.phase is Phase.MEASURE:
            self._repeats.see(sensors)
            return None
        if self.phase is Phase.OFF:
            return None
        if self.phase in _ARMING and (same := self._repeats.see(sensors)) and self._repeated(same):
            return None
        if self.phase is not Phase.DAMP:
            why = self._alarm() if self._alarm is not None else ""
            if away > settings.off_after and away > (settings.hold_after + 1e-6) * self._period:
                # A robot that hears nothing for so long lets its joints go; what it was to do is over.
                why = why or f"nothing was commanded for {away:.2f} s; {self._late()}".removesuffix("; ")
            if why:
                self._fail(why)
                self._enter(Phase.DAMP, "it must not be commanded any more")
                return None
        if self._stale >= settings.off_after - 1e-9:
            self._fail(self._silent())
            self._enter(Phase.OFF, "no state")
        elif self._stale >= settings.damp_after - 1e-9:
            self._fail(self._silent())
            if self.phase is not Phase.DAMP:
                self._enter(Phase.DAMP, "no state")
        elif self._stale >= (settings.hold_after - 1e-6) * self._period and self.phase is not Phase.DAMP:
            if not self._stale_told:
                self._stale_told = True
                self._tell(
                    EventKind.ARM, f"no state for {settings.hold_after} periods: the posture is held", step="hold"
                )
            held = self._last.copy()
            held.velocity[:] = held.torque[:] = 0.0
            return held
        elif self._cos_tilt is not None and self.phase is not Phase.DAMP and self._upright(sensors) < self._cos_tilt:
            # Who stands while gains fall sinks, which is no failure.
            if self.phase is not Phase.FADE:
                self._fail(f"tilted by more than {math.degrees(settings.tilt or 0.0):.0f} deg")
            self._enter(Phase.DAMP, "tilted")
        return None

    def _repeated(self, what: str) -> bool:
        """Let go of a robot whose IMU, or whose whole state, is an old one; whether it is."""
        if self._vitals().invented or (self.phase is Phase.RELEASE and not self._repeats.whole):
            return False
        self._fail(what if self._repeats.lost else f"{what}: an old state is sent again and again")
        if self._repeats.whole:
            # As where no state comes: nobody knows where its joints are.
            self._enter(Phase.DAMP, "no new state")
        else:
            self._let_go("its IMU stands still")
        return True

    def _decide(self, sensors: Sensors) -> Command:
        """The command of the step that goes on; goes on to the next step where it is over."""
        settings, passed = self._settings, self._ticks * self._period
        if self.phase is Phase.MEASURE:
            self._readings.append(sensors)
            if self._only == "release" and len(self._readings) >= _RELEASED_BY and np.isfinite(self._middle()).all():
                self._last, loose = held_where_found(self._robot, self._recent(), settings.beyond_stops)
                if loose:
                    self._tell(EventKind.ARM, loose)
                self._start_gains = np.array([self._last.kp, self._last.kd])
                self._enter(Phase.FADE, "gains fall from where the robot is")
                return self._last
            if passed >= settings.measure:
                self._judge(sensors)
            return self._robot.held(np.nan_to_num(sensors.position), 0.0)
        if self.phase is Phase.HOLD:
            return self._hold(sensors, passed)
        if self.phase in (Phase.APPROACH, Phase.RELEASE):
            return self._way(sensors, passed)
        if self.phase is Phase.SETTLE:
            held = self._target
            if passed >= settings.settle:
                self._begin(sensors)
            return held
        if self.phase is Phase.RUN:
            return self._run(sensors)
        if self.phase is Phase.FADE:
            share = max(1.0 - passed / settings.fade, 0.0)
            if share == 0.0:
                self._enter(Phase.OFF, "let go of")
            command = self._robot.held(self._last.position, 0.0)
            command.kp[:], command.kd[:] = share * self._start_gains
            return command
        command = self._robot.held(self._last.position, 0.0)
        if self.phase is Phase.DAMP:
            command.kd[:] = self._damping
            if passed >= settings.damp:
                self._enter(Phase.OFF, "damped")
        return command

    def _judge(self, sensors: Sensors) -> None:
        """Arm the robot where nothing forbids it."""
        self.findings = self._look()
        if self._cos_tilt is not None and self._upright(sensors) < self._cos_tilt:
            tilt = math.degrees(math.acos(max(self._upright(sensors), -1.0)))
            text = f"tilted by {tilt:.0f} deg (limit {math.degrees(self._settings.tilt or 0.0):.0f})"
            remedy = "set it up; where it is, its IMU is turned: backend.imu_turned; where it may lie: safety.tilt=null"
            self.findings.append(Finding("upright", False, text, remedy))
        if self._doubted:
            self.findings.append(Finding("contradiction", False, self._doubted, _TILTED))
        if any(not each.good for each in self.findings):
            self._refuse("")
            return
        self._start = self._middle()
        self._held.begin(self._start, sensors)
        self._enter(Phase.HOLD, f"the measured posture is held; {NOT_SHOWN}")

    def _recent(self) -> Vector:
        """Median of the last readings' angles, (nj,) [rad]: none of them may be a wrong one."""
        return np.asarray(np.median([each.position for each in list(self._readings)[-_MIDDLE:]], axis=0))

    def _middle(self) -> Vector:
        """The same within the limits of joints."""
        return np.clip(self._recent(), self._robot.lower, self._robot.upper)

    def _refuse(self, why: str) -> None:
        """Nothing has moved, and nothing will."""
        self.findings = self.findings or self._look()
        wrong = [each for each in self.findings if not each.good]
        if why:
            # What is lost is told; zeros that stand for it are no wrong unit or sign.
            blind = unread(self._robot, self._readings)
            wrong = [each for each in wrong if each.what not in blind]
        texts = [f"{each.what}: {each.text}; {each.remedy}" for each in wrong]
        texts = [why, *texts] if why else texts
        self._fail("not armed: " + " | ".join(texts))
        self._enter(Phase.OFF, "nothing was moved")

    def _hold(self, sensors: Sensors, passed: float) -> Command:
        share = min(passed / self._settings.rise, 1.0)
        why = self._held.see(sensors)
        if self._held.passed_over:
            self._tell(EventKind.ARM, self._held.passed_over)
        if why:
            self._fail(why)
            self._enter(Phase.DAMP, "the posture could not be held")
        elif share == 1.0 and not self._held.doubtful:
            self._prepare(sensors)
        return self._robot.held(self._start, share)

    def _prepare(self, sensors: Sensors) -> None:
        """Find out where the motion begins, and go there."""
        if self._only == "arm":
            self._target = self._robot.held(self._start)
            self._enter(Phase.SETTLE, "the posture is held")
            return
        own = sensors.copy()
        own.vector[0] = 0.0
        try:
            self.inner.reset()
            first = commanded(self.inner, own, self._robot)
            told_events(self.inner)
            self.inner.reset()
        except Exception as error:  # noqa: BLE001 - whatever it is, the robot must be let go of
            self._broken(error)
            return
        self._go(first, Phase.APPROACH, "the motion's first posture")

    def _go(self, target: Command, phase: Phase, what: str) -> None:
        """Approach a posture from what was commanded last, no joint faster than may be."""
        robot, settings = self._robot, self._settings
        self._target = target.copy()
        self._target.position[:] = np.clip(target.position, robot.lower, robot.upper)
        self._target.velocity[:] = self._target.torque[:] = 0.0
        self._start = self._last.position.copy()
        self._start_gains = np.array([self._last.kp, self._last.kd])
        if phase is Phase.APPROACH:
            self._start_gains = np.array([robot.servo_kp, robot.servo_kd])
            # Held with full gains until the motion begins: those of a learned walk would let its robot fall.
            weak = self._target.kp < robot.servo_kp
            self._target.kp[weak], self._target.kd[weak] = robot.servo_kp[weak], robot.servo_kd[weak]
        way = float(np.abs(self._target.position - self._start).max())
        # A cosine's steepest slope is pi / 2 times its mean one.
        self._duration = max(0.5 * math.pi * way / settings.approach, _LEAST_WAY)
        self._enter(phase, f"{what} is approached in {self._duration:.1f} s")

    def _way(self, sensors: Sensors, passed: float) -> Command:
        share = min(passed / self._duration, 1.0)
        along = 0.5 - 0.5 * math.cos(math.pi * share)
        command = self._robot.held(self._start + along * (self._target.position - self._start), 0.0)
        gains = np.array([self._target.kp, self._target.kd])
        command.kp[:], command.kd[:] = self._start_gains + along * (gains - self._start_gains)
        if share == 1.0:
            if self.phase is Phase.APPROACH:
                self._enter(Phase.SETTLE, "the first posture is held")
            else:
                self._start_gains = np.array([command.kp, command.kd])
                self._enter(Phase.FADE, "gains fall")
        return command

    def _begin(self, sensors: Sensors) -> None:
        if self._only == "arm":
            self._let_go("the robot was armed")
            return
        self._began = sensors.time + self._period
        self.inner.reset()
        self._enter(Phase.RUN, "the motion begins")

    def _run(self, sensors: Sensors) -> Command:
        own = sensors.copy()
        own.vector[0] -= self._began
        if sensors.tracked:
            own["pose_time"][0] -= self._began
        try:
            return commanded(self.inner, own, self._robot)
        except Exception as error:  # noqa: BLE001 - whatever it is, the robot must be let go of
            self._inner_failed = True
            self._broken(error)
            held = self._last.copy()
            held.velocity[:] = held.torque[:] = 0.0
            return held

    def _broken(self, error: Exception) -> None:
        self._fail(f"the controller broke off: {described(error, type(self.inner).__module__)}")
        self._let_go("the controller broke off")

    def _let_go(self, why: str) -> None:
        """To the sitting posture where there is one and the robot is upright, then let gains fall.

        While gains rise the robot is where it was found with its joints off: there it is let go of, and nothing moves.
        """
        robot, settings = self._robot, self._settings
        upright = self._sensed is None or self._upright(self._sensed) > _TOO_TILTED
        sits = bool(settings.sit) and settings.sit in robot.postures and self.phase is not Phase.HOLD
        if sits and upright and self._last.kp.any():
            self._go(robot.held(robot.posture(settings.sit)), Phase.RELEASE, f"posture {settings.sit!r}")
            return
        self._start_gains = np.array([self._last.kp, self._last.kd])
        self._enter(Phase.FADE, f"gains fall: {why}")

    def _fail(self, why: str) -> None:
        if not self.failure:
            self.failure = why
            self._tell(EventKind.HELP, why, why=why)

    def _late(self) -> str:
        """Whether the computer was late where the robot's time went on without it."""
        cause = self._vitals().cause(self._settings.off_after)
        known = any(words in cause for words in ("computer was late", "leapt"))
        return cause if known else "the run stood still"

    def _silent(self) -> str:
        """That no state came, and who was late."""
        cause = self._vitals().cause(self._stale)
        return f"no state for {self._stale:.2f} s{f'; {cause}' if cause else ''}"

    def _enter(self, phase: Phase, text: str) -> None:
        self.phase, self._ticks, self._stale_told = phase, 0, False
        self._tell(EventKind.ARM, f"{phase}: {text}", step=phase.value)

    def _look(self) -> list[Finding]:
        readings = tuple(self._readings)
        return findings_of(self._robot, readings, self._settings, self._vitals(), self._absent, self._speeds)

    def _upright(self, sensors: Sensors) -> float:
        """Cosine of the torso's tilt; 1 where it is not measured."""
        if "orientation" in self._absent:
            return 1.0
        w, x, y, z = sensors.orientation.tolist()
        norm = w * w + x * x + y * y + z * z
        return (w * w - x * x - y * y + z * z) / norm if norm > 0.25 else 1.0

"""The check that motion design tools lacked: does a motion fall in physics, when, and to which side?

Every motion is run from the posture in which it begins, on floors and with sensor noise that seeds draw. What happened
is judged from ground truth; torques come from the joints' own measurement.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from andante.backends.backend import Backend
from andante.backends.ball import BALL, Ball
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import SensorNoise, Start, WorldConfig
from andante.control.controller import Controller
from andante.control.guard import Guard
from andante.control.openr.dispatcher import EAGLE_KNIGHTS
from andante.control.openr.frames import FRAME
from andante.control.openr.player import OpenRPlayer
from andante.control.openr.settings import TimedCommand
from andante.motions.checks.aibo.context import declared_ends
from andante.motions.errors import motion_of
from andante.motions.findings import Finding, Severity
from andante.motions.library import MotionLibrary, PostureKind
from andante.motions.posture_kind import MotionEnds, ends_of
from andante.motions.reached import off_feet
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.evaluation.standing import Standing
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.runner import run
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario_files import FRICTION, NOISE, start_posture
from andante.runs.session import Session
from andante.runs.tasks.ball.track import BallTrack, track_of

_SITTING = math.radians(75.0)
"""A robot that sits may tilt so far [rad]."""
FALL, LOAD, RETURN = "falls", "sustained-load", "return"


@dataclass(frozen=True)
class PhysicsRules:
    """How motions are run and what they must keep to."""

    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    """Seeds of the runs; each draws floor and noise."""
    friction: tuple[float, float] = FRICTION
    """Range of the floor's friction."""
    tilt: float = math.radians(45.0)
    """Roll or pitch of the trunk that counts as a fall [rad]."""
    persistence: float = 0.05
    """A part other than a foot must touch the ground this long to count as a fall [s]."""
    may_fall: frozenset[str] = frozenset()
    """Motions that may leave the feet."""
    settle: float = 1.0
    """Time after the motion in which it must come back to its end posture [s]."""
    returned: float = math.radians(5.0)
    """Difference of a measured joint from the end posture after that time [rad]."""
    high_load: float = 0.9
    """Share of the servo's torque that may not last for ``high_load_time``."""
    high_load_time: float = 0.5
    """How long [s]."""
    shutdown_load: float = 0.78
    """Share of the torque at which the robot switches itself off after ``shutdown_time``."""
    shutdown_time: float = 30.0
    """How long [s]."""
    timeout: float = 60.0
    """Longest run [s]."""


@dataclass
class PhysicsRun:
    """What happened in one run."""

    motion: str
    """The motion."""
    seed: int
    """The seed."""
    fall_time: float | None = None
    """When it began to fall [s]."""
    fall_side: str = ""
    """forward, backward, left or right."""
    fall_reason: str = ""
    """What counted as the fall."""
    finished: bool = False
    """The motion came to its end in time."""
    max_tilt: float = 0.0
    """Largest roll or pitch of the trunk [rad]."""
    away: float = 0.0
    """Largest difference from the end posture after settling [rad]."""
    away_joint: str = ""
    """The joint it is at."""
    load_times: dict[float, tuple[float, str, float]] = field(default_factory=dict)
    """By share of the torque: longest time above it [s], the joint, and when it began [s]."""
    travel: tuple[float, float] = (0.0, 0.0)
    """Way of the base from start to end, x and y [m]."""
    ball: BallTrack | None = None
    """What became of the ball; None where there is none."""


def run_physics(
    library: MotionLibrary,
    robot: Robot,
    motion: str,
    seed: int,
    rules: PhysicsRules | None = None,
    ball: Ball | None = None,
    stop: float | None = None,
) -> PhysicsRun:
    """Run one motion once.

    Args:
        library: The motions.
        robot: The robot.
        motion: Name of the motion.
        seed: Draws floor, noise and the ball's place.
        rules: Limits.
        ball: A ball on the floor; None: none.
        stop: When an OPEN-R robot is told to stop [s]; None: never.

    Raises:
        AndanteError: The motion or robot cannot be run.
    """
    rules = rules or PhysicsRules()
    start, end = declared_ends(motion, robot, _reference(robot))
    noise = SensorNoise(**NOISE)
    ends = ends_of(library, motion)
    begin = start_posture(ends, robot)
    at = Start(posture=start) if begin is None else Start.model_validate(begin)
    config = WorldConfig(friction=rules.friction, noise=noise, start=at, ball=ball)
    world = MujocoWorld(robot, config)
    controller = _controller(library, robot, motion, stop)
    told = PhysicsRun(motion, seed)
    watch = _Watch(world, controller, rules, ball, told)
    watch.expect(ends, library.motions[motion].may_touch)
    goal = _goal(library, robot, motion, robot.posture(end))
    guard, limits = Guard(robot, controller.period), RunLimits(rules.timeout, until_timeout=True)
    run(Session(world, controller, guard, limits=limits, observers=(watch,), seed=seed))
    off = np.abs(world.read().position - goal)
    worst = int(np.argmax(off))
    told.away, told.away_joint = float(off[worst]), robot.joint_names[worst]
    watch.close()
    world.close()
    return told


def check_physics(
    library: MotionLibrary, robot: Robot, rules: PhysicsRules | None = None, motions: Iterable[str] | None = None
) -> list[Finding]:
    """Run motions in physics and tell which fall, stay loaded or do not come back.

    Args:
        library: The motions.
        robot: The robot.
        rules: Seeds and limits.
        motions: Names; None: all.

    Raises:
        MotionError: An unknown motion.
        AndanteError: A motion cannot be run.
    """
    rules = rules or PhysicsRules()
    findings, elsewhere = [], off_feet(library)
    for motion in library.motions if motions is None else motions:
        motion_of(library, motion)
        runs = [run_physics(library, robot, motion, seed, rules) for seed in rules.seeds]
        findings += judge_runs(motion, runs, rules, fall="info" if motion in elsewhere else "error")
    order = {"error": 0, "warning": 1, "info": 2}
    return sorted(findings, key=lambda finding: order[finding.severity])


def judge_runs(motion: str, runs: list[PhysicsRun], rules: PhysicsRules, *, fall: Severity = "error") -> list[Finding]:
    """What is wrong with a motion by its runs: falls, loads, not coming back.

    Args:
        motion: Name of the motion.
        runs: The runs.
        rules: Limits.
        fall: What a fall is; a note for get-ups, dives and falls, which were begun upright all the same.
    """
    count, found = len(runs), list[Finding]()

    def tell(rule: str, severity: Severity, message: str, **more: Any) -> None:
        found.append(Finding(rule, severity, f"motions.{motion}", message, motion=motion, **more))

    falls = [run for run in runs if run.fall_time is not None]
    if falls and motion not in rules.may_fall:
        first = min(falls, key=lambda run: run.fall_time or 0.0)
        message = (
            f"falls {first.fall_side} in {len(falls)} of {count} runs, first after {first.fall_time:.2f} s with seed"
            f" {first.seed}: {first.fall_reason}"
        )
        tell(FALL, fall, message, time=first.fall_time, value=first.fall_side)
    limits: tuple[tuple[float, float, Severity], ...] = (
        (rules.shutdown_load, rules.shutdown_time, "error"),
        (rules.high_load, rules.high_load_time, "warning"),
    )
    for share, limit, severity in limits:
        time, joint, begin = max((run.load_times[share] for run in runs), default=(0.0, "", 0.0))
        if time > limit:
            message = f"{joint} needs {share:.0%} of its torque for {time:.2f} s; limit: {limit:g} s"
            tell(LOAD, severity, message, joint=joint, time=begin, value=time, limit=limit)
    unfinished = [run for run in runs if not run.finished]
    if unfinished:
        message = f"is not over after {rules.timeout:g} s in {len(unfinished)} of {count} runs"
        tell(RETURN, "error", message)
    away = max(runs, key=lambda run: run.away)
    if away.away > rules.returned and not falls:
        message = (
            f"{away.away_joint} is {math.degrees(away.away):.1f} deg from the end posture {rules.settle:g} s after the"
            f" end (seed {away.seed}); limit: {math.degrees(rules.returned):.1f} deg"
        )
        tell(RETURN, "warning", message, joint=away.away_joint, value=away.away, limit=rules.returned)
    return found


class _Watch(Observer):
    """Tells falls and loads of one run, follows the ball, and ends the run some time after the motion."""

    def __init__(
        self, world: MujocoWorld, controller: Controller, rules: PhysicsRules, ball: Ball | None, told: PhysicsRun
    ) -> None:
        robot = world.robot
        self._robot, self._rules, self._controller, self._told = robot, rules, controller, told
        self._base = world.data.body(robot.base_body)
        self._ball, self._ball_joint = ball, None if ball is None else world.data.joint(BALL)
        self._torque = np.array([servo.max_torque for servo in robot.servos])
        self._touching: tuple[float, float, float] | None = None
        self._until = math.inf
        self._tilt, self._may_touch = rules.tilt, False
        self._stands: Standing | None = None
        self._up, self._height, self._time = 1.0, math.inf, 0.0
        self._effort = np.zeros(len(robot.joints))
        shares = (rules.shutdown_load, rules.high_load)
        self._lasting = {share: np.zeros(len(robot.joints)) for share in shares}
        told.load_times = dict.fromkeys(shares, (0.0, "", 0.0))

    def expect(self, ends: MotionEnds, may_touch: Sequence[str]) -> None:
        """Judge a motion by the postures in which it says that it begins and ends.

        Args:
            ends: Those postures.
            may_touch: What of the robot may touch the ground; a word for a part lets all of it.
        """
        sits = PostureKind.SIT in ends.kinds
        self._tilt = max(self._rules.tilt, _SITTING) if sits else self._rules.tilt
        self._tilt = math.inf if PostureKind.DOWN in ends.kinds else self._tilt
        self._may_touch = bool(may_touch) or not ends.upright
        self._stands = Standing.of(self._robot) if ends.kinds[1] is PostureKind.STAND else None

    def begin(self, backend: Backend) -> None:
        """Note where robot and ball are."""
        self._start, self._rows = self._base.xpos[:2].copy(), list[Vector]()
        self._note_ball()

    def see(self, tick: Tick) -> None:
        """Keep the measured torques."""
        self._effort = tick.sensors.effort

    def over(self, backend: Backend) -> bool:
        """Judge what the tick brought; whether the motion is over and has settled."""
        time, truth = backend.time, backend.truth()
        self._note_ball()
        self.load(time, self._effort)
        if truth is not None:
            pitch, roll = float(truth["pitch"][0]), float(truth["roll"][0])
            self.posture(time, pitch, roll, bool(truth["other_contacts"][0] > 0.0) and not self._may_touch)
            self._up, self._height = math.cos(pitch) * math.cos(roll), float(truth["base_height"][0])
            self._time = time
        if self._controller.done and self._until == math.inf:
            self._until = time + self._rules.settle
        return time >= self._until

    def _note_ball(self) -> None:
        if self._ball_joint is not None:
            self._rows.append(np.concatenate([self._ball_joint.qpos[:2], self._ball_joint.qvel[:2]]))

    def posture(self, time: float, pitch: float, roll: float, touching: bool) -> None:
        """Look whether this is a fall."""
        told, tilt = self._told, max(abs(pitch), abs(roll))
        told.max_tilt = max(told.max_tilt, tilt)
        if not touching:
            self._touching = None
        elif self._touching is None:
            self._touching = (time, pitch, roll)
        if told.fall_time is not None:
            return
        if tilt > self._tilt:
            told.fall_time, told.fall_side = time, _side(pitch, roll)
            told.fall_reason = f"the trunk tilts more than {math.degrees(self._tilt):.0f} deg"
        elif self._touching is not None and time - self._touching[0] >= self._rules.persistence:
            told.fall_time, told.fall_side = self._touching[0], _side(pitch, roll)
            told.fall_reason = "something other than a foot touches the ground"

    def load(self, time: float, effort: Vector) -> None:
        """Count how long joints are loaded."""
        for share, lasting in self._lasting.items():
            above = np.abs(effort) >= share * self._torque
            lasting += self._controller.period
            lasting[~above] = 0.0
            worst = int(np.argmax(lasting))
            if lasting[worst] > self._told.load_times[share][0]:
                length = float(lasting[worst])
                self._told.load_times[share] = (length, self._robot.joint_names[worst], max(time - length, 0.0))

    def close(self) -> None:
        """Tell what is known at the end only."""
        stands = self._stands
        if stands is not None and self._told.fall_time is None and not stands.holds(self._up, self._height):
            lean = math.degrees(math.acos(max(-1.0, min(1.0, self._up))))
            how = f"base {self._height:.3f} m high (limit {stands.height:.3f} m), torso tilted {lean:.0f} deg"
            self._told.fall_time, self._told.fall_side = self._time, "down"
            self._told.fall_reason = f"does not stand at the end: {how}"
        way = self._base.xpos[:2] - self._start
        self._told.finished, self._told.travel = self._until < math.inf, (float(way[0]), float(way[1]))
        if self._ball is not None:
            rows = np.array(self._rows)
            self._told.ball = track_of(rows[:, :2], rows[:, 2:], self._ball.deceleration)


def _side(pitch: float, roll: float) -> str:
    """Where a trunk leans; pitch is positive forward, roll to the right."""
    if abs(pitch) >= abs(roll):
        return "forward" if pitch > 0.0 else "backward"
    return "right" if roll > 0.0 else "left"


def _reference(robot: Robot) -> str:
    return next((name for name in ("walk", "stand", *robot.postures) if name in robot.postures), "zero")


def _controller(library: MotionLibrary, robot: Robot, motion: str, stop: float | None) -> Controller:
    if math.isclose(robot.tick, FRAME):
        script = [] if stop is None else [TimedCommand(time=stop, command=min(EAGLE_KNIGHTS.stops))]
        return OpenRPlayer(robot, library, [motion], script)
    from andante.control.keyframes.configuration import MotionRequest
    from andante.control.keyframes.engine import Playlist

    return Playlist(robot, library, [MotionRequest(motion)])


def _goal(library: MotionLibrary, robot: Robot, motion: str, end: Vector) -> Vector:
    """The posture in which a motion ends: its own last one, that of the reference for joints it does not name."""
    goal = end.copy()
    for block in library.motions[motion].blocks:
        for keyframe in library.blocks[block].keyframes:
            for joint, target in keyframe.joints.items():
                if not isinstance(target, str):
                    goal[robot.index(joint)] = target
    return np.clip(goal, robot.lower, robot.upper)

"""A second guard, written from what the first one promises: one joint at a time, in plain numbers, without short cuts.

Slow and easy to read. It keeps no arrays, takes every command the whole way and knows every joint's speed itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.control.interventions import Intervention
from andante.robots.robot import Robot

POSITION, VELOCITY, KP, KD, TORQUE = range(5)
Rows = list[list[float]]
"""Position, velocity, kp, kd and torque, nj numbers each."""


def ticks_of(guard: Guard, kind: Intervention) -> int:
    """How often a guard intervened in one way, in ticks (whole robot) or ticks of joints."""
    return sum(int(event.data["ticks"]) for event in guard.summary() if event.data["limit"] == kind)


def clip(value: float, low: float, high: float) -> float:
    """The nearest number within bounds."""
    return min(max(value, low), high)


def braking(way: float, a: float, dt: float) -> float:
    """The speed v with ``v dt + v^2 / (2 a) = way``: kept for dt, then braked with a, it ends after the way."""
    return 2.0 * way / (dt + math.sqrt(dt * dt + 2.0 * way / a))


@dataclass
class ModelJoint:
    """Limits and past of one joint."""

    name: str
    leader: int
    lower: float
    upper: float
    rate: float
    acceleration: float
    caps: tuple[float, float, float]
    """Most kp, kd and torque."""
    measured: float
    seen: bool = False
    on: bool = False
    passed: list[float] = field(default_factory=lambda: [0.0] * 5)
    """What passed last, gains as they were before a fall lowered them."""
    speed: float = 0.0
    target: float = 0.0
    blind: bool = False
    """Whether it has no angle now and had none a tick before."""
    had: bool = False
    """Whether it had one at the last tick."""

    def reach(self, dt: float, span: float, period: float, *, regular: bool) -> tuple[float, float]:
        """Lowest and highest position to which the limits let it move in a tick."""
        a, v, place = self.acceleration, self.speed, self.passed[POSITION]
        above, below = self.upper - place, place - self.lower
        if regular:
            up = min(self.rate, v + a * dt, braking(above, a, dt))
            down = min(self.rate, -v + a * dt, braking(below, a, dt))
            return place - down * dt, place + up * dt
        change = a * min(dt, 0.5 * (dt + span))
        rate = self.rate * min(1.0, 2.0 * period / dt)
        ends = []
        for speed, way in ((v, above), (-v, below)):
            allowed = max(min(rate, braking(way, 0.5 * a, dt), speed + change), speed - change)
            ends.append(min(allowed, braking(way, a, dt)))
        high, low = ends[0], -ends[1]
        if v > 0.0:
            low = min(low, high)
        else:
            high = max(low, high)
        most = math.inf if self.on else a * period * period
        return place + max(low * dt, -most), place + min(high * dt, most)

    def approach(self, target: float, low: float, high: float, dt: float) -> float:
        """Position on the way to a target that may move, no faster than it can brake relative to it."""
        a, place = self.acceleration, self.passed[POSITION]
        gap = self.target - place
        if low <= target <= high and abs(gap) <= a * dt * dt:
            return target
        drift = clip((target - self.target) / dt, -self.rate, self.rate)
        goal = place + (drift + math.copysign(braking(abs(gap), a, dt), gap)) * dt
        goal = clip(clip(goal, low, high), self.lower, self.upper)
        return target if abs(goal - target) <= 1e-12 * a * dt * dt else goal


class GuardModel:
    """What `Guard` promises."""

    def __init__(self, robot: Robot, period: float, settings: GuardSettings) -> None:
        self.period, self.settings = period, settings
        self.counts: Counter[tuple[str, str | None]] = Counter()
        """Ticks by kind and joint; None for the whole robot."""
        self.firsts: dict[tuple[str, str | None], tuple[float, float]] = {}
        """Time and number that was asked for when a kind hit a joint first; no number where none is told."""
        self.joints: list[ModelJoint] = []
        leaders = [robot.index(joint.follows or joint.name) for joint in robot.joints]
        for leader in leaders:
            pairs = list(zip(robot.joints, robot.servos, strict=True))
            group = [pair for pair, its in zip(pairs, leaders, strict=True) if its == leader]
            lower, upper = max(joint.lower for joint, _ in group), min(joint.upper for joint, _ in group)
            self.joints.append(
                ModelJoint(
                    robot.joints[len(self.joints)].name,
                    leader,
                    lower,
                    upper,
                    min(joint.max_velocity for joint, _ in group) * settings.velocity_scale,
                    min(joint.max_acceleration for joint, _ in group) * settings.acceleration_scale,
                    (
                        min(servo.kp * settings.gain_scale if servo.kp else 1e4 for _, servo in group),
                        min(servo.kd * settings.gain_scale if servo.kd else 1e4 for _, servo in group),
                        min(joint.max_effort for joint, _ in group),
                    ),
                    clip(0.0, lower, upper),
                )
            )
            self.joints[-1].passed[POSITION] = self.joints[-1].target = clip(0.0, lower, upper)
        self._time = -math.inf
        self._span = period
        self._still = 0
        self._falling, self._armed, self._fallen_at = False, True, 0.0

    @property
    def measured(self) -> bool:
        """Whether each joint had a finite angle once."""
        return all(joint.seen for joint in self.joints)

    def apply(self, rows: Rows, time: float, measured: Sequence[float], tilt: float) -> Rows:
        """What passes of a command; all joints' numbers in the order of `Rows`."""
        dt, regular = self._passed(time)
        self._watch_fall(tilt)
        for joint, angle in zip(self.joints, measured, strict=True):
            joint.blind = not math.isfinite(angle) and not joint.had
            joint.had = math.isfinite(angle)
            if math.isfinite(angle):
                joint.measured, joint.seen = angle, True
        for joint in self.joints:
            if not joint.on:
                joint.speed = 0.0
                if not self.joints[joint.leader].blind:
                    joint.target = clip(self.joints[joint.leader].measured, joint.lower, joint.upper)
                    joint.passed[POSITION] = joint.target
        wishes = self._wishes(rows)
        for joint, wish in zip(self.joints, wishes, strict=True):
            self._cut(joint, wish)
        soft = self.settings.fall_gain if self._falling else 1.0
        on = [wish[KP] * soft > 0.0 for wish in wishes]
        if dt == 0.0:
            self._stand(wishes, on)
        for joint, wish, is_on in zip(self.joints, wishes, on, strict=True):
            if dt > 0.0:
                self._move(joint, wish, dt, regular=regular, on=is_on)
            joint.on, joint.passed = is_on, wish
        if self._falling:
            self._count(Intervention.FALL)
        self._span = dt or self._span
        out = [[*wish[:KP], wish[KP] * soft, wish[KD] * soft, wish[TORQUE]] for wish in wishes]
        return [list(row) for row in zip(*out, strict=True)]

    def _passed(self, time: float) -> tuple[float, bool]:
        """Time since the last tick, and whether both it and the one before took a period."""
        passed = time - self._time
        if not (math.isfinite(time) and passed > 0.0):
            self._still += 1
            if math.isfinite(time):
                self._time, self._fallen_at = time, self._fallen_at + passed
            return 0.0, False
        self._time, self._still = time, 0
        exact = passed == math.inf or abs(passed / self.period - 1.0) <= 1e-7
        return (self.period if exact else min(passed, 1e3)), exact and self._span == self.period

    def _watch_fall(self, tilt: float) -> None:
        if self.settings.fall == "none":
            return
        if tilt < self.settings.fall_rearm:
            self._armed = True
        elif tilt > self.settings.fall_tilt and self._armed:
            self._armed, self._falling, self._fallen_at = False, True, self._time
        if self._falling and self._time >= self._fallen_at + self.settings.fall_duration:
            self._falling = False

    def _wishes(self, rows: Rows) -> Rows:
        """Five numbers per joint: finite, no older than the clock allows, the same for coupled joints."""
        wishes = [list(wish) for wish in zip(*rows, strict=True)]
        for joint, wish in zip(self.joints, wishes, strict=True):
            bad = [not math.isfinite(value) for value in wish]
            if any(bad):
                self._count(Intervention.NOT_FINITE, joint)
                for place in range(5):
                    wish[place] = joint.passed[place] if bad[place] else wish[place]
                wish[VELOCITY] *= not bad[POSITION]
        still = self._still * self.period
        if not self.measured:
            self._count(Intervention.UNMEASURED)
            wishes = [[wish[POSITION], 0.0, 0.0, 0.0, 0.0] for wish in wishes]
        elif still >= self.settings.stale_limp:
            self._count(Intervention.LIMP)
            wishes = [[wish[POSITION], 0.0, 0.0, 0.0, 0.0] for wish in wishes]
        elif still >= self.settings.stale_hold:
            self._count(Intervention.STALE)
            wishes = [[joint.passed[POSITION], 0.0, *joint.passed[KP:TORQUE], 0.0] for joint in self.joints]
        for joint, wish in zip(self.joints, wishes, strict=True):
            if wish != wishes[joint.leader]:
                self._count(Intervention.COUPLING, joint)
                wish[:] = wishes[joint.leader]
        for joint, wish in zip(self.joints, wishes, strict=True):
            if self.joints[joint.leader].blind and not joint.on and wish[KP] > 0.0:
                self._count(Intervention.UNMEASURED, joint)
                wish[1:] = [0.0] * 4
        return wishes

    def _stand(self, wishes: Rows, on: list[bool]) -> None:
        """No time passed: joints that are on stay where they are, without speed where they would move."""
        held = False
        for joint, wish, is_on in zip(self.joints, wishes, on, strict=True):
            place = joint.passed[POSITION]
            wish[POSITION] = clip(wish[POSITION], joint.lower, joint.upper)
            if is_on and wish[POSITION] != place:
                held, wish[POSITION], wish[VELOCITY] = True, place, 0.0
        if held and self._still * self.period < self.settings.stale_hold:
            self._count(Intervention.STALE)

    def _cut(self, joint: ModelJoint, wish: list[float]) -> None:
        """Velocity, gains and torque within their bounds."""
        kp, kd, torque = joint.caps
        for kind, bounds in (
            (Intervention.VELOCITY, {VELOCITY: (-joint.rate, joint.rate)}),
            (Intervention.GAIN, {KP: (0.0, kp), KD: (0.0, kd)}),
            (Intervention.TORQUE, {TORQUE: (-torque, torque)}),
        ):
            wrong = [wish[place] for place, (low, high) in bounds.items() if not low <= wish[place] <= high]
            if wrong:
                self._count(kind, joint, wrong[0])
            for place, (low, high) in bounds.items():
                wish[place] = clip(wish[place], low, high)

    def _move(self, joint: ModelJoint, wish: list[float], dt: float, *, regular: bool, on: bool) -> None:
        """The position within all limits; the speed that is asked for follows where it is changed."""
        asked, before = wish[POSITION], joint.passed[POSITION]
        target = clip(asked, joint.lower, joint.upper)
        place = target
        if on:
            low, high = joint.reach(dt, self._span, self.period, regular=regular)
            place = joint.approach(target, low, high, dt)
            if target != asked:
                self._count(Intervention.POSITION, joint, asked)
            if place != target:
                fast = abs(target - before) > joint.rate * dt * (1.0 + 1e-9)
                self._count(Intervention.RATE if fast else Intervention.ACCELERATION, joint, asked)
            if place != asked and wish[VELOCITY]:
                wish[VELOCITY] = clip((place - before) / dt, -joint.rate, joint.rate)
        wish[POSITION], joint.target, joint.speed = place, target, (place - before) / dt

    def _count(self, kind: Intervention, joint: ModelJoint | None = None, asked: float = math.nan) -> None:
        key = (kind.value, joint.name if joint else None)
        self.counts[key] += 1
        self.firsts.setdefault(key, (max(self._time, 0.0), asked))

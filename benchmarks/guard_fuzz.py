"""Random commands, sensors and clocks through the guard; what passed is checked against the limits by measured time.

    python benchmarks/guard_fuzz.py [--commands 1000000] [--seed 0] [--robots nao,littledog,ers7] [--json]

A run is a robot, a period, scales of the limits and a kind of clock: exact, jittery, ticks of 0.1 to 10 periods, late
ticks that are caught up in a burst, one that stands still, goes back, or is not a number now and then. Commands are
steps, ramps, noise and nonsense; sensors likewise. The check knows nothing of the guard: it differences what passed.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot

Array = NDArray[np.float64]
CLOCKS = ("exact", "jitter", "wide", "burst", "stalls", "back", "broken", "mixed")
NONSENSE = (math.nan, math.inf, -math.inf, 1e308, -1e308, 1e300, 1e-308)
RUN = 200
"""Ticks of a run."""
_ROUNDING = 1e-6
"""Share by which differences of rounded numbers may pass a limit."""


def ticks(kind: str, period: float, rng: np.random.Generator) -> Iterator[float]:
    """Times of the sensors, without end [s]."""
    time, exact, owed = float(rng.uniform(0.0, 100.0)), 0, 0.0
    start = time
    current = kind
    while True:
        yield time
        if kind == "mixed" and rng.random() < 0.05:
            current = str(rng.choice(CLOCKS[:-1]))
        chance = rng.random()
        if current == "jitter":
            time += period * rng.uniform(0.7, 1.3)
        elif current == "wide":
            time += period * 10.0 ** rng.uniform(-1.0, 1.0)
        elif current == "burst":
            if owed <= 0.0 and chance < 0.1:
                owed = rng.uniform(1.0, 9.0) * period
                time += period + owed
            else:
                step = 0.1 * period if owed > 0.0 else period
                owed -= period - step
                time += step
        elif current == "stalls":
            time += 0.0 if chance < 0.3 else period
        elif current == "back":
            time += -rng.uniform(0.0, 5.0) * (1.0 if chance < 0.5 else 100.0) * period if chance < 0.1 else period
        elif current == "broken" and chance < 0.2:
            yield float(rng.choice((math.nan, math.inf, -math.inf)))
            time += period
        elif kind == "exact":
            exact += 1
            time = start + exact * period
        else:
            time += period


class Check:
    """Counts what passed the guard and should not have.

    Args:
        robot: The robot.
        rate: Speed limits, (nj,) [rad/s].
        acceleration: Limits of the commands' acceleration, (nj,) [rad/s^2].
        caps: Largest kp and kd, (2, nj) [N m/rad, N m s/rad].
    """

    def __init__(self, robot: Robot, rate: Array, acceleration: Array, caps: Array) -> None:
        self.robot, self.rate, self.acceleration, self.caps = robot, rate, acceleration, caps
        self.found: Counter[str] = Counter()
        self._time = math.nan
        self._position: Array | None = None
        self._on = self._moving = np.zeros(len(rate), dtype=bool)
        self._velocity = np.zeros(len(rate))

    def see(self, time: float, vector: Array) -> None:
        """Check one command that passed at sensor time ``time`` [s]."""
        position, velocity, kp, _, torque = vector.reshape(5, -1)
        on, robot, loose = kp > 0.0, self.robot, 1.0 + _ROUNDING
        self._count("finite", ~np.isfinite(vector))
        self._count("position", (position < robot.lower) | (position > robot.upper))
        self._count("velocity", np.abs(velocity) > self.rate * loose)
        self._count("gain", (vector.reshape(5, -1)[2:4] < 0.0) | (vector.reshape(5, -1)[2:4] > self.caps * loose))
        self._count("torque", np.abs(torque) > robot.max_effort * loose)
        both = on & self._on
        if self._position is not None:
            moved, passed = position - self._position, time - self._time
            if not (math.isfinite(passed) and passed > 0.0):
                self._count("moved in no time", both & (moved != 0.0))
                self._moving &= both
            else:
                speed = moved / passed
                self._count("rate", both & (np.abs(speed) > self.rate * loose))
                change, known = np.abs(speed - self._velocity), both & self._moving
                slack = self.acceleration * _ROUNDING * passed + 1e-9
                self._count("acceleration", known & (change > self.acceleration * passed + slack))
                self._velocity, self._moving = speed, both
        if math.isfinite(time):
            self._time = time
        self._position, self._on = position.copy(), on

    def _count(self, what: str, wrong: NDArray[np.bool_]) -> None:
        if wrong.any():
            self.found[what] += 1


def targets(robot: Robot, rng: np.random.Generator) -> Iterator[Array]:
    """Positions that are asked for, (nj,) [rad]."""
    nj = len(robot.joints)
    middle, half = 0.5 * (robot.lower + robot.upper), 0.5 * (robot.upper - robot.lower)
    place, speed, kind = middle.copy(), np.zeros(nj), "ramp"
    phase, origin, width = 0.0, middle, half
    while True:
        if rng.random() < 0.05:
            kind = str(rng.choice(("ramp", "step", "noise", "far", "stand", "limit", "swing", "swing")))
            speed = rng.normal(0.0, 1.5, nj) * robot.max_velocity
            phase, origin, width = 0.0, place, half * rng.uniform(0.0, 1.2, nj)
        if kind == "ramp":
            place = place + speed * rng.uniform(0.0, 0.02)
            place = np.where(np.abs(place - middle) > 1.2 * half, middle, place)
        elif kind == "noise" or (kind == "step" and rng.random() < 0.1):
            place = middle + half * rng.uniform(-1.1, 1.1, nj)
        elif kind == "far":
            place = middle + rng.normal(0.0, 100.0, nj)
        elif kind == "swing":
            # Smooth, and now and then a little too fast or too far: what the guard sees most of all.
            phase += rng.uniform(0.0, 0.1)
            place = origin + width * (1.0 - math.cos(phase))
        elif kind == "limit":
            place = np.where(rng.random(nj) < 0.5, robot.lower, robot.upper)
        yield place


def run(robot: Robot, count: int, clock: str, seed: int) -> Counter[str]:
    """Violations in ``count`` commands of one run, by kind."""
    rng = np.random.default_rng(seed)
    nj, period = len(robot.joints), float(rng.choice((0.001, 0.002, 0.008, 0.012)))
    settings = GuardSettings(
        velocity_scale=float(rng.choice((1.0, 1.0, 0.5, 1.7))),
        acceleration_scale=float(rng.choice((1.0, 1.0, 0.1, 2.0))),
        gain_scale=float(rng.choice((4.0, 1.0, 2.5))),
        fall=str(rng.choice(("none", "soften"))),  # type: ignore[arg-type]
    )
    guard = Guard(robot, period, settings)
    caps = np.where(np.array([robot.servo_kp, robot.servo_kd]) > 0.0, [robot.servo_kp, robot.servo_kd], np.inf)
    check = Check(
        robot,
        _shared(robot, robot.max_velocity * settings.velocity_scale),
        _shared(robot, robot.max_acceleration * settings.acceleration_scale),
        caps * settings.gain_scale,
    )
    nasty = float(rng.choice((0.0, 0.0, 0.02, 0.3)))
    calm = rng.random() < 0.5
    wanted, times = targets(robot, rng), ticks(clock, period, rng)
    kp = robot.servo_kp.copy()
    for _ in range(count):
        command, sensors = robot.command(), robot.sensors()
        command.position[:] = next(wanted)
        command.velocity[:] = rng.normal(0.0, 0.3 if calm else 5.0, nj)
        if rng.random() < 0.02:
            kp = robot.servo_kp * rng.choice((1.0, 0.5, 0.0, 100.0), nj, p=(0.7, 0.1, 0.15, 0.05))
        command.kp[:], command.kd[:] = kp, robot.servo_kd
        command.torque[:] = rng.normal(0.0, 0.2 if calm else 1.0, nj)
        sensors.position[:] = rng.normal(0.0, 0.5, nj)
        sensors.orientation[:] = rng.normal(0.0, 1.0, 4)
        if nasty:
            _spoil(command, sensors, nasty, rng)
        time = next(times)
        sensors.vector[0] = time
        check.see(time, guard.apply(command, sensors).vector)
    return check.found


def _spoil(command: Command, sensors: Sensors, share: float, rng: np.random.Generator) -> None:
    for vector in (command.vector, sensors.vector):
        hit = rng.random(vector.size) < share * rng.random()
        vector[hit] = rng.choice(NONSENSE, int(hit.sum()))


def _shared(robot: Robot, limits: Array) -> Array:
    """Limits of which a coupled joint and its leader have the narrower."""
    limits = limits.copy()
    for index, joint in enumerate(robot.joints):
        if joint.follows:
            leader = robot.index(joint.follows)
            limits[index] = limits[leader] = min(limits[index], limits[leader])
    return limits


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description="Random commands through the guard")
    parser.add_argument("--commands", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--robots", default="nao,littledog,ers7")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    robots = [Robot.load(name) for name in options.robots.split(",")]
    found: Counter[str] = Counter()
    done = number = 0
    while done < options.commands:
        count = min(RUN, options.commands - done)
        robot, clock = robots[number % len(robots)], CLOCKS[number // len(robots) % len(CLOCKS)]
        for what, times in run(robot, count, clock, options.seed + number).items():
            found[f"{what} ({clock})"] += times
        done += count
        number += 1
    if options.json:
        print(json.dumps({"commands": done, "runs": number, "violations": dict(found)}))
        return
    print(f"{done} commands in {number} runs, first seed {options.seed}: {sum(found.values())} violations")
    for what, times in sorted(found.items()):
        print(f"  {what}: {times} ticks")


if __name__ == "__main__":
    main()

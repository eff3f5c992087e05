"""One suite for all backends of robots, through their bytes by a clock of its own: the same on any computer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from typing import Any

import numpy as np

from andante.backends.backend import BackendError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.plant import FakePlant
from andante.control.arming.armed import ArmedController
from andante.control.arming.hand import HandCheck, HandFinding
from andante.control.arming.measured import findings_of
from andante.control.arming.phase import Phase
from andante.control.arming.settings import SafetySettings
from andante.control.controller import ControllerBase
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot
from andante.runs.backends.hardware import vitals_of
from andante.runs.hardware.bench import Bench, Found
from andante.runs.hardware.fakes import hardware_kind
from andante.runs.hardware.guided import first_seen, rested

_ASKED = 4
"""So often a joint is asked for, or a robot looked at that still moves."""
_TIMEOUT = 3.0
"""Time for which a hand is waited for [s]."""
_UNSURE = math.radians(10.0)
"""By which accelerometer and orientation of a right robot may be apart [rad]."""
_SHORT = SafetySettings(measure=0.3, rise=0.2, settle=0.1, fade=0.2, sit="", damp=0.5)


def planted(bench: Bench, most: int | None = None) -> Iterator[Found]:
    """Plant each error of joints, units and gravity; a backend must find every one before anything is commanded.

    Units, gravity, second commanders and modes are looked for while measuring; signs and order by a hand that turns
    joints.

    Args:
        bench: What is held against what.
        most: So many wrong signs and swaps at most; None: all signs, and each joint swapped with the next.
    """
    robot = Robot.load(bench.robot)
    kind = hardware_kind(dict(bench.backend))
    joints = [name for name in kind.codec(robot).slots if name]
    yield Found("nothing", *_measured(bench))
    wrongs: list[tuple[str, dict[str, Any]]] = [("wrong unit", {"wrong_unit": True})]
    if "accelerometer" in kind.codec(robot).measured and not getattr(kind, "bolted", False):
        wrongs += [(f"gravity, wrong {each}", {"gravity": each}) for each in ("sign", "unit", "axes")]
    wrongs += [("second commander", {"second_commander": True})] if "commander" in kind.tells else []
    wrongs += [("mode refused", {"refuses": True})] if "mode" in kind.tells else []
    for name, wrong in wrongs:
        good, how = _measured(bench, **wrong)
        blind = _blind(bench) if good and wrong.get("gravity") == "axes" else None
        if blind is not None:
            # Nothing at rest shows it in that posture: it is looked for where it shows.
            good, how = _measured(bench.hung(), **wrong)
            name, how = f"{name}, hung up", f"{how} ({blind})"
        yield Found(name, not good, how)
    # A joint is swapped with its neighbour, the last one with the first.
    pairs = [(joint, joints[(number + 1) % len(joints)]) for number, joint in enumerate(joints)]
    yield Found("nothing, by hand", *_by_hand(bench, joints[: most or None]))
    for joint in joints[:most]:
        good, how = _by_hand(bench, [joint], wrong_sign=(joint,))
        yield Found(f"wrong sign of {joint}", not good, how)
    for pair in pairs[:most]:
        good, how = _by_hand(bench, [pair[0]], swapped=pair)
        yield Found(f"{pair[0]} and {pair[1]} swapped", not good, how)


WAYS = ("hangs and swings", "hangs still", "leans", "lies", "stands, held by its own program", "as it is found")
"""How right robots are found."""


def rights(bench: Bench, count: int, seed: int = 0) -> Iterator[Found]:
    """Right robots in drawn postures, found in `WAYS`; none may be called wrong, once it has come to rest.

    Args:
        bench: What is held against what.
        count: How many.
        seed: Draws postures.
    """
    rng = np.random.default_rng(seed)
    robot = Robot.load(bench.robot)
    low, high = robot.stops
    for number in range(count):
        way, begins = WAYS[number % len(WAYS)], dict(bench.start)
        world, fake = dict(bench.world), {"seed": seed + number}
        if way.startswith("hangs"):
            # A hand has left its joints somewhere: limp limbs swing from there until they rest.
            share = 0.5 if "swings" in way else 0.1
            middle = np.clip(0.0, low, high)
            angles = middle + share * rng.uniform(low - middle, high - middle)
            angles[robot.followers] = angles[robot.leaders[robot.followers]]
            begins = {"posture": dict(zip(robot.joint_names, angles.tolist(), strict=True)), "clearance": 0.5}
            world["fixed_base"] = True
        elif way == "leans":
            begins = {"lying": "left" if number % 2 else "right"}
        elif way == "lies":
            begins = {"lying": "prone" if number % 4 < 2 else "supine"}
        elif way.startswith("stands"):
            begins = {"posture": "stand"} if "stand" in robot.postures else {}
            fake["prepared"] = True
        good, how = _found(bench, begins, world, fake)
        yield Found(f"a right robot that {way} ({number})", good, how)


def _found(bench: Bench, begins: dict[str, Any], world: dict[str, Any], fake: dict[str, Any]) -> tuple[bool, str]:
    """What is found of a robot that begins so; one that does not stay lying so lies on its front, else as it falls."""
    ways = [begins]
    if "lying" in begins:
        ways += [{**begins, "lying": "prone"}, dict(bench.start)]
    benches = [Bench(bench.backend, bench.robot, way, world, bench.scenario) for way in ways]
    for each in benches[:-1]:
        with suppress(BackendError):
            return _measured(each, **fake)
    return _measured(benches[-1], **fake)


def _measured(bench: Bench, **wrong: Any) -> tuple[bool, str]:
    """Whether a robot would be armed by what is measured, and what was found."""
    backend, plant, kind = bench.looped(**wrong)
    readings: list[Sensors] = []

    def true(_: Sensors) -> Vector:
        # Noise of an angle that is told in degrees looks like a joint that never rests.
        return plant.world.read().position

    with closing(backend):
        backend.reset(0)
        for turn in range(_ASKED + 1):
            rested(backend, angles=true)
            if turn == _ASKED:
                # Limbs without friction swing on for minutes: hands hold what moved, as the message asks.
                moved = np.ptp([each.position for each in readings], axis=0) > 0.5 * kind.safety.rest
                plant.hold([backend.robot.joint_names[index] for index in np.flatnonzero(moved)])
                rested(backend, angles=true)
            readings = backend.looked_at(max(kind.safety.measure, 60 * kind.codec(backend.robot).period))
            found = findings_of(backend.robot, readings, kind.safety, vitals_of(backend), backend.absent)
            # A robot that moves is let come to rest, as is asked.
            if all(each.good for each in found if each.what == "rest"):
                break
        bad = [each.text for each in found if not each.good]
        return not bad and not plant.commands, "; ".join(bad) or "may be armed"


def _blind(bench: Bench) -> str | None:
    """Why changed axes of the accelerometer cannot show where a right robot is found; None: they would."""
    backend, _, kind = bench.looped()
    with closing(backend):
        backend.reset(0)
        rested(backend)
        w, x, y, z = np.median([each.orientation for each in backend.looked_at(kind.safety.measure)], axis=0).tolist()
    up = np.array([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z])
    apart = math.acos(min(max(float(up @ up[[2, 1, 0]]) / float(up @ up), -1.0), 1.0))
    if apart > kind.safety.gravity_angle + _UNSURE:
        return None
    tilt = math.degrees(math.acos(min(max(float(up[2]), -1.0), 1.0)))
    return f"as it is found, tilted by {tilt:.0f} deg, x and z read nearly the same"


def _by_hand(bench: Bench, joints: list[str], **wrong: Any) -> tuple[bool, str]:
    """Whether joints that a hand turns are taken for right, and what was said."""
    backend, plant, _ = bench.hung().looped(**wrong)
    check = HandCheck(backend.robot)
    with closing(backend):
        backend.reset(0)
        for joint in joints:
            hold: list[str] = []
            for _ in range(_ASKED):
                finding = _turned(backend, plant, check, joint, hold, right=not wrong)
                if finding is None or not finding.hold:
                    break
                hold += [name for name in finding.hold if name not in hold]
            if finding is None:
                return False, f"{joint}: nothing turned"
            if not finding.good:
                return False, f"{joint}: {finding.text}"
        return not plant.commands, "right"


def _turned(
    backend: HardwareBackend, plant: FakePlant, check: HandCheck, joint: str, hold: list[str], *, right: bool
) -> HandFinding | None:
    """What a hand shows that turns the true joint the way that is said, while the other one holds a joint still."""
    still = rested(backend)
    direction = check.direction(joint, still if right else plant.world.read())
    check.begin(still, hold)
    plant.touch(joint, direction, hold)
    finding = first_seen(backend, partial(check.see, joint, direction), _TIMEOUT)
    backend.looked_at(1.6)
    return finding


class _There(ControllerBase):
    """Asks for one posture at full gains at once."""

    done = False

    def __init__(self, robot: Robot, target: Vector) -> None:
        super().__init__(robot.tick)
        self._robot, self._target = robot, target

    def step(self, sensors: Sensors) -> Command:
        """The posture."""
        command = self._robot.command()
        command.position[:] = self._target
        command.kp[:], command.kd[:] = self._robot.servo_kp, self._robot.servo_kd
        return command


def first_commands(robot: Robot, count: int, seed: int = 0) -> tuple[float, int]:
    """The fastest that any joint is commanded before a motion begins, from drawn postures inside the stops to others.

    Joints follow their commands exactly; the guard stands behind. Gives that speed [rad/s], and how often the guard had
    to change a command before the motion.
    """
    rng = np.random.default_rng(seed)
    low, high = robot.stops
    fastest, changed = 0.0, 0
    period = robot.tick
    settings = _SHORT.changed(measure=max(6 * period, 0.05), rise=max(2 * period, 0.05), settle=max(2 * period, 0.02))
    for _ in range(count):
        angles, target = rng.uniform(low, high), rng.uniform(low, high)
        for each in (angles, target):
            each[robot.followers] = each[robot.leaders[robot.followers]]
        controller = ArmedController(_There(robot, target), robot, settings)
        guard = Guard(robot, period, GuardSettings(stale_hold=0.5, stale_limp=0.5))
        for tick in range(1, 100_000):
            sensors = Sensors(robot.sensors_layout)
            sensors.vector[0] = tick * period
            sensors.position[:] = angles
            sensors.orientation[0], sensors.accelerometer[2] = 1.0, 9.81
            asked = controller.step(sensors)
            if controller.phase is Phase.RUN:
                break
            command = guard.apply(asked, sensors)
            changed += command.vector.tobytes() != asked.vector.tobytes()
            on = command.kp > 0.0
            fastest = max(fastest, float(np.abs(command.position - angles)[on].max(initial=0.0)) / period)
            angles[on] = command.position[on]
    return fastest, changed

"""What is measured while nothing moves, and what of it forbids to arm a robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from andante.control.arming.frozen_imu import ROW, FrozenImuWatch
from andante.control.arming.settings import SafetySettings
from andante.control.arming.speeds import SpeedCheck
from andante.control.sensor_parts import SensorPart, components
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot

_LEAST = 5
"""So many readings are needed at least."""
_APART = 0.2
"""States whose stamps are apart by another period, as a share, are of another rate."""
_LEAST_TURN = 0.5
"""A quaternion that is shorter is none."""
_FULL = 1.05
"""A battery has no more of its charge."""
_MOST_NAMED = 4


def _unknown(_: float) -> str:
    return ""


@dataclass(frozen=True)
class Vitals:
    """What a robot tells beside its sensors; None where it does not."""

    rate: float | None = None
    """States per second over those that there should be."""
    foreign: int = 0
    """Commands of others that were seen."""
    temperature: Vector | None = None
    """Temperatures of its motors, (nj,) [deg C]."""
    battery: float | None = None
    """Charge as a share."""
    position: Vector | None = None
    """Angles as they came, before any check, (nj,) [rad]."""
    mode: str = ""
    """Why it takes no commands; empty: it does."""
    absent: frozenset[str] = frozenset()
    """Fields of the sensors that the robot turned out not to measure."""
    worn: str = ""
    """Why it should not be moved, by its own word, as of a motor that tells an error; empty: nothing."""
    note: str = ""
    """What else it tells of itself; empty: nothing."""
    unread: float = 0.0
    """Share of its packets that could not be read."""
    problem: str = ""
    """What was wrong with the last of those."""
    invented: bool = False
    """Whether the IMU is made up, as of a base that is bolted down: it never changes then."""
    spacing: float | None = None
    """Time between two states by the robot's own stamps, over that which there should be."""
    leapt: str = ""
    """That its count of cycles has leapt, in words; empty: it has not."""
    cause: Callable[[float], str] = _unknown
    """Who was late, the computer or the robot, where no state came for so long [s]; empty: not known."""


ReadVitals = Callable[[], Vitals]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    """What it is, in a few words."""
    good: bool
    """Whether the robot may be armed by it."""
    text: str
    """What was found."""
    remedy: str = ""
    """What to do about it."""


_LOST = Finding(
    "imu",
    False,
    "its readings are all zeros, or none of them can be: they did not pass the check of sensors",
    "look at units and range of gyro and accelerometer, and at the orientation, whose length must be 1",
)
"""What is told of an IMU of which nothing is believed: zeros that stand for it are no wrong unit or sign."""


def findings_of(
    robot: Robot,
    readings: Sequence[Sensors],
    settings: SafetySettings,
    vitals: Vitals,
    absent: frozenset[str],
    speeds: SpeedCheck | None = None,
) -> list[Finding]:
    """Everything that is looked at before a robot is armed.

    Args:
        robot: The robot.
        readings: What was measured while all joints were off, oldest first.
        settings: What is let pass.
        vitals: What the robot tells beside.
        absent: Fields of the sensors that it does not measure.
        speeds: What speeds and ways of joints were compared by while that was measured; None: the readings tell.
    """
    absent |= vitals.absent
    found = [_rate(vitals, settings), _spacing(vitals), _packets(vitals, settings), _others(vitals), _mode(vitals)]
    if vitals.position is not None:
        found.append(_stops(robot, vitals.position[None], settings))
    if len(readings) < _LEAST:
        return [*found, Finding("readings", False, f"only {len(readings)} readings came", "look after the link")]
    angles = np.array([each.position for each in readings])
    found += [_seen(robot, angles), _rest(robot, angles, settings), _posture(robot, angles, settings)]
    if vitals.position is None:
        found.append(_stops(robot, angles, settings))
    if "velocity" not in absent:
        found.append(_speeds(robot, readings, speeds))
    lost = not absent & {"orientation", "accelerometer"} and "gravity" in unread(robot, readings)
    if lost:
        found.append(_LOST)
    elif not absent & {"orientation", "accelerometer"}:
        found += _gravity(readings, settings)
    if "gyro" not in absent and not lost:
        gyro = np.array([each.gyro for each in readings])
        turn = float(np.linalg.norm(np.median(gyro, axis=0)))
        text = f"turns at {turn:.3f} rad/s (limit {settings.still:g})"
        remedy = "let the robot rest; a turn that stays is the gyro's offset or unit"
        found += [Finding("gyro", turn < settings.still, text, remedy), _alive(readings, absent, vitals)]
    found += _health(robot, vitals, settings)
    return [each for each in found if each.text]


def unread(robot: Robot, readings: Sequence[Sensors]) -> frozenset[str]:
    """What is looked at by an IMU, or by encoders, of which no reading passed the check before: they read as empty.

    Args:
        robot: The robot.
        readings: What was measured.
    """
    imu = next(each for each in components(robot) if each.part is SensorPart.IMU)
    empty = all(np.array_equal(each.vector[imu.columns], imu.empty) for each in readings)
    unseen = all(not np.isfinite(each.position).any() for each in readings)
    return frozenset({"gravity", "vertical", _LOST.what} if empty else ()) | frozenset({"joints"} if unseen else ())


def _rate(vitals: Vitals, settings: SafetySettings) -> Finding:
    if vitals.leapt:
        return Finding(
            "rate", False, vitals.leapt, "look at how it counts, whether its clock was set, or two robots answer"
        )
    if vitals.rate is None:
        return Finding("rate", True, "")
    off = vitals.rate - 1.0
    text = f"states come at {vitals.rate:.3f} of the rate that they should (limit {settings.rate_error:g} off)"
    remedy = "is this the robot's period, is the network free, do two robots answer?"
    return Finding("rate", abs(off) <= settings.rate_error, text, remedy)


def _spacing(vitals: Vitals) -> Finding:
    if vitals.spacing is None:
        return Finding("period", True, "")
    text = f"stamps of states are {vitals.spacing:.2f} periods apart"
    return Finding("period", abs(vitals.spacing - 1.0) < _APART, text, "set backend.period to the robot's own")


def _packets(vitals: Vitals, settings: SafetySettings) -> Finding:
    limit = f"limit {100 * settings.rate_error:g} %"
    text = f"{100 * vitals.unread:.3g} % of its packets could not be read ({limit})"
    text += f": {vitals.problem}" if vitals.problem else ""
    remedy = "look at the cable, the network and the robot's program"
    return Finding("packets", vitals.unread <= settings.rate_error, text if vitals.unread else "", remedy)


def _others(vitals: Vitals) -> Finding:
    text = f"{vitals.foreign} commands of somebody else" if vitals.foreign else "nobody else commands"
    return Finding("commander", not vitals.foreign, text, "end the robot's own motion program and other commanders")


def _mode(vitals: Vitals) -> Finding:
    text = f"the robot takes no commands: {vitals.mode}" if vitals.mode else "the robot takes commands"
    return Finding("mode", not vitals.mode, text, "bring it into the mode for commands of joints")


def _seen(robot: Robot, angles: Vector) -> Finding:
    seen = np.atleast_1d(np.isfinite(angles).any(axis=0)).tolist()
    unseen = [name for name, good in zip(robot.joint_names, seen, strict=True) if not good]
    return _of_joints("joints", unseen, "unseen", "all are seen", "look at its plugs")


def _rest(robot: Robot, angles: Vector, settings: SafetySettings) -> Finding:
    late = angles[-max(len(angles) // 4, _LEAST) :]
    moved = np.where(np.isfinite(late).all(axis=0), late.max(axis=0) - late.min(axis=0), 0.0)
    going = [f"{robot.joint_names[j]} by {moved[j]:.2f} rad" for j in np.flatnonzero(moved > settings.rest)]
    remedy = "let the robot come to rest, hold still by hand what swings, or measure for longer"
    return _of_joints("rest", going, "still move", "all joints are at rest", remedy)


def _speeds(robot: Robot, readings: Sequence[Sensors], check: SpeedCheck | None) -> Finding:
    """Speeds that are not those of angles: at rest none shows, but limbs come to rest while they are measured."""
    if check is None:
        check = SpeedCheck(robot.joint_names)
        for each in readings:
            check.see(each)
    return Finding("speeds", not check.untrue, check.untrue, "see the joint map, or leave speeds out of the states")


def _middle(angles: Vector) -> Vector:
    """Median of each joint's angles, (nj,) [rad]; NaN for one that was never seen."""
    seen = np.isfinite(angles).any(axis=0)
    middle: Vector = np.full(angles.shape[1], np.nan)
    middle[seen] = np.nanmedian(angles[:, seen], axis=0)
    return middle


def _stops(robot: Robot, angles: Vector, settings: SafetySettings) -> Finding:
    low, high = robot.stops
    middle = _middle(angles)
    beyond = np.maximum(low - middle, middle - high)
    wrong = np.flatnonzero(beyond > settings.beyond_stops)
    told = [f"{robot.joint_names[j]} at {middle[j]:.2f} rad (stops {low[j]:.2f} to {high[j]:.2f})" for j in wrong]
    remedy = "wrong unit, sign, zero or order of joints: see the joint map; where it is there: safety.beyond_stops"
    return _of_joints("stops", told, "beyond their stops", "all joints are within their stops", remedy)


def _posture(robot: Robot, angles: Vector, settings: SafetySettings) -> Finding:
    if not settings.posture:
        return Finding("posture", True, "")
    wanted, middle = robot.posture(settings.posture), _middle(angles)
    wrong = np.flatnonzero(np.abs(middle - wanted) > settings.posture_error)
    told = [f"{robot.joint_names[j]} at {middle[j]:.2f} rad in place of {wanted[j]:.2f}" for j in wrong]
    remedy = "bring the robot into that posture; where it is in it, sign, order or zero of these joints is wrong"
    return _of_joints("posture", told, f"is not {settings.posture}", f"is {settings.posture}", remedy)


def _alive(readings: Sequence[Sensors], absent: frozenset[str], vitals: Vitals) -> Finding:
    """An IMU is never still to the last bit; a program that repeats an old state is."""
    fields = [name for name in ("gyro", "accelerometer") if name not in absent]
    first = [readings[0][name].tobytes() for name in fields]
    frozen = len(readings) >= ROW and all([each[name].tobytes() for name in fields] == first for each in readings[1:])
    text = f"{' and '.join(fields)} read the same {len(readings)} times" if frozen else ""
    watch = FrozenImuWatch(tuple(fields))
    for each in readings:
        text = watch.see(each) or text
    text = "" if vitals.invented else text
    return Finding("imu", not text, text, "it stands still, or an old state is sent again and again: look after it")


def _gravity(readings: Sequence[Sensors], settings: SafetySettings) -> list[Finding]:
    force = np.median([each.accelerometer for each in readings], axis=0)
    norm = float(np.linalg.norm(force))
    text = f"accelerometer reads {norm:.2f} m/s^2 at rest (limit {settings.gravity:g} +- {settings.gravity_error:g})"
    remedy = "wrong unit of the accelerometer, or the robot moves"
    size = Finding("gravity", abs(norm - settings.gravity) <= settings.gravity_error, text, remedy)
    turns = np.array([each.orientation for each in readings])
    longest = float(np.linalg.norm(turns, axis=1).max())
    if longest < _LEAST_TURN:
        text = f"orientation has a length of {longest:.2g}, and that of a turn is 1"
        return [size, Finding("vertical", False, text, "is it measured already, and in the right place of the state?")]
    # A quaternion and its opposite are one turn, and a robot that looks backwards may tell now one, now the other.
    turns *= np.where(turns @ turns[0] < 0.0, -1.0, 1.0)[:, None]
    w, x, y, z = np.median(turns, axis=0).tolist()
    up = np.array([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z])
    length = norm * float(np.linalg.norm(up))
    apart = math.acos(max(-1.0, min(1.0, float(force @ up) / length))) if length > 0.0 else math.pi
    limit = math.degrees(settings.gravity_angle)
    text = f"accelerometer and orientation are {math.degrees(apart):.0f} deg apart (limit {limit:.0f} deg)"
    remedy = "wrong sign or order of the accelerometer's axes or of the orientation"
    return [size, Finding("vertical", apart <= settings.gravity_angle, text, remedy)]


def _health(robot: Robot, vitals: Vitals, settings: SafetySettings) -> list[Finding]:
    worn = Finding("motors", False, vitals.worn, "look after them, then switch the robot off and on")
    found = [Finding("told", True, vitals.note), worn]
    if vitals.temperature is not None and np.isfinite(vitals.temperature).any():
        hot = int(np.nanargmax(vitals.temperature))
        value = float(vitals.temperature[hot])
        limit = settings.hottest if settings.hot is None else min(settings.hottest, settings.hot)
        text = f"{robot.joint_names[hot]} has {value:.0f} deg C (limit {limit:g})"
        found.append(Finding("temperature", value <= limit, text, "let it cool down"))
    if vitals.battery is not None:
        text = f"battery at {100 * vitals.battery:.0f} % (limit {100 * settings.battery:.0f} %)"
        # 85 in place of 0.85 would never be too low.
        remedy = "charge it" if vitals.battery < settings.battery else "wrong unit: a share is 0 to 1"
        found.append(Finding("battery", settings.battery <= vitals.battery <= _FULL, text, remedy))
    return found


def _of_joints(what: str, wrong: Sequence[str], amiss: str, good: str, remedy: str) -> Finding:
    """What was seen of all joints; names the first of those that are wrong."""
    more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
    text = f"{amiss}: {', '.join(wrong[:_MOST_NAMED])}{more}" if wrong else good
    return Finding(what, not wrong, text, remedy)

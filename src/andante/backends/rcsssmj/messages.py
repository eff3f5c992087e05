"""Messages of rcsssmj: S-expressions behind their length, as agents and monitors get and send them.

Source: the parsers and encoders of rcsssmj 0.2.1. A message is 4 bytes with its length, most significant first, and
text. An agent is told of itself alone:

    (time (now 0.02))(quat (n torso_quat) (q w x y z))(pos (n torso_pos) (p x y z))(GYR (n torso_gyro) (rt x y z))
    (ACC (n torso_acc) (a x y z))(HJ (n q_llj1)(ax 12.3)(vx -0.4))...

in metres, seconds and degrees, cut off at 0.01, position and orientation at 0.001. It answers with one row per motor,
``(lle1 q dq kp kd tau)``, in degrees and N m.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from andante.backends.backend import BackendError
from andante.robots.records import Vector

LONGEST = 1 << 20
"""Longest message that is taken [bytes]."""
_DEEPEST = 16
_WORD = re.compile(rb"[()]|[^\s()]+")

Expression = list["bytes | Expression"]
"""A list of words and lists."""


def parse(message: bytes) -> Expression:
    """The expressions of a message.

    Raises:
        BackendError: Brackets do not match, or are nested deeper than any of rcsssmj's.
    """
    stack: list[Expression] = [[]]
    for found in _WORD.finditer(message):
        word = found.group()
        if word == b"(":
            inner: Expression = []
            stack[-1].append(inner)
            stack.append(inner)
        elif word == b")":
            stack.pop()
        else:
            stack[-1].append(word)
        if not 1 <= len(stack) <= _DEEPEST:
            break
    if len(stack) != 1:
        raise BackendError("rcsssmj sent brackets that do not match", value=message[:80].decode(errors="replace"))
    return stack[0]


@dataclass(frozen=True)
class Perception:
    """What the robot is told after a cycle, in SI."""

    time: float
    """Time of the simulation, cut off at 0.01 s [s]."""
    position: Vector
    """Of the torso, (3,) [m]."""
    orientation: Vector
    """Of the torso, unit quaternion w, x, y, z, (4,)."""
    gyro: Vector
    """Angular velocity in the torso's frame, (3,) [rad/s]."""
    accelerometer: Vector
    """Specific force at the torso's origin in its frame, (3,) [m/s^2]."""
    joints: Mapping[str, tuple[float, float]]
    """Angle and speed by the sensor's name [rad, rad/s]."""


_KINDS = {b"quat": (b"q", 4), b"pos": (b"p", 3), b"GYR": (b"rt", 3), b"ACC": (b"a", 3)}


def perception_of(message: bytes) -> Perception:
    """What a message tells of the robot.

    Raises:
        BackendError: Something is missing or no number.
    """
    time, found, joints = math.nan, dict[bytes, Vector](), dict[str, tuple[float, float]]()
    for node in parse(message):
        if not isinstance(node, list) or not node or not isinstance(node[0], bytes):
            continue
        kind, parts = node[0], {part[0]: part[1:] for part in node[1:] if isinstance(part, list) and part}
        if kind == b"time":
            time = float(_numbers(parts, b"now", 1)[0])
        elif kind in _KINDS:
            found[kind] = _numbers(parts, *_KINDS[kind])
        elif kind == b"HJ":
            name = b" ".join(word for word in parts.get(b"n", []) if isinstance(word, bytes))
            angle, speed = _numbers(parts, b"ax", 1)[0], _numbers(parts, b"vx", 1)[0]
            joints[name.decode(errors="replace")] = math.radians(angle), math.radians(speed)
    missing = [kind.decode() for kind in _KINDS if kind not in found]
    if not math.isfinite(time):
        missing.append("time")
    size = float(np.linalg.norm(found.get(b"quat", np.zeros(4))))
    if missing or size < 0.5:
        what = ", ".join(missing) or "orientation"
        told = message[:80].decode(errors="replace")
        raise BackendError("rcsssmj does not tell enough of the robot", place=f"no {what}", value=told)
    gyro = np.radians(found[b"GYR"])
    return Perception(time, found[b"pos"], found[b"quat"] / size, gyro, found[b"ACC"], joints)


def _numbers(parts: Mapping[bytes | Expression, Expression], name: bytes, count: int) -> Vector:
    words = parts.get(name, [])
    try:
        numbers = np.array([float(word) for word in words if isinstance(word, bytes)])
    except ValueError:
        numbers = np.zeros(0)
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise BackendError(
            "rcsssmj sent no numbers", place=name.decode(), value=str(words)[:80], limit=f"{count} of them"
        )
    return numbers


def framed(text: str) -> bytes:
    """A message with its length before it."""
    data = text.encode()
    return len(data).to_bytes(4, "big") + data


def motor_text(motors: Sequence[str], rows: Vector) -> str:
    """What an agent asks of its motors.

    Args:
        motors: Their names.
        rows: Angle [rad], speed [rad/s], kp [N m/rad], kd [N m s/rad] and torque [N m] of each, (n, 5).
    """
    told = rows.copy()
    told[:, :2] = np.degrees(told[:, :2])
    return "".join(
        f"({name} {q:.6f} {dq:.6f} {kp:.6f} {kd:.6f} {tau:.6f})"
        for name, (q, dq, kp, kd, tau) in zip(motors, told.tolist(), strict=True)
    )


def placing_text(pose: Sequence[float], joints: Mapping[str, float]) -> str:
    """What a monitor says to lay the robot down; see the launcher.

    Args:
        pose: Position [m] and orientation w, x, y, z of the torso.
        joints: Angles by name [rad].
    """
    where = " ".join(f"{value:.9g}" for value in pose)
    return f"(andante (pose {where}){''.join(f'(joint {name} {angle:.9g})' for name, angle in joints.items())})"

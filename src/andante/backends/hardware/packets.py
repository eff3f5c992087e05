"""What goes over a link: a robot's state, a command, and who the robot says it is, in SI units and the wire's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import BackendError
from andante.errors import shorten
from andante.robots.records import Vector

_LONGEST_SAID = 200
"""Most characters of what a robot says of itself."""


class WireError(BackendError):
    """A packet is none of the protocol, or says what cannot be."""


class PartOfStateError(WireError):
    """A packet is one of the protocol, but no whole state is known by it."""


@dataclass(frozen=True)
class Identity:
    """Who a robot says it is; empty where its protocol has no word for it."""

    robot: str = ""
    """Kind of robot."""
    firmware: str = ""
    """Version of its software."""
    serial: str = ""
    """Number of its body."""
    joints: tuple[str, ...] = ()
    """Names of its joints in the order of the wire; empty: the protocol fixes them."""
    period: float = 0.0
    """Time between two states [s]; 0: the protocol fixes it."""
    fake: bool = False
    """Whether it says that it is a fake."""


@dataclass(slots=True, eq=False)
class RobotState:
    """One state of a robot; None for what its protocol does not measure. Arrays of joints have one value per slot."""

    tick: int
    """Count of the robot's cycles."""
    position: Vector
    """Angles, (ns,) [rad]."""
    velocity: Vector | None = None
    """Speeds, (ns,) [rad/s]."""
    effort: Vector | None = None
    """Torques, (ns,) [N m]."""
    temperature: Vector | None = None
    """Temperatures, (ns,) [deg C]."""
    orientation: Vector | None = None
    """Orientation of the IMU, (4,) wxyz."""
    gyro: Vector | None = None
    """Angular velocity, (3,) [rad/s]."""
    accelerometer: Vector | None = None
    """Specific force, (3,) [m/s^2]."""
    contact: Vector | None = None
    """Contact per foot, (nf,)."""
    force: Vector | None = None
    """Force per pressure cell, (nc,) [N]."""
    buttons: Vector | None = None
    """Buttons, (nb,)."""
    battery: float | None = None
    """Charge as a share."""
    mode: str = ""
    """Mode of the robot, where its protocol has modes."""
    worn: str = ""
    """Why it should not be moved on, as for a motor that tells an error."""
    note: str = ""
    """What is told once of it, though it takes commands."""
    by: str = ""
    """Who sent the command that is in force; empty: nobody, or the protocol does not say."""
    identity: Identity | None = None
    """Who the robot says it is, where the packet tells."""


@dataclass(slots=True, eq=False)
class WireCommand:
    """One command, one value per slot."""

    position: Vector
    """Wanted angles, (ns,) [rad]."""
    velocity: Vector
    """Wanted speeds, (ns,) [rad/s]."""
    kp: Vector
    """Position gains, (ns,) [N m/rad]."""
    kd: Vector
    """Velocity gains, (ns,) [N m s/rad]."""
    torque: Vector
    """Feed-forward torques, (ns,) [N m]."""
    tick: int = 0
    """Count of the sender's commands."""
    by: str = ""
    """Who sends it."""
    hello: bool = False
    """Only asks the robot to send its states; nothing is commanded."""

    @classmethod
    def off(cls, count: int) -> WireCommand:
        """All slots off."""
        return cls(np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count))


MOTOR_FIELDS = {"q": "position", "dq": "velocity", "tau": "torque", "kp": "kp", "kd": "kd"}
"""What `WireCommand` calls the values of a motor, by their usual short names in protocols."""


@dataclass(slots=True)
class Traffic:
    """What was counted on a link since it was opened."""

    older: int = 0
    """States that were thrown away because a newer one had arrived."""
    read: int = 0
    """States that were read."""
    broken: int = 0
    """Packets that are none of the protocol."""
    part: str = ""
    """What was missing of a state when parts of one came last."""
    problem: str = field(default="")
    """What was wrong with the last of them."""
    foreign: int = 0
    """Commands of others that were seen."""


def said(value: object) -> str:
    """What a robot says in words: on one line, short, without codes that steer a terminal."""
    text = "".join(each if each.isprintable() else " " for each in str(value)[: 10 * _LONGEST_SAID])
    return shorten(text, _LONGEST_SAID)


def floats(values: object, count: int, what: str, slots: Sequence[str] = ()) -> NDArray[np.float64]:
    """Numbers of a packet as an array.

    Args:
        values: What the packet has.
        count: So many they must be.
        what: The field's name, for messages.
        slots: Names of the joints, where each number is one of a joint.

    Raises:
        WireError: They are too few or too many, or no finite numbers; the first that is none is named by its place.
    """
    try:
        plain = np.asarray(values)
        array = np.asarray(plain, dtype=np.float64) if plain.dtype.kind in "fiu" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        first = _first_odd(values)
        if first is None:
            raise WireError("these are no numbers", place=what, value=str(values)[:80])
        odd = list(values)[first] if isinstance(values, list | tuple) else None
        raise WireError("is no number", place=_at(what, first, slots), value=said(odd))
    if array.shape != (count,):
        raise WireError("too few or too many numbers", place=what, value=array.shape, limit=f"{count} numbers")
    if not np.isfinite(array).all():
        first = int(np.flatnonzero(~np.isfinite(array))[0])
        raise WireError("a number is not finite", place=_at(what, first, slots), value=float(array[first]))
    return array


def _first_odd(values: object) -> int | None:
    """Where the first value of a list is that is no number; None: it is no list, or none of them is the reason."""
    if not isinstance(values, list | tuple):
        return None
    odd = (at for at, each in enumerate(values) if isinstance(each, bool) or not isinstance(each, int | float))
    return next(odd, None)


def _at(what: str, number: int, slots: Sequence[str]) -> str:
    """The place of a number, for messages: ``position[7], LHipPitch``."""
    joint = f", {slots[number]}" if number < len(slots) and slots[number] else ""
    return f"{what}[{number}]{joint}"

"""FloatingBase: what an estimator of a dynamic quadruped tells, with what it no longer trusts.

It is a `andante.control.estimation.state.BodyMotion` too, so that every gait that walks by one can walk by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntFlag
from functools import lru_cache

from andante.control.estimation.state import Feet, Levelled
from andante.spatial.arrays import Array


class Doubt(IntFlag):
    """What an estimator does not trust; several may hold at once."""

    GYRO = 1
    """The gyro gives no number, an impossible one, or repeats itself."""
    ACCELEROMETER = 2
    """The accelerometer does."""
    ORIENTATION = 4
    """The IMU gives no orientation."""
    ENCODER = 8
    """A leg's joints give no numbers, repeat themselves, or are reported as faulty; the leg carries nothing."""
    SWITCH_CLOSED = 16
    """A foot's switch is closed while the foot moves over the ground: it is stuck, or the foot slides."""
    SWITCH_OPEN = 32
    """A foot's switch is open, or gives no number, while the foot stands by plan and by its legs."""
    SLIP = 64
    """A foot that touches moves against what IMU and other feet say; it carries nothing at this tick."""
    NO_STANCE = 128
    """No foot has carried the estimate for so long that the velocity is the accelerometer's."""
    CONTRADICTION = 256
    """Feet touch, and none of them agrees with the IMU, or those that do agree badly for long."""
    CAPTURE = 512
    """Motion capture gives nothing."""
    RESTARTED = 1024
    """The estimate was no number and was begun anew at its last good one."""
    TILT = 2048
    """The IMU's own tilt and that by gyro and feet differ: the IMU is wrong, or feet slide."""


NOTHING = Doubt(0)
"""No doubt."""
_WORDS = {
    Doubt.GYRO: "gyro",
    Doubt.ACCELEROMETER: "accelerometer",
    Doubt.ORIENTATION: "orientation of the IMU",
    Doubt.TILT: "tilt (IMU and feet differ: feet slide, or the IMU is wrong)",
    Doubt.NO_STANCE: "no foot stands",
    Doubt.CONTRADICTION: "feet and IMU contradict each other",
    Doubt.CAPTURE: "no motion capture",
    Doubt.RESTARTED: "begun anew",
}
_LEG_WORDS = {
    Doubt.ENCODER: "encoders of {}",
    Doubt.SWITCH_CLOSED: "foot switch of {} (closed)",
    Doubt.SWITCH_OPEN: "foot switch of {} (open)",
    Doubt.SLIP: "slip of {}",
}


@dataclass(frozen=True)
class EstimateHealth:
    """What the estimator does not trust, and whether its state may still be walked by."""

    trusted: bool = True
    """Whether the state may be walked by; where it may not, the robot must be brought to rest."""
    doubts: Doubt = NOTHING
    """All that it does not trust now."""
    legs: tuple[Doubt, ...] = ()
    """The same for each leg."""
    names: tuple[str, ...] = ()
    """Names of the legs."""

    @property
    def text(self) -> str:
        """In words, for events and verdicts; empty where there is nothing."""
        return _text_of(self.trusted, self.doubts, self.legs, self.names)


@lru_cache(maxsize=256)
def _text_of(trusted: bool, doubts: Doubt, legs: tuple[Doubt, ...], names: tuple[str, ...]) -> str:
    # Asked at every tick, and the same for many of them.
    parts = [words for each, words in _WORDS.items() if each in doubts]
    for each, words in _LEG_WORDS.items():
        found = [name for name, leg in zip(names, legs, strict=True) if each in leg]
        if found:
            parts.append(words.format(", ".join(found)))
    if not parts:
        return "" if trusted else "not trusted: the estimate has become too uncertain"
    return ("" if trusted else "not trusted: ") + "; ".join(parts)


@lru_cache(maxsize=256)
def health_of(trusted: bool, doubts: int, legs: tuple[float, ...], names: tuple[str, ...]) -> EstimateHealth:
    """The health that a kernel tells by numbers; the same object for the same numbers.

    Args:
        trusted: Whether the state may be walked by.
        doubts: All that is not trusted, as `Doubt`.
        legs: The same for each leg.
        names: Names of the legs.
    """
    return EstimateHealth(trusted, Doubt(doubts), tuple(Doubt(int(leg)) for leg in legs), names)


@dataclass(frozen=True, eq=False)
class FloatingBase(Levelled):
    """Where base and feet are and how they move, at one tick."""

    time: float
    """Time of the sensors [s]."""
    position: Array
    """Origin of the base in the world, (3,) [m]."""
    rotation: Array
    """Rotation from the base's to the world's axes, (3, 3)."""
    rpy: Array
    """Roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll), (3,) [rad]; yaw counts full turns on."""
    velocity: Array
    """Velocity of the origin of the base in the world, (3,) [m/s]."""
    angular_velocity: Array
    """Angular velocity of the base in its own axes, (3,) [rad/s]."""
    feet: Array
    """Centres of the ball feet in the world, (nl, 3) [m]."""
    contact: Feet
    """Which feet touch the ground, as far as the estimator believes it, (nl,)."""
    confidence: Array
    """How far each foot carries the estimate: 0 not at all, 1 fully, (nl,)."""
    deviation: Array
    """Standard deviations of position [m], orientation about the world's axes [rad] and velocity [m/s], (9,)."""
    way: Array
    """Way that the base has come, in level frames of each moment, (2,) [m]."""
    health: EstimateHealth = field(default_factory=EstimateHealth)
    """What is not trusted."""

    @property
    def yaw(self) -> float:
        """Heading [rad]; full turns count on."""
        return float(self.rpy[2])

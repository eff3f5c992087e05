"""A kick as the path of a foot: when the weight shifts, and where the kicking foot is at every moment.

The foot leaves its place, is drawn back, swings forward through the ball, stays in front for a moment and is put back.
Seen along the ground each way is half a cosine, slow at both ends and fastest in the middle. While it swings, its
height grows with the square of the distance from where it meets the ball, and its pitch with that distance: about the
path of a leg that swings from the hip, which is what the joints' speeds allow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from itertools import pairwise

from andante.motions.errors import MotionError

_MOMENTS = ("lift_off", "back", "front", "leave", "put_down", "end")
_ROUNDING = 1e-6


@dataclass(frozen=True)
class FootKick:
    """A kick with the right foot out of a stand on both; moments in seconds from its begin, lengths in metres, radians.

    Places of the foot are seen from its place in the stand, the centre of mass from the sole that carries.
    """

    step: float = 0.024
    """Time from keyframe to keyframe [s]; all moments are multiples of it."""
    shift: float = 0.48
    """Moment at which the centre of mass has come over the left foot."""
    lift_off: float = 0.36
    """Moment at which the right foot begins to leave the ground."""
    back: float = 0.624
    """Moment at which it is behind."""
    front: float = 0.864
    """Moment at which it is in front."""
    leave: float = 0.912
    """Moment at which it goes back to its place."""
    put_down: float = 1.272
    """Moment at which it is on the ground again."""
    unshift: float = 1.128
    """Moment at which the centre of mass begins to leave the left foot."""
    end: float = 1.584
    """Moment at which the robot stands as before."""
    back_x: float = -0.08
    """Where the foot is drawn back to."""
    back_height: float = 0.065
    """Height of its sole there."""
    back_pitch: float = 0.35
    """Pitch of its sole there, toes down positive."""
    strike_x: float = 0.03
    """Where it meets the ball."""
    strike_height: float = 0.026
    """Height of its sole there, where it is level."""
    front_x: float = 0.13
    """Where it swings to."""
    front_height: float = 0.06
    """Height of its sole there."""
    front_pitch: float = -0.6
    """Pitch of its sole there."""
    roll: float = 0.06
    """Roll of its sole while in the air, inner edge down positive: the leg leans inwards, the ankle gives no more."""
    com: tuple[float, float] = (0.023, -0.001)
    """Centre of mass over the left sole, forward and left, while it carries alone."""
    carry: float = 0.07
    """Further way of the centre of mass forward per metre of the foot's; 0: the torso does all of the balancing."""
    crouch: float = 0.005
    """How much lower than in the stand the torso is."""
    lean_roll: float = -0.03
    """Roll of the torso, to the right positive."""
    lean_pitch: float = 0.01
    """Pitch of the torso, forward positive."""
    rock: float = -0.5
    """Further pitch of the torso per metre of the foot's way forward [rad/m]."""
    arms: float = 3.8
    """Turn of the shoulders per metre of the foot's way [rad/m]; the right arm goes back as the foot goes forward."""
    spread: float = 0.3
    """Roll of both arms away from the body."""
    sag: float = 0.013
    """Roll added at the carrying hip, against what it gives way under the load."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not all(map(math.isfinite, value if isinstance(value, tuple) else (value,))):
                raise MotionError("a kick needs finite numbers", place=field.name, value=value)
        times = [0.0, *(getattr(self, name) for name in _MOMENTS)]
        if not (self.step > 0.0 and all(a < b for a, b in pairwise(times))):
            limit = f"0 < step and 0 < {' < '.join(_MOMENTS)}"
            raise MotionError(
                "the moments of a kick must follow one another", value=(self.step, *times[1:]), limit=limit
            )
        if not 0.0 < self.shift <= self.unshift < self.end:
            raise MotionError(
                "the weight must shift over the foot and back before the end",
                value=(self.shift, self.unshift, self.end),
                limit="0 < shift <= unshift < end",
            )
        for name in (*_MOMENTS, "shift", "unshift"):
            value = getattr(self, name)
            if abs(value / self.step - round(value / self.step)) > _ROUNDING:
                what, limit = "a moment of a kick is no whole number of steps", f"multiples of {self.step:g} s"
                raise MotionError(what, place=name, value=value, limit=limit)
        if not self.back_x < self.strike_x < self.front_x:
            raise MotionError(
                "the foot meets the ball between back and front",
                value=(self.back_x, self.strike_x, self.front_x),
                limit="back_x < strike_x < front_x",
            )

    def weight(self, time: float) -> float:
        """Share of the way of the centre of mass over the carrying foot, 0..1."""
        return _along(time, (0.0, 0.0), (self.shift, 1.0), (self.unshift, 1.0), (self.end, 0.0))

    def lifted(self, time: float) -> float:
        """How far the kicking foot is in the air, 0..1."""
        return _along(time, (self.lift_off, 0.0), (self.back, 1.0), (self.leave, 1.0), (self.put_down, 0.0))

    def forward(self, time: float) -> float:
        """Way of the kicking foot forward [m]."""
        return _along(
            time,
            (self.lift_off, 0.0),
            (self.back, self.back_x),
            (self.front, self.front_x),
            (self.leave, self.front_x),
            # There before it touches the ground: it shall not scrape.
            (self.put_down - 2.0 * self.step, 0.0),
        )

    def height(self, time: float) -> float:
        """Height of the kicking foot's sole [m]."""
        if time <= self.back:
            return self.back_height * self.lifted(time)
        if time >= self.leave:
            return self.front_height * self.lifted(time)
        share, end = self._from_strike(time), self._end(time, self.back_height, self.front_height)
        return self.strike_height + (end - self.strike_height) * share * share

    def pitch(self, time: float) -> float:
        """Pitch of the kicking foot's sole, toes down positive [rad]."""
        if time <= self.back:
            return self.back_pitch * self.lifted(time)
        if time >= self.leave:
            return self.front_pitch * _along(time, (self.leave, 1.0), (self.put_down - 2.0 * self.step, 0.0))
        return self._from_strike(time) * self._end(time, self.back_pitch, self.front_pitch)

    @property
    def strike_time(self) -> float:
        """Moment at which the foot meets the ball [s]."""
        share = (self.strike_x - self.back_x) / (self.front_x - self.back_x)
        return self.back + (self.front - self.back) * math.acos(1.0 - 2.0 * share) / math.pi

    @property
    def strike_speed(self) -> float:
        """Speed of the foot at that moment [m/s]."""
        share = (self.strike_time - self.back) / (self.front - self.back)
        return 0.5 * math.pi * (self.front_x - self.back_x) / (self.front - self.back) * math.sin(math.pi * share)

    def _end(self, time: float, back: float, front: float) -> float:
        return back if self.forward(time) < self.strike_x else front

    def _from_strike(self, time: float) -> float:
        """Distance from the strike as a share of that of the end on the same side."""
        return (self.forward(time) - self.strike_x) / (self._end(time, self.back_x, self.front_x) - self.strike_x)


def _along(time: float, *knots: tuple[float, float]) -> float:
    """Value at a moment between knots of moment and value, level at each of them."""
    (begin, value), *rest = knots
    for moment, goal in rest:
        if time < moment:
            ratio = max(time - begin, 0.0) / (moment - begin)
            return value + (goal - value) * (0.5 - 0.5 * math.cos(math.pi * ratio))
        begin, value = moment, goal
    return value

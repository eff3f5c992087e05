"""The centre-of-mass balancer: exponentially scaled P and D with a small I (reference section 2.7).

Inside, lengths are millimetres and outputs degrees, because the gains in motion libraries are made for these units.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from andante.control.keyframes.compiled import BalanceJoint, CompiledKeyframe
from andante.control.keyframes.trend_filter import TrendFilter
from andante.motions.settings import BalanceParameters, GainPair
from andante.robots.records import Vector

_INTEGRAL_GAIN = 0.02
_INTEGRAL_DECAY = 7000.0
"""Shrinking of the integral part per second while it must not grow [mm]."""
_FILTER = 0.4
_FILTER_STEP = 1.0
"""Largest change of the output per tick [deg]."""
_SLOW, _FAST = 0.2, 0.5
"""Factors of the 2025 filter, which limits no change."""
_PAUSE = 24_000
"""A balancer that has not run for longer starts anew [us]."""
_STATIC_PHASE = "stand_static"


@dataclass(slots=True)
class AxisState:
    """Memory of one direction."""

    offset: float = 0.0
    """Last offset of the centre of mass from the support centre [mm]."""
    growth: float = 0.0
    """Filtered speed of the goal [mm per tick]."""
    integral: float = 0.0
    """Sum of the errors [mm]."""
    output: float = 0.0
    """Filtered output [deg]."""
    derivative: float = 0.0
    """Weighted differential part of the last tick."""


@dataclass(frozen=True, slots=True)
class AxisGains:
    """Parameters of one direction."""

    p: GainPair
    """Proportional."""
    d: GainPair
    """Differential."""
    cap: tuple[float, float]
    """Caps of the scaling for negative and positive errors."""
    exponent: tuple[float, float]
    """Exponents of the scaling."""
    base: tuple[float, float]
    """Errors at which the scaling reaches 1 [mm]."""


def error_scaling(error: float, base: float, exponent: float, cap: float) -> float:
    """Growth of the gains with the error: (|error| / |base|)^exponent up to the cap; a base of 0 counts as 1 mm."""
    size = abs(error) / abs(base) if base != 0.0 else abs(error)
    if size == 0.0 and exponent < 0.0:
        return cap
    if size > 1.0 and exponent * math.log(size) > 50.0:
        return cap
    return min(math.pow(size, exponent), cap)


def axis_output(
    error: float,
    change: float,
    integral: float,
    gains: AxisGains,
    dt: float,
    damped: bool,
    base: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Unfiltered output [deg] and weighted differential part of one direction.

    Args:
        error: Centre of mass minus its goal [mm].
        change: Change of the error since the last tick [mm].
        integral: Sum of the errors [mm].
        gains: Parameters.
        dt: Tick [s].
        damped: The differential gain does not grow while the error shrinks (2025).
        base: In place of the gains' own, on the way from another phase's [mm].
    """
    side = 0 if error < 0.0 else 1
    scaling = error_scaling(error, (base or gains.base)[side], gains.exponent[side], gains.cap[side])
    scaling_d = 0.0 if damped and error * change < 0.0 else scaling
    proportional = error * (gains.p.base + min(scaling, gains.p.max_additional))
    derivative = change / dt * (gains.d.base + min(scaling_d, gains.d.max_additional))
    return dt * (proportional + _INTEGRAL_GAIN * integral + derivative), derivative


class ComBalancer:
    """Turns the centre of mass's error into joint corrections.

    Args:
        joints: Number of joints.
        tick: Period [s].
        damped: As in `axis_output`.
        adaptive: Filter the output by the rule of 2025.
    """

    def __init__(self, joints: int, tick: float, damped: bool, adaptive: bool = False) -> None:
        self._dt, self._damped = tick, damped
        self._trend = TrendFilter(2, _SLOW, _FAST) if adaptive else None
        self._wanted = np.zeros(2)
        self.correction: Vector = np.zeros(joints)
        """Correction of the output, (nj,) [rad]."""
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.correction[:] = 0.0
        self.axes = (AxisState(), AxisState())
        self.error = (0.0, 0.0)
        """Centre of mass minus its goal, x and y [m]."""
        self._goal = (0.0, 0.0)
        self._from = (0.0, 0.0)
        self._base = ((0.0, 0.0), (0.0, 0.0))
        self._from_base = self._base
        self._gains: tuple[AxisGains, AxisGains] | None = None
        self._keyframe: CompiledKeyframe | None = None
        self._last: int | None = None

    @property
    def derivative(self) -> float:
        """Largest weighted differential part of the last tick."""
        return max(abs(axis.derivative) for axis in self.axes)

    def start(self, keyframe: CompiledKeyframe, offset: tuple[float, float] | None) -> None:
        """A keyframe begins; ``offset`` is the measured centre of mass [m] where the goal starts there."""
        self._from = self._goal if offset is None else (offset[0] * 1e3, offset[1] * 1e3)
        self._from_base = self._base
        self._keyframe = keyframe
        self._gains = None if keyframe.balance is None else _gains(keyframe.balance)
        if self._last is None and self._gains is not None:
            self._from_base = (self._gains[0].base, self._gains[1].base)

    def update(self, now: int, ratio: float, duration: int, offset: tuple[float, float], settle: bool) -> None:
        """Compute the correction of this tick.

        Args:
            now: Time [us].
            ratio: Share of the keyframe that has passed.
            duration: The keyframe's duration [us].
            offset: Centre of mass relative to the support centre [m].
            settle: The integral part may only shrink.
        """
        keyframe = self._keyframe
        self.correction[:] = 0.0
        if keyframe is None:
            return
        restart = self._last is None or now - self._last > _PAUSE
        self._last = now
        settle = settle or keyframe.phase == _STATIC_PHASE
        goals, bases, errors = [], [], []
        for number, axis in enumerate(self.axes):
            measured = offset[number] * 1e3
            goal_end, begin = keyframe.com_goal[number] * 1e3, self._from[number]
            goal = begin + (goal_end - begin) * ratio
            goals.append(goal)
            gains = self._gains[number] if self._gains is not None else None
            end = gains.base if gains is not None else self._from_base[number]
            low, high = self._from_base[number]
            base = (low + (end[0] - low) * ratio, high + (end[1] - high) * ratio)
            bases.append(base)
            error = measured - goal
            errors.append(error * 1e-3)
            if restart:
                axis.offset, axis.growth, axis.integral, axis.output = measured, 0.0, 0.0, 0.0
            axis.growth = 0.75 * axis.growth + 0.25 * (goal_end - begin) * self._dt * 1e6 / duration
            change = measured - axis.offset - axis.growth
            axis.offset = measured
            decay = _INTEGRAL_DECAY * self._dt
            if settle:
                axis.integral = math.copysign(max(abs(axis.integral) - decay, 0.0), axis.integral)
            else:
                axis.integral += error
            if gains is None:
                wanted, axis.derivative = 0.0, 0.0
            else:
                wanted, axis.derivative = axis_output(error, change, axis.integral, gains, self._dt, self._damped, base)
            self._wanted[number] = wanted
            if self._trend is None:
                axis.output += max(-_FILTER_STEP, min(_FILTER_STEP, _FILTER * (wanted - axis.output)))
        if self._trend is not None:
            if restart:
                self._trend.reset()
            self._trend.update(self._wanted)
            for axis, output in zip(self.axes, self._trend.value.tolist(), strict=True):
                axis.output = output
        self._goal, self._base = (goals[0], goals[1]), (bases[0], bases[1])
        self.error = (errors[0], errors[1])
        self._apply(keyframe.balance_pitch, self.axes[0].output)
        self._apply(keyframe.balance_roll, self.axes[1].output)

    def _apply(self, joints: Iterable[BalanceJoint], output: float) -> None:
        for entry in joints:
            self.correction[entry.joint] += math.radians(_signed(output * entry.scale, entry.sign))


def _signed(value: float, sign: str) -> float:
    if sign == "only_positive":
        return max(value, 0.0)
    if sign == "only_negative":
        return min(value, 0.0)
    if sign == "absolute_positive":
        return abs(value)
    return -abs(value) if sign == "absolute_negative" else value


def _gains(balance: BalanceParameters) -> tuple[AxisGains, AxisGains]:
    scaling, exponent, lengths = balance.max_scaling, balance.exponent, balance.com_range
    return (
        AxisGains(
            balance.p_pitch,
            balance.d_pitch,
            (scaling.pitch.min, scaling.pitch.max),
            (exponent.pitch.min, exponent.pitch.max),
            (lengths.pitch.min * 1e3, lengths.pitch.max * 1e3),
        ),
        AxisGains(
            balance.p_roll,
            balance.d_roll,
            (scaling.roll.min, scaling.roll.max),
            (exponent.roll.min, exponent.roll.max),
            (lengths.roll.min * 1e3, lengths.roll.max * 1e3),
        ),
    )

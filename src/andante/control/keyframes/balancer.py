"""The centre-of-mass balancer: exponentially scaled P and D with a small I (docs/sources/keyframe-engine.md, 2.7).

Inside, lengths are millimetres and outputs degrees, because the gains in motion libraries are made for these units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.control.keyframes.compiled import CompiledKeyframe
from andante.control.keyframes.trend_filter import TrendFilter
from andante.motions.parts import LengthRange, NumberRange
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


class BalanceAxis:
    """One direction of the balancer: its goal, its gains and what it remembers.

    Args:
        tick: Period [s].
        damped: As in `axis_output`.
        adaptive: Filter the output by the rule of 2025.
    """

    def __init__(self, tick: float, damped: bool, adaptive: bool) -> None:
        self._dt, self._damped, self._decay = tick, damped, _INTEGRAL_DECAY * tick
        self._trend = TrendFilter(0.0, _SLOW, _FAST) if adaptive else None
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.integral = 0.0
        """Sum of the errors [mm]."""
        self.output = 0.0
        """Filtered output [deg]."""
        self.derivative = 0.0
        """Weighted differential part of the last tick."""
        self.error = 0.0
        """Centre of mass minus its goal [m]."""
        self._offset = self._growth = 0.0
        self._goal = self._from = self._end = 0.0
        self._base = self._from_base = (0.0, 0.0)
        self._gains: AxisGains | None = None

    def start(self, goal: float, offset: float | None, gains: AxisGains | None, fresh: bool) -> None:
        """A keyframe begins.

        Args:
            goal: Where the goal's way ends [m].
            offset: Where it begins [m]; None: at the present goal.
            gains: Parameters; None: no output.
            fresh: There are no earlier parameters to come from.
        """
        self._from, self._end = self._goal if offset is None else offset * 1e3, goal * 1e3
        self._from_base, self._gains = self._base, gains
        if fresh and gains is not None:
            self._from_base = gains.base

    def update(self, measured: float, ratio: float, duration: int, settle: bool) -> None:
        """Compute the output of this tick; ``measured`` is the offset of the centre of mass [mm]."""
        begin, end, gains, dt = self._from, self._end, self._gains, self._dt
        self._goal = begin + (end - begin) * ratio
        (low, high), (low_end, high_end) = self._from_base, self._from_base if gains is None else gains.base
        self._base = (low + (low_end - low) * ratio, high + (high_end - high) * ratio)
        error = measured - self._goal
        self.error = error * 1e-3
        self._growth = 0.75 * self._growth + 0.25 * (end - begin) * dt * 1e6 / duration
        change = measured - self._offset - self._growth
        self._offset = measured
        if settle:
            self.integral = math.copysign(max(abs(self.integral) - self._decay, 0.0), self.integral)
        else:
            self.integral += error
        wanted, self.derivative = 0.0, 0.0
        if gains is not None:
            wanted, self.derivative = axis_output(error, change, self.integral, gains, dt, self._damped, self._base)
        if self._trend is None:
            self.output += max(-_FILTER_STEP, min(_FILTER_STEP, _FILTER * (wanted - self.output)))
        else:
            self._trend.update(wanted)
            self.output = self._trend.value

    def restart(self, measured: float) -> None:
        """Begin anew at an offset of the centre of mass [mm]; the goal goes on."""
        self._offset, self._growth, self.integral, self.output = measured, 0.0, 0.0, 0.0
        if self._trend is not None:
            self._trend.reset()


class ComBalancer:
    """Turns the centre of mass's error into joint corrections.

    Args:
        joints: Number of joints.
        tick: Period [s].
        damped: As in `axis_output`.
        adaptive: Filter the output by the rule of 2025.
    """

    def __init__(self, joints: int, tick: float, damped: bool, adaptive: bool = False) -> None:
        self.axes = BalanceAxis(tick, damped, adaptive), BalanceAxis(tick, damped, adaptive)
        """Fore and aft, sideways."""
        self.correction: Vector = np.zeros(joints)
        """Correction of the output, (nj,) [rad]."""
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.correction[:] = 0.0
        for axis in self.axes:
            axis.reset()
        self._keyframe: CompiledKeyframe | None = None
        self._last: int | None = None

    @property
    def error(self) -> tuple[float, float]:
        """Centre of mass minus its goal, x and y [m]."""
        return self.axes[0].error, self.axes[1].error

    @property
    def derivative(self) -> float:
        """Largest weighted differential part of the last tick."""
        return max(abs(axis.derivative) for axis in self.axes)

    def start(self, keyframe: CompiledKeyframe, offset: tuple[float, float] | None) -> None:
        """A keyframe begins; ``offset`` is the measured centre of mass [m] where the goal starts there."""
        self._keyframe = keyframe
        gains = (None, None) if keyframe.balance is None else _gains(keyframe.balance)
        goals, starts = keyframe.written.com_goal, offset or (None, None)
        for axis, goal, start, own in zip(self.axes, goals, starts, gains, strict=True):
            axis.start(goal, start, own, self._last is None)

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
        self.correction.fill(0.0)
        if keyframe is None:
            return
        restart = self._last is None or now - self._last > _PAUSE
        self._last = now
        settle = settle or keyframe.written.phase == _STATIC_PHASE
        for axis, place, joints in zip(self.axes, offset, (keyframe.balance_pitch, keyframe.balance_roll), strict=True):
            measured = place * 1e3
            if restart:
                axis.restart(measured)
            axis.update(measured, ratio, duration, settle)
            for joint, entry in joints:
                self.correction[joint] += math.radians(_signed(axis.output * entry.scale, entry.sign))


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
    pitch = balance.p_pitch, balance.d_pitch, scaling.pitch, exponent.pitch, lengths.pitch
    roll = balance.p_roll, balance.d_roll, scaling.roll, exponent.roll, lengths.roll
    return _axis_gains(*pitch), _axis_gains(*roll)


def _axis_gains(p: GainPair, d: GainPair, cap: NumberRange, exponent: NumberRange, base: LengthRange) -> AxisGains:
    return AxisGains(p, d, (cap.min, cap.max), (exponent.min, exponent.max), (base.min * 1e3, base.max * 1e3))

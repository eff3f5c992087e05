"""Balance parameters per phase and the engine settings of a library."""

from __future__ import annotations

from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Angle, Duration, Length, Number, Seconds, Stiffness
from andante.motions.parts import AngleRange, LengthRange, NumberRange, TorsoWindow, WindowRange


class DirectionNumbers(Part):
    """Plain number ranges for pitch and roll."""

    pitch: NumberRange
    """Fore and aft: min for negative, max for positive errors."""
    roll: NumberRange
    """Sideways: min for negative, max for positive errors."""


class DirectionLengths(Part):
    """Length ranges for pitch and roll."""

    pitch: LengthRange
    """Fore and aft [m]."""
    roll: LengthRange
    """Sideways [m]."""


class GainPair(Part):
    """A gain with its error-dependent addition, in the engine's own unit (degrees per millimetre and second)."""

    base: Number
    """Gain at zero error."""
    max_additional: Number
    """Largest addition by the exponential scaling."""


class BalanceParameters(Part):
    """The balancer's parameters for one phase."""

    max_scaling: DirectionNumbers
    """Caps of the exponential scaling."""
    exponent: DirectionNumbers
    """Exponents of the scaling."""
    p_pitch: GainPair
    """Proportional, fore and aft."""
    p_roll: GainPair
    """Proportional, sideways."""
    d_pitch: GainPair
    """Differential, fore and aft."""
    d_roll: GainPair
    """Differential, sideways."""
    com_range: DirectionLengths
    """Errors at which the scaling reaches 1 [m]."""


class BalanceOut(Part):
    """When balancing at a motion's end is over."""

    max_time: Seconds = 1.5
    """Longest time [s]."""
    max_fluctuation: Angle = 33.0 * 0.017453292519943295
    """Torso angle change per tick below which the robot counts as still [rad]."""
    max_forward: Angle = 7.0 * 0.017453292519943295
    """Largest forward pitch [rad]."""
    min_backward: Angle = -2.0 * 0.017453292519943295
    """Largest backward pitch, negative [rad]."""
    max_d: Number = 60.0
    """Largest differential part, the engine's unit."""


class SafeFall(Part):
    """The posture in which the engine lets the robot fall after a break-up."""

    sit_hip_yaw_pitch_threshold: Angle = 10.0 * 0.017453292519943295
    """Hip yaw pitch above which the sitting fall posture is used [rad]."""
    head: Angle = 25.0 * 0.017453292519943295
    """Head pitch of the fall posture [rad]."""
    head_stiffness: Stiffness = 0.5
    """Stiffness of the head."""
    body_stiffness: Stiffness = 0.1
    """Stiffness of the body."""
    low_head_stiffness_after: Seconds = 0.03
    """Time until the head becomes soft [s]."""
    off_after: Seconds = 1.0
    """Time until everything is off [s]."""
    hip_pitch_stiffness: Stiffness | None = None
    """Stiffness of the hip pitch joints (dialect 2025)."""
    elbow_roll_stiffness: Stiffness | None = None
    """Stiffness of the elbow rolls (dialect 2025)."""


class Oscillation(Part):
    """Ankle roll oscillation that shakes a stuck hip yaw pitch loose (dialect 2025)."""

    period: Duration
    """Period [s]."""
    amplitude: Angle
    """Amplitude [rad]."""
    error_range: AngleRange
    """Hip yaw pitch errors over which the amplitude grows from 0 to full [rad]."""


class EngineSettings(Part):
    """What holds for all motions of a library."""

    max_tries: int = Field(default=6, ge=1)
    """Get-up tries before the robot asks for help."""
    break_up_on_motor_malfunction: bool = True
    """Break up when a leg motor reports a malfunction."""
    step_mode_stiffness: Stiffness = 0.4
    """Largest stiffness in step mode."""
    min_reduce_difference: Angle | None = 0.5 * 0.017453292519943295
    """Error decrease per tick that counts as moving free (dialects to 2024) [rad]."""
    balance_out: BalanceOut = BalanceOut()
    """End of the balancing after a motion."""
    support_offsets: tuple[Length, Length, Length] = (0.07, -0.04, 0.04)
    """Offsets of the support polygon's corners from the ankle: front, outer, inner [m]."""
    safe_fall: SafeFall = SafeFall()
    """Fall posture."""
    safe_upright: TorsoWindow = TorsoWindow(
        pitch=WindowRange(min=-20.0 * 0.017453292519943295, max=40.0 * 0.017453292519943295),
        roll=WindowRange(min=-40.0 * 0.017453292519943295, max=40.0 * 0.017453292519943295),
    )
    """Torso angles that count as upright."""
    difference_filter: NumberRange | None = None
    """Adaptive low-pass factors of the joint differences (dialect 2025)."""
    oscillation: Oscillation | None = None
    """Ankle oscillation (dialect 2025)."""
    retries: int | None = Field(default=None, ge=0)
    """Retries within one get-up motion (dialect 2022)."""
    front_retries: int | None = Field(default=None, ge=0)
    """Retries of moving the arms aside in the front get-up (dialect 2022)."""
    shoulder_pitch_threshold: Angle | None = None
    """Shoulder pitch above which the front get-up is retried (dialect 2022) [rad]."""
    shoulder_roll_threshold: Angle | None = None
    """Shoulder roll beyond which the front get-up is retried (dialect 2022) [rad]."""
    broken_joint_thresholds: dict[str, Angle] | None = None
    """Error per joint from which it counts as broken (dialect 2022) [rad]."""
    compensation_simulation_factor: Number | None = None
    """Share per tick by which a joint that is stuck for a test comes free again (dialect 2022)."""

"""Engine settings and balance parameters to values of the configuration files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.formats.bhuman.names import PHASES, joint_names
from andante.formats.bhuman.rounding import milliseconds, whole
from andante.formats.bhuman.schema import BALANCE_PHASE, GAINS, engine_shape
from andante.formats.report import Losses
from andante.motions.parts import AngleRange, LengthRange, NumberRange, TorsoWindow, WindowRange
from andante.motions.settings import BalanceParameters, DirectionLengths, DirectionNumbers, EngineSettings

Raw = dict[str, Any]


def encode_settings(settings: EngineSettings, dialect: str, losses: Losses) -> Raw:
    """Values of the engine file's top level but for motions and blocks."""
    out, fall, oscillation = settings.balance_out, settings.safe_fall, settings.oscillation
    for value, inside in (
        (settings.step_mode_stiffness, "settings.step_mode_stiffness"),
        (fall.head_stiffness, "settings.safe_fall.head_stiffness"),
        (fall.body_stiffness, "settings.safe_fall.body_stiffness"),
        (fall.hip_pitch_stiffness, "settings.safe_fall.hip_pitch_stiffness"),
        (fall.elbow_roll_stiffness, "settings.safe_fall.elbow_roll_stiffness"),
    ):
        if value is not None:
            whole(value * 100.0, "%", inside, losses)
    always: Raw = {
        "maxTryCounter": settings.max_tries,
        "motorMalfunctionBreakUp": settings.break_up_on_motor_malfunction,
        "maxStiffnessDebugMode": settings.step_mode_stiffness,
        "balanceOutParams": {
            "maxTime": milliseconds(out.max_time, "settings.balance_out.max_time", losses),
            "minFluctuation": out.max_fluctuation,
            "minForwardAngle": out.max_forward,
            "minBackwardAngle": out.min_backward,
            "minPIDDValue": out.max_d,
        },
        "supportPolygonOffsets": dict(zip("xyz", settings.support_offsets, strict=True)),
        "safeFallParameters": {
            "sitHYPThreshold": fall.sit_hip_yaw_pitch_threshold,
            "head": fall.head,
            "headStiffness": fall.head_stiffness,
            "bodyStiffness": fall.body_stiffness,
            "hipPitchStiffness": fall.hip_pitch_stiffness,
            "elbowRollStiffness": fall.elbow_roll_stiffness,
            "lowHeadStiffnessWaitTime": milliseconds(
                fall.low_head_stiffness_after, "settings.safe_fall.low_head_stiffness_after", losses
            ),
            "unstiffWaitTime": milliseconds(fall.off_after, "settings.safe_fall.off_after", losses),
        },
        "safeUprightParameters": window(settings.safe_upright),
    }
    sometimes: Mapping[str, tuple[str, Any]] = {
        "motionSpecificRetries": ("retries", settings.retries),
        "motionSpecificRetriesFront": ("front_retries", settings.front_retries),
        "shoulderPitchThreshold": ("shoulder_pitch_threshold", settings.shoulder_pitch_threshold),
        "shoulderRollThreshold": ("shoulder_roll_threshold", settings.shoulder_roll_threshold),
        "brokenJointData": ("broken_joint_thresholds", settings.broken_joint_thresholds),
        "minJointCompensationReduceAngleDiff": ("min_reduce_difference", settings.min_reduce_difference),
        "jointCompensationSimulationFactor": (
            "compensation_simulation_factor",
            settings.compensation_simulation_factor,
        ),
        "jointDiffFilterParameters": (
            "difference_filter",
            None if settings.difference_filter is None else span(settings.difference_filter),
        ),
        "oscillationPeriod": ("oscillation", None if oscillation is None else oscillation.period),
        "oscillationAmplitude": ("oscillation", None if oscillation is None else oscillation.amplitude),
        "hypErrorOscillationScaling": ("oscillation", None if oscillation is None else span(oscillation.error_range)),
    }
    defaults = engine_shape(dialect).defaults
    raw = {**always, **{name: value for name, (_, value) in sometimes.items()}}
    _complete(raw, defaults, {name: f"settings.{inside}" for name, (inside, _) in sometimes.items()}, dialect, losses)
    safe_fall = {
        "hipPitchStiffness": "settings.safe_fall.hip_pitch_stiffness",
        "elbowRollStiffness": "settings.safe_fall.elbow_roll_stiffness",
    }
    _complete(raw["safeFallParameters"], defaults["safeFallParameters"], safe_fall, dialect, losses)
    thresholds = raw.get("brokenJointData")
    if thresholds:
        legal = frozenset(joint_names(dialect).values())
        for joint in sorted(set(thresholds) - legal):
            losses.add("settings.broken_joint_thresholds", f"joint {joint!r} has no name in {dialect}; it is left out")
        raw["brokenJointData"] = {joint: value for joint, value in thresholds.items() if joint in legal}
    return raw


def _complete(raw: Raw, defaults: Mapping[str, Any], places: Mapping[str, str], dialect: str, losses: Losses) -> None:
    """Give the optional attributes a dialect has a value, and drop those it has not."""
    for name, place in places.items():
        if name not in defaults:
            if raw[name] is not None:
                losses.add(place, f"{dialect} does not have it; it is left out")
            del raw[name]
        elif raw[name] is None:
            losses.add(place, "the file needs it; the default is written")
            raw[name] = defaults[name]


def encode_balance(balance: Mapping[str, BalanceParameters], losses: Losses) -> Raw:
    """Values of the parameters file."""
    for phase in balance:
        if phase not in PHASES.values():
            losses.add(f"balance.{phase}", "the file has no such phase; it is left out")
    missing = [phase for phase in PHASES.values() if phase not in balance]
    if missing:
        losses.add("balance", f"the file must have all phases; written without effect: {', '.join(missing)}")
    written = [phase for phase in balance if phase in PHASES.values()] + missing
    return {
        "balanceList": {
            phase: _balance(balance[phase]) if phase in balance else BALANCE_PHASE.defaults for phase in written
        }
    }


def _balance(parameters: BalanceParameters) -> Raw:
    gains = (parameters.p_pitch, parameters.p_roll, parameters.d_pitch, parameters.d_roll)
    return {
        "balanceFactor": {
            "maxValAdditionalScaling": _directions(parameters.max_scaling),
            "exponentFactorScaling": _directions(parameters.exponent),
            **{
                name: {"baseValue": gain.base, "maxAdditionalValue": gain.max_additional}
                for name, gain in zip(GAINS, gains, strict=True)
            },
        },
        "comDiffBase": _directions(parameters.com_range),
    }


def span(bounds: AngleRange | LengthRange | NumberRange | WindowRange) -> Raw:
    """A range's values."""
    return {"min": bounds.min, "max": bounds.max}


def window(bounds: TorsoWindow) -> Raw:
    """A torso window's values."""
    return {"pitchDirection": span(bounds.pitch), "rollDirection": span(bounds.roll)}


def _directions(bounds: DirectionNumbers | DirectionLengths) -> Raw:
    return {"pitchDirection": span(bounds.pitch), "rollDirection": span(bounds.roll)}

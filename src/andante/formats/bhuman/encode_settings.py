"""Engine settings, balance parameters and notes to values of the configuration files, telling what is rounded away."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from andante.formats.bhuman.names import PHASES, joint_names
from andante.formats.bhuman.schema import BALANCE_PHASE, engine_shape
from andante.formats.report import Losses
from andante.motions.settings import BalanceParameters, EngineSettings, Oscillation

Raw = dict[str, Any]
_SOMETIMES = (
    *("retries", "front_retries", "shoulder_pitch_threshold", "shoulder_roll_threshold", "broken_joint_thresholds"),
    *("min_reduce_difference", "compensation_simulation_factor", "difference_filter"),
)
"""Settings that not all dialects have."""
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
_JOINTS_2025 = ("hip_pitch_stiffness", "elbow_roll_stiffness")


def encode_settings(settings: EngineSettings, dialect: str, losses: Losses) -> Raw:
    """Values of the engine file's top level but for motions and blocks."""
    raw = settings.model_dump()
    fall, out = raw["safe_fall"], raw["balance_out"]
    stiff = {f"safe_fall.{name}": fall[name] for name in ("head_stiffness", "body_stiffness", *_JOINTS_2025)}
    for name, value in {"step_mode_stiffness": settings.step_mode_stiffness, **stiff}.items():
        if value is not None:
            whole(value * 100.0, "%", f"settings.{name}", losses)
    for part, inside, name in (
        (out, "settings.balance_out", "max_time"),
        (fall, "settings.safe_fall", "low_head_stiffness_after"),
        (fall, "settings.safe_fall", "off_after"),
    ):
        part[name] = milliseconds(part[name], f"{inside}.{name}", losses)
    oscillation = raw.pop("oscillation") or dict.fromkeys(Oscillation.model_fields)
    raw |= oscillation
    places = {name: f"settings.{name}" for name in _SOMETIMES} | dict.fromkeys(oscillation, "settings.oscillation")
    defaults = engine_shape(dialect).defaults
    _complete(raw, defaults, places, dialect, losses)
    _complete(
        fall, defaults["safe_fall"], {name: f"settings.safe_fall.{name}" for name in _JOINTS_2025}, dialect, losses
    )
    thresholds = raw.get("broken_joint_thresholds")
    if thresholds:
        legal = frozenset(joint_names(dialect).values())
        for joint in sorted(set(thresholds) - legal):
            losses.once("settings.broken_joint_thresholds", f"joint {joint!r} has no name in {dialect}; it is left out")
        raw["broken_joint_thresholds"] = {joint: value for joint, value in thresholds.items() if joint in legal}
    return raw


def _complete(raw: Raw, defaults: Mapping[str, Any], places: Mapping[str, str], dialect: str, losses: Losses) -> None:
    """Give the optional attributes a dialect has a value, and drop those it has not."""
    for name, place in places.items():
        if name not in defaults:
            if raw[name] is not None:
                losses.once(place, f"{dialect} does not have it; it is left out")
            del raw[name]
        elif raw[name] is None:
            losses.once(place, "the file needs it; the default is written")
            raw[name] = defaults[name]


def encode_balance(balance: Mapping[str, BalanceParameters], losses: Losses) -> Raw:
    """Values of the parameters file."""
    for phase in balance:
        if phase not in PHASES.values():
            losses.once(f"balance.{phase}", "the file has no such phase; it is left out")
    missing = [phase for phase in PHASES.values() if phase not in balance]
    if missing:
        losses.once("balance", f"the file must have all phases; written without effect: {', '.join(missing)}")
    written = [phase for phase in balance if phase in PHASES.values()] + missing
    return {
        "balanceList": {
            phase: balance[phase].model_dump() if phase in balance else BALANCE_PHASE.defaults for phase in written
        }
    }


def whole(in_file: float, unit: str, inside: str, losses: Losses) -> None:
    """Put down that a number is rounded, where it is no whole number of file units."""
    if abs(in_file - round(in_file)) > 1e-9 * max(1.0, abs(in_file)):
        losses.once(inside, f"{in_file:g} {unit} is written as {round(in_file)} {unit}")


def milliseconds(value: float, inside: str, losses: Losses) -> float:
    """Return a time as the file can hold it: whole milliseconds, not below zero [s]."""
    whole(value * 1000.0, "ms", inside, losses)
    if value < 0.0:
        losses.once(inside, f"{value * 1000.0:g} ms is written as 0 ms")
    return max(value, 0.0)


def comment(note: str, inside: str, losses: Losses) -> str:
    """Return a note as a comment can hold it."""
    lines = [_CONTROL.sub("", line).strip(" \t") for line in note.split("\n")]
    held = "\n".join(lines).strip("\n")
    if held != note:
        losses.once(inside, "blanks and empty lines around the note's text are not kept")
    return held

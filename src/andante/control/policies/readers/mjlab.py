"""mjlab and rsl_rl: facts as texts beside the network in the ONNX file itself, lists with commas, three decimals.

The file has joints, default posture, action scale, gains and names of observations. Rate, scales and history of the
terms, clips, frames, torque limits and command ranges are not in it: the document beside says them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from andante.control.policies.contract import PolicyError
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.readers.names import term_named, without_prefix
from andante.control.policies.readers.register import Facts, PolicyFormat

TERMS: dict[str, dict[str, Any]] = {
    "projected_gravity": {"name": "gravity", "offset": 0.0},
    "base_ang_vel": {"name": "gyro", "offset": 0.0},
    "base_lin_vel": {"name": "base_velocity", "offset": 0.0},
    "command": {"name": "command", "offset": 0.0},
    "joint_pos": {"name": "joint_position", "offset": "default"},
    "joint_vel": {"name": "joint_velocity", "offset": 0.0},
    "actions": {"name": "last_action", "offset": 0.0},
    "phase": {"name": "gait_phase", "offset": 0.0, "waves": ("sin", "cos")},
    "height_scan": {"name": "height_scan", "offset": 0.0},
}
"""Observations by the names in such metadata."""


def read(file: Path, model: Path | None) -> Facts:
    """Facts of the metadata of an ONNX file.

    Raises:
        PolicyError: The file is no network, has no such metadata, or names an observation that is not known.
        DocumentError: The file cannot be read.
    """
    texts = PolicyNetwork(model or file).metadata
    if "joint_names" not in texts:
        raise PolicyError(
            "the network has no metadata of mjlab",
            place=str(file),
            value=sorted(texts) or None,
            limit="joint_names, ...",
        )
    joints = tuple(without_prefix(name) for name in words(texts["joint_names"]))
    facts: Facts = {"model": str(model or file), "joints": joints}
    for key, name in (("default_joint_pos", "default_posture"), ("joint_stiffness", "kp"), ("joint_damping", "kd")):
        if key in texts:
            facts[name] = numbers(texts[key], f"{file}: {key}")
    action: dict[str, Any] = {"kind": "position", "offset": "default"}
    if "action_scale" in texts:
        action["scale"] = numbers(texts["action_scale"], f"{file}: action_scale")
    facts["action"] = action
    if "observation_names" in texts:
        facts["observations"] = tuple(
            term_named(name, TERMS, f"{file}: observation_names") for name in words(texts["observation_names"])
        )
    return facts


def words(text: str) -> list[str]:
    """Entries of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def numbers(text: str, place: str) -> float | tuple[float, ...]:
    """One number, or several with commas.

    Raises:
        PolicyError: They are none.
    """
    try:
        values = tuple(float(word) for word in words(text))
    except ValueError as error:
        raise PolicyError("this is no list of numbers", place=place, value=text) from error
    return values[0] if len(values) == 1 else values


FORMAT = PolicyFormat("mjlab and rsl_rl: metadata in the ONNX file", read)

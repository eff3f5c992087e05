"""mjlab and rsl_rl: facts as texts beside the network in the ONNX file itself, lists with commas, three decimals.

Forks write the same keys as JSON, history by the names of observations, and name those as Isaac Lab's functions.

The file has joints, default posture, action scale, gains, names of observations and mostly their history. Rate, scales
of the terms, clips, frames, torque limits and command ranges are not in it: the document beside says them. The file of
a policy that tracks a motion (BeyondMimic's whole_body_tracking, mjlab's tracking tasks) names an anchor body, and has
the motion inside.

Source: utils/exporter.py of HybridRobotics/whole_body_tracking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from andante.control.policies.contract import PolicyError
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.readers.names import term_named, without_prefix
from andante.control.policies.readers.numbers import number
from andante.control.policies.readers.register import Facts, PolicyFormat
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError

T = TypeVar("T", list[Any], dict[str, Any])

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
    "velocity_commands": {"name": "command", "offset": 0.0},
    "joint_pos_rel": {"name": "joint_position", "offset": "default"},
    "joint_vel_rel": {"name": "joint_velocity", "offset": 0.0},
    "last_action": {"name": "last_action", "offset": 0.0},
}
"""Observations by the names in such metadata."""
_TRACKING: dict[str, dict[str, Any]] = {
    "command": {"name": "motion_joints", "offset": 0.0},
    "motion_anchor_pos_b": {"name": "motion_position", "offset": 0.0},
    "motion_anchor_ori_b": {"name": "motion_orientation", "offset": 0.0},
}
"""Those of policies that track a motion, as of BeyondMimic, whose command is the motion."""
_ANCHOR, _FRAME = "anchor_body_name", "time_step"
"""Text that only such a policy has, and its input for the number of the frame."""
_LENGTHS = "observation_history_lengths"
"""Text with how many of each observation are seen at once."""


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
    if _ANCHOR in texts:
        facts["motion"] = {
            "frame": _FRAME,
            "joint_position": "joint_pos",
            "joint_velocity": "joint_vel",
            "body_orientation": "body_quat_w",
            "bodies": tuple(without_prefix(name) for name in words(texts.get("body_names", texts[_ANCHOR]))),
            "anchor": without_prefix(texts[_ANCHOR].strip()),
        }
    if "observation_names" in texts:
        facts["observations"] = _observations(texts, file)
    return facts


def terms_of(texts: Mapping[str, str]) -> Mapping[str, dict[str, Any]]:
    """What the names of observations in such metadata mean."""
    return TERMS | _TRACKING if _ANCHOR in texts else TERMS


def _observations(texts: Mapping[str, str], file: Path) -> tuple[dict[str, Any], ...]:
    names, place = words(texts["observation_names"]), f"{file}: observation_names"
    terms = [term_named(name, terms_of(texts), place) for name in names]
    if _LENGTHS in texts:
        each = _lengths(texts[_LENGTHS], names, f"{file}: {_LENGTHS}")
        if len(each) != len(terms) or any(length != int(length) or length < 1 for length in each):
            what = "each observation has a number of its own, from 1"
            raise PolicyError(what, place=f"{file}: {_LENGTHS}", value=texts[_LENGTHS], limit=f"{len(terms)} numbers")
        for term, length in zip(terms, each, strict=True):
            term["history"] = int(length)
            if length > 1:
                # Isaac Lab's buffers have the oldest first.
                term["order"] = "oldest-first"
    return tuple(terms)


def _lengths(text: str, names: Sequence[str], place: str) -> tuple[float, ...]:
    """Numbers in the order of the observations, or by their names.

    Raises:
        PolicyError: They are none.
    """
    told = _json(text, dict)
    if told is not None:
        return tuple(number(told.get(name), f"{place}: {name}") for name in names)
    lengths = numbers(text, place)
    return lengths if isinstance(lengths, tuple) else (lengths,)


def words(text: str) -> list[str]:
    """Entries of a list with commas, or of one as JSON."""
    listed = _json(text, list)
    if listed is not None:
        return [str(each).strip() for each in listed]
    return [word.strip() for word in text.split(",") if word.strip()]


def _json(text: str, kind: type[T]) -> T | None:
    """A list or an object of JSON; None where it is none."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        told = parse_json_data(text, "metadata")
    except DocumentError:
        return None
    return told if isinstance(told, kind) else None


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

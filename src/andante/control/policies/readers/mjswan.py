"""mjswan: a JSON file beside the network, for policies that are shown in a browser.

A scale that is not said is 1 there, several observations are given newest first, and vectors are in the base's axes.
The rate is not in the file (that program takes 0.02 s for granted), nor are clips, delay, torque limits and command
ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.control.policies.contract import PolicyError
from andante.control.policies.readers.names import term_named, without_prefix
from andante.control.policies.readers.numbers import several
from andante.control.policies.readers.register import Facts, PolicyFormat
from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.json_data import parse_json_data

_VECTOR: dict[str, Any] = {"frame": "base", "offset": 0.0}
_TERMS: dict[str, dict[str, Any]] = {
    "ProjectedGravity": {"name": "gravity", **_VECTOR},
    "ProjectedGravityB": {"name": "gravity", **_VECTOR},
    "BaseAngularVelocity": {"name": "gyro", **_VECTOR},
    "BaseLinearVelocity": {"name": "base_velocity", **_VECTOR},
    "JointPos": {"name": "joint_position"},
    "JointPositions": {"name": "joint_position"},
    "JointVelocities": {"name": "joint_velocity", "offset": 0.0},
    "PrevActions": {"name": "last_action", "offset": 0.0},
    "PreviousActions": {"name": "last_action", "offset": 0.0},
    "SimpleVelocityCommand": {"name": "command", "offset": 0.0},
}
_KINDS = {"joint_position": "position", "torque": "torque"}


@budgeted(place="file")
def read(file: Path, _: Path | None) -> Facts:
    """Facts of a JSON file.

    Raises:
        PolicyError: It is no such file, or has inputs or observations that are not known.
        DocumentError: The file cannot be read.
    """
    data = parse_json_data(read_text(file), str(file))
    if not isinstance(data, Mapping) or "policy_joint_names" not in data or "obs_config" not in data:
        raise PolicyError("this is no policy of mjswan", place=str(file), limit="policy_joint_names, obs_config, onnx")
    facts: Facts = {"joints": tuple(without_prefix(str(name)) for name in data["policy_joint_names"])}
    network = data.get("onnx") or {}
    if network.get("path"):
        facts["model"] = str(file.parent / str(network["path"]))
    for key, fact in (("default_joint_pos", "default_posture"), ("stiffness", "kp"), ("damping", "kd")):
        if data.get(key) is not None:
            facts[fact] = several(data[key], f"{file}: {key}")
    action: dict[str, Any] = {"offset": "default"}
    if "control_type" in data:
        kind = data["control_type"]
        if kind not in _KINDS:
            raise PolicyError(
                "this kind of control is not known", place=f"{file}: control_type", value=kind, legal=_KINDS
            )
        action["kind"] = _KINDS[kind]
    if data.get("action_scale") is not None:
        action["scale"] = several(data["action_scale"], f"{file}: action_scale")
    facts["action"] = action
    keys = (network.get("meta") or {}).get("in_keys") or list(data["obs_config"])
    if len(keys) != 1 or keys[0] not in data["obs_config"]:
        raise PolicyError("one input is needed, made of observations", place=f"{file}: onnx.meta.in_keys", value=keys)
    facts["observations"] = tuple(
        _term(each, f"{file}: obs_config.{keys[0]}[{number}]")
        for number, each in enumerate(data["obs_config"][keys[0]])
    )
    facts["assumed"] = ("observations.scale: 1 where mjswan's file says none, as that program takes it",)
    return facts


def _term(said: Mapping[str, Any], place: str) -> dict[str, Any]:
    term = term_named(str(said.get("name")), _TERMS, place)
    if term["name"] == "joint_position":
        term["offset"] = "default" if said.get("subtract_default") else 0.0
    if said.get("world_frame"):
        raise PolicyError("a vector in the world's axes is not known", place=place, value=said.get("name"))
    if said.get("pos_steps", [0]) != [0] or said.get("transpose"):
        raise PolicyError("only steps that follow each other are known", place=place, value=said.get("pos_steps"))
    term["scale"] = several(said.get("scale", 1.0), f"{place}.scale")
    term["history"] = int(said.get("history_steps", 1))
    if term["history"] > 1:
        term["order"], term["interleaved"] = "newest-first", bool(said.get("interleaved", False))
    return term


FORMAT = PolicyFormat("mjswan: JSON beside the network", read, ("policy_joint_names", "obs_config"))

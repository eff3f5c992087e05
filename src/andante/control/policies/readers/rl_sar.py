"""rl_sar's ``policy/ROBOT/CONFIG/config.yaml``, and ``base.yaml`` of the robot above it: what its programs are told.

A table under a name as ``go2/robot_lab``. Lists stand in the policy's order; ``joint_mapping`` says which of the
robot's ``joint_names`` each is. Observations are cut after scaling, and the last action is seen as it was cut. Several
observations begin as zeros. Command ranges, delay and the training's physics step are not in it.

Source: library/core/rl_sdk and observation_buffer of fan-ziqi/rl_sar.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.control.policies.contract import PolicyError
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.readers.names import term_named
from andante.control.policies.readers.numbers import number, row, several
from andante.control.policies.readers.register import Facts, PolicyFormat
from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.yaml_tree import parse_tree

_NEEDED = ("observations", "rl_kp", "rl_kd", "action_scale", "default_dof_pos", "num_of_dofs")
_OWN = ("observations", "rl_kp", "rl_kd", "action_scale")
"""Those of them that never stand in the robot's file."""
_READ = frozenset(
    {
        *_NEEDED,
        *("dt", "decimation", "joint_names", "joint_mapping", "state_mapping", "torque_limits", "model_name"),
        *("observations_history", "observations_history_priority", "clip_obs", "clip_actions_lower"),
        *("clip_actions_upper", "wheel_indices", "hip_scale_reduction", "hip_scale_reduction_indices"),
        *("lin_vel_scale", "ang_vel_scale", "dof_pos_scale", "dof_vel_scale", "commands_scale"),
    }
)
"""Keys whose meaning is a fact of the policy."""
_OF_THE_PROGRAM = frozenset(
    {"framework", "num_observations", "fixed_kp", "fixed_kd", "joint_controller_names", "command_mapping"}
)
"""Keys that its programs alone need."""
_TERMS: dict[str, dict[str, Any]] = {
    "lin_vel": {"name": "base_velocity", "offset": 0.0, "scale": "lin_vel_scale"},
    **{
        name: {"name": "gyro", "offset": 0.0, "scale": "ang_vel_scale"}
        for name in ("ang_vel", "ang_vel_body", "ang_vel_world")
    },
    "gravity_vec": {"name": "gravity", "offset": 0.0},
    "commands": {"name": "command", "offset": 0.0, "scale": "commands_scale"},
    "dof_pos": {"name": "joint_position", "offset": "default", "scale": "dof_pos_scale"},
    "dof_vel": {"name": "joint_velocity", "offset": 0.0, "scale": "dof_vel_scale"},
    "actions": {"name": "last_action", "offset": 0.0},
    "g1_phase": {"name": "gait_phase", "offset": 0.0, "waves": ("sin", "cos")},
}
"""Observations by their names there, each with the key of its scale."""
_PERIOD = 0.8
"""Period of the gait of ``g1_phase`` [s]."""


@budgeted(place="file")
def read(file: Path, model: Path | None) -> Facts:
    """Facts of such a file.

    Raises:
        PolicyError: It is no such file, drives wheels, or sees what is not known.
        DocumentError: It cannot be read, or is no YAML.
    """
    data = _settings(file)
    count = int(number(data["num_of_dofs"], f"{file}: num_of_dofs"))
    if data.get("wheel_indices"):
        raise PolicyError(
            "its wheels are driven by speeds, and a policy has one kind of action",
            place=f"{file}: wheel_indices",
            value=data["wheel_indices"],
        )
    action = {"kind": "position", "scale": _scale(data, count, file), "offset": "default"}
    action["clip"] = _cuts(data, count, file)
    facts: Facts = {
        "default_posture": row(data["default_dof_pos"], f"{file}: default_dof_pos", count),
        "kp": row(data["rl_kp"], f"{file}: rl_kp", count),
        "kd": row(data["rl_kd"], f"{file}: rl_kd", count),
        "action": action,
        "every_term": {"frame": "base"},
    }
    if "torque_limits" in data:
        facts["torque_limits"] = row(data["torque_limits"], f"{file}: torque_limits", count)
    if "dt" in data and "decimation" in data:
        step = number(data["dt"], f"{file}: dt")
        facts["rate"] = 1.0 / (step * number(data["decimation"], f"{file}: decimation"))
    joints = _joints(data, count, file)
    if joints is not None:
        facts["joints"] = joints
    named = str(data.get("model_name", ""))
    if model is None and named.endswith(".onnx"):
        model = file.parent / named
        facts["model"] = str(model)
    assumed = _see(facts, data, model, file)
    left = sorted(key for key in map(str, data) if key not in _READ | _OF_THE_PROGRAM)
    if left:
        assumed.append(f"{file.name}: keys of another program, which are not read, {', '.join(left)}")
    facts["assumed"] = tuple(assumed)
    return facts


def _settings(file: Path) -> dict[str, Any]:
    """What the file says, over what the robot's ``base.yaml`` says beside or above it."""
    name, said = _table(file)
    robot = name.partition("/")[0]
    above = [file.parent, *file.parent.parents][: 1 + name.count("/")]
    base = next((folder / "base.yaml" for folder in above if (folder / "base.yaml").is_file()), None)
    data = dict(said)
    if base is not None:
        whose, common = _table(base)
        if whose != robot:
            raise PolicyError("this is the base of another robot", place=str(base), value=whose, limit=robot)
        data = dict(common) | data
    if any(key not in data for key in _NEEDED):
        raise PolicyError(
            "these are no settings of rl_sar",
            place=str(file),
            value=[key for key in _NEEDED if key not in data],
            limit=", ".join(_NEEDED),
            remedy="base.yaml of the robot belongs beside it, or in the folder above",
        )
    return data


def _table(file: Path) -> tuple[str, Mapping[str, Any]]:
    """Name and content of the one table of a file."""
    data = parse_tree(read_text(file), str(file)).data
    if not isinstance(data, Mapping) or len(data) != 1 or not isinstance(next(iter(data.values())), Mapping):
        raise PolicyError("these are no settings of rl_sar", place=str(file), limit="one table, as go2/robot_lab")
    return next((str(name), said) for name, said in data.items())


def _scale(data: Mapping[str, Any], count: int, file: Path) -> float | tuple[float, ...]:
    """Factors on the network's numbers; older files have one for all, and a smaller one for hips."""
    scale = several(data["action_scale"], f"{file}: action_scale")
    less = number(data.get("hip_scale_reduction", 1.0), f"{file}: hip_scale_reduction")
    hips = row(data.get("hip_scale_reduction_indices", []), f"{file}: hip_scale_reduction_indices")
    if less == 1.0 or not hips:
        return scale
    each = scale if isinstance(scale, tuple) else (scale,) * count
    return tuple(less * factor if at in hips else factor for at, factor in enumerate(each))


def _cuts(data: Mapping[str, Any], count: int, file: Path) -> Any:
    """Bounds of the network's numbers; none where the lists are missing or empty."""
    lists = [data.get(f"clip_actions_{end}") or [] for end in ("lower", "upper")]
    if not all(lists):
        return "none"
    low, high = (row(each, f"{file}: clip_actions", count) for each in lists)
    pairs = tuple(zip(low, high, strict=True))
    return pairs[0] if len(set(pairs)) == 1 else pairs


def _joints(data: Mapping[str, Any], count: int, file: Path) -> tuple[str, ...] | None:
    """The policy's joints; None where the file does not say which they are."""
    names = data.get("joint_names")
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise PolicyError("a list of names is needed", place=f"{file}: joint_names", value=names)
    order = data.get("joint_mapping")
    if order is None:
        # Older files have two lists in its place, which agree only where both change nothing.
        straight = data.get("state_mapping") in (None, list(range(count)))
        return tuple(names) if straight and len(names) == count else None
    places = [int(each) for each in row(order, f"{file}: joint_mapping", count)]
    if any(not 0 <= place < len(names) for place in places):
        limit = f"0 to {len(names) - 1}"
        raise PolicyError("there is no such joint", place=f"{file}: joint_mapping", value=max(places), limit=limit)
    return tuple(names[place] for place in places)


def _see(facts: Facts, data: Mapping[str, Any], model: Path | None, file: Path) -> list[str]:
    """Add what is seen; gives what is assumed of it."""
    names = data["observations"]
    if not isinstance(names, list):
        raise PolicyError("a list of names is needed", place=f"{file}: observations", value=names)
    terms = [_term(str(name), at, facts["action"]["clip"], data, file) for at, name in enumerate(names)]
    facts["observations"] = tuple(terms)
    if any(term["name"] == "gait_phase" for term in terms):
        facts["gait"] = {"frequency": 1.0 / _PERIOD}
    ages = [int(each) for each in row(data.get("observations_history") or [0], f"{file}: observations_history")]
    place = f"{file}: observations_history"
    if sorted(ages) != list(range(len(ages))) or ages not in (sorted(ages), sorted(ages, reverse=True)):
        raise PolicyError("only observations that follow each other are known", place=place, value=ages)
    for term in terms:
        term["history"] = 1
    if len(ages) == 1:
        return []
    order = "newest-first" if ages[0] == 0 else "oldest-first"
    if data.get("observations_history_priority", "time") == "term":
        for term in terms:
            term["history"], term["order"], term["before"] = len(ages), order, "zeros"
        return []
    if model is None:
        raise PolicyError("whole observations of several calls need the document's model", place=place)
    stack = {"frames": len(ages), "order": order, "before": "zeros"}
    facts["inputs"] = tuple({"name": name, "size": size, "stack": stack} for name, size in PolicyNetwork(model).inputs)
    return []


def _term(name: str, at: int, cuts: Any, data: Mapping[str, Any], file: Path) -> dict[str, Any]:
    term = term_named(name, _TERMS, f"{file}: observations[{at}]")
    key = term.get("scale")
    if key is not None and key not in data:
        raise PolicyError("a scale is missing", place=f"{file}: {key}", legal=data)
    term["scale"] = 1.0 if key is None else several(data[key], f"{file}: {key}")
    most = data.get("clip_obs")
    bound = None if most is None else number(most, f"{file}: clip_obs")
    term["clip"] = "none" if bound is None else (-bound, bound)
    if term["name"] == "last_action" and cuts != "none":
        pairs = cuts if isinstance(cuts[0], tuple) else (cuts,)
        limit = float("inf") if bound is None else bound
        both = tuple((max(low, -limit), min(high, limit)) for low, high in pairs)
        term["clip"] = both if len(both) > 1 else both[0]
    return term


FORMAT = PolicyFormat("rl_sar: config.yaml of a policy, with the robot's base.yaml", read, _OWN)

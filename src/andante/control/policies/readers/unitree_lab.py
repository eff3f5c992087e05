"""unitree_rl_lab's ``params/deploy.yaml``: what its program on the robot is told of a policy of Isaac Lab.

Joints have no names in it. The document beside says them in the policy's order; gains stand in the order of the maker's
interface, and ``joint_ids_map`` says where. Several observations of a term are given oldest first, term by term.
Observations stand in one table, or in one for each input of the network under its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.control.policies.contract import PolicyError
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.readers.names import ISAAC_TERMS, term_named
from andante.control.policies.readers.numbers import add_shape, clip_of_numbers, number, ranges, row
from andante.control.policies.readers.register import Facts, PolicyFormat
from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.yaml_tree import parse_tree

_NEEDED = ("joint_ids_map", "step_dt", "actions", "observations", "default_joint_pos")
_SWITCHES = ("use_gym_history", "scale_first")


@budgeted(place="file")
def read(file: Path, model: Path | None) -> Facts:
    """Facts of such a file.

    Raises:
        PolicyError: It is no such file, or has actions or observations that are not known.
        DocumentError: It cannot be read, or is no YAML.
    """
    data = parse_tree(read_text(file), str(file)).data
    if not isinstance(data, Mapping) or any(name not in data for name in _NEEDED):
        raise PolicyError("this is no deploy.yaml of unitree_rl_lab", place=str(file), limit=", ".join(_NEEDED))
    posture = row(data["default_joint_pos"], f"{file}: default_joint_pos")
    places = [int(each) for each in row(data["joint_ids_map"], f"{file}: joint_ids_map", len(posture))]
    action, driven = _action(data, posture, file)
    facts: Facts = {
        "rate": 1.0 / number(data["step_dt"], f"{file}: step_dt"),
        "default_posture": tuple(posture[each] for each in driven),
        "action": action,
        "every_term": {"frame": "base"},
    }
    for name, fact in (("stiffness", "kp"), ("damping", "kd")):
        values = row(data.get(name), f"{file}: {name}")
        # Some files list only the joints there are: then nobody knows which is which.
        if max(places) < len(values):
            facts[fact] = tuple(values[places[each]] for each in driven)
    _see(facts, data["observations"], model, file)
    said = ((data.get("commands") or {}).get("base_velocity") or {}).get("ranges")
    if said is not None:
        facts["commands"] = ranges(said, f"{file}: commands.base_velocity.ranges")
    return facts


def _see(facts: Facts, said: Any, model: Path | None, file: Path) -> None:
    """Add what is seen, and which input sees what where there are several."""
    place = f"{file}: observations"
    if not isinstance(said, Mapping):
        raise PolicyError("a table of tables is needed", place=place, value=said)
    grouped = bool(said) and all(_is_group(each) for name, each in said.items() if name not in _SWITCHES)
    groups = {str(name): each for name, each in said.items() if name not in _SWITCHES} if grouped else {"": said}
    parts: list[tuple[str, list[dict[str, Any]], int]] = []
    for name, group in groups.items():
        where = f"{place}.{name}" if name else place
        # Two switches stand among the terms.
        switches = {switch: group.get(switch, said.get(switch, False)) is True for switch in _SWITCHES}
        table = _table({term: each for term, each in group.items() if term not in _SWITCHES}, where)
        terms = [_term(str(term), each, facts, switches["scale_first"], where) for term, each in table]
        parts.append((name, terms, _frames(terms, where) if switches["use_gym_history"] else 1))
    facts["observations"] = tuple(term for _, terms, _ in parts for term in terms)
    if len(parts) > 1 or parts[0][2] > 1:
        facts["inputs"] = _inputs(parts, model, place)
    if any(frames > 1 for _, _, frames in parts):
        facts["assumed"] = ("inputs[0].stack.order: oldest first, as unitree_rl_lab's own program stacks",)


def _is_group(said: Any) -> bool:
    """Whether a table holds terms, and is none."""
    if not isinstance(said, Mapping) or "history_length" in said:
        return False
    return any(isinstance(each, Mapping) for name, each in said.items() if name != "params")


def _frames(terms: list[dict[str, Any]], place: str) -> int:
    """How many whole observations follow each other, as in legged_gym; the terms then have no history of their own."""
    lengths = {term["history"] for term in terms}
    if len(lengths) != 1:
        raise PolicyError(
            "whole observations of several calls need one history_length",
            place=f"{place}.use_gym_history",
            value=sorted(lengths),
        )
    for term in terms:
        term["history"] = 1
        term.pop("order", None)
    return int(lengths.pop())


def _inputs(parts: list[tuple[str, list[dict[str, Any]], int]], model: Path | None, place: str) -> tuple[Any, ...]:
    """The network's inputs, each with the terms of its table."""
    if model is None:
        raise PolicyError("what each input sees needs the document's model", place=place)
    sizes, found, first = dict(PolicyNetwork(model).inputs), [], 0
    if len(parts) == 1 and len(sizes) > 1:
        what = "the network has several inputs, and the file one table of observations"
        raise PolicyError(what, place=place, value=", ".join(sizes), limit="a table for each, under its name")
    for name, terms, frames in parts:
        if name and len(parts) > 1 and name not in sizes:
            raise PolicyError("the network has no input of this name", place=place, value=name, legal=sizes)
        own = name if len(parts) > 1 else next(iter(sizes))
        tensor: dict[str, Any] = {"name": own, "size": sizes[own]}
        if len(parts) > 1:
            tensor["terms"] = tuple(range(first, first + len(terms)))
        if frames > 1:
            tensor["stack"] = {"frames": frames, "order": "oldest-first", "before": "first"}
        found.append(tensor)
        first += len(terms)
    return tuple(found)


def _table(said: Any, place: str) -> list[tuple[str, Mapping[str, Any]]]:
    if not isinstance(said, Mapping) or not all(isinstance(each, Mapping) for each in said.values()):
        raise PolicyError("a table of tables is needed", place=place, value=said)
    return list(said.items())


def _action(data: Mapping[str, Any], posture: tuple[float, ...], file: Path) -> tuple[dict[str, Any], list[int]]:
    """What the action says, and which joints it drives."""
    actions = _table(data["actions"], f"{file}: actions")
    if [name for name, _ in actions] != ["JointPositionAction"]:
        raise PolicyError(
            "an action of this kind is not known",
            place=f"{file}: actions",
            value=[name for name, _ in actions],
            limit="JointPositionAction alone",
        )
    said = actions[0][1]
    place = f"{file}: actions.JointPositionAction"
    ids = said.get("joint_ids")
    driven = list(range(len(posture))) if ids is None else [int(each) for each in row(ids, f"{place}.joint_ids")]
    scale, offset = row(said.get("scale"), f"{place}.scale", len(driven)), row(said.get("offset"), f"{place}.offset")
    action: dict[str, Any] = {"kind": "position", "scale": scale, "offset": offset, "clip": "none"}
    if offset == tuple(posture[each] for each in driven):
        action["offset"] = "default"
    if said.get("clip") is not None:
        # The file's bounds are those of target angles.
        action["clip"] = clip_of_numbers(said["clip"], scale, offset, f"{place}.clip")
    return action, driven


def _term(name: str, said: Mapping[str, Any], facts: Facts, scaled_first: bool, above: str) -> dict[str, Any]:
    place = f"{above}.{name}"
    term = term_named(name, ISAAC_TERMS, place)
    params = said.get("params") or {}
    if "asset_cfg" in params:
        raise PolicyError("a term of some joints is not known without their names", place=f"{place}.params")
    if term["name"] == "gait_phase":
        facts["gait"] = {"frequency": 1.0 / number(params.get("period"), f"{place}.params.period")}
    history = int(number(said.get("history_length"), f"{place}.history_length"))
    add_shape(term, said, history, place, scaled_first=bool(said.get("scale_first", scaled_first)))
    return term


FORMAT = PolicyFormat("unitree_rl_lab: deploy.yaml", read, _NEEDED)

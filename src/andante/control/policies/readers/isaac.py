"""Isaac Lab's IO descriptors, YAML: actions, articulations, observations of the group ``policy``, the scene's times.

A scale or clip of null is none, a history of 0 is one observation; several are given oldest first, term by term. The
descriptor does not name the network: the document beside does, with delay, torque limits and command ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.control.policies.contract import PolicyError
from andante.control.policies.readers.names import ISAAC_TERMS, term_named, without_prefix
from andante.control.policies.readers.numbers import add_shape, clip_of_numbers, number, several
from andante.control.policies.readers.register import Facts, PolicyFormat
from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.yaml_tree import parse_tree

_KINDS = {"JointPositionAction": "position", "JointEffortAction": "torque"}


@budgeted(place="file")
def read(file: Path, _: Path | None) -> Facts:
    """Facts of an IO descriptor.

    Raises:
        PolicyError: A part that every descriptor has is missing, or it has actions or observations that are not known.
        DocumentError: The file cannot be read, or is no YAML.
    """
    data = parse_tree(read_text(file), str(file)).data
    if not isinstance(data, Mapping) or "actions" not in data or "observations" not in data:
        raise PolicyError(
            "this is no IO descriptor of Isaac Lab", place=str(file), limit="actions, observations, scene"
        )
    action, joints = _action(data, file)
    facts: Facts = {"joints": joints, "action": action, **_articulation(data, joints, file)}
    facts["observations"] = tuple(_term(each, at, facts, file) for at, each in enumerate(_group(data, file)))
    scene = data.get("scene") or {}
    if isinstance(scene, Mapping):
        if scene.get("dt"):
            facts["rate"] = 1.0 / number(scene["dt"], f"{file}: scene.dt")
        if scene.get("physics_dt"):
            facts["physics_step"] = number(scene["physics_dt"], f"{file}: scene.physics_dt")
    return facts


def _action(data: Mapping[str, Any], file: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    actions = data["actions"]
    if not isinstance(actions, list) or len(actions) != 1 or not isinstance(actions[0], Mapping):
        raise PolicyError("a policy with one kind of action is needed", place=f"{file}: actions", limit="one action")
    said = actions[0]
    kind = str(said.get("full_path", "")).rpartition(".")[2]
    if kind not in _KINDS:
        raise PolicyError("an action of this kind is not known", place=f"{file}: actions[0]", value=kind, legal=_KINDS)
    names = said.get("joint_names")
    if not isinstance(names, list) or not names:
        raise PolicyError("the action names no joints", place=f"{file}: actions[0].joint_names")
    action: dict[str, Any] = {"kind": _KINDS[kind]}
    for name in ("scale", "offset"):
        if said.get(name) is not None:
            action[name] = several(said[name], f"{file}: actions[0].{name}")
    if "clip" in said:
        action["clip"] = _clip(said["clip"], action, len(names), f"{file}: actions[0].clip")
    return action, tuple(without_prefix(str(name)) for name in names)


def _clip(said: Any, action: Mapping[str, Any], count: int, place: str) -> Any:
    """Bounds of the network's numbers; the descriptor's are those of what is made of them."""
    if said is None:
        return "none"
    pairs = said if isinstance(said[0], list) else [said] * count
    scales, offsets = _each(action.get("scale"), count, 1.0), _each(action.get("offset"), count, 0.0)
    found = clip_of_numbers(pairs, scales, offsets, place)
    return found[0] if len(set(found)) == 1 else found


def _each(value: Any, count: int, otherwise: float) -> tuple[float, ...]:
    return value if isinstance(value, tuple) else ((otherwise if value is None else float(value)),) * count


def _articulation(data: Mapping[str, Any], joints: tuple[str, ...], file: Path) -> Facts:
    bodies = data.get("articulations") or {}
    if not isinstance(bodies, Mapping) or len(bodies) != 1:
        raise PolicyError("one articulation is needed", place=f"{file}: articulations", value=sorted(bodies))
    body = next(iter(bodies.values()))
    names = [without_prefix(str(name)) for name in body.get("joint_names") or ()]
    facts: Facts = {}
    for key, fact in (
        ("default_joint_pos", "default_posture"),
        ("default_joint_stiffness", "kp"),
        ("default_joint_damping", "kd"),
    ):
        values = body.get(key)
        if values is None:
            continue
        known = dict(zip(names, values, strict=False))
        lacking = [name for name in joints if name not in known]
        if lacking:
            raise PolicyError("a joint has no such value", place=f"{file}: articulations.{key}", value=lacking[0])
        found = tuple(number(known[name], f"{file}: articulations.{key}") for name in joints)
        # Gains of zero are those of a robot whose actuators are a model of their own: they say nothing of its servos.
        if fact == "default_posture" or any(found):
            facts[fact] = found
    return facts


def _group(data: Mapping[str, Any], file: Path) -> list[Mapping[str, Any]]:
    groups = data["observations"]
    group = groups.get("policy") if isinstance(groups, Mapping) else None
    if not isinstance(group, list) or not group:
        raise PolicyError("there are no observations of the group policy", place=f"{file}: observations")
    return group


def _term(said: Mapping[str, Any], at: int, facts: Facts, file: Path) -> dict[str, Any]:
    place = f"{file}: observations.policy[{at}]"
    term = term_named(str(said.get("name")), ISAAC_TERMS, place)
    extras = said.get("extras")
    if isinstance(extras, Mapping) and extras.get("modifiers"):
        where = f"{place}.extras.modifiers"
        raise PolicyError("a term that is modified is not known", place=where, value=extras["modifiers"])
    loads = said.get("overloads") or {}
    add_shape(term, loads, max(int(loads.get("history_length") or 0), 1), place)
    names = said.get("joint_names")
    if names and tuple(without_prefix(str(name)) for name in names) != facts["joints"]:
        term["joints"] = tuple(without_prefix(str(name)) for name in names)
    offsets = said.get("joint_pos_offsets")
    if offsets is not None and term["offset"] == "default":
        values = tuple(number(value, f"{place}.joint_pos_offsets") for value in offsets)
        if "joints" in term or values != facts.get("default_posture"):
            term["offset"] = values
    return term


FORMAT = PolicyFormat("Isaac Lab: IO descriptors, YAML", read, ("actions", "articulations", "observations"))

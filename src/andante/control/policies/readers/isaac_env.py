"""Isaac Lab's ``params/env.yaml``, which every training with rsl_rl leaves beside its networks.

Posture, gains and torque limits stand by regular expressions in it, and mostly no list of joints: the simulation's
order is breadth first and nowhere written down, so the document beside has to say the joints. Where the action names
them one by one and keeps their order (``preserve_order``), the file says them. The file is Python's own YAML,
with tags that name types; they are read as plain lists. ``agent.yaml`` beside it says where the trainer's wrapper cuts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.control.policies.contract import JOINT_TERMS, PolicyError
from andante.control.policies.readers.isaac_agent import NAME, AgentCuts, agent_cuts, cut
from andante.control.policies.readers.names import ISAAC_TERMS, term_named
from andante.control.policies.readers.numbers import add_shape, number, ranges, row
from andante.control.policies.readers.register import Facts, PolicyFormat
from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.yaml_tree import parse_tree

_LARGEST = 4 * 2**20
"""Size of the largest file that is read [bytes]."""
_RELATIVE = (
    "action.offset: where joints are at the call; Isaac Lab adds where they are in each step of its physics, so that"
    " targets go on as joints move"
)
_NO_ANGLE = 1e6
"""No joint is asked to turn so far [rad]."""
_PLAIN = re.compile(r"[A-Za-z0-9_/-]+\Z")


@budgeted(place="file")
def read(file: Path, _: Path | None) -> Facts:
    """Facts of such a file.

    Raises:
        PolicyError: It is no such file, or has actions or observations that are not known.
        DocumentError: It cannot be read, or is no YAML.
    """
    data = parse_tree(read_text(file, max_bytes=_LARGEST), str(file), dumped=True).data
    robot = _inner(data, "scene", "robot")
    group, actions = _inner(data, "observations", "policy"), _inner(data, "actions")
    if robot is None or group is None or actions is None or not isinstance(robot.get("actuators"), Mapping):
        raise PolicyError(
            "this is no env.yaml of Isaac Lab", place=str(file), limit="scene.robot, observations.policy, actions"
        )
    cuts = agent_cuts(file)
    action, selection = _action(actions, cuts, file)
    facts: Facts = {"action": action, "every_term": {"frame": "base"}}
    if selection.listed:
        facts["joints"] = selection.names
    step = number(_inner(data, "sim", "dt"), f"{file}: sim.dt")
    facts["physics_step"], facts["rate"] = step, 1.0 / (step * number(data.get("decimation"), f"{file}: decimation"))
    posture = _inner(robot, "init_state", "joint_pos")
    if posture is not None:
        angles = {str(name): number(value, f"{file}: init_state.joint_pos") for name, value in posture.items()}
        # Joints that no pattern names are at zero there.
        facts["default_posture"] = angles | {_rest(angles): 0.0}
    facts |= _actuators(robot["actuators"], file)
    facts["observations"] = tuple(
        _term(str(name), said, group, selection, file) for name, said in group.items() if isinstance(said, Mapping)
    )
    _cut(facts, cuts, file)
    if facts["action"].get("offset") == "measured":
        facts["assumed"] = (*facts.get("assumed", ()), _RELATIVE)
    command = _inner(data, "commands", "base_velocity")
    said = None if command is None else command.get("limit_ranges") or command.get("ranges")
    if said is not None:
        facts["commands"] = ranges(said, f"{file}: commands.base_velocity.ranges")
    return facts


def _inner(data: Any, *names: str) -> Any:
    """What stands at a path; None where nothing does."""
    for name in names:
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


def _cut(facts: Facts, cuts: AgentCuts | None, file: Path) -> None:
    """Cut what is seen as the trainer's wrapper does; tell it where nobody says what that does."""
    if cuts is not None:
        for at, term in enumerate(facts["observations"]):
            cut(term, cuts, f"{file.parent / NAME}: observations[{at}]")
        return
    if "clip" in facts["action"]:
        last = (
            f"observations[{i}].clip" for i, term in enumerate(facts["observations"]) if term["name"] == "last_action"
        )
        free = ", ".join(("action.clip", *last))
        why = f"none, as env.yaml has it; its {NAME}, which tells what the trainer cuts, is not beside or tells nothing"
        facts["assumed"] = (f"{free}: {why}",)


@dataclass(frozen=True)
class _Selection:
    """Joints of an action or a term, as Isaac Lab selects them."""

    names: tuple[str, ...]
    """Names or patterns."""
    kept: bool
    """Whether they count in this order; otherwise in the simulation's, whatever the list's."""

    @property
    def every(self) -> bool:
        """Whether all joints are selected, in the simulation's order."""
        return self.names in ((), (".*",))

    @property
    def listed(self) -> bool:
        """Whether the names are the joints in their order."""
        return not self.every and all(map(_PLAIN.match, self.names)) and (self.kept or len(self.names) == 1)


def _selection(said: Any) -> _Selection:
    said = said if isinstance(said, Mapping) else {}
    names = said.get("joint_names") or ()
    named = (names,) if isinstance(names, str) else tuple(map(str, names))
    return _Selection(named, said.get("preserve_order") is True)


def _action(actions: Mapping[str, Any], cuts: AgentCuts | None, file: Path) -> tuple[dict[str, Any], _Selection]:
    """What the action says, and of which joints."""
    kinds = {name: said for name, said in actions.items() if isinstance(said, Mapping)}
    if len(kinds) != 1:
        raise PolicyError("a policy with one kind of action is needed", place=f"{file}: actions", value=sorted(kinds))
    name, said = next(iter(kinds.items()))
    place = f"{file}: actions.{name}"
    kind = str(said.get("class_type", "")).rpartition(":")[2]
    if kind not in ("JointPositionAction", "RelativeJointPositionAction", "JointEffortAction"):
        raise PolicyError("an action of this kind is not known", place=f"{place}.class_type", value=kind)
    scale = said.get("scale")
    action: dict[str, Any] = {
        "kind": "torque" if kind == "JointEffortAction" else "position",
        "scale": _numbers(scale, f"{place}.scale"),
    }
    if kind == "RelativeJointPositionAction":
        if said.get("use_zero_offset") is False and said.get("offset", 0.0) != 0.0:
            what = "an offset beside the measured angles is not known"
            raise PolicyError(what, place=f"{place}.offset", value=said["offset"], limit="0")
        action["offset"] = "measured"
    elif said.get("use_default_offset") and kind == "JointPositionAction":
        action["offset"] = "default"
    elif not isinstance(said.get("offset"), Mapping):
        action["offset"] = number(said.get("offset", 0.0), f"{place}.offset")
    bounds = said.get("clip")
    if bounds is None or (action["kind"] == "position" and action.get("offset") != "measured"):
        bound = None if cuts is None else cuts.actions
        action["clip"] = "none" if bound is None else (-bound, bound)
    if bounds is not None and "clip" in action:
        action["range"] = _range(bounds, f"{place}.clip")
    return action, _selection(said)


def _range(said: Any, place: str) -> dict[str, Any]:
    """Bounds of target angles by patterns; joints that fit none are not cut there."""
    if not isinstance(said, Mapping) or not said:
        raise PolicyError("a table of bounds by patterns is needed", place=place, value=said)
    found: dict[str, Any] = {str(name): row(pair, place, 2) for name, pair in said.items()}
    return found | {_rest(found): (-_NO_ANGLE, _NO_ANGLE)}


def _rest(patterns: Iterable[str]) -> str:
    """A pattern of the joints that none of the others fits."""
    return f"(?!(?:{'|'.join(patterns)})$).*"


def _actuators(said: Mapping[str, Any], file: Path) -> Facts:
    """Gains and torque limits, each by patterns that hold within the joints of their actuators."""
    found: dict[str, dict[str, float] | None] = {"kp": {}, "kd": {}, "torque_limits": {}}
    for name, group in said.items():
        place = f"{file}: scene.robot.actuators.{name}"
        joints = group.get("joint_names_expr")
        joints = [joints] if isinstance(joints, str) else list(joints or ())
        within = f"(?=(?:{'|'.join(map(str, joints))})$)"
        limits = group.get("effort_limit_sim") if group.get("effort_limit") is None else group["effort_limit"]
        for fact, value in (("kp", group.get("stiffness")), ("kd", group.get("damping")), ("torque_limits", limits)):
            table = found[fact]
            if value is None or table is None:
                # The model's own values, which are not in the file: the document says them.
                found[fact] = None
                continue
            each = _numbers(value, f"{place}: {fact}")
            each = each if isinstance(each, dict) else {".*": each}
            table |= {f"{within}(?:{pattern})": gain for pattern, gain in each.items()}
    return {fact: table for fact, table in found.items() if table}


def _numbers(said: Any, place: str) -> float | dict[str, float]:
    """A number for all joints, or numbers by patterns."""
    if not isinstance(said, Mapping):
        return number(said, place)
    return {str(name): number(value, place) for name, value in said.items()}


def _term(
    name: str, said: Mapping[str, Any], group: Mapping[str, Any], driven: _Selection, file: Path
) -> dict[str, Any]:
    place = f"{file}: observations.policy.{name}"
    term = term_named(str(said.get("func", name)).rpartition(":")[2], ISAAC_TERMS, place)
    if said.get("modifiers"):
        raise PolicyError("a term that is modified is not known", place=f"{place}.modifiers", value=said["modifiers"])
    # What the group says counts for all of its terms.
    own = said.get("history_length") if group.get("history_length") is None else group["history_length"]
    add_shape(term, said, max(int(number(own or 0, f"{place}.history_length")), 1), place)
    if term["name"] not in JOINT_TERMS:
        return term
    seen = _selection(_inner(said, "params", "asset_cfg"))
    if seen.listed:
        if seen.names != driven.names:
            term["joints"] = seen.names
    elif seen != driven and not (seen.every and (driven.every or not driven.kept)):
        what = "a term shows its joints in the simulation's order, which the file does not say"
        remedy = "write the contract as andante.policy, with the joints of this term"
        raise PolicyError(what, place=place, value=list(seen.names) or [".*"], remedy=remedy)
    return term


FORMAT = PolicyFormat(
    "Isaac Lab: params/env.yaml of a training", read, ("scene", "decimation", "observations", "actions")
)

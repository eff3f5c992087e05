"""A document for a policy that a trainer left: what its files say is read, and the rest stands there to be said.

Nothing that the files lack is filled in: each such fact is a line behind ``#``, with a proposal where the robot's model
allows one, that somebody who knows the training takes the sign away from.
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from andante.control.policies.contract import PolicyContract, PolicyError, Source, missing_facts
from andante.control.policies.files import PolicyFile, measured, policy_of
from andante.control.policies.given import format_of
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.readers.register import POLICY_FORMATS
from andante.robots.robot import Robot

_OF_ISAAC = frozenset({"isaac-env", "unitree-lab"})
"""Formats whose joints stand in Isaac Lab's order."""
_FOLDERS = ("", "exported", "../exported", "../pre_train", "../../pre_train", "../../../pre_train")
"""Where trainers leave networks, seen from their files."""
_PLAIN = {
    "rate": ("50", "calls per second"),
    "physics_step": ("0.005", "step of the physics in training, in seconds"),
    "default_posture": ("0", "angles that actions and observations are relative to, in the order of joints"),
    "kp": ("20", "position gains in training, N m/rad"),
    "kd": ("0.5", "velocity gains in training, N m s/rad"),
    "start": ("default", "posture in which it may begin: the default posture, or one of the robot's"),
    "licence": ("mine", "under which licence the network is"),
    "ground_truth": ("false", "whether it sees what no robot measures"),
    "outputs": ("[{name: actions, size: 12}]", "what the network gives; the first is the action"),
    "commands": (
        "{forward: {range: [-0.5, 1]}, lateral: {range: [-0.3, 0.3]}, turn: {range: [-1, 1]}}",
        "what may be asked, as it was trained, in m/s and rad/s",
    ),
    "gait": ("{frequency: 1.25}", "clock of the gait phase, cycles per second"),
    "observations": ("[{name: gyro}, {name: gravity}]", "what the network sees, in order; `andante policy terms`"),
}
"""Facts with an example and what they are."""
_ACTION = {"kind": "position", "scale": "0.25", "offset": "default", "clip": "none"}
_TERM = {"frame": "base", "offset": "0", "scale": "1", "clip": "none", "delay": "0", "history": "1"}
"""What is said of the action and of all terms, each with an example."""


@dataclass(frozen=True)
class PolicyDraft:
    """A document that somebody has to complete."""

    text: str
    """Its text."""
    missing: tuple[str, ...]
    """Facts that its files lack."""
    reads: str
    """Format of the trainer's file; empty: there is the network alone."""


def draft(file: Path, path: Path, model: Path | None = None, robot: Robot | None = None) -> PolicyDraft:
    """A document for a file that a trainer left.

    Args:
        file: The trainer's file, or the network.
        path: Where the document will stand.
        model: The network; None: the one in the places where trainers leave it.
        robot: The robot, whose joints and torques are proposed; None: nothing is proposed.

    Raises:
        PolicyError: The file is of no known format, or the network is not found or cannot be used.
        AndanteError: A file cannot be read.
    """
    network, name = file if _is_network(file) else model, ""
    if network is not file:
        name = format_of(file)
        if not name:
            raise PolicyError("no reader of policies knows this file", place=str(file), legal=POLICY_FORMATS)
        network = network or _only_network(file)
    elif "joint_names" in PolicyNetwork(network).metadata:
        name = "mjlab"
    folder = Path(os.path.abspath(path)).parent
    seen = {each: os.path.relpath(os.path.abspath(each), folder) for each in (file, network)}
    short = "".join(letter if letter.isalnum() or letter in "_.-" else "-" for letter in path.stem).lstrip("_.-")
    said = PolicyContract(
        name=short[:80] or "policy",
        robot=None if robot is None else robot.name,
        reads=Source(format=name, file=seen[file], model=seen[network]) if name else None,
        model=None if name else seen[network],
    )
    known = policy_of(said, path)
    contract = known.contract if name else measured(known.contract, known.network)
    missing = missing_facts(contract)
    actions = _actions(known, contract)
    return PolicyDraft("\n".join(_lines(said, contract, missing, actions, file, robot)) + "\n", tuple(missing), name)


def _is_network(file: Path) -> bool:
    return file.suffix.lower() == ".onnx"


def _only_network(file: Path) -> Path:
    """The network that a trainer left by a file.

    Raises:
        PolicyError: There is none, or several.
    """
    for folder in _FOLDERS:
        found = sorted((file.parent / folder).glob("*.onnx"))
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(each.name for each in found)
            raise PolicyError("several networks are there", place=str(file), value=names, remedy="give --model")
    raise PolicyError("there is no network (*.onnx) by the file", place=str(file), remedy="give --model")


def _actions(file: PolicyFile, contract: PolicyContract) -> int:
    """How many numbers the network's action has; 0 where that is not known."""
    outputs = contract.outputs or ()
    return outputs[0].size if outputs else 0 if len(file.network.outputs) != 1 else file.network.outputs[0][1]


def _lines(
    said: PolicyContract,
    contract: PolicyContract,
    missing: Sequence[str],
    actions: int,
    file: Path,
    robot: Robot | None,
) -> Iterator[str]:
    yield from ("format: andante.policy", "version: 1", f"name: {said.name}")
    if said.reads is not None:
        parts = {"format": said.reads.format, "file": said.reads.file, "model": said.reads.model or ""}
        yield f"reads: {_flow(parts)}"
    else:
        yield f"model: {json.dumps(said.model)}"
    if robot is not None:
        yield f"robot: {json.dumps(robot.name)}"
    if said.reads is None:
        # The network's own facts, which nobody has to look up.
        yield f"sha256: {json.dumps(contract.sha256)}"
        for fact, tensors in (("inputs", contract.inputs), ("outputs", contract.outputs)):
            if tensors is not None:
                rows = [each.model_dump(exclude_none=True) for each in tensors]
                yield f"{fact}: [{', '.join(map(_flow, rows))}]"
    yield ""
    yield f"# {file.name} does not say what follows. Take the # away where a line is true, and mend it where it is not."
    groups: dict[str, list[str]] = {}
    for fact in missing:
        top, _, inner = fact.partition(".")
        groups.setdefault("every_term" if top.startswith("observations[") and inner in _TERM else top, []).append(inner)
    for name, absent in groups.items():
        yield from _proposed(name, absent, contract, actions, robot)
    count = len(contract.joints or ()) or actions
    if contract.others is None and (robot is None or count != len(robot.joints)):
        yield "# others: {posture: stand, stiffness: 1}  # how joints are held that it does not drive"


def _proposed(
    top: str, inner: Sequence[str], contract: PolicyContract, actions: int, robot: Robot | None
) -> Iterator[str]:
    """Lines of a fact that is missing."""
    if top == "robot":
        yield "# robot: NAME  # name of the robot, as `andante robots FILE` tells it"
    elif top == "joints":
        yield from _joints(contract, actions, robot)
    elif top == "torque_limits":
        text = "25" if robot is None else _flow(_efforts(robot, contract.joints or robot.joint_names))
        yield f"# torque_limits: {text}  # largest torques in training, N m" + (
            "" if robot is None else "; the robot's"
        )
    elif top == "action":
        yield f"# action: {_flow({name: _ACTION.get(name, '') for name in inner})}  # offset + scale * clip(number)"
    elif top == "every_term":
        said = {name: _TERM[name] for name in _TERM if name in inner}
        yield f"# every_term: {_flow(said)}  # of all observations that do not say it themselves"
    elif top in _PLAIN:
        example, what = _PLAIN[top]
        yield f"# {top}: {example}  # {what}"
        if top == "observations":
            yield f"# every_term: {_flow(_TERM)}  # of all that do not say it themselves"
    else:
        yield f"# {'.'.join((top, *inner[:1]))}: what?"


def _efforts(robot: Robot, names: Sequence[str]) -> dict[str, float]:
    """Largest torques by patterns that name joints; those of the same torque stand together."""
    found: dict[float, list[str]] = {}
    for name in names:
        if name in robot.joint_index:
            found.setdefault(float(robot.max_effort[robot.index(name)]), []).append(re.escape(name))
    return {"|".join(each): effort for effort, each in found.items()}


def _joints(contract: PolicyContract, actions: int, robot: Robot | None) -> Iterator[str]:
    """Lines for the joints: the robot's, in the order that the trainer most likely has."""
    of_isaac = contract.reads is not None and contract.reads.format in _OF_ISAAC
    if robot is None:
        yield "# joints: [a, b, c]  # joints that it drives, in the network's order"
        return
    names = _breadth_first(robot) if of_isaac else list(robot.joint_names)
    many = (
        "" if not actions or actions == len(names) else f"; the network gives {actions} numbers, these are {len(names)}"
    )
    if of_isaac:
        yield "# Isaac Lab counts breadth first, siblings by name: so it would count this model's joints. In training"
        yield f'# print(env.scene["robot"].joint_names) tells{many}.'
    else:
        yield f"# The robot's own order, which need not be the network's{many}."
    yield f"# joints: [{', '.join(names)}]"


def _breadth_first(robot: Robot) -> list[str]:
    """The robot's joints level by level, those of a level in the order of their parents, siblings by name."""
    model = robot.model
    by_body: dict[int, list[str]] = {}
    for name in robot.joint_names:
        by_body.setdefault(int(model.joint(name).bodyid[0]), []).append(name)
    below: dict[int, list[int]] = {}
    for body in range(1, model.nbody):
        below.setdefault(int(model.body_parentid[body]), []).append(body)
    found: list[str] = []
    waiting = deque([0])
    while waiting:
        # Bodies without a joint are a part of the one above.
        level: list[int] = []
        fixed = deque([waiting.popleft()])
        while fixed:
            for body in below.get(fixed.popleft(), ()):
                (level if body in by_body else fixed).append(body)
        level.sort(key=lambda body: by_body[body][0])
        for body in level:
            found += by_body[body]
        waiting += level
    return found


def _flow(values: Mapping[str, object]) -> str:
    """A table on one line; words that are numbers or names of YAML stay bare."""
    return "{" + ", ".join(f"{_bare(key)}: {_bare(value)}" for key, value in values.items()) + "}"


def _bare(value: object) -> str:
    text = str(value)
    plain = bool(text) and all(letter.isalnum() or letter in "_./-" for letter in text)
    return text if plain and not text.startswith("-") else json.dumps(value)

"""Isaac Lab's ``params/agent.yaml``: where the trainer's own wrapper cuts what the network gives, and what it sees.

``env.yaml`` knows nothing of it. rsl_rl cuts actions to ``clip_actions`` before the environment gets them, so that the
last action is seen as it was cut; rl_games cuts whole observations, too (``params.env``). skrl does neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.control.policies.contract import PolicyError
from andante.control.policies.readers.numbers import clip, number
from andante.documents.files import read_text
from andante.documents.yaml_tree import parse_tree

NAME = "agent.yaml"
_LARGEST = 4 * 2**20
"""Size of the largest file that is read [bytes]."""


@dataclass(frozen=True)
class AgentCuts:
    """Where a trainer's wrapper cuts."""

    actions: float | None
    """Largest size of the network's numbers; None: they are not cut."""
    observations: float | None
    """Largest size of what the network sees; None: that is not cut."""


def agent_cuts(file: Path) -> AgentCuts | None:
    """What ``agent.yaml`` beside a file says; None: there is none, or of a trainer whose wrapper is not known.

    Raises:
        PolicyError: A bound is no number above 0.
        DocumentError: It cannot be read, or is no YAML.
    """
    path = file.parent / NAME
    if not path.is_file():
        return None
    data = parse_tree(read_text(path, max_bytes=_LARGEST), str(path), dumped=True).data
    if not isinstance(data, Mapping):
        return None
    params = data.get("params")
    env = params.get("env") if isinstance(params, Mapping) else None
    if isinstance(env, Mapping):
        return AgentCuts(*(_bound(env, name, f"{path}: params.env") for name in ("clip_actions", "clip_observations")))
    if "clip_actions" in data:
        return AgentCuts(_bound(data, "clip_actions", str(path)), None)
    return AgentCuts(None, None) if {"models", "trainer"} <= set(data) else None


def cut(term: dict[str, Any], cuts: AgentCuts, place: str) -> None:
    """Narrow the bounds of a term to what the wrapper lets pass.

    Raises:
        PolicyError: Nothing is left between the bounds.
    """
    if cuts.actions is not None and term["name"] == "last_action":
        _narrow(term, clip((-cuts.actions, cuts.actions), term["scale"], place), place)
    if cuts.observations is not None:
        _narrow(term, (-cuts.observations, cuts.observations), place)


def _narrow(term: dict[str, Any], bounds: Any, place: str) -> None:
    said = term["clip"]
    if said == "none":
        term["clip"] = bounds
        return
    pairs = [each if isinstance(each[0], tuple) else None for each in (said, bounds)]
    count = next((len(each) for each in pairs if each is not None), 1)
    both = zip(*(each or (whole,) * count for each, whole in zip(pairs, (said, bounds), strict=True)), strict=True)
    found = tuple((max(one[0], other[0]), min(one[1], other[1])) for one, other in both)
    if any(low > high for low, high in found):
        raise PolicyError("nothing is left between the bounds of env.yaml and agent.yaml", place=place, value=found)
    term["clip"] = found if count > 1 else found[0]


def _bound(said: Mapping[str, Any], name: str, place: str) -> float | None:
    if said.get(name) is None:
        return None
    bound = number(said[name], f"{place}.{name}")
    if not bound > 0.0:
        raise PolicyError("a bound above 0 is needed", place=f"{place}.{name}", value=bound)
    return bound

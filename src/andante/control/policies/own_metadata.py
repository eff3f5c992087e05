"""What a network's file tells of itself must not contradict its contract, whoever wrote that.

mjlab, rsl_rl and Isaac Lab's exporters write joints, posture, gains, action scale and observations into the ONNX file.
A contract that was copied together from elsewhere often has another order: MuJoCo's where training had Isaac's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from andante.control.policies.contract import PolicyContract, PolicyError, numbers_of
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.readers.mjlab import numbers, terms_of, words
from andante.control.policies.readers.names import without_prefix
from andante.robots.records import Vector

_OFF, _SHARE = 6e-4, 1e-3
"""By how much numbers may differ: they have three decimals there."""
_FACTS = {
    "default_joint_pos": "default_posture",
    "joint_stiffness": "kp",
    "joint_damping": "kd",
    "action_scale": "action.scale",
}


def refuse_other_metadata(contract: PolicyContract, network: PolicyNetwork, place: str) -> None:
    """Refuse a contract whose patterns are resolved, and that says otherwise than its network's own file.

    Joints by other names are compared by their numbers alone. What the file says in a way that is not understood says
    nothing.

    Raises:
        PolicyError: Names the first fact.
    """
    texts, joints = network.metadata, contract.joints
    if joints is None or "joint_names" not in texts:
        return
    told = tuple(without_prefix(name) for name in words(texts["joint_names"]))
    there = [name for name in told if name in joints]
    same = tuple(name for name in joints if name in told)
    if tuple(there) != same:
        raise _contradiction("joints", list(joints), ", ".join(told), network, place)
    if len(there) == len(joints):
        at: Sequence[int] = [told.index(name) for name in joints]
    elif not there and len(told) == len(joints):
        at = range(len(told))
    else:
        return
    for key, fact in _FACTS.items():
        said = contract.action.scale if key == "action_scale" else getattr(contract, fact)
        found = _found(texts, key, len(told), len(joints), at)
        if said is None or found is None:
            continue
        mine = numbers_of(said, len(joints), f"{place}: {fact}")
        off = np.flatnonzero(np.abs(mine - found) > _OFF + _SHARE * np.abs(found))
        if len(off):
            joint = int(off[0])
            raise _contradiction(
                f"{fact}, joint {joints[joint]}", float(mine[joint]), f"{found[joint]:g}", network, place
            )
    _same_observations(contract, texts, network, place)


def _found(texts: Mapping[str, str], key: str, count: int, driven: int, at: Sequence[int]) -> Vector | None:
    """The file's numbers for the contract's joints, (n,); None where it tells none."""
    try:
        found = numbers(texts[key], key)
    except (KeyError, PolicyError):
        return None
    if not isinstance(found, tuple):
        return np.full(driven, found)
    if len(found) == count:
        return np.array(found)[list(at)]
    # Scales stand for the driven joints alone.
    return np.array(found) if len(found) == driven else None


def _same_observations(contract: PolicyContract, texts: Mapping[str, str], network: PolicyNetwork, place: str) -> None:
    """Refuse other observations or another order of them, where all the file's are known."""
    names = words(texts.get("observation_names", ""))
    known_terms = terms_of(texts)
    terms = [known_terms[name]["name"] for name in names if name in known_terms]
    said = [term.name for term in contract.observations or ()]
    known = len(names) == len(terms) == len(said) and set(terms) <= set(said)
    if known and terms != said:
        raise _contradiction("observations", said, ", ".join(terms), network, place)


def _contradiction(fact: str, value: Any, limit: str, network: PolicyNetwork, place: str) -> PolicyError:
    return PolicyError(
        "the contract says otherwise than the metadata in its network's file",
        place=f"{place}: {fact}",
        value=value,
        limit=limit,
        remedy=f"take it over from {network.path.name} (reads: {{format: mjlab}}), or export the network with the right"
        " metadata",
    )

"""PolicyFormat: how the facts of a policy stand in the files of another program.

An installed package brings one by an entry point in the group ``andante.policy_formats``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.plugins.errors import PluginError
from andante.plugins.register import Register

Facts = dict[str, Any]
"""Fields of an `andante.policy` document, as plain data; ``model`` is the path of the network's file, ``assumed`` a
list of what the reader took for granted, each with the fields in front: ``kp, kd: as the trainer has them``."""


@dataclass(frozen=True)
class PolicyFormat:
    """A format."""

    what: str
    """What writes it."""
    read: Callable[[Path, Path | None], Facts]
    """The facts in a file: fields of a policy's contract as plain data, and ``assumed``, a list of what it took for
    granted. Given are the file, and the network's where the document names it."""
    keys: tuple[str, ...] = ()
    """Keys that all stand in such a file, in YAML at its top, or in its one table. By them it is known where somebody
    gives it in place of the contract; none: it is not."""


def _accept(thing: object) -> PolicyFormat:
    if not isinstance(thing, PolicyFormat):
        raise PluginError("is no format of policies", value=type(thing).__name__, limit="a PolicyFormat")
    return thing


_PLACE = "control.policies.readers"
POLICY_FORMATS: Register[PolicyFormat] = Register(
    "policy_formats",
    "format of policies",
    _accept,
    {
        "mjlab": f"{_PLACE}.mjlab:FORMAT",
        "isaac": f"{_PLACE}.isaac:FORMAT",
        "mjswan": f"{_PLACE}.mjswan:FORMAT",
        "bhuman": f"{_PLACE}.bhuman:FORMAT",
        "isaac-env": f"{_PLACE}.isaac_env:FORMAT",
        "unitree-lab": f"{_PLACE}.unitree_lab:FORMAT",
        "legged-gym": f"{_PLACE}.legged_gym:FORMAT",
        "booster-gym": f"{_PLACE}.booster_gym:FORMAT",
        "rl-sar": f"{_PLACE}.rl_sar:FORMAT",
    },
)
"""Formats by name."""

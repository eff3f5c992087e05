"""Kinds of things that packages and programs can add, and the register of each kind.

Registers stand in the rooms that use them; here they are found by name, when they are asked for.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from andante.plugins.errors import PluginError
from andante.plugins.installed import misplaced, package_named, unreadable
from andante.plugins.register import Origin, Register

KINDS = {
    "robots": "robots.register:ROBOTS",
    "formats": "formats.registry:FORMATS",
    "boards": "terrain.boards.make:BOARDS",
    "checks": "motions.checks.run:CHECKS",
    "controllers": "runs.controls.registry:CONTROLLERS",
    "estimators": "runs.controls.estimators:ESTIMATORS",
    "backends": "runs.backends.registry:BACKENDS",
    "tasks": "runs.tasks.registry:TASKS",
    "experiments": "search.experiment.registry:EXPERIMENTS",
    "judges": "search.judging.judges:JUDGES",
    "observers": "search.experiment.observing:OBSERVERS",
    "footholds": "planning.quadruped.foothold_rule:FOOTHOLDS",
    "gaits": "planning.quadruped.gait_policy:GAIT_POLICIES",
    "costs": "planning.nmpc.cost_term:COSTS",
    "solvers": "planning.nmpc.solvers:SOLVERS",
    "policy_terms": "control.policies.terms:POLICY_TERMS",
    "observation_terms": "env.observations:OBSERVATIONS",
    "reward_terms": "env.rewards:REWARDS",
    "policy_formats": "control.policies.readers.register:POLICY_FORMATS",
}
"""Module and name of the register of each kind, below ``andante``."""
PACKAGES = "packages"
"""Where `plugins` tells of packages that cannot be asked what they bring."""


def register_of(kind: str) -> Register[Any]:
    """The register of a kind.

    Raises:
        PluginError: There is no such kind.
    """
    if kind not in KINDS:
        raise PluginError("there is no such kind of plug-in", value=kind, legal=KINDS)
    module, _, name = KINDS[kind].partition(":")
    found: Register[Any] = getattr(import_module(f"andante.{module}"), name)
    return found


def register(kind: str, name: str, thing: Any) -> None:
    """Add a thing to a running program; documents, commands and functions then know it by its name.

    Args:
        kind: Its kind, in the plural: ``robots``, ``formats``, ``boards``, ``checks`` and so on.
        name: Its name.
        thing: What an entry point of the group ``andante.<kind>`` would name; see docs/extend.md.

    Raises:
        PluginError: There is no such kind, or another thing of it has this name.
        AndanteError: The thing is none of this kind.
    """
    register_of(kind).register(name, thing)


def summary(thing: Any) -> str:
    """What a thing of a register is, in a line: as it says itself (``what``), else the first line of its docstring."""
    said = getattr(thing, "what", None)
    # A function with some arguments given would be told by what `functools` says of such ones.
    thing = thing.func if isinstance(thing, functools.partial) else thing
    # A class without a docstring would be told by its base's.
    own = thing.__doc__ if isinstance(thing, type) else inspect.getdoc(thing)
    text = said if isinstance(said, str) else inspect.cleandoc(own or "")
    return text.partition("\n")[0].removesuffix(".")


def plugins(kinds: Sequence[str] = ()) -> list[Origin]:
    """What installed packages and this program bring, by kind, with what is wrong; all of it is imported.

    Args:
        kinds: Names of kinds; none: all.

    Raises:
        PluginError: There is no such kind.
    """
    found = [origin for kind in kinds or KINDS for origin in register_of(kind).origins()]
    if kinds:
        return found
    broken = [(package_named(each), str(each)) for each in unreadable()]
    found += [Origin(PACKAGES, package, package, problem) for package, problem in broken]
    lost = [(point.name, package_named(error), str(error)) for point, error in misplaced(KINDS)]
    return found + [Origin(PACKAGES, *each) for each in lost]

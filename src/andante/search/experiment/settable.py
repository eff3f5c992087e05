"""Everything that has settings, by name: kinds of controllers, parts of a scenario, observers, boards and so on.

A name may be that of several things, as ``quadruped`` is a controller's, a task's and an observer's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from andante.documents.fields import Step, field_name
from andante.documents.parameters import Parameter, parameters
from andante.errors import nearest_name
from andante.planning.nmpc.cost_term import COSTS
from andante.planning.quadruped.foothold_rule import FOOTHOLDS
from andante.planning.quadruped.gait_policy import GAIT_POLICIES
from andante.plugins.kinds import summary
from andante.plugins.register import SHIPPED, Register
from andante.runs.backends.registry import BACKENDS
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.scenario_parameters import parameters_of_part, scenario_parts
from andante.runs.tasks.registry import TASKS
from andante.search.errors import SearchError
from andante.search.experiment.observing import OBSERVERS
from andante.terrain.boards.make import BOARDS

_CONTROLLER, _TERRAIN = "controller", ("world", "terrain")
_FEW: tuple[tuple[Register[Any], tuple[Step, ...]], ...] = (
    (BACKENDS, ("backend",)),
    (TASKS, ("tasks", 0)),
    (FOOTHOLDS, (_CONTROLLER, "local", "foothold")),
    (GAIT_POLICIES, (_CONTROLLER, "gait")),
    (COSTS, (_CONTROLLER, "local", "nmpc", "costs", 0)),
)
"""Registers of parts with fields of their own, and where such a part stands in a scenario. Andante's own have none but
for backends."""
_OF_BOARDS = ("difficulty", "seed", "leg_length", "friction")
_RUN = "andante run SCENARIO --set {path}=VALUE    ([0] is the first of a list)"


@dataclass(frozen=True)
class Settable:
    """One thing that has settings, or might have some."""

    type: str
    """What it is: kind of controller or backend, part of a scenario, observer, board and so on."""
    name: str
    """Its name."""
    what: str
    """What it is, in a line."""
    read: Callable[[], list[Parameter]]
    """Reads its settings; raises `PluginError` where the plug-in that brings it cannot be used."""
    change: str = _RUN
    """How one is changed, with ``{path}`` for its path."""


def settable() -> list[Settable]:
    """Everything that may have settings; nothing of a package is imported for it."""
    found = [_of(CONTROLLERS, name, (_CONTROLLER,)) for name in CONTROLLERS.names]
    found += [
        Settable("part of a scenario", name, what, partial(parameters_of_part, name))
        for name, what in scenario_parts().items()
    ]
    for register, path in _FEW:
        found += [_of(register, name, path) for name in (register.names if register is BACKENDS else register.plugged)]
    observed = "andante bench EXPERIMENT --set {path}=VALUE"
    found += [_of(OBSERVERS, name, ("observers", name), observed) for name in OBSERVERS.names]
    return [*found, *(_of_board(name) for name in BOARDS.names)]


def settings_of(name: str) -> list[Settable]:
    """All things of a name, in the order of `settable`, and those that have no settings.

    Raises:
        SearchError: There is none.
    """
    known = settable()
    found = [each for each in known if each.name == name]
    types = {each.type for each in found}
    found += [
        _of(register, name, path) for register, path in _FEW if name in register and register.singular not in types
    ]
    if found:
        return found
    names = [each.name for each in known]
    legal = "; ".join(f"{kind}: {', '.join(each.name for each in group)}" for kind, group in by_type(known).items())
    what = "nothing that has settings has this name"
    raise SearchError(what, value=name, meant=nearest_name(name, names) or "", remedy=f"legal: {legal}")


def by_type(found: Iterable[Settable]) -> dict[str, list[Settable]]:
    """Things that have settings by what they are."""
    groups: dict[str, list[Settable]] = {}
    for each in found:
        groups.setdefault(each.type, []).append(each)
    return groups


def _of(register: Register[Any], name: str, path: tuple[Step, ...], change: str = _RUN) -> Settable:
    return Settable(register.singular, name, _what(register, name), lambda: _parameters(register, name, path), change)


def _parameters(register: Register[Any], name: str, path: tuple[Step, ...]) -> list[Parameter]:
    """Parameters of a kind; none where it has nothing but its type."""
    kind = register[name]
    with register.blame(name):
        found = list(parameters(kind, path))
    return [] if [each.path for each in found] == [field_name((*path, "type"))] else found


def _of_board(name: str) -> Settable:
    change = f"andante walk --board {name} --set {{path}}=VALUE    (its own also by the last part of the path)"
    return Settable(BOARDS.singular, name, _what(BOARDS, name), lambda: _parameters_of_board(name), change)


def _parameters_of_board(name: str) -> list[Parameter]:
    """What decides a board, as a scenario says it: its own parameters, then what all boards have."""
    kind = BOARDS[name]
    with BOARDS.blame(name):
        own = [
            Parameter(
                path=field_name((*_TERRAIN, "parameters", each)),
                unit="",
                default=0.5 * (low + high),
                bounds="" if each == "yaw" else ">= 0",
                meaning=f"{low:.6g}." if low == high else f"{low:.6g} at difficulty 0, {high:.6g} at 1.",
            )
            for each, (low, high) in kind.parameters.items()
        ]
    terrain = {each.path: each for each in parameters_of_part("world")}
    return [*own, *(terrain[field_name((*_TERRAIN, name))] for name in _OF_BOARDS)]


def _what(register: Register[Any], name: str) -> str:
    """What a thing is, in a line; of packages only who brings it, since nothing of theirs is imported for a list."""
    source = register.source(name)
    if source == SHIPPED:
        return summary(register[name])
    return f"{register.singular[:1].upper()}{register.singular[1:]} of {source}"

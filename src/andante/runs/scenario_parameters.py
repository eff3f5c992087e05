"""The parameters that a scenario may have, by the kind of controller or by the part that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.documents.descriptions import descriptions
from andante.documents.fields import Step, inside, models_in
from andante.documents.parameters import Parameter, parameters
from andante.planning.nmpc.cost_term import COSTS
from andante.planning.quadruped.foothold_rule import FOOTHOLDS
from andante.planning.quadruped.gait_policy import GAIT_POLICIES
from andante.plugins.register import Register
from andante.runs.backends.registry import BACKENDS
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.errors import ScenarioError
from andante.runs.scenario import Scenario
from andante.runs.tasks.registry import TASKS

_WHOLE, _CONTROLLER = "scenario", "controller"
_PLUGGED: tuple[tuple[Register[Any], tuple[Step, ...]], ...] = (
    (BACKENDS, ("backend",)),
    (TASKS, ("tasks", 0)),
    (FOOTHOLDS, (_CONTROLLER, "local", "foothold")),
    (GAIT_POLICIES, (_CONTROLLER, "gait")),
    (COSTS, (_CONTROLLER, "local", "nmpc", "costs", 0)),
)
"""Registers of other parts with fields of their own, and where such a part stands in a scenario."""


def kinds_of_parameters() -> Mapping[str, str]:
    """Kinds of controllers and parts of a scenario by name, each with what it is, in a line."""
    controllers = {name: _first_line(kind.__doc__) for name, kind in CONTROLLERS.items()}
    texts = descriptions(Scenario)
    parts = {name: _first_line(texts.get(name, "")) for name in _parts()}
    found = {**controllers, _WHOLE: "All of a scenario but its controller.", **parts}
    for register, _ in _PLUGGED:
        for name in register.plugged:
            found.setdefault(name, f"{register.singular[:1].upper()}{register.singular[1:]} of {register.source(name)}")
    return found


def parameters_of(kind: str) -> list[Parameter]:
    """Parameters of a kind of controller, of a part of a scenario, or of all of a scenario but its controller.

    Kinds of backends and tasks and parts of a quadruped's controller have parameters of their own where a program or
    a package brings them; those of Andante are told with their part.

    Raises:
        ScenarioError: There is no such kind.
        PluginError: The plug-in that brings it cannot be used.
    """
    if kind in CONTROLLERS:
        return list(parameters(CONTROLLERS[kind], (_CONTROLLER,)))
    found = [each for each in parameters(Scenario) if not each.path.startswith(f"{_CONTROLLER}.")]
    if kind == _WHOLE:
        return found
    if kind in _parts():
        return [each for each in found if each.path == kind or each.path.startswith(f"{kind}.")]
    for register, path in _PLUGGED:
        if kind in register.plugged:
            return list(parameters(register[kind], path))
    raise ScenarioError("there are no parameters of this kind", value=kind, legal=kinds_of_parameters())


def _parts() -> list[str]:
    names = [name for name in Scenario.model_fields if name != _CONTROLLER]
    return [name for name in names if models_in(inside(Scenario, name))]


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]

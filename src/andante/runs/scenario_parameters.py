"""The parameters that a scenario may have, by the kind of controller or by the part that they belong to."""

from __future__ import annotations

from collections.abc import Mapping

from andante.documents.descriptions import descriptions
from andante.documents.fields import inside, models_in
from andante.documents.parameters import Parameter, parameters
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.errors import ScenarioError
from andante.runs.scenario import Scenario

_WHOLE, _CONTROLLER = "scenario", "controller"


def kinds_of_parameters() -> Mapping[str, str]:
    """Kinds of controllers and parts of a scenario by name, each with what it is, in a line."""
    controllers = {name: _first_line(kind.__doc__) for name, kind in CONTROLLERS.kinds.items()}
    texts = descriptions(Scenario)
    parts = {name: _first_line(texts.get(name, "")) for name in _parts()}
    return {**controllers, _WHOLE: "All of a scenario but its controller.", **parts}


def parameters_of(kind: str) -> list[Parameter]:
    """Parameters of a kind of controller, of a part of a scenario, or of all of a scenario but its controller.

    Raises:
        ScenarioError: There is no such kind.
    """
    if kind in CONTROLLERS.kinds:
        return list(parameters(CONTROLLERS.kinds[kind], (_CONTROLLER,)))
    found = [each for each in parameters(Scenario) if not each.path.startswith(f"{_CONTROLLER}.")]
    if kind == _WHOLE:
        return found
    if kind in _parts():
        return [each for each in found if each.path == kind or each.path.startswith(f"{kind}.")]
    raise ScenarioError("there are no parameters of this kind", value=kind, legal=kinds_of_parameters())


def _parts() -> list[str]:
    names = [name for name in Scenario.model_fields if name != _CONTROLLER]
    return [name for name in names if models_in(inside(Scenario, name))]


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]

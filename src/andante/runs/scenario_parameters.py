"""The parameters that the parts of a scenario have, but for those of its controller and of what packages bring."""

from __future__ import annotations

from collections.abc import Mapping

from andante.documents.descriptions import descriptions
from andante.documents.fields import inside, models_in
from andante.documents.parameters import Parameter, parameters
from andante.runs.scenario import Scenario

_WHOLE, _CONTROLLER = "scenario", "controller"


def scenario_parts() -> Mapping[str, str]:
    """All of a scenario but its controller, and its parts, by name, each with what it is, in a line."""
    texts = descriptions(Scenario)
    names = [name for name in Scenario.model_fields if name != _CONTROLLER]
    parts = [name for name in names if models_in(inside(Scenario, name))]
    found = {name: texts.get(name, "").strip().partition("\n")[0] for name in parts}
    return {_WHOLE: "All of a scenario but its controller.", **found}


def parameters_of_part(name: str) -> list[Parameter]:
    """Parameters of a part of a scenario, one of `scenario_parts`."""
    found = [each for each in parameters(Scenario) if not each.path.startswith(f"{_CONTROLLER}.")]
    if name == _WHOLE:
        return found
    return [each for each in found if each.path == name or each.path.startswith(f"{name}.")]

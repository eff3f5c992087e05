"""The parameters of an experiment's observers, beside those that a scenario may have."""

from __future__ import annotations

from collections.abc import Mapping

from andante.documents.parameters import Parameter, parameters
from andante.plugins.kinds import KINDS, register_of, summary
from andante.runs.errors import ScenarioError
from andante.runs.scenario_parameters import kinds_of_parameters as kinds_of_a_scenario
from andante.runs.scenario_parameters import parameters_of as parameters_of_a_scenario
from andante.search.experiment.observing import OBSERVERS


def kinds_of_parameters() -> Mapping[str, str]:
    """Kinds of controllers, parts of a scenario and observers by name, each with what it is, in a line."""
    found = dict(kinds_of_a_scenario())
    for name in OBSERVERS.names:
        if name in OBSERVERS.plugged:
            found.setdefault(name, f"Observer of {OBSERVERS.source(name)}")
        elif OBSERVERS[name].model_fields:
            found.setdefault(name, f"Observer: {summary(OBSERVERS[name])}.")
    return found


def parameters_of(kind: str) -> list[Parameter]:
    """Parameters of a kind, see `andante.runs.scenario_parameters.parameters_of`, and of the observer of this name.

    Raises:
        ScenarioError: There is no such kind.
        PluginError: The plug-in that brings it cannot be used.
    """
    own = list(parameters(OBSERVERS[kind], ("observers", kind))) if kind in OBSERVERS else []
    try:
        return parameters_of_a_scenario(kind) + own
    except ScenarioError:
        if kind in OBSERVERS:
            return own
    for group in KINDS:
        register = register_of(group)
        if kind in register:
            remedy = f"andante boards {kind} lists its values" if group == "boards" else ""
            raise ScenarioError(f"this {register.singular} has no parameters", value=kind, remedy=remedy)
    raise ScenarioError("there are no parameters of this kind", value=kind, legal=kinds_of_parameters())

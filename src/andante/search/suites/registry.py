"""All benchmark suites. A suite's module is imported when it is used, so that a list of them costs nothing."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.errors import shorten
from andante.search.errors import SearchError

if TYPE_CHECKING:
    from andante.search.suite import Suite

SUITES: Mapping[str, str] = {
    "aibo": "Do an AIBO's motions stay on their feet, pass their checks, and kick the ball?",
    "openr": "Is a stop obeyed at every tick of a motion, and is the stream the same for 1, 4 and 16 frames?",
}
"""What each suite asks that is no experiment; the module of its name in this folder holds it as ``SUITE``."""
_MORE = ("getup", "boards", "quadruped")
"""Experiments of which a module here makes more options, conditions or pictures."""


def load_suite(name: str) -> Suite[Any, Any, Any]:
    """The suite of this name, or the one that an experiment is, by its name or its file.

    Raises:
        SearchError: There is none.
        PluginError: The package that brings it cannot be used.
    """
    if name in SUITES or name in _MORE:
        suite: Suite[Any, Any, Any] = importlib.import_module(f"{__package__}.{name}").SUITE
        return suite
    from andante.search.experiment.registry import EXPERIMENTS, experiment_named
    from andante.search.experiment.suite import suite_of

    if name not in EXPERIMENTS and Path(name).suffix not in (".yaml", ".yml"):
        legal = suite_names()
        remedy = "or name the file of an experiment"
        raise SearchError("there is no such suite", value=name, legal=legal, remedy=remedy)
    return suite_of(experiment_named(name), name if name in EXPERIMENTS else "")


def suite_names() -> tuple[str, ...]:
    """Names of all suites and experiments; nothing is imported but the register."""
    from andante.search.experiment.registry import EXPERIMENTS

    return tuple(dict.fromkeys((*EXPERIMENTS.names, *SUITES)))


def told(name: str) -> str:
    """What a suite or an experiment asks, in a line; of one that cannot be used why not."""
    from andante.errors import AndanteError
    from andante.search.experiment.registry import SHIPPED, experiment_named

    if name in SUITES or name in SHIPPED:
        return SUITES[name] if name in SUITES else SHIPPED[name]

    try:
        return experiment_named(name).what
    except AndanteError as error:
        return shorten(str(error))

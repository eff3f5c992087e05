"""What the shell completes: names of things, and the motions of the library on the line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module

import typer

_KINDS = (
    *("robots", "scenarios", "libraries", "motions", "boards", "formats", "checks"),
    *("controllers", "backends", "tasks", "experiments"),
)


def _names(module: str, name: str) -> Callable[[str], list[str]]:
    """Completes the names that a module has under a name; it is imported when something is to be completed."""

    def complete(incomplete: str) -> list[str]:
        found = getattr(import_module(module), name)
        return _starting(found() if callable(found) else found, incomplete)

    return complete


def kinds(incomplete: str) -> list[str]:
    """Kinds of things for `andante list`."""
    return _starting(_KINDS, incomplete)


parameter_kinds = _names("andante.search.experiment.observer_parameters", "kinds_of_parameters")
"""Kinds of parameters for `andante params`."""
robots = _names("andante.robots.register", "ROBOTS")
"""Robots by name."""
scenarios = _names("andante.runs.scenario_files", "shipped_scenarios")
"""Shipped scenarios."""
libraries = _names("andante.runs.motion_libraries", "shipped_libraries")
"""Shipped motion libraries."""
boards = _names("andante.terrain.boards.make", "BOARDS")
"""Kinds of boards."""
formats = _names("andante.formats.registry", "FORMATS")
"""Motion file formats."""
plugin_kinds = _names("andante.plugins.kinds", "KINDS")
"""Kinds of things that packages can bring."""


def motions(context: typer.Context, incomplete: str) -> list[str]:
    """Motions of the library or the source that the line names so far; of all shipped libraries where it names none."""
    from andante.errors import AndanteError
    from andante.runs.motion_libraries import load_motions, shipped_libraries

    named = context.params.get("library") or context.params.get("source")
    found: list[str] = []
    for library in [str(named)] if named is not None else shipped_libraries():
        try:
            found += load_motions(library).motions
        except AndanteError:
            continue
    return _starting(dict.fromkeys(found), incomplete)


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]

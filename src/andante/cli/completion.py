"""What the shell completes: names of things, and the motions of the library on the line."""

from __future__ import annotations

from collections.abc import Iterable

import typer

_KINDS = (
    *("robots", "scenarios", "libraries", "motions", "boards", "formats", "checks"),
    *("controllers", "backends", "tasks", "experiments"),
)


def kinds(incomplete: str) -> list[str]:
    """Kinds of things for `andante list`."""
    return _starting(_KINDS, incomplete)


def parameter_kinds(incomplete: str) -> list[str]:
    """Kinds of parameters for `andante params`."""
    from andante.runs.scenario_parameters import kinds_of_parameters

    return _starting(kinds_of_parameters(), incomplete)


def robots(incomplete: str) -> list[str]:
    """Robots by name."""
    from andante.robots.register import ROBOTS

    return _starting(ROBOTS, incomplete)


def scenarios(incomplete: str) -> list[str]:
    """Shipped scenarios."""
    from andante.runs.scenario_files import shipped_scenarios

    return _starting(shipped_scenarios(), incomplete)


def libraries(incomplete: str) -> list[str]:
    """Shipped motion libraries."""
    from andante.runs.motion_libraries import shipped_libraries

    return _starting(shipped_libraries(), incomplete)


def boards(incomplete: str) -> list[str]:
    """Kinds of boards."""
    from andante.terrain.boards.make import BOARDS

    return _starting(BOARDS, incomplete)


def formats(incomplete: str) -> list[str]:
    """Motion file formats."""
    from andante.formats.registry import FORMATS

    return _starting(FORMATS, incomplete)


def plugin_kinds(incomplete: str) -> list[str]:
    """Kinds of things that packages can bring."""
    from andante.plugins.kinds import KINDS

    return _starting(KINDS, incomplete)


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

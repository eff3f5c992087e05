"""`andante params KIND`: every parameter by its path, as `--set` takes it, with unit, default, bounds and meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.completion import parameter_kinds
from andante.cli.output import answer

if TYPE_CHECKING:
    from andante.documents.parameters import Parameter

_WIDE = 44


def params(
    kind: Annotated[str | None, typer.Argument(autocompletion=parameter_kinds)] = None,
    word: Annotated[str | None, typer.Argument()] = None,
) -> None:
    """Parameters of a kind of controller, part of a scenario or observer: path, unit, default, bounds, meaning.

    Args:
        kind: Kind of controller (quadruped, crawl, keyframes), part of a scenario (world, guard, success, scenario), or
            observer of an experiment (get-up). Default: list them.
        word: Only parameters with this word in path or meaning.
    """
    from andante.search.experiment.observer_parameters import kinds_of_parameters, parameters_of

    if kind is None:
        kinds = kinds_of_parameters()
        answer({"kinds": kinds}, [f"{name:<18}{what}" for name, what in kinds.items()])
        return
    found = [each for each in parameters_of(kind) if word is None or word in each]
    answer({"kind": kind, "parameters": [each.data() for each in found]}, _lines(found, word))


def _lines(found: list[Parameter], word: str | None) -> Iterator[str]:
    if not found:
        yield "it has no parameters" if word is None else "no parameter has this word in its path or its meaning"
    for each in found:
        of = each.kind and f"(of type {each.kind})"
        facts = [text for text in (each.unit and f"[{each.unit}]", each.bounds, of) if text]
        default = "must be given" if each.required else f"default {_text(each.default)}"
        yield f"{each.path:<{_WIDE}} {default}{''.join(f'  {fact}' for fact in facts)}"
        if each.meaning:
            yield f"    {each.meaning}"
    if found:
        yield ""
    last = {"bench EXPERIMENT" if each.path.startswith("observers.") else "run SCENARIO": each.path for each in found}
    for command, path in last.items():
        yield f"change one with: andante {command} --set {path}=VALUE    ([0] is the first of a list)"


def _text(value: Any) -> str:
    """A default as `--set` takes it."""
    from andante.documents.emitter import flow_text

    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return flow_text(value)

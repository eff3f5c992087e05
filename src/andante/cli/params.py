"""`andante params KIND`: every parameter by its path, as `--set` takes it, with unit, default, bounds and meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.completion import settable_names
from andante.cli.output import answer

if TYPE_CHECKING:
    from andante.documents.parameters import Parameter
    from andante.search.experiment.settable import Settable

    _Read = list[Parameter] | str

_WIDE = 44


def params(
    kind: Annotated[str | None, typer.Argument(autocompletion=settable_names)] = None,
    word: Annotated[str | None, typer.Argument()] = None,
) -> None:
    """Parameters of a controller, a part of a scenario, an observer or a board: path, unit, default, bounds, meaning.

    Args:
        kind: Kind of controller or backend (quadruped, crawl, drake), part of a scenario (world, guard, scenario),
            observer of experiments (get-up), board (rocks), or what a package brings. Default: list them.
        word: Only parameters with this word in path or meaning.
    """
    from andante.search.experiment.settable import by_type, settable, settings_of

    if kind is None:
        groups = by_type(settable())
        data = {name: {each.name: each.what for each in group} for name, group in groups.items()}
        first = {name: what for things in reversed(data.values()) for name, what in things.items()}
        answer({"kinds": first, "by_type": data}, _listed(data))
        return
    found = settings_of(kind)
    all_of = [_read(each, alone=len(found) == 1) for each in found]
    some = [
        group if isinstance(group, str) else [each for each in group if word is None or word in each]
        for group in all_of
    ]
    told = [each.data() for group in some if not isinstance(group, str) for each in group]
    problems = [each for each in some if isinstance(each, str)]
    answered: dict[str, Any] = {"kind": kind, "parameters": told} | ({"problems": problems} if problems else {})
    answer(answered, _told(found, all_of, some))


def _read(thing: Settable, *, alone: bool) -> _Read:
    """Settings of a thing; why there are none to read, where others of its name have some.

    Raises:
        PluginError: It cannot be used, and nothing else has its name.
    """
    from andante.plugins.errors import PluginError

    try:
        return thing.read()
    except PluginError as error:
        if alone:
            raise
        return str(error)


def _listed(groups: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    width = max(len(name) for things in groups.values() for name in things) + 2
    for number, (name, things) in enumerate(groups.items()):
        yield from [*([""] if number else []), name, *(f"  {each:<{width}}{what}" for each, what in things.items())]


def _told(found: list[Settable], all_of: list[_Read], some: list[_Read]) -> Iterator[str]:
    for number, (thing, every, shown) in enumerate(zip(found, all_of, some, strict=True)):
        name = f"{thing.type} {thing.name}"
        if number:
            yield ""
        if isinstance(shown, str):
            yield f"{name}: {shown}"
        elif not every:
            yield f"{name} has no settings"
        else:
            yield from [*([name] if len(found) > 1 else []), *_lines(shown, thing.change)]


def _lines(found: list[Parameter], change: str) -> Iterator[str]:
    if not found:
        yield "no parameter has this word in its path or its meaning"
    for each in found:
        of = each.kind and f"(of type {each.kind})"
        facts = [text for text in (each.unit and f"[{each.unit}]", each.bounds, of) if text]
        default = "must be given" if each.required else f"default {_text(each.default)}"
        yield f"{each.path:<{_WIDE}} {default}{''.join(f'  {fact}' for fact in facts)}"
        if each.meaning:
            yield f"    {each.meaning}"
    if found:
        yield ""
        yield f"change one with: {change.format(path=found[-1].path)}"


def _text(value: Any) -> str:
    """A default as `--set` takes it."""
    from andante.documents.emitter import flow_text

    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return flow_text(value)

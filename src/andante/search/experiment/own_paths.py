"""Paths of an experiment that take nothing from each other: a value that another part sets again would not be told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from andante.documents.paths import parse_path
from andante.search.errors import SearchError
from andante.search.experiment.document import Draw, Experiment

JUDGE = "judge"
"""Axis of judges, which have worlds of their own: their variants set anew what those of other axes set."""


def check_paths(experiment: Experiment) -> None:
    """See that nobody sets what another one sets or draws, that nothing is drawn twice, and that nobody sets the seed.

    Raises:
        SearchError: One does; the path is named.
    """
    owner: dict[str, tuple[str, list[Any]]] = {}
    for name, axis in experiment.axes.items():
        if name == JUDGE:
            continue
        paths = {path: None for variant in axis.variants.values() for path in variant.set}
        for path in paths:
            values = [each.set[path] for each in axis.variants.values() if path in each.set]
            first, others = owner.setdefault(path, (name, values))
            # One value that an option sets in all of them is no second way to say it.
            if first != name and any(value != other for value in values for other in others):
                raise SearchError(
                    "two axes set one value, so that labels of one of them would not be true",
                    place=f"axes.{name}",
                    value=path,
                    limit=f"it is set by axes.{first}",
                    remedy="make one axis of both",
                )
    draws = [("spread", experiment.spread)]
    variants = [
        (f"axes.{name}.variants.{label}", each)
        for name, axis in experiment.axes.items()
        for label, each in axis.variants.items()
    ]
    draws += [(f"{place}.spread", each.spread) for place, each in variants]
    for place, spread in draws:
        _check_draws(place, spread)
    _check_drawn_anew("set", experiment.set, experiment.spread)
    for name, axis in experiment.axes.items():
        others = [each for other, own in experiment.axes.items() if other != name for each in own.variants.values()]
        for label, variant in axis.variants.items():
            beside = (
                variant.spread
                if name == JUDGE
                else (*variant.spread, *(draw for each in others for draw in each.spread))
            )
            for part in ("set", "scale"):
                place = f"axes.{name}.variants.{label}.{part}"
                _check_drawn_anew(place, getattr(variant, part), (*experiment.spread, *beside))
    _check_seed("set", experiment.set)
    for place, each in variants:
        _check_seed(f"{place}.set", each.set)
        _check_seed(f"{place}.scale", each.scale)


def _check_drawn_anew(place: str, values: Mapping[str, Any], spread: Iterable[Draw]) -> None:
    """Refuse a value that each seed draws anew: no trial would have it, whatever its label says."""
    for path, value in values.items():
        for draw in spread:
            own = parse_path(draw.path)
            # Of one choice, as of a value that an option sets, nothing else is drawn.
            if not draw.plus and parse_path(path)[: len(own)] == own and draw.choice != (value,):
                what = "each seed draws this value anew, so that no trial would have the one that is set"
                remedy = "leave one of both out, or add what is drawn to it, with plus: true"
                raise SearchError(what, place=place, value=path, limit=f"spread {draw.path}", remedy=remedy)


def _check_draws(place: str, spread: Iterable[Draw]) -> None:
    seen: set[str] = set()
    for draw in spread:
        if draw.path in seen and not draw.plus:
            what = "a seed draws this value already, and the first draw would be lost"
            raise SearchError(what, place=place, value=draw.path, remedy="add to it, with plus: true")
        seen.add(draw.path)
    _check_seed(place, seen)


def _check_seed(place: str, paths: Iterable[str]) -> None:
    for path in paths:
        if parse_path(path) == ("seed",):
            remedy = "say which with seeds, or --first-seed and --seeds"
            raise SearchError("each trial has a seed of its own", place=place, value=path, remedy=remedy)

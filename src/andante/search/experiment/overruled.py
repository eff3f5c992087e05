"""An option of an experiment's command that no trial would know of is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from andante.search.errors import SearchError
from andante.search.experiment.document import Option


def refuse_overruled(axes: Mapping[str, Any], flag: str, value: object, option: Option) -> None:
    """Refuse an option where all variants that are chosen of an axis say otherwise, or none is the one that it is for.

    Args:
        axes: The axes of an experiment as plain data.
        flag: The option's name on the command line.
        value: What was given.
        option: The option.

    Raises:
        SearchError: It is so.
    """
    for name, axis in axes.items():
        values = {label: each["set"] for label, each in axis["variants"].items()}
        chosen = axis["chosen"] or tuple(values)
        if option.of is not None:
            others = [option.of] if option.of in values else []
        else:
            others = [label for label, own in values.items() if not all(_says(own, path) for path in option.sets)]
        if option.sets and (others or option.of is None) and not set(others) & set(chosen):
            raise SearchError(
                f"means nothing to the chosen of {name}: {', '.join(chosen)}",
                place=flag,
                value=value,
                remedy=f"choose another: {', '.join(others)}" if others else "leave it out",
            )


def _says(own: Iterable[str], path: str) -> bool:
    """Whether values by path have one of their own for a path, or for what it is a part of."""
    return any(path == each or path.startswith((f"{each}.", f"{each}[")) for each in own)

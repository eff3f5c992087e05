"""Falls of an experiment: by what came first in each, with a seed to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from andante.search.experiment.cases import Group
from andante.search.experiment.figures import FALL_CAUSE
from andante.search.experiment.trial import TrialResult


def falls_of(groups: Sequence[Group], results: Mapping[str, Sequence[TrialResult]]) -> list[dict[str, Any]]:
    """How many trials of each group fell by each cause, the most frequent first, and the first seed of each.

    Only trials that were recorded know causes: where observers alone look at them, none is told.
    """
    found = []
    for group in groups:
        seeds: dict[str, list[int]] = {}
        for trial in results[group.name]:
            cause = trial.metrics.get(FALL_CAUSE)
            if isinstance(cause, str):
                seeds.setdefault(cause, []).append(trial.seed)
        for cause, own in sorted(seeds.items(), key=lambda each: (-len(each[1]), each[0])):
            found.append({"label": group.name, "cause": cause, "count": len(own), "seed": min(own)})
    return found


def fall_lines(falls: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The falls for people, a line for each group; nothing where there were none."""
    if falls:
        yield "falls, by what came first:"
    for label in dict.fromkeys(each["label"] for each in falls):
        told = (f"{each['cause']} {each['count']} (seed {each['seed']})" for each in falls if each["label"] == label)
        yield f"  {f'{label}: ' if label else ''}{'; '.join(told)}"

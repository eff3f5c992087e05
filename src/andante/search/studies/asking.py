"""What the stages of a study share: candidates, batches of trials that are asked for, the best so far, CMA-ES."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.robots.records import Vector
from andante.search.studies.conditions import Conditions
from andante.search.studies.problem import Evaluation

Point = tuple[float, ...]
"""A candidate: coordinates in the unit box."""


@dataclass(frozen=True)
class Batch:
    """Trials that are asked for together."""

    key: str
    """Names it in the journal."""
    points: tuple[Point, ...]
    """Candidates."""
    seeds: tuple[int, ...]
    """Seeds of each of them."""
    conditions: Conditions
    """Conditions."""

    @property
    def trials(self) -> int:
        """Number of trials."""
        return len(self.points) * len(self.seeds)


Results = list[list[Evaluation]]
"""Trials of each candidate of a batch."""
Asking = Generator[Batch, Results, Any]
"""Asks for batches."""


@dataclass
class Leader:
    """The best so far."""

    point: Point
    """The candidate."""
    value: float
    """Its value on the validation seeds."""
    share: float
    """Share of the validation seeds that succeed."""
    stage: str = "start"
    """What found it."""
    seeds: int = 0
    """Validation seeds that it was judged by; 0: all."""


def point_of(values: Iterable[float] | Vector) -> Point:
    """A candidate from its coordinates."""
    return tuple(float(value) for value in values)


def strategy_from(point: Sequence[float], population: int, sigma: float, rng: np.random.Generator) -> Any:
    """A CMA-ES in the unit box whose random numbers are its own, so that nothing else can change its course."""
    import cma

    def normal(*shape: int) -> Any:
        return rng.standard_normal(shape)

    options = {
        "bounds": [0.0, 1.0],
        "popsize": population,
        "randn": normal,
        "seed": math.nan,
        "verbose": -9,
        "verb_log": 0,
        "verb_disp": 0,
        "tolfun": 0,
        "tolfunhist": 0,
        "tolx": 0,
        "tolstagnation": 10**9,
        "CMA_eigenmethod": np.linalg.eigh,
    }
    return cma.CMAEvolutionStrategy(np.clip(point, 1e-3, 1.0 - 1e-3), sigma, options)

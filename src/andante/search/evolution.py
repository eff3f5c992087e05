"""CMA-ES: a search that learns which directions help, on the unit box, with a state that can be written down.

The randomness of a generation comes from the seed and its number alone, so that a search that was stopped and taken up
again goes on as if nothing had happened.

Source: N. Hansen, The CMA evolution strategy: a tutorial (arXiv 1604.00772), with its default parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from andante.robots.records import Vector
from andante.search.errors import SearchError


@dataclass(frozen=True, eq=False)
class Evolution:
    """State of one search; `ask` and `tell` make the next."""

    seed: tuple[int, ...]
    """Seed of this search."""
    population: int
    """Points per generation."""
    mean: Vector
    """Middle of the next generation, (n,)."""
    sigma: float
    """Step size."""
    covariance: Vector
    """Shape of the next generation, (n, n)."""
    step_path: Vector
    """Path of the step size, (n,)."""
    path: Vector
    """Path of the covariance, (n,)."""
    best: Vector
    """Best point so far, (n,)."""
    value: float = math.inf
    """Its value."""
    generation: int = 0
    """Generations done."""
    stale: int = field(default=0)
    """Generations without progress."""

    @staticmethod
    def start(seed: Sequence[int], mean: Vector, sigma: float, population: int) -> Evolution:
        """A new search around ``mean``, (n,), inside the unit box.

        Raises:
            SearchError: Fewer than four points per generation, or a mean outside the box.
        """
        if population < 4:
            raise SearchError("a generation is too small", value=population, limit=">= 4")
        if not ((mean >= 0.0) & (mean <= 1.0)).all() or not sigma > 0.0:
            raise SearchError("a search starts inside the unit box", value=mean.tolist(), limit="0 to 1, sigma > 0")
        n = len(mean)
        return Evolution(tuple(seed), population, mean.copy(), sigma, np.eye(n), np.zeros(n), np.zeros(n), mean.copy())

    def ask(self) -> Vector:
        """The points of the next generation, (population, n), inside the unit box."""
        rng = np.random.default_rng(np.random.SeedSequence((*self.seed, self.generation)))
        values, axes = np.linalg.eigh(self.covariance)
        spread = axes * np.sqrt(np.maximum(values, 1e-20))
        points = self.mean + self.sigma * rng.standard_normal((self.population, len(self.mean))) @ spread.T
        return np.asarray(np.clip(points, 0.0, 1.0))

    def tell(self, points: Vector, values: Vector, progress: float = 1e-4) -> Evolution:
        """The state after a generation.

        Args:
            points: What `ask` gave.
            values: Their values, (population,); smaller is better.
            progress: Gain that does not count as standing still.
        """
        n = len(self.mean)
        # The tutorial's defaults. Weights of the better half, and how many parents they are worth.
        raw = math.log((self.population + 1) / 2.0) - np.log(np.arange(1, self.population // 2 + 1))
        weights = raw / raw.sum()
        mass = float(1.0 / (weights**2).sum())
        # Learning rates of the paths of step size and covariance, and of the two updates of the covariance.
        step_rate = (mass + 2.0) / (n + mass + 5.0)
        path_rate = (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n)
        rank_one = 2.0 / ((n + 1.3) ** 2 + mass)
        rank_mu = min(1.0 - rank_one, 2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0) ** 2 + mass))
        # Damping of the step size, and the expected length of a normal vector.
        damping = 1.0 + 2.0 * max(0.0, math.sqrt((mass - 1.0) / (n + 1.0)) - 1.0) + step_rate
        norm = math.sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n))
        order = np.argsort(values, kind="stable")
        chosen = (points[order[: len(weights)]] - self.mean) / self.sigma
        shift = weights @ chosen
        eigenvalues, axes = np.linalg.eigh(self.covariance)
        whitened = axes @ ((axes.T @ shift) / np.sqrt(np.maximum(eigenvalues, 1e-20)))
        step_gain, path_gain = (math.sqrt(rate * (2.0 - rate) * mass) for rate in (step_rate, path_rate))
        step_path = (1.0 - step_rate) * self.step_path + step_gain * whitened
        length = float(np.linalg.norm(step_path))
        fading = math.sqrt(1.0 - (1.0 - step_rate) ** (2.0 * (self.generation + 1)))
        moving = length / fading < (1.4 + 2.0 / (n + 1.0)) * norm
        path = (1.0 - path_rate) * self.path
        if moving:
            path = path + path_gain * shift
        kept = 1.0 - rank_one - rank_mu
        if not moving:
            kept += rank_one * path_rate * (2.0 - path_rate)
        covariance = kept * self.covariance + rank_one * np.outer(path, path)
        covariance = covariance + rank_mu * (chosen.T * weights) @ chosen
        sigma = self.sigma * math.exp(min(1.0, step_rate / damping * (length / norm - 1.0)))
        leader = int(order[0])
        better = float(values[leader]) < self.value
        gained = float(values[leader]) < self.value - progress
        return replace(
            self,
            mean=np.clip(self.mean + self.sigma * shift, 0.0, 1.0),
            sigma=min(sigma, 1.0),
            covariance=0.5 * (covariance + covariance.T),
            step_path=step_path,
            path=path,
            best=points[leader].copy() if better else self.best,
            value=float(values[leader]) if better else self.value,
            generation=self.generation + 1,
            stale=0 if gained else self.stale + 1,
        )

    def data(self) -> dict[str, Any]:
        """The state as plain data; numbers survive JSON to the last bit."""
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        state |= {name: value.tolist() for name, value in state.items() if isinstance(value, np.ndarray)}
        return state | {"seed": list(self.seed), "value": self.value if math.isfinite(self.value) else None}

    @staticmethod
    def of_data(data: dict[str, Any]) -> Evolution:
        """The state that `data` wrote down."""
        state: dict[str, Any] = {each.name: data[each.name] for each in fields(Evolution)}
        state |= {name: np.array(value) for name, value in state.items() if isinstance(value, list)}
        value = math.inf if data["value"] is None else float(data["value"])
        return Evolution(**(state | {"seed": tuple(data["seed"]), "value": value}))

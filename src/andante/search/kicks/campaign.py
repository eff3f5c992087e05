"""A campaign: many restarts of a kick search over processes, with a file from which a killed one goes on.

Restarts know nothing of each other, and the randomness of each comes from the seed and its number. So a campaign of a
number of restarts gives the same kick with any number of workers, and after any interruption.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from andante.documents.budget import budgeted
from andante.documents.files import read_text, write_text
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.robots.records import Vector
from andante.search.errors import SearchError, refuse_another
from andante.search.evolution import Evolution
from andante.search.executor import closed, executor_for
from andante.search.kicks.problem import KickProblem

FORMAT = "andante.kick-search"
_SLICE = 2
"""Generations between two looks at clock and file; one of a kick with servos takes a second of an old core."""
_PROGRESS = 1e-3
"""Gain below which a generation counts as standing still [m]."""
_SCOUT = 0x5C0


@dataclass(frozen=True)
class Budget:
    """When a campaign ends: whichever comes first."""

    restarts: int | None = None
    """Restarts in all; None: no end."""
    seconds: float | None = None
    """Time of this call [s]; None: no end."""
    good: float = 0.0
    """Distance that is good enough [m]."""

    def __post_init__(self) -> None:
        if self.restarts is None and self.seconds is None:
            raise SearchError("a campaign needs an end", place="budget", limit="restarts or seconds")
        if self.restarts is not None and self.restarts < 1:
            raise SearchError("at least one restart is needed", place="restarts", value=self.restarts, limit=">= 1")
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds > 0.0):
            raise SearchError("time must pass", place="seconds", value=self.seconds, limit="> 0 s")


@dataclass(frozen=True)
class Strategy:
    """How one restart searches."""

    scouts: int = 60
    """Random kicks of which the best is the start."""
    population: int = 12
    """Kicks per generation."""
    sigma: float = 0.25
    """First step size, of the unit box."""
    stale_limit: int = 15
    """Generations without progress after which a restart ends."""


@dataclass(frozen=True)
class CampaignTask:
    """A piece of work for a process."""

    problem: KickProblem
    """What is searched for."""
    strategy: Strategy
    """How."""
    seed: int
    """Seed of the campaign."""
    restart: int
    """Number of the restart."""
    state: dict[str, Any] | None
    """Where it stands; None: at its start."""
    hint: tuple[float, ...] | None = None
    """Point to start at instead of scouting."""

    def __str__(self) -> str:
        return f"restart {self.restart}"


@dataclass(frozen=True)
class CampaignProgress:
    """Where a campaign stands."""

    seconds: float
    """Time since the call [s]."""
    restarts: int
    """Restarts that have ended."""
    evaluations: int
    """Kicks simulated, over all calls."""
    best: float
    """Smallest distance so far [m]."""


@dataclass(eq=False)
class Campaign:
    """A search with all its restarts."""

    problem: KickProblem
    """What is searched for."""
    seed: int
    """Seed of everything random."""
    strategy: Strategy = Strategy()
    """How each restart searches."""
    hints: tuple[tuple[float, ...], ...] = ()
    """Points at which the first restarts begin."""
    states: dict[int, dict[str, Any]] = field(default_factory=dict)
    """State of each restart by its number."""
    ended: set[int] = field(default_factory=set)
    """Restarts that have ended."""

    @property
    def best(self) -> tuple[float, Vector | None]:
        """Smallest distance [m] and its point; infinite and None before the first result."""
        found = [(state["value"], number) for number, state in self.states.items() if state["value"] is not None]
        if not found:
            return math.inf, None
        value, number = min(found)
        return value, np.array(self.states[number]["best"])

    @property
    def evaluations(self) -> int:
        """Kicks simulated."""
        scouts = sum(self.strategy.scouts for number in self.states if number >= len(self.hints))
        return scouts + sum(int(state["generation"] * state["population"]) for state in self.states.values())

    def run(
        self,
        budget: Budget,
        *,
        workers: int = 1,
        checkpoint: Path | None = None,
        tell: Callable[[CampaignProgress], None] | None = None,
    ) -> tuple[float, Vector]:
        """Search until the budget is spent.

        Args:
            budget: When to stop.
            workers: Processes.
            checkpoint: File that is kept up to date.
            tell: Told after every slice.

        Returns:
            The smallest distance [m] and its point.

        Raises:
            AndanteError: The kick cannot be simulated, or the file cannot be written.
        """
        begin = time.monotonic()
        busy: set[int] = set()

        def draw() -> CampaignTask | None:
            late = budget.seconds is not None and time.monotonic() - begin >= budget.seconds
            if (late and self.states) or self.best[0] <= budget.good:
                return None
            number = next(each for each in count() if each not in busy and each not in self.ended)
            if budget.restarts is not None and number >= budget.restarts:
                return None
            busy.add(number)
            hint = self.hints[number] if number < len(self.hints) else None
            return CampaignTask(self.problem, self.strategy, self.seed, number, self.states.get(number), hint)

        with closed(executor_for(workers).stream(_work, draw)) as made:
            for _, (number, state, over) in made:
                busy.discard(number)
                self.states[number] = state
                if over:
                    self.ended.add(number)
                if checkpoint is not None:
                    self.save(checkpoint)
                if tell is not None:
                    elapsed = time.monotonic() - begin
                    tell(CampaignProgress(elapsed, len(self.ended), self.evaluations, self.best[0]))
        value, point = self.best
        if point is None:
            raise SearchError("nothing was found", place="budget", value=asdict(budget))
        return value, point

    def save(self, path: Path) -> None:
        """Write the campaign to a file; the old one stays whole until the new one is complete.

        Raises:
            DocumentError: The file cannot be written.
        """
        data = {
            "format": FORMAT,
            "version": 1,
            "about": self._about(),
            "ended": sorted(self.ended),
            "states": {str(number): state for number, state in sorted(self.states.items())},
        }
        write_text(path, json.dumps(data, allow_nan=False) + "\n")

    @budgeted()
    def resume(self, path: Path) -> None:
        """Take up what a file holds.

        Raises:
            SearchError: The file holds something else, or another search.
            DocumentError: The file cannot be read.
        """
        text = read_text(path)
        try:
            data = parse_json_data(text, str(path), finite=False)
            about, states = dict(data["about"]), {int(number): state for number, state in data["states"].items()}
            for state in states.values():
                Evolution.of_data(state)
            ended = {int(number) for number in data["ended"]}
        except (DocumentError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise SearchError("is no state of a kick search", place=str(path), value=str(error)) from None
        remedy = "name another file, or delete it to begin anew"
        mine = json.loads(json.dumps(self._about()))
        refuse_another("belongs to another search, {} differs", about, mine, place=str(path), remedy=remedy)
        self.states, self.ended = states, ended

    def _about(self) -> dict[str, Any]:
        return {
            **asdict(self.problem),
            "seed": self.seed,
            "strategy": asdict(self.strategy),
            "hints": [list(hint) for hint in self.hints],
        }


def _work(task: CampaignTask) -> tuple[int, dict[str, Any], bool]:
    """Go on with a restart for some generations; gives its number, its state and whether it has ended."""
    problem, strategy = task.problem, task.strategy
    state = _begin(task) if task.state is None else Evolution.of_data(task.state)
    for _ in range(_SLICE):
        points = state.ask()
        state = state.tell(points, np.array([problem.distance(point) for point in points]), _PROGRESS)
        if state.stale >= strategy.stale_limit:
            break
    return task.restart, state.data(), state.stale >= strategy.stale_limit


def _begin(task: CampaignTask) -> Evolution:
    problem, strategy = task.problem, task.strategy
    seed = (task.seed, task.restart)
    if task.hint is not None:
        start = np.array(task.hint)
        state = Evolution.start(seed, start, 0.3 * strategy.sigma, strategy.population)
        return replace(state, best=start, value=problem.distance(start))
    rng = np.random.default_rng(np.random.SeedSequence((*seed, _SCOUT)))
    points = rng.uniform(size=(strategy.scouts, problem.size))
    values = [problem.distance(point) for point in points]
    leader = int(np.argmin(values))
    state = Evolution.start(seed, points[leader], strategy.sigma, strategy.population)
    return replace(state, best=points[leader].copy(), value=values[leader])

"""One walk of the terrain page in physics, in real time: planned, or steered by what the page wishes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from andante.control.steering import Heading
from andante.robots.records import Vector
from andante.runs.evaluation.metrics import Metrics
from andante.runs.live.pilot import Pilot
from andante.runs.live.source import SteeringWish
from andante.runs.loop.tick import Tick
from andante.runs.scenario import Scenario
from andante.studio.disk import Disk
from andante.studio.goal_steering import GoalSteering
from andante.studio.recorded_run import RecordedRun

_SHOWN = ("speed", "steps", "planned", "misses", "slip", "margin")
"""Metrics of a walk that the page shows."""
_PLANNED = 0.1
"""A tick that takes longer has planned; time goes on after it without catching up [s]."""


class PageSource:
    """The wishes of a page, as a source of steering."""

    name = "the page"
    guide: Sequence[str] = ()

    def __init__(self) -> None:
        self.wish = SteeringWish()
        self.goal: GoalSteering | None = None
        """The place where the robot shall go; None: it follows speeds."""

    def steer(self, wish: SteeringWish) -> None:
        """The page asks for speeds, or for standing."""
        self.goal, self.wish = None, replace(wish, number=self.wish.number + 1)

    def go(self, goal: tuple[float, float], base: Vector, fastest: Heading, share: float) -> bool:
        """The page asks for a place, and asks it again and again: with each time the robot looks where it is now.

        Returns:
            Whether it has just arrived.
        """
        if self.goal is None or tuple(self.goal.goal) != goal:
            self.goal = GoalSteering(np.array(goal))
        before = self.goal.arrived
        speeds = self.goal.wish(base, fastest, share)
        self.wish = SteeringWish(*speeds, self.wish.gait, False, self.wish.number + 1)
        return self.goal.arrived and not before

    def __enter__(self) -> Self:
        """Nothing to open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""

    def begin(self, gaits: Sequence[str]) -> None:
        """These gaits may be chosen; the page was told of them."""

    def poll(self) -> SteeringWish:
        """What is wished now."""
        return self.wish


class TerrainWalk(RecordedRun):
    """A walk, steered by a page where it is steered at all.

    Args:
        scenario: What is walked.
        folder: Where scenario and log go.
        disk: Where they are written.
        seconds: How long it may be steered [s]; None: it is not steered.

    Raises:
        AndanteError: The scenario cannot be run, or the folder cannot be written.
    """

    def __init__(self, scenario: Scenario, folder: Path, disk: Disk, seconds: float | None) -> None:
        self.source = PageSource()
        self.asked = self.told = ""
        self._pilot = None if seconds is None else Pilot(self.source, seconds, self._note_asked)
        super().__init__(scenario, folder, disk)

    def step(self) -> Tick:
        """One tick; the pilot is asked before it."""
        began = time.perf_counter()
        if self._pilot is not None:
            self._pilot(self.session)
        tick = super().step()
        if time.perf_counter() - began > _PLANNED:
            self.clock.rebase(self.session.moment)
        return tick

    def figures(self, metrics: Metrics) -> dict[str, Any]:
        """The greatest tilt [rad], the folder, and numbers of the walk where it has some."""
        found: dict[str, Any] = {"tilt": metrics.max_tilt, "folder": str(self.folder)}
        if metrics.walk is not None:
            found["walk"] = {name: getattr(metrics.walk, name) for name in _SHOWN}
        return found

    def _note_asked(self, text: str) -> None:
        self.asked = text

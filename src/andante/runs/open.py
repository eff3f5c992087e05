"""A session of a scenario: one run, tick by tick, in the hands of whoever opened it."""

from __future__ import annotations

from pathlib import Path

from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.scenario import Scenario
from andante.runs.session import Session
from andante.runs.task import scenario_of


def open_session(what: str | Path | Scenario, *, seed: int | None = None, start: str | None = None) -> Session:
    """Open a session, which steps a run, changes it, keeps it and restores it; nothing is recorded.

    Args:
        what: A scenario, the name or file of one, or ``LIBRARY/MOTION`` of a shipped library.
        seed: Seed of everything random.
        start: How the run begins, see `andante.runs.starts`.

    Raises:
        AndanteError: Something does not exist, does not fit or is not legal.
    """
    scenario = scenario_of(what, seed=seed, start=start)
    return session_of(scenario, build(scenario))

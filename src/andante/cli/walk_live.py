"""`andante walk --live`: steering a walk by hand, in real time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from andante.cli.output import to_nowhere
from andante.cli.progress import progress_bar, waiting

if TYPE_CHECKING:
    from andante.runs.live.pilot import Pilot
    from andante.runs.live.source import Source
    from andante.runs.loop.clock import Clock
    from andante.runs.scenario import Scenario

SECONDS = 300.0
"""How long a robot is steered by hand where nothing else is asked [s]."""


class Drive(NamedTuple):
    """What paces a run, tells of it and steers it."""

    clock: Clock | None
    progress: Callable[[float, float], None] | None
    pilot: Pilot | None


@contextmanager
def driving(live: str | None, seconds: float, scenario: Scenario) -> Iterator[Drive]:
    """As fast as possible with a bar; or steered by hand in real time, with what is asked shown.

    Args:
        live: What steers by hand; None: nothing.
        seconds: How long it may [s].
        scenario: What is run.

    Raises:
        AndanteError: There is nothing of this name to steer by, it cannot be used, or the scenario cannot be run.
    """
    if live is None:
        with progress_bar() as progress:
            yield Drive(None, progress, None)
        return
    from andante.runs.live.pilot import Pilot, rehearse, source_of
    from andante.runs.loop.clock import RealTimeClock

    terminals = _terminals()
    with source_of(live) as source, waiting("steered") as show:
        show("getting ready")
        rehearse(scenario)
        pilot = Pilot(source, seconds, _shown_with_guide(source, show))
        yield Drive(RealTimeClock(), None, pilot)
        _let_go(terminals)


def _shown_with_guide(source: Source, show: Callable[[str], None]) -> Callable[[str], None]:
    """Shows what is asked; the first time how to ask, too, since the gaits are known only then."""
    told = False

    def tell(text: str) -> None:
        nonlocal told
        if not told:
            told = True
            for line in (f"steered by {source.name}", *source.guide):
                print(f"andante: {line}", file=sys.stderr, flush=True)
        show(text)

    return tell


def _terminals() -> set[int]:
    """Which of standard output and standard error are terminals."""
    return {file for file in (1, 2) if os.isatty(file)}


def _let_go(files: set[int]) -> None:
    """Let what is printed to terminals that were closed go nowhere: the run's folder has it all."""
    for file in files - _terminals():
        to_nowhere(file)

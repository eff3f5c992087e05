"""Snapshots of sessions at a random tick of runs over all controllers, gone on from twice, against unbroken runs.

python benchmarks/session.py --runs 100 --first-seed 0
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import Overrides, load_scenario, overridden
from andante.runs.session import Session
from andante.runs.tasks.walk.task import WalkTask

_SCENARIOS = ("sit-and-stand", "get-up", "nao-kick", "ers7-kick", "ers7-walk", "littledog-blind", "littledog-rocks")
_GAITS = (("flat", "trot"), ("rolling", "auto"), ("steps", "crawl"))


class Rows(Observer):
    """Keeps the bytes of every tick."""

    def __init__(self) -> None:
        self.rows: list[tuple[object, ...]] = []

    def see(self, tick: Tick) -> None:
        """Keep a tick."""
        records = (tick.sensors, tick.command, tick.telemetry, tick.truth)
        vectors = tuple(None if each is None else each.vector.tobytes() for each in records)
        self.rows.append((tick.number, *vectors, tuple(map(repr, tick.events))))


def scenario_of(number: int, seed: int) -> Scenario:
    """One of all kinds of controllers, with this seed."""
    kinds = len(_SCENARIOS) + len(_GAITS)
    kind = number % kinds
    if kind < len(_SCENARIOS):
        return overridden(load_scenario(_SCENARIOS[kind]), Overrides(seed=seed))
    board, controller = _GAITS[kind - len(_SCENARIOS)]
    return WalkTask(board=board, controller=controller, difficulty=0.3, seed=seed).scenario()


def to_the_end(session: Session) -> None:
    """Step a session until it ends."""
    while session.ending is None:
        session.step()


def main() -> None:
    """Print how many runs are the same, and what a snapshot takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    same, kept, restored = 0, [], []
    for number in range(options.runs):
        seed = options.first_seed + number
        scenario, rng = scenario_of(number, seed), random.Random(seed)
        plain, rows = Rows(), Rows()
        to_the_end(session_of(scenario, build(scenario), observers=(plain,)))
        session = session_of(scenario, build(scenario), observers=(rows,))
        session.steps(rng.randrange(len(plain.rows)))
        began = time.perf_counter()
        snapshot = session.snapshot()
        kept.append(time.perf_counter() - began)
        identical = True
        for _ in range(2):
            to_the_end(session)
            identical = identical and rows.rows == plain.rows
            began = time.perf_counter()
            session.restore(snapshot)
            restored.append(time.perf_counter() - began)
        same += identical
        if not identical:
            print(f"run {number}: {scenario.name}, seed {seed}, tick {snapshot.tick} differs")
    print(f"{same} of {options.runs} runs are the same, byte for byte, after a snapshot, twice")
    print(
        f"snapshot {1e3 * statistics.median(kept):.1f} ms, restore {1e3 * statistics.median(restored):.1f} ms (medians)"
    )


if __name__ == "__main__":
    main()

"""Evaluations per second: the evaluation loop beside trials of experiments, and whether verdicts agree.

    python benchmarks/evaluation_loop.py --robot nao --seeds 200

Two comparisons in processor time, paired seed by seed in one process. The same motion every time: the trial of an
experiment finds its world and controller ready. Another motion every time, as in a search: the trial reads the
motion's file and makes world and controller anew, while the loop is handed the motion and keeps the world.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from andante.documents.writer import save_document
from andante.motions.fitting import fitting
from andante.motions.library import MotionLibrary
from andante.motions.reached import reached
from andante.runs.build import load_declared
from andante.search.evaluation.loop import Candidate, EvaluationLoop
from andante.search.experiment.cases import groups_of, with_options
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import TrialResult, TrialSetup, changed_scenario, run_trial


def setup_of(robot: str, spread: str) -> TrialSetup:
    """Get-ups from the front, one try, standing for a second."""
    options = {"library": robot, "robot": robot, "start": "front", "spread": spread}
    setup = groups_of(with_options(experiment_named("getup"), options))[0].setup
    if robot != "nao":
        setup = replace(setup, base=changed_scenario(setup.base, [("world.timestep", 0.002)]))
    return replace(setup, observers={"get-up": {"tries": 1}}, again={})


def played(setup: TrialSetup) -> MotionLibrary:
    """The motions that are played, without the others."""
    scenario = setup.scenario(0)[0]
    robot = load_declared(scenario)
    names = (scenario.controller.recover_motion, scenario.controller.stand_motion)
    library = fitting(scenario.controller.loaded(robot), robot, names)
    found = reached(library, names)
    return library.but(
        motions={name: each for name, each in library.motions.items() if name in found.motions},
        blocks={name: each for name, each in library.blocks.items() if name in found.blocks},
    )


class Kept:
    """Lines of a file by their keys, so that a measurement that was stopped goes on: each is measured once.

    Args:
        path: The file; None: nothing is kept.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self.rows: dict[str, dict[str, Any]] = {row["key"]: row for row in map(json.loads, lines)}

    def add(self, key: str, measure: Callable[[], dict[str, float]]) -> None:
        """Measure what is not there yet."""
        if key not in self.rows:
            row: dict[str, Any] = {"key": key, **measure()}
            self.rows[key] = row
            if self._path is not None:
                with self._path.open("a") as file:
                    file.write(json.dumps(row) + "\n")


def timed(function: Callable[..., TrialResult], *arguments: object) -> tuple[float, TrialResult]:
    """Processor time of a call, and what it gives."""
    begin = time.process_time()
    result = function(*arguments)
    return time.process_time() - begin, result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--spread", default="wide")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=420000)
    parser.add_argument("--screen", type=float, default=0.004, help="coarse step to choose by [s]")
    parser.add_argument("--new", type=int, default=40, help="seeds of the second comparison")
    parser.add_argument("--observer", choices=("stand", "rise"), default="stand", help="who looks at the loop's trials")
    parser.add_argument("--keep", type=Path, help="file of what was measured, by which a stopped run goes on")
    options = parser.parse_args()
    setup = setup_of(options.robot, options.spread)
    quick = replace(setup, observers={options.observer: {"tries": 1, "hold": 2.0, "idle_limit": 3.0}})
    coarse = replace(quick, base=changed_scenario(quick.base, [("world.timestep", options.screen)]))
    library, loop, screen = played(setup), EvaluationLoop(quick), EvaluationLoop(coarse)
    same = Candidate(library=library)
    kept, seeds = Kept(options.keep), range(options.first, options.first + options.seeds)
    run_trial(setup, options.first)
    loop.trial(same, options.first)

    def with_a_new_motion(folder: str, number: int, seed: int) -> dict[str, float]:
        factor = 1.0 + 1e-4 * number
        blocks = {
            name: block.but(keyframes=tuple(each.but(duration=each.duration * factor) for each in block.keyframes))
            for name, block in library.blocks.items()
        }
        changed, file = library.but(blocks=blocks), Path(folder) / f"{number}.yaml"
        save_document(changed, file)
        changes = [("controller.library", str(file)), ("robot", options.robot)]
        with_file = replace(setup, base=changed_scenario(setup.base, changes))
        # A search has made the start of each seed before.
        for each in (loop, screen):
            each.trial(same, seed)
        found = {"new trial": timed(run_trial, with_file, seed)[0]}
        found["new loop"] = timed(loop.trial, Candidate(library=changed), seed)[0]
        found["new loop, coarse"] = timed(screen.trial, Candidate(library=changed), seed)[0]
        return found

    def with_the_same(seed: int) -> dict[str, float]:
        slow, session = timed(run_trial, setup, seed)
        fast, quickly = timed(loop.trial, same, seed)
        one, other = session.metrics["get-up"], quickly.metrics[options.observer]
        agree = (one["stood"], one["time"]) == (other["stood"], other["time"])
        again = timed(loop.trial, same, seed)[0]
        return {"trial": slow, "loop": fast, "loop again": again, "agree": agree, "stood": one["stood"]}

    with tempfile.TemporaryDirectory() as folder:
        # The first trial of a file loads what reads files, which no other does.
        with_a_new_motion(folder, options.new, options.first)
        for number, seed in enumerate(seeds[: options.new]):
            kept.add(f"new {seed}", partial(with_a_new_motion, folder, number, seed))
    for seed in seeds:
        kept.add(f"same {seed}", partial(with_the_same, seed))
    rows = [kept.rows[f"same {seed}"] for seed in seeds]
    news = [kept.rows[f"new {seed}"] for seed in seeds[: options.new]]
    rates = {
        name: len(several) / sum(row[name] for row in several)
        for several in (rows, news)
        for name in (several[0] if several else {})
        if name not in ("key", "agree", "stood")
    }
    told = {
        "robot": options.robot,
        "spread": options.spread,
        "seeds": len(rows),
        "stood": sum(row["stood"] for row in rows),
        "verdicts and times equal": sum(row["agree"] for row in rows),
        "per second and core": {name: round(rate, 2) for name, rate in rates.items()},
        "same motion, start made": round(rates["loop"] / rates["trial"], 3),
        "same motion, start kept": round(rates["loop again"] / rates["trial"], 3),
    }
    if news:
        told["another motion each time"] = round(rates["new loop"] / rates["new trial"], 3)
        told["the same, coarse step"] = round(rates["new loop, coarse"] / rates["new trial"], 3)
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()

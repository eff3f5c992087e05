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
from dataclasses import replace
from pathlib import Path

from andante.documents.writer import save_document
from andante.motions.fitting import fitting
from andante.motions.library import MotionLibrary
from andante.motions.reached import reached
from andante.runs.build import load_declared
from andante.search.evaluation.loop import Candidate, EvaluationLoop
from andante.search.experiment.cases import groups_of, with_options
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import TrialSetup, changed_scenario, run_trial


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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--spread", default="wide")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=420000)
    parser.add_argument("--screen", type=float, default=0.004, help="coarse step to choose by [s]")
    parser.add_argument("--new", type=int, default=40, help="seeds of the second comparison")
    options = parser.parse_args()
    setup = setup_of(options.robot, options.spread)
    quick = replace(setup, observers={"rise": {"tries": 1, "hold": 2.0, "idle_limit": 3.0}})
    coarse = replace(quick, base=changed_scenario(quick.base, [("world.timestep", options.screen)]))
    library, loop, screen = played(setup), EvaluationLoop(quick), EvaluationLoop(coarse)
    same = Candidate(library=library)
    seeds = range(options.first, options.first + options.seeds)
    run_trial(setup, options.first)
    loop.trial(same, options.first)
    spent = dict.fromkeys(("trial", "loop", "loop again", "new trial", "new loop", "new loop, coarse"), 0.0)
    agree = stood = 0

    def timed(name, function, *arguments):
        begin = time.process_time()
        result = function(*arguments)
        spent[name] += time.process_time() - begin
        return result

    for seed in seeds:
        session = timed("trial", run_trial, setup, seed).metrics["get-up"]
        quickly = timed("loop", loop.trial, same, seed).metrics["rise"]
        timed("loop again", loop.trial, same, seed)
        agree += (session["stood"], session["time"]) == (quickly["stood"], quickly["time"])
        stood += session["stood"]
    for seed in seeds[: options.new]:
        screen.trial(same, seed)
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds[: options.new]):
            factor = 1.0 + 1e-4 * number
            blocks = {
                name: block.but(keyframes=tuple(each.but(duration=each.duration * factor) for each in block.keyframes))
                for name, block in library.blocks.items()
            }
            changed = library.but(blocks=blocks)
            file = Path(folder) / f"{number}.yaml"
            save_document(changed, file)
            with_file = replace(
                setup, base=changed_scenario(setup.base, [("controller.library", str(file)), ("robot", options.robot)])
            )
            timed("new trial", run_trial, with_file, seed)
            timed("new loop", loop.trial, Candidate(library=changed), seed)
            timed("new loop, coarse", screen.trial, Candidate(library=changed), seed)
    n, new = len(seeds), min(options.new, len(seeds))
    rates = {name: (new if name.startswith("new") else n) / seconds for name, seconds in spent.items() if seconds}
    told = {
        "robot": options.robot,
        "spread": options.spread,
        "seeds": n,
        "stood": stood,
        "verdicts and times equal": agree,
        "per second and core": {name: round(rate, 2) for name, rate in rates.items()},
        "same motion, start made": round(rates["loop"] / rates["trial"], 3),
        "same motion, start kept": round(rates["loop again"] / rates["trial"], 3),
    }
    if new:
        told["another motion each time"] = round(rates["new loop"] / rates["new trial"], 3)
        told["the same, coarse step"] = round(rates["new loop, coarse"] / rates["new trial"], 3)
    print(json.dumps(told, indent=2))


if __name__ == "__main__":
    main()

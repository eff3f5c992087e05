"""How well `andante bench compare` tells get-ups that were made worse from get-ups that were not.

    python benchmarks/compare.py [--cases 40] [--seeds 200] [--out FILE]

Worse: one angle, one duration or one gain of the shipped library's first get-up from the front or the back is changed
by a draw of ``--draw``. A draw says what was meant; whether it did harm is found out on other seeds (``--truth`` of
them, from 500,000) without any test: first tries 10 points down, or time to stand, peak torque or lean up by twice the
least that matters, and first tries not up. Draws without harm are drawn again, and counted.

Unchanged, three kinds:
 rewritten  the same motion in another document: blocks renamed, keyframes' defaults written out, order turned round;
            each trial must be the same to the bit
 touched    every angle moved by a rounding error of 1e-9 rad; contacts make trials differ
 others     the same motion on other seeds for the second version, so that every pair differs by as much as it can

All pairs of trials are those of `andante bench compare`; so are measures, level and verdict. A comparison of a motion
that was made worse is also made step by step (``--early``): what was decided by 50 or 100 seeds needs no more.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from andante.motions.library import MotionLibrary
from andante.motions.storage import save_library
from andante.runs.motion_libraries import load_motions
from andante.search.comparison import LEVEL, BenchComparison, compared, paired
from andante.search.experiment.trial import TrialResult, TrialSetup, run_trial
from andante.search.journal import StudyJournal
from andante.search.statistics import quantile, wilson
from andante.search.suites.getup import SUITE, setup_for
from andante.search.versions import stages
from andante.version import __version__

BLOCKS = {"front": ("front_fold", "front_plant", "front_rise"), "back": ("back_sit", "back_rise")}
"""The blocks that the first try plays."""
LEGS = ("HipPitch", "KneePitch", "AnklePitch", "HipRoll")
ARMS = ("ShoulderPitch", "ShoulderRoll", "ElbowRoll")
TRUTH = 500_000
MOST_DRAWS = 50
SHORT = 20
MEASURES = SUITE.measures
Trials = dict[int, TrialResult]
RESULT = TypeAdapter(TrialResult)


def worsened(library: MotionLibrary, start: str, kind: str, rng: np.random.Generator) -> tuple[str, MotionLibrary]:
    """One angle (both sides alike), duration or gain of a keyframe or block, changed by a draw; and what it was."""
    data = library.model_dump()
    blocks = [data["blocks"][name] for name in BLOCKS[start]]
    frames = [frame for block in blocks for frame in block["keyframes"]]
    if kind == "duration":
        number = int(rng.integers(len(frames)))
        factor = float(rng.choice([rng.uniform(0.4, 0.7), rng.uniform(1.4, 2.0)]))
        frames[number]["duration"] *= factor
        what = f"{start} duration {number} x {factor:.2f}"
    elif kind == "gain":
        group = ("leg", "arm")[int(rng.integers(4)) // 3]
        factor, part = float(rng.uniform(0.2, 0.6)), int(rng.integers(len(blocks)))
        block = blocks[part]
        for side in ("left", "right"):
            block["base_stiffness"][f"{side}_{group}"] = factor * (block["base_stiffness"][f"{side}_{group}"] or 1.0)
        what = f"{BLOCKS[start][part]} gain of the {group}s x {factor:.2f}"
    else:
        number = int(rng.integers(len(frames)))
        joint = str(rng.choice(LEGS + ARMS))
        turn = math.radians(float(rng.uniform(8.0, 20.0)) * float(rng.choice([-1.0, 1.0])))
        for side in "LR":
            mirrored = -1.0 if joint.endswith("Roll") and side == "R" else 1.0
            frames[number]["joints"][f"{side}{joint}"] += mirrored * turn
        what = f"{start} angle {joint} of {number} {math.degrees(turn):+.0f} deg"
    return what, MotionLibrary.model_validate(data)


def rewritten(library: MotionLibrary) -> MotionLibrary:
    """The same motions, written in another way."""
    data = library.model_dump()
    names = {name: f"part_{number}" for number, name in enumerate(data["blocks"])}
    data["blocks"] = {names[name]: block for name, block in reversed(list(data["blocks"].items()))}
    for motion in data["motions"].values():
        motion["blocks"] = [names[name] for name in motion["blocks"]]
        motion["note"] = "rewritten"
    for block in data["blocks"].values():
        for frame in block["keyframes"]:
            frame["joints"] = dict(reversed(list(frame["joints"].items())))
            for branch in frame["branches"]:
                branch["block"] = names.get(branch["block"], branch["block"])
    return MotionLibrary.model_validate(data)


def touched(library: MotionLibrary, rng: np.random.Generator) -> MotionLibrary:
    """Every angle off by a rounding error."""
    data = library.model_dump()
    for block in data["blocks"].values():
        for frame in block["keyframes"]:
            frame["joints"] = {
                name: target + float(rng.uniform(-1e-9, 1e-9)) if isinstance(target, float) else target
                for name, target in frame["joints"].items()
            }
    return MotionLibrary.model_validate(data)


class Bench:
    """Get-ups of libraries, first tries only; what the file holds is not made again."""

    def __init__(self, file: Path | None) -> None:
        about = {"benchmark": "compare", "andante": __version__}
        self._journal = StudyJournal(file, about, resume=file.exists()) if file else None
        self.trials = 0
        self.seconds = 0.0

    def run(self, library: MotionLibrary, start: Any, seeds: range) -> Trials:
        """One trial per seed."""
        content = hashlib.sha256(library.model_dump_json().encode()).hexdigest()[:16]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{content}.yaml"
            save_library(library, file)
            setup = setup_for(start, library=str(file), changes={"observers.get-up.tries": 1})
            return {seed: self._one(setup, seed, f"{content} {start} {seed}") for seed in seeds}

    def _one(self, setup: TrialSetup, seed: int, key: str) -> TrialResult:
        if self._journal is not None and key in self._journal.results:
            return RESULT.validate_python(self._journal.results[key])
        began = time.process_time()
        found = run_trial(setup, seed)
        self.seconds += time.process_time() - began
        self.trials += 1
        if self._journal is not None:
            self._journal.add(key, to_jsonable_python(found))
        return found


def compare(start: str, first: Trials, second: Trials, level: float = LEVEL) -> BenchComparison:
    """As the command does, with one group."""
    return compared(MEASURES, paired({start: first}, {start: second}), level)


def harm(base: Trials, other: Trials) -> bool:
    """Whether a version does harm, by its plain figures on seeds that no comparison sees."""
    rates = [
        sum(trial.metrics["get-up"]["first_try"] for trial in trials.values()) / len(trials) for trials in (base, other)
    ]
    if rates[1] > rates[0]:
        return False
    if rates[1] <= rates[0] - 0.1:
        return True
    for measure in MEASURES:
        if measure.name in ("time", "torque", "lean"):
            values = [[v for t in trials.values() if (v := measure.value(t)) is not None] for trials in (base, other)]
            if all(values) and quantile(values[1], 0.5) - quantile(values[0], 0.5) >= 2.0 * measure.least:
                return True
    return False


def drawn(
    bench: Bench, library: MotionLibrary, options: argparse.Namespace
) -> Iterator[tuple[str, str, MotionLibrary]]:
    """Start, what was changed, and the library, as many as are asked for."""
    truth = {start: bench.run(library, start, range(TRUTH, TRUTH + options.truth)) for start in BLOCKS}
    rng = np.random.default_rng(options.draw)
    for number in range(options.cases):
        start, kind = list(BLOCKS)[number % 2], ("angle", "duration", "gain")[number // 2 % 3]
        tried, what, other = 0, "", library
        while tried < MOST_DRAWS:
            tried += 1
            what, other = worsened(library, start, kind, rng)
            if harm(truth[start], bench.run(other, start, range(TRUTH, TRUTH + options.truth))):
                break
        yield start, f"{what} (draw {tried})", other


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=40, help="motions made worse")
    parser.add_argument("--seeds", type=int, default=200, help="pairs of a comparison")
    parser.add_argument("--first-seed", type=int, default=300_000, help="first seed of the comparisons")
    parser.add_argument("--draw", type=int, default=1, help="seed of what is changed")
    parser.add_argument("--truth", type=int, default=20, help="seeds on which harm is found out")
    parser.add_argument("--sets", type=int, default=7, help="sets of seeds per start; all pairs of them are compared")
    parser.add_argument("--whole", action="store_true", help="make all pairs even where a few decide")
    parser.add_argument("--trials", type=Path, help="keep every trial here, and go on with those that it holds")
    parser.add_argument("--out", type=Path, help="write every case here, JSON")
    options = parser.parse_args()
    bench, library = Bench(options.trials), load_motions("nao")
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    cases: list[dict[str, Any]] = []

    def note(kind: str, what: str, found: BenchComparison, pairs: int) -> None:
        cases.append({"kind": kind, "what": what, "outcome": found.outcome, "pairs": pairs, "why": found.why})
        print(f"{kind:<10}{what:<52}{found.outcome:<15}{pairs:>4}  {found.why}", flush=True)

    sets: dict[str, list[Trials]] = {start: [bench.run(library, start, seeds)] for start in BLOCKS}
    for start, what, other in drawn(bench, library, options):
        trials: Trials = {}
        for count, level in stages(options.seeds, LEVEL, early=not options.whole):
            trials |= bench.run(other, start, seeds[len(trials) : count])
            found = compare(start, sets[start][0], trials, level)
            if found.outcome == "worse":
                break
        note("worse", what, found, count)

    for number in range(1, options.sets):
        first = options.first_seed + 1000 * number
        for start, found_sets in sets.items():
            found_sets.append(bench.run(library, start, range(first, first + options.seeds)))
            for i, one in enumerate(found_sets[:-1]):
                renumbered = dict(zip(one, found_sets[-1].values(), strict=True))
                note("others", f"{start} sets {i} and {number}", compare(start, one, renumbered), len(one))

    rng = np.random.default_rng([options.draw, 1])
    for start, (base, *_) in sets.items():
        short = {seed: base[seed] for seed in seeds[:SHORT]}
        trials = bench.run(rewritten(library), start, seeds[:SHORT])
        same = all(m.value(trials[seed]) == m.value(base[seed]) for seed in short for m in MEASURES)
        what = f"{start}, each trial {'the same' if same else 'OTHER'}"
        note("rewritten", what, compare(start, short, trials), len(short))
        trials = bench.run(touched(library, rng), start, seeds)
        note("touched", start, compare(start, base, trials), len(base))

    resampled = _resampled(sets, options)
    worse = [case for case in cases if case["kind"] == "worse"]
    plain = [case for case in cases if case["kind"] != "worse"]
    caught = sum(case["outcome"] == "worse" for case in worse)
    false = sum(case["outcome"] == "worse" for case in plain)
    alarms, total = resampled["worse"], sum(resampled.values())
    shares = (("caught", caught, len(worse)), ("false alarms", false, len(plain)), ("resampled", alarms, total))
    for name, count, n in shares:
        low, high = wilson(count, n) if n else (0.0, 1.0)
        print(f"{name:<14}{count} of {n}  [{100 * low:.1f}, {100 * high:.1f}] %")
    print(f"resampled: {resampled}; pairs until a verdict: {sorted(case['pairs'] for case in worse)}")
    print(f"{bench.trials} get-ups made, {bench.seconds / max(bench.trials, 1):.3f} s of processor time each")
    if options.out:
        options.out.write_text(json.dumps({"cases": cases, "resampled": resampled}, indent=1) + "\n")


def _resampled(sets: dict[str, list[Trials]], options: argparse.Namespace) -> dict[str, int]:
    """Verdicts on disjoint sets drawn from all trials of the unchanged motion: 40 cases alone tell no rate of 2 %."""
    rng = np.random.default_rng([options.draw, 2])
    outcomes = {"worse": 0, "better": 0, "no difference": 0}
    for start, each in sets.items():
        pool = [trial for trials in each for trial in trials.values()]
        size = min(options.seeds, len(pool) // 2)
        for _ in range(500):
            one, other = np.split(rng.permutation(len(pool))[: 2 * size], 2)
            pairs = ({n: pool[k] for n, k in enumerate(part)} for part in (one, other))
            outcomes[compare(start, *pairs).outcome] += 1
    return outcomes


if __name__ == "__main__":
    main()

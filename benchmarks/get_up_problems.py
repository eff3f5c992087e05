"""Known problems of keyframe get-ups, each answered by a figure.

    python benchmarks/get_up_problems.py durations --library LIBRARY --start back [--seeds 50] [--first-seed 0]
    python benchmarks/get_up_problems.py windows --library LIBRARY --start front [--held-out 40000]
    python benchmarks/get_up_problems.py compensation --library LIBRARY

durations: how much shorter all keyframes, and each block's alone, can be before fewer robots stand at the first try.
windows: break-up windows widened or narrowed by a search on tuning seeds, then judged on held-out seeds.
compensation: corrections that end at their full amount against the original's that grow on, in every cell of the fault
table where a joint locks.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from andante.backends.fault import Fault
from andante.motions.editing.timing import scale_block
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import MotionLibrary
from andante.motions.parts import TorsoWindow, WindowRange
from andante.motions.storage import save_library
from andante.runs.motion_libraries import load_motions
from andante.runs.scenario_files import LYING
from andante.search.observers.get_up_result import GetUp
from andante.search.observers.spread import spreads
from andante.search.statistics import paired_difference, quantile, wilson
from andante.search.suites.getup import get_up, setup_for
from andante.search.suites.getup_tables import JOINT, VARIANTS, troubles

FACTORS = (1.0, 0.9, 0.8, 0.7, 0.6)
BLOCK_FACTOR = 0.7
STEPS = (-10.0, -5.0, 5.0, 10.0, 20.0, 40.0)
"""Changes of a side of the windows that are tried [deg]; above 0 is wider."""
LOST = 30.0
"""What a robot that never stands counts in the search [s]."""
_NEVER = math.pi
"""Bounds beyond this are no bounds and stay [rad]."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", choices=("durations", "windows", "compensation"))
    parser.add_argument("--library", default="nao", help="motion library: a shipped name or a file or folder")
    parser.add_argument("--start", default="front", choices=tuple(LYING), help="how the robot lies")
    parser.add_argument("--spread", default="standard", choices=spreads(), help="how harsh the world is")
    parser.add_argument("--seeds", type=int, default=50, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=0, help="first seed")
    parser.add_argument("--held-out", type=int, default=40000, help="first seed of the judgement of windows")
    options = parser.parse_args()
    setup = Setup(options.library, options.start, options.spread)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    if options.problem == "durations":
        durations(setup, seeds)
    elif options.problem == "windows":
        windows(setup, seeds, range(options.held_out, options.held_out + options.seeds))
    else:
        compensation(setup, seeds)


@dataclass(frozen=True)
class Setup:
    """What all trials of a table share."""

    library: str
    start: str
    spread: str
    tries: int = 3
    faults: tuple[Fault, ...] = ()
    engine: Mapping[str, bool] = field(default_factory=dict)


def durations(setup: Setup, seeds: Sequence[int]) -> None:
    """First tries and times with shorter keyframes."""
    library, once = load_motions(setup.library), replace(setup, tries=1)
    whole = play(once, seeds, library)
    standing = [trial for trial in whole if trial.first_try]
    share = sum(trial.waited for trial in standing) / sum(trial.time for trial in standing)
    print(f"{setup.start}: {share:.1%} of the time to stand is spent waiting, the rest on the way")
    for factor in FACTORS:
        blocks = {name: scale_block(block, factor) for name, block in library.blocks.items()}
        show(f"all x {factor:g}", play(once, seeds, library.model_copy(update={"blocks": blocks})), whole)
    for name in visited(whole, library):
        blocks = {**library.blocks, name: scale_block(library.blocks[name], BLOCK_FACTOR)}
        changed = play(once, seeds, library.model_copy(update={"blocks": blocks}))
        show(f"{name} alone x {BLOCK_FACTOR:g}", changed, whole)


def windows(setup: Setup, seeds: Sequence[int], held_out: Sequence[int]) -> None:
    """Tune how wide the windows are forward and backward, one after the other, and judge the result."""
    library = load_motions(setup.library)
    best = [0.0, 0.0]
    least = cost(play(setup, seeds, library))
    print(f"as written: {least:.2f} s to stand on average, {LOST:g} s for those that never do (seeds {span(seeds)})")
    for side, name in enumerate(("backward", "forward")):
        for step in STEPS:
            tried = [*best]
            tried[side] = step
            found = cost(play(setup, seeds, widened(library, *tried)))
            print(f"{name} {step:+g} deg: {found:.2f} s")
            if found < least - 1e-9:
                least, best = found, tried
    print(f"chosen: backward {best[0]:+g} deg, forward {best[1]:+g} deg; judged on seeds {span(held_out)}:")
    before, after = play(setup, held_out, library), play(setup, held_out, widened(library, *best))
    show("as written", before, before)
    show("chosen", after, before)
    print(f"mean time to stand: {cost(before):.2f} s as written, {cost(after):.2f} s chosen")


def compensation(setup: Setup, seeds: Sequence[int]) -> None:
    """Off, clipped and growing on, where the hip yaw pitch locks."""
    ended = VARIANTS["+ compensation"]
    engines = {
        "off": VARIANTS["waits, balance"],
        "ends": ended,
        "grows on": {**ended, "clip_compensation": False},
    }
    library = load_motions(setup.library)
    print(f"stood of {len(seeds)}, first try, without branches and break-up: {' / '.join(engines)}")
    for trouble in troubles(setup.library, frictions=()):
        once = replace(setup, start=trouble.start, faults=(trouble.fault(JOINT),), tries=1)
        stood = [[t.stood for t in play(replace(once, engine=each), seeds, library)] for each in engines.values()]
        difference, (low, high) = paired_difference(stood[1], stood[2])
        counts = "/".join(str(sum(each)) for each in stood)
        print(f"{trouble.text:<40}{counts:>10}  ends - grows on {difference:+.2f} [{low:+.2f}, {high:+.2f}]")


def play(setup: Setup, seeds: Sequence[int], library: MotionLibrary) -> list[GetUp]:
    """One get-up per seed."""
    parts = {f"controller.{part}": on for part, on in setup.engine.items()}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{hashlib.sha256(library.model_dump_json().encode()).hexdigest()[:16]}.yaml"
        save_library(library, file)
        trial = setup_for(
            setup.start,
            library=str(file),
            spread=setup.spread,
            faults=setup.faults,
            changes={**parts, "observers.get-up.tries": setup.tries},
        )
        return [get_up(trial, seed) for seed in seeds]


def cost(trials: Sequence[GetUp]) -> float:
    """Mean time to stand [s]."""
    return sum(trial.time if trial.stood else LOST for trial in trials) / len(trials)


def show(name: str, trials: Sequence[GetUp], reference: Sequence[GetUp]) -> None:
    """First tries with interval, their difference to the reference, and the median time."""
    first, other = ([trial.first_try for trial in each] for each in (trials, reference))
    low, high = wilson(sum(first), len(first))
    difference, interval = paired_difference(first, other)
    times = [trial.time for trial in trials if trial.first_try]
    median = f"{quantile(times, 0.5):.2f} s" if times else "-"
    print(
        f"{name:<28}{sum(first):>4} of {len(first)} [{low:.2f}, {high:.2f}]  "
        f"difference {difference:+.2f} [{interval[0]:+.2f}, {interval[1]:+.2f}]  median {median}"
    )


def visited(trials: Sequence[GetUp], library: MotionLibrary) -> list[str]:
    """Blocks of the motions that were played."""
    motions = dict.fromkeys(name for trial in trials for name in trial.motions)
    return list(dict.fromkeys(block for name in motions for block in library.motions[name].blocks))


def widened(library: MotionLibrary, backward: float, forward: float) -> MotionLibrary:
    """The library with all pitch windows wider by these angles [deg]."""
    low, high = math.radians(backward), math.radians(forward)

    def change(window: TorsoWindow) -> TorsoWindow:
        pitch = WindowRange(min=moved(window.pitch.min, -low), max=moved(window.pitch.max, high))
        return window.model_copy(update={"pitch": pitch})

    return each_keyframe(
        library,
        lambda keyframe: keyframe.model_copy(
            update={
                "window": change(keyframe.window),
                "window_start": None if keyframe.window_start is None else change(keyframe.window_start),
            }
        ),
    )


def moved(bound: float | str, by: float) -> float | str:
    """A bound moved, unless it is none."""
    return bound if isinstance(bound, str) or abs(bound) > _NEVER else bound + by


def each_keyframe(library: MotionLibrary, change: Callable[[Keyframe], Keyframe]) -> MotionLibrary:
    """The library with every keyframe changed."""

    def changed(block: Block) -> Block:
        return block.model_copy(update={"keyframes": tuple(change(keyframe) for keyframe in block.keyframes)})

    return library.model_copy(update={"blocks": {name: changed(block) for name, block in library.blocks.items()}})


def span(seeds: Sequence[int]) -> str:
    """First and last seed."""
    return f"{seeds[0]} to {seeds[-1]}"


if __name__ == "__main__":
    main()

"""How checks and conversions grow with the length of a library, in processor time.

python benchmarks/large_documents.py --keyframes 10000

Libraries are made with a seed: every keyframe gives every joint an angle near the robot's standing posture and lasts
60 to 240 ms. Each step is measured in this process after the robot is loaded; imports are not counted.
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from andante.formats.registry import FORMATS, convert, read, write
from andante.formats.report import FormatError
from andante.motions.checks import check_library
from andante.motions.checks.aibo.run import check_aibo
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot

_MOTIONS = {"nao": "wave", "ers7": "a_stand#stand_wave"}
_SPREAD = math.radians(4.0)
_DURATIONS = (0.064, 0.128, 0.24)


def library_of(robot: Robot, count: int, seed: int) -> MotionLibrary:
    """A library of one motion with ``count`` keyframes."""
    random = np.random.default_rng(seed)
    stand = robot.posture("stand")
    keyframes = []
    for angles in np.clip(stand + random.uniform(-_SPREAD, _SPREAD, (count, len(stand))), robot.lower, robot.upper):
        duration = _DURATIONS[int(random.integers(len(_DURATIONS)))]
        keyframes.append(Keyframe(duration=duration, joints=dict(zip(robot.joint_names, angles.tolist(), strict=True))))
    motion = _MOTIONS[robot.name]
    return MotionLibrary(
        robot=robot.name, motions={motion: Motion(blocks=("b",))}, blocks={"b": Block(keyframes=tuple(keyframes))}
    )


def timed(step: Callable[[], object]) -> float:
    """Processor time of a step [s]."""
    start = time.process_time()
    step()
    return time.process_time() - start


def steps_of(robot: Robot, count: int, seed: int, folder: Path) -> dict[str, float]:
    """Processor time of each step with a library of ``count`` keyframes [s]."""
    source = folder / "library.yaml"
    made = library_of(robot, count, seed)
    found = {"write yaml": timed(lambda: write(made, source)), "read yaml": timed(lambda: read(source))}
    found["check"] = timed(lambda: check_aibo(made, robot) if robot.openr else check_library(made, robot))
    for name, codec in FORMATS.items():
        if name == "andante" or name.startswith("bhuman-"):
            continue
        target = folder / (name if name == "bhuman" else f"{name}{codec.suffixes[0]}")
        try:
            found[f"yaml to {name}"] = timed(lambda: convert(source, target, target_format=name))  # noqa: B023
        except FormatError:
            continue
        again = folder / "again.yaml"
        try:
            found[f"{name} to yaml"] = timed(lambda: convert(target, again, source_format=name, robot=robot.name))  # noqa: B023
        except FormatError:
            continue
    return found


def main() -> None:
    """Print a table of seconds by length, and how each step grows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--keyframes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--robots", default="nao,ers7")
    options = parser.parse_args()
    counts = [options.keyframes // 8, options.keyframes // 4, options.keyframes // 2, options.keyframes]
    for name in options.robots.split(","):
        robot = Robot.load(name)
        with tempfile.TemporaryDirectory() as folder:
            steps_of(robot, 50, options.seed, Path(folder))  # imports
            rows = [steps_of(robot, count, options.seed, Path(folder)) for count in counts]
        print(f"{name}: seconds of processor time for {', '.join(map(str, counts))} keyframes; exponent of the growth")
        for step in rows[-1]:
            seconds = [row.get(step, float("nan")) for row in rows]
            slope = np.polyfit(np.log(counts), np.log(np.maximum(seconds, 1e-3)), 1)[0]
            print(f"  {step:26s} {' '.join(f'{value:7.2f}' for value in seconds)}   {slope:5.2f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"largest memory of the process: {peak:.0f} MB")


if __name__ == "__main__":
    main()

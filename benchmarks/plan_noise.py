"""Whether `andante plan` gives one plan for one terrain in six kinds of file, each with noise of its own.

python benchmarks/plan_noise.py [--boards blocks:0.3,rolling:0.5] [--board-seed 1] [--draws 10] [--noise 1.0]
[--own-holes]

A draw is a PNG, an npz, a cloud in a PLY, a GeoTIFF, an ASCII grid and a grid_map in MCAP of one board on cells of
10 mm. Each has a uniform error of its own on every height, in the cloud on places too, and places without a height: 60
of 2 x 2 cells at random and one of 6 x 6, the same in all or, with ``--own-holes``, each its own. One JSON object per
board: sets of six whose feet step in the same order to places less than a cell apart along each axis, sets in which
the centre of mass is as near as feet land, files whose feet are so near to the plan that is like most others, the
largest distances of feet and of the centre of mass from it, and how far the feet's heights are from the board without
noise.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "terrain"))

from field_maps import write_all

from andante.kinematics.leg_table import LeggedBody
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.scene import Scene
from andante.runs.tasks.walk.plan import PlannedWalk, plan
from andante.runs.tasks.walk.task import WalkTask, changed
from andante.terrain.boards.make import make_board
from andante.terrain.height_map import HeightMap

KINDS = ("png", "npz", "ply", "tif", "asc", "mcap")
CELL = 0.01


def measured(heights: np.ndarray, noise: float, seed: int, holes: int) -> np.ndarray:
    """A measurement of heights: errors up to ``noise`` [m] either way, and holes drawn from a seed of their own."""
    seen = heights + np.random.default_rng(seed).uniform(-noise, noise, heights.shape)
    for i, j in np.random.default_rng(holes).integers(0, np.array(heights.shape) - 2, (60, 2)):
        seen[i : i + 2, j : j + 2] = np.nan
    seen[90:96, 3:9] = np.nan
    return seen


def planned(path: Path, options: dict[str, Any]) -> PlannedWalk:
    """The plan over a file."""
    return plan(
        changed(WalkTask(), {"board": str(path), "values": [f"{key}={value}" for key, value in options.items()]}),
        warm=False,
    )


def apart(one: PlannedWalk, other: PlannedWalk) -> tuple[float, float]:
    """Largest distance of footholds and of centres of mass as feet land, along an axis [m]; inf: other steps."""
    if one.plan is None or other.plan is None:
        return np.inf, np.inf
    first, second = one.plan.footsteps.steps, other.plan.footsteps.steps
    if [step.leg for step in first] != [step.leg for step in second]:
        return np.inf, np.inf
    feet = np.abs(np.array([step.place for step in first]) - [step.place for step in second]).max()
    landed = [made.com[[swing.touchdown for swing in made.swings]] for made in (one.plan, other.plan)]
    return float(feet), float(np.abs(landed[0] - landed[1]).max())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", default="blocks:0.3,rolling:0.5", help="boards and their difficulties")
    parser.add_argument("--board-seed", type=int, default=1, help="seed of the boards")
    parser.add_argument("--draws", type=int, default=10, help="sets of six files")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--noise", type=float, default=1.0, help="largest error of a height [mm]")
    parser.add_argument("--own-holes", action="store_true", help="each file has holes of its own")
    asked = parser.parse_args()
    for words in asked.boards.split(","):
        board, difficulty = words.split(":")
        print(json.dumps(agreement(board, float(difficulty), asked)), flush=True)


def agreement(board: str, difficulty: float, asked: argparse.Namespace) -> dict[str, Any]:
    """What the files of all draws of one board come to."""
    terrain = make_board(board, difficulty, asked.board_seed)
    ground = terrain.heights
    coarse = HeightMap(ground.heights[::2, ::2], ground.origin, 2.0 * ground.spacing)
    plans: list[PlannedWalk] = []
    for draw in range(asked.first, asked.first + asked.draws):
        for number, kind in enumerate(KINDS):
            seed = 1000 * draw + number
            seen = measured(coarse.heights, 1e-3 * asked.noise, seed, seed if asked.own_holes else 7)
            with tempfile.TemporaryDirectory(prefix="plan-noise-") as folder:
                files = write_all(
                    Path(folder), seen, ground.origin, coarse.spacing, jitter=1e-3 * asked.noise, seed=seed
                )
                plans.append(planned(*files[kind]))
    table = np.array([[apart(one, other) for other in plans] for one in plans])
    alike = table[..., 0] < CELL
    typical = int(alike.sum(axis=1).argmax())
    near = alike[typical]
    count = len(KINDS)
    groups = [slice(k, k + count) for k in range(0, len(plans), count)]
    sets = [bool(alike[group, group].all()) for group in groups]
    bodies = [bool((table[group, group].max(axis=-1) < CELL).all()) for group in groups]
    scene = Scene.of(LeggedBody.of(plans[0].robot), ground, terrain.scale)
    errors = [
        step.place[2] - height_at(scene, scene.foot, float(step.place[0]), float(step.place[1]))
        for made in plans
        if made.plan is not None
        for step in made.plan.footsteps.steps
    ]
    lengths = [len(made.plan.footsteps.steps) for made in plans if made.plan is not None]
    return {
        "board": board,
        "difficulty": difficulty,
        "board_seed": asked.board_seed,
        "noise_mm": asked.noise,
        "own_holes": asked.own_holes,
        "sets_of_six_alike": sum(sets),
        "sets_whose_body_is_alike_too": sum(bodies),
        "sets": len(sets),
        "files_like_the_typical": int(near.sum()),
        "files": len(plans),
        "refused": sum(made.plan is None for made in plans),
        "steps": sorted(set(lengths)),
        "feet_apart_mm": round(1e3 * float(table[typical, near, 0].max()), 2),
        "centre_of_mass_apart_mm": round(1e3 * float(table[typical, near, 1].max()), 1),
        "foot_height_error_rms_mm": round(1e3 * float(np.sqrt(np.mean(np.square(errors)))), 3),
        "speed_cm_s": round(100.0 * float(np.mean([made.speed for made in plans])), 2),
    }


if __name__ == "__main__":
    main()

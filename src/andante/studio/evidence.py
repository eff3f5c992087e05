"""One try of a motion in physics, as evidence for the edit that has just been made, in a process of its own.

Nothing of it is kept. Each is the run that ⚙ Physics of the page would show for its seed, but not in real time.
"""

from __future__ import annotations

import base64
import functools
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from andante.motions.storage import dump_library, load_library
from andante.robots.robot import Robot
from andante.runs.motion_libraries import by_name
from andante.studio.disk import Disk
from andante.studio.errors import StudioError
from andante.studio.simulation import MotionRun, Order
from andante.studio.system import System

_RATE = 25.0
"""Measured angles that are told of a second [Hz]."""


@dataclass(frozen=True)
class Trial:
    """What is tried."""

    text: str
    """The document, as Andante's text."""
    place: str
    """Its name in messages."""
    own: bool
    """The file is one of Andante's documents."""
    motion: str
    """The motion."""
    allow_fall: bool = False
    """It may leave the feet."""
    start: str = ""
    """How the robot begins; empty: as the motion does."""


def try_motion(trial: Trial, source: Callable[[str], str], seed: int) -> dict[str, Any]:
    """Run a motion once and tell how it went.

    Returns:
        The seed; whether it passed, else why not and when it failed [s]; when the motion was done [s]; the share of its
        servo's torque that the most loaded joint had left, and which that is; times and measured angles, (n, 1 + nj)
        float32, row by row, base64 [s, rad].

    Raises:
        AndanteError: It cannot be run.
    """
    text, robot_file, motions = _runnable(trial.text, trial.place, trial.own, source)
    if trial.motion not in motions:
        raise StudioError("there is no such motion", value=trial.motion, legal=motions)
    with tempfile.TemporaryDirectory(prefix="andante-trial-") as folder:
        place = Path(folder).resolve()
        how = (trial.motion, seed, place / "run", Disk(place, _Brief()), trial.allow_fall, trial.start)
        run = MotionRun(Order(text, robot_file, *how))
        try:
            rows, due = [], 0.0
            while run.session.ending is None:
                tick = run.step()
                if tick.time >= due:
                    due += 1.0 / _RATE
                    rows.append(np.concatenate([[tick.time], tick.sensors.position]))
            told = run.verdict()
        finally:
            run.drop()
    metrics, good = told["metrics"], told["verdict"] == "pass"
    ratio = metrics["peak_torque_ratio"]
    failed = metrics["fall_time"] if metrics["fall_time"] is not None else told["time"]
    return {
        "seed": seed,
        "good": good,
        "reason": "" if good else "; ".join(told["reasons"])[:300],
        "at": None if good else failed,
        "done": metrics["done_at"],
        "margin": None if ratio is None else 1.0 - ratio,
        "joint": metrics["peak_torque_joint"],
        "trace": base64.b64encode(np.array(rows, dtype="<f4").tobytes()).decode(),
    }


@functools.lru_cache(maxsize=4)
def _runnable(text: str, place: str, own: bool, source: Callable[[str], str]) -> tuple[str, str, tuple[str, ...]]:
    """A text whose robot goes by its own name, as runs need it; the robot's file; names of the motions."""
    library = load_library(text, place=place)
    robot_file = source(library.robot)
    robot = Robot.load(robot_file)
    if not own or library.robot != robot.name:
        text = dump_library(by_name(library, robot))
    return text, robot_file, tuple(library.motions)


class _Brief(System):
    """What is written is gone when the try is told: bringing it to the disk would only hold up the user's edits."""

    def sync(self, handle: int) -> None:
        """Do nothing."""

    def sync_folder(self, folder: int) -> None:
        """Do nothing."""

"""What all processes of a class have in common, loaded once: they are forked from one that has imported this module.

So each costs what it changes, not what it loads: models, compiled kernels and libraries are shared between them.
"""

from __future__ import annotations

import contextlib
import gc
import tempfile
from pathlib import Path

from andante.errors import AndanteError
from andante.motions.storage import load_library
from andante.robots.robot import Robot
from andante.studio.classroom.lesson import read_lessons
from andante.studio.disk import Disk
from andante.studio.document_checks import findings_of
from andante.studio.dragging import warm
from andante.studio.messages import Play
from andante.studio.simulation import MotionRun, Order

_TICKS = 30


def warm_up() -> None:
    """Load and compile what checks, drags and runs of the lessons' robots need."""
    robots = {load_library(lesson.document, place=name).robot for name, lesson in read_lessons().items()}
    texts = [lesson.document for lesson in read_lessons().values()]
    for text in texts:
        with contextlib.suppress(AndanteError, OSError), tempfile.TemporaryDirectory(prefix="andante-class-") as made:
            findings_of(text, "lesson", str, ())
            _run(text, Path(made).resolve())
    for robot in sorted(robots):
        with contextlib.suppress(AndanteError):
            warm(robot)
    # What is here stays: looking through it for garbage would copy it into every process.
    gc.collect()
    gc.freeze()


def _run(text: str, place: Path) -> None:
    library = load_library(text, place="lesson")
    motion = next(iter(library.motions))
    run = MotionRun(Order(text, Robot.load(library.robot).name, motion, 0, place / "run", Disk(place)))
    try:
        for _ in range(_TICKS):
            run.step()
        run.session.end()
        run.verdict()
        run.go_to(Play(do="play", motion=motion))
    finally:
        run.drop()


warm_up()

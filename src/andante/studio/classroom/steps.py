"""Whether a lesson's step is done, from the student's document and from what was seen of checks, proofs and runs."""

from __future__ import annotations

from dataclasses import dataclass

from andante.motions.library import MotionLibrary
from andante.studio.classroom.lesson import LessonGoal


@dataclass(frozen=True)
class SeenRun:
    """A run that has come to its end."""

    motion: str
    """What was played."""
    verdict: str
    """pass or fail."""
    reason: str = ""
    """Why it failed."""
    fault: bool = False
    """Something was made to fail in it."""


@dataclass(frozen=True)
class Seen:
    """What is known of a student's work on one document."""

    library: MotionLibrary | None = None
    """The document; None: its text has a mistake."""
    changed: bool = False
    """It is another than at the beginning."""
    saved: bool = False
    """It was saved, and not edited since."""
    errors: int | None = None
    """Errors that the checks of this text have found; None: they have not ended."""
    warnings: int = 0
    """Warnings that they have found."""
    proved: tuple[tuple[str, int], ...] = ()
    """Motions of this text that were proved without an error, with the number of seeds."""
    run: SeenRun | None = None
    """The last run of this text that has ended."""


def is_done(goal: LessonGoal, motion: str, seen: Seen) -> bool:
    """Whether all that a goal says holds.

    Args:
        goal: The goal.
        motion: The lesson's motion, for goals that name none.
        seen: What is known.
    """
    motion = goal.motion or motion
    run = seen.run
    return (
        (goal.changed is None or seen.changed)
        and (goal.clean is None or (seen.errors == 0 and seen.warnings == 0))
        and (goal.saved is None or seen.saved)
        and (goal.proof is None or any(name == motion and seeds >= goal.proof for name, seeds in seen.proved))
        and (goal.run is None or (run is not None and run.motion == motion and goal.run in ("any", run.verdict)))
        and (goal.fault is None or (run is not None and run.fault))
        and _of_motion(goal, motion, seen.library)
    )


def _of_motion(goal: LessonGoal, motion: str, library: MotionLibrary | None) -> bool:
    asked = (goal.keyframes, goal.above, goal.below, goal.shorter, goal.longer)
    if all(each is None for each in asked):
        return True
    if library is None or motion not in library.motions:
        return False
    blocks = (library.blocks.get(name) for name in library.motions[motion].blocks)
    keyframes = [keyframe for block in blocks if block is not None for keyframe in block.keyframes]
    angles = [at for each in keyframes if isinstance(at := each.joints.get(goal.joint), float)]
    total = sum(keyframe.duration for keyframe in keyframes)
    return (
        (goal.keyframes is None or len(keyframes) >= goal.keyframes)
        and (goal.above is None or any(angle >= goal.above - 1e-9 for angle in angles))
        and (goal.below is None or any(angle <= goal.below + 1e-9 for angle in angles))
        and (goal.shorter is None or (bool(keyframes) and total <= goal.shorter + 1e-9))
        and (goal.longer is None or total >= goal.longer - 1e-9)
    )

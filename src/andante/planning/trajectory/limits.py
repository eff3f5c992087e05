"""Whether a motion keeps joints, speeds and support at every sample, and the step to name where it does not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.planning.course import NoPlanError
from andante.planning.trajectory.limbs import NO_ROOM
from andante.planning.trajectory.motion import WalkMotion

Array = NDArray[np.float64]
Index = NDArray[np.int64]
_BENT = "a joint would pass its limit"


class PhaseError(NoPlanError):
    """A step during which a limit cannot be kept as it is timed and drawn."""

    step = 0
    """Its number."""
    bent = False
    """Whether a joint would pass its limit, which more time does not mend."""


def check_joints(motion: WalkMotion) -> None:
    """Refuse a joint beyond its limit.

    Raises:
        PhaseError: One is.
    """
    _refuse(motion, motion.beyond(), _BENT, motion.slack, "slack of at least 0 rad", motion.where)


def check_limits(motion: WalkMotion, margin: Array) -> None:
    """Refuse what does not keep a limit, with margins of the zero moment point (n,) [m].

    Raises:
        PhaseError: A joint passes its limit or is too fast, or the zero moment point is outside.
    """
    rates = motion.rates()
    check_joints(motion)
    what = "a joint would be faster than declared"
    _refuse(motion, rates - 1.0, what, rates, "at most 1 of its speed", motion.hasty())
    _refuse(motion, -margin, "the zero moment point would leave the support", margin, "at least 0 m inside", None)


def phase_error(
    motion: WalkMotion, what: str, sample: int, value: float, limit: str, joints: Index | None
) -> PhaseError:
    """The error of a sample, with its step, its place and the joint (n,) that is named there."""
    step = int(np.searchsorted(motion.schedule.touchdown, sample).clip(0, len(motion.legs) - 1))
    legs = motion.body.legs
    x, y, _ = motion.com[sample]
    place = f"step {step} ({legs[int(motion.legs[step])].name}), body at x {x:.3f} m, y {y:.3f} m"
    if joints is not None:
        leg, joint = divmod(int(joints[sample]), 3)
        place += f", {legs[leg].joints[joint]}"
    shown = "no angle at all" if value <= NO_ROOM else round(value, 4)
    error = PhaseError(what, place=place, value=shown, limit=limit)
    error.step, error.bent = step, what == _BENT
    return error


def _refuse(motion: WalkMotion, wrong: Array, what: str, values: Array, limit: str, joints: Index | None) -> None:
    """Raise the error of the worst sample where something is wrong, that is above 0."""
    sample = int(np.argmax(wrong))
    if wrong[sample] > 0.0:
        raise phase_error(motion, what, sample, float(values[sample]), limit, joints)

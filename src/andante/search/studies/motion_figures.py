"""Figures of a motion document itself, without simulation: how long it is, and how fast it asks joints to move."""

from __future__ import annotations

import math
from collections import Counter

from andante.motions.keyframe import Interpolation
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot

MOTION = "motion"
"""What metrics of the document begin with."""
MOTION_FIGURES = ("duration", "speed")
"""Names of its figures."""
_PEAK = {
    Interpolation.LINEAR: 1.0,
    Interpolation.DEFAULT: 1.0,
    Interpolation.SINE_MIN_TO_MAX: 0.5 * math.pi,
    Interpolation.SINE_ZERO_TO_MAX: 0.5 * math.pi,
}
"""Largest over mean speed of each curve."""


def motion_figures(library: MotionLibrary, robot: Robot) -> dict[str, float]:
    """Figures of the motions of a library.

    Returns:
        duration: Sum of the durations of all motions, of each with its blocks as often as they run, and of blocks that
            no motion names, as those that branches insert [s].
        speed: Largest speed that is commanded within a motion, over the limit of its joint; the way from where the
            robot happens to be to the first target of a joint is left out.
    """
    runs = Counter(name for motion in library.motions.values() for name in motion.blocks)
    duration = sum(
        max(runs[name], 1) * frame.duration for name, block in library.blocks.items() for frame in block.keyframes
    )
    fastest = 0.0
    for motion in library.motions.values():
        before: dict[str, float] = {}
        for name in motion.blocks:
            block = library.blocks.get(name)
            for frame in () if block is None else block.keyframes:
                own = frame.interpolation
                curve = own if own is not Interpolation.DEFAULT or block is None else block.interpolation
                for joint, target in frame.joints.items():
                    if isinstance(target, str):
                        continue
                    if joint in before and joint in robot.joint_index:
                        limit = float(robot.max_velocity[robot.joint_index[joint]])
                        speed = _PEAK[curve] * abs(target - before[joint]) / frame.duration
                        fastest = max(fastest, speed / limit)
                    before[joint] = target
    return {"duration": duration, "speed": fastest}

"""Asked: what a controller's part of a scenario asks of the robot, by which a run is judged."""

from __future__ import annotations

from dataclasses import dataclass

from andante.control.steering import Turn
from andante.motions.posture_kind import MotionEnds


@dataclass(frozen=True)
class Asked:
    """What is asked of the robot's body; empty: nothing that could be seen from outside."""

    turns: tuple[Turn, ...] = ()
    """Speeds by when they are asked; times rise."""
    ahead: float | None = None
    """How far it shall go along the x axis that it has at the start; None: not said [m]."""
    goal: tuple[float, float] | None = None
    """Where its base shall come to, x and y; None: not said [m]."""
    ends: MotionEnds | None = None
    """Postures in which it begins and ends; None: no motions are played."""
    may_touch: tuple[str, ...] = ()
    """Bodies or joint groups that may touch the ground beside the feet; ``*``: all."""
    may_fall: bool = False
    """Whether a motion is a dive by its name; how it ends is judged all the same."""

    @property
    def moves(self) -> bool:
        """Whether the body shall go somewhere, or stand where it is by a steering."""
        return bool(self.turns) or self.ahead is not None or self.goal is not None


NOTHING = Asked()
"""Nothing is asked."""

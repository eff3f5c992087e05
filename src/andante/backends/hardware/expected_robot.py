"""Whether the robot that answers is the one that is meant, and only one: by who it says it is."""

from __future__ import annotations

from dataclasses import dataclass

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.packets import Identity

_SEVERAL = 3
"""So many states of another robot's number are those of a second one; a single one went astray."""


@dataclass(frozen=True)
class ExpectedRobot:
    """The robot that is meant."""

    robot: str
    """Its kind."""
    joints: tuple[str, ...]
    """Its joint at each slot of the wire; empty: none of the model's."""
    period: float
    """Time between two of its states [s]."""
    claimed: str
    """What the user says that it is: ``robot``, or a fake."""
    firmware: str
    """The version that it must have; empty: any."""

    def check(self, told: Identity, place: str) -> None:
        """Refuse another one.

        Args:
            told: Who it says it is.
            place: Where it is, for messages.

        Raises:
            BackendError: It is another one.
        """
        if told.fake and self.claimed == "robot":
            raise BackendError("this is a fake", place=place, remedy="leave out evidence: robot")
        slots = self.joints
        # A slot that is none of the model's joints may be called as it likes.
        known = tuple(name if slot else "" for name, slot in zip(told.joints, slots, strict=False))
        if told.joints and (known != slots or len(told.joints) != len(slots)):
            raise BackendError(
                "the robot has other joints, or another order of them",
                place=place,
                value=told.joints,
                limit=", ".join(self.joints),
                remedy="name them in its order: backend.joints",
            )
        if told.period and abs(told.period - self.period) > 1e-6:
            raise BackendError(
                "the robot has another cycle",
                place=place,
                value=told.period,
                limit=f"{self.period:g} s",
                remedy="set backend.period",
            )
        if self.firmware and told.firmware != self.firmware:
            raise BackendError(
                "the robot has another firmware",
                place=place,
                value=told.firmware or "it tells none",
                limit=self.firmware,
                remedy="try its signs and units anew, then name it: backend.firmware",
            )
        if told.robot and told.robot.lower() != self.robot.lower():
            raise BackendError(
                "this is a robot of another kind",
                place=place,
                value=told.robot,
                limit=self.robot,
                remedy=f"ask for --robot {told.robot}, or connect to the right one",
            )


class NumberWatch:
    """Tells two robots that answer at one place apart by their numbers, where they tell them.

    Args:
        place: Where they are, for messages.
    """

    def __init__(self, place: str) -> None:
        self._place, self._others = place, 0

    def is_anothers(self, met: Identity, told: Identity | None) -> bool:
        """Whether a state is another robot's than the one that was met.

        Raises:
            LinkLostError: Several were.
        """
        if told is None or not told.serial or not met.serial or told.serial == met.serial:
            return False
        self._others += 1
        if self._others >= _SEVERAL:
            raise LinkLostError(
                "two robots answer here, and both would take commands",
                place=self._place,
                value=f"number {told.serial}",
                limit=f"number {met.serial}, which was met",
                remedy="leave one on, and arm it again",
            )
        return True

"""What came of a get-up: tries, where they ended, times, torques, touching itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Stop:
    """Where a try ended: the cause of a failure."""

    time: float
    """When [s]."""
    block: str
    """Block under way."""
    keyframe: int
    """Index of its keyframe."""
    why: str
    """What the engine said, or how the trial ended."""
    pitch: float
    """Torso pitch [rad]."""
    roll: float
    """Torso roll [rad]."""


@dataclass(frozen=True)
class GetUp:
    """What a get-up tells; every number is decided by scenario and seed.

    Where a world knows no forces, torques and touches are None.
    """

    stood: bool
    """The robot stood in the end and stayed so."""
    tries: int
    """Tries begun."""
    time: float
    """Begin of standing, counted from the start of the recovery; time of the end where it did not stand [s]."""
    motions: tuple[str, ...]
    """Motions in order."""
    stops: tuple[Stop, ...]
    """Where tries ended."""
    restarts: int
    """Restarts within a try: a branch replaced the motion, or a motion began a second time."""
    torque: float | None
    """Peak motor torque over its rated limit."""
    saturated: float | None
    """Share of motor-ticks at the limit."""
    speed: float
    """Peak joint speed over its limit."""
    touching: float | None
    """Share of the time in which the robot touches itself."""
    hardest: float | None
    """Hardest touch of two own shapes [N]."""
    waited: float = 0.0
    """Time spent waiting for keyframes' conditions [s]."""
    touches: dict[str, int] = field(default_factory=dict)
    """Ticks per pair of own shapes that touch."""
    lean: float = 0.0
    """Angle between the torso's axis and the floor's normal at the end [rad]."""
    asked_speed: float = 0.0
    """Peak speed of a joint's commanded angle over the joint's limit, of joints that hold."""
    trunk: float | None = 0.0
    """Hardest touch of trunk and floor [N]; 0 in a world without ``impacts``."""
    head: float | None = 0.0
    """Hardest touch of head and floor [N]; 0 in a world without ``impacts``."""

    @property
    def first_try(self) -> bool:
        """Whether it stood at the first try."""
        return self.stood and self.tries == 1

    def data(self) -> dict[str, Any]:
        """Plain data, with ``first_try``, and ``stood_at``: the try at which it stood, None where it did not."""
        return asdict(self) | {"first_try": self.first_try, "stood_at": self.tries if self.stood else None}

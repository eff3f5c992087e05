"""Streams: one stream of random numbers per purpose, all from one seed.

Switching one source of randomness on thus leaves the others as they were.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Streams:
    """The streams of one run; new ones are added at the end."""

    friction: np.random.Generator
    """Friction of the floor."""
    strength: np.random.Generator
    """Strengths of the servos."""
    posture: np.random.Generator
    """Noise on the start posture."""
    noise: np.random.Generator
    """Sensor noise."""
    ground: np.random.Generator
    """Materials and slope."""
    drop: np.random.Generator
    """How the robot is dropped."""
    delay: np.random.Generator
    """Delay of commands."""
    play: np.random.Generator
    """Backlash."""
    shapes: np.random.Generator
    """Stretches of shapes."""
    imu: np.random.Generator
    """The IMU's rotation and lost readings."""
    faults: np.random.Generator
    """Noise of faults."""
    pose: np.random.Generator
    """Noise and drop-outs of motion capture."""
    timing: np.random.Generator
    """When readings and commands arrive, and which readings never do."""
    drives: np.random.Generator
    """Noise of what the drives read themselves."""
    bodies: np.random.Generator
    """Masses and centres of mass."""
    speeds: np.random.Generator
    """Speeds of the servos' torque-speed limits."""

    @classmethod
    def of(cls, seed: int) -> Self:
        """The streams of a seed."""
        sequences = np.random.SeedSequence(seed).spawn(len(fields(cls)))
        return cls(*(np.random.default_rng(sequence) for sequence in sequences))

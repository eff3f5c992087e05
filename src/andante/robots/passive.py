"""What moves or holds joints of a model without a motor: springs of joints, and tendons that pull or stop."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

_OF_TENDONS = (
    *("tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping", "tendon_dampingpoly"),
    *("tendon_frictionloss", "tendon_armature", "tendon_limited"),
)
"""By what a tendon acts without a motor."""


def sprung_joints(model: mujoco.MjModel) -> list[int]:
    """Numbers of the joints that have a spring."""
    stiff = (model.jnt_stiffness, model.jnt_stiffnesspoly)
    return [joint for joint in range(model.njnt) if any(np.any(each[joint]) for each in stiff)]


def acting_tendons(model: mujoco.MjModel) -> Iterator[tuple[int, str, float]]:
    """Tendons that act without a motor: the number of each, by what first (``stiffness``), and its largest value."""
    for tendon in range(model.ntendon):
        for name in _OF_TENDONS:
            values = getattr(model, name)[tendon]
            if np.any(values):
                yield tendon, name.removeprefix("tendon_"), float(np.max(values))
                break

"""Left and right of a robot without a pack, by the names and axes of its joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from andante.robots.parts import Mirror

_SIDES = (
    *(("FL", "FR"), ("HL", "HR"), ("RL", "RR"), ("LF", "RF"), ("LH", "RH")),
    *(("left", "right"), ("Left", "Right"), ("L", "R"), ("l", "r")),
)


def guess_mirror(names: list[str], model: Any) -> Mirror:
    """Pairs of joints whose names differ in the side only; signs by the joints' axes with all joints at zero."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    pairs: list[tuple[str, str]] = []
    partner: dict[str, str] = {}
    for name in names:
        other = next((o for o in _other_sides(name) if o in names and o not in partner), None)
        if other is not None and name not in partner:
            pairs.append((name, other))
            partner[name], partner[other] = other, name
    negate = set()
    for name in names:
        # A rotation axis keeps its y and turns its x and z in a mirror that exchanges left and right.
        mirrored = data.joint(name).xaxis * np.array([-1.0, 1.0, -1.0])
        if float(mirrored @ data.joint(partner.get(name, name)).xaxis) < 0.0:
            negate.add(name)
    return Mirror(tuple(pairs), frozenset(negate))


def _other_sides(name: str) -> Iterator[str]:
    """What a left joint's name could be on the right side, the surest guess first."""
    for left, right in _SIDES:
        for at in range(len(name)):
            if name.startswith(left, at):
                yield name[:at] + right + name[at + len(left) :]

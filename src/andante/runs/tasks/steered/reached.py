"""What a steered robot did with what it was asked: its mean speeds in its own axes, from ground truth."""

from __future__ import annotations

import numpy as np

from andante.control.steering import Heading
from andante.runs.logs.log import ChannelRows
from andante.spatial.rotations import to_rpy


def reached(truth: ChannelRows, begin: float, end: float) -> Heading | None:
    """Mean speeds of the base between two moments.

    Each way between two samples is seen in the level axes that the base has in its middle; a turn is the change of yaw.

    Args:
        truth: The recorded truth with MuJoCo's ``qpos``.
        begin: First moment [s].
        end: Last moment [s].

    Returns:
        The speeds; None where fewer than two samples lie between the moments.
    """
    inside = (truth.times >= begin - 1e-9) & (truth.times <= end + 1e-9)
    if np.count_nonzero(inside) < 2:
        return None
    times, qpos = truth.times[inside], truth["qpos"][inside]
    yaw = np.unwrap(to_rpy(qpos[:, 3:7])[:, 2])
    (dx, dy), middle = np.diff(qpos[:, :2], axis=0).T, 0.5 * (yaw[1:] + yaw[:-1])
    forward = dx * np.cos(middle) + dy * np.sin(middle)
    lateral = dy * np.cos(middle) - dx * np.sin(middle)
    span = float(times[-1] - times[0])
    return Heading(float(forward.sum()) / span, float(lateral.sum()) / span, float(yaw[-1] - yaw[0]) / span)

"""What lies in a ``<frame>`` of a base that is turned: its inertial and its IMU.

A specification keeps the frame of an inertial to itself: no attribute tells it, and compiling applies it. One more
frame around the frames of a base therefore turns such an inertial as well, unlike one that lies in no frame.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from andante.robots.bare.facing import IMU, turn_base
from andante.robots.model_text import compile_spec
from andante.robots.records import Vector
from andante.spatial.rotations import from_matrix, to_matrix

_NEAR = 1e-9
"""Share of a robot's moments of inertia [kg m^2], and place [m], that are the same."""


def turned(
    spec: mujoco.MjSpec, base: Any, model: mujoco.MjModel, axes: Vector, origin: Vector, place: str
) -> mujoco.MjModel:
    """The model with other axes and another origin of its base; what is in it stays where it is, except the IMU.

    Args:
        spec: The specification, which is changed.
        base: Its base body.
        model: The specification as compiled before.
        axes: The new axes as columns in the old frame, (3, 3).
        origin: The new origin in the new axes, from the old one, (3,) [m].
        place: The file, for messages.

    Raises:
        RobotError: MuJoCo does not take the turned model.
    """
    _free_imu(spec, base, model)
    _settle_inertia(base, model)
    turn_base(base, axes, origin)
    after = compile_spec(spec, place=place)
    if not base.explicitinertial:
        return after
    was, now = model.body(base.name), after.body(base.name)
    wanted, turn = axes.T @ was.ipos - origin, axes.T @ to_matrix(was.iquat)
    tensor, near = turn @ np.diag(was.inertia) @ turn.T, _NEAR * float(was.inertia.max())
    if np.allclose(wanted, now.ipos, atol=_NEAR) and np.allclose(tensor, _tensor(now), atol=near):
        return after
    # An inertial at the origin is where its frames are.
    base.fullinertia = [np.nan] * 6
    base.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    base.inertia, base.ipos, base.iquat = was.inertia, np.zeros(3), [1.0, 0.0, 0.0, 0.0]
    frame = compile_spec(spec, place=place).body(base.name)
    back = to_matrix(frame.iquat).T
    base.ipos, base.iquat = back @ (wanted - frame.ipos), from_matrix(back @ turn)
    return compile_spec(spec, place=place)


def _settle_inertia(base: Any, model: mujoco.MjModel) -> None:
    """Write the axes of a base's moments of inertia as a quaternion, which can be turned; Euler angles, an axis and an
    angle, and the like would otherwise be read again after the turn."""
    if base.ialt.type != mujoco.mjtOrientation.mjORIENTATION_QUAT:
        base.iquat = model.body(base.name).iquat
        base.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT


def _free_imu(spec: mujoco.MjSpec, base: Any, model: mujoco.MjModel) -> None:
    """Take the IMU's site out of its frames; it keeps its turn against a base that is turned."""
    for site in list(base.sites):
        if site.name == IMU and site.frame is not None:
            spec.delete(site)
            compiled = model.site(IMU)
            base.add_site(name=IMU, pos=compiled.pos, quat=compiled.quat)


def _tensor(body: Any) -> Vector:
    axes = to_matrix(body.iquat)
    return np.asarray(axes @ np.diag(body.inertia) @ axes.T)

"""Where a bare robot's IMU is: at the site of its file that is called so, or at which the file has its gyro."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from andante.robots.bare.facing import IMU

_KINDS = (mujoco.mjtSensor.mjSENS_GYRO, mujoco.mjtSensor.mjSENS_ACCELEROMETER)
"""Sensors of an IMU, the one that counts first."""
_TURNED = 1e-6
"""Part of a quaternion from which on a site is turned against its body."""


def sensed_sites(spec: Any) -> list[str]:
    """Names of the sites at which a parsed model has a gyro, then an accelerometer, each once; its sensors go later."""
    names = [each.objname for kind in _KINDS for each in spec.sensors if each.type == kind]
    return list(dict.fromkeys(filter(None, names)))


def place_imu(spec: Any, base: Any, model: mujoco.MjModel, sensed: list[str], sources: dict[str, str]) -> bool:
    """Give the base a site for its IMU where the file has none of that name; whether the file says where it is.

    It has the base's axes: what controllers read of it is how the base lies.

    Args:
        spec: The model, which is changed.
        base: The base's body.
        model: The same, compiled.
        sensed: See `sensed_sites`.
        sources: Where it is told.
    """
    if spec.site(IMU) is not None:
        return True
    places = {name: model.site(name) for name in sensed if spec.site(name) is not None}
    own = model.body(base.name).id
    found = next((name for name, site in places.items() if int(site.bodyid[0]) == own), None)
    if found is None:
        base.add_site(name=IMU, pos=[0.0, 0.0, 0.0])
        sources["imu"] = "assumption: at the origin of the base body"
        if places:
            name, site = next(iter(places.items()))
            sources["imu"] += f"; the file's gyro is at {name!r} of {model.body(int(site.bodyid[0])).name}"
        return False
    base.add_site(name=IMU, pos=np.array(places[found].pos))
    turned = bool(np.abs(places[found].quat[1:]).max() > _TURNED)
    sources["imu"] = f"at {found!r}, where the file has its gyro" + (", with the base's axes" if turned else "")
    return True

"""Files in centimetres or millimetres that do not say so: all lengths, or those of meshes alone, by a factor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import mujoco
import numpy as np

from andante.robots.parts import RobotError

_USUAL = 1.5
"""Legs, and meshes beside the joints' distances, are this long at most, or a smaller unit was meant [m, share]."""
_UNITS = {0.01: "centimetres", 0.001: "millimetres"}
"""Units that people write for metres, the largest first."""


class Sizes(NamedTuple):
    """Factors on what a file says, by which it is in metres."""

    lengths: float = 1.0
    """On all lengths, also of meshes; moments of inertia go with its square, masses and torques stay."""
    meshes: float = 1.0
    """On the vertices of meshes beside that."""

    def checked(self) -> Sizes:
        """The same.

        Raises:
            RobotError: A factor is not above zero and finite.
        """
        for name, value in self._asdict().items():
            if not 0.0 < value < math.inf:
                what = "the factor on lengths is above zero" if name == "lengths" else "that of meshes is above zero"
                raise RobotError(what, value=value, limit="0.01 for centimetres, 0.001 for millimetres")
        return self


def meant(length: float) -> tuple[float, str]:
    """The factor by which a length is as long as usual, 1 at most so, and the unit that it is of [m]."""
    found = next((each for each in _UNITS if length * each <= _USUAL), min(_UNITS))
    return found, _UNITS[found]


def resize(spec: Any, sizes: Sizes, sources: dict[str, str]) -> None:
    """Multiply the lengths in a parsed model.

    Args:
        spec: The model.
        sizes: By what.
        sources: Where it is told.
    """
    factor, told = sizes.lengths, []
    if factor != 1.0:
        told.append(f"all lengths of the file times {factor:g}, moments of inertia times {factor * factor:g}, as asked")
        _resize_all(spec, factor)
    if sizes.meshes != 1.0:
        told.append(f"those of its meshes times {sizes.meshes:g}, as asked")
    if told:
        sources["scale"] = "; ".join(told)
    for mesh in spec.meshes:
        mesh.scale = np.array(mesh.scale) * factor * sizes.meshes


def _resize_all(spec: Any, factor: float) -> None:
    bodies = list(spec.worldbody.find_all("body"))
    everything: list[Iterable[Any]] = [
        bodies,
        spec.geoms,
        spec.sites,
        spec.joints,
        spec.cameras,
        spec.lights,
        spec.frames,
    ]
    for element in (element for group in everything for element in group):
        element.pos = np.array(element.pos) * factor
    for element in (*spec.geoms, *spec.sites):
        element.size, element.fromto = np.array(element.size) * factor, np.array(element.fromto) * factor
    for body in bodies:
        body.ipos = np.array(body.ipos) * factor
        body.inertia, body.fullinertia = np.array(body.inertia) * factor**2, np.array(body.fullinertia) * factor**2
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_SLIDE:
            joint.range, joint.ref = np.array(joint.range) * factor, joint.ref * factor
    for tendon in spec.tendons:
        tendon.range, tendon.springlength = np.array(tendon.range) * factor, np.array(tendon.springlength) * factor
    for tie in spec.equalities:
        if tie.type in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
            data = np.array(tie.data)
            # Anchor, and of a weld the place of one body in the other's frame.
            data[: 3 if tie.type == mujoco.mjtEq.mjEQ_CONNECT else 6] *= factor
            tie.data = data
    for key in spec.keys:
        numbers = np.array(key.qpos)
        numbers[:3] *= factor
        key.qpos = numbers

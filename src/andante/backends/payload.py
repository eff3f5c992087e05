"""Payload: a mass that the robot carries and that neither its pack nor its planner knows of."""

from __future__ import annotations

from typing import Annotated

import mujoco
from pydantic import Field

from andante.backends.config_parts import Vector3
from andante.documents.part import Part
from andante.documents.quantities import Length, Positive

PAYLOAD = "andante_payload"
"""Name of the body that is added."""


class Payload(Part):
    """A solid cube fixed to the robot's base; it touches nothing."""

    mass: Positive
    """Mass [kg]."""
    place: Vector3 = (0.0, 0.0, 0.0)
    """Its centre in the base's frame [m]."""
    side: Annotated[Length, Field(gt=0.0)] = 0.05
    """Length of its sides, which decides its inertia [m]."""


def add_payload(base: mujoco.MjsBody, payload: Payload) -> None:
    """Fix a payload to the base of a robot."""
    moment = payload.mass * payload.side**2 / 6.0
    base.add_body(
        name=PAYLOAD,
        pos=payload.place,
        ipos=[0.0, 0.0, 0.0],
        iquat=[1.0, 0.0, 0.0, 0.0],
        mass=payload.mass,
        inertia=[moment, moment, moment],
        explicitinertial=True,
    )

"""In what rcsssmj moves a robot otherwise than Andante, each thing by a name."""

from __future__ import annotations

from typing import Literal, get_args

Part = Literal[
    "step",
    "integrator",
    "cone",
    "contacts",
    "friction",
    "speeds",
    "targets",
    "limits",
    "inertias",
    "delay",
    "age",
    "digits",
]
"""One thing in which rcsssmj moves a robot otherwise."""
PARTS: tuple[Part, ...] = get_args(Part)
"""All of them."""
WHAT: dict[Part, str] = {
    "step": "physics steps of 5 ms",
    "integrator": "Euler",
    "cone": "a pyramid as friction cone, friction as soft as the normal force",
    "contacts": "contacts as soft as the robot's file says",
    "friction": "a floor of friction 1",
    "speeds": "motors that lose no torque with speed",
    "targets": "motors whose targets jump",
    "limits": "torque limits of the robot's file",
    "inertias": "rotor inertias of the robot's file",
    "delay": "one cycle of delay",
    "age": "sensors that are one physics step old",
    "digits": "sensors that are cut off",
}
"""What each is, in a few words."""

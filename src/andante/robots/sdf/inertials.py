"""Masses and moments of inertia of an SDF's links, those that SDF gives a link that says none included."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from andante.robots.parts import RobotError
from andante.robots.sdf.elements import number
from andante.robots.sdf.tally import Tally

_MOMENTS = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
"""What SDF takes for what a link does not say [kg m^2]."""
_USUAL_MASS = 1.0
"""The same for its mass [kg]."""


def urdf_inertial(link: Element, place: str, left_out: Tally) -> tuple[Element, bool]:
    """The inertial of a link as URDF has it, without its origin.

    Args:
        link: SDF's ``<link>``.
        place: Where it stands, for messages.
        left_out: What is left out is put down here.

    Returns:
        The element, and whether a number of it is SDF's usual one.

    Raises:
        RobotError: A number is wrong, or the file leaves all of it to be worked out from densities.
    """
    inertial, made = link.find("inertial"), Element("inertial")
    place = f"{place}: inertial"
    if inertial is not None:
        if (inertial.get("auto") or "").strip().lower() in ("true", "1"):
            remedy = "give mass and inertia, as gz sdf --inertial-stats FILE tells them"
            raise RobotError("inertials from densities (auto) are not read", place=place, remedy=remedy)
        left_out.rest(inertial, ("mass", "pose", "inertia"))
    inertia = None if inertial is None else inertial.find("inertia")
    numbers = {name: number(inertia, name, place, missing=usual) for name, usual in _MOMENTS.items()}
    mass = number(inertial, "mass", place, missing=_USUAL_MASS)
    if mass <= 0.0:
        raise RobotError("is not above 0", place=f"{place}: mass", value=mass)
    SubElement(made, "mass", value=repr(mass))
    SubElement(made, "inertia", {name: repr(value) for name, value in numbers.items()})
    said = [None if inertial is None else inertial.find("mass")]
    said += [None if inertia is None else inertia.find(name) for name in ("ixx", "iyy", "izz")]
    return made, None in said

"""DrakeSettings: how Drake solves contacts and motors."""

from __future__ import annotations

from typing import Literal

from andante.documents.part import Part
from andante.documents.quantities import PositiveLength


class DrakeSettings(Part):
    """How Drake solves contacts and motors; judges are tried with the defaults, the others explain differences."""

    contact: Literal["lagged", "similar", "sap"] = "lagged"
    """How contacts are solved. ``lagged``: Coulomb's law with the normal force of the step before. ``similar`` and
    ``sap``: convex, kin of MuJoCo's; they brake what slides by 3 % too much on a slope (Drake 1.51)."""
    sink: PositiveLength = 1e-4
    """How deep a quarter of the robot's weight presses one point into the ground [m]."""
    implicit_damping: bool = False
    """Whether motors keep the damping that Drake's implicit control adds, gain times step; MuJoCo's have none of it."""

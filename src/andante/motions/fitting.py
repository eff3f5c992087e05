"""The part of a library that a robot can play: what one motion lacks does not forbid the others."""

from __future__ import annotations

from collections.abc import Sequence

from andante.motions.checks.needs import NEEDS
from andante.motions.checks.references import RULE
from andante.motions.checks.run import check_library
from andante.motions.library import MotionLibrary
from andante.motions.reached import reached, reaching
from andante.robots.robot import Robot


def fitting(library: MotionLibrary, robot: Robot, wanted: Sequence[str]) -> MotionLibrary:
    """A library without the motions that name or reach something that is not there, but for the wanted ones.

    Args:
        library: The library, for this robot.
        robot: The robot.
        wanted: Motions that stay, so that whoever plays them is told what they lack.
    """
    if library.robot != robot.name:
        return library
    found = check_library(library, robot, rules=[RULE, NEEDS])
    places = {finding.place for finding in found if finding.severity == "error"}
    if not places:
        return library
    lost = set(reaching(library, places)) - reached(library, wanted).motions
    motions = {name: motion for name, motion in library.motions.items() if name not in lost}
    used = reached(library.but(motions=motions), motions)
    blocks = {name: block for name, block in library.blocks.items() if name in used.blocks}
    return library.but(motions=motions, blocks=blocks)

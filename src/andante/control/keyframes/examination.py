"""What a library that compiles may still do wrong: run in circles for ever, or mean its ranges the other way round."""

from __future__ import annotations

from andante.control.controller import ControlError
from andante.motions.checks.context import Context
from andante.motions.checks.contradictions import check_ranges
from andante.motions.checks.structure import check_loops
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot


def examine(library: MotionLibrary, robot: Robot) -> tuple[Finding, ...]:
    """Findings that do not keep the library from running.

    Args:
        library: The motions; all names in it exist.
        robot: The robot.

    Raises:
        ControlError: Motions or blocks follow each other for ever without a condition and without time passing.
    """
    context = Context(library, robot)
    for finding in check_loops(context):
        raise ControlError(finding.message, place=finding.place, remedy="give a branch or follow-up a condition")
    return tuple(check_ranges(context))

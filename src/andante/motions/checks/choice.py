"""Checking a library by the set of rules that fits its robot."""

from __future__ import annotations

from collections.abc import Sequence

from andante.documents.typed import changed_by
from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.checks.aibo.run import check_aibo
from andante.motions.checks.context import CheckSettings
from andante.motions.checks.run import check_library
from andante.motions.errors import MotionError
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot

RULES = ("auto", "library", "aibo")
"""Sets of rules; auto takes a small robot's design rules where the robot is an OPEN-R one that walks."""


def rules_for(robot: Robot, rules: str = "auto") -> str:
    """The set of rules, library or aibo, that a word means for a robot.

    Raises:
        MotionError: There are no such rules.
    """
    if rules not in RULES:
        raise MotionError("there are no such rules", value=rules, legal=RULES)
    if rules != "auto":
        return rules
    return "aibo" if robot.openr and "walk" in robot.postures else "library"


def check(
    library: MotionLibrary,
    robot: Robot | str | None = None,
    *,
    rules: str = "auto",
    changes: Sequence[str] = (),
) -> list[Finding]:
    """Examine a motion library: limits, speeds, self-collision, balance, reachability, contradictions.

    Args:
        library: The motions.
        robot: The robot that is to run them, or its name or file; None: the one that the library names.
        rules: Set of rules: ``library``, ``aibo`` (a small robot's design rules), or ``auto``.
        changes: Other thresholds of the rules, as NAME=VALUE (``end_pass=8deg``).

    Returns:
        The findings, errors first.

    Raises:
        AndanteError: There is no such robot, set of rules or threshold, or the robot lacks the start posture.
    """
    model = robot if isinstance(robot, Robot) else Robot.load(robot or library.robot)
    if robot is None and library.robot != model.name:
        # The library gives the path of its robot's file.
        library = library.but(robot=model.name)
    if rules_for(model, rules) == "aibo":
        return check_aibo(library, model, changed_by(AiboRules(), changes, "--rule"))
    return check_library(library, model, settings=changed_by(CheckSettings(), changes, "--rule"))

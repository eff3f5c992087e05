"""Checks beside the server: in a process of their own, so that neither pages nor runs wait for them."""

from __future__ import annotations

from typing import Any

from andante.motions.checks import check_library
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.library_robot import by_name
from andante.studio.view import finding_view

MOST = 400
"""Most findings that a page is shown; the others are counted."""


def findings_of(library: MotionLibrary, robot: str) -> dict[str, Any]:
    """What `andante check` says of a library: findings, errors first, and how many there are.

    Raises:
        AndanteError: The robot is unknown.
    """
    model = Robot.load(robot)
    library = by_name(library, model)
    if model.openr and "walk" in model.postures:
        from andante.motions.checks.aibo import AiboRules, check_aibo

        found = check_aibo(library, model, AiboRules())
    else:
        found = check_library(library, model)
    return {"findings": [finding_view(finding) for finding in found[:MOST]], "count": len(found)}


def proof_of(library: MotionLibrary, robot: str, motion: str, seeds: int) -> dict[str, Any]:
    """What `andante check --physics` says of one motion.

    Raises:
        AndanteError: The motion cannot be run.
    """
    from andante.runs.physics_check import PhysicsRules, check_physics

    rules = PhysicsRules(seeds=tuple(range(seeds)))
    model = Robot.load(robot)
    found = check_physics(by_name(library, model), model, rules, [motion])
    return {"motion": motion, "seeds": seeds, "findings": [finding_view(finding) for finding in found]}

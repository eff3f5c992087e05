"""All design rules on one library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from andante.motions.checks import bodies, needs, rates, references, targets
from andante.motions.checks.aibo import ends, joints
from andante.motions.checks.aibo.context import AiboContext
from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.checks.run import CHECKS, check_library, chosen_rules
from andante.motions.findings import Finding, by_severity
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot

AiboCheck = Callable[[AiboContext], Iterator[Finding]]

AIBO_CHECKS: Mapping[str, AiboCheck] = {
    ends.ENDS: ends.check_ends,
    ends.DURATION: ends.check_duration,
    ends.CAMERA: ends.check_camera,
    ends.COMPLETE: ends.check_complete,
    ends.PERIOD: ends.check_period,
    joints.LIMIT: joints.check_limits,
    targets.COUPLING: joints.check_couplings,
    rates.SPEED: joints.check_speed,
    rates.JUMP: joints.check_jumps,
    rates.ACCELERATION: joints.check_acceleration,
    joints.DISTANCE: joints.check_distance,
    bodies.COLLISION: joints.check_collision,
    bodies.BALANCE: joints.check_balance,
}
"""All design rules by name, in the order in which they run. What needs physics: `andante.runs.checks.physics_check`."""
_DOCUMENT = (
    needs.NEEDS,
    "duplicate",
    "contradiction",
    "inverted-range",
    "empty",
    "unreachable",
    "endless-loop",
    "mirror",
)
"""Checks of the document itself, which hold for every robot."""


def check_aibo(
    library: MotionLibrary, robot: Robot, rules: AiboRules | None = None, only: Iterable[str] | None = None
) -> list[Finding]:
    """Examine a library by the design rules.

    Args:
        library: The motions.
        robot: The robot that is to run them.
        rules: Thresholds.
        only: Names of rules (keys of `AIBO_CHECKS`); None: all, and what is asked of the document of every robot.

    Returns:
        The findings, errors first, then in the order of the rules.

    Raises:
        MotionError: An unknown rule.
        RobotError: The robot lacks the reference posture.
    """
    chosen = chosen_rules(AIBO_CHECKS, only, "design rule")
    context = AiboContext(library, robot, rules or AiboRules())
    broken = check_library(library, robot, rules=[references.RULE, targets.UNITS, needs.LIMBS])
    if any(finding.severity == "error" for finding in broken):
        return broken
    if only is None:
        broken = broken + check_library(library, robot, rules=(*_DOCUMENT, *CHECKS.plugged))
    findings = [finding for name in chosen for finding in AIBO_CHECKS[name](context)]
    return by_severity(broken + findings + context.refused)

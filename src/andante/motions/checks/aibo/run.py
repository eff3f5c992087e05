"""All design rules on one library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from andante.motions.checks.aibo.bodies import BALANCE, COLLISION, check_balance, check_collision
from andante.motions.checks.aibo.context import AiboContext
from andante.motions.checks.aibo.ends import (
    CAMERA,
    COMPLETE,
    DURATION,
    ENDS,
    PERIOD,
    check_camera,
    check_complete,
    check_duration,
    check_ends,
    check_period,
)
from andante.motions.checks.aibo.joints import (
    ACCELERATION,
    COUPLING,
    DISTANCE,
    JUMP,
    LIMIT,
    SPEED,
    check_acceleration,
    check_couplings,
    check_distance,
    check_jumps,
    check_limits,
    check_speed,
)
from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.checks.needs import LIMBS, NEEDS
from andante.motions.checks.references import RULE as REFERENCE
from andante.motions.checks.run import check_library
from andante.motions.checks.structure import EMPTY, LOOP, UNREACHABLE
from andante.motions.checks.units import UNITS
from andante.motions.errors import MotionError
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot

AiboCheck = Callable[[AiboContext], Iterator[Finding]]

AIBO_CHECKS: Mapping[str, AiboCheck] = MappingProxyType(
    {
        ENDS: check_ends,
        DURATION: check_duration,
        CAMERA: check_camera,
        COMPLETE: check_complete,
        PERIOD: check_period,
        LIMIT: check_limits,
        COUPLING: check_couplings,
        SPEED: check_speed,
        JUMP: check_jumps,
        ACCELERATION: check_acceleration,
        DISTANCE: check_distance,
        COLLISION: check_collision,
        BALANCE: check_balance,
    }
)
"""All design rules by name, in the order in which they run. What needs physics is in `andante.runs.physics_check`."""
_DOCUMENT = (NEEDS, "duplicate", "contradiction", "inverted-range", EMPTY, UNREACHABLE, LOOP)
"""Checks of the document itself, which hold for every robot."""
_ORDER = {"error": 0, "warning": 1, "info": 2}


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
    chosen = list(AIBO_CHECKS) if only is None else list(dict.fromkeys(only))
    for name in chosen:
        if name not in AIBO_CHECKS:
            raise MotionError("there is no such design rule", value=name, legal=AIBO_CHECKS)
    context = AiboContext(library, robot, rules or AiboRules())
    broken = check_library(library, robot, rules=[REFERENCE, UNITS, LIMBS])
    if any(finding.severity == "error" for finding in broken):
        return broken
    if only is None:
        broken = broken + check_library(library, robot, rules=_DOCUMENT)
    findings = [finding for name in chosen for finding in AIBO_CHECKS[name](context)]
    return sorted(broken + findings + context.refused, key=lambda finding: _ORDER[finding.severity])

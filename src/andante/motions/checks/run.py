"""All checks on one library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from andante.motions.checks.bodies import BALANCE, COLLISION, check_self_collision, check_static_balance
from andante.motions.checks.context import CheckSettings, Context
from andante.motions.checks.contradictions import check_conditions, check_duplicates, check_ranges
from andante.motions.checks.limits import COUPLING, LIMITS, check_couplings, check_limits
from andante.motions.checks.needs import LIMBS, NEEDS, check_limbs, check_needs
from andante.motions.checks.rates import ACCELERATION, JUMP, SPEED, check_acceleration, check_jumps, check_speed
from andante.motions.checks.references import RULE as REFERENCE
from andante.motions.checks.references import check_references
from andante.motions.checks.structure import EMPTY, LOOP, UNREACHABLE, check_empty, check_loops, check_reachability
from andante.motions.checks.units import UNITS, check_units
from andante.motions.errors import MotionError
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot

Check = Callable[[Context], Iterator[Finding]]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        REFERENCE: check_references,
        NEEDS: check_needs,
        LIMBS: check_limbs,
        UNITS: check_units,
        LIMITS: check_limits,
        COUPLING: check_couplings,
        "duplicate": check_duplicates,
        "contradiction": check_conditions,
        "inverted-range": check_ranges,
        EMPTY: check_empty,
        UNREACHABLE: check_reachability,
        LOOP: check_loops,
        SPEED: check_speed,
        ACCELERATION: check_acceleration,
        JUMP: check_jumps,
        COLLISION: check_self_collision,
        BALANCE: check_static_balance,
    }
)
"""All checks by name, in the order in which they run; `check_duplicates` also finds entries that cancel out."""

_SAMPLING = frozenset((SPEED, ACCELERATION, JUMP, COLLISION, BALANCE))
_ORDER = {"error": 0, "warning": 1, "info": 2}


def check_library(
    library: MotionLibrary,
    robot: Robot,
    rules: Iterable[str] | None = None,
    settings: CheckSettings | None = None,
) -> list[Finding]:
    """Examine a motion library.

    Args:
        library: The motions.
        robot: The robot that is to run them.
        rules: Names of the checks to run (keys of `CHECKS`); None: all.
        settings: Assumptions and tolerances.

    Returns:
        The findings, errors first, then in the order of the checks.

    Raises:
        MotionError: An unknown check.
        RobotError: The robot lacks the start posture of the settings.
    """
    chosen = list(CHECKS) if rules is None else list(dict.fromkeys(rules))
    for name in chosen:
        if name not in CHECKS:
            raise MotionError("there is no such check", value=name, legal=CHECKS)
    context = Context(library, robot, settings or CheckSettings())
    findings = [finding for name in chosen for finding in CHECKS[name](context)]
    if _SAMPLING.intersection(chosen):
        findings += context.unsampled()
    return sorted(findings, key=lambda finding: _ORDER[finding.severity])

"""All checks on one library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from andante.motions.checks import bodies, contradictions, mirror, needs, rates, references, structure, targets
from andante.motions.checks.context import CheckSettings, Context
from andante.motions.errors import MotionError
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot

Check = Callable[[Context], Iterator[Finding]]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        references.RULE: references.check_references,
        needs.NEEDS: needs.check_needs,
        needs.LIMBS: needs.check_limbs,
        targets.UNITS: targets.check_units,
        targets.LIMITS: targets.check_limits,
        targets.COUPLING: targets.check_couplings,
        contradictions.DUPLICATE: contradictions.check_duplicates,
        contradictions.CONTRADICTION: contradictions.check_conditions,
        contradictions.INVERTED: contradictions.check_ranges,
        structure.EMPTY: structure.check_empty,
        structure.UNREACHABLE: structure.check_reachability,
        structure.LOOP: structure.check_loops,
        rates.SPEED: rates.check_speed,
        rates.ACCELERATION: rates.check_acceleration,
        rates.JUMP: rates.check_jumps,
        mirror.MIRROR: mirror.check_mirror,
        bodies.COLLISION: bodies.check_self_collision,
        bodies.BALANCE: bodies.check_static_balance,
    }
)
"""All checks by name, in the order in which they run; `check_duplicates` also finds entries that cancel out."""

_SAMPLING = frozenset((rates.SPEED, rates.ACCELERATION, rates.JUMP, bodies.COLLISION, bodies.BALANCE))
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
    chosen = chosen_rules(CHECKS, rules, "check")
    context = Context(library, robot, settings or CheckSettings())
    findings = [finding for name in chosen for finding in CHECKS[name](context)]
    if _SAMPLING.intersection(chosen):
        findings += context.unsampled()
    return by_severity(findings)


def chosen_rules(known: Iterable[str], names: Iterable[str] | None, what: str) -> list[str]:
    """Names of rules, each once; None: all that are known.

    Raises:
        MotionError: One is not known.
    """
    chosen = list(dict.fromkeys(known if names is None else names))
    for name in chosen:
        if name not in known:
            raise MotionError(f"there is no such {what}", value=name, legal=known)
    return chosen


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, errors first."""
    return sorted(findings, key=lambda finding: _ORDER[finding.severity])

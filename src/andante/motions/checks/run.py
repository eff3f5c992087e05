"""All checks on one library."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from andante.motions.checks import bodies, contradictions, mirror, needs, rates, references, structure, targets
from andante.motions.checks.context import CheckContext, CheckSettings
from andante.motions.errors import MotionError
from andante.motions.findings import SEVERITIES, Finding, by_severity
from andante.motions.library import MotionLibrary
from andante.plugins.errors import PluginError
from andante.plugins.register import SHIPPED, Register
from andante.robots.robot import Robot

Check = Callable[[CheckContext], Iterable[Finding]]
"""Looks at a library beside its robot and tells what it finds; the first line of its docstring says what that is."""


def check_function(thing: object) -> Check:
    """A check.

    Raises:
        MotionError: It cannot be called.
    """
    if not callable(thing) or isinstance(thing, type):
        raise MotionError("a check is a function of a CheckContext", value=type(thing).__name__)
    return thing


CHECKS: Register[Check] = Register(
    "checks",
    "check",
    check_function,
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
    },
    MotionError,
)
"""All checks by name, in the order in which they run; `check_duplicates` also finds entries that cancel out. A package
brings one by an entry point in ``andante.checks``."""

_SAMPLING = frozenset((rates.SPEED, rates.ACCELERATION, rates.JUMP, bodies.COLLISION, bodies.BALANCE))


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
        rules: Names of the checks to run (names in `CHECKS`); None: all.
        settings: Assumptions and tolerances.

    Returns:
        The findings, errors first, then in the order of the checks.

    Raises:
        MotionError: An unknown check.
        RobotError: The robot lacks the start posture of the settings.
    """
    chosen = chosen_rules(CHECKS, rules, "check")
    context = CheckContext(library, robot, settings or CheckSettings())
    findings = [finding for name in chosen for finding in _found(name, context)]
    if _SAMPLING.intersection(chosen):
        findings += context.unsampled()
    return by_severity(findings)


def _found(name: str, context: CheckContext) -> list[Finding]:
    """What a check finds; one of another package that cannot be used or raises is itself a finding."""
    try:
        with CHECKS.blame(name, refusals=True):
            check = CHECKS[name]
            if CHECKS.source(name) == SHIPPED:
                return list(check(context))
            # One that changes what it looks at changes a library of its own: others judge and write this one.
            own = CheckContext(context.library.model_copy(deep=True), context.robot, context.settings)
            found = list(check(own))
            for each in found:
                _look_at(each)
    except PluginError as error:
        return [Finding(name, "warning", "robot", f"not checked, as the check cannot be used: {error}")]
    return found


def _look_at(found: object) -> None:
    """Refuse what is no finding, or one that nobody could sort, print or write down."""
    if not isinstance(found, Finding):
        raise TypeError(f"it finds a {type(found).__name__}, no Finding")
    if found.severity not in SEVERITIES:
        raise ValueError(f"its finding has the severity {found.severity!r}, not one of {', '.join(SEVERITIES)}")
    for name in ("rule", "place", "message"):
        if not isinstance(getattr(found, name), str):
            raise TypeError(f"the {name} of its finding is no text")
    for name in ("time", "value", "limit"):
        number = getattr(found, name)
        # A finding may have no number, and a value and limit may be names.
        if number is not None and not isinstance(number, str) and not math.isfinite(number):
            raise ValueError(f"the {name} of its finding is {number}, no finite number")


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

"""Finding: one thing that a check has to say about a motion library; and many of them in few lines."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True)
class Finding:
    """What is wrong, where, when, and by how much."""

    rule: str
    """Name of the rule."""
    severity: Severity
    """error: cannot be executed as written; warning: probably not meant; info: worth knowing."""
    place: str
    """Field in the document: ``blocks.frontUpright.keyframes[2].compensation[0]``."""
    message: str
    """One sentence for people, with values in degrees, milliseconds and millimetres."""
    joint: str | None = None
    """Joint concerned."""
    time: float | None = None
    """Time in the motion [s]."""
    value: float | str | None = None
    """Value met, SI units, or the name met."""
    limit: float | str | None = None
    """Limit that it had to obey, SI units, or the legal name nearest to the value."""
    motion: str | None = None
    """Motion in which it was found."""

    @property
    def excess(self) -> float:
        """How far the value is from its limit, as share of the limit; infinite where that is not a matter of degree."""
        if isinstance(self.value, str | None) or isinstance(self.limit, str | None) or self.limit == 0.0:
            return math.inf
        return abs(self.value - self.limit) / abs(self.limit)

    def as_dict(self) -> dict[str, Any]:
        """All fields as plain data."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"<Finding {self}>"

    def __str__(self) -> str:
        when = "" if self.time is None else f" at {self.time * 1e3:.0f} ms"
        within = "" if self.motion is None else f" (motion {self.motion}{when})"
        return f"{self.severity}: {self.place}: {self.message}{within} [{self.rule}]"


_SHOWN = {"error": 10, "warning": 3, "info": 3}
"""So many findings of a rule are shown, the worst ones."""


def summary(findings: Iterable[Finding], tolerance: float) -> list[str]:
    """Lines for people: by severity and rule, the worst findings first, then how many more there are.

    Args:
        findings: The findings.
        tolerance: Warnings and notes whose `Finding.excess` is not above this are counted and not shown.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.severity, finding.rule), []).append(finding)
    lines: list[str] = []
    for severity in ("error", "warning", "info"):
        ranked = [
            (rule, sorted(group, key=lambda finding: -finding.excess))
            for (its, rule), group in groups.items()
            if its == severity
        ]
        for rule, group in sorted(ranked, key=lambda entry: -entry[1][0].excess):
            large = [finding for finding in group if severity == "error" or finding.excess > tolerance]
            lines += map(str, large[: _SHOWN[severity]])
            more, small = len(large[_SHOWN[severity] :]), len(group) - len(large)
            told = [f"{more} more"] * (more > 0) + [f"{small} within {tolerance:.3g} of the limit"] * (small > 0)
            if told:
                lines.append(f"{severity}: {' and '.join(told)}, {len(group)} in all [{rule}]")
    return lines

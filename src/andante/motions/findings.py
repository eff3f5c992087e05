"""Finding: one thing that a check has to say about a motion library."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""All of them, the worst first."""


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
        if not isinstance(self.value, (int, float)) or not isinstance(self.limit, (int, float)) or self.limit == 0.0:
            return math.inf
        return abs(self.value - self.limit) / abs(self.limit)

    def as_dict(self) -> dict[str, Any]:
        """All fields as plain data."""
        # All values are plain; `asdict` would copy each of them.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self) -> str:
        return f"<Finding {self}>"

    def __str__(self) -> str:
        when = "" if self.time is None else f" at {self.time * 1e3:.0f} ms"
        within = "" if self.motion is None else f" (motion {self.motion}{when})"
        return f"{self.severity}: {self.place}: {self.message}{within} [{self.rule}]"


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, errors first."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


@dataclass(frozen=True)
class Played:
    """What the motion of a finding does in physics."""

    motion: str
    """The motion."""
    runs: int
    """Runs, each of another seed, the same ones on both sides."""
    stood: int
    """How many of them ended without a fall, as the motion is."""
    mended: int | None
    """How many did with the defect mended; None: no mend is known."""

    @property
    def difference(self) -> float | None:
        """Share of the runs that the mend changes the end of, below zero for the worse; None: no mend is known."""
        return None if self.mended is None else (self.mended - self.stood) / self.runs

    def __str__(self) -> str:
        plain = f"in physics motion {self.motion} is played without a fall in {self.stood} of {self.runs} runs"
        return plain if self.mended is None else f"{plain}, mended in {self.mended} of {self.runs}"

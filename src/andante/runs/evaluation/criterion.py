"""Criterion: one thing that was asked of a run, beside what came of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Criterion:
    """One thing that was asked, beside what was reached; a verdict is a list of them."""

    name: str
    """What is looked at: ``speed``, ``touches``, ``posture at the end``."""
    passed: bool
    """Whether what was reached is what was asked."""
    text: str
    """Both as a sentence for people."""
    asked: float | str = ""
    """What was asked: a number in ``unit``, or words."""
    reached: float | str = ""
    """What came of it, likewise."""
    unit: str = ""
    """Unit of both where they are numbers; empty: none."""

    def data(self) -> dict[str, Any]:
        """The criterion as plain data for JSON."""
        return asdict(self)

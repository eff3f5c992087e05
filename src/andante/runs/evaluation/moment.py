"""Moment: something of a run that is worth telling."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Moment:
    """Something worth telling."""

    time: float
    """When [s]."""
    text: str
    """What."""

    def __str__(self) -> str:
        return f"{self.time:6.2f} s  {self.text}"

"""EndPosture: how a robot shall be at the end of a run."""

from __future__ import annotations

from dataclasses import dataclass

from andante.motions.library import PostureKind
from andante.runs.evaluation.standing import Upright


@dataclass(frozen=True)
class EndPosture:
    """How a robot shall be at the end."""

    kind: PostureKind
    """It stands, sits or lies."""
    rule: Upright | None = None
    """What counts as standing; None: what the scenario says."""
    most_speed: float | None = None
    """Largest mean speed of its base along the ground meanwhile; None: any [m/s]."""

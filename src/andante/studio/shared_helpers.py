"""Helpers: the processes that all documents of a studio share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from andante.studio.dragging import Moves
from andante.studio.processes import Helper, TalkingProcess


@dataclass(frozen=True)
class Helpers:
    """The processes that all documents share."""

    checks: Helper
    """Checks documents."""
    proofs: Helper
    """Proves motions in physics, and kicks in lessons."""
    reading: Helper
    """Reads what is large or comes from foreign files."""
    trials: tuple[Helper, ...]
    """Try motions after edits."""
    moves: Moves
    """Solves what is dragged."""
    talking: Callable[..., TalkingProcess] = TalkingProcess
    """Makes the process of a document that runs something."""

    def end(self) -> None:
        """End all."""
        self.moves.end()
        for helper in (self.checks, self.proofs, self.reading, *self.trials):
            helper.end()

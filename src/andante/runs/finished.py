"""FinishedRun: a run that is over, with everything by which it is measured, judged, told and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from andante.runs.balance import FootTrack, balance_of, foot_tracks
from andante.runs.build import Parts
from andante.runs.log import ChannelRows, Log
from andante.runs.outcome import Outcome
from andante.runs.scenario import Scenario
from andante.runs.walk.goal import Course


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A run that is over."""

    scenario: Scenario
    """What was run."""
    parts: Parts
    """What it was run with."""
    log: Log
    """What was recorded."""
    outcome: Outcome
    """What the session told."""

    @cached_property
    def course(self) -> Course | None:
        """What a walk was asked for, and on which terrain; None: no walk was asked for."""
        return self.scenario.course()

    @cached_property
    def truth(self) -> ChannelRows | None:
        """Ground truth; None where there is none, or no row of it."""
        truth = self.log.channels.get("truth")
        return truth if truth is not None and len(truth.rows) else None

    @cached_property
    def tracks(self) -> list[FootTrack]:
        """Where each foot was, and what it carried, at each row of the ground truth.

        Raises:
            LogError: There is no ground truth.
        """
        truth = self.log.rows("truth")
        return foot_tracks(truth, self.parts.robot, self.parts.model, np.arange(len(truth.rows)))

    @cached_property
    def balance(self) -> tuple[float, ChannelRows] | None:
        """Slip [m] and balance over time; None without feet or ground truth."""
        if self.truth is None or not self.parts.robot.feet:
            return None
        return balance_of(self.truth, self.parts.robot, self.tracks, threshold=self.parts.threshold)

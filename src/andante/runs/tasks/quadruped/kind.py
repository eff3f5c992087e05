"""QuadrupedPictures: forces, steps, speeds and plans of a dynamic quadruped's run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from andante.runs.loop.tick import Observer
from andante.runs.tasks.kind import TaskKind
from andante.runs.tasks.quadruped.picture_files import FILES

if TYPE_CHECKING:
    from andante.runs.build import Parts
    from andante.runs.evaluation.finished import FinishedRun
    from andante.runs.evaluation.metrics import Metrics
    from andante.runs.scenario import Scenario


_CONTROL = "andante.runs.controls.quadruped"
"""Where the controllers are written that are of this kind; other runs are spared its import."""


class QuadrupedPictures(TaskKind):
    """What the run of a dynamic quadruped shows beside what it is asked."""

    files: ClassVar[tuple[str, ...]] = FILES

    type: Literal["quadruped"] = "quadruped"
    """Kind of task."""

    @classmethod
    def found_in(cls, scenario: Scenario) -> Self | None:
        """Found where the controller is a dynamic quadruped's."""
        return cls() if any(each.__module__ == _CONTROL for each in type(scenario.controller).__mro__) else None

    def keepers(self, scenario: Scenario, parts: Parts) -> Sequence[Observer]:
        """Who keeps the plans."""
        from andante.runs.tasks.quadruped.report_pictures import keeper_of

        keeper = keeper_of(scenario, parts)
        return () if keeper is None else (keeper,)

    def pictures(self, run: FinishedRun, folder: Path, metrics: Metrics) -> Mapping[str, Path]:
        """Forces, steps, speeds; with plans that were kept, one of them and the solver's work."""
        from andante.runs.tasks.quadruped.report_pictures import draw_quadruped
        from andante.runs.tasks.quadruped.trace import PlanKeeper

        keeper = next((each for each in run.kept.get(self.type, ()) if isinstance(each, PlanKeeper)), None)
        return {} if keeper is None else draw_quadruped(run, folder, metrics, keeper)

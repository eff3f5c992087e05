"""TaskKind: what one kind of run adds to all others: who watches, what is measured, asked, told and drawn.

One folder of this one per kind, one line in `andante.runs.tasks.registry`; an installed package brings one by an entry
point in the group ``andante.tasks``. Several kinds may apply to one run: a motion is played, and there is a ball.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias

from andante.documents.settings import Settings
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.end_posture import EndPosture
from andante.runs.evaluation.moment import Moment
from andante.runs.loop.tick import Observer

# The four are `andante.runs`' own; their modules know tasks, and no module imports itself through others.
Scenario: TypeAlias = Any
Parts: TypeAlias = Any
FinishedRun: TypeAlias = Any
Metrics: TypeAlias = Any


class TaskKind(Settings, ABC):
    """A kind of task; its field ``type`` is the `Literal` of its name, its other fields are what a scenario may say.

    Does nothing by itself: override what is of interest. What an installed kind raises, or a metric that is NaN, fails
    the run's verdict by one criterion that names the kind; log and all other numbers are kept.
    """

    place: ClassVar[str] = "tasks"
    files: ClassVar[tuple[str, ...]] = ()
    """Names of the files that `pictures` may write; those of an earlier run are removed before a run begins."""
    after: ClassVar[str] = ""
    """Metric after which its own stand in ``metrics.json``; empty: at the end."""
    units: ClassVar[Mapping[str, str]] = {}
    """Units by regular expression of its metrics' names (``deg`` for angles that are measured in rad)."""
    block: ClassVar[Any] = None
    """Class of its block of metrics where that is a dataclass, by which names of metrics are checked before a run."""
    around_zero: ClassVar[tuple[str, ...]] = ()
    """Its metrics that lie around zero, so that a change says nothing as a share."""
    by_clock: ClassVar[tuple[str, ...]] = ()
    """Its metrics that the computer's clock decides, so that the same run has others each time."""

    type: str
    """Kind of task."""

    @classmethod
    def found_in(cls, scenario: Scenario) -> Self | None:
        """The task of a scenario that does not name it; None: it is none of this kind.

        Only kinds of Andante and of a running program are asked; an installed one is named under ``tasks``.
        """
        return None

    @classmethod
    def names(cls) -> Mapping[str, Any]:
        """Names that `entries` may have, with the class of what stands there; None where nothing is known of it."""
        return {str(cls.model_fields["type"].default): cls.block} if cls.block is not None else {}

    def observers(self, scenario: Scenario, parts: Parts) -> Sequence[Observer]:
        """Who looks at every tick of every session of the scenario, and may end it."""
        return ()

    def keepers(self, scenario: Scenario, parts: Parts) -> Sequence[Observer]:
        """Who keeps what pictures need and no log has; only where a report is asked for. See `FinishedRun.kept`."""
        return ()

    def notes(self, scenario: Scenario, parts: Parts) -> Sequence[str]:
        """What a reader of the result should know beforehand."""
        return ()

    def hint(self, scenario: Scenario) -> str:
        """What a person may have forgotten in the scenario; empty where nothing looks so."""
        return ""

    def measure(self, run: FinishedRun) -> Any:
        """Its own block of the metrics: a frozen dataclass or a mapping; None where nothing can be measured.

        Without ground truth (`FinishedRun.truth` is None) only the log tells.
        """
        return None

    def entries(self, block: Any) -> Mapping[str, Any]:
        """How its block stands in ``metrics.json``, as plain data; one field of the kind's name by default."""
        return {} if block is None else {self.type: plain(block)}

    def numbers(self, block: Any) -> Mapping[str, Any]:
        """Its metrics one by one, for tables, beside those that stand among `entries` already."""
        entry = self.entries(block).get(self.type)
        return {f"{self.type}.{name}": value for name, value in entry.items()} if isinstance(entry, Mapping) else {}

    def cards(self, block: Any) -> Sequence[tuple[str, str]]:
        """What the report shows first: names and values in words."""
        return ()

    def brings_down(self, run: FinishedRun) -> bool:
        """Whether the robot is brought down in a way that looks like a fall; then none is asked to be absent."""
        return False

    def end_posture(self, run: FinishedRun) -> EndPosture | None:
        """In which posture the robot shall be at the end; None: this kind does not say."""
        return None

    def criteria(self, run: FinishedRun, metrics: Metrics) -> Iterable[Criterion]:
        """What is asked beside what was reached; its own block is ``metrics.block(self.type)``."""
        return ()

    def story(self, run: FinishedRun, metrics: Metrics) -> Sequence[Moment] | None:
        """The whole story of the run in place of the one that its events tell; None: as events tell."""
        return None

    def moments(self, run: FinishedRun, metrics: Metrics) -> Iterable[Moment]:
        """What is worth telling beside that."""
        return ()

    def pictures(self, run: FinishedRun, folder: Path, metrics: Metrics) -> Mapping[str, Path]:
        """Write pictures for the report into the run's folder, by their captions; PNG files."""
        return {}


class CommonTask(TaskKind):
    """A kind that is found in every scenario, as every run says whether it has such numbers."""

    @classmethod
    def found_in(cls, scenario: Scenario) -> Self | None:
        """Found in every scenario."""
        return cls.model_validate({})


def plain(block: Any) -> Any:
    """A block of metrics as plain data."""
    return asdict(block) if is_dataclass(block) and not isinstance(block, type) else block

"""CourseTask: a walk from the start of the world's terrain to its goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.moment import Moment
from andante.runs.loop.tick import Observer
from andante.runs.tasks.kind import CommonTask, plain
from andante.runs.tasks.walk.metrics import WalkMetrics, measure_walk
from andante.runs.tasks.walk.watch import CourseWatch

if TYPE_CHECKING:
    from andante.runs.build import Parts
    from andante.runs.evaluation.finished import FinishedRun
    from andante.runs.evaluation.metrics import Metrics
    from andante.runs.scenario import Scenario

PICTURE = "walk.png"
"""Name of the picture in a run's folder."""


class CourseTask(CommonTask):
    """A walk over a terrain; what is asked of it is the scenario's ``success.walk``."""

    files: ClassVar[tuple[str, ...]] = (PICTURE,)
    by_clock: ClassVar[tuple[str, ...]] = ("walk.overtime", "walk.planning", "walk.replanning")
    block: ClassVar[Any] = WalkMetrics
    after: ClassVar[str] = "impulse"
    units: ClassVar[Mapping[str, str]] = {
        r"walk\.speed": "m/s",
        r"walk\.(time|waited|overtime|planning|replanning|brushes\..*)": "s",
        r"walk\.(slip|worst_slip|length|way|aside|worst_miss|margin)": "m",
        r"walk\.energy": "J",
    }
    around_zero: ClassVar[tuple[str, ...]] = ("walk.aside",)

    type: Literal["walk"] = "walk"
    """Kind of task."""

    def observers(self, scenario: Scenario, parts: Parts) -> Sequence[Observer]:
        """Who ends the run after the arrival, or off the course."""
        course = scenario.course()
        return () if course is None else (CourseWatch(course),)

    def measure(self, run: FinishedRun) -> WalkMetrics | None:
        """Numbers of the walk."""
        return measure_walk(run)

    def entries(self, block: WalkMetrics | None) -> Mapping[str, object]:
        """One field; null where no walk is asked for."""
        return {self.type: plain(block)}

    def numbers(self, block: WalkMetrics | None) -> Mapping[str, object]:
        """All but the footfalls."""
        found = super().numbers(block)
        return {name: value for name, value in found.items() if name != f"{self.type}.footfalls"}

    def cards(self, block: WalkMetrics | None) -> Sequence[tuple[str, str]]:
        """End, speed, way, footfalls, slip, margin, cost of transport."""
        if block is None:
            return ()
        transport = "not known" if block.transport is None else f"{block.transport:.2f}"
        return (
            ("walk", block.end),
            ("speed to the goal", f"{100.0 * block.speed:.1f} cm/s"),
            ("way", f"{block.way:.2f} of {block.length:.2f} m"),
            ("footfalls, missed", f"{block.steps}, {block.misses} of {block.planned}"),
            ("slip of all feet", f"{100.0 * block.slip:.1f} cm"),
            ("smallest margin", "not known" if block.margin is None else f"{1000.0 * block.margin:.1f} mm"),
            ("cost of transport", transport),
        )

    def criteria(self, run: FinishedRun, metrics: Metrics) -> Iterable[Criterion]:
        """It arrives, and as fast as is asked."""
        goal, walk = run.scenario.success.walk, metrics.block(self.type)
        if goal is None:
            return
        if walk is None:
            yield Criterion("walk", False, "there is no ground truth to measure the walk")
            return
        if not walk.arrived:
            yield Criterion("walk", False, f"{walk.end}: {walk.reason}" if walk.end == "void" else walk.reason)
            return
        speed = f"{100.0 * walk.speed:.1f} cm/s"
        yield Criterion("walk", True, f"arrived after {walk.time + walk.overtime:.2f} s: {walk.way:.2f} m at {speed}")
        if goal.min_speed is not None:
            text = f"walked at {speed} (limit {100.0 * goal.min_speed:.1f} cm/s)"
            yield Criterion("walk", walk.speed >= goal.min_speed, text)

    def story(self, run: FinishedRun, metrics: Metrics) -> Sequence[Moment] | None:
        """The whole story, by place and time."""
        from andante.runs.tasks.walk.story import walk_story

        walk, course = metrics.block(self.type), run.scenario.course()
        return None if walk is None or course is None else walk_story(run, course, walk)

    def pictures(self, run: FinishedRun, folder: Path, metrics: Metrics) -> Mapping[str, Path]:
        """Footfalls and the way over the terrain."""
        walk, course = metrics.block(self.type), run.scenario.course()
        if walk is None or course is None:
            return {}
        from andante.pictures.figures import save
        from andante.runs.tasks.walk.pictures import trace_of_run, walk_figure

        scenario = run.scenario
        title = f"{scenario.name}, seed {scenario.seed}: {walk.end}, {100.0 * walk.speed:.1f} cm/s"
        save(walk_figure(trace_of_run(title, run, course, walk.footfalls)), folder / PICTURE)
        return {"The walk": folder / PICTURE}

"""Running a scenario: a folder with the log, the metrics, the report and the video, and the verdict."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import mujoco
import numpy as np
import pydantic

from andante.backends.backend import Paced
from andante.documents.files import write_text
from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.plugins.answers import all_of
from andante.plugins.register import SHIPPED
from andante.robots.digest import robot_digest
from andante.robots.robot import Robot
from andante.runs.backends.registry import BACKENDS
from andante.runs.build import Parts, build
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.errors import RunError, refused
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.falls import FallWatch
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics, measure
from andante.runs.evaluation.moment import Moment
from andante.runs.evaluation.never_came import never_came
from andante.runs.evaluation.story import story_of
from andante.runs.evaluation.verdict import Verdict, judge
from andante.runs.logs.black_box import BlackBox
from andante.runs.logs.folder import claimed, claimed_fresh
from andante.runs.logs.kept_files import kept_files
from andante.runs.logs.log import Log
from andante.runs.logs.record import LOG, METRICS, ROBOT_TABLE
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.clock import Clock
from andante.runs.loop.outcome import Ending, Outcome, RunLimits
from andante.runs.loop.runner import Progress, Runner, ends_of, handling
from andante.runs.loop.tick import Observer
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import Overrides, overridden, scenario_text
from andante.runs.session import Session
from andante.runs.tasks.asking import keepers_of, observers_of, pictures_told
from andante.runs.tasks.registry import TASKS
from andante.version import __version__

REPORT, VIDEO, SCENARIO = "report.html", "video.mp4", "scenario.yaml"
"""Names of the files in a run's folder."""
_RESULTS = (METRICS, REPORT, VIDEO)
# What their packages say themselves: looking at the files that pip wrote takes 10 ms.
_VERSIONS = {"mujoco": mujoco.__version__, "numpy": np.__version__, "pydantic": pydantic.VERSION}


@dataclass(frozen=True)
class RunResult:
    """A finished run."""

    verdict: Literal["pass", "fail"]
    """pass: everything that the scenario asks holds."""
    reasons: tuple[str, ...]
    """What failed; for a pass, what was asked and held."""
    metrics: Metrics
    """The numbers."""
    folder: Path
    """Where everything was written."""
    notes: tuple[str, ...] = ()
    """What could not be made although the run itself counts (a video without a graphics library)."""

    story: tuple[Moment, ...] = ()
    """What happened, in a few lines."""
    interrupted: bool = False
    """Someone pressed Ctrl-C, or asked the process to end."""
    criteria: tuple[Criterion, ...] = ()
    """Everything that was asked, beside what was reached."""
    evidence: str = "simulation"
    """What the result rests on, see `andante.runs.backends.kind.EVIDENCE`."""
    outcome: Outcome | None = None
    """How the run ended, as its session tells; None: nobody told."""
    fall_cause: str = ""
    """What came first of its fall, without numbers, so that falls can be counted by it; empty: it did not fall, or
    something brought it down on purpose."""

    @property
    def passed(self) -> bool:
        """True for a pass."""
        return self.verdict == "pass"

    @property
    def log(self) -> Log:
        """What was recorded, read anew.

        Raises:
            LogError: The log is not there any more.
        """
        return Log.open(self.folder / LOG)

    def __repr__(self) -> str:
        return f"<RunResult {self.verdict.upper()}: {'; '.join(self.reasons)} ({self.folder})>"

    def _repr_html_(self) -> str:
        """A card for notebooks, readable on light and dark pages: verdict, remarks, story, and a link to the report."""
        import html

        from andante.pictures.style import BAD, GOOD

        colour = GOOD if self.passed else BAD
        badge = (
            f"<b style='background:{colour};color:#fff;padding:2px 10px;border-radius:6px'>{self.verdict.upper()}</b>"
        )
        reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in (*self.reasons, *self.notes))
        moments = "".join(
            f"<tr><td style='text-align:right'>{moment.time:.2f} s</td>"
            f"<td style='text-align:left'>{html.escape(moment.text)}</td></tr>"
            for moment in self.story
        )
        report, place = self.folder / REPORT, html.escape(str(self.folder))
        link = f"<a href='{html.escape(report.absolute().as_uri())}'>report</a>" if report.is_file() else ""
        return f"<div>{badge} {place} {link}<ul>{reasons}</ul><table>{moments}</table></div>"

    def data(self) -> dict[str, Any]:
        """The result as plain data for JSON."""
        return {
            "verdict": self.verdict,
            "evidence": self.evidence,
            "reasons": list(self.reasons),
            "criteria": [criterion.data() for criterion in self.criteria],
            "metrics": self.metrics.data(),
            "folder": str(self.folder),
            "notes": list(self.notes),
            "story": [{"time": moment.time, "text": moment.text} for moment in self.story],
        }


OnVerdict = Callable[[RunResult], None]
"""Is told a run's result as soon as it is known, before report and video are made."""


def run_scenario(
    scenario: Scenario,
    out: Path | None = None,
    *,
    seed: int | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
    on_verdict: OnVerdict | None = None,
    pilot: Callable[[Session], object] | None = None,
    watching: Callable[[Parts], Sequence[Observer]] | None = None,
) -> RunResult:
    """Run a scenario and write its folder.

    Args:
        scenario: What to run.
        out: The folder; files of an earlier run in it are replaced. None: ``runs/<name>-<seed>``, and where that is
            taken ``runs/<name>-<seed>-2`` and so on.
        seed: Seed in place of the scenario's.
        clock: When ticks begin; as fast as possible where None.
        progress: Told the time reached and the time limit, both [s].
        on_verdict: Told the result as soon as it is known, before report and video are made.
        pilot: Steers the robot while it walks, where the scenario's controller is steered live; asked before each tick.
        watching: Gives more observers of the run, by what it is made of.

    Raises:
        AndanteError: The scenario names something that does not exist or does not fit; the folder or the log cannot be
            written, or another run writes into it; the physics diverged. What was recorded before stays readable.
    """
    if seed is not None:
        scenario = overridden(scenario, Overrides(seed=seed))
    parts = build(scenario)
    # What cannot be run takes nothing from the folder, and leaves none.
    kept = keepers_of(scenario, parts) if scenario.recording.report else {}
    observers = [observer for each in kept.values() for observer in each]
    observers += watching(parts) if watching is not None else ()
    real_time = (clock is not None and clock.real_time) or isinstance(parts.backend, Paced)
    session = session_of(scenario, parts, observers=observers, real_time=real_time)
    # What goes on is finished when the process is asked to end.
    asked: list[int] = []
    with (
        _folder(scenario, out) as folder,
        handling(dict.fromkeys(ends_of(parts.backend), lambda number, _: asked.append(number))),
    ):
        for name in (*_RESULTS, *_files(scenario)):
            # Nobody shall take a file of an earlier run for this one's.
            with refused(RunError, "cannot be replaced", folder / name):
                (folder / name).unlink(missing_ok=True)
        _write(folder / SCENARIO, scenario_text(scenario))
        box = None
        if isinstance(parts.backend, Paced):
            box = BlackBox(folder, log_metadata(scenario, parts.robot), parts.controller.period)
            session.observe(box)
        session.record(LogRecorder(folder / LOG, log_metadata(scenario, parts.robot)))
        runner = Runner(session, clock, progress, pilot)
        try:
            with _blamed(scenario), scenario.moved.prepared():
                outcome = runner.run()
        finally:
            unclosed = _closed(scenario, session)
        if box is not None:
            box.end(outcome)
        run = FinishedRun(scenario, parts, _recorded(folder / LOG, outcome), outcome, kept)
        metrics, verdict = judged(run)
        failed = set(run.tasks.problems)
        story, first = story_of(run, metrics)
        result = RunResult(
            verdict.verdict,
            verdict.reasons,
            metrics,
            folder,
            (*_notes(run, failed), *unclosed),
            story,
            outcome.ending is Ending.INTERRUPTED or runner.asked or bool(asked),
            verdict.criteria,
            scenario.evidence,
            outcome,
            first,
        )
        _write_result(result, scenario)
        # The verdict first, as pictures take time.
        if on_verdict is not None:
            on_verdict(result)
        if asked or runner.terminated:
            more: tuple[str, ...] = ("the process was asked to end: no report, no pictures",)
        else:
            more = _pictures(run, folder, metrics, verdict)
        if more:
            result = replace(result, notes=result.notes + more)
            _write_result(result, scenario)
        return result


@contextmanager
def _folder(scenario: Scenario, out: Path | None) -> Iterator[Path]:
    """The folder of a run, claimed: the one that is asked for, or a fresh one."""
    if out is None:
        with claimed_fresh(Path("runs") / f"{scenario.name}-{scenario.seed}") as folder:
            yield folder
    else:
        with claimed(out):
            yield out


def _blamed(scenario: Scenario) -> AbstractContextManager[None]:
    """Names the plug-in whose code raises while a run goes on: the backend's, else the controller's.

    What a controller raises in a step ends the run by itself, and what observers raise names their task.
    """
    backend, control = scenario.moved.type, scenario.controller.type
    return CONTROLLERS.blame(control) if BACKENDS.source(backend) == SHIPPED else BACKENDS.blame(backend)


def _closed(scenario: Scenario, session: Session) -> tuple[str, ...]:
    """Let go of what was moved, and notes of what went wrong then: it is no reason to lose a run's verdict, or to hide
    why a run ended."""
    try:
        with _blamed(scenario):
            if session.unclosed is not None:
                raise session.unclosed
            session.backend.close()
    except Exception as error:  # noqa: BLE001 - whatever it is, the verdict is kept
        told = str(error) if isinstance(error, AndanteError) else f"{type(error).__name__}: {error}"
        return (f"what was moved could not be let go of: {told}",)
    return ()


def judged(run: FinishedRun) -> tuple[Metrics, Verdict]:
    """The numbers of a finished run, and its verdict."""
    metrics = measure(run)
    return metrics, judge(run, metrics)


def _recorded(path: Path, outcome: Outcome) -> Log:
    """The log, which must hold the ticks of this run and no others."""
    log = Log.open(path)
    rows = len(log.channels["sensors"].rows) if "sensors" in log.channels else 0
    if rows != outcome.ticks:
        raise RunError(
            "somebody else wrote into this run's log", place=str(path), value=rows, limit=f"{outcome.ticks} ticks"
        )
    return log


def _write_result(result: RunResult, scenario: Scenario) -> None:
    data = result.data() | {"seed": scenario.seed}
    _write(result.folder / METRICS, json.dumps(data, indent=2) + "\n")


def log_metadata(scenario: Scenario, robot: Robot) -> dict[str, dict[str, str]]:
    """The metadata tables that a log begins with."""
    return {
        "run": {
            "scenario": scenario.name,
            "seed": str(scenario.seed),
            "robot": robot.name,
            "kind": scenario.moved.source,
        },
        ROBOT_TABLE: {"digest": robot_digest(robot)},
        "scenario": {"text": scenario_text(scenario)},
        "versions": {"andante": __version__, "python": platform.python_version(), **_VERSIONS},
    }


def session_of(
    scenario: Scenario,
    parts: Parts,
    *,
    recorder: LogRecorder | None = None,
    observers: Sequence[Observer] = (),
    real_time: bool = False,
) -> Session:
    """The session of a scenario's parts, which ends as the scenario says.

    Args:
        scenario: What is run.
        parts: What `build` made of it.
        recorder: Takes every tick; None records nothing.
        observers: Look at every tick.
        real_time: Plans are made in the background.
    """
    return Session(
        parts.backend,
        parts.controller,
        parts.guard,
        limits=RunLimits(scenario.timeout + scenario.moved.overhead, scenario.settle),
        planner=parts.planner,
        recorder=recorder,
        observers=[*_watches(scenario, parts), *observers],
        seed=scenario.seed,
        physics_period=scenario.moved.physics_period(scenario.world),
        real_time=real_time,
        name=f"{scenario.name}-{scenario.seed}",
    )


def _watches(scenario: Scenario, parts: Parts) -> list[Observer]:
    """Who ends the run by what the ground truth shows."""
    fall, standing = scenario.success.fall, parts.standing_height
    rises = None if standing is None or not scenario.starts_lying else (scenario.success.upright, standing)
    falls: list[Observer] = [] if fall.stop_after is None else [FallWatch(fall, rises)]
    return falls + observers_of(scenario, parts)


def _notes(run: FinishedRun, failed: set[str]) -> Iterator[str]:
    """What a reader of the result should know; of tasks in ``failed`` the verdict tells already that they failed."""
    scenario, robot, choice = run.scenario, run.parts.robot, run.scenario.world.terrain
    if scenario.sees_truth:
        yield "the controller saw ground truth, which no robot measures"
    # What was declared or guessed for a robot from a bare file.
    declared = () if scenario.limits is None else scenario.limits.assumed
    kind = scenario.controller
    topics = declared or CONTROLLERS.ask(kind.type, "assumed()", lambda: all_of(str, kind.assumed(robot)), tuple)
    yield from (f"{name}: {robot.sources[name]}" for name in topics if name in robot.sources)
    if choice is not None:
        yield from (f"terrain: {note}" for note in choice.load().notes)
    yield from never_came(run)
    told = run.tasks.ask("note anything", lambda task: all_of(str, task.notes(scenario, run.parts)))
    yield from (note for _, notes in told for note in notes)
    yield from (problem for name, problem in run.tasks.problems.items() if name not in failed)
    yield from run.tasks.left.values()


def _files(scenario: Scenario) -> Iterator[str]:
    """Files of pictures that a run into the same folder may have left."""
    for kind in TASKS.kinds.values():
        yield from kind.files
    for task in scenario.tasks:
        yield from task.files


def _pictures(run: FinishedRun, folder: Path, metrics: Metrics, verdict: Verdict) -> tuple[str, ...]:
    """Write report and video; returns what could not be made."""
    recording = run.scenario.recording
    notes: list[str] = []
    if recording.report:
        from andante.runs.reports.report import write_report

        failed, changed = set(run.tasks.problems), set(run.tasks.left)
        pictures: dict[str, Path] = {}
        # A task may go to another folder.
        here = folder.absolute()
        own = [here / name for name in (SCENARIO, LOG, METRICS)]
        drawn = run.tasks.ask(
            "draw its pictures",
            lambda task: dict(task.pictures(run, here, metrics)),
            pictures_told,
            around=lambda: kept_files(here, [*own, *pictures.values()]),
        )
        for _, each in drawn:
            pictures |= each
        write_report(folder / REPORT, run, metrics, verdict, pictures)
        notes += [problem for name, problem in run.tasks.problems.items() if name not in failed]
        notes += [told for name, told in run.tasks.left.items() if name not in changed]
    truth = run.log.channels.get("truth")
    if recording.video and truth is not None:
        from andante.runs.reports.video import make_video

        try:
            size, fps = recording.video_size, recording.video_fps
            make_video(folder / VIDEO, truth, run.drawn_model, fps=fps, size=size)
        except AndanteError as error:
            notes.append(f"no video: {error}")
    return tuple(notes)


def _write(path: Path, text: str) -> None:
    try:
        write_text(path, text, follow=False)
    except DocumentError as error:
        raise RunError(str(error)) from None

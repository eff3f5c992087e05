"""Running or opening what is asked for in a few words: a scenario, or motions of a library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from andante.control.guard import Guard
from andante.motions.library import UNKNOWN_ROBOT
from andante.motions.posture_kind import ends_of
from andante.motions.reached import RECOVER
from andante.runs.build import build
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.errors import ScenarioError
from andante.runs.execute import OnVerdict, RunResult, run_scenario, session_of
from andante.runs.loop.actions import acting_controller, planner_beside
from andante.runs.loop.clock import Clock, RealTimeClock
from andante.runs.loop.runner import Progress
from andante.runs.motion_libraries import (
    library_meant,
    library_path,
    named_motion,
    names_library,
    only_motion,
    read_for,
    robot_source,
)
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import (
    GET_UP,
    Overrides,
    load_scenario,
    motion_scenario,
    overridden,
    shipped_scenarios,
    with_settings,
)
from andante.runs.session import Session
from andante.runs.tasks.asking import Tasks

_OF_FIELDS = "make one of fields by andante.Scenario.model_validate({...})"


def scenario_of(
    what: str | Path | Scenario | None = None,
    *,
    library: str | Path | None = None,
    motion: str | Sequence[str] = (),
    robot: str | None = None,
    seed: int | None = None,
    start: str | None = None,
    allow_fall: bool = False,
    report: bool | None = None,
    video: bool | None = None,
    settings: Sequence[str] = (),
    backend: str | None = None,
) -> Scenario:
    """The scenario that a few words stand for.

    Args:
        what: A scenario, the name or file of one, or ``LIBRARY/MOTION``, of a shipped library or of a file. A library
            alone goes with ``motion``.
        library: A motion library by name or file: of the scenario's controller, or without a scenario to play from.
        motion: Motion or motions of the library, in order.
        robot: Robot by name or file in place of the scenario's or the library's.
        seed: Seed of everything random.
        start: How the run begins, see `start_data`; where motions begin lying, the robot shall end standing.
        allow_fall: The robot may leave its feet, and stay down.
        report: Write the report; None: as the scenario says.
        video: Make a video; None: as the scenario says.
        settings: Values changed by path, each as PATH=VALUE, such as ``world.friction=0.4``; see `with_settings`.
        backend: What is moved, as KIND, KIND=ADDRESS or a file of its settings; None: as the scenario says.

    Raises:
        AndanteError: Something does not exist, does not fit or is not legal.
    """
    motions = (motion,) if isinstance(motion, str) else tuple(motion)
    named = named_motion(what) if isinstance(what, str) else None
    if named is not None:
        if library is not None or motions:
            raise ScenarioError("a motion is named twice", value=str(what), remedy="leave library and motion out")
        library, motions, what = named[0], (named[1],), None
    if library is None and motions and isinstance(what, str | Path) and _motions_alone(what):
        library, what = str(what), None
    elif library is None and not motions and isinstance(what, str | Path) and (only := _only_motion(what)):
        library, motions, what = str(what), (only,), None
    elif library is not None and not motions and what is None and only_motion(library):
        motions = (only_motion(library),)
    gets_up = False
    if isinstance(what, Scenario):
        document = what
    elif isinstance(what, str | Path):
        document = load_scenario(what)
    elif what is not None:
        raise ScenarioError(
            "is no scenario",
            value=type(what).__name__,
            limit="a Scenario, its name or file, or LIBRARY/MOTION",
            remedy="give its scenario()" if callable(getattr(what, "scenario", None)) else _OF_FIELDS,
        )
    elif library is not None and motions:
        loaded = read_for(library_meant(library), robot or UNKNOWN_ROBOT)
        if robot is None and loaded.robot == UNKNOWN_ROBOT:
            raise ScenarioError("the motions do not name their robot", place=str(library), remedy="give --robot")
        source = robot or robot_source(loaded.robot, library_path(library))
        gets_up = motions == (GET_UP,) and GET_UP not in loaded.motions and RECOVER in loaded.motions
        ends = None if gets_up else ends_of(loaded, motions[0])
        document = motion_scenario(source, str(library), motions, ends, gets_up=gets_up)
    else:
        raise ScenarioError(
            "nothing is named that could be run",
            legal=shipped_scenarios(),
            remedy="name a scenario, a motion as LIBRARY/MOTION, or a library and a motion (--library, --motion)",
        )
    document = overridden(
        document,
        Overrides(
            robot=robot,
            library=None if library is None else str(library),
            motions=None if gets_up else motions or None,
            seed=seed,
            video=video,
            report=report,
            allow_fall=allow_fall,
            start=start,
            backend=backend,
        ),
    )
    # Motions alone say nothing of success, and who lays a robot down wants it up.
    document = document.to_its_feet() if motions and what is None and not allow_fall else document
    return with_settings(document, settings)


def _motions_alone(what: str | Path) -> bool:
    """Whether a library is named where a scenario could be."""
    return str(what) not in shipped_scenarios() and names_library(what)


def _only_motion(what: str | Path) -> str:
    """The motion where a library of one is named in place of a scenario; empty for anything else."""
    return "" if str(what) in shipped_scenarios() else only_motion(what)


def run(
    what: str | Path | Scenario | None = None,
    *,
    library: str | Path | None = None,
    motion: str | Sequence[str] = (),
    robot: str | None = None,
    seed: int | None = None,
    start: str | None = None,
    allow_fall: bool = False,
    out: Path | str | None = None,
    report: bool | None = None,
    video: bool | None = None,
    settings: Sequence[str] = (),
    clock: Clock | None = None,
    real_time: bool = False,
    progress: Progress | None = None,
    on_verdict: OnVerdict | None = None,
) -> RunResult:
    """Run a scenario, or motions of a library, in simulation, to a verdict.

    Args:
        what: A scenario, the name or file of one, or ``LIBRARY/MOTION``, of a shipped library or of a file; with
            ``LIBRARY/get-up`` the robot lies on its front and gets up by whatever motion fits.
        library: A motion library by name or file.
        motion: Motion or motions of the library, in order.
        robot: Robot by name or file in place of the scenario's or the library's.
        seed: Seed of everything random.
        start: ``front``, ``back``, ``left``, ``right``, or a posture of the robot; where motions begin lying, the robot
            shall end standing.
        allow_fall: The robot may leave its feet, and stay down (a dive).
        out: Folder for log, numbers and report; None: a fresh one in ``runs``.
        report: Write the report; None: as the scenario says.
        video: Make a video; None: as the scenario says.
        settings: Values changed by path, each as PATH=VALUE, such as ``world.friction=0.4``.
        clock: When ticks begin; None: as fast as possible.
        real_time: Keep to the wall clock; not with ``clock``.
        progress: Told the time reached and the time limit, both [s].
        on_verdict: Told the result as soon as it is known, before report and video are made.

    Raises:
        AndanteError: Something does not exist, does not fit or is not legal, or the run's folder cannot be written.
    """
    scenario = scenario_of(
        what,
        library=library,
        motion=motion,
        robot=robot,
        seed=seed,
        start=start,
        allow_fall=allow_fall,
        report=report,
        video=video,
        settings=settings,
    )
    if clock is None and real_time:
        clock = RealTimeClock()
    return run_scenario(
        scenario, None if out is None else Path(out), clock=clock, progress=progress, on_verdict=on_verdict
    )


def binding_note(scenario: Scenario) -> str:
    """What a person should be told where motions of one robot's file are played by another; empty: nothing.

    Raises:
        AndanteError: The motion library cannot be read.
    """
    control = scenario.controller
    return CONTROLLERS.ask(control.type, "binding_note()", lambda: control.binding_note(scenario.robot), str)


def hint_of(scenario: Scenario) -> str:
    """What a person may have forgotten; empty where nothing looks so: a get-up that begins on its feet.

    Raises:
        AndanteError: What the scenario names cannot be read.
    """
    hints = (hint for _, hint in Tasks(scenario).ask("give a hint", lambda task: task.hint(scenario), _text))
    return next((hint for hint in hints if hint), "")


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise TypeError(f"it gives a {type(given).__name__}, no text")
    return given


def open_session(
    what: str | Path | Scenario, *, seed: int | None = None, start: str | None = None, action: str | None = None
) -> Session:
    """Open a session, which steps a run, changes it, keeps it and restores it; nothing is recorded.

    Args:
        what: A scenario, the name or file of one, or ``LIBRARY/MOTION`` of a shipped library.
        seed: Seed of everything random.
        start: How the run begins, see `start_data`.
        action: What `Session.step` is told at every tick: ``targets`` or ``torques`` of the motors in place of the
            scenario's controller, its ``twist``, or a ``residual`` that is added to its joint targets; None: nothing.

    Raises:
        AndanteError: Something does not exist, does not fit or is not legal.
    """
    scenario = scenario_of(what, seed=seed, start=start)
    parts = build(scenario)
    if action is not None:
        controller = acting_controller(action, parts.robot, scenario.controller, scenario.world)
        guard = Guard(parts.robot, controller.period, scenario.guard)
        planner = planner_beside(controller, scenario.controller, scenario.world)
        parts = replace(parts, controller=controller, guard=guard, planner=planner)
    return session_of(scenario, parts)

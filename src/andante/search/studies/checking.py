"""What a study is refused for before its first trial: a start beyond limits, illegal ends, stages of nothing."""

from __future__ import annotations

from collections.abc import Sequence

from andante.backends.backend import BackendError, whole_steps
from andante.documents.fields import field_name
from andante.documents.paths import parse_path
from andante.errors import AndanteError
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.experiment.document import Bounds, Draw
from andante.search.experiment.trial import TrialSetup, changed_scenario
from andante.search.studies.conditions import Conditions
from andante.search.studies.document import Study
from andante.search.studies.motion_figures import MOTION, motion_figures
from andante.search.studies.space import ALIKE, Space, fitting_names, joint_limits


def check_draws(space: Space, spread: Sequence[Draw]) -> None:
    """See that the seeds draw no number that the search changes.

    Raises:
        SearchError: They do: a candidate's value would stand in place of theirs, or be nobody's.
    """
    drawn = {field_name(parse_path(draw.path)) for draw in spread}
    for number in space.parameters:
        for place in number.places:
            if place.document == "scenario" and place.name in drawn:
                raise SearchError(
                    "each seed draws this number, so that no search can set it",
                    place="parameters",
                    value=place.name,
                    remedy="choose another spread, or leave it out",
                )


def check_start(study: Study, space: Space, library: MotionLibrary | None, scenario: Scenario, robot: Robot) -> None:
    """See that the start keeps what is asked of every candidate.

    Raises:
        SearchError: It does not; the joint or the constraint is named.
    """
    if library is not None:
        for name, block in library.blocks.items():
            for number, keyframe in enumerate(block.keyframes):
                for joint, target in keyframe.joints.items():
                    lower, upper = joint_limits("motion", ("joints", joint), robot)
                    if not isinstance(target, str) and not lower - ALIKE <= target <= upper + ALIKE:
                        raise SearchError(
                            "the start already breaks a joint's limit",
                            place=f"blocks.{name}.keyframes[{number}].joints.{joint}",
                            value=round(target, 4),
                            limit=f"{lower:.4g} to {upper:.4g} rad",
                            remedy="andante fix brings targets inside",
                        )
        figures = motion_figures(library, robot)
        for constraint in study.constraints:
            if constraint.metric.startswith(f"{MOTION}."):
                value = figures[constraint.metric.partition(".")[2]]
                if not Bounds(at_least=constraint.at_least, at_most=constraint.at_most).holds(value):
                    ends = (("at least", constraint.at_least), ("at most", constraint.at_most))
                    limit = ", ".join(f"{word} {end:g}" for word, end in ends if end is not None)
                    raise SearchError(
                        "the start already breaks a constraint", place=constraint.metric, value=value, limit=limit
                    )
        for end in (0.0, 1.0):
            _checked(space.motion(library, [end] * len(space.parameters)))
    _check_ends(space, scenario)


def _check_ends(space: Space, scenario: Scenario) -> None:
    """See that each number of the scenario may have the values at the ends of its range.

    Raises:
        SearchError: It may not.
    """
    start = space.start.tolist()
    for at, number in enumerate(space.parameters):
        names = {place.name for place in number.places if place.document == "scenario"}
        for end in (0.0, 1.0) if names else ():
            try:
                changed_scenario(scenario, space.changes([*start[:at], end, *start[at + 1 :]]))
            except AndanteError as error:
                # What only does not fit to another number may fit to another value of that.
                if error.place in names:
                    raise SearchError(
                        f"a value at the end of a parameter's range {error.what}",
                        place=error.place,
                        value=error.value,
                        limit=error.limit,
                    ) from None


def check_stages(study: Study, space: Space, setup: TrialSetup) -> None:
    """See that what a stage changes is there.

    Raises:
        AndanteError: It is not; the stage is named.
    """
    names = [number.name for number in space.parameters]
    if not study.stages:
        raise SearchError("a study searches in stages", place="stages", value="none", remedy="such as {type: polish}")
    for number, stage in enumerate(study.stages):
        most, there = stage.seeds * (2 if stage.type == "rounds" else 1), study.seeds.training.count
        if most > there:
            what = "more training seeds for a candidate than there are"
            raise SearchError(what, place=f"stages[{number}].seeds", value=most, limit=str(there))
        if stage.type != "rounds":
            continue
        for at, pattern in enumerate(stage.only):
            if not fitting_names(names, (pattern,)):
                place = f"stages[{number}].only[{at}]"
                raise SearchError("fits none of the study's numbers", place=place, value=pattern, legal=names)
        if stage.set:
            Conditions(changes=tuple(stage.set.items())).setup(setup)


def check_screen(tick: float, screen: float) -> None:
    """See that a coarser step of the physics divides the robot's tick.

    Raises:
        SearchError: It does not.
    """
    try:
        whole_steps(tick, screen)
    except BackendError as error:
        near = tick / max(1, round(tick / screen))
        raise SearchError(
            f"the robot's tick of {tick:g} s is no whole number of these steps",
            place="screen",
            value=screen,
            remedy=f"such as {near:.4g}",
        ) from error


def _checked(library: MotionLibrary) -> None:
    from pydantic import ValidationError

    from andante.documents.validation import first_problem

    data = library.model_dump()
    try:
        MotionLibrary.model_validate(data)
    except ValidationError as error:
        first = first_problem(SearchError, error, MotionLibrary, "", data)
        raise SearchError(
            f"a value at the end of a parameter's range is not legal: {first.what}",
            place=first.place,
            value=first.value,
            limit=first.limit,
        ) from None

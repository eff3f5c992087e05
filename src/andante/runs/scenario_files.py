"""Scenarios as files: shipped ones by name, any other by path; how a run begins, in a word; overrides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.backends.world import Lying
from andante.documents.budget import budgeted
from andante.documents.files import read_head, read_text
from andante.documents.paths import typed_values
from andante.documents.problems import DocumentError
from andante.documents.reader import load_document
from andante.documents.shipped import Shipped
from andante.documents.validation import first_problem
from andante.documents.writer import dump_document
from andante.documents.yaml_tree import parse_tree
from andante.errors import AndanteError
from andante.motions.library import PostureKind
from andante.motions.posture_kind import MotionEnds, kind_of
from andante.robots.robot import Robot
from andante.runs.errors import ScenarioError
from andante.runs.evaluation.standing import feet_pitch
from andante.runs.motion_libraries import load_motions
from andante.runs.scenario import Scenario, name_of

_SCENARIOS = Shipped(
    Path(__file__).parent / "scenarios",
    "scenario",
    ScenarioError,
    "a motion is named as LIBRARY/MOTION or FILE/MOTION (nao/wave)",
)
shipped_scenarios = _SCENARIOS.names
"""Names of the scenarios in the package."""
LYING: Mapping[str, Lying] = {"front": "prone", "back": "supine", "left": "left", "right": "right"}
"""Words for how a robot lies on the floor."""
GET_UP = "get-up"
"""Stands in place of a motion's name for getting up by whatever motion of a library fits."""
NOISE: Mapping[str, float] = {
    "position": 0.002,
    "velocity": 0.02,
    "orientation": 0.003,
    "gyro": 0.01,
    "accelerometer": 0.1,
    "force": 0.2,
}
"""Standard deviations of sensor noise, SI: about a NAO's joint encoders, IMU and pressure cells, an assumption."""
FRICTION = (0.5, 0.9)
"""Range of the floor's friction where nothing else is asked for."""


@dataclass(frozen=True)
class Overrides:
    """What the command line may change in a scenario; None leaves it."""

    robot: str | None = None
    """Robot by name or path."""
    library: str | None = None
    """Motion library by name or path."""
    motions: tuple[str, ...] | None = None
    """Motions in order."""
    seed: int | None = None
    """Seed."""
    video: bool | None = None
    """Make a video."""
    report: bool | None = None
    """Write the report."""
    allow_fall: bool = False
    """The robot may leave its feet (a get-up, a dive)."""
    start: str | None = None
    """How the run begins, see `start_data`; a start that the scenario has is replaced as a whole."""
    backend: str | None = None
    """What is moved, see `backend_data`."""


def scenario_path(name_or_path: str | Path) -> Path:
    """The file of a scenario given by shipped name or by path.

    Raises:
        ScenarioError: Neither a shipped scenario nor a file.
    """
    holder = Path(name_or_path).parent
    if holder.suffix and not holder.exists():
        raise ScenarioError("there is no such file", value=str(holder))
    return _SCENARIOS.path(name_or_path)


def load_scenario(name_or_path: str | Path) -> Scenario:
    """Read a scenario; the paths in it become absolute, so that it means the same everywhere.

    Raises:
        ScenarioError: There is no such scenario, or the file holds motions.
        DocumentError: It does not follow the schema.
    """
    path = scenario_path(name_or_path)
    try:
        return load_document(path, Scenario).anchored(path.parent)
    except DocumentError as error:
        if motions := _motions_in(path):
            raise ScenarioError(
                "the file holds motions and is no scenario",
                place=str(path),
                legal=motions,
                remedy=f"name one of them: {path}/{motions[0]}",
            ) from error
        raise


def _motions_in(path: Path) -> tuple[str, ...]:
    """Motions of a file that is taken for a scenario; none where it is no file of motions."""
    try:
        # One that says what it is is not read once more.
        return () if b"andante.scenario" in read_head(path, 20_000) else tuple(load_motions(str(path)).motions)
    except AndanteError:
        return ()


def read_scenario(text: str, place: str) -> Scenario:
    """The scenario in a text, as a log or a run's folder holds it.

    Raises:
        DocumentError: It does not follow the schema.
    """
    return load_document(text, Scenario, place=place)


def scenario_text(scenario: Scenario) -> str:
    """The scenario as YAML in SI units."""
    return dump_document(scenario)


def start_data(word: str, robot: Robot) -> dict[str, Any]:
    """A scenario's ``world.start`` for a word.

    Args:
        word: One of `LYING`, or one of the robot's postures.
        robot: The robot.

    Raises:
        ScenarioError: It is neither.
    """
    if word in LYING:
        return {"lying": LYING[word]}
    if word in robot.postures:
        return {"posture": word}
    raise ScenarioError("there is no such start", value=word, legal=(*LYING, *sorted(robot.postures)))


@budgeted(place="target")
def backend_data(target: str) -> dict[str, object]:
    """A scenario's ``backend`` from one word: ``KIND``, ``KIND=ADDRESS``, or a YAML file with the backend's settings.

    Raises:
        DocumentError: The file cannot be read.
        ScenarioError: It holds no settings of a backend.
    """
    if "=" in target or Path(target).suffix not in (".yaml", ".yml"):
        kind, _, address = target.partition("=")
        return {"type": kind, **({"address": address} if address else {})}
    told = parse_tree(read_text(Path(target)), target).data
    if not isinstance(told, dict) or not isinstance(told.get("type"), str):
        raise ScenarioError(
            "the file says no type of backend",
            place=target,
            remedy="write what a scenario has under `backend`",
        )
    return dict(told)


def overridden(scenario: Scenario, overrides: Overrides) -> Scenario:
    """A scenario with the command line's changes, validated like a read one.

    Raises:
        ScenarioError: A value is not legal in a scenario.
        RobotError: A start is asked for and there is no such robot.
    """
    data = scenario.model_dump()
    for name in ("library", "motions"):
        if getattr(overrides, name) is not None and name not in data["controller"]:
            raise ScenarioError(f"this scenario's controller plays no {name}", value=scenario.controller.type)
    named = (
        (data, ("robot", "seed")),
        (data["controller"], ("library", "motions")),
        (data["recording"], ("video", "report")),
    )
    for part, names in named:
        part.update({name: getattr(overrides, name) for name in names if getattr(overrides, name) is not None})
    if overrides.allow_fall:
        data["success"]["no_fall"] = False
    if overrides.start is not None:
        data["world"]["start"] = start_data(overrides.start, Robot.load(data["robot"]))
    if overrides.backend is not None:
        data["backend"] = backend_data(overrides.backend)
    return validated(data)


def with_settings(scenario: Scenario, pairs: Sequence[str], option: str = "--set") -> Scenario:
    """A scenario with values changed by path, each written as PATH=VALUE: ``controller.local.nmpc.weights[3]=60``.

    Args:
        scenario: The scenario.
        pairs: The changes, in order; they are checked together at the end.
        option: Name of the command's option, for messages.

    Raises:
        PathError: A path leads to nothing, or a value cannot be read.
        ScenarioError: A value is not legal in a scenario.
    """
    return validated(typed_values(Scenario, scenario.model_dump(), pairs, option)) if pairs else scenario


def motion_scenario(
    robot: str, library: str, motions: tuple[str, ...], ends: MotionEnds | None = None, *, gets_up: bool = False
) -> Scenario:
    """The scenario behind ``run --robot R --library FILE --motion NAME``: play the motions on flat ground.

    With ``gets_up`` no motion is played by name: the robot lies on its front and gets up by whatever motion fits.
    The seed draws the floor's friction from `FRICTION` and sensor noise with `NOISE`, so that seeds differ. An OPEN-R
    robot plays them with the OPEN-R player from its posture ``walk``, all others with the keyframe engine. A motion
    that begins sitting or lying by ``ends``, the first motion's postures, begins so.

    Raises:
        RobotError: There is no such robot.
        ScenarioError: A value is not legal in a scenario.
    """
    model = Robot.load(robot)
    start = None if ends is None else start_posture(ends, model)
    played: dict[str, object] = {"get_up": True} if gets_up else {"motions": motions}
    controller = {"type": "openr" if model.openr else "keyframes", "library": library, **played}
    world: dict[str, object] = {"friction": FRICTION, "noise": dict(NOISE)}
    if gets_up:
        world["start"] = {"lying": LYING["front"]}
    if start is not None:
        world["start"] = start
    elif model.openr and "walk" in model.postures:
        world["start"] = {"posture": "walk"}
    return validated(
        {
            "name": name_of(*motions, usual="motion"),
            "robot": robot,
            "controller": controller,
            "world": world,
        }
    )


def start_posture(ends: MotionEnds, robot: Robot) -> dict[str, object] | None:
    """A scenario's ``world.start`` for a motion that says that it begins sitting or lying, held until it has settled.

    None where it says nothing, begins standing, or goes down by itself; and where the robot has no such posture.
    """
    kind, last = ends.kinds
    if kind not in (PostureKind.SIT, PostureKind.LIE) or (kind is last and not ends.declared):
        return None
    name = next((each for each in (ends.start, *sorted(robot.postures)) if each and kind_of(each) is kind), None)
    if name is None or name not in robot.postures:
        return None
    settle = {"duration": 1.0, "held": 1.0, "stiffness": 1.0, "pitch_noise": 0.0, "roll_noise": 0.0}
    return {"posture": name, "pitch": feet_pitch(robot, name), "posture_noise": 0.0, "settle": settle}


def validated(data: dict[str, object]) -> Scenario:
    """A scenario from plain data.

    Raises:
        ScenarioError: A value is not legal; the first one is named.
    """
    from pydantic import ValidationError

    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise first_problem(ScenarioError, error, Scenario, "", data) from None

"""From a scenario to the objects of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco

from andante.backends.backend import Backend
from andante.backends.world import WorldConfig
from andante.control.answers import amiss
from andante.control.controller import Adapting, Controller
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.planning.planner import Planner
from andante.plugins.errors import PluginError
from andante.plugins.register import PROGRAM, SHIPPED, Register
from andante.robots.compiling import compiled
from andante.robots.robot import Robot
from andante.runs.backends.kind import BackendKind
from andante.runs.backends.registry import BACKENDS
from andante.runs.controls.asked import NOTHING, Asked
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.errors import ScenarioError
from andante.runs.evaluation.standing import known_standing_height
from andante.runs.scenario import Scenario


@dataclass(frozen=True)
class Parts:
    """What one run is made of; good for one run at a time."""

    robot: Robot
    """The robot."""
    backend: Backend
    """What is moved."""
    controller: Controller
    """What decides."""
    guard: Guard
    """What stands between the two."""
    model: mujoco.MjModel
    """A model of the world for pictures and evaluation, apart from the one that runs."""
    threshold: float
    """Force above which a foot touches [N]."""
    standing_height: float | None = None
    """Height of the base that standing is measured by; None: that at the start [m]."""
    planner: Planner[Any, Any] | None = None
    """What thinks beside the controller; None: nothing."""
    asked: Asked = NOTHING
    """What the controller's part of the scenario asks of the robot."""


def build(scenario: Scenario) -> Parts:
    """Make everything that the scenario names.

    Raises:
        AndanteError: Something does not exist, cannot be read or does not fit.
    """
    kind, moved = scenario.controller, scenario.moved
    _look_at(moved, scenario.world)
    robot = load_declared(scenario)
    _check_guesses(robot, scenario)
    refuse_truth(scenario)
    controller = controller_of(scenario, robot)
    guarded = BACKENDS.ask(moved.type, "guarded()", lambda: moved.guarded(scenario.guard), GuardSettings)
    guard = Guard(robot, controller.period, guarded)
    backend = backend_of(scenario, robot)
    model = picture_model(robot, scenario.world, scenario.seed)
    standing = known_standing_height(robot)
    asked = CONTROLLERS.ask(kind.type, "asked()", lambda: kind.asked(robot), Asked)
    with CONTROLLERS.blame(kind.type):
        planner = kind.planner(controller, scenario.world)
    lies = scenario.starts_lying or "*" in asked.may_touch
    tell_absent(controller, backend)
    controller = _above(moved, controller, backend, lies=lies)
    return Parts(robot, backend, controller, guard, model, scenario.world.contact_threshold, standing, planner, asked)


def _look_at(moved: BackendKind, world: WorldConfig) -> None:
    """See that what a kind of backend says of itself can be used, before anything is made.

    Raises:
        PluginError: It cannot.
    """
    BACKENDS.ask(moved.type, "source", lambda: moved.source, str)
    BACKENDS.ask(moved.type, "linked", lambda: moved.linked, bool)
    overhead = BACKENDS.ask(moved.type, "overhead", lambda: moved.overhead, float | int)
    if not 0.0 <= overhead < math.inf:
        what = "arming and release take some time"
        raise PluginError(what, place=f"kind of backend {moved.type!r}", value=overhead, limit="finite, not below 0 s")
    BACKENDS.ask(moved.type, "physics_period()", lambda: moved.physics_period(world), float | int | None)


def _above(moved: BackendKind, controller: Controller, backend: Backend, *, lies: bool) -> Controller:
    with BACKENDS.blame(moved.type):
        above = moved.above(controller, backend, lies=lies)
        wrong = amiss(above)
        if wrong:
            raise PluginError("decides by no controller", place=f"kind of backend {moved.type!r}", value=wrong)
    return above


def controller_of(scenario: Scenario, robot: Robot) -> Controller:
    """The controller that a scenario names.

    Raises:
        AndanteError: It cannot be made.
    """
    kind = scenario.controller
    with CONTROLLERS.blame(kind.type):
        controller = kind.controller(robot, scenario.world)
        wrong = amiss(controller)
        if wrong:
            raise _makes_none("controller", CONTROLLERS, kind.type, controller, wrong)
    return controller


def tell_absent(controller: Controller, backend: Backend) -> None:
    """Tell a controller that can adapt which sensors the robot does not have.

    Raises:
        ControlError: What it is to do cannot be done without them.
    """
    absent: frozenset[str] = getattr(backend, "absent", frozenset())
    if absent and isinstance(controller, Adapting):
        controller.do_without(absent)


def backend_of(scenario: Scenario, robot: Robot) -> Backend:
    """What a scenario moves.

    Raises:
        AndanteError: It cannot be made.
    """
    moved = scenario.moved
    with BACKENDS.blame(moved.type):
        backend = moved.backend(robot, scenario.world)
        if not isinstance(backend, Backend):
            lacks = [name for name in vars(Backend) if name[0] != "_" and not hasattr(backend, name)]
            why = f"it has no {', '.join(lacks)} when it is made"
            raise _makes_none("backend", BACKENDS, moved.type, backend, why)
    return backend


def _makes_none(what: str, register: Register[Any], name: str, made: object, why: str = "") -> PluginError:
    of = "" if register.source(name) in (SHIPPED, PROGRAM) else f"it is of {register.source(name)}"
    remedy = "; ".join(filter(None, (why, of)))
    return PluginError(f"makes no {what}", place=f"kind of {what} {name!r}", value=type(made).__name__, remedy=remedy)


def load_declared(scenario: Scenario) -> Robot:
    """The scenario's robot, with the limits that the scenario declares for it.

    Raises:
        AndanteError: The robot does not exist or cannot be read.
    """
    robot = Robot.load(scenario.robot)
    if scenario.controller.tracked:
        robot = robot.tracked()
    kind = scenario.controller
    robot = CONTROLLERS.ask(kind.type, "driven()", lambda: kind.driven(robot), Robot)
    return robot if scenario.limits is None else scenario.limits.declared_for(robot)


def refuse_truth(scenario: Scenario) -> None:
    """Refuse a controller that sees what no robot measures where something else than a simulation is moved.

    Raises:
        ScenarioError: It is.
    """
    if scenario.moved.source != "simulation" and scenario.sees_truth:
        raise ScenarioError(
            "the controller sees ground truth, which no robot measures",
            place="backend.type",
            value=scenario.moved.type,
            limit="a simulation",
            remedy="give it observations that the robot measures",
        )


def _check_guesses(robot: Robot, scenario: Scenario) -> None:
    """Refuse a run whose verdict would rest on a guess that may be wrong.

    Raises:
        ScenarioError: What was guessed of a robot without a pack is unsure, and a success criterion needs it.
    """
    success = scenario.success
    asks_fall = success.no_fall if success.no_fall is not None else not scenario.starts_lying
    needs = {
        "feet": "tell a foot from another part that touches the ground" if asks_fall and success.fall.contact else "",
        "stand": "know how high the robot stands" if success.stands_at_end and scenario.starts_lying else "",
    }
    for topic, need in needs.items():
        if need and topic in robot.doubts:
            raise ScenarioError(
                f"the verdict has to {need}, and that is only guessed: {robot.doubts[topic]}",
                place=f"robot {robot.name!r}",
                remedy="write a pack that names it"
                + (", or ask for less: success.fall.contact: false" if topic == "feet" else ""),
            )


def picture_model(robot: Robot, world: WorldConfig, seed: int = 0, *, drawn: bool = False) -> mujoco.MjModel:
    """The world's model with a sky and the floor of this seed: the same states, better to look at.

    Args:
        robot: The robot.
        world: The world.
        seed: Decides its floor.
        drawn: With the robot's visual meshes.

    Raises:
        BackendError: The robot's model does not fit.
    """
    from andante.backends.floor import FloorVariation
    from andante.backends.model_builder import build_spec
    from andante.backends.shapes import ShapeVariation
    from andante.backends.streams import Streams

    spec = build_spec(robot, world, drawn=drawn)
    spec.add_texture(
        name="andante_sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.93, 0.95, 0.98],
        rgb2=[0.70, 0.77, 0.85],
        width=64,
        height=64,
    )
    model = compiled(spec)
    random = Streams.of(seed)
    FloorVariation(robot, world, model).draw(random.friction, random.ground)
    ShapeVariation(robot, world, model, drawn=drawn).draw(random.shapes)
    return model

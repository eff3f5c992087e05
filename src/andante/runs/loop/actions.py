"""Actions: what a program outside may decide at every tick of a session, and the controllers that do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.backends.world import WorldConfig
from andante.control.actions.acting import Acting, ActionRange
from andante.control.actions.joints import TargetControl, TorqueControl
from andante.control.actions.residual import Residual, residual_on
from andante.control.controller import Controller
from andante.control.steering import Heading, LiveSteering, Steered
from andante.planning.planner import Planner
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind
from andante.runs.errors import SessionError

REACH = 0.2
"""Largest sensible shift of a joint by a residual where nothing else is said [rad]."""


def acting_controller(
    action: str,
    robot: Robot,
    kind: ControlKind | None,
    world: WorldConfig,
    *,
    period: float | None = None,
    reach: float = REACH,
) -> Controller:
    """The controller that does actions of a kind.

    Args:
        action: ``targets``, ``torques``, ``twist`` or ``residual``.
        robot: The robot.
        kind: The scenario's controller, which a twist steers and a residual shifts; None: there is none.
        world: The world.
        period: Time between two actions on joints; None: the robot's motion cycle [s].
        reach: Largest sensible shift by a residual [rad].

    Raises:
        SessionError: There is no such kind of action, or the controller does not take it.
        AndanteError: The controller cannot be made.
    """
    made = _JOINTS.get(action)
    if made is not None:
        return made(robot, period)
    if action not in ACTIONS:
        raise SessionError("there is no such kind of action", place="action", value=action, legal=ACTIONS)
    if kind is None:
        raise SessionError(
            "this kind of action needs a controller",
            place="action",
            value=action,
            remedy="name a scenario that has one",
        )
    if period is not None:
        raise SessionError(
            "the scenario's controller has its own period", place="period", value=period, remedy="leave it out"
        )
    if action == "residual":
        return residual_on(kind.controller(robot, world), robot, reach)
    followed = kind.steered_by_program()
    if followed is None:
        raise SessionError("this controller is not steered", place="action", value=kind.type)
    return followed.controller(robot, world)


def planner_beside(controller: Controller, kind: ControlKind, world: WorldConfig) -> Planner[Any, Any] | None:
    """What plans beside a controller that does actions; None: nothing.

    Raises:
        AndanteError: It cannot be made.
    """
    if isinstance(controller, TargetControl | TorqueControl):
        return None
    return kind.planner(controller.inner if isinstance(controller, Residual) else controller, world)


def action_range(controller: Controller) -> ActionRange | None:
    """What a controller may be told at every tick; None: nothing."""
    if isinstance(controller, Acting):
        return controller.actions
    live = live_steering(controller)
    return None if live is None else _twist(live)


def live_steering(controller: Controller) -> LiveSteering | None:
    """What a robot is steered by from outside while it walks; None: it is not."""
    steering = controller.steering if isinstance(controller, Steered) else None
    return steering if isinstance(steering, LiveSteering) else None


def heading_of(action: ArrayLike, live: LiveSteering) -> Heading:
    """The speeds of a twist, (3,): ahead, left [m/s], turning left [rad/s].

    Raises:
        ControlError: It is no array of three finite numbers.
    """
    forward, lateral, turn = _twist(live).checked(action).tolist()
    return Heading(forward, lateral, turn)


def _twist(live: LiveSteering) -> ActionRange:
    most = np.full(3, np.inf) if live.fastest is None else np.array(astuple(live.fastest))
    return ActionRange(("forward", "lateral", "turn"), ("m/s", "m/s", "rad/s"), -most, most)


_JOINTS: dict[str, Callable[[Robot, float | None], Controller]] = {"targets": TargetControl, "torques": TorqueControl}
ACTIONS = (*_JOINTS, "twist", "residual")
"""Kinds of actions."""

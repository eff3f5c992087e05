"""What observations may be made of: the terms that are there from the start, and the register of all."""

from __future__ import annotations

import numpy as np

from andante.control.actions.acting import ActionRange
from andante.env.terms import ObservationTerm, StepMoment, terms_of
from andante.plugins.register import Register
from andante.robots.records import Vector
from andante.robots.robot import Robot

_AXES = ("x", "y", "z")


def gravity_direction(moment: StepMoment) -> Vector:
    """Direction of gravity in the IMU's frame, (3,): R^T (0, 0, -1)."""
    w, x, y, z = moment.sensors.orientation.tolist()
    return np.array([2.0 * (w * y - x * z), -2.0 * (y * z + w * x), 2.0 * (x * x + y * y) - 1.0])


def _joints(robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    return robot.joint_names


def _axes(robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    return _AXES


def _feet(robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    return tuple(foot.name for foot in robot.feet)


def _cells(robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    return next(field.labels for field in robot.sensors_layout.fields if field.name == "force")


def _buttons(robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    return robot.buttons


def _actions(robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    return actions.labels


def _one(robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    return ("",)


def _wxyz(robot: Robot, actions: ActionRange) -> tuple[str, ...]:
    return ("w", "x", "y", "z")


_sensed = ObservationTerm.of_sensors
_SHIPPED = (
    _sensed("joint_position", "position", "rad", _joints, "joint angles"),
    _sensed("joint_velocity", "velocity", "rad/s", _joints, "joint speeds"),
    _sensed("joint_effort", "effort", "N m", _joints, "joint torques"),
    ObservationTerm("joint_target", "rad", _joints, lambda m: m.command.position, "angles that the guard let pass"),
    _sensed("orientation", "orientation", "", _wxyz, "orientation that the IMU estimates"),
    ObservationTerm("gravity", "", _axes, gravity_direction, "direction of gravity in the IMU's frame"),
    _sensed("gyro", "gyro", "rad/s", _axes, "angular velocity in the IMU's frame"),
    _sensed("accelerometer", "accelerometer", "m/s^2", _axes, "specific force there"),
    _sensed("foot_contact", "contact", "", _feet, "1 where a foot touches, else 0"),
    _sensed("cell_force", "force", "N", _cells, "force on each pressure cell"),
    _sensed("buttons", "buttons", "", _buttons, "1 where a button is pressed, else 0"),
    ObservationTerm("last_action", "", _actions, lambda m: m.action, "the last action, in its own units"),
    ObservationTerm("true_base_position", "m", _axes, lambda m: m.truth["qpos"][0:3], "origin of the base"),
    ObservationTerm("true_base_orientation", "", _wxyz, lambda m: m.truth["qpos"][3:7], "orientation of the base"),
    ObservationTerm("true_base_velocity", "m/s", _axes, lambda m: m.truth["qvel"][0:3], "in the world's axes"),
    ObservationTerm("true_base_turning", "rad/s", _axes, lambda m: m.truth["qvel"][3:6], "in the base's axes"),
    ObservationTerm("true_base_height", "m", _one, lambda m: m.truth["base_height"], "above the floor"),
    ObservationTerm("true_com", "m", _axes, lambda m: m.truth["com"], "centre of mass"),
)
OBSERVATIONS: Register[ObservationTerm] = terms_of(ObservationTerm, "observation_terms", _SHIPPED)
"""What observations may be made of, by name."""

USUAL = ("gravity", "gyro", "joint_position", "joint_velocity", "last_action")
"""What an observation is made of where nothing else is asked."""

"""Ground truth of a simulated world: what metrics and pictures see, and no controller."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from andante.backends.floor import FloorVariation
from andante.backends.impacts import ImpactMeter
from andante.backends.model_builder import ModelIndex
from andante.robots.records import Field, Layout, Record, Vector, axes, scalar
from andante.robots.robot import Robot


def truth_layout(robot: Robot, model: mujoco.MjModel, groups: tuple[str, ...]) -> Layout:
    """Layout of the truth record for a robot in a world model; ``groups`` are those of its `ImpactMeter`.

    ``qpos`` and ``qvel`` are MuJoCo's state; ``pitch`` is the full-circle angle of the base's up axis and ``roll`` its
    sideways angle, defined in every position but on the side; ``foot_force`` is the force on each foot in the world;
    ``other_contacts`` counts the contacts of the ground with anything but feet; ``power`` is sum |torque x speed| of
    all motors and ``energy`` its integral. ``base_height`` counts from the floor below the base. ``impact`` and
    ``impulse`` are the largest normal force between the floor and each of trunk and head, and its time integral, over
    the time of the last `MujocoWorld.advance`.
    """
    motors = tuple(model.actuator(i).name for i in range(model.nu))
    return Layout(
        "truth",
        (
            scalar("time", "s"),
            Field("qpos", _state_labels(model, model.jnt_qposadr, ("x", "y", "z", "qw", "qx", "qy", "qz"), model.nq)),
            Field("qvel", _state_labels(model, model.jnt_dofadr, ("vx", "vy", "vz", "wx", "wy", "wz"), model.nv)),
            Field("motor_torque", motors, "N m"),
            axes("com", "m"),
            Field("foot_force", tuple(f"{foot.name}.{axis}" for foot in robot.feet for axis in "xyz"), "N"),
            scalar("base_height", "m"),
            scalar("pitch", "rad"),
            scalar("roll", "rad"),
            scalar("other_contacts"),
            scalar("power", "W"),
            scalar("energy", "J"),
            Field("impact", groups, "N"),
            Field("impulse", groups, "N s"),
        ),
    )


def _state_labels(model: mujoco.MjModel, addresses: Vector, free: tuple[str, ...], size: int) -> tuple[str, ...]:
    """One label per state value: the joint's name, with the axis where a joint has several values."""
    starts = [int(address) for address in addresses]
    labels: list[str] = []
    for i, (start, end) in enumerate(zip(starts, [*starts[1:], size], strict=True)):
        name = model.joint(i).name or f"joint{i}"
        count = end - start
        labels += [name] if count == 1 else [f"{name}.{free[-count + k]}" for k in range(count)]
    return tuple(labels)


class TruthView:
    """Reads the truth of one world and adds up the energy."""

    def __init__(
        self,
        robot: Robot,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        index: ModelIndex,
        floor: FloorVariation,
        impacts: ImpactMeter,
    ) -> None:
        self.layout = truth_layout(robot, model, impacts.names)
        self._floor, self._impacts = floor, impacts
        self._data = data
        self._com, self._base_position = data.subtree_com[index.base], data.xpos[index.base]
        self._base_matrix = data.xmat[index.base]
        self._feet = data.sensordata[index.feet].reshape(-1, 10)
        self._foot_grounds, self._ground = data.sensordata[index.foot_grounds], index.ground
        self.meters: Vector = np.zeros(2)
        """Power [W] and energy [J] of the motors; `count_part` counts."""

    def reset(self) -> None:
        """Start counting energy at zero."""
        self.meters[:] = 0.0

    def read(self, time: float) -> Record:
        """The truth now."""
        data = self._data
        ux, uy, uz = self._base_matrix[6:9].tolist()
        x, y, z = self._base_position.tolist()
        others = data.sensordata[self._ground] - self._foot_grounds.sum()
        derived = [
            *self._com.tolist(),
            *(-self._feet[:, 1:4]).ravel().tolist(),
            z - self._floor.height(x, y),
            math.atan2(-ux, uz),
            math.asin(max(-1.0, min(1.0, uy))),
            others,
            *self.meters.tolist(),
            *self._impacts.peak.tolist(),
            *self._impacts.impulse.tolist(),
        ]
        return Record(self.layout, np.concatenate(([time], data.qpos, data.qvel, data.actuator_force, derived)))

"""JointMap: which joint of a robot is at which slot of a wire, with sign, zero and unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import BackendError
from andante.backends.hardware.packets import WireCommand
from andante.robots.description import RobotDescription
from andante.robots.records import Command, Vector

Slots = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class JointMap:
    """Joint angle = sign x scale x slot's value + offset; torques and gains follow from it, so that power is the same.

    A joint that follows another one has the slot of its leader. Slots without a joint are commanded off. Joints that
    the robot does not have, as of a head that was taken off, have slot -1.
    """

    slots: tuple[str, ...]
    """Joint at each slot of the wire, (ns,); empty: none."""
    slot_of: Slots
    """Slot of each joint in joint order, (nj,)."""
    joint_of: Slots
    """Joint of each slot, (ns,); -1: none."""
    factor: Vector
    """Sign times scale of each slot, (ns,) [rad per unit of the wire]."""
    offset: Vector
    """Angle of each slot's joint where the slot reads 0, (ns,) [rad]."""
    still: Vector
    """Angle of each joint that the robot does not have, (nj,) [rad]; NaN for those that it has."""

    @classmethod
    def of(
        cls,
        robot: RobotDescription,
        slots: Sequence[str],
        *,
        signs: Mapping[str, int] | None = None,
        offsets: Mapping[str, float] | None = None,
        scales: Mapping[str, float] | None = None,
        missing: Mapping[str, float] | None = None,
    ) -> Self:
        """The map of a robot.

        Args:
            robot: The robot.
            slots: Its joint at each slot; empty for a slot that is none of its joints.
            signs: Joints whose slot counts the other way: -1.
            offsets: Angle where the slot reads 0, by joint [rad].
            scales: Radians per unit of the slot, by joint.
            missing: Joints that the robot does not have, with their angle [rad].

        Raises:
            BackendError: A joint has no slot or two, a name is none of its joints, or a number is not legal.
        """
        names, gone = robot.joint_names, missing or {}
        for name in chain(slots, signs or {}, offsets or {}, scales or {}, gone):
            if name and name not in names:
                raise BackendError(
                    f"robot {robot.name!r} has no such joint", place="joint map", value=name, legal=names
                )
        used = [name for name in slots if name]
        twice = sorted({name for name in used if used.count(name) > 1})
        if twice:
            raise BackendError("a joint cannot have two slots", place="joint map", value=twice[0])
        slot_of, still = np.empty(len(names), dtype=np.intp), np.full(len(names), np.nan)
        for joint, name in enumerate(names):
            leader = names[int(robot.leaders[joint])]
            if name in gone and name in used:
                raise BackendError("a joint that is missing has a slot", place="joint map", value=name)
            if name not in used and (name in gone or leader in gone):
                slot_of[joint], still[joint] = -1, gone.get(name, gone.get(leader, 0.0))
                continue
            if name not in used and leader not in used:
                raise BackendError(
                    "a joint has no slot",
                    place=f"joint map of robot {robot.name!r}",
                    value=name,
                    legal=used,
                    remedy=f"backend.missing.{name}=0 where the robot does not have it",
                )
            slot_of[joint] = list(slots).index(name if name in used else leader)
        factor, offset = np.ones(len(slots)), np.zeros(len(slots))
        for slot, name in enumerate(slots):
            sign, scale = (signs or {}).get(name, 1), (scales or {}).get(name, 1.0)
            if sign not in (1, -1) or not (np.isfinite(scale) and scale > 0.0):
                raise BackendError(
                    "a slot counts by no such unit",
                    place=f"joint map, {name}",
                    value=(sign, scale),
                    limit="sign 1 or -1, scale above 0",
                )
            factor[slot], offset[slot] = sign * scale, (offsets or {}).get(name, 0.0)
        joint_of = np.array([names.index(name) if name else -1 for name in slots], dtype=np.intp)
        return cls(tuple(slots), slot_of, joint_of, factor, offset, still)

    def position(self, wire: Vector) -> Vector:
        """Joint angles, (nj,) [rad], of the slots' values, (ns,)."""
        return np.where(np.isnan(self.still), (self.factor * wire + self.offset)[self.slot_of], self.still)

    def velocity(self, wire: Vector) -> Vector:
        """Joint speeds, (nj,) [rad/s], of the slots' values, (ns,)."""
        return self._there((self.factor * wire)[self.slot_of])

    def effort(self, wire: Vector) -> Vector:
        """Joint torques, (nj,) [N m], of the slots' values, (ns,)."""
        return self._there((wire / self.factor)[self.slot_of])

    def _there(self, values: Vector) -> Vector:
        """Values of joints, 0 where there is none."""
        return np.where(np.isnan(self.still), values, 0.0)

    def of_slots(self, wire: Vector) -> Vector:
        """Values that have no direction (temperatures), (nj,), of the slots' values, (ns,)."""
        return np.where(np.isnan(self.still), wire[self.slot_of], np.nan)

    def wire_position(self, angles: Vector) -> Vector:
        """Values of the slots, (ns,), of joint angles, (nj,) [rad]; 0 where a slot has no joint."""
        return np.where(self.joint_of >= 0, (angles[self.joint_of] - self.offset) / self.factor, 0.0)

    def wire_velocity(self, speeds: Vector) -> Vector:
        """Values of the slots, (ns,), of joint speeds, (nj,) [rad/s]."""
        return np.where(self.joint_of >= 0, speeds[self.joint_of] / self.factor, 0.0)

    def wire_effort(self, torques: Vector) -> Vector:
        """Values of the slots, (ns,), of joint torques, (nj,) [N m]."""
        return np.where(self.joint_of >= 0, torques[self.joint_of] * self.factor, 0.0)

    def wire_gain(self, gains: Vector) -> Vector:
        """Gains of the slots, (ns,), of gains of joints, (nj,)."""
        return np.where(self.joint_of >= 0, gains[self.joint_of] * self.factor**2, 0.0)

    def gain(self, wire: Vector) -> Vector:
        """Gains of joints, (nj,), of gains of the slots, (ns,)."""
        return self._there((wire / self.factor**2)[self.slot_of])

    def to_wire(self, command: Command) -> WireCommand:
        """A command as the wire has it."""
        return WireCommand(
            self.wire_position(command.position),
            self.wire_velocity(command.velocity),
            self.wire_gain(command.kp),
            self.wire_gain(command.kd),
            self.wire_effort(command.torque),
        )

    def from_wire(self, wire: WireCommand, command: Command) -> None:
        """Write what the wire says into a command of the robot."""
        command.position[:] = self.position(wire.position)
        command.velocity[:] = self.velocity(wire.velocity)
        command.kp[:], command.kd[:] = self.gain(wire.kp), self.gain(wire.kd)
        command.torque[:] = self.effort(wire.torque)

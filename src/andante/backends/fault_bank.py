"""FaultBank: makes the faults of a world happen, in joints, servos and measurements."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.fault import Fault
from andante.backends.model_builder import LOCK_PREFIX, ModelIndex, motor_groups
from andante.backends.sensing import SensorSuite
from andante.backends.servos import NEVER, ServoBank
from andante.backends.tampering import Tampering
from andante.backends.world import WorldConfig
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Vector
from andante.robots.robot import Robot

_STICTION = (0.99, 0.999)
"""Impedances of strong dry friction (MuJoCo's solimp); with the usual ones a light joint creeps under it."""


class FaultBank:
    """The faults of one world: which are active, and what that means.

    Args:
        robot: The robot.
        config: The world.
        model: Its model.
        data: Its state.
        index: Where the robot's parts lie in them.
        servos: The servos that faults weaken, shift and slow down.
        sensing: The sensors that faults falsify.

    Raises:
        UnknownJointError: A fault names a joint that the robot does not have.
    """

    def __init__(
        self,
        robot: Robot,
        config: WorldConfig,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        index: ModelIndex,
        servos: ServoBank,
        sensing: SensorSuite,
    ) -> None:
        self._model, self._data, self._servos, self._sensing = model, data, servos, sensing
        self._robot, self._index, self._timestep = robot, index, config.timestep
        self._groups = groups = motor_groups(robot)
        self._faults: list[Fault] = []
        self._motors: list[list[int]] = []
        self._members: list[list[int]] = []
        self._tampering = Tampering(robot, [])
        for fault in config.faults:
            self._take(fault)
        self._declared = len(self._faults)
        leaders = [robot.joint_names[group[0]] for group in groups]
        self._locks = [int(model.equality(LOCK_PREFIX + name).id) for name in leaders]
        self._qpos, self._dofs = index.qpos[index.leader_of_motor], [index.qvel[list(group)] for group in groups]
        self._friction: Vector = model.dof_frictionloss.copy()
        self._softness: Vector = model.dof_solimp.copy()
        servos.remember(max((fault.ticks or 0 for fault in self._faults), default=0))
        self._begin: list[int] = []
        self._end: list[int] = []
        self._active: list[int] = []
        self.events: list[ControlEvent] = []
        """Begins and ends of faults that nobody has taken yet."""

    def reset(self, rng: np.random.Generator) -> None:
        """Mend everything and forget added faults."""
        worked = bool(self._active)
        for kept in (self._faults, self._motors, self._members):
            del kept[self._declared :]
        self._tampering.keep(self._declared)
        self._begin = [NEVER if f.start is None else round(f.start / self._timestep) for f in self._faults]
        self._end = [self._until(fault, begin) for fault, begin in zip(self._faults, self._begin, strict=True)]
        self._heard = [False] * len(self._faults)
        self._active = []
        self.events.clear()
        self._tampering.reset(rng)
        if self._faults or worked:
            self._apply()
        self._next = 0 if self._faults else NEVER

    def update(self, step: int) -> int:
        """Make the faults of the physics steps from ``step`` on hold; gives the step at which they change next."""
        if step >= self._next:
            active = [i for i in range(len(self._faults)) if self._begin[i] <= step < self._end[i]]
            if active != self._active:
                locked = {motor for i in self._active if self._faults[i].type == "stuck" for motor in self._motors[i]}
                self._tell(active, step)
                self._active = active
                self._apply(locked)
                # The present step stands half done; locks and dry friction belong to its first half.
                mujoco.mj_step1(self._model, self._data)
            edges = (edge for edges in (self._begin, self._end) for edge in edges if edge > step)
            self._next = min(edges, default=NEVER)
        return self._next

    def trigger(self, name: str, step: int) -> None:
        """Begin the faults of this name at physics step ``step``; one that is active begins anew.

        Raises:
            BackendError: No fault has this name.
        """
        for i in self._named(name):
            self._start(i, step)

    def mend(self, name: str, step: int) -> None:
        """End the faults of this name at physics step ``step``; they may begin again.

        Raises:
            BackendError: No fault has this name.
        """
        for i in self._named(name):
            self._begin[i] = self._end[i] = NEVER
        self._next = min(self._next, step)

    def add(self, fault: Fault, step: int) -> None:
        """Add a fault until `reset`; one without ``start`` and ``when`` begins at physics step ``step``.

        Raises:
            UnknownJointError: It names a joint that the robot does not have.
        """
        self._take(fault)
        self._heard.append(False)
        self._begin.append(NEVER if fault.start is None else round(fault.start / self._timestep))
        self._end.append(self._until(fault, self._begin[-1]))
        self._servos.remember(max(each.ticks or 0 for each in self._faults))
        if fault.start is None and fault.when is None:
            self._start(len(self._faults) - 1, step)
        self._next = min(self._next, step)

    def notify(self, event: ControlEvent, step: int) -> None:
        """Begin the faults that wait for what the controller tells: a keyframe of a block begins."""
        if event.kind is not EventKind.KEYFRAME:
            return
        for i, fault in enumerate(self._faults):
            when = fault.when
            if when is None or (self._heard[i] and not fault.repeat):
                continue
            if event.data.get("block") == when.block and event.data.get("keyframe") == when.keyframe:
                self._heard[i] = True
                self._start(i, step)

    def _take(self, fault: Fault) -> None:
        """Find out whom a fault hits."""
        robot, index = self._robot, self._index
        motors = sorted({int(index.motor_of_joint[robot.index(joint)]) for joint in fault.joints})
        members = [joint for motor in motors for joint in self._groups[motor]]
        self._faults.append(fault)
        self._motors.append(motors)
        self._members.append(members)
        self._tampering.add(fault, members)

    def _named(self, name: str) -> list[int]:
        found = [i for i, fault in enumerate(self._faults) if name and fault.name == name]
        if not found:
            legal = sorted({fault.name for fault in self._faults if fault.name})
            raise BackendError("no fault has this name", value=name, legal=legal)
        return found

    def _tell(self, active: list[int], step: int) -> None:
        for i in sorted(set(active) ^ set(self._active)):
            fault, begins = self._faults[i], i in active
            what = f"{' '.join(fault.joints) or 'IMU'}: {fault.type}" + ("" if begins else " no more")
            kind = EventKind.FAULT if begins else EventKind.FAULT_OVER
            data: dict[str, float | int | str] = {"type": fault.type, "joints": " ".join(fault.joints)}
            self.events.append(ControlEvent(step * self._timestep, kind, what, data))

    def _start(self, fault: int, step: int) -> None:
        self._begin[fault] = step
        self._end[fault] = self._until(self._faults[fault], step)
        self._next = step

    def _until(self, fault: Fault, begin: int) -> int:
        if fault.duration is None or begin == NEVER:
            return NEVER
        return begin + max(1, round(fault.duration / self._timestep))

    def _apply(self, locked: set[int] | None = None) -> None:
        """Bring about all active faults and mend all others; motors in ``locked`` keep the angle they are locked at."""
        model, data, servos = self._model, self._data, self._servos
        friction, softness = self._friction.copy(), self._softness.copy()
        nu = len(self._locks)
        left = np.ones(nu)
        offset, lag, stuck = np.zeros(nu), [0] * nu, set[int]()
        health = np.ones(len(self._sensing.health))
        for i in self._active:
            fault, motors = self._faults[i], self._motors[i]
            if fault.reported:
                health[self._members[i]] = 0.0
            for motor in motors:
                if fault.type == "stuck":
                    stuck.add(motor)
                elif fault.type == "sticky":
                    # A motor that moves several joints shares its friction among them, as in the model.
                    friction[self._dofs[motor]] += (fault.torque or 0.0) / len(self._dofs[motor])
                    softness[self._dofs[motor], :2] = _STICTION
                elif fault.type == "weak":
                    left[motor] *= 1.0 if fault.factor is None else fault.factor
                elif fault.type == "dead":
                    left[motor] = 0.0
                elif fault.type == "offset":
                    offset[motor] += fault.angle or 0.0
                elif fault.type == "delayed":
                    lag[motor] += fault.ticks or 0
        for motor, lock in enumerate(self._locks):
            if motor in stuck and motor not in (locked or ()):
                address = self._qpos[motor]
                model.eq_data[lock, 0] = data.qpos[address] - model.qpos0[address]
            data.eq_active[lock] = motor in stuck
        model.dof_frictionloss[:] = friction
        model.dof_solimp[:] = softness
        servos.weaken(left)
        servos.offset = offset if offset.any() else None
        servos.set_lag(lag if any(lag) else None)
        self._sensing.health[:] = health
        self._tampering.activate(self._active)
        self._sensing.tamper = self._tampering.apply if self._tampering.active else None

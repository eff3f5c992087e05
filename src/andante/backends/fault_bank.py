"""FaultBank: makes the faults of a world happen, in joints, servos and measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import BackendError
from andante.backends.fault import Fault
from andante.backends.model_builder import LOCK_PREFIX, ModelIndex, motor_groups
from andante.backends.sensing import SensorSuite
from andante.backends.servos import NEVER, ServoBank, steps_in
from andante.backends.world import WorldConfig
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, multiply, normalise

_STICTION = (0.99, 0.999)
"""Impedances of strong dry friction (MuJoCo's solimp); with the usual ones a light joint creeps under it."""

_READINGS = frozenset({"offset", "noisy", "dropped", "imu_offset", "imu_dropped"})
"""Kinds of faults that falsify measurements after they were taken."""


@dataclass(eq=False, slots=True)
class Hit:
    """A fault of a world: whom it hits, and when."""

    fault: Fault
    """The fault."""
    motors: list[int]
    """Motors of its joints."""
    joints: NDArray[np.intp]
    """All joints of these motors, (n,)."""
    position: NDArray[np.intp]
    """Where Sensors have their positions, (n,)."""
    columns: NDArray[np.intp]
    """Where Sensors have what is lost when they drop out, (m,)."""
    begin: int = NEVER
    """Physics step at which it begins."""
    end: int = NEVER
    """Physics step at which it ends."""
    heard: bool = False
    """Whether what it waits for has happened."""


class Tampering:
    """Falsifies vectors of Sensors.

    Args:
        robot: The robot whose sensors they are.
    """

    def __init__(self, robot: Robot) -> None:
        self._part = robot.sensors_layout.slices
        self._rng = np.random.default_rng(0)
        self._held: dict[Hit, Vector] = {}
        self.active: list[Hit] = []
        """Faults that falsify something now."""

    def reset(self, rng: np.random.Generator) -> None:
        """Forget everything that was measured; ``rng`` gives the noise."""
        self._rng = rng
        self._held.clear()
        self.active = []

    def activate(self, active: Sequence[Hit]) -> None:
        """From now on these faults are active."""
        self.active = [hit for hit in active if hit.fault.type in _READINGS]
        still = set(self.active)
        self._held = {hit: held for hit, held in self._held.items() if hit in still}

    def apply(self, vector: Vector) -> None:
        """Falsify a measurement in place; lost readings come last, so that they hold what was read before them."""
        for hit in self.active:
            fault = hit.fault
            if fault.type == "offset":
                vector[hit.position] += fault.angle or 0.0
            elif fault.type == "noisy":
                vector[hit.position] += (fault.angle or 0.0) * self._rng.standard_normal(len(hit.position))
            elif fault.type == "imu_offset":
                self._shift_imu(fault, vector)
        for hit in self.active:
            if hit.fault.type in ("dropped", "imu_dropped"):
                if hit.fault.reading == "nan":
                    vector[hit.columns] = math.nan
                else:
                    vector[hit.columns] = self._held.setdefault(hit, vector[hit.columns])

    def _shift_imu(self, fault: Fault, vector: Vector) -> None:
        part = self._part
        if fault.rotation is not None:
            orientation = vector[part["orientation"]]
            orientation[:] = normalise(multiply(orientation, exp(fault.rotation)))
        for name, shift in (("gyro", fault.rate), ("accelerometer", fault.acceleration)):
            if shift is not None:
                vector[part[name]] += shift


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
        self._tampering = Tampering(robot)
        self._hits = [self._hit(fault) for fault in config.faults]
        self._declared = len(self._hits)
        leaders = [robot.joint_names[group[0]] for group in groups]
        self._locks = [int(model.equality(LOCK_PREFIX + name).id) for name in leaders]
        self._qpos, self._dofs = index.qpos[index.leader_of_motor], [index.qvel[list(group)] for group in groups]
        self._friction: Vector = model.dof_frictionloss.copy()
        self._softness: Vector = model.dof_solimp.copy()
        self._remember()
        self._active: list[Hit] = []
        self.events: list[ControlEvent] = []
        """Begins and ends of faults that nobody has taken yet."""

    def reset(self, rng: np.random.Generator) -> None:
        """Mend everything and forget added faults."""
        worked = bool(self._active)
        del self._hits[self._declared :]
        for hit in self._hits:
            self._plan(hit)
            hit.heard = False
        self._active = []
        self.events.clear()
        self._tampering.reset(rng)
        if self._hits or worked:
            self._apply()
        self.next = 0 if self._hits else NEVER
        """Physics step at which `update` has something to do."""

    def update(self, step: int) -> int:
        """Make the faults of the physics steps from ``step`` on hold; gives the step at which they change next."""
        if step >= self.next:
            active = [hit for hit in self._hits if hit.begin <= step < hit.end]
            if active != self._active:
                locked = {motor for hit in self._active if hit.fault.type == "stuck" for motor in hit.motors}
                self._tell(active, step)
                self._active = active
                self._apply(locked)
                # The present step stands half done; locks and dry friction belong to its first half.
                mujoco.mj_step1(self._model, self._data)
            edges = (edge for hit in self._hits for edge in (hit.begin, hit.end) if edge > step)
            self.next = min(edges, default=NEVER)
        return self.next

    def trigger(self, name: str, step: int) -> None:
        """Begin the faults of this name at physics step ``step``; one that is active begins anew.

        Raises:
            BackendError: No fault has this name.
        """
        for hit in self._named(name):
            self._start(hit, step)

    def mend(self, name: str, step: int) -> None:
        """End the faults of this name at physics step ``step``; they may begin again.

        Raises:
            BackendError: No fault has this name.
        """
        for hit in self._named(name):
            hit.begin = hit.end = NEVER
        self.next = min(self.next, step)

    def add(self, fault: Fault, step: int) -> None:
        """Add a fault until `reset`; one without ``start`` and ``when`` begins at physics step ``step``.

        Raises:
            UnknownJointError: It names a joint that the robot does not have.
        """
        self._hits.append(hit := self._hit(fault))
        self._plan(hit)
        self._remember()
        if fault.start is None and fault.when is None:
            self._start(hit, step)
        self.next = min(self.next, step)

    def notify(self, event: ControlEvent, step: int) -> None:
        """Begin the faults that wait for what the controller tells: a keyframe of a block begins."""
        if event.kind is not EventKind.KEYFRAME:
            return
        for hit in self._hits:
            when = hit.fault.when
            if when is None or (hit.heard and not hit.fault.repeat):
                continue
            if event.data.get("block") == when.block and event.data.get("keyframe") == when.keyframe:
                hit.heard = True
                self._start(hit, step)

    def _hit(self, fault: Fault) -> Hit:
        """Find out whom a fault hits."""
        motors = sorted({int(self._index.motor_of_joint[self._robot.index(joint)]) for joint in fault.joints})
        joints = np.array([joint for motor in motors for joint in self._groups[motor]], dtype=np.intp)
        part = self._robot.sensors_layout.slices
        if fault.of_imu:
            columns = np.arange(part["orientation"].start, part["accelerometer"].stop)
        else:
            columns = np.concatenate([part[name].start + joints for name in ("position", "velocity", "effort")])
        return Hit(fault, motors, joints, part["position"].start + joints, columns)

    def _remember(self) -> None:
        """Keep the commands that delays need; those of one motor that are active together add up."""
        self._servos.remember(sum(hit.fault.ticks or 0 for hit in self._hits))

    def _named(self, name: str) -> list[Hit]:
        found = [hit for hit in self._hits if name and hit.fault.name == name]
        if not found:
            legal = sorted({hit.fault.name for hit in self._hits if hit.fault.name})
            raise BackendError("no fault has this name", value=name, legal=legal)
        return found

    def _tell(self, active: list[Hit], step: int) -> None:
        # Hits are told apart by identity; lists would be searched through for each of them.
        begun, changed = set(active), set(active) ^ set(self._active)
        for hit in self._hits:
            if hit not in changed:
                continue
            fault, begins = hit.fault, hit in begun
            what = f"{' '.join(fault.joints) or 'IMU'}: {fault.type}" + ("" if begins else " no more")
            kind = EventKind.FAULT if begins else EventKind.FAULT_OVER
            data: dict[str, float | int | str] = {"type": fault.type, "joints": " ".join(fault.joints)}
            self.events.append(ControlEvent(step * self._timestep, kind, what, data))

    def _start(self, hit: Hit, step: int) -> None:
        self._hold(hit, step)
        self.next = step

    def _plan(self, hit: Hit) -> None:
        """Let a fault hold when it says itself."""
        self._hold(hit, NEVER if hit.fault.start is None else steps_in(hit.fault.start, self._timestep))

    def _hold(self, hit: Hit, begin: int) -> None:
        duration = hit.fault.duration
        hit.begin = begin
        hit.end = NEVER if duration is None or begin == NEVER else begin + max(1, steps_in(duration, self._timestep))

    def _apply(self, locked: set[int] | None = None) -> None:
        """Bring about all active faults and mend all others; motors in ``locked`` keep the angle they are locked at."""
        model, data, servos = self._model, self._data, self._servos
        friction, softness = self._friction.copy(), self._softness.copy()
        nu = len(self._locks)
        left = np.ones(nu)
        offset, lag, stuck = np.zeros(nu), [0] * nu, set[int]()
        health = np.ones(len(self._sensing.health))
        for hit in self._active:
            fault = hit.fault
            if fault.reported:
                health[hit.joints] = 0.0
            for motor in hit.motors:
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

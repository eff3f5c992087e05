"""RcsssmjWorld: a lying robot of a scenario, moved by rcsssmj's server.

The robot comes to rest in MuJoCo as in any world, from the same seed; then the server lays its own robot down alike.
All that happens afterwards is the server's: its physics, floor, torque limits, delay and sensors. MuJoCo's arrays hold
what it tells, so that kinematics and ground truth are read the same way. It tells no torques and no contacts: they are
NaN, and what observers make of them is None.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from andante.backends.backend import BackendError, check_joints, whole_steps
from andante.backends.fault import Fault
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.rcsssmj.link import CYCLE, NOTHING, RcsssmjLink, link_to
from andante.backends.rcsssmj.messages import Perception, motor_text
from andante.backends.world import WorldConfig
from andante.robots.records import Command, Record, Sensors, Vector
from andante.robots.robot import Robot

PLAIN = (
    *("gravity", "carpet", "terrain", "slope", "fixed_base", "payload", "ball", "pushes", "faults"),
    *("masses", "com_shift", "torque_speed", "backlash", "stretches", "drive_noise"),
    *("sensor_latency", "sensor_jitter", "sensor_loss", "joint_latency", "command_jitter"),
)
"""Values of the world that must be as they are where nobody changes them: rcsssmj cannot be told of others."""
_PLACE = (3.0, 3.0)
"""Where it lies on rcsssmj's field, away from the ball [m]."""


def refuse_unlike(config: WorldConfig) -> None:
    """See that a world has nothing that rcsssmj cannot be told of.

    Raises:
        BackendError: It has; what it is, is named.
    """
    plain = WorldConfig()
    for name in PLAIN:
        value = getattr(config, name)
        usual = getattr(plain, name)
        if value not in (usual, (usual, usual)):
            raise BackendError(
                "rcsssmj cannot be told of this", place=f"world.{name}", value=str(value), limit=str(usual)
            )


class RcsssmjWorld(MujocoWorld):
    """A robot in a world of `WorldConfig`, moved by rcsssmj.

    Of the world its start, its sensors' noise and ``servo_strength`` count, as a factor on gains and torques that are
    asked for; friction, delay and solver are rcsssmj's own.

    Args:
        robot: The robot; rcsssmj must have one of its name and joints.
        config: The world.

    Raises:
        BackendError: The world has something that rcsssmj cannot be told of; rcsssmj is not installed, does not answer
            or lacks the robot.
    """

    knows_forces = False

    def __init__(self, robot: Robot, config: WorldConfig) -> None:
        refuse_unlike(config)
        self._linked = self._joined(robot)
        joints = robot.joint_names
        self._motors = tuple(self._linked.motors[name] for name in joints)
        self._sensor_names = tuple(self._linked.sensors[name] for name in joints)
        super().__init__(robot, config)
        model, data = self.model, self.data
        base = self._index.base
        first = int(model.body_jntadr[base])
        self._free, self._free_dof = int(model.jnt_qposadr[first]), int(model.jnt_dofadr[first])
        self._site = int(model.site(robot.imu_site).id)
        self._matrix = data.xmat[base].reshape(3, 3)

    @property
    def absent(self) -> frozenset[str]:
        """Fields of `Sensors` that are not measured; they read NaN."""
        return frozenset({"effort", "contact", "force"})

    @property
    def time(self) -> float:
        """Time since the start of the run [s]."""
        return self._cycles * CYCLE

    @property
    def version(self) -> str:
        """What simulates."""
        return self._linked.version

    @property
    def self_contact_force(self) -> float:
        """Nobody knows it: NaN."""
        return float("nan")

    def contact_forces(self) -> Iterator[tuple[int, int, Vector]]:
        """Nobody knows them: none."""
        return iter(())

    def reset(self, seed: int) -> None:
        """Let the robot come to rest in MuJoCo, and lay it down alike in rcsssmj.

        Raises:
            BackendError: The start is impossible, or rcsssmj does not answer.
            DivergenceError: The physics became unstable while the robot came to rest.
        """
        self._cycles, self._asked = 0, NOTHING
        super().reset(seed)
        if not hasattr(self, "_free"):
            # The world is still being made.
            return
        if not self._linked.alive:
            self._linked = self._joined(self.robot)
        self._linked.owner = self
        data = self.data
        pose = data.qpos[self._free : self._free + 7].copy()
        self._origin = np.array([_PLACE[0] - pose[0], _PLACE[1] - pose[1], 0.0])
        pose[:3] += self._origin
        angles = dict(zip(self.robot.joint_names, data.qpos[self._index.qpos].tolist(), strict=True))
        self._before: Perception | None = None
        self._take(self._linked.place(pose.tolist(), angles))

    def read(self) -> Sensors:
        """The sensors now; a new record at every call."""
        sensors = super().read()
        sensors.vector[0] = self.time
        for name in self.absent:
            sensors[name][:] = np.nan
        return sensors

    def write(self, command: Command) -> None:
        """Hand over a command; it acts from the next cycle on, 20 ms later, and holds until the next one.

        Raises:
            BackendError: The command is for another robot or not finite.
        """
        check_joints(command, self._command_layout)
        rows = np.column_stack([command.position, command.velocity, command.kp, command.kd, command.torque])
        if not np.isfinite(rows).all():
            raise BackendError("a command must be finite", place=f"{self.time:.3f} s", value=str(command.vector))
        rows[:, 2:] *= self.servos.strength[self._index.motor_of_joint][:, None]
        self._asked = motor_text(self._motors, rows)

    def advance(self, duration: float) -> None:
        """Let ``duration`` seconds pass.

        Raises:
            BackendError: The duration is not a whole number of cycles, or rcsssmj does not answer.
            DivergenceError: The physics became unstable there.
        """
        cycles = whole_steps(duration, CYCLE)
        if self._linked.owner is not self:
            raise BackendError("rcsssmj simulates another world meanwhile", remedy="reset this one first")
        for _ in range(cycles):
            reading = self._linked.cycle(self._asked)
            self._cycles += 1
            self._take(reading)

    def truth(self) -> Record:
        """Ground truth for metrics and pictures only; torques and forces are NaN."""
        record = super().truth()
        record["time"][:] = self.time
        for name in ("motor_torque", "foot_force", "other_contacts", "power", "energy", "impact", "impulse"):
            record[name][:] = np.nan
        return record

    def trigger(self, fault: str) -> None:
        """Refused: rcsssmj knows no faults."""
        raise BackendError("rcsssmj knows no faults", value=fault)

    def add_fault(self, fault: Fault) -> None:
        """Refused: rcsssmj knows no faults."""
        raise BackendError("rcsssmj knows no faults", value=str(fault))

    def push(self, body: str, force: Vector, point: Vector | None = None) -> None:
        """Refused: rcsssmj cannot be told to push."""
        raise BackendError("rcsssmj cannot be told to push", value=body)

    def close(self) -> None:
        """The server stays for the next world of this robot, and ends with this process."""
        self._linked.owner = None

    def _joined(self, robot: Robot) -> RcsssmjLink:
        link = link_to(robot.name.upper())
        if set(link.motors) != set(robot.joint_names):
            raise BackendError(
                f"rcsssmj's {link.model_name} has other joints",
                value=", ".join(sorted(set(link.motors) ^ set(robot.joint_names))),
                legal=sorted(link.motors),
            )
        return link

    def _take(self, reading: Perception) -> None:
        """Let MuJoCo's arrays hold what rcsssmj tells."""
        model, data, free, dof = self.model, self.data, self._free, self._free_dof
        before = reading if self._before is None else self._before
        try:
            joints = np.array([reading.joints[name] for name in self._sensor_names])
        except KeyError as error:
            raise BackendError("rcsssmj does not tell of this joint", value=str(error)) from error
        data.qpos[free : free + 3] = reading.position - self._origin
        data.qpos[free + 3 : free + 7] = reading.orientation
        data.qpos[self._index.qpos], data.qvel[self._index.qvel] = joints.T
        data.qvel[dof : dof + 3] = (reading.position - before.position) / CYCLE
        data.qvel[dof + 3 : dof + 6] = reading.gyro
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        # The IMU is elsewhere on the torso than rcsssmj's: gravity and inertia act there alike, turning does not.
        arm = self._matrix.T @ (data.site_xpos[self._site] - data.xpos[self._index.base])
        turn = self._matrix.T @ data.site_xmat[self._site].reshape(3, 3)
        spin = (reading.gyro - before.gyro) / CYCLE
        felt = reading.accelerometer + np.cross(spin, arm) + np.cross(reading.gyro, np.cross(reading.gyro, arm))
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, data.site_xmat[self._site])
        data.sensordata[self._index.imu] = [*quaternion, *(turn.T @ reading.gyro), *(turn.T @ felt)]
        self._before, self._measured = reading, None

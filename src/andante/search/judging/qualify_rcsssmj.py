"""Qualification over rcsssmj's protocol: what a server must get right of a robot before it may judge its motions.

What it senses is one physics step older than its clock says: MuJoCo computes sensors before it integrates.

Over TCP there is no stand without gravity, no torque and no force to be read. So the robot is dropped from high above,
where nothing touches it, and each motor is given a torque for one cycle: how fast its joint turns then tells torque
limit, sign, inertia, dry friction and armature, both ways. What is expected is worked out, or computed here from the
model file, with steps as long as there. Torque limits are those of the file, which may be others than the pack's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import mujoco
import numpy as np

from andante.backends.rcsssmj.link import CYCLE, NOTHING, STEP, RcsssmjLink, link_to
from andante.backends.rcsssmj.messages import Perception, motor_text
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.search.judging.qualify import Test

_HEIGHT = 100.0
"""Height from which it is dropped, so that it does not land before a test is over [m]."""
_FALL = 10
_TICKS = 50
_PRESS = 12
_BEFORE_STOP = 0.05
"""So far from its stop a joint begins that is pressed against it [rad]."""
_REST = 75
_SLOW = math.radians(0.5)
"""Slack of a joint's speed [rad/s]: the solver of dry friction."""
_CUT = math.radians(0.02)
"""Angles are cut off at 0.01 degrees [rad]."""
_FRICTION = 0.25
"""Slack of a knee's torque, two dry frictions [N m]."""


def qualify_rcsssmj(robot: Robot, link: RcsssmjLink | None = None) -> Iterator[Test]:
    """Try rcsssmj on a robot.

    Args:
        robot: The robot.
        link: Its server; None: that of this process.

    Raises:
        BackendError: The server cannot be started, or does not answer.
    """
    bench = _Bench(robot, link_to(robot.name.upper()) if link is None else link)
    yield from bench.times()
    yield from bench.falls()
    yield from bench.motors()
    yield from bench.stops()
    yield from bench.stands()


class _Bench:
    """The server's robot, and the same model here."""

    def __init__(self, robot: Robot, link: RcsssmjLink) -> None:
        link.owner = self
        self._robot, self._link = robot, link
        self._names = robot.joint_names
        self._motors = [link.motors[name] for name in self._names]
        self._sensors = [link.sensors[name] for name in self._names]
        self._model = mujoco.MjModel.from_xml_string(robot.mjcf, dict(robot.assets))
        self._model.opt.timestep = STEP
        self._data = mujoco.MjData(self._model)
        joints = [self._model.joint(name) for name in self._names]
        self._qpos = np.array([int(each.qposadr[0]) for each in joints])
        self._dofs = np.array([int(each.dofadr[0]) for each in joints])
        self._limits = np.array([self._model.jnt_actfrcrange[each.id] for each in joints])
        self._ranges = np.array([each.range for each in joints])
        start = robot.posture("stand") if "stand" in robot.postures else np.zeros(len(self._names))
        # A joint at its stop would not turn.
        inside = 0.2 * (self._ranges[:, 1] - self._ranges[:, 0])
        self._start: Vector = np.clip(start, self._ranges[:, 0] + inside, self._ranges[:, 1] - inside)

    def times(self) -> Iterator[Test]:
        """A cycle lasts 20 ms, and what is asked acts one cycle late."""
        self._drop(self._start)
        reading = self._idle(_TICKS)
        yield Test(f"{_TICKS} cycles", _TICKS * CYCLE, reading.time, "s", 0.0101)
        joint = int(np.argmax(self._limits[:, 1]))
        before, late = self._drop(self._start), 0
        rows = self._torques(joint, 0.5 * self._limits[joint, 1])
        reading = self._link.cycle(motor_text(self._motors, rows))
        while abs(self._angle(reading, joint) - self._angle(before, joint)) < 10.0 * _CUT and late < _TICKS:
            reading, late = self._link.cycle(motor_text(self._motors, rows)), late + 1
        yield Test("cycles until a motor acts", 1.0, float(late), "cycles")

    def falls(self) -> Iterator[Test]:
        """It falls as everything falls, in steps of 5 ms, and then feels no weight."""
        before = self._drop(self._start)
        reading = self._idle(_FALL)
        time = _FALL * CYCLE - STEP
        # Semi-implicit steps of length h fall g t h / 2 farther than g t^2 / 2; places are cut off at 1 mm.
        expected = 0.5 * 9.81 * time * (time + STEP)
        yield Test("free fall", expected, float(before.position[2] - reading.position[2]), "m", 1.1e-3)
        yield Test("felt in free fall", 0.0, float(np.linalg.norm(reading.accelerometer)), "m/s^2", 0.05)

    def motors(self) -> Iterator[Test]:
        """Each motor: how fast its joint turns by a torque, and by one above its limit, both ways."""
        for joint, name in enumerate(self._names):
            for side in (0, 1):
                limit = float(self._limits[joint, side])
                if not math.isfinite(limit) or limit == 0.0:
                    continue
                for torque, what in ((0.5 * limit, f"{0.5 * limit:.3g} N m"), (4.0 * limit, "its limit")):
                    expected = self._expected(joint, float(np.clip(torque, *self._limits[joint])))
                    if expected is None:
                        continue
                    self._drop(self._start)
                    self._link.cycle(motor_text(self._motors, self._torques(joint, torque)))
                    reading = self._link.cycle(NOTHING)
                    measured = reading.joints[self._sensors[joint]][1]
                    yield Test(f"{name}{'-+'[side]}: speed by {what}", expected, measured, "rad/s", _SLOW)

    def stops(self) -> Iterator[Test]:
        """Each joint stops where its range ends."""
        for joint, name in enumerate(self._names):
            for side in (0, 1):
                torque = 0.15 * float(self._limits[joint, side])
                begin = self._start.copy()
                begin[joint] = self._ranges[joint, side] + (_BEFORE_STOP, -_BEFORE_STOP)[side]
                expected = self._pressed(joint, torque, begin)
                if expected is None or not math.isfinite(torque) or torque == 0.0:
                    continue
                self._drop(begin)
                rows = self._held(joint, torque)
                for _ in range(_PRESS):
                    reading = self._link.cycle(motor_text(self._motors, rows))
                slack = max(_CUT, 0.004)
                yield Test(f"{name}{'-+'[side]}: end of its range", expected, self._angle(reading, joint), "rad", slack)

    def stands(self) -> Iterator[Test]:
        """Standing still it feels its weight, and its knees carry what is above them."""
        robot = self._robot
        if "stand" not in robot.postures:
            return
        posture = robot.posture("stand")
        self._drop(posture, self._standing(posture))
        rows = np.column_stack([posture, 0.0 * posture, robot.servo_kp, robot.servo_kd, 0.0 * posture])
        for _ in range(_REST):
            reading = self._link.cycle(motor_text(self._motors, rows))
        yield Test("felt at rest", 9.81, float(np.linalg.norm(reading.accelerometer)), "m/s^2", 0.03)
        angles = np.array([self._angle(reading, joint) for joint in range(len(self._names))])
        torques = robot.servo_kp * (posture - angles)
        needed = self._carried(reading, angles)
        knees = [i for i, name in enumerate(self._names) if "Knee" in name]
        if knees and needed is not None:
            yield Test(
                "weight on the knees",
                float(needed[knees].sum()),
                float(torques[knees].sum()),
                "N m",
                _FRICTION * len(knees),
            )

    def _drop(self, angles: Vector, height: float = _HEIGHT) -> Perception:
        pose = [3.0, 3.0, height, 1.0, 0.0, 0.0, 0.0]
        return self._link.place(pose, dict(zip(self._names, angles.tolist(), strict=True)))

    def _idle(self, cycles: int) -> Perception:
        for _ in range(cycles):
            reading = self._link.cycle(NOTHING)
        return reading

    def _angle(self, reading: Perception, joint: int) -> float:
        return reading.joints[self._sensors[joint]][0]

    def _torques(self, joint: int, torque: float) -> Vector:
        """One motor with a torque, all others off, (nj, 5)."""
        rows = np.zeros((len(self._names), 5))
        rows[joint, 4] = torque
        return rows

    def _held(self, joint: int, torque: float) -> Vector:
        """One motor with a torque, all others held where they are, (nj, 5)."""
        gains = np.minimum(np.abs(self._limits).max(axis=1) * 2.0, self._robot.servo_kp)
        rows = np.column_stack([self._start, 0.0 * self._start, gains, 0.02 * gains, 0.0 * self._start])
        rows[joint, 2:] = 0.0, 1.0, torque
        return rows

    def _begin(self, angles: Vector) -> None:
        mujoco.mj_resetData(self._model, self._data)
        self._data.qpos[2] = _HEIGHT
        self._data.qpos[self._qpos] = angles

    def _expected(self, joint: int, torque: float) -> float | None:
        """Speed of a joint after a cycle with a torque; None where a stop or another part is in the way."""
        model, data, dof = self._model, self._data, self._dofs[joint]
        self._begin(self._start)
        for step in range(7):
            data.qfrc_applied[dof] = torque if step >= 4 else 0.0
            mujoco.mj_step(model, data)
            if data.ncon or not self._inside(joint):
                return None
        return float(data.qvel[dof])

    def _pressed(self, joint: int, torque: float, begin: Vector) -> float | None:
        """Where a joint comes to rest that is pressed against its stop; None where another part is in the way."""
        model, data = self._model, self._data
        self._begin(begin)
        rows = self._held(joint, torque)
        asked, speed, kp, kd, tau = rows.T
        for step in range(4 * _PRESS - 1):
            if step >= 4:
                wanted = kp * (asked - data.qpos[self._qpos]) + kd * (speed - data.qvel[self._dofs]) + tau
                data.qfrc_applied[self._dofs] = np.clip(wanted, *self._limits.T)
            mujoco.mj_step(model, data)
            if data.ncon:
                return None
        return float(data.qpos[self._qpos[joint]]) if abs(data.qvel[self._dofs[joint]]) < 0.1 else None

    def _inside(self, joint: int) -> bool:
        low, high = self._ranges[joint]
        return bool(low + 0.01 < self._data.qpos[self._qpos[joint]] < high - 0.01)

    def _standing(self, posture: Vector) -> float:
        """Height of the torso at which the soles touch the floor [m]."""
        model, data = self._model, self._data
        mujoco.mj_resetData(model, data)
        data.qpos[2] = 0.0
        data.qpos[self._qpos] = posture
        mujoco.mj_kinematics(model, data)
        return -min(float(data.site_xpos[model.site(foot.site).id][2]) for foot in self._robot.feet)

    def _carried(self, reading: Perception, angles: Vector) -> Vector | None:
        """Torques that hold the robot up by two soles that share its weight, (nj,); None where it does not stand."""
        model, data, feet = self._model, self._data, self._robot.feet
        data.qpos[:3], data.qpos[3:7], data.qpos[self._qpos] = reading.position, reading.orientation, angles
        data.qvel[:] = 0.0
        mujoco.mj_forward(model, data)
        if data.xmat[1][8] < 0.9:
            return None
        weight = float(model.body_subtreemass[1]) * 9.81
        bias: Vector = data.qfrc_bias.copy()
        centre = data.subtree_com[1]
        for foot in feet:
            body = int(model.body(foot.body).id)
            point = data.site_xpos[model.site(foot.site).id].copy()
            point[0] = centre[0]
            jacobian = np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, jacobian, None, point, body)
            bias -= jacobian.T @ np.array([0.0, 0.0, weight / len(feet)])
        needed: Vector = bias[self._dofs]
        return needed

"""Legs of a quadruped as the kernel of leg control has them and as MuJoCo sees them, somewhere on their way."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from andante.control.quadruped.dynamics import FloatingModel
from andante.control.quadruped.leg_kernels import (
    FollowedPlan,
    LegDrives,
    LegMemory,
    LegReadings,
    LegRules,
    LegState,
    control_legs,
)
from andante.kinematics.leg_table import LeggedBody
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.footholds import MOST_SWINGS
from andante.planning.quadruped.swing import SWING
from andante.robots.robot import Robot
from andante.runs.tasks.quadruped.torque_driven import torque_driven
from andante.spatial import rotations

RULES = LegRules(
    frequency=40.0,
    damping=1.0,
    stance_kp=0.1,
    stance_kd=0.3,
    early=0.6,
    probe=0.3,
    landing_probe=0.3,
    depth=0.06,
    error=0.05,
    slow=0.5,
    ahead=0.0,
    lost=0.02,
    margin=0.03,
    brake=0.5,
    tick=0.002,
    mass=12.0,
    extend=0.06,
)
STEP = 0.03
"""Length of an interval of the plans here [s]."""


@dataclass(frozen=True)
class Walker:
    """A robot with its legs and MuJoCo's own model of it, rotors included."""

    robot: Robot
    body: QuadrupedBody
    model: mujoco.MjModel
    qpos: np.ndarray
    """Places of the joints among the coordinates, legs in order, (12,)."""
    dofs: np.ndarray
    """Places of the joints among the velocities, legs in order, (12,)."""

    @classmethod
    def load(cls, name: str) -> Walker:
        """A quadruped whose joints are driven by torques."""
        robot = torque_driven(Robot.load(name))
        body = QuadrupedBody.of(robot)
        model = robot.spec().compile()
        order = [robot.joint_names[index] for leg in body.legs.legs for index in leg.indices]
        joints = [model.joint(name) for name in order]
        dofs = np.array([int(joint.dofadr[0]) for joint in joints])
        model.dof_armature[dofs] = [robot.servos[robot.joint_names.index(name)].armature for name in order]
        return cls(robot, body, model, np.array([int(joint.qposadr[0]) for joint in joints]), dofs)

    @property
    def legs(self) -> LeggedBody:
        return self.body.legs


@dataclass
class Moment:
    """A robot somewhere on its way, as the controller's model and as MuJoCo sees it."""

    walker: Walker
    seed: int
    shift: np.ndarray = field(default_factory=lambda: np.zeros((4, 3)))

    def __post_init__(self) -> None:
        walker, random = self.walker, np.random.default_rng(self.seed)
        self.angles = walker.body.posture + random.uniform(-0.3, 0.3, (4, 3)) + self.shift
        self.speeds = random.uniform(-4.0, 4.0, (4, 3))
        self.position = random.uniform(-1.0, 1.0, 3)
        self.rotation = rotations.to_matrix(rotations.exp(random.uniform(-0.4, 0.4, 3)))
        self.velocity, self.turn = random.uniform(-1.0, 1.0, 3), random.uniform(-2.0, 2.0, 3)
        self.data = self.at(0.0)
        order = np.array([list(leg.indices) for leg in walker.legs.legs])
        joints, speeds = np.empty(12), np.empty(12)
        joints[order], speeds[order] = self.angles, self.speeds
        self.model = FloatingModel(walker.robot, walker.legs)
        self.state: LegState = self.model.update(
            self.position, self.rotation, self.velocity, self.turn, joints, speeds, np.ones(4, dtype=np.bool_)
        )

    def at(self, time: float, acceleration: np.ndarray | None = None) -> mujoco.MjData:
        """MuJoCo's data after a time in which nothing accelerates, at velocities that nothing has changed [s]."""
        walker, data = self.walker, mujoco.MjData(self.walker.model)
        data.qpos[:3] = self.position + time * self.velocity
        turned = self.rotation @ rotations.to_matrix(rotations.exp(time * self.turn))
        mujoco.mju_mat2Quat(data.qpos[3:7], np.ascontiguousarray(turned).ravel())
        data.qpos[walker.qpos] = (self.angles + time * self.speeds).ravel()
        data.qvel[:3], data.qvel[3:6] = self.velocity, self.turn
        data.qvel[walker.dofs] = self.speeds.ravel()
        mujoco.mj_fwdPosition(walker.model, data)
        mujoco.mj_fwdVelocity(walker.model, data)
        return data

    def jacobian(self, leg: int, point: np.ndarray, data: mujoco.MjData | None = None) -> np.ndarray:
        """How a point of a leg's last link moves with all velocities, (3, nv)."""
        model = self.walker.model
        foot, jacobian = self.walker.robot.feet[leg], np.zeros((3, model.nv))
        mujoco.mj_jac(model, data or self.data, jacobian, None, point, model.body(foot.body).id)
        return jacobian

    def foot(self, leg: int, data: mujoco.MjData | None = None) -> np.ndarray:
        """Centre of a foot, (3,) [m]."""
        return (data or self.data).site(self.walker.robot.feet[leg].site).xpos.copy()


class Legs:
    """The kernel with a plan of intervals in which feet stand or swing."""

    def __init__(self, moment: Moment, rules: LegRules = RULES, friction: bool = False) -> None:
        self.moment, self.rules, walker = moment, rules, moment.walker
        robot, order = walker.robot, np.array([list(leg.indices) for leg in walker.legs.legs])
        servos = [[robot.servos[index] for index in row] for row in order]
        self.friction = np.array([[s.friction for s in row] for row in servos]) * friction
        self.viscous = np.array([[s.damping for s in row] for row in servos]) * friction
        self.limits = np.stack([robot.lower[order], robot.upper[order]], axis=-1)
        self.most, self.efforts = robot.max_velocity[order], robot.max_effort[order]
        self.count = 4
        self.times = STEP * np.arange(self.count + 1)
        self.planned = np.zeros((self.count + 1, 12))
        self.planned[:, 6:9] = moment.state.velocity
        self.forces = np.zeros((self.count, 4, 3))
        self.contact = np.ones((self.count, 4))
        self.swings = np.zeros((4, MOST_SWINGS, SWING))
        self.memory = LegMemory(
            np.ones(4, dtype=np.bool_),
            np.zeros(4, dtype=np.bool_),
            np.zeros(4, dtype=np.bool_),
            np.zeros((4, 3)),
            np.zeros(4),
            np.zeros(4),
            moment.angles.copy(),
        )

    def touching(self, *feet: int) -> None:
        """Let these feet touch and no others."""
        flags = np.zeros(4, dtype=np.bool_)
        flags[list(feet)] = True
        self.moment.state = self.moment.state._replace(touching=flags)

    def swing(self, leg: int, begin: float, end: float, goal: np.ndarray, apex: float = 0.05) -> None:
        """Let a foot swing from where it is to a place, in the intervals between."""
        start = self.moment.foot(leg)
        self.swings[leg, 0] = [begin, end, *start, *goal, max(start[2], goal[2]) + apex, 0.5, 0.0, 1.0]
        middle = self.times[:-1] + 0.5 * STEP
        self.contact[(middle > begin) & (middle < end), leg] = 0.0

    def step(self, time: float) -> np.ndarray:
        """Position, velocity, kp, kd and torque of all joints, (5, 4, 3)."""
        out = np.zeros((5, 4, 3))
        moment = self.moment
        drives = LegDrives(
            moment.model.dofs,
            moment.walker.body.radius,
            self.friction,
            self.viscous,
            self.limits,
            self.most,
            self.efforts,
        )
        now = LegReadings(time, moment.angles, moment.speeds)
        plan = FollowedPlan(self.times, self.planned, self.forces, self.contact, self.swings)
        self.interval = control_legs(self.rules, moment.state, self.memory, drives, now, plan, out)
        return out

    def loosen(self) -> Legs:
        """Without limits of any kind."""
        self.limits[:] = (-1e3, 1e3)
        self.most[:] = self.efforts[:] = 1e6
        return self

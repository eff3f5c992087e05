"""Leg control against MuJoCo: stance torques, swing torques, velocity products, limits and contacts that come wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
import pytest

from andante.control.quadruped.dynamics import FloatingModel
from andante.control.quadruped.leg_kernels import (
    LegMemory,
    LegRules,
    LegState,
    _flying,
    _turn_with_body,
    _velocity_product,
    control_legs,
)
from andante.kinematics.leg_table import LeggedBody
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.footholds import MOST_SWINGS
from andante.planning.quadruped.swing import SWING
from andante.robots.robot import Robot
from andante.runs.quadruped.torque_driven import torque_driven
from andante.spatial import rotations
from andante.spatial.compiled import entry

GRAVITY = 9.81
velocity_product = entry(_velocity_product.py_func)
turn_with_body = entry(_turn_with_body.py_func)
flying = entry(_flying.py_func)
RULES = LegRules(
    frequency=40.0,
    damping=1.0,
    stance_kp=0.1,
    stance_kd=0.3,
    early=0.6,
    probe=0.3,
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

    @property
    def legs(self) -> LeggedBody:
        return self.body.legs


@pytest.fixture(scope="module", name="walker")
def _walker() -> Walker:
    robot = torque_driven(Robot.load("spirit40"))
    body = QuadrupedBody.of(robot)
    model = robot.spec().compile()
    order = [robot.joint_names[index] for leg in body.legs.legs for index in leg.indices]
    joints = [model.joint(name) for name in order]
    dofs = np.array([int(joint.dofadr[0]) for joint in joints])
    model.dof_armature[dofs] = [robot.servos[robot.joint_names.index(name)].armature for name in order]
    return Walker(robot, body, model, np.array([int(joint.qposadr[0]) for joint in joints]), dofs)


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
        self.counts = np.ones(4, dtype=np.int64)
        self.memory = LegMemory(
            np.ones(4, dtype=np.bool_),
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
        self.interval = control_legs(
            self.rules,
            moment.state,
            self.memory,
            moment.model.dofs,
            moment.walker.body.radius,
            self.friction,
            self.viscous,
            self.limits,
            self.most,
            self.efforts,
            moment.angles,
            moment.speeds,
            time,
            self.times,
            self.planned,
            self.forces,
            self.contact,
            self.swings,
            self.counts,
            out,
        )
        return out

    def loosen(self) -> Legs:
        """Without limits of any kind."""
        self.limits[:] = (-1e3, 1e3)
        self.most[:] = self.efforts[:] = 1e6
        return self


SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_standing_legs_push_as_planned_at_the_point_of_contact(walker: Walker, seed: int) -> None:
    moment = Moment(walker, seed)
    legs = Legs(moment).loosen()
    legs.forces[:] = np.random.default_rng(seed + 100).uniform(-60.0, 60.0, (4, 4, 3))
    # Interval 1 begins at 0.03 s.
    out = legs.step(0.04)
    assert legs.interval == 1
    for leg, foot in enumerate(walker.robot.feet):
        point = moment.foot(leg) - [0.0, 0.0, foot.radius]
        rows = walker.dofs[3 * leg : 3 * leg + 3]
        torque = moment.data.qfrc_bias[rows] - moment.jacobian(leg, point)[:, rows].T @ legs.forces[1, leg]
        assert out[4, leg] == pytest.approx(torque, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_standing_joints_turn_so_that_the_point_of_contact_rests(walker: Walker, seed: int) -> None:
    moment = Moment(walker, seed)
    legs = Legs(moment).loosen()
    # Halfway through interval 0 the planned velocity of the centre of mass is the mean of two.
    legs.planned[0, 6:9], legs.planned[1, 6:9] = (0.4, 0.0, 0.1), (0.8, 0.2, -0.1)
    out = legs.step(0.5 * STEP)
    com = moment.data.subtree_com[walker.model.body(walker.robot.base_body).id]
    for leg, foot in enumerate(walker.robot.feet):
        point = moment.foot(leg) - [0.0, 0.0, foot.radius]
        rows = walker.dofs[3 * leg : 3 * leg + 3]
        carried = np.array([0.6, 0.1, 0.0]) + np.cross(moment.rotation @ moment.turn, point - com)
        assert carried + moment.jacobian(leg, point)[:, rows] @ out[1, leg] == pytest.approx(np.zeros(3), abs=2e-3)
        assert out[0, leg] == pytest.approx(moment.angles[leg])


@pytest.mark.parametrize("seed", SEEDS)
def test_velocity_products_are_what_a_foot_does_while_nothing_accelerates(walker: Walker, seed: int) -> None:
    moment, small = Moment(walker, seed), 1e-5
    before, after = moment.at(-small), moment.at(small)
    for leg in range(4):
        ways = [moment.jacobian(leg, moment.foot(leg, data), data) @ data.qvel for data in (before, after)]
        found = np.zeros(3)
        velocity_product(moment.state, leg, moment.speeds, moment.state.feet[leg].copy(), found)
        assert found == pytest.approx((ways[1] - ways[0]) / (2.0 * small), abs=2e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_swinging_legs_get_the_torques_of_inverse_dynamics(walker: Walker, seed: int) -> None:
    """The foot accelerates as its way asks while the body does as the planned forces let it."""
    moment = Moment(walker, seed)
    # Without gains there are no errors, with no joint friction nothing else.
    legs = Legs(moment, RULES._replace(frequency=0.0)).loosen()
    legs.forces[:, 1:] = (8.0, -3.0, 40.0)
    push = np.array([24.0, -9.0, 120.0]) / RULES.mass - [0.0, 0.0, GRAVITY]
    time, begin, end = 0.045, 0.0, 0.12
    goal = moment.foot(0) + np.array([0.12, 0.03, 0.02])
    legs.swing(0, begin, end, goal)
    legs.touching(1, 2, 3)
    torque = legs.step(time)[4, 0]
    # A cubic from rest to rest: way (6 - 12 s) / T^2; up in the first half of the time.
    share, up = time / 0.12, time / 0.06
    way = goal - moment.foot(0)
    asked = way * (6.0 - 12.0 * share) / 0.12**2
    asked[2] = (way[2] + 0.05) * (6.0 - 12.0 * up) / 0.06**2
    small, rows = 1e-5, walker.dofs[:3]
    ways = [
        moment.jacobian(0, moment.foot(0, data), data) @ data.qvel for data in (moment.at(-small), moment.at(small))
    ]
    product = (ways[1] - ways[0]) / (2.0 * small)
    data = moment.data
    data.qacc[:3] = push
    data.qacc[rows] = np.linalg.solve(moment.jacobian(0, moment.foot(0))[:, rows], asked - push - product)
    # Other legs do not accelerate against the body; with links that turn on it they change nothing here.
    mujoco.mj_inverse(walker.model, data)
    passive = data.qfrc_passive[rows] + data.qfrc_constraint[rows]
    inverse = data.qfrc_inverse[rows] + passive
    assert np.abs(inverse).max() > 0.5
    assert torque == pytest.approx(inverse, rel=0.02, abs=0.02)


def test_a_swinging_joint_gets_the_torque_that_its_friction_takes(walker: Walker) -> None:
    torques = []
    for friction in (False, True):
        legs = Legs(Moment(walker, 3), friction=friction).loosen()
        legs.friction[:], legs.viscous[:] = 0.4 * friction, 0.02 * friction
        legs.swing(0, 0.0, 0.12, legs.moment.foot(0) + np.array([0.1, 0.0, 0.0]))
        legs.touching(1, 2, 3)
        out = legs.step(0.05)
        torques.append(out[4, 0].copy())
    speed = out[1, 0]
    assert torques[1] - torques[0] == pytest.approx(0.4 * np.tanh(speed / 0.5) + 0.02 * speed, abs=1e-9)


def test_errors_of_a_swing_act_as_one_natural_frequency(walker: Walker) -> None:
    moment = Moment(walker, 2)
    legs = Legs(moment).loosen()
    legs.swing(0, 0.0, 0.12, moment.foot(0) + np.array([0.02, 0.0, 0.0]), apex=0.01)
    legs.touching(1, 2, 3)
    out = legs.step(0.06)
    rows = walker.dofs[:3]
    inertia = np.zeros((walker.model.nv, walker.model.nv))
    mujoco.mj_fullM(walker.model, moment.data, inertia)
    assert out[2, 0] == pytest.approx(40.0**2 * np.diag(inertia)[rows])
    assert out[3, 0] == pytest.approx(2.0 * 40.0 * np.diag(inertia)[rows])
    calm = Legs(moment, RULES._replace(frequency=0.0)).loosen()
    calm.swings, calm.contact = legs.swings, legs.contact
    base = calm.step(0.06)[4, 0]
    # What the drives add is the diagonal; together it is M (w^2 e + 2 w e').
    error = 40.0**2 * (out[0, 0] - moment.angles[0]) + 80.0 * (out[1, 0] - moment.speeds[0])
    drives = out[2, 0] * (out[0, 0] - moment.angles[0]) + out[3, 0] * (out[1, 0] - moment.speeds[0])
    assert out[4, 0] + drives - base == pytest.approx(inertia[np.ix_(rows, rows)] @ error, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_targets_keep_limits_and_rates_whatever_is_asked(walker: Walker, seed: int) -> None:
    random = np.random.default_rng(seed)
    # Also from beyond the limits.
    moment = Moment(walker, seed, random.uniform(-1.0, 1.0, (4, 3)))
    legs = Legs(moment, friction=True)
    inside = np.clip(moment.angles, legs.limits[..., 0] + 0.03, legs.limits[..., 1] - 0.03)
    legs.memory.target[:] = inside
    legs.forces[:] = random.uniform(-300.0, 300.0, (4, 4, 3))
    for leg in range(2):
        legs.swing(leg, 0.0, 0.12, moment.foot(leg) + random.uniform(-1.0, 1.0, 3))
    legs.touching(2, 3)
    before = legs.memory.target.copy()
    for tick in range(20):
        out = legs.step(0.002 * tick)
        assert np.isfinite(out).all()
        assert (out[0] >= legs.limits[..., 0] + 0.03 - 1e-12).all()
        assert (out[0] <= legs.limits[..., 1] - 0.03 + 1e-12).all()
        assert (np.abs(out[0] - before) <= 0.002 * legs.most * 0.95 + 1e-12).all()
        assert (np.abs(out[1]) <= legs.most).all()
        assert (np.abs(out[4]) <= legs.efforts).all()
        assert (out[2:4] >= 0.0).all()
        before = out[0].copy()


def test_a_joint_beyond_its_limit_is_pushed_back_and_no_farther(walker: Walker) -> None:
    moment = Moment(walker, 0)
    legs = Legs(moment)
    moment.angles[1, 2] = legs.limits[1, 2, 1] - 0.01
    legs.forces[:] = (0.0, 0.0, -200.0)
    out = legs.step(0.0)
    # 0.03 rad are kept, 0.02 of them are gone: that many times the gain pushes back at least.
    assert out[1, 1, 2] <= 0.0
    assert out[4, 1, 2] <= -0.02 * out[2, 1, 2] + 1e-9


def swinging(walker: Walker) -> Legs:
    """The left fore leg swings for two intervals and then stands; all others stand."""
    legs = Legs(Moment(walker, 1))
    legs.forces[:] = (0.0, 0.0, 40.0)
    legs.swing(0, 0.0, 0.06, legs.moment.foot(0) + np.array([0.05, 0.0, 0.0]))
    legs.touching(1, 2, 3)
    return legs


def test_a_foot_that_touches_late_in_its_swing_stands(walker: Walker) -> None:
    legs = swinging(walker)
    legs.step(0.002)
    assert legs.memory.landed.tolist() == [False, True, True, True]
    legs.touching(0, 1, 2, 3)
    # 0.6 of the swing are 36 ms: until then it may be the ground that it leaves.
    legs.step(0.034)
    assert not legs.memory.landed[0]
    gains = legs.step(0.04)[2, 0]
    assert legs.memory.landed[0]
    assert gains == pytest.approx(0.1 * 40.0**2 * np.diag(legs.moment.state.inertia)[legs.moment.model.dofs[0]])
    # It goes on to stand, although the switch bounces.
    legs.touching(1, 2, 3)
    legs.step(0.044)
    assert legs.memory.landed[0]


def test_a_foot_that_finds_no_ground_goes_on_down_until_it_does(walker: Walker) -> None:
    legs = swinging(walker)
    for time in np.arange(0.0, 0.06, 0.002):
        legs.step(time)
    end = legs.moment.foot(0) + np.array([0.05, 0.0, 0.0])
    assert legs.memory.end[0] == pytest.approx(end)
    asked = []
    for time in np.arange(0.062, 0.12, 0.002):
        out = legs.step(time)
        asked.append(legs.moment.foot(0) + _motion(legs, out))
        assert not legs.memory.landed[0]
        # It does not push: no share of a standing leg's gains.
        assert out[2, 0] == pytest.approx(40.0**2 * np.diag(legs.moment.state.inertia)[legs.moment.model.dofs[0]])
    assert asked[-1][2] < asked[0][2]
    legs.touching(0, 1, 2, 3)
    legs.step(0.12)
    assert legs.memory.landed[0]
    # And it does not probe again where the switch stays closed.
    legs.step(0.122)
    assert legs.memory.landed[0]
    assert not legs.memory.swung[0]


def _motion(legs: Legs, out: np.ndarray) -> np.ndarray:
    """Where the foot is sent from where it is, to first order, (3,) [m]."""
    rows = legs.moment.walker.dofs[:3]
    jacobian = legs.moment.jacobian(0, legs.moment.foot(0))[:, rows]
    return np.asarray(jacobian @ (out[0, 0] - legs.moment.angles[0]))


def test_without_probing_a_late_foot_pushes_by_its_plan(walker: Walker) -> None:
    legs = swinging(walker)
    legs.rules = RULES._replace(probe=0.0, lost=1.0)
    for time in np.arange(0.0, 0.068, 0.002):
        legs.step(time)
    assert legs.memory.landed[0]


def test_a_standing_foot_that_loses_the_ground_looks_for_it(walker: Walker) -> None:
    legs = Legs(Moment(walker, 4))
    legs.forces[:] = (0.0, 0.0, 40.0)
    stands = legs.step(0.0)[2, 2].copy()
    legs.touching(0, 1, 3)
    # 20 ms without the switch are forgiven, as switches bounce.
    assert legs.step(0.018)[2, 2] == pytest.approx(stands)
    looks = legs.step(0.024)
    assert looks[2, 2] == pytest.approx(10.0 * stands)
    assert legs.memory.landed.tolist() == [True, True, False, True]
    assert legs.memory.end[2] == pytest.approx(legs.moment.foot(2))
    legs.touching(0, 1, 2, 3)
    assert legs.step(0.03)[2, 2] == pytest.approx(stands)
    assert legs.memory.landed.all()


def test_the_interval_is_that_of_the_time(walker: Walker) -> None:
    legs = Legs(Moment(walker, 0))
    found = []
    for time in (-0.01, 0.0, 0.029, 0.03, 0.0899, 0.09, 0.5):
        legs.step(time)
        found.append(legs.interval)
    assert found == [0, 0, 0, 1, 2, 3, 3]


@pytest.mark.parametrize("side", [0, 1])
def test_a_joint_that_would_strike_its_stop_is_braked(walker: Walker, side: int) -> None:
    sign, room = (-1.0, 1.0)[side], 0.2
    moment = Moment(walker, 4)
    full = np.zeros((walker.model.nv, walker.model.nv))
    mujoco.mj_fullM(walker.model, moment.data, full)
    inertia = full[walker.dofs[2], walker.dofs[2]]

    def knee(speed: float, share: float = 0.5) -> tuple[np.ndarray, float]:
        """Its targets, and the torque that they come to."""
        moment.speeds[0, 2] = sign * speed
        legs = Legs(moment, RULES._replace(brake=share, frequency=5.0))
        legs.limits[0, 2, side] = moment.angles[0, 2] + sign * room
        legs.limits[0, 2, 1 - side] = moment.angles[0, 2] - sign * 2.0
        legs.touching(1, 2, 3)
        legs.swing(0, 0.0, 0.12, moment.foot(0))
        out = legs.step(0.05)[:, 0, 2]
        return out, out[4] + out[2] * (out[0] - moment.angles[0, 2]) + out[3] * (out[1] - sign * speed)

    most = walker.robot.max_effort[walker.legs.legs[0].indices[2]]
    # v^2 = 2 a s: what stops it takes 0.4 of the torque limit, which is let be, then 0.8.
    calm, quick = np.sqrt(2.0 * room * np.array([0.4, 0.8]) * most / inertia)
    assert knee(calm)[0] == pytest.approx(knee(calm, 1e6)[0])
    out, torque = knee(quick)
    assert sign * torque <= -0.8 * most + 1e-9 or out[4] == pytest.approx(-sign * most)
    assert sign * torque < sign * knee(quick, 1e6)[1]
    # Away from the stop it may be as fast as it likes.
    assert knee(-quick)[0] == pytest.approx(knee(-quick, 1e6)[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_in_a_flight_a_swing_turns_with_the_body(walker: Walker, seed: int) -> None:
    moment, random = Moment(walker, seed), np.random.default_rng(seed)
    state, small = moment.state, 1e-6
    yaw = np.arctan2(moment.rotation[1, 0], moment.rotation[0, 0])
    tilt = moment.rotation @ rotations.rotation_z(-yaw)
    away, speed = random.uniform(-0.3, 0.3, 3), random.uniform(-2.0, 2.0, 3)
    place, velocity = state.com + away, state.velocity + speed
    turn_with_body(state, 1.0, place, velocity)
    assert place == pytest.approx(state.com + tilt @ away)
    # The same place a moment later, with the body turned on about the level axes.
    level = np.array([state.angular[0], state.angular[1], 0.0])
    later = rotations.to_matrix(rotations.exp(level * small)) @ tilt @ (away + speed * small)
    assert velocity - state.velocity == pytest.approx((later - tilt @ away) / small, abs=1e-4)
    half, slow = state.com + away, state.velocity + speed
    turn_with_body(state, 0.5, half, slow)
    assert half == pytest.approx(state.com + 0.5 * (away + tilt @ away))


def test_legs_turn_with_the_body_only_far_from_landings(walker: Walker) -> None:
    legs = Legs(Moment(walker, 1))
    legs.touching()
    stands = np.zeros(4)
    for leg in range(4):
        legs.swing(leg, -0.1, 0.20 + 0.01 * leg, legs.moment.foot(leg))
    # The first lands in 0.2 s; from 0.12 to 0.06 s before that it fades.
    for time, share in ((0.0, 1.0), (0.08, 1.0), (0.11, 0.5), (0.14, 0.0), (0.2, 0.0)):
        assert flying(RULES, legs.moment.state, legs.swings, stands, time) == pytest.approx(share)
    stands[3] = 1.0
    assert flying(RULES, legs.moment.state, legs.swings, stands, 0.0) == 0.0
    stands[3] = 0.0
    legs.touching(2)
    assert flying(RULES, legs.moment.state, legs.swings, stands, 0.0) == 0.0

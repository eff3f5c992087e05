"""Faults: each kind shows its effect, in its window only, with values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError

from andante.backends.backend import BackendError, Listener
from andante.backends.fault import Fault
from andante.backends.fault_bank import Hit
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push, Start, WorldConfig
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.parts import UnknownJointError
from andante.robots.records import Command
from andante.robots.robot import Robot
from andante.spatial.rotations import to_rpy

STILL = (0.0, 0.0, 0.0)
INERTIA = 0.5 * 0.4**2


def hung(robot: Robot, *faults: Fault, **fields: object) -> MujocoWorld:
    """A robot on a test stand without gravity."""
    values = {"fixed_base": True, "gravity": STILL, "command_delay": 0, "start": Start(height=2.0), "faults": faults}
    return MujocoWorld(robot, WorldConfig(**{**values, **fields}))  # type: ignore[arg-type]


def ask(robot: Robot, position: float = 0.0, stiffness: float = 1.0, **rows: float) -> Command:
    command = robot.command()
    command.position[:] = position
    command.kp[:] = robot.servo_kp * stiffness
    command.kd[:] = robot.servo_kd * stiffness
    for name, value in rows.items():
        command[name][:] = value
    return command


def run(world: MujocoWorld, seconds: float, command: Command | None = None) -> np.ndarray:
    """Measured positions, (n, nj), at the end of every tick."""
    rows = []
    for _ in range(round(seconds / world.robot.tick)):
        if command is not None:
            world.write(command)
        world.advance(world.robot.tick)
        rows.append(world.read().position)
    return np.array(rows)


def test_stuck_keeps_the_angle_and_lets_go(pendulum: Robot) -> None:
    world = hung(pendulum, Fault(type="stuck", joints=("swing",), start=0.1, duration=0.3))
    # 1 N m on 0.08 kg m^2 for 0.1 s: 0.0625 rad, give or take one step.
    before = run(world, 0.1, ask(pendulum, stiffness=0.0, torque=1.0))[-1, 0]
    assert before == pytest.approx(0.5 * 1.0 / INERTIA * 0.1**2, rel=0.03)
    stuck = run(world, 0.3, ask(pendulum, stiffness=0.0, torque=1.0))
    assert stuck[:, 0] == pytest.approx(before, abs=0.005)
    assert np.ptp(stuck[10:, 0]) < 1e-4
    after = run(world, 0.1, ask(pendulum, stiffness=0.0, torque=1.0))[-1, 0]
    assert after - stuck[-1, 0] == pytest.approx(0.0625, rel=0.05)


@pytest.mark.parametrize("named", ["left_twist", "right_twist"])
def test_joints_of_one_motor_are_stuck_as_one(biped: Robot, named: str) -> None:
    world = hung(biped, Fault(type="stuck", joints=(named,), start=0.0))
    positions = run(world, 0.6, ask(biped, 0.5))
    assert np.abs(positions[:, [0, 2]]).max() < math.radians(0.5)
    assert positions[-1, [1, 3]] == pytest.approx([0.5, 0.5], abs=0.01)


@pytest.mark.parametrize(("friction", "torque"), [(0.4, 1.0), (0.9, 1.0), (1.5, 1.0)])
def test_sticky_adds_dry_friction(pendulum: Robot, friction: float, torque: float) -> None:
    world = hung(pendulum, Fault(type="sticky", joints=("swing",), start=0.0, torque=friction))
    run(world, 0.1, ask(pendulum, stiffness=0.0, torque=torque))
    speed = max(0.0, torque - friction) / INERTIA * 0.1
    assert world.read().velocity[0] == pytest.approx(speed, abs=0.02)


def test_sticky_coupled_joints_share_the_friction_of_their_motor(biped: Robot) -> None:
    slow, fast = (hung(biped, Fault(type="sticky", joints=("left_twist",), start=0.0, torque=t)) for t in (1.5, 0.8))
    for world in (slow, fast):
        run(world, 0.1, ask(biped, stiffness=0.0, torque=1.0))
    assert abs(slow.read().velocity[0]) < 0.01
    assert abs(fast.read().velocity[0]) > 0.1


@pytest.mark.parametrize(("fault", "share"), [({"type": "weak", "factor": 0.5}, 0.5), ({"type": "dead"}, 0.0)])
def test_weak_and_dead_scale_the_torque_in_their_window(
    pendulum: Robot, fault: dict[str, object], share: float
) -> None:
    world = hung(pendulum, Fault.model_validate({**fault, "joints": ("swing",), "start": 0.004, "duration": 0.004}))
    world.write(ask(pendulum, stiffness=0.0, torque=2.0))
    efforts = []
    for _ in range(6):
        world.advance(0.002)
        efforts.append(world.read().effort[0])
    assert efforts == pytest.approx([2.0, 2.0, 2.0 * share, 2.0 * share, 2.0, 2.0])


def test_weak_twice_is_weaker_and_keeps_the_drawn_strength(pendulum: Robot) -> None:
    faults = [Fault(type="weak", joints=("swing",), start=0.0, factor=f) for f in (0.5, 0.4)]
    world = hung(pendulum, *faults, servo_strength=0.8)
    run(world, 0.01, ask(pendulum, stiffness=0.0, torque=2.0))
    assert world.read().effort[0] == pytest.approx(2.0 * 0.5 * 0.4 * 0.8)


def test_offset_shifts_the_link_and_hides_it(pendulum: Robot) -> None:
    world = hung(pendulum, Fault(type="offset", joints=("swing",), start=1.006, duration=1.0, angle=0.1))
    assert run(world, 1.0, ask(pendulum, 0.3))[-1, 0] == pytest.approx(0.3, abs=1e-3)
    world.advance(0.01)
    # The encoder jumps at once, the link follows.
    assert world.read().position[0] == pytest.approx(0.4, abs=0.06)
    run(world, 0.9, ask(pendulum, 0.3))
    assert world.read().position[0] == pytest.approx(0.3, abs=1e-3)
    assert world.truth()["qpos"][0] == pytest.approx(0.2, abs=1e-3)
    run(world, 1.0, ask(pendulum, 0.3))
    assert world.truth()["qpos"][0] == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("ticks", [1, 3])
def test_delayed_acts_on_commands_so_many_ticks_old(biped: Robot, ticks: int) -> None:
    world = hung(biped, Fault(type="delayed", joints=("left_ankle",), start=0.0, ticks=ticks))
    targets = []
    for tick in range(9):
        world.write(ask(biped, 0.3 if tick >= 2 else 0.0))
        world.advance(biped.tick)
        targets.append(world.data.ctrl.copy())
    moved = np.array(targets) > 0.0
    assert moved[:, 2].tolist() == [False] * 2 + [True] * 7
    assert moved[:, 1].tolist() == [False] * (2 + ticks) + [True] * (7 - ticks)


def test_a_delay_that_begins_holds_the_command_and_one_that_ends_jumps(pendulum: Robot) -> None:
    world = hung(pendulum, Fault(type="delayed", joints=("swing",), start=0.05, duration=0.05, ticks=3))
    used = []
    for tick in range(14):
        world.write(ask(pendulum, 0.001 * tick))
        world.advance(0.01)
        used.append(round(float(world.data.ctrl[0]) * 1000))
    assert used == [0, 1, 2, 3, 4, 4, 4, 4, 5, 6, 10, 11, 12, 13]


def test_delays_of_one_joint_that_are_active_together_add_up(pendulum: Robot) -> None:
    world = hung(
        pendulum,
        Fault(type="delayed", joints=("swing",), start=0.0, ticks=3),
        Fault(type="delayed", joints=("swing",), start=0.0, ticks=2),
    )
    used = []
    for tick in range(10):
        world.write(ask(pendulum, 0.001 * tick))
        world.advance(0.01)
        used.append(round(float(world.data.ctrl[0]) * 1000))
    assert used == [0, 0, 0, 0, 0, 0, 1, 2, 3, 4]


def test_noisy_is_white_and_of_the_asked_size(pendulum: Robot) -> None:
    world = hung(pendulum, Fault(type="noisy", joints=("swing",), start=1.0, angle=0.05))
    error = run(world, 6.0, ask(pendulum))[:, 0] - world.truth()["qpos"][0]
    assert np.abs(error[:98]).max() < 1e-6
    assert error[100:].std() == pytest.approx(0.05, rel=0.12)
    assert abs(error[100:].mean()) < 0.01
    assert abs(world.truth()["qpos"][0]) < 1e-6


def test_dropped_readings_are_held_or_lost(biped: Robot) -> None:
    for reading in ("hold", "nan"):
        fault = Fault(type="dropped", joints=("left_ankle",), start=0.036, duration=0.12, reading=reading)
        world = hung(biped, fault)
        rows = []
        for _ in range(30):
            world.write(ask(biped, 0.4))
            world.advance(biped.tick)
            sensors = world.read()
            rows.append((sensors.position[1], sensors.velocity[1], sensors.effort[1], sensors.position[3]))
        lost = np.array(rows)[2:12]
        if reading == "hold":
            assert np.ptp(lost[:, :3], axis=0) == pytest.approx(0.0)
        else:
            assert np.isnan(lost[:, :3]).all()
        assert np.ptp(lost[:, 3]) > 0.1
        # The servo has gone on meanwhile.
        assert rows[-1][0] == pytest.approx(rows[-1][3], abs=1e-6)


def test_imu_offset_turns_and_shifts(biped: Robot) -> None:
    fault = Fault(type="imu_offset", start=0.1, rotation=(0.0, 0.2, 0.0), rate=(0.1, 0.0, 0.0), acceleration=(0, 0, 1))
    world = hung(biped, fault, gravity=(0.0, 0.0, -9.81))
    world.advance(0.096)
    clean = world.read()
    world.advance(0.012)
    wrong = world.read()
    assert to_rpy(clean.orientation) == pytest.approx((0, 0, 0), abs=1e-6)
    assert to_rpy(wrong.orientation) == pytest.approx((0.0, 0.2, 0.0), abs=1e-6)
    assert wrong.gyro - clean.gyro == pytest.approx((0.1, 0.0, 0.0), abs=1e-6)
    assert wrong.accelerometer - clean.accelerometer == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


@pytest.mark.parametrize("reading", ["hold", "nan"])
def test_imu_dropped(quadruped: Robot, reading: str) -> None:
    fault = Fault(type="imu_dropped", start=0.05, duration=0.05, reading=reading)
    world = MujocoWorld(quadruped, WorldConfig(start=Start(height=2.0), gravity=STILL, faults=(fault,)))
    world.data.qvel[3:6] = (1.0, 2.0, 3.0)
    rows = []
    for _ in range(75):
        world.advance(0.002)
        rows.append(np.concatenate((world.read().orientation, world.read().gyro)))
    lost = np.array(rows)[24:49]
    assert np.isnan(lost).all() if reading == "nan" else (lost == lost[0]).all()
    assert rows[-1] == pytest.approx(np.concatenate((world.truth()["qpos"][3:7], world.truth()["qvel"][3:6])))


def test_what_the_drivers_notice(biped: Robot) -> None:
    world = hung(biped, Fault(type="dead", joints=("right_twist",), start=0.012, duration=0.012, reported=True))
    health = []
    for _ in range(4):
        world.advance(0.012)
        health.append(world.read().health.tolist())
    assert health == [[0, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]


def test_triggered_by_name(pendulum: Robot) -> None:
    world = hung(pendulum, Fault(type="dead", name="cut", joints=("swing",), duration=0.02))
    command = ask(pendulum, stiffness=0.0, torque=1.0)
    run(world, 0.05, command)
    assert world.read().effort[0] == pytest.approx(1.0)
    world.trigger("cut")
    run(world, 0.02, command)
    assert world.read().effort[0] == 0.0
    run(world, 0.02, command)
    assert world.read().effort[0] == pytest.approx(1.0)
    with pytest.raises(BackendError, match="no fault has this name; got 'cutt'; did you mean 'cut'"):
        world.trigger("cutt")


@pytest.mark.parametrize("repeat", [False, True])
def test_begins_with_a_keyframe(pendulum: Robot, repeat: bool) -> None:
    when = {"block": "rise", "keyframe": 3}
    fault = Fault.model_validate(
        {"type": "dead", "joints": ("swing",), "when": when, "duration": 0.01, "repeat": repeat}
    )
    world = hung(pendulum, fault)
    assert isinstance(world, Listener)
    efforts = []
    for block, index in (("rise", 2), ("rise", 3), ("fall", 3), ("rise", 3), ("rise", 4)):
        world.notify(ControlEvent(world.time, EventKind.KEYFRAME, "", {"block": block, "keyframe": index}))
        run(world, 0.01, ask(pendulum, stiffness=0.0, torque=1.0))
        efforts.append(world.read().effort[0])
    assert efforts == pytest.approx([1.0, 0.0, 1.0, 0.0 if repeat else 1.0, 1.0])
    world.reset(0)
    world.notify(ControlEvent(0.0, EventKind.KEYFRAME, "", {"block": "rise", "keyframe": 3}))
    run(world, 0.01, ask(pendulum, stiffness=0.0, torque=1.0))
    assert world.read().effort[0] == 0.0


ALL_KINDS = (
    Fault(type="stuck", joints=("left_ankle",), start=0.1, duration=0.2),
    Fault(type="sticky", joints=("right_ankle",), start=0.1, duration=0.2, torque=0.5),
    Fault(type="weak", joints=("left_twist",), start=0.2, duration=0.2, factor=0.5),
    Fault(type="offset", joints=("left_ankle",), start=0.35, duration=0.1, angle=0.02),
    Fault(type="delayed", joints=("right_ankle",), start=0.1, duration=0.3, ticks=2),
    Fault(type="noisy", joints=("left_twist",), start=0.0, angle=0.01),
    Fault(type="dropped", joints=("right_ankle",), start=0.4, duration=0.05),
    Fault(type="imu_dropped", start=0.2, duration=0.1),
)


def test_a_reset_mends_everything_and_the_seed_decides(biped: Robot) -> None:
    config = WorldConfig(faults=ALL_KINDS, servo_strength=(0.8, 1.2), backlash=(0.0, 0.01))
    records = []
    world = MujocoWorld(biped, config)
    for seed in (3, 4, 3):
        world.reset(seed)
        rows = []
        for tick in range(40):
            rows.append(world.read().vector.tobytes())
            world.write(ask(biped, 0.05 * math.sin(tick)))
            world.advance(biped.tick)
        records.append(rows)
    assert records[0] == records[2]
    assert records[0] != records[1]
    other = MujocoWorld(biped, config)
    other.reset(3)
    world.reset(3)
    assert (other.model.dof_frictionloss == world.model.dof_frictionloss).all()
    assert (other.data.eq_active == world.data.eq_active).all()


def test_unknown_joints_are_named_with_the_legal_ones(biped: Robot) -> None:
    with pytest.raises(UnknownJointError, match=r"no such joint; got 'left_ancle'; did you mean 'left_ankle'"):
        MujocoWorld(biped, WorldConfig(faults=(Fault(type="dead", joints=("left_ancle",), start=0.0),)))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"type": "sticky", "joints": ["a"], "start": 0}, "a sticky fault needs torque"),
        ({"type": "stuck", "joints": ["a"], "start": 0, "torque": 1}, "a stuck fault has no torque"),
        ({"type": "stuck", "start": 0}, "a stuck fault needs joints"),
        ({"type": "imu_dropped", "joints": ["a"], "start": 0}, "an imu_dropped fault has no joints"),
        ({"type": "stuck", "joints": ["a"]}, "needs start, when, or a name"),
        ({"type": "stuck", "joints": ["a"], "start": 0, "when": {"block": "b"}}, "either at a time"),
        ({"type": "stuck", "joints": ["a"], "start": 0, "repeat": True}, "can repeat"),
        ({"type": "imu_dropped", "start": 0, "reported": True}, "of joints only"),
        ({"type": "jammed", "joints": ["a"], "start": 0}, "stuck"),
        ({"type": "weak", "joints": ["a"], "start": -1, "factor": 0.5}, "greater than or equal to 0"),
    ],
)
def test_refuses(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Fault.model_validate(fields)


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_fault_leaves_the_strength_that_was_set_alone(pendulum: Robot, when: str) -> None:
    """A trial may draw one strength for all servos, after the world was reset or while a fault is on: the fault takes
    its share of that, and gives back all of it."""
    limit = pendulum.servos[0].max_torque
    world = hung(pendulum, Fault(type="weak", joints=("swing",), factor=0.25, start=0.1, duration=0.1))
    if when == "before":
        world.servos.set_strength(np.array([0.8]))
    torques = []
    for tick in range(3):
        run(world, 0.1 - world.robot.tick if tick == 0 else 0.1, ask(pendulum))
        if tick == 1 and when == "during":
            world.servos.set_strength(np.array([0.8]))
        torques.append(float(world.model.actuator_forcerange[0, 1]))
    assert world.servos.strength == pytest.approx([0.8])
    first = 0.8 if when == "before" else 1.0
    assert torques == pytest.approx([first * limit, 0.2 * limit, 0.8 * limit])


def test_a_fault_from_the_first_step_on_survives_a_strength_that_is_set_afterwards(pendulum: Robot) -> None:
    world = hung(pendulum, Fault(type="dead", joints=("swing",), start=0.0))
    world.servos.set_strength(np.array([1.1]))
    run(world, 0.05, ask(pendulum))
    assert world.model.actuator_forcerange[0, 1] == 0.0


def test_an_added_fault_is_gone_after_a_reset(pendulum: Robot) -> None:
    world = hung(pendulum)
    friction = world.model.dof_frictionloss.copy()
    for fault in (
        Fault(type="sticky", joints=("swing",), torque=2.0, name="x"),
        Fault(type="dead", joints=("swing",), name="x"),
    ):
        world.add_fault(fault)
        world.trigger("x")
    run(world, 0.05, ask(pendulum))
    world.reset(1)
    run(world, 0.05, ask(pendulum))
    assert world.model.dof_frictionloss == pytest.approx(friction)
    assert world.model.actuator_forcerange[0, 1] == pytest.approx(pendulum.servos[0].max_torque)


def test_what_begins_after_any_run_or_lasts_longer_never_comes(pendulum: Robot) -> None:
    joint = pendulum.joint_names[0]
    faults = (Fault(type="dead", joints=(joint,), start=1e308, duration=1e308),)
    pushes = (Push(time=1e308, duration=1e308, force=(1.0, 0.0, 0.0)),)
    world = MujocoWorld(pendulum, WorldConfig(start=Start(height=1.0), faults=faults, pushes=pushes))
    world.advance(0.1)
    assert world.take_events() == []
    assert not world.data.xfrc_applied.any()


def test_faults_are_not_compared_with_each_other(pendulum: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    monkeypatch.setattr(Hit, "__eq__", lambda self, other: compared.append(other) or self is other, raising=False)
    many = [Fault(type="weak", joints=("swing",), factor=0.5, start=0.01, duration=0.02) for _ in range(200)]
    world = hung(pendulum, *many)
    run(world, 0.05)
    kinds = [event.kind for event in world.take_events()]
    assert kinds == [EventKind.FAULT] * 200 + [EventKind.FAULT_OVER] * 200
    # Each begin and end looked through all faults that were active.
    assert len(compared) < 200

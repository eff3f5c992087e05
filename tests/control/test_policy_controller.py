"""What a policy sees and asks for, number by number, and what happens where its network gives no numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_policy import DEFAULT, KP, LEGS, SIZE, save_contract, save_network

from andante.control.events import EventKind
from andante.control.policies.asked import AskedSpeeds
from andante.control.policies.binding import bind
from andante.control.policies.contract import AxisCommand, PolicyCommands
from andante.control.policies.controller import HOLD, RELEASE, PolicyController
from andante.control.policies.files import load_policy
from andante.control.policies.terms import POLICY_TERMS, PolicyTerm
from andante.control.steering import Heading, SteeringScript, Turn
from andante.errors import AndanteError
from andante.kinematics.forward import Kinematics
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.01)


def controller(folder: Path, robot: Robot, network: Path | None = None, *turns: Turn, **changes: Any):
    file = load_policy(save_contract(folder, network, **changes))
    return PolicyController(bind(file.contract, robot, file.network), SteeringScript(turns))


def sensors_at(robot: Robot, time: float, **values: Any):
    sensors = robot.sensors()
    sensors.vector[0] = time
    sensors.orientation[0] = 1.0
    for name, value in values.items():
        sensors[name][:] = value
    return sensors


def looking_glass(folder: Path, column: int, size: int = SIZE) -> Path:
    """A network whose first number is one of what it sees, and whose others are 0."""
    matrix = np.zeros((size, 12))
    matrix[column, 0] = 1.0
    return save_network(folder / "glass.onnx", matrix, np.zeros(12))


@pytest.mark.parametrize(
    ("column", "seen"),
    [
        (0, 0.0),
        (1, math.sin(0.3)),
        (2, -math.cos(0.3)),
        (5, 0.25 * 0.8),
        (6, 0.3),
        (8, -1.0),
        (12, 0.1),
        (24, 0.05 * 2.0),
    ],
)
def test_terms_are_what_they_say(tmp_path: Path, nao: Robot, column: int, seen: float) -> None:
    policy = controller(tmp_path, nao, looking_glass(tmp_path, column), Turn(0.0, Heading(9.0, 0.05, -3.0)))
    # Rolled by -0.3 rad: the left side is low, gravity points to the left.
    sensors = sensors_at(nao, 0.0, orientation=(math.cos(-0.15), math.sin(-0.15), 0.0, 0.0), gyro=(0.0, 0.0, 0.8))
    sensors.position[nao.index("LKneePitch")] = DEFAULT[3] + 0.1
    sensors.velocity[nao.index("LKneePitch")] = 2.0
    policy.step(sensors)
    assert policy.telemetry["action"][0] == pytest.approx(seen, abs=1e-6)


def test_the_base_moves_about_the_ankles_of_feet_that_stand(tmp_path: Path, nao: Robot) -> None:
    network = save_network(tmp_path / "v.onnx", np.eye(3, 12), np.zeros(12))
    term = {"observations": [{"name": "base_velocity"}], "inputs": [{"name": "obs", "size": 3}], "commands": None}
    policy = controller(tmp_path, nao, network, **term)
    kinematics, turning = Kinematics(nao), 0.5
    kinematics.update(nao.posture("stand"))
    ankle = kinematics.pose("LAnkle")[0]
    for tick in range(60):
        # Ankles that push their toes down turn the trunk back over feet that stand.
        sensors = sensors_at(nao, 0.01 * tick, position=nao.posture("stand"), gyro=(0.0, -turning, 0.0))
        for side in "LR":
            sensors.velocity[nao.index(f"{side}AnklePitch")] = turning
        policy.step(sensors)
    expected = np.cross([0.0, -turning, 0.0], -ankle)
    seen = policy.telemetry["action"][:3]
    assert seen[0] == pytest.approx(expected[0], abs=0.02)
    assert seen[0] < -0.1
    assert abs(seen[1]) < 0.01


def test_the_last_action_is_seen_before_its_clip(tmp_path: Path, nao: Robot) -> None:
    bias = np.zeros(12)
    bias[5] = 7.0
    matrix = np.zeros((SIZE, 12))
    matrix[33 + 5, 0] = 1.0
    policy = controller(tmp_path, nao, save_network(tmp_path / "n.onnx", matrix, bias))
    policy.step(sensors_at(nao, 0.0))
    assert policy.telemetry["action"][0] == 0.0
    for tick in (1, 2):
        command = policy.step(sensors_at(nao, 0.01 * tick))
    assert policy.telemetry["action"][0] == pytest.approx(7.0)
    # Cut to 2 and scaled by a quarter.
    assert command.position[nao.index("LAnkleRoll")] == pytest.approx(0.5)


def test_targets_stay_between_two_calls(tmp_path: Path, nao: Robot) -> None:
    policy = controller(tmp_path, nao)
    rows = [policy.step(sensors_at(nao, 0.01 * tick, gyro=(0.1 * tick, 0.0, 0.0))).position.copy() for tick in range(4)]
    assert np.array_equal(rows[0], rows[1])
    assert np.array_equal(rows[2], rows[3])
    assert not np.array_equal(rows[1], rows[2])


def test_gains_are_the_contract_s_and_others_are_held(tmp_path: Path, nao: Robot) -> None:
    command = controller(tmp_path, nao, others={"posture": "stand", "stiffness": 0.5}).step(sensors_at(nao, 0.0))
    legs = [nao.index(name) for name in LEGS]
    np.testing.assert_allclose(command.kp[legs], KP)
    head = nao.index("HeadYaw")
    assert command.kp[head] == 0.5 * nao.servo_kp[head]
    assert command.position[nao.index("LShoulderPitch")] == nao.posture("stand")[nao.index("LShoulderPitch")]
    # The right hip yaw pitch is moved by the left one's motor.
    assert command.position[nao.index("RHipYawPitch")] == command.position[nao.index("LHipYawPitch")]


@pytest.mark.parametrize(
    ("order", "interleaved", "expected"),
    [
        ("oldest-first", False, [0, 0, 0, 0, 0, 0, 2, 0, 0]),
        ("newest-first", False, [2, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("newest-first", True, [2, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("oldest-first", True, [0, 0, 2, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_history_stands_in_its_order(
    tmp_path: Path, nao: Robot, order: str, interleaved: bool, expected: list[float]
) -> None:
    term = {"name": "gyro", "history": 3, "order": order, "interleaved": interleaved}
    network = save_network(tmp_path / "h.onnx", np.eye(9, 12), np.zeros(12))
    policy = controller(tmp_path, nao, network, observations=[term], inputs=[{"name": "obs", "size": 9}], commands=None)
    for tick in range(5):
        policy.step(sensors_at(nao, 0.01 * tick, gyro=(2.0 if tick >= 4 else 0.0, 0.0, 0.0)))
    np.testing.assert_allclose(policy.telemetry["action"][:9], expected)


def test_a_delay_is_counted_in_time(tmp_path: Path, nao: Robot) -> None:
    network = save_network(tmp_path / "d.onnx", np.eye(3, 12), np.zeros(12))
    policy = controller(
        tmp_path,
        nao,
        network,
        observations=[{"name": "gyro", "delay": 0.03}],
        inputs=[{"name": "obs", "size": 3}],
        commands=None,
    )
    seen = []
    for tick in range(9):
        policy.step(sensors_at(nao, 0.01 * tick, gyro=(float(tick), 0.0, 0.0)))
        seen.append(policy.telemetry["action"][0])
    # Called at every second tick; the first reading stands for all before it.
    assert seen == [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 5.0]


def test_the_phase_follows_the_clock_and_the_network(tmp_path: Path, nao: Robot) -> None:
    bias = np.zeros(13)
    bias[12] = 3.0
    network = save_network(tmp_path / "p.onnx", np.zeros((2, 13)), bias)
    policy = controller(
        tmp_path,
        nao,
        network,
        inputs=[{"name": "obs", "size": 2}],
        outputs=[{"name": "actions", "size": 13}],
        observations=[{"name": "gait_phase"}],
        commands=None,
        gait={"frequency": 1.5, "output": 12, "most": 0.5},
    )
    for tick in range(5):
        policy.step(sensors_at(nao, 0.01 * tick))
    # Called at 0, 20 and 40 ms, each time on by 20 ms of 2 Hz.
    assert policy.telemetry["phase"][0] == pytest.approx(3 * 0.02 * 2.0)


def test_standing_needs_slow_walking_first() -> None:
    def axis(most: float, slow: float) -> AxisCommand:
        return AxisCommand(range=(-most, most), acceleration=1.0, slow=slow)

    commands = PolicyCommands(forward=axis(1.0, 0.1), lateral=axis(0.5, 0.1), turn=axis(2.0, 0.1), stand_after=0.5)
    asked = AskedSpeeds(commands, 0.1)
    assert asked.standing
    asked.update(Heading(0.4))
    assert not asked.standing
    assert asked.told[0] == pytest.approx(0.1)
    for _ in range(5):
        asked.update(Heading(9.0))
    assert asked.told[0] == pytest.approx(0.6)
    standing = []
    for _ in range(11):
        asked.update(Heading())
        standing.append(asked.standing)
    # Slow from the fifth call on, and for half a second then.
    assert standing == [False] * 8 + [True] * 3
    assert not asked.told.any()


def test_without_numbers_it_holds_then_releases_and_gives_up(tmp_path: Path, nao: Robot) -> None:
    # The root of a number below zero is none: the robot is turned over after a while.
    matrix = np.zeros((SIZE, 12))
    matrix[2, :] = -1.0
    policy = controller(tmp_path, nao, save_network(tmp_path / "root.onnx", matrix, np.zeros(12), root=True))
    index, last, told = nao.index("LKneePitch"), None, []
    for tick in range(140):
        up = 1.0 if tick < 10 else 0.0
        command = policy.step(sensors_at(nao, 0.01 * tick, orientation=(up, 1.0 - up, 0.0, 0.0)))
        told += policy.take_events()
        assert np.isfinite(command.vector).all()
        since = 0.01 * (tick - 9)
        if tick == 9:
            last = command.position[index]
        elif 0.0 < since < HOLD:
            assert command.position[index] == last
            assert command.kp[index] == KP[3]
        elif HOLD + 0.05 < since < HOLD + RELEASE - 0.05:
            assert 0.0 < command.kp[index] < KP[3]
            assert command.kd[index] > 0.0
    assert policy.failed
    assert command.kp[index] == 0.0
    assert command.kd[index] == 0.0
    assert [event.kind for event in told] == [EventKind.NO_NUMBERS, EventKind.HELP]
    assert "'tiny' gives no numbers" in told[0].text


def test_a_moment_without_numbers_is_bridged(tmp_path: Path, nao: Robot) -> None:
    matrix = np.zeros((SIZE, 12))
    matrix[2, :] = -1.0
    policy = controller(tmp_path, nao, save_network(tmp_path / "root.onnx", matrix, np.zeros(12), root=True))
    told = []
    for tick in range(60):
        up = 0.0 if 20 <= tick < 30 else 1.0
        policy.step(sensors_at(nao, 0.01 * tick, orientation=(up, 1.0 - up, 0.0, 0.0)))
        told += [event.text for event in policy.take_events()]
    assert not policy.failed
    assert len(told) == 2
    assert told[1].endswith("gives numbers again")


def test_a_reset_repeats_byte_for_byte(tmp_path: Path, nao: Robot) -> None:
    policy = controller(tmp_path, nao, None, Turn(0.05, Heading(0.1)))

    def rows() -> bytes:
        return b"".join(
            policy.step(sensors_at(nao, 0.01 * tick, gyro=0.01 * tick)).vector.tobytes() for tick in range(30)
        )

    first = rows()
    policy.reset()
    assert rows() == first


def test_a_term_of_one_s_own_is_seen(tmp_path: Path, nao: Robot) -> None:
    POLICY_TERMS.register("clock", PolicyTerm("clock", "s", lambda sight: 1, lambda now: [now.sensors.time], "time"))
    try:
        network = save_network(tmp_path / "c.onnx", np.eye(1, 12), np.zeros(12))
        term = {"observations": [{"name": "clock"}], "inputs": [{"name": "obs", "size": 1}], "commands": None}
        policy = controller(tmp_path, nao, network, **term)
        for tick in range(3):
            policy.step(sensors_at(nao, 0.01 * tick))
        assert policy.telemetry["action"][0] == pytest.approx(0.02)
    finally:
        POLICY_TERMS.unregister("clock")


def _in_place(values):
    values -= 0.1
    return values


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (lambda now: 1 / 0, r"its observation term of policies 'own' failed: ZeroDivisionError: division by zero"),
        (lambda now: _in_place(now.sensors.velocity[:1]), "ValueError: .*read-only"),
        (lambda now: _in_place(now.last_action[:1]), "ValueError: .*read-only"),
        (lambda now: [math.nan], r"observations\[0\], number 0: the term 'own' gives a number that is not finite"),
    ],
)
def test_a_term_of_one_s_own_that_does_something_wrong_is_named(
    tmp_path: Path, nao: Robot, read: Any, told: str
) -> None:
    POLICY_TERMS.register("own", PolicyTerm("own", "", lambda sight: 1, read, "own"))
    try:
        network = save_network(tmp_path / "c.onnx", np.eye(1, 12), np.zeros(12))
        term = {"observations": [{"name": "own"}], "inputs": [{"name": "obs", "size": 1}], "commands": None}
        policy = controller(tmp_path, nao, network, **term)
        with pytest.raises(AndanteError, match=told):
            policy.step(sensors_at(nao, 0.0))
    finally:
        POLICY_TERMS.unregister("own")


def test_torques_are_cut_to_the_limits_of_training(tmp_path: Path, nao: Robot) -> None:
    network = save_network(tmp_path / "t.onnx", np.zeros((SIZE, 12)), np.full(12, 2.0))
    action = {"kind": "torque", "scale": 10.0, "offset": 0.0, "clip": "none"}
    command = controller(tmp_path, nao, network, action=action, kp=0.0).step(sensors_at(nao, 0.0))
    legs = [nao.index(name) for name in LEGS]
    assert (command.torque[legs] == 3.0).all()
    assert not command.kp[legs].any()

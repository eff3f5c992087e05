"""Robots as their owners have them: counts, other joints, limbs that are not there, turned IMUs, full disks."""

from __future__ import annotations

import json
import math
import re
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hardware_plants import SITTING, looped

from andante.backends.backend import BackendError
from andante.backends.hardware.link import PacketLink, Transport
from andante.backends.hardware.packets import WireCommand, WireError
from andante.backends.hardware.udp import UdpCodec
from andante.backends.world import WorldConfig
from andante.cli.hardware import kind_of
from andante.control.arming.armed import ArmedController
from andante.control.arming.measured import Vitals, findings_of
from andante.control.arming.phase import Phase
from andante.control.arming.settings import SafetySettings
from andante.control.arming.tilt import TURNS, TiltCheck
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.backends.udp import UdpBackend
from andante.runs.errors import RecordingError
from andante.runs.hardware.fakes import hardware_kind
from andante.runs.hardware.guided import Resting
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.loop.tick import Observer, Tick
from andante.runs.session import Session
from andante.runs.task import scenario_of
from andante.spatial.rotations import conjugate, exp, from_rpy, multiply, to_matrix

QUICK = SafetySettings(measure=1.2, rise=0.2, settle=0.2, fade=0.2, sit="", damp=0.3)


def test_counts_of_a_bridge_go_on_where_they_begin_again_and_old_packets_do_not_leap() -> None:
    codec = UdpCodec(["hip"], 0.01)

    def ticks(counts: list[int], wraps: int = 0) -> list[int]:
        return [codec.state(b'{"seq": %d, "position": [0]}' % count).tick for count in counts]

    assert ticks([65534, 65535, 0, 65533, 1]) == [65534, 65535, 65536, 65533, 65537]
    # A bridge that began anew is none of these.
    assert ticks([40000, 3]) == [65536 + 40000, 65536 + 3]

    class Counted(UdpCodec):
        wraps = 256

        def _counted(self, seq: int) -> int:
            return seq

    link = PacketLink(Counted(["hip"], 0.01), Nowhere(), "here")
    found = [link._read(b'{"seq": %d, "position": [0]}' % count, None) for count in (254, 255, 1, 253, 2)]
    assert [state.tick for state in found if state is not None] == [254, 255, 257, 253, 258]


def test_null_is_what_a_bridge_says_of_what_it_does_not_know() -> None:
    packet = {"seq": 1, "position": [0.1], "velocity": None, "gyro": None, "by": None, "mode": None}
    state = UdpCodec(["hip"], 0.01).state(json.dumps(packet | {"battery": None, "contact": None}).encode())
    assert (state.by, state.mode) == ("", "")
    assert all(getattr(state, name) is None for name in ("velocity", "gyro", "battery", "contact", "identity"))


def test_a_silent_fake_in_this_process_is_no_fault_of_the_computer() -> None:
    backend, _ = looped(arrives=lambda tick: tick < 10)
    backend.reset(0)
    backend.watch.processor.cause = lambda silence: "this computer was late"  # type: ignore[method-assign]
    with pytest.raises(BackendError) as raised:
        backend.looked_at(2.0)
    assert "no state has come" in str(raised.value)
    assert "computer" not in str(raised.value)


def test_a_bridge_of_a_robot_with_other_joints_is_told_by_what_it_says() -> None:
    hello = {"version": 1, "robot": "nao", "joints": ["a", "b"], "period": 0.01}
    codec = UdpCodec(["hip"], 0.01)
    for told in ({"hello": hello}, {}):
        packet = json.dumps({"seq": 1, "position": [0.0, 0.0], **told}).encode()
        with pytest.raises(WireError, match="this is another robot; got 'nao, 2 joints'; limit: 1 joints"):
            codec.state(packet)


def test_two_of_us_on_one_robot_see_each_other_but_not_who_was_there_before() -> None:
    codec = UdpCodec(["hip"], 0.01)
    link = PacketLink(codec, Nowhere(), "here")

    def told(seq: int, by: str) -> int:
        link._read(json.dumps({"seq": seq, "position": [0.0], "by": by}).encode(), None)
        return link.traffic.foreign

    command = WireCommand.off(1)
    link.send(command)
    assert told(1, "andante 0000") == 0
    assert told(2, command.by) == 0
    assert told(3, "andante 0000") == 1
    assert told(4, "the team's own program") == 2


def test_a_version_is_a_text_whatever_it_looks_like() -> None:
    assert kind_of("udp", ["firmware=7.10"]).firmware == "7.10"


class Nowhere(Transport):
    """A transport to nobody."""

    def open(self) -> None: ...

    def receive(self, until: float) -> list[Any]:
        return []

    def send(self, packet: Any) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize("kind", ["dynamixel", "lola"])
def test_a_joint_behind_a_gear_is_as_stiff_as_its_servo_can_make_it(kind: str) -> None:
    robot = Robot.load("nao")
    ours = hardware_kind({"type": kind, "scales": {"HeadYaw": 0.5}})
    codec, theirs = ours.codec(robot), hardware_kind({"type": kind}).codec(robot, fake=True)
    command = robot.command()
    command.kp[:], command.position[robot.index("HeadYaw")] = 0.5 * robot.servo_kp, 0.2
    packed = ours.joint_map(robot, codec).to_wire(command)
    taken = theirs.command(codec.pack_command(packed))
    slot = codec.slots.index("HeadYaw")
    assert taken.kp[slot] == pytest.approx(0.5 * robot.servo_kp[robot.index("HeadYaw")], rel=0.01)
    assert taken.position[slot] == pytest.approx(0.4, abs=1e-3)


def test_an_imu_that_is_turned_in_the_torso_reads_as_the_torso() -> None:
    made, plant = looped()
    mounted = from_rpy(np.array([math.pi, 0.0, 0.5]))
    try:
        made.reset(0)
        right = plant.world.read()
        state = made.state
        state.orientation = multiply(right.orientation, mounted)
        back = to_matrix(mounted).T
        state.gyro, state.accelerometer = back @ right.gyro, back @ right.accelerometer
        made.mounted = mounted
        sensors = made.read()
        np.testing.assert_allclose(np.abs(sensors.orientation @ right.orientation), 1.0, atol=1e-9)
        np.testing.assert_allclose(sensors.gyro, right.gyro, atol=1e-9)
        np.testing.assert_allclose(sensors.accelerometer, right.accelerometer, atol=1e-9)
    finally:
        made.close()
    kind = hardware_kind({"type": "udp", "imu_turned": [0.0, 0.0, 1.57]})
    assert kind.backend(made.robot, WorldConfig()).mounted is not None


def test_a_battery_in_per_cent_is_a_wrong_unit() -> None:
    robot = Robot.load("littledog")
    readings = [robot.sensors() for _ in range(6)]
    found = findings_of(robot, readings, QUICK, Vitals(battery=85.0), frozenset())
    (told,) = [each for each in found if each.what == "battery"]
    assert (told.good, told.remedy) == (False, "wrong unit: a share is 0 to 1")


def test_a_robot_without_its_head_is_moved_by_the_joints_that_it_has() -> None:
    head = {"HeadYaw": 0.2, "HeadPitch": 0.0}
    made, plant = looped(backend={"missing": head})
    try:
        made.reset(0)
        assert "HeadYaw" not in made.link.codec.slots
        sensors = made.read()
        yaw = made.robot.index("HeadYaw")
        assert (sensors.position[yaw], sensors.velocity[yaw]) == (0.2, 0.0)
        command = made.robot.command()
        command.position[:], command.kp[:] = sensors.position, made.robot.servo_kp
        command.position[yaw] = 0.5
        made.write(command)
        assert made.read().position[yaw] == 0.5
        assert plant.commands == 1
    finally:
        made.close()
    kind = hardware_kind({"type": "udp", "joints": list(made.link.codec.slots)})
    codec = kind.codec(made.robot)
    with pytest.raises(BackendError, match=r"a joint has no slot.*backend.missing.HeadYaw=0"):
        kind.joint_map(made.robot, codec)


def sitting(**more: Any) -> tuple[Session, ArmedController, Any]:
    """A session that arms a sitting NAO and lets go of it."""
    made, plant = looped(start=SITTING, **more)
    robot = made.robot
    inner = Resting(robot, made.link.codec.period)
    armed = ArmedController(inner, robot, QUICK, None, made.absent, only="arm")
    guard = Guard(robot, inner.period, GuardSettings(stale_hold=0.5, stale_limp=0.5))
    return Session(made, armed, guard, limits=RunLimits(20.0, 0.0), name="arm"), armed, plant


class FullDisk(Observer):
    def __init__(self, armed: ArmedController) -> None:
        self._armed = armed

    def see(self, tick: Tick) -> None:
        if self._armed.phase is Phase.SETTLE:
            raise RecordingError("the log cannot be written", value="No space left on device")


def test_a_full_disk_lets_go_of_a_robot_slowly_and_is_told_afterwards() -> None:
    session, armed, plant = sitting()
    session.observe(FullDisk(armed))
    with pytest.raises(RecordingError, match="No space left on device"):
        Runner(session).run()
    shares = [share for _, share in plant.stiffness]
    assert max(shares) == pytest.approx(1.0)
    assert shares[-1] == 0.0
    # Gains fall step by step; they do not drop.
    assert max(-np.diff(shares)) < 0.2
    assert "the run cannot go on" in armed.failure


def test_a_closed_terminal_lets_go_of_a_robot_slowly() -> None:
    session, armed, plant = sitting()

    class HangUp(Observer):
        def see(self, tick: Tick) -> None:
            if armed.phase is Phase.SETTLE:
                signal.raise_signal(signal.SIGHUP)

    # Tests that are run by nohup begin deaf to a hang-up, and a run leaves that so.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        session.observe(HangUp())
        runner = Runner(session)
        outcome = runner.run()
        assert runner.terminated
        assert str(outcome.ending) == "interrupted"
        assert max(-np.diff([share for _, share in plant.stiffness])) < 0.2
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.7, 1.5, 4.0])
def test_a_robot_that_heard_nothing_for_long_is_damped_however_long_that_was(pause: float) -> None:
    made, _ = looped(start=SITTING)
    kind = UdpBackend(type="udp", safety=QUICK)
    armed = kind.above(Resting(made.robot, made.link.codec.period), made)
    assert isinstance(armed, ArmedController)
    guard = Guard(made.robot, armed.period, GuardSettings(stale_hold=0.5, stale_limp=0.5))
    paused = False

    class Pause(Observer):
        def see(self, tick: Tick) -> None:
            nonlocal paused
            if armed.phase is Phase.SETTLE and not paused:
                # As after the process was stopped: the last command is that long ago.
                paused = True
                made._written -= pause

    session = Session(made, armed, guard, limits=RunLimits(20.0, 0.0), observers=[Pause()])
    outcome = Runner(session).run()
    assert paused
    assert str(outcome.ending) == "failed"
    assert f"nothing was commanded for {pause:.1f}" in armed.failure


def test_a_robot_of_another_kind_ends_a_session_by_one_message() -> None:
    session, _, plant = sitting()
    plant.settings = plant.settings.changed(robot="t1")
    with pytest.raises(BackendError, match="this is a robot of another kind; got 't1'"):
        session.start()
    assert plant.commands == 0


def test_states_without_speeds_are_a_robot_that_does_not_measure_them() -> None:
    session, _, plant = sitting()
    codec = plant.codec
    codec.measured -= {"velocity", "effort"}
    session.start()
    events = session.step().events
    assert [event.text for event in events if "have no" in event.text] == [
        "the robot's states have no effort, velocity: nothing is measured there"
    ]
    assert not session.step().checked.velocity.any()
    assert not [event for event in events if "not finite" in event.text]
    session.end(at_once=True)
    session.close()


def test_a_robot_that_lies_and_an_imu_that_stands_still_are_found_before_anything_moves() -> None:
    robot = Robot.load("spirit40")
    readings = []
    for tick in range(40):
        sensors = robot.sensors()
        sensors.vector[0], sensors.orientation[:] = 0.004 * tick, (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
        sensors.position[:] = robot.posture("stand")
        sensors.accelerometer[1] = 9.81
        readings.append(sensors)
    bad = [each.what for each in findings_of(robot, readings, QUICK, Vitals(), frozenset()) if not each.good]
    assert bad == ["imu"]
    armed = ArmedController(Resting(robot, 0.01), robot, QUICK)
    rng = np.random.default_rng(0)
    for tick in range(125):
        sensors = readings[0].copy()
        sensors.vector[0] = 0.01 * tick
        sensors.gyro[:] = rng.normal(0.0, 1e-3, 3)
        command = armed.step(sensors)
        assert not command.kp.any()
    remedy = "set it up; where it is, its IMU is turned: backend.imu_turned; where it may lie: safety.tilt=null"
    assert armed.failure == f"not armed: upright: tilted by 90 deg (limit 60); {remedy}"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("", "turned by 0.3. rad, gyro and orientation agree"),
        ("degrees", "gyro tells of a turn by .* wrong unit of the gyro"),
        ("last", "orientation turned (the other way|about z)"),
        ("axes", "gyro turned about . in place of ."),
        ("sign", "gyro turned the other way"),
        ("still", "gyro did not turn"),
    ],
)
def test_a_hand_that_tilts_a_robot_shows_what_is_wrong_with_its_imu(wrong: str, words: str) -> None:
    robot = Robot.load("littledog")
    for way, axis, sign in TURNS:
        check, found = TiltCheck(way, axis, sign), None
        for tick in range(400):
            sensors = robot.sensors()
            turn = np.zeros(3)
            turn[axis] = sign * min(0.5 * 0.01 * max(tick - 20, 0), 0.6)
            speed = np.zeros(3)
            speed[axis] = sign * 0.5 * (20 < tick <= 140)
            w, x, y, z = exp(turn).tolist()
            sensors.vector[0] = 0.01 * tick
            sensors.orientation[:] = (x, y, z, w) if wrong == "last" else (w, x, y, z)
            factor = {"degrees": math.degrees(1.0), "sign": -1.0, "still": 0.0}.get(wrong, 1.0)
            sensors.gyro[:] = factor * (speed[[2, 0, 1]] if wrong == "axes" else speed)
            found = check.see(sensors)
            if found is not None:
                break
        assert found is not None
        assert re.search(words, found.text), found.text
        assert found.good == (not wrong)


@pytest.mark.parametrize(("yaw", "degrees"), [(0.5, 90), (1.0, 180), (-0.5, -90), (0.47, 90)])
def test_a_hand_that_tilts_a_robot_shows_how_its_imu_is_turned_and_the_setting_that_is_told_turns_it_back(
    yaw: float, degrees: int
) -> None:
    robot, mounted = Robot.load("littledog"), from_rpy(np.array([0.0, 0.0, yaw * math.pi]))
    for way, axis, sign in TURNS:
        for told in (False, True):
            check, found = TiltCheck(way, axis, sign), None
            right = from_rpy(np.array([0.0, 0.0, math.radians(degrees)]))
            for tick in range(200):
                sensors, turn, speed = robot.sensors(), np.zeros(3), np.zeros(3)
                turn[axis] = sign * min(0.5 * 0.01 * max(tick - 20, 0), 0.6)
                speed[axis] = sign * 0.5 * (20 < tick <= 140)
                sensors.vector[0] = 0.01 * tick
                # What the sensor reads in its own axes, then turned back as `imu_turned` does.
                sensors.orientation[:] = multiply(exp(turn), mounted)
                sensors.gyro[:] = to_matrix(mounted).T @ speed
                if told:
                    sensors.orientation[:] = multiply(sensors.orientation, conjugate(right))
                    sensors.gyro[:] = to_matrix(right) @ sensors.gyro
                found = found or check.see(sensors)
            assert found is not None
            if told:
                assert found.good, found.text
            else:
                assert not found.good
                setting = f"backend.imu_turned: [0, 0, {math.radians(degrees):.4f}], {degrees} deg about z"
                assert setting in found.text


def test_a_backend_may_stand_in_a_file_in_the_place_of_its_kind(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("type: udp\naddress: 10.0.0.1:99\nmissing: {HeadYaw: 0.0}\n")
    kind = kind_of(str(file), ["missing.HeadPitch=0.1"])
    assert (kind.type, kind.address, kind.missing) == ("udp", "10.0.0.1:99", {"HeadYaw": 0.0, "HeadPitch": 0.1})
    assert scenario_of("nao/wave", backend=str(file)).moved.address == "10.0.0.1:99"
    for text, words in (("a: 1", "says no type of backend"), ("type: udp\nfool: 1", "no such setting; got 'fool'")):
        file.write_text(text)
        with pytest.raises(AndanteError, match=words):
            kind_of(str(file), [])

"""rcsssmj over TCP: its messages, its world and what can go wrong, all against a fake of its protocol."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from andante.backends.backend import BackendError
from andante.backends.fault import Fault
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.rcsssmj import environment
from andante.backends.rcsssmj.link import CYCLE, RcsssmjLink, close_links
from andante.backends.rcsssmj.messages import framed, motor_text, parse, perception_of, placing_text
from andante.backends.rcsssmj.world import PLAIN, RcsssmjWorld
from andante.backends.world import Start, WorldConfig
from andante.robots.robot import Robot

FAKE = Path(__file__).with_name("fake_rcsssmj.py")
TOLD = (
    b"(time (now 0.05))(GS (t 0.0) (pm BeforeKickOff))(quat (n torso_quat) (q 0.707 0.0 0.707 0.0))"
    b"(pos (n torso_pos) (p -1.5 2.0 0.113))(GYR (n torso_gyro) (rt 180.0 0.0 -90.0))"
    b"(ACC (n torso_acc) (a 9.8 0.0 -0.1))(HJ (n q_hj1)(ax -45.0)(vx 90.0))(HJ (n q_hj2)(ax 1.23)(vx -0.0))"
)
LYING = WorldConfig(impacts=False, start=Start(height=0.4))


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Makes an environment whose Python is the fake, for a robot's joints."""
    made = tmp_path / "environment"
    (made / "bin").mkdir(parents=True)
    python = made / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv(environment.VARIABLE, str(made))

    def serve(joints, **wrong):
        told = {"joints": ",".join(joints), **wrong}
        monkeypatch.setenv("FAKE_RCSSSMJ", ";".join(f"{name}={value}" for name, value in told.items()))

    yield serve
    close_links()


@pytest.fixture(scope="module")
def dog():
    return Robot.load("littledog")


def test_what_the_server_tells_is_read_in_si():
    told = perception_of(TOLD)
    assert told.time == 0.05
    assert told.position.tolist() == [-1.5, 2.0, 0.113]
    assert told.orientation == pytest.approx([math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0])
    assert told.gyro == pytest.approx([math.pi, 0.0, -math.pi / 2.0])
    assert told.accelerometer.tolist() == [9.8, 0.0, -0.1]
    assert told.joints["q_hj1"] == pytest.approx((-math.pi / 4.0, math.pi / 2.0))


@pytest.mark.parametrize(
    ("taken", "given", "message"),
    [
        (b"(time (now 0.05))", b"", "no time: rcsssmj does not tell enough of the robot"),
        (b"(p -1.5 2.0 0.113)", b"(p -1.5 nan 0.113)", "sent no numbers"),
        (b"(p -1.5 2.0 0.113)", b"(p -1.5 2.0)", "sent no numbers.*3 of them"),
        (b"(rt 180.0", b"(rt many", "sent no numbers"),
        (b"(q 0.707 0.0 0.707 0.0)", b"(q 0.0 0.0 0.0 0.0)", "does not tell enough"),
        (b"(GS ", b"(GS (((((((((((((((((", "brackets that do not match"),
        (b"))(GS", b")))(GS", "brackets that do not match"),
    ],
)
def test_what_is_no_message_is_refused(taken, given, message):
    with pytest.raises(BackendError, match=message):
        perception_of(TOLD.replace(taken, given, 1))


def test_commands_are_written_as_the_server_reads_them():
    text = motor_text(["lle1", "he1"], np.array([[math.pi / 2.0, 0.0, 40.0, 1.0, -2.5], [0.0, math.pi, 0.0, 0.0, 0.0]]))
    assert text == (
        "(lle1 90.000000 0.000000 40.000000 1.000000 -2.500000)(he1 0.000000 180.000000 0.000000 0.000000 0.000000)"
    )
    assert framed("(syn)") == b"\x00\x00\x00\x05(syn)"
    (placing,) = parse(placing_text([1.0, 2.0, 0.5, 1.0, 0.0, 0.0, 0.0], {"Waist": -0.25}).encode())
    assert placing == [b"andante", [b"pose", *(b"1 2 0.5 1 0 0 0".split())], [b"joint", b"Waist", b"-0.25"]]


def test_the_robot_begins_there_as_it_came_to_rest_here(fake, dog):
    fake(dog.joint_names)
    here, there = MujocoWorld(dog, LYING), RcsssmjWorld(dog, LYING)
    assert there.version == "rcsssmj 0.2.1 with MuJoCo 3.5.0"
    for seed in (3, 4):
        here.reset(seed)
        there.reset(seed)
        assert there.time == 0.0
        assert there.read().position == pytest.approx(here.read().position, abs=2e-4)
        assert there.truth()["qpos"][:7] == pytest.approx(here.truth()["qpos"][:7], abs=1.1e-3)


def test_a_command_acts_one_cycle_late_and_strength_is_a_factor_on_gains(fake, dog):
    fake(dog.joint_names)
    world = RcsssmjWorld(dog, LYING)
    world.reset(0)
    begin = world.read().position[0]
    command = dog.command()
    command.position[:], command.kp[:] = begin + 0.2, dog.servo_kp
    seen = []
    for _ in range(3):
        world.write(command)
        world.advance(CYCLE)
        seen.append(float(world.read().position[0] - begin))
    assert world.time == pytest.approx(3 * CYCLE)
    assert seen == pytest.approx([0.0, 0.2, 0.2], abs=1e-3)
    world.servos.set_strength(np.full(world.model.nu, 0.5))
    world.write(command)
    assert f" {0.5 * dog.servo_kp[0]:.6f} " in world._asked


def test_what_the_server_does_not_tell_is_not_a_number(fake, dog):
    fake(dog.joint_names)
    world = RcsssmjWorld(dog, LYING)
    world.reset(0)
    sensors, truth = world.read(), world.truth()
    assert world.absent == {"effort", "contact", "force"}
    for name in world.absent:
        assert np.isnan(sensors[name]).all()
    for name in ("motor_torque", "foot_force", "other_contacts", "power", "energy"):
        assert np.isnan(truth[name]).all()
    assert sensors.gyro == pytest.approx([math.pi / 2.0, 0.0, 0.0], abs=1e-6)
    assert not world.knows_forces
    assert list(world.contact_forces()) == []


def test_a_second_world_of_a_robot_takes_the_server_over(fake, dog):
    fake(dog.joint_names)
    first, second = RcsssmjWorld(dog, LYING), RcsssmjWorld(dog, LYING)
    first.reset(0)
    second.reset(0)
    second.advance(CYCLE)
    with pytest.raises(BackendError, match="simulates another world meanwhile"):
        first.advance(CYCLE)
    first.reset(0)
    first.advance(CYCLE)


@pytest.mark.parametrize(
    ("world", "name"),
    [
        ({"slope": 0.1}, "slope"),
        ({"masses": (0.9, 1.1)}, "masses"),
        ({"carpet": {}}, "carpet"),
        ({"gravity": (0.0, 0.0, -1.6)}, "gravity"),
        ({"pushes": [{"time": 1.0, "duration": 0.1, "impulse": [0, 9, 0]}]}, "pushes"),
        ({"sensor_latency": 0.02}, "sensor_latency"),
    ],
)
def test_what_the_server_cannot_be_told_is_refused_by_name(dog, world, name):
    with pytest.raises(BackendError, match=rf"world\.{name}: rcsssmj cannot be told of this"):
        RcsssmjWorld(dog, WorldConfig.model_validate(world))


def test_all_values_that_must_be_plain_are_values_of_the_world():
    assert set(PLAIN) <= set(WorldConfig.model_fields)


def test_faults_and_pushes_while_it_runs_are_refused(fake, dog):
    fake(dog.joint_names)
    world = RcsssmjWorld(dog, LYING)
    with pytest.raises(BackendError, match="knows no faults"):
        world.add_fault(Fault(type="dead", joints=dog.joint_names[:1], start=0.0))
    with pytest.raises(BackendError, match="cannot be told to push"):
        world.push("base", np.ones(3))
    world.reset(0)
    with pytest.raises(BackendError, match="whole physics steps"):
        world.advance(0.013)


def test_another_robots_joints_are_refused(fake, dog):
    fake(["Waist", *dog.joint_names[1:]])
    with pytest.raises(BackendError, match=r"LITTLEDOG has other joints.*Waist"):
        RcsssmjWorld(dog, LYING)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            "version",
            r"another version of rcsssmj is installed; got '?0\.1\.0.*0\.2\.1.*andante judge --install rcsssmj",
        ),
        ("robot", "rcsssmj has no such robot; got 'T1'.*K1"),
        ("error", "rcsssmj does not start.*No module named 'rcsssmj'.*andante judge --install rcsssmj"),
        ("chatter", "rcsssmj does not start"),
    ],
)
def test_a_server_that_is_not_the_right_one_is_told_in_one_message(fake, wrong, message):
    fake(["a"], wrong=wrong)
    with pytest.raises(BackendError, match=message):
        RcsssmjLink("T1")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("dies", "rcsssmj has ended.*Segmentation fault"),
        ("hangs", r"rcsssmj does not answer; got '?0\.5 s"),
        ("huge", "rcsssmj sent no message"),
        ("brackets", "brackets that do not match"),
        ("nan", "sent no numbers"),
        ("skips", "ran on without an answer"),
    ],
)
def test_a_server_that_goes_wrong_meanwhile_ends_the_trial_in_bounded_time(fake, wrong, message):
    fake(["a"], wrong=wrong, after=4)
    link = RcsssmjLink("T1", timeout=0.5)
    link.place([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], {"a": 0.0})

    def cycles():
        for _ in range(10):
            link.cycle("(syn)")

    with pytest.raises(BackendError, match=message):
        cycles()
    assert not link.alive
    with pytest.raises(BackendError, match="rcsssmj has ended"):
        link.cycle("(syn)")


def test_a_server_that_lays_nobody_down_is_given_up(fake):
    fake(["a"], wrong="stays")
    link = RcsssmjLink("T1")
    with pytest.raises(BackendError, match="does not lay the robot down"):
        link.place([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], {})
    assert not link.alive


def test_a_server_that_died_is_started_again_for_the_next_trial(fake, dog):
    fake(dog.joint_names)
    world = RcsssmjWorld(dog, LYING)
    world.reset(0)
    world._linked.close()
    with pytest.raises(BackendError, match="rcsssmj has ended"):
        world.advance(CYCLE)
    world.reset(0)
    world.advance(CYCLE)
    assert world.time == CYCLE


def test_an_environment_that_is_not_there_is_named_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(BackendError, match=r"nowhere: rcsssmj is not installed.*andante judge --install rcsssmj"):
        RcsssmjLink("T1")
    assert environment.installed_version() == "unknown"
    monkeypatch.delenv(environment.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert environment.environment_folder() == tmp_path / "andante" / "rcsssmj-0.2.1"


def test_an_environment_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv(environment.VARIABLE, str(tmp_path / "made"))
    true = environment._run

    def offline(command):
        if "pip" in command:
            true([sys.executable, "-c", "raise SystemExit('ERROR: No matching distribution found')"])
        (tmp_path / "made" / "bin").mkdir(parents=True)
        (tmp_path / "made" / "bin" / "python").touch()

    monkeypatch.setattr(environment, "_run", offline)
    with pytest.raises(BackendError, match=r"cannot be made; got 'ERROR: No matching distribution found'.*network"):
        environment.install()
    assert not (tmp_path / "made").exists()


def test_what_is_there_already_is_kept_or_refused(tmp_path, monkeypatch):
    made = tmp_path / "made"
    (made / "bin").mkdir(parents=True)
    monkeypatch.setenv(environment.VARIABLE, str(made))
    python = made / "bin" / "python"
    python.write_text("#!/bin/sh\nprintf '0.2.1 with MuJoCo 3.5.0'\n")
    python.chmod(0o755)
    assert environment.install() == made
    python.write_text("#!/bin/sh\nprintf '0.3.0 with MuJoCo 4.0.0'\n")
    with pytest.raises(BackendError, match=r"something else than rcsssmj 0\.2\.1 is there; got '0\.3\.0"):
        environment.install()
    assert python.exists()

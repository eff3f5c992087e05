"""The safety sequence: what is found before anything moves, how slowly a robot is armed, and how it is let go of."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from andante.control.arming.armed import ArmedController
from andante.control.arming.measured import Vitals, findings_of
from andante.control.arming.phase import Phase
from andante.control.arming.settings import SafetySettings
from andante.control.controller import ControllerBase, Releasing
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot

DOG = Robot.load("littledog")
SHORT = SafetySettings(measure=0.2, rise=0.2, settle=0.1, fade=0.2, damp=0.2, sit="")


class Going(ControllerBase):
    """Goes to a posture at once, and is done after a second."""

    def __init__(self, target: np.ndarray, robot: Robot = DOG, breaks: float = np.inf, share: float = 1.0) -> None:
        super().__init__(robot.tick)
        self.target, self.robot, self.breaks, self.share = target, robot, breaks, share
        self.times: list[float] = []

    @property
    def done(self) -> bool:
        return bool(self.times) and self.times[-1] > 1.0

    def reset(self) -> None:
        super().reset()
        self.times = []

    def step(self, sensors: Sensors) -> Command:
        self.times.append(sensors.time)
        if sensors.time > self.breaks:
            raise ValueError("out of ideas")
        command = self.robot.command()
        command.position[:] = self.target
        command.kp[:], command.kd[:] = self.share * self.robot.servo_kp, self.share * self.robot.servo_kd
        return command


def sensors_of(robot: Robot, time: float, angles: np.ndarray, **more: Any) -> Sensors:
    sensors = Sensors(robot.sensors_layout)
    sensors.vector[0] = time
    sensors.position[:] = angles
    sensors.orientation[0] = 1.0
    sensors.accelerometer[2] = 9.81
    for name, value in more.items():
        sensors[name][:] = value
    return sensors


class Ride:
    """A robot whose joints go exactly where the guard lets them, without physics."""

    def __init__(self, controller: ArmedController, robot: Robot, angles: np.ndarray) -> None:
        self.controller, self.robot, self.angles = controller, robot, angles.copy()
        self.guard = Guard(robot, robot.tick, GuardSettings(stale_hold=0.5, stale_limp=0.5))
        self.tick = 0
        self.commands: list[Command] = []
        self.phases: list[Phase] = []
        self.fastest = 0.0

    def step(self, *, stale: bool = False, **more: Any) -> Command:
        self.tick += 0 if stale else 1
        sensors = sensors_of(self.robot, self.tick * self.robot.tick, self.angles, **more)
        command = self.guard.apply(self.controller.step(sensors), sensors)
        on = command.kp > 0.0
        before = self.angles.copy()
        self.angles[on] = command.position[on]
        if self.controller.phase is not Phase.RUN:
            self.fastest = max(self.fastest, float(np.abs(self.angles - before).max()) / self.robot.tick)
        self.commands.append(command)
        self.phases.append(self.controller.phase)
        return command

    def until(self, phase: Phase, most: int = 5000, **more: Any) -> Command:
        for _ in range(most):
            command = self.step(**more)
            if self.controller.phase is phase:
                return command
        raise AssertionError(f"never came to {phase}: {self.controller.phase}")


def ride(settings: SafetySettings = SHORT, start: Any = None, target: Any = None, **more: Any) -> Ride:
    angles = DOG.posture("stand") if start is None else start
    goal = DOG.posture("stand") + 0.1 if target is None else target
    inner = Going(goal, breaks=more.pop("breaks", np.inf), share=more.pop("share", 1.0))
    controller = ArmedController(inner, DOG, settings, **more)
    assert isinstance(controller, Releasing)
    return Ride(controller, DOG, angles)


def test_all_steps_come_in_order_and_end_with_three_commands_of_nothing() -> None:
    going = ride()
    going.until(Phase.RUN)
    assert all(
        not c.kp.any() and not c.kd.any()
        for c, p in zip(going.commands, going.phases, strict=True)
        if p is Phase.MEASURE
    )
    for _ in range(130):
        going.step()
    assert going.controller.done
    # The motion's own time begins at 0.
    assert going.controller.inner.times[0] == pytest.approx(0.0, abs=1e-9)  # type: ignore[attr-defined]
    going.controller.release("done")
    assert not going.controller.released
    going.until(Phase.OFF)
    while not going.controller.released:
        going.step()
    assert list(dict.fromkeys(going.phases)) == [
        *(Phase.MEASURE, Phase.HOLD, Phase.APPROACH, Phase.SETTLE, Phase.RUN, Phase.FADE, Phase.OFF),
    ]
    assert all(not command.vector[12:].any() for command in going.commands[-3:])
    assert not going.controller.failed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["littledog", "nao"])
def test_from_any_posture_no_joint_is_faster_than_half_a_radian_per_second(name: str) -> None:
    """Ten drawn postures each; `andante hardware conformance --postures` draws a thousand."""
    robot, rng = Robot.load(name), np.random.default_rng(7)
    settings = SHORT.changed(measure=6 * robot.tick, rise=0.1, settle=0.05)
    low, high = robot.stops
    for _ in range(10):
        start, target = (rng.uniform(low, high) for _ in range(2))
        start[robot.followers] = start[robot.leaders[robot.followers]]
        controller = ArmedController(Going(target, robot), robot, settings)
        going = Ride(controller, robot, start)
        going.until(Phase.RUN, 4000)
        assert going.fastest <= 0.5 + 1e-6


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"accelerometer": (0.0, 0.0, -9.81)}, "vertical: accelerometer and orientation are 180 deg apart"),
        ({"accelerometer": (0.0, 0.0, 1.0)}, "gravity: accelerometer reads 1.00"),
        ({"accelerometer": (9.81, 0.0, 0.0)}, "vertical: accelerometer and orientation are 90 deg apart"),
        ({"gyro": (0.0, 0.2, 0.0)}, "gyro: turns at 0.200 rad/s"),
        ({"position": np.degrees(DOG.posture("stand"))}, "stops: beyond their stops: FL_"),
    ],
)
def test_what_is_measured_wrong_forbids_to_arm_and_nothing_moves(more: Mapping[str, Any], words: str) -> None:
    going = ride()
    for _ in range(60):
        going.step(**more)
    assert words in going.controller.failure
    assert going.controller.failed
    assert going.controller.released
    assert all(not command.vector[12:].any() for command in going.commands)


@pytest.mark.parametrize(
    ("vitals", "words"),
    [
        (Vitals(rate=0.9), "rate: states come at 0.900"),
        (Vitals(foreign=3), "commander: 3 commands of somebody else"),
        (Vitals(temperature=np.full(12, 80.0)), "temperature: FL_roll has 80 deg C"),
        (Vitals(battery=0.1), "battery: battery at 10 %"),
        (Vitals(mode="refused"), "mode: the robot takes no commands"),
        (Vitals(position=np.full(12, 50.0)), "stops: beyond their stops"),
    ],
)
def test_what_the_robot_tells_beside_forbids_to_arm(vitals: Vitals, words: str) -> None:
    going = ride(vitals=lambda: vitals)
    for _ in range(60):
        going.step()
    assert words in going.controller.failure
    assert all(not command.vector[12:].any() for command in going.commands)


def test_a_posture_that_must_be_found_shows_wrong_signs_and_swapped_joints() -> None:
    stand = DOG.posture("stand")
    for joint in np.flatnonzero(np.abs(stand) > 0.2):
        wrong = stand.copy()
        wrong[joint] *= -1.0
        going = ride(SHORT.changed(posture="stand"), wrong)
        for _ in range(30):
            going.step()
        assert f"is not stand: {DOG.joint_names[joint]}" in going.controller.failure


def test_a_joint_that_leaves_the_held_posture_is_damped() -> None:
    going = ride()
    going.until(Phase.HOLD)
    for away in (0.06, 0.12, 0.18):
        # Step by step: what leaps may be misread.
        going.step(position=going.angles + away * np.eye(12)[4])
    assert going.controller.failure.startswith(f"{DOG.joint_names[4]} left its place by 0.18 rad")
    assert going.controller.phase is Phase.DAMP
    command = going.step()
    assert not command.kp.any()
    assert (command.kd > 0.0).all()


def test_without_states_the_posture_is_held_then_damped_then_let_go() -> None:
    going = ride(SHORT.changed(damp=3.0))
    going.until(Phase.RUN)
    for _ in range(10):
        going.step()
    told = []
    for _ in range(60):
        command = going.step(stale=True)
        told.append("held" if command.kp.any() else "damped" if command.kd.any() else "off")
    # 10 ms: three periods, 0.1 s, 0.5 s.
    assert told.index("damped") == 9
    assert told.index("off") == 49
    # Nobody knows whether a silent robot has heard it.
    assert not going.controller.released
    assert going.controller.failure == "no state for 0.10 s"
    assert not going.controller.done


def test_states_that_come_back_in_time_let_the_motion_go_on() -> None:
    going = ride()
    going.until(Phase.RUN)
    for _ in range(8):
        going.step(stale=True)
    for _ in range(20):
        going.step()
    assert going.controller.phase is Phase.RUN
    assert not going.controller.failed


def test_a_robot_that_tips_over_is_damped_unless_it_may_lie() -> None:
    tipped = {"orientation": (0.8, 0.6, 0.0, 0.0)}
    for lies in (False, True):
        going = ride(lies=lies)
        going.until(Phase.RUN)
        going.step(**tipped)
        assert (going.controller.phase is Phase.DAMP) is not lies
        assert bool(going.controller.failure) is not lies


def test_a_robot_that_sinks_as_its_gains_fall_has_not_failed() -> None:
    going = ride()
    going.until(Phase.RUN)
    going.controller.release("done")
    assert going.controller.phase is Phase.FADE
    going.step(orientation=(0.8, 0.6, 0.0, 0.0))
    assert going.controller.phase is Phase.DAMP
    assert going.controller.done
    assert going.controller.failure == ""


def test_a_controller_that_breaks_off_lets_go_of_the_robot_slowly() -> None:
    going = ride(breaks=0.3)
    going.until(Phase.FADE)
    assert going.controller.failure.startswith("the controller broke off: ValueError: out of ideas (test_arming.py:")
    going.until(Phase.OFF)
    shares = [float(command.kp.max() / DOG.servo_kp.max()) for command in going.commands[-22:]]
    assert shares[0] > 0.9
    assert all(later <= earlier for earlier, later in pairwise(shares))


def test_a_weak_motion_is_approached_with_full_gains_which_hold_until_it_begins() -> None:
    """With the gains of a learned walk and no walk a robot that stands falls."""
    going = ride(share=0.2)
    begun = going.until(Phase.RUN)
    held = [c for c, p in zip(going.commands, going.phases, strict=True) if p in (Phase.APPROACH, Phase.SETTLE)]
    assert len(held) > 20
    for command in (*held, begun):
        np.testing.assert_allclose(command.kp, DOG.servo_kp)
    np.testing.assert_allclose(going.step().kp, 0.2 * DOG.servo_kp)


def test_a_robot_whose_sensor_is_lost_is_let_go_of_and_the_run_fails() -> None:
    for before, failure in ((Phase.APPROACH, "imu: frozen"), (Phase.FADE, "")):
        going = ride()
        going.until(Phase.APPROACH)
        if before is Phase.FADE:
            going.controller.release("done")
        going.controller.give_up("imu: frozen")
        going.until(Phase.OFF)
        assert going.controller.failure == failure
        assert going.controller.failed is bool(failure)


def test_no_step_of_the_sequence_asks_the_guard_to_do_its_work() -> None:
    stand = DOG.posture("stand")
    going = ride(SHORT.changed(sit="stand", rise=0.5), stand + 0.2, stand - 0.3)
    for _ in range(2000):
        if going.controller.phase is Phase.RUN:
            going.controller.release("done")
        going.step()
        if going.controller.released:
            break
    assert going.controller.released
    assert Phase.RELEASE in going.phases
    assert going.fastest <= 0.5 + 1e-6
    assert [event.text for event in going.guard.summary()] == []


def test_a_release_before_arming_moves_nothing() -> None:
    going = ride()
    going.step()
    going.controller.release("interrupted")
    for _ in range(4):
        going.step()
    assert going.controller.released
    assert all(not command.vector[12:].any() for command in going.commands)


def test_a_robot_that_looks_backwards_may_tell_its_turn_by_either_quaternion() -> None:
    readings = []
    for tick in range(20):
        sensors = sensors_of(DOG, tick * DOG.tick, np.clip(np.zeros(len(DOG.joints)), DOG.lower, DOG.upper))
        # A heading of just below and just above half a turn, by turns, as angles to 180 degrees make it.
        sensors.orientation[:] = (0.001, 0.0, 0.0, 1.0 if tick % 2 else -1.0)
        readings.append(sensors)
    found = {each.what: each for each in findings_of(DOG, readings, SafetySettings(), Vitals(), frozenset())}
    assert found["vertical"].good, found["vertical"].text


def test_encoders_that_no_check_lets_pass_are_no_unseen_joints() -> None:
    for only in ("", "release"):
        armed = ArmedController(Going(DOG.posture("stand")), DOG, SHORT, only=only)  # type: ignore[arg-type]
        nothing = np.full(len(DOG.joints), np.nan)
        for tick in range(8):
            armed.step(sensors_of(DOG, tick * DOG.tick, nothing))
        armed.give_up("encoders are out of range")
        assert armed.failure == "not armed: encoders are out of range"
    # Where nothing else is told, they are.
    armed = ArmedController(Going(DOG.posture("stand")), DOG, SHORT)
    for tick in range(30):
        armed.step(sensors_of(DOG, tick * DOG.tick, nothing))
    assert "joints: unseen" in armed.failure

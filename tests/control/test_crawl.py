"""The planned crawl in simulation: it walks its plan within all limits, feels the ground, and knows when it cannot."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from crawl_plan import level_walk, littledog

from andante.backends.motion_capture import Blackout, PoseNoise
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.replay import Frame, LogReplay
from andante.backends.world import SensorNoise, Start, WorldConfig
from andante.control.controller import ControlError
from andante.control.crawl.crawl import CrawlController
from andante.control.crawl.settings import CrawlSettings
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.kinematics.leg_table import LeggedBody
from andante.runs.evaluation.story import story

_TICK = 0.01
NOISY = PoseNoise(position=0.003, orientation=math.radians(0.5), latency=0.02)


@pytest.fixture(scope="module")
def body():
    return littledog()


class Walk:
    """One walk in simulation; ``tamper(tick, sensors)`` may falsify what the controller sees."""

    def __init__(self, body, plan, *, pose=NOISY, tamper=None, seconds=None, seed=0, settings=None):
        robot = body.robot
        angles = dict(zip(robot.joint_names, body.joints(plan.angles[0]).tolist(), strict=True))
        world = MujocoWorld(robot, WorldConfig(start=Start(posture=angles), noise=SensorNoise(pose=pose)))
        world.reset(seed)
        self.controller, guard = CrawlController(body, plan, settings), Guard(robot, _TICK)
        self.frames, self.events, self.errors, self.raw, self.positions = [], [], [], [], []
        for tick in range(round((plan.duration + 3.0 if seconds is None else seconds) / _TICK)):
            sensors = world.read()
            truth = world.truth()
            if tamper is not None:
                tamper(tick, sensors)
            command = guard.apply(self.controller.step(sensors), sensors)
            self.frames.append(Frame(sensors.vector, command.vector))
            self.positions.append(command.position.copy())
            world.write(command)
            world.advance(_TICK)
            self.events += self.controller.take_events()
            self.errors.append(self.controller.state.position - truth["qpos"][:3])
            self.raw.append(sensors.pose_position - truth["qpos"][:3])
            if self.controller.done or self.controller.failed:
                break
        self.interventions = guard.summary()
        self.truth = world.truth()

    def kinds(self):
        return {event.kind for event in self.events}


@pytest.fixture(scope="module")
def walk(body):
    return Walk(body, level_walk(body))


@pytest.mark.slow
def test_it_arrives_where_the_plan_ends(body, walk):
    plan = level_walk(body)
    assert walk.controller.done
    assert not walk.controller.failed
    np.testing.assert_allclose(walk.truth["com"][:2], plan.com[-1, :2], atol=0.01)
    assert {"walk", "foothold", "arrived"} <= walk.kinds()
    assert not walk.kinds() & {"break_off", "help", "switch", "reach"}
    assert walk.controller.telemetry["clamps"] == 0


def test_a_swing_that_no_leg_can_follow_goes_by_the_plans_angles_and_is_told(body):
    plan = level_walk(body, 4)
    swing, feet = plan.swings[2], plan.feet.copy()
    feet[swing.lift_off + 8 : swing.lift_off + 14, swing.leg, 0] += 0.4
    planted = Walk(body, dataclasses.replace(plan, feet=feet))
    assert "reach" in planted.kinds()
    assert planted.controller.telemetry["clamps"][0] == 0
    assert "from where it should be" in planted.controller.reason


@pytest.mark.slow
def test_the_estimate_is_better_than_motion_capture(walk):
    errors, raw = (np.sqrt(np.mean(np.square(rows[60:]), axis=0)) for rows in (walk.errors, walk.raw))
    assert raw.min() > 0.0025
    assert errors.max() < 0.4 * raw.min()


def test_commands_are_within_the_limits_by_construction(body, walk):
    speed = np.abs(np.diff(walk.positions, axis=0)) / _TICK
    assert speed.max() <= body.robot.max_velocity.min()
    assert walk.interventions == []


def test_a_replay_of_the_log_gives_the_same_bytes(body, walk):
    replay = LogReplay(body.robot, walk.frames)
    controller, guard = walk.controller, Guard(body.robot, _TICK)
    controller.reset()
    while not replay.finished:
        sensors = replay.read()
        replay.write(guard.apply(controller.step(sensors), sensors))
        replay.advance(_TICK)
    assert replay.mismatch_count == 0


@pytest.mark.slow
@pytest.mark.parametrize("error", [0.006, -0.006])
def test_ground_that_is_not_where_the_map_has_it_is_felt(body, error):
    """Feet that touch early stay there; feet that touch late look for the ground."""
    plan = level_walk(body, 6)
    shifted = plan.feet.copy()
    for swing in plan.swings:
        shifted[swing.touchdown :, swing.leg, 2] += error
        rise = np.linspace(0.0, error, swing.touchdown - swing.lift_off)
        shifted[swing.lift_off : swing.touchdown, swing.leg, 2] += rise
    felt = Walk(body, dataclasses.replace(plan, feet=shifted))
    assert felt.controller.done, felt.controller.reason
    np.testing.assert_allclose(felt.truth["com"][:2], plan.com[-1, :2], atol=0.015)


@pytest.mark.slow
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_stuck_foot_switch_is_named_and_the_walk_goes_on(body, value):
    foot = body.robot.sensors_layout.slices["contact"].start

    def stuck(tick, sensors):
        sensors.vector[foot] = value

    broken = Walk(body, level_walk(body, 16, stride=0.05), tamper=stuck)
    told = [event for event in broken.events if event.kind is EventKind.SWITCH]
    assert len(told) == 1
    assert told[0].data["foot"] == "FL"
    assert ("closes" if value == 0.0 else "opens") in told[0].text
    assert told[0].text in [moment.text for moment in story(broken.events)]
    assert broken.controller.done


@pytest.mark.slow
def test_half_a_second_without_motion_capture_is_walked_through(body):
    pose = NOISY.model_copy(update={"blackouts": (Blackout(time=1.5, duration=0.5),)})
    walk = Walk(body, level_walk(body, 6), pose=pose)
    assert walk.controller.done, walk.controller.reason
    assert np.abs(walk.errors[60:]).max() < 0.012


@pytest.mark.slow
def test_it_gives_up_without_motion_capture_and_says_so(body):
    pose = PoseNoise(blackouts=(Blackout(time=1.0, duration=60.0),))
    lost = Walk(body, level_walk(body, 8), pose=pose)
    assert lost.controller.failed
    assert "no motion capture for 1.0" in lost.controller.reason
    never = Walk(body, level_walk(body, 2), pose=PoseNoise(blackouts=(Blackout(time=0.0, duration=60.0),)))
    assert never.controller.reason == "motion capture never saw the robot"


@pytest.mark.parametrize(("doubt", "stops"), [(0.05, True), (0.5, False)])
def test_a_body_off_its_way_stops_while_all_feet_are_down(body, doubt, stops):
    # On a good walk it is some millimetres off, also with a foot in the air, where the whole limit of 50 mm holds.
    walk = Walk(body, level_walk(body, 4), settings=CrawlSettings(doubt=doubt))
    broken = [event for event in walk.events if event.kind is EventKind.BREAK_OFF]
    assert bool(broken) == stops
    if stops:
        assert "mm and" in broken[0].text
        assert walk.controller.footing.standing.all()


def test_a_fall_is_noticed(body):
    def thrown(tick, sensors):
        if tick > 100:
            sensors["gyro"][:] = [40.0, 0.0, 0.0]

    fallen = Walk(body, level_walk(body, 4), tamper=thrown)
    assert fallen.controller.failed
    assert fallen.kinds() & {"help", "break_off"}


def test_robots_and_plans_that_do_not_fit_are_refused(body):
    plain = LeggedBody.of(dataclasses.replace(body.robot, motion_capture=False))
    with pytest.raises(ControlError, match=r"littledog.*needs motion capture"):
        CrawlController(plain)
    plan = level_walk(body, 1)
    with pytest.raises(ControlError, match=r"the plan is for other legs.*limit: 4 legs"):
        CrawlController(body, dataclasses.replace(plan, feet=plan.feet[:, :3]))

"""The reactive crawl walks where it is steered, over ground that it does not know, within the robot's limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gait_runs import DOG, STANDING, assert_within_limits, walk

from andante.backends.terrain import TerrainChoice
from andante.backends.world import Start, WorldConfig
from andante.control.controller import ControlError
from andante.control.events import EventKind
from andante.control.reactive_crawl.crawl import ORDER, ReactiveCrawl
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.reactive_crawl.stance import MassShift, attitude_motion
from andante.control.reactive_crawl.swing import CrawlSwing, Stage
from andante.control.steering import STILL, Heading, LiveSteering, SteeringScript, Turn
from andante.documents.settings import SettingsError
from andante.kinematics.support_triangle import common_nearest, corner_margin, inset_triangle, into_triangle
from andante.robots.robot import Robot
from andante.runs.evaluation.story import story


def script(heading: Heading, seconds: float) -> SteeringScript:
    return SteeringScript((Turn(0.0, heading), Turn(seconds, STILL)))


@pytest.mark.slow
def test_it_crawls_on_level_ground_within_the_declared_limits_and_stands():
    crawl = ReactiveCrawl(DOG, SteeringScript.straight(0.06, 0.3))
    result = walk(crawl, 12.0)
    assert result.done
    assert crawl.standing
    assert result.way[0] == pytest.approx(0.3, abs=0.06)
    assert abs(result.way[1]) < 0.04
    assert result.tilt < math.radians(10.0)
    assert result.interventions == 0
    assert_within_limits(result.commands)


def test_legs_swing_in_the_seeds_order_and_one_at_a_time():
    events = walk(ReactiveCrawl(DOG, SteeringScript.straight(0.06, 0.3)), 5.0).events
    kinds = [event.kind for event in events]
    assert kinds[:8] == ["lift_off", "touch_down"] * 4
    feet = [event.data["foot"] for event in events if event.kind is EventKind.LIFT_OFF]
    assert feet[:5] == ["HR", "FR", "HL", "FL", "HR"]
    assert len(ORDER) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        (Heading(forward=-0.05), (-0.2, 0.0, 0.0)),
        (Heading(lateral=0.03), (0.0, 0.12, 0.0)),
        (Heading(turn=-0.2), (0.0, 0.0, -0.8)),
    ],
)
def test_it_goes_where_it_is_steered(heading, expected):
    result = walk(ReactiveCrawl(DOG, script(heading, 4.0)), 10.0)
    assert result.done
    assert result.way[:2] == pytest.approx(expected[:2], abs=0.05)
    assert result.yaw == pytest.approx(expected[2], abs=0.15)


@pytest.mark.slow
def test_steering_changes_while_it_walks_and_the_run_can_be_repeated():
    live = LiveSteering()

    def drive(time, _):
        if time == pytest.approx(0.5):
            live.set(Heading(forward=0.05))
        if time == pytest.approx(2.5):
            live.set(Heading(turn=0.2))
        if time == pytest.approx(4.5):
            live.end()

    crawl = ReactiveCrawl(DOG, live)
    driven = walk(crawl, 8.0, each=drive)
    assert driven.done
    assert driven.yaw > 0.2
    assert crawl.telemetry["steering"].tolist() == [0.0, 0.0, 0.0]
    repeated = walk(ReactiveCrawl(DOG, live.script()), 8.0)
    assert repeated.commands.tobytes() == driven.commands.tobytes()


@pytest.mark.slow
def test_after_a_reset_the_same_sensors_give_the_same_bytes():
    crawl = ReactiveCrawl(DOG, SteeringScript.straight(0.06, 0.5))
    first = walk(crawl, 2.0)
    crawl.reset()
    again = np.array([crawl.step(sensors).vector for sensors in first.sensors])
    assert again.tobytes() == first.commands.tobytes()


@pytest.mark.slow
def test_it_crosses_blocks_of_two_centimetres_without_a_map():
    board = TerrainChoice(board="blocks", seed=1, parameters={"height": 0.02})
    world = WorldConfig(terrain=board, start=Start(x=0.15, posture="stand"))
    result = walk(ReactiveCrawl(DOG, SteeringScript.straight(0.06, 0.5)), 14.0, world)
    assert result.done
    assert result.way[0] > 0.4
    assert result.tilt < math.radians(20.0)
    assert_within_limits(result.commands)


@pytest.mark.slow
@pytest.mark.parametrize("direction", [0.0, 90.0, 180.0])
def test_it_climbs_gentle_slopes(direction):
    world = WorldConfig(slope=math.radians(8.0), slope_direction=math.radians(direction), start=STANDING)
    result = walk(ReactiveCrawl(DOG, SteeringScript.straight(0.06, 0.3)), 12.0, world)
    assert result.done
    assert result.way[0] > 0.2


@pytest.mark.slow
def test_a_stuck_foot_switch_is_told_and_the_walk_goes_on():
    crawl = ReactiveCrawl(DOG, SteeringScript.straight(0.05, 0.2))
    step = crawl.step

    def stuck(sensors):
        sensors.contact[1] = 1.0
        return step(sensors)

    crawl.step = stuck
    result = walk(crawl, 12.0)
    assert {event.data["foot"] for event in result.events if event.kind is EventKind.SWITCH} == {"FR"}
    told = [moment.text for moment in story(result.events)]
    assert "FR is down by its place: the foot switch never opens" in told
    assert result.done
    assert result.way[0] > 0.1


def test_a_foot_that_finds_no_ground_is_told():
    swing = CrawlSwing(ReactiveCrawlSettings(), np.array([0.05, 0.0]), 1.0)
    for _ in range(200):
        move, down = swing.step(0.01, False)
        swing.take(move)
        if down:
            break
    assert swing.missed
    assert swing.done == pytest.approx([0.05, 0.0, -ReactiveCrawlSettings().probe], abs=0.004)


def test_a_swing_goes_up_across_and_down_to_the_switch():
    swing, stages = CrawlSwing(ReactiveCrawlSettings(), np.array([0.05, 0.02]), 1.0), []
    for tick in range(200):
        move, down = swing.step(0.01, tick > 3 and swing.done[2] <= 0.01 and swing.stage is Stage.DOWN)
        if down:
            break
        swing.take(move)
        stages.append(swing.stage)
    assert sorted(stages) == stages
    assert set(stages) == {Stage.UP, Stage.ACROSS, Stage.DOWN}
    assert swing.done[:2] == pytest.approx([0.05, 0.02], abs=0.004)
    assert not swing.missed


def test_something_in_the_way_lifts_the_foot_higher():
    swing, highest = CrawlSwing(ReactiveCrawlSettings(), np.array([0.08, 0.0]), 1.0), 0.0
    for tick in range(60):
        move, _ = swing.step(0.01, tick == 5)
        swing.take(move)
        highest = max(highest, swing.done[2])
    assert swing.raises == 1
    assert highest == pytest.approx(1.5 * ReactiveCrawlSettings().step_height, abs=0.002)


def test_height_and_attitude_over_tilted_feet_are_mended():
    places = np.array([[0.1, 0.1, 0.0], [0.1, -0.1, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.0]])
    rise = 0.1 * places[:, 0] - 0.05 * places[:, 1]
    places[:, 2] = rise - 0.12
    up, turn = attitude_motion(places, np.ones(4, dtype=bool), 0.13, ReactiveCrawlSettings())
    # 1 cm too low, at 1/s; feet that rise forward ask the body to turn nose up, which is about -y.
    assert up == pytest.approx(0.01, abs=1e-12)
    assert turn == pytest.approx([-0.05, -0.1], abs=1e-12)
    # In the next tick the plane is flatter by just that.
    moved = places - 1e-4 * np.cross([turn[0], turn[1], 0.0], places)
    assert moved[0, 2] - moved[2, 2] == pytest.approx((1.0 - 1e-4) * 0.02, abs=1e-6)


def test_the_shift_arrives_and_stops_without_shooting_over():
    shift, place = MassShift(0.01), np.zeros(2)
    goal, farthest = np.array([0.03, -0.04]), 0.0
    for _ in range(150):
        place = place + 0.01 * shift.step(goal - place, ReactiveCrawlSettings())
        farthest = max(farthest, float(np.hypot(*place)))
    assert place == pytest.approx(goal, abs=5e-4)
    assert farthest < 0.0515


def test_triangles():
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    # The incircle of the 3-4-5 triangle has radius 1 about (1, 1).
    assert corner_margin(corners, 1.0, 1.0) == pytest.approx(1.0)
    assert corner_margin(corners[::-1].copy(), 1.0, 1.0) == pytest.approx(1.0)
    assert corner_margin(corners, 1.0, -0.5) == pytest.approx(-0.5)
    shrunk = np.empty((3, 2))
    assert inset_triangle(corners, 0.25, 0.9, shrunk) == pytest.approx(0.25)
    assert [corner_margin(corners, x, y) for x, y in shrunk] == pytest.approx([0.25] * 3)
    assert inset_triangle(corners, 5.0, 0.5, shrunk) == pytest.approx(0.5)
    assert into_triangle(corners, 1.0, -2.0) == pytest.approx((1.0, 0.0))
    assert into_triangle(corners, 0.5, 0.5) == (0.5, 0.5)
    other = corners + np.array([2.0, 0.0])
    x, y = common_nearest(corners, other, 0.0, 0.0)
    assert min(corner_margin(corners, x, y), corner_margin(other, x, y)) >= -1e-9


def test_speeds_above_the_limits_are_refused_with_the_figure():
    with pytest.raises(
        ControlError, match=r"steering\.forward: the crawl cannot go so fast.*0\.5 m/s.*limit: 0\.068 m/s"
    ):
        ReactiveCrawl(DOG, SteeringScript.straight(0.5, 1.0))


def test_a_slower_robot_has_a_slower_pace():
    from andante.robots.declared import with_limits

    slow = ReactiveCrawl(with_limits(DOG, speed=6.0), SteeringScript())
    assert slow.largest.forward < 0.9 * ReactiveCrawl(DOG, SteeringScript()).largest.forward


def test_settings_that_make_no_sense_are_named():
    with pytest.raises(SettingsError, match=r"crawl\.step_height"):
        ReactiveCrawlSettings(step_height=0.0)
    with pytest.raises(SettingsError, match=r"crawl\.guard: a foot would never lift.*margin = 0\.018 m"):
        ReactiveCrawlSettings(guard=0.03)
    with pytest.raises(SettingsError, match=r"crawl\.height"):
        ReactiveCrawlSettings(height=1.2)


def test_robots_without_four_legs_are_named():
    with pytest.raises(ControlError, match="robot 'nao' has not the four legs"):
        ReactiveCrawl(Robot.load("nao"), SteeringScript())


def test_settings_scale_with_the_robot():
    double = ReactiveCrawlSettings().scaled(4.0)
    assert (double.step_height, double.swing_speed) == pytest.approx((0.12, 1.8))
    assert double.height == ReactiveCrawlSettings().height

"""Parts of the planned crawl: load on the feet, joint commands within limits, reading a plan by time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from crawl_plan import level_walk, littledog, still
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.controller import Planned
from andante.control.crawl.crawl import CrawlController
from andante.control.crawl.feet import Footing
from andante.control.crawl.load import share_load
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.timeline import Timeline, splice
from andante.control.crawl.tracking import Tracking
from andante.control.legs import weight
from andante.control.legs.weight import ForceDistribution
from andante.documents.settings import SettingsError
from andante.kinematics.com_ik import com_ik
from andante.planning.plans import FootstepPlan
from andante.planning.walk.request import WalkAnswer
from andante.planning.walk_plan import Swing, WalkPlan
from andante.spatial.rotations import from_rpy

SQUARE = np.array([[0.1, 0.1, 0.0], [0.1, -0.1, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.0]])
LEVEL = np.array([1.0, 0.0, 0.0, 0.0])


def test_four_feet_share_alike_in_the_middle():
    np.testing.assert_allclose(share_load(SQUARE, np.ones(4), np.zeros(2), 40.0), [10.0] * 4)


def test_three_feet_share_by_their_distances():
    # Half way between the two left feet nothing is left for the right one.
    np.testing.assert_allclose(
        share_load(SQUARE, np.array([1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.1]), 40.0),
        [20.0, 0.0, 20.0, 0.0],
        atol=1e-9,
    )


@settings(deadline=None)
@given(st.floats(-0.09, 0.09), st.floats(-0.09, 0.09), st.lists(st.floats(0.05, 1.0), min_size=4, max_size=4))
def test_forces_carry_the_weight_where_they_should_and_none_pulls(x, y, weights):
    forces = share_load(SQUARE, np.array(weights), np.array([x, y]), 27.0)
    assert forces.sum() == pytest.approx(27.0)
    assert forces.min() >= 0.0
    np.testing.assert_allclose(forces @ SQUARE[:, :2] / 27.0, [x, y], atol=1e-9)


def test_a_point_outside_loads_the_feet_nearest_to_it():
    forces = share_load(SQUARE, np.ones(4), np.array([0.2, 0.0]), 40.0)
    assert forces.sum() == pytest.approx(40.0)
    assert forces[:2].min() > 19.0
    assert share_load(SQUARE, np.zeros(4), np.zeros(2), 40.0).sum() == 0.0


class Stand:
    """LittleDog standing, with the tracking of its joints."""

    def __init__(self):
        self.body = littledog()
        self.feet = SQUARE * (0.95, 0.8, 0.0) + np.array([0.0, 0.0, 0.0103])
        pose = com_ik(self.body, [0.0, 0.0, 0.12], self.feet)
        self.place = pose.position
        self.tracking = Tracking(self.body, 0.01, 1.0)
        self.tracking.begin(pose.angles, self.place, LEVEL)
        self.all = np.ones(4, dtype=bool)

    def follow(self, place, turn=LEVEL, feet=None, standing=None, planned=None):
        feet = self.feet if feet is None else feet
        standing = self.all if standing is None else standing
        return self.tracking.follow(place, turn, feet, standing, place, turn, planned)


def test_a_pose_in_reach_is_taken_up_exactly():
    stand = Stand()
    wanted = stand.place + np.array([0.003, 0.002, 0.001])
    angles = stand.follow(wanted)
    np.testing.assert_allclose(
        angles, [leg.solve(f - wanted) for leg, f in zip(stand.body.legs, stand.feet, strict=True)]
    )
    assert stand.tracking.short == stand.tracking.slowed == 1.0


def test_no_joint_is_commanded_faster_than_its_limit_and_standing_legs_slow_down_together():
    stand = Stand()
    before = stand.tracking.angles
    angles = stand.follow(stand.place + np.array([0.05, 0.0, 0.0]))
    change = angles - before
    assert np.abs(change).max() == pytest.approx(0.12)
    assert stand.tracking.slowed < 1.0
    whole = np.array(
        [
            leg.solve(f - stand.place - np.array([0.05, 0.0, 0.0]))
            for leg, f in zip(stand.body.legs, stand.feet, strict=True)
        ]
    )
    np.testing.assert_allclose(change, stand.tracking.slowed * (whole - before), atol=1e-12)


def test_a_body_out_of_reach_goes_only_as_far_as_all_feet_reach():
    stand = Stand()
    for _ in range(60):
        angles = stand.follow(stand.place + np.array([0.0, 0.0, 0.3]))
    assert stand.tracking.short < 1.0
    # The pose that is taken up instead is an exact one.
    assert not stand.tracking.clamped.any()
    low, high = stand.body.robot.lower, stand.body.robot.upper
    joints = stand.body.joints(angles)
    assert (joints >= low).all()
    assert (joints <= high).all()
    # The feet are where they were: no joint was cut on its own.
    for leg, each, foot in zip(stand.body.legs, angles, stand.feet, strict=True):
        off = leg.place(each) + stand.tracking.position - foot
        np.testing.assert_allclose(off, 0.0, atol=2e-3)


def test_a_swinging_foot_out_of_reach_waits_and_is_told():
    stand = Stand()
    feet = stand.feet.copy()
    feet[0] += [0.5, 0.0, 0.0]
    before = stand.tracking.angles
    angles = stand.follow(stand.place, feet=feet, standing=np.array([False, True, True, True]))
    np.testing.assert_array_equal(stand.tracking.missed, [True, False, False, False])
    np.testing.assert_array_equal(stand.tracking.clamped, [True, False, False, False])
    np.testing.assert_array_equal(angles[0], before[0])


def test_legs_whose_places_are_out_of_reach_go_as_planned():
    stand = Stand()
    planned = stand.tracking.angles + 0.02
    feet = stand.feet.copy()
    feet[0] += [0.5, 0.0, 0.0]
    angles = stand.follow(stand.place, feet=feet, standing=np.array([False, True, True, True]), planned=planned)
    np.testing.assert_allclose(angles[0], planned[0], atol=1e-12)
    feet = stand.feet.copy()
    feet[3, 2] -= 0.3
    before = stand.tracking.angles
    angles = stand.follow(stand.place, feet=feet, planned=planned)
    np.testing.assert_array_equal(stand.tracking.missed, [False, False, False, True])
    assert not stand.tracking.clamped.any()
    np.testing.assert_allclose(angles[3], planned[3], atol=1e-12)
    np.testing.assert_allclose(angles[1:3], before[1:3], atol=1e-9)


def test_standing_feet_that_nobody_reaches_leave_all_legs_as_they_are_and_count_as_clamped():
    stand = Stand()
    before = stand.tracking.angles
    angles = stand.follow(stand.place, feet=stand.feet - np.array([0.0, 0.0, 0.3]))
    np.testing.assert_array_equal(angles, before)
    assert stand.tracking.clamped.all()
    stand.follow(stand.place)
    assert not stand.tracking.clamped.any()


def test_the_body_gives_way_to_a_standing_foot_that_slips_out_of_reach():
    stand = Stand()
    for _ in range(60):
        stand.follow(stand.place + np.array([0.0, 0.0, 0.3]))
    high = stand.tracking.position[2]
    feet = stand.feet.copy()
    for _ in range(20):
        feet[3] -= [0.003, 0.0, 0.0]
        angles = stand.follow(stand.place + np.array([0.0, 0.0, 0.3]), feet=feet)
        assert not stand.tracking.clamped.any()
    assert stand.tracking.position[2] < high - 0.003
    for leg, each, foot in zip(stand.body.legs, angles, feet, strict=True):
        np.testing.assert_allclose(leg.place(each) + stand.tracking.position - foot, 0.0, atol=2e-3)


def test_turns_are_approached_as_well():
    stand = Stand()
    for _ in range(80):
        stand.follow(stand.place, turn=from_rpy([0.0, 0.2, 0.0]))
    np.testing.assert_allclose(stand.tracking.orientation, from_rpy([0.0, 0.2, 0.0]), atol=1e-9)


def test_a_plan_is_read_between_its_samples():
    body = littledog()
    plan = level_walk(body, 2)
    line = Timeline(plan)
    middle = line.at(10.5 * plan.period)
    np.testing.assert_allclose(middle.com, 0.5 * (plan.com[10] + plan.com[11]))
    np.testing.assert_array_equal(line.at(-1.0).com, plan.com[0])
    np.testing.assert_allclose(line.at(1e3).com, plan.com[-1])
    first = plan.swings[0]
    assert line.swing(first.lift_off * plan.period + 1e-6) == 0
    assert line.swing(first.touchdown * plan.period + 1e-6) == -1
    assert line.swings(first.leg, (first.lift_off + 3) * plan.period)
    assert line.begins[0] < line.tops[0] < line.ends[0]


def test_all_that_a_plan_wants_is_read_as_if_each_were_read_alone():
    plan = level_walk(littledog(), 2)
    line = Timeline(plan)
    for place in (0.0, 3.25, 10.5, len(plan.com) - 1.0):
        low = min(int(place), len(plan.com) - 2)
        for name, wanted in vars(line.at(place * plan.period)).items():
            rows = getattr(plan, name)
            alone = rows[low] + (place - low) * (rows[low + 1] - rows[low])
            assert wanted.shape == alone.shape
            np.testing.assert_array_equal(wanted, alone, err_msg=name)


@pytest.mark.parametrize("alike", [True, False])
def test_forces_of_feet_are_those_by_numpys_cross_product(alike):
    rng = np.random.default_rng(5)
    kept = ForceDistribution(0.6, 0.2)
    for count in (1, 2, 3, 4, 4):
        feet, normals = rng.normal(size=(count, 3)), rng.normal(size=(1 if alike else count, 3))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        wrench = 50.0 * rng.normal(size=6)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(weight, "_cross", np.cross)
            forces, missed = ForceDistribution(0.6, 0.2).solve(feet, np.broadcast_to(normals, (count, 3)), wrench)
        # What was kept of one normal is no answer for another.
        again = kept.solve(feet, normals[0] if alike else normals, wrench)
        np.testing.assert_array_equal(again[0], forces)
        assert again[1] == missed


def test_settings_are_checked_and_scale_with_the_leg():
    with pytest.raises(SettingsError, match=r"crawl\.lead.*nan"):
        CrawlSettings(lead=float("nan"))
    with pytest.raises(SettingsError, match=r"crawl\.place_gain.*at most 1"):
        CrawlSettings(place_gain=1.5)
    twice = CrawlSettings().scaled(2.0)
    assert twice.search_depth == pytest.approx(2.0 * CrawlSettings().search_depth)
    assert twice.search_speed == pytest.approx(2.0**0.5 * CrawlSettings().search_speed)
    # Latency stays, what the servos lag behind grows.
    usual = CrawlSettings()
    assert twice.lead - (usual.lead - usual.lag) == pytest.approx(2.0**0.5 * usual.lag)


def rest_of(plan: WalkPlan, at: int) -> WalkPlan:
    """The same plan from a sample on, with its own numbers, as planning anew gives it."""
    first = next(k for k, swing in enumerate(plan.swings) if swing.touchdown > at)
    swings = tuple(
        Swing(k, swing.leg, max(swing.lift_off - at, 0), swing.touchdown - at)
        for k, swing in enumerate(plan.swings[first:])
    )
    rows = {name: getattr(plan, name)[at:] for name in ("com", "zmp", "position", "rpy", "feet", "angles", "swinging")}
    return WalkPlan(
        FootstepPlan(plan.feet[at], plan.footsteps.steps[first:]),
        plan.period,
        swings,
        margin=plan.margin[at:],
        slack=plan.slack[at:],
        **rows,
    )


@pytest.mark.parametrize("where", ["stand", "lift-off", "swing", "touchdown"])
def test_splicing_a_plan_with_its_own_rest_changes_nothing(where):
    plan = level_walk(littledog(), 4)
    swing = plan.swings[1]
    middle = (swing.lift_off + swing.touchdown) // 2
    at = {"stand": swing.lift_off - 5, "lift-off": swing.lift_off, "swing": middle, "touchdown": swing.touchdown}[where]
    same = splice(plan, rest_of(plan, at), at)
    assert same.swings == plan.swings
    for name in ("com", "zmp", "position", "rpy", "feet", "angles", "swinging", "margin", "slack"):
        np.testing.assert_array_equal(getattr(same, name), getattr(plan, name))
    assert [step.leg for step in same.footsteps.steps] == [step.leg for step in plan.footsteps.steps]


def test_a_crawl_asks_once_and_drops_answers_to_what_it_no_longer_wants():
    body = littledog()
    controller, start = CrawlController(body), level_walk(body, 1)
    assert isinstance(controller, Planned)
    sensors, request = body.robot.sensors(), None
    sensors.position[:] = body.joints(start.angles[0])
    sensors["pose_valid"][0], sensors["pose_position"][:], sensors["pose_orientation"][0] = 1.0, start.position[0], 1.0
    for tick in range(100):
        sensors["time"][0] = sensors["pose_time"][0] = 0.01 * tick
        controller.step(sensors)
        request = controller.take_request()
        if request is not None:
            break
    assert request is not None
    assert request.under_way is None
    assert controller.take_request() is None
    controller.accept(WalkAnswer(replace(request, serial=request.serial + 1), reason="of another time"))
    controller.accept("no answer at all")
    assert not controller.failed
    controller.accept(WalkAnswer(request, reason="a wall"))
    assert controller.reason == "there is no plan: a wall"


class Stepping:
    """Footing of a LittleDog on a level walk, and a state in which given feet touch."""

    def __init__(self):
        self.timeline = Timeline(level_walk(littledog()))
        self.footing = Footing(("FL", "FR", "HL", "HR"), CrawlSettings(), lambda *_, **__: None)
        self.footing.stand(self.state([True] * 4))
        self.footing.begin()

    def state(self, contact):
        return still([0.0, 0.0, 0.12], self.timeline.at(0.0).feet, contact)


def test_a_foot_carries_from_when_it_is_commanded_to_land_and_not_while_it_swings():
    stepping = Stepping()
    timeline, footing = stepping.timeline, stepping.footing
    leg = timeline.plan.swings[0].leg
    footing.feet[leg].swing = 0
    contact = np.ones(4, dtype=bool)
    contact[leg] = False
    state = stepping.state(contact)
    before, after = float(timeline.ends[0]) - 0.01, float(timeline.ends[0]) + 0.01
    np.testing.assert_array_equal(footing.carrying(timeline, before, state), contact)
    assert footing.carrying(timeline, after, state).all()
    # Without a plan it does not: nobody knows when it lands.
    np.testing.assert_array_equal(footing.carrying(None, after, state), contact)


def test_a_standing_foot_that_does_not_touch_carries_on_for_a_moment_only():
    stepping = Stepping()
    footing, state = stepping.footing, stepping.state([True, False, True, True])
    for lost, carries in ((0, True), (1, True), (2, False), (20, False)):
        footing.feet[1].stand.lost = lost
        assert footing.carrying(stepping.timeline, 0.0, state)[1] == carries
    footing.feet[1].switch.never = CrawlSettings().stuck_after
    assert footing.carrying(stepping.timeline, 0.0, state)[1]


def test_servos_are_told_of_their_load_by_torque_by_position_or_not_at_all():
    # The same torques: 0.16 N m is 0.01 rad for a gain of 16 N m/rad.
    body = littledog()
    torques, legs = np.full((4, 3), 0.16), np.array([leg.indices for leg in body.legs])
    commands = {}
    for way in ("torque", "position", "none"):
        crawl = CrawlController(body, settings=CrawlSettings(load=way))
        command = body.robot.command()
        command.kp[:] = body.robot.servo_kp
        crawl._load(command, torques)
        commands[way] = command
    assert commands["torque"].torque[legs] == pytest.approx(torques)
    assert not commands["position"].torque.any()
    moved = commands["position"].position - commands["none"].position
    assert moved[legs] == pytest.approx(np.full((4, 3), 0.01))
    assert not commands["none"].torque.any()
    with pytest.raises(SettingsError, match="load"):
        CrawlSettings(load="force")

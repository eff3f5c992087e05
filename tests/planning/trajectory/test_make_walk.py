"""A walk keeps every limit at every sample, by oracles that know nothing of how it was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hand_made import HandMade

from andante.documents.settings import SettingsError
from andante.planning.course import PlanningError
from andante.planning.plans import FootstepPlan
from andante.planning.trajectory.make import PhaseError, make_walk
from andante.planning.trajectory.motion import WalkSamples
from andante.planning.trajectory.settings import FAST, SAFE, STEADY, TrajectorySettings
from andante.planning.trajectory.tempo import Tempo
from andante.planning.walk_plan import WalkPlan
from andante.spatial.polygons import convex_hull, signed_distance
from andante.spatial.rotations import from_rpy

Rate = Callable[[WalkPlan], np.ndarray]


def test_joints_stay_below_their_declared_speed_and_use_it(flat: HandMade, rate: Rate) -> None:
    rates = rate(flat.plan)
    assert rates.max() <= 1.0
    shortest = round(TrajectorySettings().shortest / flat.plan.period)
    longer = [swing for swing in flat.plan.swings if swing.touchdown - swing.lift_off > shortest]
    assert len(longer) > 3
    assert min(rates[swing.lift_off : swing.touchdown].max() for swing in longer) > 0.8


def test_masses_and_feet_are_where_the_engine_has_them(flat: HandMade) -> None:
    body, plan = flat.course.body, flat.plan
    model = body.robot.model
    data = mujoco.MjData(model)
    addresses = [model.joint(name).qposadr[0] for name in body.robot.joint_names]
    base = model.body(body.robot.base_body).id
    for k in range(0, len(plan.com), 23):
        data.qpos[:3], data.qpos[3:7] = plan.position[k], from_rpy(plan.rpy[k])
        data.qpos[addresses] = body.joints(plan.angles[k])
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        assert data.subtree_com[base] == pytest.approx(plan.com[k], abs=1e-6)
        feet = [data.site(foot.site).xpos for foot in body.robot.feet]
        assert np.allclose(feet, plan.feet[k], atol=1e-9)


def test_the_zero_moment_point_is_that_of_the_motion_and_inside_the_feet(flat: HandMade) -> None:
    plan = flat.plan
    bent = (plan.com[2:] - 2.0 * plan.com[1:-1] + plan.com[:-2]) / plan.period**2
    ground = plan.feet[:, :, 2].min(axis=1)[1:-1]
    height = (plan.com[1:-1, 2] - ground) / (9.81 + bent[:, 2])
    assert np.allclose(plan.com[1:-1, :2] - height[:, None] * bent[:, :2], plan.zmp[1:-1], atol=2e-4)
    for swing in plan.swings:
        for k in range(swing.lift_off, swing.touchdown + 1, 4):
            others = np.delete(plan.feet[k], swing.leg, axis=0)[:, :2]
            margin = float(signed_distance(convex_hull(others), plan.zmp[k]))
            assert margin == pytest.approx(plan.margin[k], abs=1e-9)
            assert margin > 0.007


def test_feet_land_on_their_footholds_and_roll_on_while_they_carry(flat: HandMade) -> None:
    plan = flat.plan
    for number, swing in enumerate(plan.swings):
        place = plan.footsteps.steps[number].place
        assert plan.feet[swing.touchdown, swing.leg] == pytest.approx(place, abs=1e-12)
        later = next((s.lift_off for s in plan.swings[number + 1 :] if s.leg == swing.leg), None)
        if later is not None:
            rolled = plan.feet[later, swing.leg] - place
            radius = flat.course.body.table.radius[swing.leg]
            turned = plan.angles[later, swing.leg, 1:].sum() - plan.angles[swing.touchdown, swing.leg, 1:].sum()
            # On level ground with a level body the shank's pitch alone rolls the ball along x.
            assert rolled[0] == pytest.approx(radius * turned, abs=3e-4)
            assert rolled[0] > 0.002
            assert abs(rolled[2]) < 1e-9


def test_only_one_foot_moves_and_it_clears_the_ground(flat: HandMade) -> None:
    plan = flat.plan
    for swing in plan.swings:
        middle = (swing.lift_off + swing.touchdown) // 2
        assert plan.swinging[middle] == swing.leg
        assert plan.feet[middle, swing.leg, 2] > plan.feet[swing.lift_off, swing.leg, 2] + 0.012
    still = plan.swinging < 0
    assert np.abs(plan.feet[still][:, :, 2] - plan.feet[0, 0, 2]).max() < 1e-9


def test_it_begins_and_ends_at_rest_and_begins_where_the_robot_stands(flat: HandMade) -> None:
    plan = flat.plan
    assert plan.position[0] == pytest.approx(flat.course.position, abs=1e-6)
    assert np.linalg.norm(plan.com[1] - plan.com[0]) / plan.period < 1e-9
    assert np.linalg.norm(plan.com[-1] - plan.com[-2]) / plan.period < 0.02


def test_the_same_input_gives_the_same_walk(flat: HandMade) -> None:
    again = make_walk(flat.course, flat.stances)
    assert again.angles.tobytes() == flat.plan.angles.tobytes()


def test_only_slowed_steps_are_slower(flat: HandMade) -> None:
    tempo = Tempo.of(flat.stances, TrajectorySettings(), 1.0)
    slowed = make_walk(flat.course, flat.stances, tempo=tempo.slow([5], 1.6))
    lengths = [np.array([swing.touchdown - swing.lift_off for swing in plan.swings]) for plan in (flat.plan, slowed)]
    assert lengths[1][5] > 1.4 * lengths[0][5]
    assert np.abs(np.delete(lengths[1] - lengths[0], 5)).max() <= 2


def test_thin_margins_are_walked_at_the_safe_pace(flat: HandMade) -> None:
    thin = replace(flat.stances, margin=np.where(np.arange(16)[:, None] == 7, 0.004, flat.stances.margin))
    tempo = Tempo.of(thin, TrajectorySettings(near=1.0), 1.0)
    assert tempo.use[7] == pytest.approx(SAFE.use)
    assert np.delete(tempo.use, 7) == pytest.approx(FAST.use)
    assert tempo.four_foot_time[[7, 8]] == pytest.approx(SAFE.four_foot_time)


def test_far_shifts_of_the_body_between_two_steps_get_their_time(flat: HandMade) -> None:
    com = flat.stances.com.copy()
    com[9:, :, 0] += 0.1
    far = replace(flat.stances, com=com)
    way = np.linalg.norm(com[9, 0, :2] - com[8, 1, :2])
    settings = TrajectorySettings()
    usual, longer = (Tempo.of(stances, settings, 1.0).four_foot_time for stances in (flat.stances, far))
    before = np.linalg.norm(flat.stances.com[9, 0, :2] - flat.stances.com[8, 1, :2])
    added = (way - max(before, settings.near)) / settings.shifting
    assert longer[9] - usual[9] == pytest.approx(added)
    assert np.delete(longer - usual, 9) == pytest.approx(0.0)


def test_high_steps_and_their_neighbours_are_walked_at_the_safe_pace(flat: HandMade) -> None:
    steps = list(flat.stances.footsteps.steps)
    steps[7] = replace(steps[7], apex=steps[7].apex + 0.04)
    high = replace(flat.stances, footsteps=replace(flat.stances.footsteps, steps=tuple(steps)))
    tempo = Tempo.of(high, TrajectorySettings(), 1.0)
    assert tempo.use[3:12] == pytest.approx(SAFE.use)
    assert np.delete(tempo.use, np.arange(3, 12)) == pytest.approx(FAST.use)


def test_higher_steps_keep_wider_off_and_the_tallest_are_slower(flat: HandMade) -> None:
    settings, steps = TrajectorySettings(near=1.0), list(flat.stances.footsteps.steps)
    climbs = {1: 0.02, 4: 0.045, 7: 0.108, 13: 0.07}
    for number, climb in climbs.items():
        steps[number] = replace(steps[number], apex=steps[number].place[2] + FAST.lift + climb)
    tall = replace(flat.stances, footsteps=replace(flat.stances.footsteps, steps=tuple(steps)))
    tempo = Tempo.of(tall, settings, 1.0)
    assert tempo.wide[[0, 1]] == pytest.approx(settings.wide)
    assert (tempo.use[4], tempo.wide[4]) == pytest.approx((SAFE.use, 0.5 * (settings.wide + settings.wider)))
    assert (tempo.use[13], tempo.wide[13]) == pytest.approx((SAFE.use, settings.wider))
    assert (tempo.use[7], tempo.wide[7]) == pytest.approx((STEADY.use, settings.wider))
    # These feet go over walls, so that the body is calm before they leave.
    assert tempo.four_foot_time[[7, 8]] == pytest.approx([STEADY.four_foot_time + settings.calm, STEADY.four_foot_time])
    assert tempo.four_foot_time[4] == pytest.approx(SAFE.four_foot_time + settings.calm)


@pytest.mark.parametrize(("height", "calm"), [(0.06, 0.0), (0.08, 1.0)])
def test_up_a_high_step_the_body_is_calm(flat: HandMade, height: float, calm: float) -> None:
    settings, steps = TrajectorySettings(near=1.0), list(flat.stances.footsteps.steps)
    place = steps[7].place + np.array([0.0, 0.0, height])
    steps[7] = replace(steps[7], place=place, apex=place[2] + FAST.lift)
    up = replace(flat.stances, footsteps=replace(flat.stances.footsteps, steps=tuple(steps)))
    assert Tempo.of(up, settings, 1.0).four_foot_time[7] == pytest.approx(SAFE.four_foot_time + calm * settings.calm)


def test_a_raised_body_is_higher_in_that_step_and_nowhere_far_from_it(flat: HandMade) -> None:
    tempo = Tempo.of(flat.stances, TrajectorySettings(), 1.0)
    raised = make_walk(flat.course, flat.stances, tempo=tempo.raising([8], 0.004))
    heights = [
        np.array([plan.com[swing.lift_off : swing.touchdown + 1, 2].mean() for swing in plan.swings])
        for plan in (flat.plan, raised)
    ]
    gained = heights[1] - heights[0]
    assert gained[[7, 8]].min() > 0.0025
    assert np.abs(gained[[0, 1, 2, 3, 4, 12, 13, 14, 15]]).max() < 5e-4


def test_what_is_special_about_a_step_can_be_taken_back(flat: HandMade) -> None:
    tempo = Tempo.of(flat.stances, TrajectorySettings(), 1.0)
    changed = tempo.raising([8], 0.004).upright([3], np.full(16, -0.01))
    assert (changed.special(3), changed.special(8), changed.special(12)) == (True, True, False)
    assert not tempo.special(3)
    plain = changed.plain(8).plain(3)
    assert (plain.moved == 0.0).all()
    assert (plain.aside == 0.0).all()
    assert plain.exact[3]


def test_a_modest_step_is_lifted_less_and_keeps_no_wider_than_its_way(flat: HandMade) -> None:
    tempo = make_walk(flat.course, flat.stances).warm_start.tempo
    modest = tempo.modest(8, 0.005)
    assert modest.lift[8] == pytest.approx(tempo.lift[8] - 0.005)
    assert modest.wide[8] == 0.0
    others = np.arange(len(tempo.lift)) != 8
    assert (modest.lift[others] == tempo.lift[others]).all()
    assert (modest.wide[others] == tempo.wide[others]).all()
    assert tempo.modest(8, 1.0).lift[8] == 0.0
    usual, low = (make_walk(flat.course, flat.stances, tempo=each) for each in (tempo, modest))
    heights = [plan.feet[s.lift_off : s.touchdown, s.leg, 2].max() for plan in (usual, low) for s in (plan.swings[8],)]
    assert heights[1] == pytest.approx(heights[0] - 0.005, abs=1e-3)


def test_a_pose_out_of_reach_is_refused_with_its_place(flat: HandMade) -> None:
    com = flat.stances.com.copy()
    com[9, :, 2] = 0.30
    with pytest.raises(PhaseError, match=r"step \d+ \(F|H.\), body at x 0\.\d+ m.*a joint would") as caught:
        make_walk(flat.course, replace(flat.stances, com=com))
    assert abs(caught.value.step - 9) <= 1
    assert caught.value.bent


@pytest.mark.parametrize("deep", [0.08, 0.11])
def test_joints_that_jump_are_refused_instead_of_getting_ever_more_time(
    flat: HandMade, monkeypatch: pytest.MonkeyPatch, deep: float
) -> None:
    """A body so low that legs fold from one sample to the next: no time is enough, and thousands of seconds no help."""
    com = flat.stances.com.copy()
    com[9, :, 2] -= deep
    counts = []
    of = WalkSamples.of

    def counted(swings: np.ndarray, four_foot_times: np.ndarray) -> WalkSamples:
        schedule = of(swings, four_foot_times)
        counts.append(schedule.count)
        return schedule

    monkeypatch.setattr(WalkSamples, "of", staticmethod(counted))
    with pytest.raises(PhaseError, match=r"step \d+ \(F|H.\), body at x 0\.\d+ m.*: a joint would") as caught:
        make_walk(flat.course, replace(flat.stances, com=com))
    assert abs(caught.value.step - 9) <= 1
    assert max(counts) < 3000


def test_a_swing_that_needs_longer_than_allowed_is_refused_with_its_joint(flat: HandMade) -> None:
    message = r"step \d+ .*, [FH][LR]_[a-z]+: a swing would last too long; got 0\.\d+; limit: at most 0\.1 s"
    with pytest.raises(PhaseError, match=message) as caught:
        make_walk(flat.course, flat.stances, TrajectorySettings(longest=0.1))
    assert not caught.value.bent


def test_plans_that_do_not_fit_are_named(flat: HandMade) -> None:
    with pytest.raises(PlanningError, match="a pose for both ends of each step"):
        make_walk(flat.course, replace(flat.stances, com=flat.stances.com[:-1]))
    none = replace(
        flat.stances,
        footsteps=FootstepPlan(flat.course.feet, ()),
        com=flat.stances.com[:0],
        rpy=flat.stances.rpy[:0],
    )
    with pytest.raises(PlanningError, match="at least one step"):
        make_walk(flat.course, none)


@pytest.mark.parametrize(("name", "value"), [("four_foot_time", -1.0), ("lift", 0.0), ("ramp", 0.7), ("use", 1.01)])
def test_paces_that_make_no_sense_are_named(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=rf"^pace\.{name}: .*; got {value}; limit: at "):
        FAST.changed(**{name: value})


def test_settings_that_make_no_sense_are_named() -> None:
    with pytest.raises(SettingsError, match=r"trajectory.smoothing: must be a finite number; got nan"):
        TrajectorySettings(smoothing=float("nan"))
    with pytest.raises(SettingsError, match=r"a fat margin is not below a thin one; got 0.01; limit: at least 0.02 m"):
        TrajectorySettings(thin_margin=0.02, fat_margin=0.01)
    assert TrajectorySettings.careful().fast == SAFE


def test_slowing_unknown_steps_is_an_error(flat: HandMade) -> None:
    tempo = Tempo.of(flat.stances, TrajectorySettings(), 1.0)
    with pytest.raises(PlanningError, match="0 to 15"):
        tempo.slow([16], 1.5)
    with pytest.raises(PlanningError, match="at least 1"):
        tempo.slow([3], 0.5)

"""Lower legs beside the trunk: distances by hand and by MuJoCo, poses that are refused, walks that keep clear."""

from __future__ import annotations

import math
import shutil
from importlib.resources import files
from pathlib import Path

import mujoco
import numpy as np
import pytest
from courses import BODY, stand
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.kinematics.leg_table import LeggedBody
from andante.planning.feasibility.body_shape import BodyShape
from andante.planning.feasibility.pose_room import PoseRules, lifted_room
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.trunk import box_distance, link_distance, trunk_distance
from andante.planning.walk.rehearsal import rehearse
from andante.planning.walk.trials import plan_course
from andante.robots.robot import Robot
from andante.terrain.boards.make import make_board
from andante.terrain.height_map import HeightMap

# Inner kernels, compiled for calls from Python.
lifted_room = entry(lifted_room.py_func)
box_distance = entry(box_distance.py_func)
link_distance = entry(link_distance.py_func)
trunk_distance = entry(trunk_distance.py_func)

MODEL = BODY.robot.model
BOX = np.array([[-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]])
SCENE = Scene.of(BODY, HeightMap(np.zeros((41, 41)), (-0.5, -0.5), 0.025))
FAR = 0.02


def _by_mujoco(data: mujoco.MjData, angles: np.ndarray) -> np.ndarray:
    """Distance of each leg's shank and foot from the trunk at joint angles (nl, 3), at most `FAR`."""
    data.qpos[:] = MODEL.qpos0
    for leg, row in zip(BODY.legs, angles, strict=True):
        for joint, angle in zip(leg.joints, row, strict=True):
            data.qpos[MODEL.joint(joint).qposadr[0]] = angle
    mujoco.mj_kinematics(MODEL, data)
    trunk, points = MODEL.geom("trunk").id, np.empty(6)
    return np.array(
        [
            min(
                mujoco.mj_geomDistance(MODEL, data, trunk, MODEL.geom(f"{leg.name}_{part}").id, FAR, points)
                for part in ("shank", "foot")
            )
            for leg in BODY.legs
        ]
    )


@pytest.mark.parametrize(
    ("point", "distance"),
    [
        ((4.0, 0.0, 0.0), 3.0),
        ((4.0, 6.0, 0.0), 5.0),
        ((-3.0, -4.0, -4.0), 3.0),
        ((0.5, 0.0, 0.0), -0.5),
        ((0.0, -1.75, 0.0), -0.25),
    ],
)
def test_the_distance_of_a_point_from_a_box_is_that_worked_out_by_hand(point, distance):
    assert box_distance(BOX, *point)[0] == pytest.approx(distance)


def test_a_line_past_an_edge_is_nearest_between_its_ends():
    # From beside the box to below it, past its lower edge at a right angle: y + z falls by the same on both sides.
    one, other = (0.0, 4.0, -2.0), (0.0, 1.0, -5.0)
    assert link_distance(BOX, one, other, math.inf) == pytest.approx(math.sqrt(0.5), abs=0.01)
    assert link_distance(BOX, other, one, math.inf) == pytest.approx(math.sqrt(0.5), abs=0.01)
    # Where that is enough any distance above it will do.
    assert link_distance(BOX, one, other, 0.5) > 0.5


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_the_distance_of_a_leg_is_that_of_its_shapes(seed):
    rng = np.random.default_rng(seed)
    data, table = mujoco.MjData(MODEL), BODY.table
    bends = rng.uniform(0.3, 2.6, 4) * table.bend * table.signs[:, 2]
    angles = np.column_stack([rng.uniform(-0.6, 0.6, 4), rng.uniform(-1.5, 1.5, 4), bends])
    expected = _by_mujoco(data, angles)
    for leg in range(4):
        foot = np.array(data.site(f"{BODY.legs[leg].name}_foot").xpos)
        base, turn = np.array(data.body("trunk").xpos), np.array(data.body("trunk").xmat).reshape(3, 3)
        found = trunk_distance(table, SCENE.trunk, SCENE.shank, leg, base, turn, angles[leg], foot)
        if expected[leg] > 0.0:
            assert min(found, FAR) == pytest.approx(expected[leg], abs=5e-4)
        else:
            assert found < 5e-4


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 0.03))
def test_a_distance_beyond_interest_is_only_known_to_be_that(seed, beyond):
    rng, table = np.random.default_rng(seed), BODY.table
    angles = np.array([rng.uniform(-0.6, 0.6), rng.uniform(-1.5, 1.5), 0.0])
    foot, base = rng.uniform([-0.12, -0.1, -0.15], [0.12, 0.1, -0.03]), np.zeros(3)
    for leg in range(4):
        whole = trunk_distance(table, SCENE.trunk, SCENE.shank, leg, base, np.eye(3), angles, foot)
        part = trunk_distance(table, SCENE.trunk, SCENE.shank, leg, base, np.eye(3), angles, foot, beyond)
        assert min(part, beyond) == pytest.approx(min(whole, beyond), abs=1e-12)


@pytest.mark.slow
def test_a_folded_leg_has_room_straight_down_and_none_where_its_roll_is_inwards():
    rules, turn = PoseRules.of(BODY.leg_length), np.eye(3)
    hip, position = BODY.table.hip[0], np.array([0.0, 0.0, 0.1])
    out = BODY.table.offset[0, 1] + BODY.table.upper[0, 1] + BODY.table.lower[0, 1]
    straight = position + hip + [-0.02, out, -0.07]
    assert lifted_room(SCENE, rules, position, turn, 0, straight, 0.0) > rules.enough
    # The same leg turned inwards by 30 degrees about its roll axis.
    c, s = math.cos(0.52), math.sin(0.52)
    inwards = position + hip + [-0.02, c * out - s * 0.07, -s * out - c * 0.07]
    assert lifted_room(SCENE, rules, position, turn, 0, inwards, 0.0) < 0.0


@pytest.mark.parametrize(("name", "seed"), [("steps", 202), ("mesa", 200)])
def test_planned_legs_keep_off_the_trunk(name, seed):
    course = stand(make_board(name, 0.5, seed))
    plan = plan_course(course).plan
    data = mujoco.MjData(MODEL)
    least = min(_by_mujoco(data, angles).min() for angles in plan.angles)
    assert least > 0.0
    # A millimetre is kept wherever a step can be made so.
    assert len(rehearse(course, plan).too_folded()) <= 1


def _changed(tmp_path: Path, old: str, new: str) -> LeggedBody:
    """LittleDog with another text in its model."""
    folder = tmp_path / "littledog"
    shutil.copytree(Path(str(files("andante.robots") / "littledog")), folder)
    model = folder / "littledog.xml"
    text = model.read_text(encoding="utf-8")
    assert old in text
    model.write_text(text.replace(old, new), encoding="utf-8")
    return LeggedBody.of(Robot.load(folder))


def test_a_trunk_that_the_model_lets_shanks_pass_is_no_obstacle(tmp_path):
    assert BodyShape.of(BODY).trunk.shape == (1, 2, 3)
    pairs = "".join(f'<exclude body1="{leg.name}_shank" body2="trunk"/>' for leg in BODY.legs)
    body = _changed(tmp_path, "</contact>", pairs + "</contact>")
    assert BodyShape.of(body).trunk.shape == (0, 2, 3)


def test_a_box_that_is_wider_than_hanging_legs_leave_is_drawn_in(tmp_path):
    wide = _changed(tmp_path, 'size="0.13 0.045 0.03"', 'size="0.13 0.07 0.03"')
    # Pitch axes are 59.85 mm aside, shanks 6 mm thick, and 4.6 % of the leg's 187.4 mm stay clear.
    half = 0.05985 - 0.006 - 0.046 * wide.leg_length
    np.testing.assert_allclose(BodyShape.of(wide).trunk, [[[-0.13, -half, -0.03], [0.13, half, 0.03]]], atol=1e-4)
    np.testing.assert_allclose(BodyShape.of(BODY).trunk, [[[-0.13, -0.045, -0.03], [0.13, 0.045, 0.03]]])

"""Rods between two balls, by which legs are driven from above: ties of their length."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest
from bare_files import load, refusal
from quadrupeds import mjcf_quadruped

HIP = '<inertial pos="0 0 0" mass="0.5" diaginertia="1e-3 1e-3 1e-3"/>'
ROD = """<body name="rod" pos="0.02 0.04 0.01" euler="0 20 0"><joint name="rod_ball" type="ball"/>
  <geom type="capsule" size="0.003" fromto="0 0 0 0 0 -0.15" mass="0.05" contype="0" conaffinity="0"/>
  <site name="rod_end" pos="0 0 -0.18"/></body>"""
CALF = '<inertial pos="0 0 -0.1" mass="0.2"'
EYE = '<site name="eye" pos="-0.06 0 -0.05"/>'
BY_BODIES = '<connect body1="rod" body2="FL_calf" anchor="0 0 -0.2"/>'
BY_BODIES_TURNED = '<connect body1="FL_calf" body2="rod" anchor="-0.06 0 -0.05"/>'
BY_SITES = '<connect site1="eye" site2="rod_end"/>'


def with_rod(tie: str) -> str:
    text = re.sub("<keyframe>.*</keyframe>", "", mjcf_quadruped()).replace(HIP, HIP + ROD, 1)
    return text.replace(CALF, EYE + CALF, 1).replace("</mujoco>", f"<equality>{tie}</equality></mujoco>")


def lengths(path, knees) -> np.ndarray:
    """How far the rod's ball is from the point that it holds on the calf, in MuJoCo's own model of the file [m]."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    found = []
    for knee in knees:
        data.joint("FL_calf").qpos[0] = knee
        mujoco.mj_forward(model, data)
        found.append(float(np.linalg.norm(data.site("eye").xpos - data.joint("rod_ball").xanchor)))
    return np.array(found)


@pytest.mark.parametrize("tie", [BY_BODIES, BY_BODIES_TURNED, BY_SITES])
def test_a_rod_is_a_tie_of_its_length(tmp_path, tie):
    robot = load(tmp_path, with_rod(tie))
    plain = load(tmp_path, mjcf_quadruped(), "plain.xml")
    assert robot.joint_names == plain.joint_names
    assert robot.model.body_mass.sum() == pytest.approx(plain.model.body_mass.sum() + 0.05)
    assert robot.sources["rods"] == (
        "between two balls, here ties of their length, their masses with what they hang on: rod"
    )
    assert robot.sources["ties"].startswith("kept, as the file has them: rod_length held")
    model, data = robot.model, mujoco.MjData(robot.model)
    data.qpos[:] = model.qpos0
    mujoco.mj_forward(model, data)
    asked = float(model.tendon_length0[0] + model.eq_data[0, 0])
    wanted = {BY_SITES: 0.18, BY_BODIES: 0.2, BY_BODIES_TURNED: lengths(tmp_path / "quad.xml", [0.0])[0]}[tie]
    assert asked == pytest.approx(wanted, abs=1e-5)


def test_a_rod_keeps_its_length_whatever_pulls_at_it(tmp_path):
    model = load(tmp_path, with_rod(BY_BODIES_TURNED)).model
    away = {}
    for active in (True, False):
        data = mujoco.MjData(model)
        data.eq_active[:] = active
        data.qfrc_applied[model.joint("FL_calf").dofadr[0]] = -2.0
        for _ in range(100):
            mujoco.mj_step(model, data)
        away[active] = abs(float(data.ten_length[0]) - model.tendon_length0[0])
    assert away[True] < 3e-3
    assert away[False] > 1e-2


@pytest.mark.parametrize(
    "ties",
    [
        '<weld body1="rod" body2="FL_calf" torquescale="0"/>',
        f'{BY_BODIES}<connect body1="rod" body2="FL_thigh" anchor="0 0 -0.1"/>',
    ],
)
def test_a_ball_that_is_tied_otherwise_is_refused(tmp_path, ties):
    assert "joint 'rod_ball': only hinge joints are supported" in refusal(tmp_path, with_rod(ties), "quad.xml")


def test_a_rod_whose_tie_is_off_hangs_on_nothing_and_is_held(tmp_path):
    off = '<connect body1="rod" body2="FL_calf" anchor="0 0 -0.2" active="false"/>'
    robot = load(tmp_path, with_rod(off))
    assert robot.sources["other joints"].endswith("rod_ball (ball of rod)")
    assert "rods" not in robot.sources


@pytest.mark.parametrize(
    "weld",
    [
        '<weld body1="rod" body2="FL_calf"/>',
        '<weld body1="FL_calf" body2="rod"/>',
        '<weld body1="rod" body2="FL_calf" relpose="0.03 -0.02 -0.2 0.9 0.1 -0.3 0.2"/>',
        '<weld body1="FL_calf" body2="rod" relpose="0.03 -0.02 -0.2 0.9 0.1 -0.3 0.2"/>',
        '<weld site1="eye" site2="rod_end"/>',
        '<weld site1="rod_end" site2="eye"/>',
        '<connect name="other" body1="FL_thigh" body2="FL_calf" anchor="0 0 -0.2"/><weld body1="rod" body2="FL_calf"/>',
    ],
)
def test_a_rod_that_is_welded_connects_what_its_ball_joins(tmp_path, weld):
    """With the ball's place held, the calf is where MuJoCo's own model of the file has it."""
    text = with_rod(weld)
    robot = load(tmp_path, text)
    assert robot.sources["rods"] == ("welded, here ties of points, their masses with what they hang on: rod")
    model = robot.model
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "quad.xml"))
    data = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    tie = theirs.neq - 1
    # The rod as the weld holds it on the calf, whatever its ball says.
    if theirs.eq_objtype[tie] == mujoco.mjtObj.mjOBJ_SITE:
        calf, rod = data.site("eye"), data.site("rod_end")
        turned = calf.xmat.reshape(3, 3) @ rod.xmat.reshape(3, 3).T
        wanted = calf.xpos + turned @ (data.joint("rod_ball").xanchor - rod.xpos)
    else:
        first, second = (data.body(int(theirs.eq_obj1id[tie])), data.body(int(theirs.eq_obj2id[tie])))
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, theirs.eq_data[tie, 6:10])
        turn, shift = turn.reshape(3, 3), theirs.eq_data[tie, 3:6]
        into = lambda body, point: body.xmat.reshape(3, 3).T @ (point - body.xpos)  # noqa: E731
        out = lambda body, point: body.xmat.reshape(3, 3) @ point + body.xpos  # noqa: E731
        ball = data.joint("rod_ball").xanchor
        if first.name == "rod":
            wanted = out(second, turn.T @ (into(first, ball) - shift))
        else:
            wanted = out(first, turn @ into(second, ball) + shift)
    calf = data.body("FL_calf")
    inside = calf.xmat.reshape(3, 3).T @ (wanted - calf.xpos)
    assert model.site("rod_end_1").pos == pytest.approx(inside, abs=1e-5)
    assert model.body(model.site("rod_end_1").bodyid[0]).name == "FL_calf"


def with_cranks(rod_joint: str) -> str:
    """The quadruped with a crank on each thigh, of which a rod goes to the calf: a parallelogram."""
    text = re.sub("<keyframe>.*</keyframe>", "", mjcf_quadruped())
    ties = ""
    for leg in ("FL", "FR", "RL", "RR"):
        light = '<inertial pos="0 0 0" mass="0.02" diaginertia="1e-5 1e-5 1e-5"/>'
        crank = f"""<body name="{leg}_crank" pos="0 0.02 0">
          <joint name="{leg}_crank" axis="0 1 0" range="-170 170"/>{light}
          <body name="{leg}_rod" pos="-0.05 0 0">{rod_joint.format(leg)}{light}</body></body>"""
        calf = f'<body name="{leg}_calf"'
        text = text.replace(calf, crank + calf, 1)
        ties += f'<connect body1="{leg}_rod" body2="{leg}_calf" anchor="0 0 -0.2"/>'
    return text.replace("</mujoco>", f"<equality>{ties}</equality></mujoco>")


@pytest.mark.parametrize(
    "rod_joint",
    ['<joint type="ball"/>', '<joint name="{0}_tip" axis="0 1 0" range="-170 170"/>'],
    ids=["ball", "hinge"],
)
def test_a_computed_stand_closes_what_rods_close(tmp_path, rod_joint):
    robot = load(tmp_path, with_cranks(rod_joint))
    assert robot.sources["stand"].startswith("computed")
    stand = robot.postures["stand"]
    # A crank of a parallelogram turns as the calf does.
    for leg in ("FL", "FR", "RL", "RR"):
        assert abs(stand[f"{leg}_calf"]) > 0.5
        assert stand[f"{leg}_crank"] == pytest.approx(stand[f"{leg}_calf"], abs=2e-3)

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
        '<weld body1="rod" body2="FL_calf"/>',
        f'{BY_BODIES}<connect body1="rod" body2="FL_thigh" anchor="0 0 -0.1"/>',
        '<connect body1="rod" body2="FL_calf" anchor="0 0 -0.2" active="false"/>',
    ],
)
def test_a_ball_that_is_tied_otherwise_is_refused(tmp_path, ties):
    assert "joint 'rod_ball': only hinge joints are supported" in refusal(tmp_path, with_rod(ties), "quad.xml")


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

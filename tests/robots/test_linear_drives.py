"""Cylinders and screws beside a leg follow what it does, and are left out; legs that slide are not."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest
from bare_files import load, refusal
from quadrupeds import LEGS, mjcf_quadruped
from test_sdf_robots import joint, link, sdf

LIGHT = '<inertial pos="0 0 0" mass="0.02" diaginertia="1e-5 1e-5 1e-5"/>'
PLANAR = '<joint name="{0}_eye" axis="0 1 0"/>'
CROSS = '<joint name="{0}_eye" axis="0 1 0"/><joint name="{0}_fork" axis="1 0 0"/>'
ROUND = '<joint name="{0}_eye" type="ball"/>'
BY_POINT = '<connect body1="{0}_piston" body2="{0}_calf" anchor="0 0 -0.05"/>'
BY_SITES = '<connect site1="{0}_rod" site2="{0}_knob"/>'
CYLINDER = """<body name="{0}_cylinder" pos="-0.05 0 0">{eye}{light}
  <geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.1"/>
  <body name="{0}_piston" pos="0 0 -0.15"><joint name="{0}_slide" type="slide" axis="{along}" range="-0.1 0.1"/>{light}
  <site name="{0}_rod" pos="0 0 -0.05"/></body></body>"""


def with_cylinders(eye: str, tie: str, along: str = "0 0 1") -> str:
    """The quadruped with a cylinder on each thigh, whose piston's end is held on the calf."""
    text = re.sub("<keyframe>.*</keyframe>", "", mjcf_quadruped())
    for leg in LEGS:
        calf = f'<body name="{leg}_calf" pos="0 0 -0.2">'
        knob = f'<site name="{leg}_knob" pos="-0.05 0 0"/>'
        text = text.replace(calf, CYLINDER.format(leg, eye=eye.format(leg), light=LIGHT, along=along) + calf + knob, 1)
    ties = "".join(tie.format(leg) for leg in LEGS)
    motors = "".join(f'<motor joint="{leg}_slide"/>' for leg in LEGS)
    text = text.replace("</actuator>", f"{motors}</actuator>")
    return text.replace("</mujoco>", f"<equality>{ties}</equality></mujoco>")


@pytest.mark.parametrize("eye", [PLANAR, CROSS, ROUND], ids=["planar", "cross", "round"])
@pytest.mark.parametrize("tie", [BY_POINT, BY_SITES], ids=["bodies", "sites"])
def test_cylinders_that_only_follow_are_left_out(tmp_path, eye, tie):
    robot = load(tmp_path, with_cylinders(eye, tie))
    plain = load(tmp_path, mjcf_quadruped(), "plain.xml")
    assert robot.joint_names == plain.joint_names
    assert robot.model.body_mass.sum() == pytest.approx(plain.model.body_mass.sum() + 8 * 0.02)
    assert robot.sources["linear drives"].endswith("FL_cylinder, FR_cylinder, RL_cylinder, RR_cylinder")
    assert robot.model.neq == 0
    assert "stand" in robot.postures
    assert robot.posture("stand")[robot.index("FL_calf")] < -0.3
    collides = robot.model.geom_contype | robot.model.geom_conaffinity
    assert not collides[robot.model.geom_bodyid == robot.model.body("FL_cylinder").id].any()


def test_a_leg_moves_as_with_its_cylinders(tmp_path):
    """In MuJoCo's own model of the file the calf swings as in the robot's, where the cylinders' masses are small."""
    light = with_cylinders(PLANAR, BY_POINT).replace(
        'mass="0.02" diaginertia="1e-5 1e-5 1e-5"', 'mass="1e-4" diaginertia="1e-8 1e-8 1e-8"'
    )
    light = light.replace('<geom type="capsule" size="0.01"', '<geom type="capsule" mass="0" size="0.01"')
    ours = load(tmp_path, light).model
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "quad.xml"))
    swings = []
    for model in (theirs, ours):
        model.opt.timestep, model.opt.gravity[:] = 0.0005, 0.0
        model.geom_contype[:] = 0
        data = mujoco.MjData(model)
        calf, hip = model.joint("FL_calf"), model.joint("FL_thigh")
        for _ in range(600):
            data.qfrc_applied[calf.dofadr[0]], data.qfrc_applied[hip.dofadr[0]] = -0.6, 0.3
            mujoco.mj_step(model, data)
        swings.append((data.qpos[calf.qposadr[0]], data.qpos[hip.qposadr[0]]))
    assert swings[0][0] < -0.1
    assert np.array(swings[1]) == pytest.approx(np.array(swings[0]), abs=0.03)


def test_a_slide_that_holds_something_stays_refused(tmp_path):
    # Across the leg: the piston cannot follow the calf, and the tie holds the knee.
    told = refusal(tmp_path, with_cylinders(PLANAR, BY_POINT, along="0 1 0"), "quad.xml")
    assert "only hinge joints are supported; got 'slide of body 'FL_piston''" in told.replace('"', "'")


def screws(closing: str) -> str:
    text = ""
    for leg, (x, y) in LEGS.items():
        side = y + (0.05 if y > 0 else -0.05)
        text += link(f"{leg}_motor", 0.1, f"{x - 0.05} {side} 0.42 0 0 0")
        text += link(f"{leg}_nut", 0.1, f"{x - 0.05} {side} 0.2 0 0 0")
        text += joint(f"{leg}_eye", f"{leg}_thigh", f"{leg}_motor")
        thread = "<screw_thread_pitch>0.002</screw_thread_pitch>"
        text += joint(f"{leg}_screw", f"{leg}_motor", f"{leg}_nut", "0 0 1", "screw").replace(
            "</joint>", f"{thread}</joint>"
        )
        text += joint(f"{leg}_rod", f"{leg}_nut", f"{leg}_calf", "0 1 0" if closing != "ball" else "", closing)
    return text


@pytest.mark.parametrize("closing", ["ball", "revolute"])
def test_screws_of_sdf_that_only_follow_are_left_out(tmp_path, closing):
    robot = load(tmp_path, sdf(screws(closing)), "quad.sdf")
    assert len(robot.joint_names) == 12
    assert robot.sources["linear drives"].endswith("FL_motor, FR_motor, RL_motor, RR_motor")
    assert robot.model.neq == 0

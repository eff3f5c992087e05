"""Pages on the model of a robot: ROBOTIS's signs bend the knees forward, and aliases lead to other names and back."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from robotis_files import ACTIONS, action_file, page

from andante.formats.registry import convert, read, write
from andante.formats.report import FormatError, Losses
from andante.motions.editing.binding import bind
from andante.motions.editing.choice import chosen_motions
from andante.robots.robot import Robot

SIDES = {"l": (0.04, "0 1 0", "0 -1 0"), "r": (-0.04, "0 -1 0", "0 1 0")}
"""Where a leg is [m] and the axes of an OP3's hip and knee, and of its ankle."""
LEG = """
<body pos="0 {place} 0"><joint name="{side}_hip_pitch" axis="{axis}" range="-2.6 2.6"/>
 <geom type="capsule" fromto="0 0 0 0 0 -0.11" size="0.01" mass="0.1"/>
 <body name="{side}_shank" pos="0 0 -0.11"><joint name="{side}_knee" axis="{axis}" range="-2.6 2.6"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.11" size="0.01" mass="0.1"/>
  <body name="{side}_foot" pos="0 0 -0.11"><joint name="{side}_ank_pitch" axis="{other}" range="-2.6 2.6"/>
   <geom type="box" size="0.06 0.03 0.005" mass="0.1"/></body></body></body>
"""


def model_file(folder: Path) -> Path:
    legs = "".join(
        LEG.format(side=side, place=place, axis=axis, other=other) for side, (place, axis, other) in SIDES.items()
    )
    body = f'<body name="trunk" pos="0 0 0.3"><freejoint/><geom type="box" size="0.05 0.05 0.05"/>{legs}</body>'
    path = folder / "legs.xml"
    path.write_text(f'<mujoco model="legs"><worldbody>{body}</worldbody></mujoco>')
    return path


def test_a_crouch_bends_the_knees_forward_and_keeps_the_soles_level(tmp_path: Path):
    model = mujoco.MjModel.from_xml_path(str(model_file(tmp_path)))
    data = mujoco.MjData(model)
    (tmp_path / "motion_4096.bin").write_bytes(ACTIONS)
    library = read(tmp_path / "motion_4096.bin")
    for joint, angle in library.blocks["sit down"].keyframes[-1].joints.items():
        number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint)
        if number >= 0:
            data.qpos[model.jnt_qposadr[number]] = angle
    mujoco.mj_forward(model, data)
    for side in SIDES:
        shank, foot = data.body(f"{side}_shank"), data.body(f"{side}_foot")
        assert shank.xpos[0] > 0.09
        assert abs(foot.xpos[0]) < 0.03
        assert np.allclose(foot.xmat.reshape(3, 3)[2], [0.0, 0.0, 1.0], atol=1e-3)


def test_joints_that_have_robotis_s_names_keep_them_whatever_else_they_are_called(tmp_path: Path):
    """A model read from its file has aliases of its own making: the knees were written to no servo."""
    model = str(model_file(tmp_path))
    (tmp_path / "motion_4096.bin").write_bytes(action_file({1: page(b"kick", [({13: 1500, 14: 2100}, 0, 40)])}))
    convert(tmp_path / "motion_4096.bin", tmp_path / "kick.csv", robot=model)
    for name in ("kick.bin", "kick.mtn"):
        target_format = "roboplus" if name == "kick.mtn" else "robotis"
        report = convert(tmp_path / "kick.csv", tmp_path / name, robot=model, target_format=target_format)
        assert not any("is of no servo" in each for each in report.losses)
        first = next(iter(read(tmp_path / name).blocks.values())).keyframes[0]
        assert first.joints["r_knee"] == pytest.approx(-548 * math.tau / 4096, abs=math.radians(300.0) / 2048)


def test_aliases_lead_to_a_robot_s_own_joints_and_back(tmp_path: Path):
    """The NAO's pitches of the knees by ROBOTIS's names."""
    robot = replace(Robot.load("nao"), aliases={"r_knee": "RKneePitch", "l_knee": "LKneePitch"})
    (tmp_path / "motion_4096.bin").write_bytes(ACTIONS)
    library = chosen_motions(read(tmp_path / "motion_4096.bin"), ["kick"])
    bound = bind(library, robot).library
    assert set(bound.blocks["kick"].keyframes[0].joints) == {"RKneePitch", "LKneePitch"}
    with pytest.raises(FormatError, match="none of the joints is a servo of ROBOTIS's robots; got 'LKneePitch, RKn"):
        write(bound, tmp_path / "b.bin")
    losses = Losses()
    write(bound, tmp_path / "b.bin", robot=robot, losses=losses)
    assert losses.texts == []
    raw = (tmp_path / "b.bin").read_bytes()
    assert [number for number in range(256) if raw[number * 512 + 20]] == [12, 13]
    assert raw[12 * 512 : 14 * 512] == ACTIONS[12 * 512 : 14 * 512]

"""Pages on the model of a robot: ROBOTIS's signs bend the knees forward, and aliases lead to other names and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from robotis_files import ACTIONS

from andante.formats.registry import read, write
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

"""Robots of servos alone: keyframes run open loop behind the wire, and the verdict says what nobody watched."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.control.controller import ControlError
from andante.runs.execute import run_scenario
from andante.runs.logs.replay import replay_log
from andante.runs.scenario import Scenario
from andante.runs.task import scenario_of

LEG = """<body name="{side}_thigh" pos="0 {y} -.01"><joint name="{side}_hip" axis="0 1 0"/>
  <geom type="box" size=".015 .015 .035" pos="0 0 -.045"/><body name="{side}_shin" pos="0 0 -.09">
  <joint name="{side}_knee" axis="0 1 0"/><geom type="box" size=".015 .015 .03" pos="0 0 -.04"/>
  <body name="{side}_foot" pos="0 0 -.085"><joint name="{side}_ankle" axis="0 1 0"/>
  <geom type="box" size=".045 .025 .008" pos=".01 0 -.012"/></body></body></body>"""
TOY = f"""<mujoco model="toy"><default>
  <joint range="-90 90" damping=".05" armature=".002"/><geom density="600"/></default>
  <worldbody><body name="trunk" pos="0 0 .2"><freejoint/><geom type="box" size=".03 .05 .05" pos="0 0 .05"/>
  <body name="arm" pos="0 .06 .08"><joint name="arm" axis="0 1 0"/>
  <geom type="box" size=".012 .01 .05" pos="0 .01 -.05"/>
  </body>{LEG.format(side="left", y=0.03)}{LEG.format(side="right", y=-0.03)}</body></worldbody><actuator>
  <position joint="arm" kp="10" forcerange="-1.5 1.5"/></actuator></mujoco>"""
WAVE = """format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: toy
motions: {wave: {blocks: [wave], end_posture: stand}}
blocks: {wave: {keyframes: [{duration: 300, joints: {arm: -40}WINDOW}, {duration: 300, joints: {arm: 0}}]}}
"""


def scenario(folder: Path, more: str = "") -> Scenario:
    (folder / "toy.xml").write_text(TOY)
    (folder / "wave.yaml").write_text(WAVE.replace("WINDOW", more))
    return scenario_of(
        None,
        robot=str(folder / "toy.xml"),
        library=str(folder / "wave.yaml"),
        motion="wave",
        start="zero",
        backend="loop=dynamixel",
        settings=["backend.safety.settle=0.1", "backend.safety.fade=0.3"],
        report=False,
    )


@pytest.mark.slow
def test_a_motion_that_looks_at_no_orientation_runs_and_its_verdict_says_what_nobody_watched(tmp_path: Path) -> None:
    pytest.importorskip("dynamixel_sdk")
    result = run_scenario(scenario(tmp_path), tmp_path / "out")
    assert result.verdict == "pass"
    unwatched = "nobody watched whether it fell or how it ended: the robot measures no orientation"
    assert result.reasons[1:] == (unwatched,)
    assert replay_log(tmp_path / "out").mismatch_count == 0


def test_a_motion_that_breaks_up_by_its_tilt_is_refused_before_anything_moves(tmp_path: Path) -> None:
    pytest.importorskip("dynamixel_sdk")
    tilt = ", window: {pitch: {min: -20, max: 20}, roll: {min: -20, max: 20}}"
    with pytest.raises(
        ControlError, match=r"blocks\.wave\.keyframes\[0\]\.window \(not with controller\.break_up=false"
    ):
        run_scenario(scenario(tmp_path, tilt), tmp_path / "out")

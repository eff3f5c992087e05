"""Why a robot fell: the side, the keyframe, feet that slide, drives that do not follow, what touches first."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest

import andante
from andante.runs.evaluation.balance import foot_tracks, support_at
from andante.runs.logs.log import Log
from andante.spatial.polygons import convex_hull, signed_distance

BOW = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao
motions: {bow: {blocks: [straight, deep]}}
blocks:
  straight: {keyframes: [{duration: 600, joints: {LHipPitch: -21, RHipPitch: -21, LKneePitch: 50, RKneePitch: 50,
    LAnklePitch: -29, RAnklePitch: -29}}]}
  deep: {keyframes: [{duration: 300, joints: {}}, {duration: 700, joints: {LHipPitch: -85, RHipPitch: -85}}]}
"""
LOST = re.compile(
    r"balance is lost to the (?P<side>[a-z ]+?)(?: in (?P<place>\S+))?: the capture point leaves the feet for good"
    r" \(centre of mass (?P<margin>\d+) mm (?P<where>inside|outside), (?P<pace>[\d.]+) m/s\)"
)


def told(run):
    return [(moment.time, moment.text) for moment in run.story]


def lost(run):
    found = [(time, match) for time, text in told(run) if (match := LOST.fullmatch(text))]
    assert len(found) == 1, told(run)
    return found[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("yaw", "impulse", "side"),
    [
        (0.0, (6, 0, 0), "front"),
        pytest.param(0.0, (0, -7, 0), "right", marks=pytest.mark.slow),
        pytest.param(1.5708, (0, -5, 0), "back", marks=pytest.mark.slow),
        pytest.param(0.0, (4, 7, 0), "front left", marks=pytest.mark.slow),
    ],
)
def test_the_side_is_the_robots_own(tmp_path, yaw, impulse, side):
    """A push of the base towards a side in the world, of robots that look elsewhere."""
    push = f"world.pushes=[{{time: 0.8, duration: 0.05, impulse: {list(impulse)}}}]"
    start = f"world.start={{yaw: {yaw}}}"
    run = andante.run("nao/wave", out=tmp_path / "out", report=False, settings=[push, start])
    assert run.metrics.fell
    time, match = lost(run)
    assert match["side"] == side
    assert 0.8 < time < run.metrics.fall_time


def test_place_and_moment_hold_against_the_simulators_own_velocity(tmp_path):
    (tmp_path / "bow.yaml").write_text(BOW)
    out = tmp_path / "out"
    run = andante.run(library=str(tmp_path / "bow.yaml"), motion="bow", robot="nao", out=out)
    assert run.metrics.fell
    time, match = lost(run)
    assert (match["side"], match["place"], match["where"]) == ("front", "deep[1]", "inside")
    assert [text for _, text in told(run) if "touches the ground" in text] == ["Head touches the ground"]
    report = (out / "report.html").read_text()
    assert match[0] in report
    assert "Head touches the ground" in report

    log, robot = Log.open(out / "log.mcap"), andante.Robot.load("nao")
    truth, model = log.rows("truth"), robot.model
    tracks = foot_tracks(truth, robot, model, np.arange(len(truth.rows)))
    data = mujoco.MjData(model)

    def outside(row):
        """The capture point of the whole robot, with MuJoCo's velocity of its centre of mass."""
        data.qpos[:], data.qvel[:] = truth["qpos"][row][: model.nq], truth["qvel"][row][: model.nv]
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_subtreeVel(model, data)
        com, speed = data.subtree_com[1], data.subtree_linvel[1]
        height = com[2] - min(track.position[row, 2] for track in tracks)
        points = support_at(robot, tracks, row, 1.0)
        return signed_distance(convex_hull(points), com[:2] + speed[:2] * np.sqrt(height / 9.81)) < 0.0

    row = int(np.argmin(np.abs(truth.times - time)))
    assert outside(row + 2)
    assert not outside(row - 3)


@pytest.mark.slow
def test_drives_that_do_not_follow_are_named(tmp_path):
    run = andante.run("sit-and-stand", out=tmp_path / "out", report=False, settings=["world.servo_strength=0.12"])
    time, match = lost(run)
    assert match["side"] == "back"
    (joints,) = [text for at, text in told(run) if at == time and "from its command" in text]
    assert re.match(r"[LR]KneePitch is \d\d deg from its command; [LR]KneePitch is \d\d deg", joints)


@pytest.mark.slow
def test_feet_that_slide_are_named(tmp_path):
    """Both shanks are pulled ahead on a floor with hardly any friction."""
    pulls = ", ".join(f"{{time: 0.8, duration: 0.3, force: [20, 0, 0], body: {body}}}" for body in ("LAnkle", "RAnkle"))
    settings = ["world.friction=0.05", f"world.pushes=[{pulls}]"]
    run = andante.run("nao/wave", out=tmp_path / "out", report=False, settings=settings)
    assert run.metrics.fell
    time, _ = lost(run)
    (slid,) = [text for at, text in told(run) if at == time and "slid" in text]
    assert re.fullmatch(r"feet that carry it slid in the 0\.2 s before: (left|right) by [2-9]\d mm.*", slid)


@pytest.mark.slow
def test_who_stands_or_dives_is_told_no_cause(tmp_path):
    for name in ("nao/wave", "nao/dive_left"):
        run = andante.run(name, out=tmp_path / name.replace("/", "-"), report=False)
        assert run.passed, run.reasons
        assert not any("balance is lost" in text or "touches" in text for _, text in told(run))

"""NUbots' scripts, retargeted motions and trackers' motions: what they say, and what nobody can know of them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from team_files import FILES, NUBOTS, RETARGETED, SEED

from andante.formats.registry import convert, identify, read
from andante.formats.report import FormatError, ReadReport
from andante.formats.trajectories.columns import DATA_SETS

MODEL = """\
<mujoco><compiler angle="radian"/><worldbody><body name="base"><freejoint/><geom size="0.1" mass="1"/>
<body name="l1"><joint name="l_hip" range="-1 0"/><geom size="0.02" mass="0.1"/>
<body name="l2"><joint name="l_knee" range="0 2"/><geom size="0.02" mass="0.1"/></body></body>
<body name="r1"><joint name="r_hip" range="-1 0"/><geom size="0.02" mass="0.1"/>
<body name="r2"><joint name="r_knee" range="0 2"/><geom size="0.02" mass="0.1"/></body></body>
</body></worldbody></mujoco>
"""


@pytest.fixture
def robot(tmp_path: Path) -> str:
    path = tmp_path / "four.xml"
    path.write_text(MODEL)
    return str(path)


@pytest.mark.slow
def test_a_nubots_script_switches_servos_off_without_torque_or_gain(tmp_path: Path):
    (tmp_path / "Wave.yaml").write_text(NUBOTS)
    report = ReadReport()
    library = read(tmp_path / "Wave.yaml", report=report)
    assert library.robot == "nugus"
    assert [told.text for told in report.warnings] == ["the file does not name its robot; 'nugus' is taken"]
    first, second, third = library.blocks["Wave"].keyframes
    assert first.joints == {"L_KNEE": 0.5, "R_KNEE": "off"}
    assert (first.duration, second.duration, third.joints) == (0.3, 1.0, {})
    convert(tmp_path / "Wave.yaml", tmp_path / "a.csv")
    assert convert(tmp_path / "a.csv", tmp_path / "a.yaml").target_format == "andante"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("duration: 300", "duration: 0.3", r"Wave.yaml:1:13, \[0\].duration: the duration is in whole milliseconds"),
        ("gain: 30", "gain: strong", r"Wave.yaml:15:13, .*gain: a number from 0 to .* is expected here"),
        ("id: R_KNEE", "id: L_KNEE", r"Wave.yaml:7:11, .*each target needs a servo of its own; got 'L_KNEE'"),
        ("torque: 50", "torqe: 50", r"the name is unknown; got 'torqe'; did you mean 'torque'"),
        ("      gain: 30\n", "", r"'gain' is missing"),
    ],
)
def test_slips_in_a_nubots_script_are_named(tmp_path: Path, old, new, told):
    (tmp_path / "Wave.yaml").write_text(NUBOTS.replace(old, new))
    with pytest.raises(FormatError, match=told):
        read(tmp_path / "Wave.yaml")


def test_rows_of_a_retargeted_motion_are_a_thirtieth_of_a_second_apart(tmp_path: Path):
    (tmp_path / "dance.csv").write_text(RETARGETED)
    report = ReadReport()
    keyframes = read(tmp_path / "dance.csv", report=report).blocks["dance"].keyframes
    assert [round(each.duration, 6) for each in keyframes[1:]] == [0.033333, 0.033333]
    assert tuple(keyframes[0].joints) == DATA_SETS["Unitree H1"]
    assert keyframes[2].joints["left_hip_roll_joint"] == pytest.approx(0.03)
    assert keyframes[2].extras["retargeted"]["base"][:3] == [0.2, 0.0, 0.75]
    told = [each.text for each in report.warnings]
    assert any("taken for the joints of a Unitree H1" in text and "--robot" in text for text in told)
    assert any("30 frames/s are taken" in text for text in told)
    (tmp_path / "dance.csv").write_text("# fps: 50\n" + RETARGETED)
    assert read(tmp_path / "dance.csv").blocks["dance"].keyframes[1].duration == pytest.approx(0.02)


def test_columns_without_names_are_those_of_the_robot_asked_for(tmp_path: Path, robot: str):
    (tmp_path / "walk.csv").write_text("".join(f"{row},0,0,0.75,0,0,0,1,-0.1,0.2,-0.3,0.4\n" for row in range(2)))
    assert identify(tmp_path / "walk.csv").name == "csv-retargeted"
    with pytest.raises(FormatError, match=r"no robot that is known here has so many; got 4; limit: 29 \(Unitree G1\)"):
        read(tmp_path / "walk.csv")
    (first, _) = read(tmp_path / "walk.csv", robot=robot).blocks["walk"].keyframes
    assert first.joints == {"l_hip": -0.1, "l_knee": 0.2, "r_hip": -0.3, "r_knee": 0.4}


def test_a_retargeted_motion_with_a_header_is_in_degrees(tmp_path: Path):
    (tmp_path / "flip.csv").write_text(SEED)
    last = read(tmp_path / "flip.csv").blocks["flip"].keyframes[1]
    assert last.joints == {
        "knee_joint": pytest.approx(math.radians(12.5)),
        "hip_joint": pytest.approx(math.radians(-4)),
    }
    assert last.duration == pytest.approx(1 / 120, abs=1e-9)


def test_a_table_of_numbers_that_are_no_pose_is_no_retargeted_motion(tmp_path: Path):
    (tmp_path / "a.csv").write_text("1,2,3,0.5,0.6,0.7,0.8,1,2,3,4\n")
    with pytest.raises(FormatError, match="of no known motion format"):
        read(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("0,0,1,0,0,0,1,1,2,3,4\n0,0,1,0,0,0,0,1,2,3,4\n")
    with pytest.raises(FormatError, match=r"a.csv:2: the base.s quaternion of frame 1 has not length 1"):
        read(tmp_path / "a.csv", robot="")
    (tmp_path / "nod.csv").write_text(FILES["csv"][1])
    with pytest.raises(FormatError, match=r"pose of the base in each row.*--to csv"):
        convert(tmp_path / "nod.csv", tmp_path / "b.csv", target_format="csv-retargeted")


def test_a_trackers_motion_has_a_rate_and_names(tmp_path: Path):
    names = np.array(["knee", "hip"])
    np.savez(tmp_path / "a.npz", fps=np.array([50]), dof_names=names, dof_positions=np.array([[0.1, 0.2], [0.3, 0.4]]))
    first, second = read(tmp_path / "a.npz").blocks["a"].keyframes
    assert (first.joints, second.duration) == ({"knee": 0.1, "hip": 0.2}, pytest.approx(0.02))
    np.savez(tmp_path / "a.npz", fps=np.array([0.0]), dof_names=names, dof_positions=np.zeros((2, 2)))
    with pytest.raises(FormatError, match="one rate above 0 is needed"):
        read(tmp_path / "a.npz")


def test_the_order_of_a_trackers_joints_is_told_by_limits_or_not_at_all(tmp_path: Path, robot: str):
    path = tmp_path / "a.npz"
    np.savez(path, fps=np.array([50]), joint_pos=np.array([[-0.5, 1.0, -0.4, 1.1]]))
    with pytest.raises(FormatError, match="order them in two ways; got 4; give --robot"):
        read(path)
    report = ReadReport()
    assert list(read(path, robot=robot, report=report).blocks["a"].keyframes[0].joints.values()) == [
        -0.5,
        1.0,
        -0.4,
        1.1,
    ]
    assert any("in the order of its model, as mjlab has them: the other" in told.text for told in report.warnings)
    np.savez(path, fps=np.array([50]), joint_pos=np.array([[-0.5, -0.4, 1.0, 1.1]]))
    joints = read(path, robot=robot).blocks["a"].keyframes[0].joints
    assert joints == {"l_hip": -0.5, "r_hip": -0.4, "l_knee": 1.0, "r_knee": 1.1}
    np.savez(path, fps=np.array([50]), joint_pos=np.zeros((1, 4)))
    with pytest.raises(FormatError, match="both orders are inside the limits"):
        read(path, robot=robot)


def test_motions_of_people_and_pickles_are_refused_with_what_to_do(tmp_path: Path):
    for name, told in (("walk.bvh", "retarget it to the robot first"), ("walk.pkl", "can run code and are not read")):
        (tmp_path / name).write_text("HIERARCHY\nROOT Hips\n")
        with pytest.raises(FormatError, match=told):
            read(tmp_path / name)
    np.savez(tmp_path / "a.npz", poses=np.zeros((2, 156)), betas=np.zeros(16), trans=np.zeros((2, 3)))
    with pytest.raises(FormatError, match="this is a person's motion"):
        read(tmp_path / "a.npz")


def test_a_trackers_motion_that_states_degrees_is_in_degrees(tmp_path: Path):
    path = tmp_path / "nod.npz"
    names = np.array(["HeadYaw", "HeadPitch"])
    np.savez(path, fps=50, dof_pos=np.full((3, 2), 10.0), dof_names=names, angle_unit="deg")
    assert read(path).blocks["nod"].keyframes[1].joints == pytest.approx(dict.fromkeys(names, math.radians(10.0)))


def test_of_two_arrays_for_the_positions_that_of_its_own_name_counts_or_none(tmp_path: Path):
    path = tmp_path / "nod.npz"
    rows = {"time": np.array([0.0, 1.0]), "joints": np.array(["HeadYaw"])}
    asked, other = np.array([[0.1], [0.2]]), np.array([[0.3], [0.4]])
    for arrays in ({"q": other, "position": asked}, {"position": asked, "q": other}, {"q": asked, "dof_pos": asked}):
        np.savez(path, **rows, **arrays)
        assert [each.joints["HeadYaw"] for each in read(path).blocks["nod"].keyframes] == [0.1, 0.2]
    np.savez(path, **rows, q=asked, dof_pos=other)
    with pytest.raises(FormatError, match=r"arrays of the file may be its 'position', and differ; got 'q, dof_pos'"):
        read(path)


def test_numbers_of_frames_tell_how_far_rows_are_apart(tmp_path: Path):
    """Every fourth frame of a data set is not four times as fast, and goes back with its numbers."""
    header, *rows = SEED.splitlines()
    path, back = tmp_path / "a.csv", tmp_path / "b.csv"
    cells = rows[0].partition(",")[2]
    path.write_text("\ufeff" + "\n".join((header, *(f"{number},{cells}" for number in (8, 12, 16)))) + "\n")
    report = ReadReport()
    keyframes = read(path, report=report).blocks["a"].keyframes
    assert [round(each.duration, 6) for each in keyframes[1:]] == [round(4 / 120, 6)] * 2
    assert "120 frames/s are taken, as in the data set of such files, and a row is every 4 frames" in str(
        report.warnings[0]
    )
    convert(path, back, target_format="csv-retargeted")
    assert [row.partition(",")[0] for row in back.read_text().splitlines()] == ["Frame", "8", "12", "16"]


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ((0.0, 0.02, 0.04), r"a.csv:2: the first column has to be the frames' num.*got 0.02; limit: 1; .*# fps: 50"),
        ((0, 1, 5), r"a.csv:3: the first column has to be .*got 5.0; limit: 2"),
        ((3, 2, 1), r"a.csv:2: the first column has to be .*got 2.0; limit: 4"),
    ],
)
def test_a_first_column_that_numbers_no_frames_is_refused(tmp_path: Path, robot: str, numbers, told: str):
    path = tmp_path / "a.csv"
    path.write_text("".join(f"{number},0,0,0.75,0,0,0,1,1,2,3,4\n" for number in numbers))
    with pytest.raises(FormatError, match=told):
        read(path, robot=robot)


@pytest.mark.parametrize("line", ["# fps: 50", "# FPS = 50 Hz", "#fps:50 frames/s"])
def test_a_rate_that_is_stated_counts(tmp_path: Path, line: str):
    path = tmp_path / "a.csv"
    path.write_text(f"{line}\n{RETARGETED}")
    assert read(path).blocks["a"].keyframes[1].duration == pytest.approx(0.02)


def test_a_pose_that_is_none_is_named_by_its_line_between_blank_ones(tmp_path: Path):
    (tmp_path / "a.csv").write_text("0,0,1,0,0,0,1,1,2,3,4\n\n0,0,1,0,0,0,0,1,2,3,4\n")
    with pytest.raises(FormatError, match=r"a.csv:3: the base.s quaternion of frame 1 has not length 1"):
        read(tmp_path / "a.csv")

"""GMR's pickles: what they hold is read, code in them is not run, and whatever is broken is told in one message."""

from __future__ import annotations

import os
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.documents.problems import DocumentError
from andante.formats.registry import convert, identify, read
from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.pickles import MAX_STEPS

FRAMES, JOINTS = 12, 29


def motion(**changes: object) -> dict[str, object]:
    times = np.arange(FRAMES) / 30.0
    angles = 0.3 * np.sin(times[:, None] * np.arange(1, JOINTS + 1))
    content = {
        "fps": 30,
        "root_pos": np.column_stack((times, 0 * times, 0.8 + 0 * times)),
        "root_rot": np.tile([0.0, 0.0, 0.6, 0.8], (FRAMES, 1)),
        "dof_pos": angles,
        "local_body_pos": None,
        "link_body_list": None,
    }
    return content | changes


def written(path: Path, content: object, protocol: int = 4) -> Path:
    path.write_bytes(pickle.dumps(content, protocol=protocol))
    return path


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["<f8", "<f4", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_what_gmr_writes_is_read(tmp_path: Path, protocol: int, kind: str, order: str) -> None:
    content = motion(fps=np.float64(50.0))
    for name in ("root_pos", "root_rot", "dof_pos"):
        content[name] = np.array(content[name], dtype=kind, order=order)
    file = written(tmp_path / "walk.pkl", content, protocol)
    assert identify(file).name == "gmr"
    report = ReadReport()
    library = read(file, report=report)
    frames = library.blocks["walk"].keyframes
    assert len(frames) == FRAMES
    # The first one is commanded at once, in a millisecond.
    assert [round(sum(each.duration for each in frames[1 : n + 1]), 9) for n in (0, 1, 11)] == [0.0, 0.02, 0.22]
    assert list(frames[5].joints)[:2] == ["left_hip_pitch_joint", "left_hip_roll_joint"]
    assert [*frames[5].joints.values()] == pytest.approx(motion()["dof_pos"][5], abs=1e-6)
    assert frames[5].extras["retargeted"]["base"] == pytest.approx([5 / 30, 0, 0.8, 0, 0, 0.6, 0.8], abs=1e-6)
    assert any("taken for the joints of a Unitree G1" in str(remark) for remark in report.warnings)


def test_what_is_written_is_read_back_by_pickle_and_by_andante(tmp_path: Path) -> None:
    source = written(tmp_path / "walk.pkl", motion())
    convert(source, tmp_path / "walk.yaml")
    convert(tmp_path / "walk.yaml", tmp_path / "again.pkl")
    found = pickle.loads((tmp_path / "again.pkl").read_bytes())
    assert list(found) == list(motion())
    assert found["fps"] == 30
    for name in ("root_pos", "root_rot", "dof_pos"):
        assert np.allclose(found[name], motion()[name], atol=1e-9)
    convert(source, tmp_path / "walk.csv", target_format="csv-retargeted")
    assert read(tmp_path / "walk.csv").blocks["walk"] == read(source).blocks["walk"]


def test_names_that_a_file_has_count_and_go_back(tmp_path: Path) -> None:
    names = [f"joint_{29 - index}" for index in range(JOINTS)]
    source, report = written(tmp_path / "walk.pkl", motion(joint_names=names)), ReadReport()
    assert list(read(source, report=report).blocks["walk"].keyframes[0].joints) == names
    assert not any("not named" in str(remark) for remark in report.warnings)
    convert(source, tmp_path / "again.pkl")
    assert pickle.loads((tmp_path / "again.pkl").read_bytes())["dof_names"] == names
    for wrong in (names[:-1], ["a"] * JOINTS, "abc", [1] * JOINTS):
        with pytest.raises(FormatError, match=r"dof_names: a name of its own for each column is needed; .*limit: 29"):
            read(written(tmp_path / "wrong.pkl", motion(dof_names=wrong)))


def test_a_motion_without_a_base_cannot_be_written_so(tmp_path: Path) -> None:
    table = tmp_path / "nod.csv"
    table.write_text("time,HeadPitch\n0,0.1\n1,0.2\n")
    with pytest.raises(FormatError, match="the format holds the pose of the base in each row"):
        convert(table, tmp_path / "nod.pkl")
    assert not (tmp_path / "nod.pkl").exists()


def test_a_base_that_was_edited_away_is_named_by_its_keyframe(tmp_path: Path) -> None:
    convert(written(tmp_path / "walk.pkl", motion()), tmp_path / "walk.yaml")
    text = (tmp_path / "walk.yaml").read_text()
    first = text.index("base: [") + len("base: [")
    (tmp_path / "walk.yaml").write_text(text[:first] + "null" + text[text.index(",", first) :])
    with pytest.raises(FormatError, match="does not know the base's pose; got 6; limit: 7 numbers, place and quatern"):
        convert(tmp_path / "walk.yaml", tmp_path / "again.pkl")


class Code:
    """Something that a careless reader would run."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_code_is_not_run(tmp_path: Path, protocol: int) -> None:
    mark = tmp_path / "mark"
    file = written(tmp_path / "walk.pkl", motion(local_body_pos=Code(mark)), protocol)
    with pytest.raises(FormatError, match=r"the pickle calls code, which is not run.*got '(posix|nt)\.mkdir'"):
        read(file, "gmr")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (motion(dof_pos=np.zeros((3, JOINTS))), "all arrays need a row for each frame"),
        (motion(dof_pos=np.zeros(FRAMES)), "dof_pos: the array has another shape"),
        (motion(dof_pos=np.zeros((0, JOINTS))), "dof_pos: the array has another shape"),
        (motion(dof_pos=np.zeros((FRAMES, 5))), "the columns of joints are not named"),
        (motion(dof_pos=np.full((FRAMES, JOINTS), np.nan)), "dof_pos: a number is not finite or too large"),
        (motion(dof_pos=[[0.0] * JOINTS] * FRAMES), "dof_pos: numbers are needed; got 'list'"),
        (motion(dof_pos=np.array([["a"] * JOINTS] * FRAMES)), "an array of the pickle is not one of numbers"),
        (motion(dof_pos=np.array([[None] * JOINTS] * FRAMES)), "an array of the pickle is not one of numbers"),
        (motion(root_rot=np.zeros((FRAMES, 4))), r"root_rot\[0\]: a quaternion has not length 1"),
        (motion(root_rot=np.zeros((FRAMES, 3))), "root_rot: the array has another shape"),
        (motion(fps=0), "fps: one rate above 0 is needed"),
        (motion(fps=[30]), "fps: numbers are needed"),
        (motion(fps=10**400), "fps: numbers are needed"),
        ({"root_pos": np.zeros((2, 3))}, "fps: the entry is missing"),
        ([1, 2], "the pickle is not a dict of arrays"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read(written(tmp_path / "walk.pkl", content), "gmr")
    assert len(str(caught.value)) < 2000


def test_bombs_are_refused_before_they_are_made(tmp_path: Path) -> None:
    """More lists than bytes can pay for, lists of lists of lists, an array of a size that is not there."""
    many = b"\x80\x04" + b"]0" * MAX_STEPS + b"."
    laughs: object = ["root_pos"]
    for _ in range(60):
        laughs = [laughs] * 60
    shape = pickle.dumps(motion(), protocol=4).replace(
        b"K" + bytes([FRAMES]) + b"K" + bytes([JOINTS]) + b"\x86",
        b"J" + struct.pack("<i", 2**31 - 1) + b"K" + bytes([JOINTS]) + b"\x86",
    )
    shape = shape[:3] + struct.pack("<Q", struct.unpack("<Q", shape[3:11])[0] + 3) + shape[11:]
    cases = {
        "many": (many, "the pickle has too many steps"),
        "laughs": (pickle.dumps(motion(local_body_pos=laughs), protocol=4), None),
        "shape": (shape, "an array's size does not fit its shape"),
    }
    for name, (raw, message) in cases.items():
        file = tmp_path / f"{name}.pkl"
        file.write_bytes(raw)
        if message is None:
            assert len(read(file, "gmr").blocks[name].keyframes) == FRAMES
            continue
        with pytest.raises(FormatError, match=message):
            read(file, "gmr")


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(protocol=st.sampled_from([2, 4, 5]), at=st.integers(0, 10**6), byte=st.integers(0, 255), cut=st.booleans())
def test_a_broken_file_is_one_message(protocol: int, at: int, byte: int, cut: bool, tmp_path_factory) -> None:
    raw = bytearray(pickle.dumps(motion(dof_pos=np.zeros((2, JOINTS))), protocol=protocol))
    at %= min(len(raw), 400) if byte % 2 else len(raw)
    raw[at] = byte
    file = tmp_path_factory.mktemp("broken") / "walk.pkl"
    file.write_bytes(bytes(raw[:at] if cut else raw))
    said = ""
    try:
        read(file, "gmr")
    except DocumentError as error:
        said = str(error)
    assert len(said) < 2000


def test_the_robot_that_is_asked_for_names_the_joints(tmp_path: Path) -> None:
    angles = np.zeros((FRAMES, 26))
    library = read(written(tmp_path / "bow.pkl", motion(dof_pos=angles)), robot="nao")
    assert library.robot == "nao"
    assert "LKneePitch" in library.blocks["bow"].keyframes[0].joints

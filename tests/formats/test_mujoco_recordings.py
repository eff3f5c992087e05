"""Recordings of MuJoCo as NPZ: the base's pose before the joints, in the order of the model or by names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import andante
from andante.formats.report import FormatError

NAO = andante.Robot.load("nao")
TIMES = np.arange(5) * 0.02
ANGLES = NAO.posture("stand") + np.arange(5)[:, None] * 0.01
QPOS = np.zeros((5, NAO.model.nq))
QPOS[:, :7] = (0.0, 0.0, 0.33, 1.0, 0.0, 0.0, 0.0)
for _name, _angles in zip(NAO.joint_names, ANGLES.T, strict=True):
    QPOS[:, NAO.model.jnt_qposadr[NAO.model.joint(_name).id]] = _angles
NAMED = np.concatenate((QPOS[:, :7], ANGLES), axis=1)


def saved(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "walk.npz", **arrays)
    return folder / "walk.npz"


@pytest.mark.parametrize(
    "arrays",
    [
        {"qpos": QPOS, "qvel": np.zeros((5, 6)), "time": TIMES},
        {"qpos": QPOS, "dt": 0.02},
        {"qpos": NAMED, "joint_names": np.array(NAO.joint_names), "frequency": 50.0},
        {"qpos": NAMED, "joint_names": np.array(["root", *NAO.joint_names]), "frequency": 50.0},
        {"qpos": ANGLES, "joint_names": np.array(NAO.joint_names), "time": TIMES},
        # What stands beside positions and times says nothing, whatever it is.
        {"qpos": np.zeros((5, 2, 2)), "q": ANGLES, "t": TIMES, "dt": TIMES, "joint_names": np.array(NAO.joint_names)},
    ],
)
def test_joints_are_taken_from_the_state(tmp_path: Path, arrays: dict[str, Any]) -> None:
    library = andante.load_motions(saved(tmp_path, **arrays), "nao")
    keyframes = library.blocks["walk"].keyframes
    assert [dict(each.joints) for each in keyframes] == [
        dict(zip(NAO.joint_names, row, strict=True)) for row in np.asarray(ANGLES).tolist()
    ]


@pytest.mark.parametrize(
    ("arrays", "robot", "says"),
    [
        ({"qpos": QPOS, "time": TIMES}, None, "nobody tells which joints these columns are.*--robot FILE"),
        ({"qpos": QPOS[:, 2:], "time": TIMES}, "nao", r"nobody tells.*limit: \d+ \('nao', its base included\)"),
        ({"qpos": QPOS}, "nao", "time: the array is missing; got 'qpos'.*dt or frequency"),
        ({"qpos": QPOS, "dt": 0.0}, "nao", "dt: one time above 0 is needed"),
        ({"walk": QPOS, "stamps": TIMES}, "nao", "the array is missing; got 'stamps, walk'"),
    ],
)
def test_what_nobody_tells_is_asked_for(tmp_path: Path, arrays: dict[str, Any], robot: str | None, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        andante.load_motions(saved(tmp_path, **arrays), robot) if robot else andante.read(saved(tmp_path, **arrays))


def test_a_plain_array_is_not_called_a_pickle(tmp_path: Path) -> None:
    np.save(tmp_path / "walk.npy", ANGLES)
    with pytest.raises(FormatError, match="an array alone tells neither joints nor times; write an NPZ"):
        andante.read(tmp_path / "walk.npy")
    np.save(tmp_path / "dict.npy", np.array({"dof": ANGLES}, dtype=object))
    with pytest.raises(FormatError, match="pickled objects can run code"):
        andante.read(tmp_path / "dict.npy")


@pytest.mark.parametrize("ending", ["h5", "parquet", "mat"])
def test_stores_of_arrays_say_what_makes_a_motion_of_them(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"walk.{ending}").write_bytes(b"PAR1" + bytes(60))
    with pytest.raises(FormatError, match="write time and joints as CSV or NPZ where the file comes from"):
        andante.read(tmp_path / f"walk.{ending}")

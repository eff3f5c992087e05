"""A folder of motions that has one only, as a recording of ROS, is run without naming it."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.runs.errors import ScenarioError
from andante.runs.task import scenario_of

NOD = "time [s],HeadYaw [rad]\n0,0\n1,0.1\n"


def test_a_folder_of_one_motion_is_that_motion(tmp_path: Path) -> None:
    (tmp_path / "taught").mkdir()
    (tmp_path / "taught" / "nod.csv").write_text(NOD)
    for name in (str(tmp_path / "taught"), f"{tmp_path}/taught/", tmp_path / "taught"):
        assert scenario_of(name).controller.motions == ("nod",)
    assert scenario_of(library=str(tmp_path / "taught")).controller.motions == ("nod",)


def test_of_several_one_has_to_be_named(tmp_path: Path) -> None:
    for name in ("nod", "wave"):
        (tmp_path / f"{name}.csv").write_text(NOD)
    with pytest.raises(
        ScenarioError, match=r"the folder has several motions; got 2; legal: nod, wave; name one, as .*[^/]/MOTION"
    ):
        scenario_of(f"{tmp_path}/")


def test_a_shipped_scenario_stays_one_beside_a_folder_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sit-and-stand").mkdir()
    (tmp_path / "sit-and-stand" / "nod.csv").write_text(NOD)
    monkeypatch.chdir(tmp_path)
    assert scenario_of("sit-and-stand").name == "sit-and-stand"

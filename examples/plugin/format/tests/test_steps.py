"""Files of steps are recognised, read, refused with their line, and written."""

import math

import pytest

import andante

TEXT = "steps nao\n0.5 HeadPitch=20 HeadYaw=0\n0.5 HeadPitch=0\n"


def test_a_file_is_recognised_and_comes_back(tmp_path):
    file = tmp_path / "nod.steps"
    file.write_text(TEXT)
    library = andante.read(file)
    first, second = library.blocks["nod"].keyframes
    assert first.joints == pytest.approx({"HeadPitch": math.radians(20.0), "HeadYaw": 0.0})
    assert second.duration == 0.5
    andante.convert(file, tmp_path / "nod.yaml")
    andante.convert(tmp_path / "nod.yaml", tmp_path / "again.steps")
    assert (tmp_path / "again.steps").read_text() == TEXT


def test_a_line_that_is_no_step_is_named(tmp_path):
    file = tmp_path / "nod.steps"
    file.write_text("steps nao\n0.5 HeadPitch=up\n")
    with pytest.raises(andante.AndanteError, match=r"nod\.steps:2: this is no step: '0.5 HeadPitch=up'"):
        andante.read(file)

"""The registry: content decides who reads, names decide what is written."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from andante.documents.problems import DocumentError
from andante.formats.registry import FORMATS, codec_for_writing, convert, identify, read, write
from andante.formats.report import FormatError
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

LIBRARY = MotionLibrary(
    robot="nao",
    dialect="bhuman-2024",
    blocks={"sit": Block(keyframes=(Keyframe(duration=0.5, joints={"HeadYaw": 45.0 * (math.pi / 180.0)}),))},
    motions={"sit": Motion(blocks=("sit",))},
)


def test_names():
    names = list(FORMATS)
    assert names[:6] == ["andante", "bhuman", "bhuman-2022", "bhuman-2023", "bhuman-2024", "bhuman-2025"]
    assert {"mtn", "oda", "ekmoves", "tekkotsu-pos", "tekkotsu-mot", "pose", "moves"} <= set(names)
    with pytest.raises(
        FormatError, match=r"there is no such motion format; got 'bhumn'; did you mean 'bhuman'\?; legal: andante, "
    ):
        FORMATS["bhumn"]


def test_content_decides_who_reads(tmp_path: Path):
    write(LIBRARY, tmp_path / "a.yaml")
    write(LIBRARY, tmp_path / "b.cfg")
    (tmp_path / "a.yaml").rename(tmp_path / "yaml.cfg")
    (tmp_path / "b.cfg").rename(tmp_path / "cfg.yaml")
    assert identify(tmp_path / "yaml.cfg").name == "andante"
    assert identify(tmp_path / "cfg.yaml").name == "bhuman"
    assert read(tmp_path / "yaml.cfg") == LIBRARY
    assert read(tmp_path / "cfg.yaml").motions["sit"] == LIBRARY.motions["sit"]


def test_unknown_content_is_refused(tmp_path: Path):
    path = tmp_path / "poem.txt"
    path.write_text("roses are red\n")
    with pytest.raises(FormatError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: the file is of no known motion format; legal: {', '.join(FORMATS)}; "
        "if it is one of these, 'andante convert --from FORMAT' reads it by that name"
    )


@pytest.mark.parametrize(
    ("name", "what"), [("old.mof", "motion nets are not read"), ("old.kmc", "kick engine are not read")]
)
def test_old_files_of_teams_are_told_with_what_to_do(tmp_path: Path, name: str, what: str):
    path = tmp_path / name
    path.write_text("motion_id = kick\nlabel start\n")
    with pytest.raises(FormatError, match=f"{what}.* CSV"):
        read(path)


COMMENTED = """\
# for the finals
format: andante.motions
version: 1
units: {angle: rad, time: s, length: m}
robot: nao

motions:
  nod: {blocks: [nod]}   # both halves
  other: {blocks: [other]}

blocks:
  nod:
    keyframes:
      - duration: 0.5   # down
        joints: {HeadPitch: 0.3}
  other:
    keyframes: [{duration: 0.5, joints: {HeadYaw: 0.1}}]
"""


def test_a_document_made_of_another_keeps_its_comments_and_units(tmp_path: Path):
    source, target = tmp_path / "a.yaml", tmp_path / "b.yaml"
    source.write_text(COMMENTED)
    convert(source, target, motions=["nod"], replace=False)
    written = target.read_text()
    assert written.startswith("# for the finals\n")
    assert "# both halves" in written
    assert "- duration: 0.5   # down\n        joints: {HeadPitch: 0.3}" in written
    assert "other" not in written
    with pytest.raises(FormatError, match="exists; nothing is written"):
        convert(source, target, replace=False)
    # A document in place has comments of its own.
    target.write_text(written.replace("the finals", "the friendly"))
    convert(source, target, replace=True)
    assert target.read_text().startswith("# for the friendly\n")
    assert read(target) == read(source)


@pytest.mark.parametrize("name", ["csv", "npz", "webots", "naodevils", "xar", "mujoco", "choregraphe-python"])
def test_a_folder_with_a_file_for_each_motion_is_told_by_its_files(tmp_path: Path, name):
    two = LIBRARY.but(motions={"sit": Motion(blocks=("sit",)), "rest": Motion(blocks=("sit",))})
    write(two, tmp_path, name)
    (tmp_path / "read.me").write_text("what this is")
    assert identify(tmp_path).name == name
    assert set(read(tmp_path).motions) == {"sit", "rest"}


def test_a_folder_of_several_formats_is_refused_since_one_would_be_left_out(tmp_path: Path):
    write(LIBRARY, tmp_path, "csv")
    write(LIBRARY, tmp_path, "webots")
    with pytest.raises(FormatError, match=r"several motion formats; got 'sit.csv \(csv\), sit.motion \(webots\)'"):
        read(tmp_path)
    assert set(read(tmp_path, "csv").motions) == {"sit"}


def test_names_decide_what_is_written(tmp_path: Path):
    assert codec_for_writing("a.yml").name == "andante"
    assert codec_for_writing("a.CFG").name == "bhuman"
    assert codec_for_writing(tmp_path).name == "bhuman"
    assert codec_for_writing("folder").name == "bhuman"
    with pytest.raises(
        FormatError, match=r"no format writes files with this ending; got '.txt'; legal: .yaml, .yml, .cfg"
    ):
        codec_for_writing("a.txt")


def test_andante_documents(tmp_path: Path):
    (path,) = write(LIBRARY, tmp_path / "a.yaml")
    assert read(path) == LIBRARY
    assert FORMATS["andante"].losses(LIBRARY) == []
    assert not path.read_text().startswith("{")


def test_convert_tells_what_is_lost(tmp_path: Path):
    write(LIBRARY, tmp_path / "a.yaml")
    report = convert(tmp_path / "a.yaml", tmp_path / "b.cfg", target_format="bhuman-2022")
    told = report.as_dict()
    assert (told["source_format"], told["target_format"]) == ("andante", "bhuman-2022")
    assert told["source_files"] == [str(tmp_path / "a.yaml")]
    assert told["target_files"] == [str(tmp_path / "b.cfg")]
    assert "dialect: bhuman-2024 becomes bhuman-2022" in told["losses"]
    assert told["warnings"] == []
    assert read(tmp_path / "b.cfg").dialect == "bhuman-2022"


def test_convert_to_an_unknown_ending_reads_nothing(tmp_path: Path):
    with pytest.raises(FormatError, match="no format writes files with this ending"):
        convert(tmp_path / "missing.yaml", tmp_path / "b.txt")


def test_another_robot_is_refused(tmp_path: Path):
    library = LIBRARY.model_copy(update={"robot": "ers7"})
    with pytest.raises(
        FormatError, match=r"the format holds motions of one robot only; got 'ers7'; legal: nao; a target without an"
    ):
        write(library, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch):
    (path,) = write(LIBRARY, tmp_path / "a.cfg")
    old = path.read_bytes()

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(DocumentError, match="No space left on device"):
        write(LIBRARY.model_copy(update={"note": "new"}), path)
    assert path.read_bytes() == old
    assert [file.name for file in tmp_path.iterdir()] == ["a.cfg"]


def test_parameters_of_another_library_are_not_overwritten(tmp_path: Path):
    text = "balanceList = {Sit = {};};\n"
    (tmp_path / "keyframeMotionParameters.cfg").write_text(text)
    library = read(tmp_path).model_copy(update={"blocks": LIBRARY.blocks})
    with pytest.raises(
        FormatError, match=r"mine.cfg would overwrite another library's balance parameters; write to a folder"
    ):
        write(library, tmp_path / "mine.cfg")
    assert (tmp_path / "keyframeMotionParameters.cfg").read_text() == text
    assert not (tmp_path / "mine.cfg").exists()
    (tmp_path / "own").mkdir()
    files = write(library, tmp_path / "own" / "keyframeMotionEngine.cfg")
    assert [file.name for file in files] == ["keyframeMotionEngine.cfg", "keyframeMotionParameters.cfg"]
    assert write(library, tmp_path / "own" / "other.cfg")[1] == files[1]
    assert read(tmp_path / "own" / "other.cfg").balance["sit"] == library.balance["sit"]


def test_a_target_that_is_a_file_cannot_become_a_folder(tmp_path: Path):
    (tmp_path / "out").write_text("x")
    with pytest.raises(FormatError, match="the folder cannot be made"):
        write(LIBRARY, tmp_path / "out")

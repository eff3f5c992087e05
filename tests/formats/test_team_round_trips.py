"""Reading and writing the same format loses nothing; content decides which codec reads; YAML in between keeps all."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from team_files import FILES, HULKS, MOTION2, XAR

from andante.formats.registry import FORMATS, codec_for_writing, convert, identify, read, write
from andante.formats.report import FormatError
from andante.motions.library import MotionLibrary

ALL = [*FILES, "npz"]


@pytest.fixture
def sample(tmp_path: Path):
    """Put a sample file into the folder and return its path."""

    def make(key: str) -> Path:
        if key == "npz":
            write(read(make("csv")), tmp_path / "nod.npz", "npz")
            return tmp_path / "nod.npz"
        name, text = FILES[key]
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return make


def format_of(key: str) -> str:
    return key.split(" ")[0]


def close(one: MotionLibrary, other: MotionLibrary) -> bool:
    """Whether two libraries differ by no more than rounding in the last digits."""
    return _close(one.model_dump(), other.model_dump())


def _close(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-11, abs_tol=1e-11)
    return one == other


@pytest.mark.parametrize("key", ALL)
def test_the_same_format_there_and_back(key, sample, tmp_path: Path):
    path = sample(key)
    library = read(path)
    codec = FORMATS[format_of(key)]
    assert codec.losses(library) == []
    (tmp_path / "out").mkdir()
    (written,) = write(library, tmp_path / "out" / path.name, codec.name)
    assert read(written) == library
    (tmp_path / "again").mkdir()
    (again,) = write(read(written), tmp_path / "again" / path.name, codec.name)
    assert again.read_bytes() == written.read_bytes()
    if path.suffix in (".json", ".motion2"):
        assert json.loads(written.read_text()) == json.loads(path.read_text())


@pytest.mark.parametrize("key", ALL)
def test_content_decides_who_reads(key, sample):
    path = sample(key)
    disguised = path.with_suffix(".yaml")
    path.rename(disguised)
    assert identify(disguised).name == format_of(key)


@pytest.mark.parametrize("key", ALL)
def test_through_a_yaml_document_nothing_is_lost(key, sample, tmp_path: Path):
    path = sample(key)
    library = read(path)
    write(library, tmp_path / "library.yaml")
    document = read(tmp_path / "library.yaml")
    assert close(document, library)
    (tmp_path / "out").mkdir()
    codec = FORMATS[format_of(key)]
    assert codec.losses(document) == []
    (written,) = codec.write(document, tmp_path / "out" / path.name)
    assert close(read(written), library)


def test_curves_are_kept_through_yaml(sample, tmp_path: Path):
    write(read(sample("xar")), tmp_path / "library.yaml")
    write(read(tmp_path / "library.yaml"), tmp_path / "back.xar")
    text = (tmp_path / "back.xar").read_text()
    assert text.count("<Key ") == XAR.count("<Key ")
    assert 'abscissaParam="5" ordinateParam="12.5"' in text
    assert 'value="-89.9987"' in text
    assert 'start_frame="1"' in text
    assert 'mute="1"' in text


def test_edited_curves_are_written_as_lines_and_that_is_told(sample, tmp_path: Path):
    library = read(sample("xar"))
    (name,) = library.blocks
    block = library.blocks[name]
    first = block.keyframes[0].model_copy(update={"duration": 2.0})
    edited = library.model_copy(
        update={"blocks": {name: block.model_copy(update={"keyframes": (first, *block.keyframes[1:])})}}
    )
    losses = FORMATS["xar"].losses(edited)
    assert f"motions.{name}: the keyframes were edited; straight lines between them are written, no handles" in losses
    write(edited, tmp_path / "out.xar")
    assert "<Tangent" not in (tmp_path / "out.xar").read_text()
    assert math.isclose(read(tmp_path / "out.xar").blocks["hey"].keyframes[0].duration, 2.0)


def test_an_ending_that_several_formats_share(sample, tmp_path: Path):
    with pytest.raises(FormatError, match=r"several formats write files with this ending.*legal: hulks, bitbots"):
        codec_for_writing("a.json")
    assert codec_for_writing("a.json", "bitbots").name == "bitbots"
    path = sample("bitbots")
    (tmp_path / "out").mkdir()
    assert convert(path, tmp_path / "out" / path.name).target_format == "bitbots"
    with pytest.raises(FormatError, match="several formats write"):
        convert(sample("webots"), tmp_path / "out" / "a.json")
    assert convert(sample("webots"), tmp_path / "out" / "a.json", target_format="hulks").target_format == "hulks"


def test_a_folder_takes_one_file_per_motion_and_gives_them_back(tmp_path: Path):
    for name in ("up", "down"):
        (tmp_path / f"{name}.json").write_text(HULKS.replace('"down"', f'"{name} part"'))
    up, down = read(tmp_path / "up.json"), read(tmp_path / "down.json")
    both = up.model_copy(update={"motions": up.motions | down.motions, "blocks": up.blocks | down.blocks})
    with pytest.raises(FormatError, match=r"a file of this format holds one motion; got 2; .*legal: up, down"):
        write(both, tmp_path / "both.json", "hulks")
    files = write(both, tmp_path / "out", "hulks")
    assert [file.name for file in files] == ["up.json", "down.json"]
    assert read(tmp_path / "out", "hulks") == both.model_copy(
        update={"motions": down.motions | up.motions, "blocks": down.blocks | up.blocks}
    )


def test_parts_of_one_name_in_a_folder_are_shared_or_kept_apart(tmp_path: Path):
    (tmp_path / "a.json").write_text(HULKS)
    (tmp_path / "b.json").write_text(HULKS)
    (tmp_path / "c.json").write_text(HULKS.replace("0.5", "0.75"))
    library = read(tmp_path, "hulks")
    assert [library.motions[name].blocks for name in "abc"] == [
        ("down", "a_2"),
        ("down", "b_2"),
        ("down_", "c_2"),
    ]
    assert library.blocks["down"] != library.blocks["down_"]
    files = write(library, tmp_path / "out", "hulks")
    for file in files:
        assert json.loads(file.read_text()) == json.loads((tmp_path / file.name).read_text())


def test_motions_of_one_name_in_a_folder_go_by_their_files(tmp_path: Path):
    (tmp_path / "a.json").write_text(FILES["bitbots"][1])
    (tmp_path / "b.json").write_text(FILES["bitbots"][1])
    assert list(read(tmp_path, "bitbots").motions) == ["stand_up_back", "b"]
    (tmp_path / "kicks").mkdir()
    with pytest.raises(FormatError, match=r"the folder has no file of this format; legal: .motion2"):
        read(tmp_path / "kicks", "hulks-motion2")


def test_several_timelines_share_a_project(sample, tmp_path: Path):
    hey, nod = read(sample("xar")), read(sample("choregraphe-python"))
    both = hey.model_copy(update={"motions": hey.motions | nod.motions, "blocks": hey.blocks | nod.blocks})
    write(both, tmp_path / "both.xar")
    back = read(tmp_path / "both.xar")
    assert list(back.motions) == ["hey", "nod"] or list(back.motions) == ["both", "nod"]
    write(both, tmp_path / "both.py")
    assert list(read(tmp_path / "both.py").motions) == ["hey", "nod"]


def test_b_human_files_keep_extras_in_comments(tmp_path: Path):
    (tmp_path / "kick.motion2").write_text(MOTION2)
    library = read(tmp_path / "kick.motion2")
    write(library, tmp_path / "cfg", "bhuman-2024")
    back = read(tmp_path / "cfg")
    assert back.motions["kick"].note == ""
    assert back.motions["kick"].extras == library.motions["kick"].extras

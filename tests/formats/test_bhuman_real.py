"""The two real files of the release 2024."""

from __future__ import annotations

import difflib
import math
from pathlib import Path

from andante.formats.registry import FORMATS, convert, read, write
from andante.formats.report import ReadReport


def test_read_whole(bhuman_folder: Path):
    report = ReadReport()
    library = read(bhuman_folder, report=report)
    assert (library.robot, library.dialect) == ("nao", "bhuman-2024")
    assert (len(library.motions), len(library.blocks), len(library.balance)) == (18, 33, 8)
    keyframes = [keyframe for block in library.blocks.values() for keyframe in block.keyframes]
    assert len(keyframes) == 91
    # Counts that were made on the files by other means (reference page, section 3).
    assert sum(len(keyframe.branches) for keyframe in keyframes) == 16
    assert sum(len(keyframe.waits) for keyframe in keyframes) == 16
    assert sum(bool(keyframe.waits) for keyframe in keyframes) == 12
    assert sum(keyframe.compensation_reduce_factor is not None for keyframe in keyframes) == 12
    assert sum(len(keyframe.compensation) for keyframe in keyframes) == 20
    assert sum(len(keyframe.stiffness) for keyframe in keyframes) == 167
    assert sum(keyframe.window_start is not None for keyframe in keyframes) == 22
    assert sum(keyframe.limbs is not None for keyframe in keyframes) == 0
    assert sum(bool(keyframe.balance_pitch) for keyframe in keyframes) == 13
    assert sum(bool(keyframe.balance_roll) for keyframe in keyframes) == 6
    assert sum(keyframe.start_from_measured_com for keyframe in keyframes) == 5
    assert sum(keyframe.forbid_wait_break for keyframe in keyframes) == 14
    assert sum(target == "ignore" for keyframe in keyframes for target in keyframe.joints.values()) == 258
    assert sum(keyframe.phase == "split" for keyframe in keyframes) == 6
    assert library.blocks["stand"].keyframes[1].joints["LKneePitch"] == math.radians(48.0313)
    assert [str(warning).rsplit(": ", 2)[-2:] for warning in report.warnings] == [
        ["balanceList.UnknownPhase", "the comment is not kept"]
    ]


def test_written_and_read_again_equal(bhuman_folder: Path, tmp_path: Path):
    library = read(bhuman_folder)
    write(library, tmp_path / "out")
    assert read(tmp_path / "out") == library
    assert FORMATS["bhuman"].losses(library) == []


def test_canonical_text_differs_in_trailing_commas_and_comments_only(bhuman_folder: Path, tmp_path: Path):
    def differences(file: Path) -> list[str]:
        lines = difflib.unified_diff(
            (bhuman_folder / file.name).read_text().splitlines(), file.read_text().splitlines(), n=0
        )
        return [line for line in lines if line[:2] not in ("--", "++", "@@")]

    engine, parameters = write(read(bhuman_folder), tmp_path / "out")
    changed = differences(engine)
    assert len(changed) == 8
    assert [line[1:] for line in changed if line[0] == "+"] == [line[1:-1] for line in changed if line[0] == "-"]
    assert all(line.endswith(",") for line in changed if line[0] == "-")
    assert differences(parameters) == ["-  UnknownPhase = { // TODO unknown phase", "+  UnknownPhase = {"]


def test_through_yaml_and_back(bhuman_folder: Path, tmp_path: Path):
    library = read(bhuman_folder)
    assert convert(bhuman_folder, tmp_path / "library.yaml").losses == ()
    assert read(tmp_path / "library.yaml") == library
    report = convert(tmp_path / "library.yaml", tmp_path / "back")
    assert report.losses == ()
    assert (report.source_format, report.target_format) == ("andante", "bhuman")
    assert read(tmp_path / "back") == library


def test_other_dialects_hold_all_but_what_is_told(bhuman_folder: Path, tmp_path: Path):
    library = read(bhuman_folder)
    for dialect in ("bhuman-2022", "bhuman-2025"):
        codec = FORMATS[dialect]
        losses = codec.losses(library)
        codec.write(library, tmp_path / dialect)
        back = read(tmp_path / dialect)
        assert back.dialect == dialect
        places = {loss.split(":")[0] for loss in losses}
        for name, block in library.blocks.items():
            if not any(place.startswith(f"blocks.{name}") for place in places):
                assert back.blocks[name] == block, name
        for name, motion in library.motions.items():
            if not any(place.startswith(f"motions.{name}") for place in places):
                assert back.motions[name] == motion, name
        assert back.balance == library.balance

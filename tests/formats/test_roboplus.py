"""RoboPlus Motion's `.mtn`: values worked out by hand, and Sony's files of the same ending beside them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from aibo_files import mtn
from robotis_files import BIOLOID, text_file, text_page
from test_robotis_pages import opened

from andante.formats.registry import convert, identify, read, write
from andante.formats.report import FormatError

TICK = math.radians(300.0) / 1024


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bioloid.mtn"


def test_seconds_are_divided_by_the_rate_and_ticks_are_300_degrees(path: Path):
    library, told = opened(path, BIOLOID)
    assert identify(path).name == "roboplus"
    assert library.robot == "bioloid"
    assert {name: motion.blocks for name, motion in library.motions.items()} == {
        "Init": ("Init",),
        "Bow": ("Bow", "Bow", "page_3"),
    }
    first, second, pause = library.blocks["Init"].keyframes
    assert [first.duration, second.duration, pause.duration] == [1.0, 0.296, 0.496]
    assert first.joints["r_sho_pitch"] == pytest.approx(-277 * TICK)
    assert first.joints["l_sho_pitch"] == pytest.approx(276 * TICK)
    assert second.joints["l_sho_pitch"] == 0.0
    assert len(first.joints) == 18
    assert [each.duration for each in library.blocks["Bow"].keyframes] == [0.4, 0.04]
    assert told == [
        "no position is above 1023: they are ticks of 300 degrees / 1024",
        "the file does not name its robot; 'bioloid' is taken",
    ]


@pytest.mark.parametrize("name", ["b.mtn", "b.bin"])
def test_it_comes_back_through_its_own_format_and_pages(path: Path, tmp_path: Path, name: str):
    library, _ = opened(path, BIOLOID)
    write(library, tmp_path / name, "roboplus" if name == "b.mtn" else "robotis")
    back = read(tmp_path / name, robot="bioloid")
    assert back.motions == library.motions
    assert back.blocks == library.blocks


def test_the_checksum_is_looked_at_and_a_file_without_one_is_read(path: Path):
    _, told = opened(path, BIOLOID[:-1] + b"\0")
    assert told[0] == "the checksum behind the last page does not hold: somebody else edited the file"
    library, told = opened(path, BIOLOID[:-2])
    assert list(library.motions) == ["Init", "Bow"]
    assert not any("checksum" in each for each in told)


def test_times_between_the_controller_s_units_are_rounded_and_told(path: Path):
    library, told = opened(path, text_file(text_page("a", [({}, "0", "0.25")])))
    assert library.blocks["a"].keyframes[0].duration == 0.248
    assert any("times become whole units of the controller's clock of 8 ms" in each for each in told)


def test_long_steps_and_long_names_are_read(path: Path, tmp_path: Path):
    name = "a very long name \u304a"
    library, _ = opened(
        path, text_file(text_page(name, [({1: 300}, "3", "4")]), text_page(name, [({1: 200}, "0", "1")]))
    )
    assert list(library.motions) == [name, f"{name}_2"]
    assert [each.duration for each in library.blocks[name].keyframes] == [4.0, 3.0]
    report = convert(path, tmp_path / "a.bin")
    assert any("it becomes 'a very long n'" in each for each in report.losses)
    back = read(tmp_path / "a.bin")
    durations = [
        each.duration for block in back.motions["a very long n"].blocks for each in back.blocks[block].keyframes
    ]
    assert sum(durations) == pytest.approx(7.0, abs=0.016)  # above 2.04 s a page counts in 16 ms
    assert any("times become whole units" in each for each in report.losses)


def test_a_folder_is_of_the_files_in_it(tmp_path: Path):
    for name, raw in (("sony", mtn("kick")), ("plus", BIOLOID)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.mtn").write_bytes(raw)
    assert identify(tmp_path / "sony").name == "mtn"
    assert identify(tmp_path / "plus").name == "roboplus"
    assert list(read(tmp_path / "plus").motions) == ["Init", "Bow"]


PAGE = text_page("a", [({}, "0", "1")])


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (PAGE[:-1], "the file ends inside a page"),
        ([*PAGE[:-1], *PAGE], "a page begins inside another"),
        (["page_end"], "a page ends that has not begun"),
        ([PAGE[0], "step=1 2 3", "page_end"], r"the line has another count of numbers; got 3; limit: 28"),
        ([PAGE[0], PAGE[4].replace("512", "51x", 1), "page_end"], "this is not a number; got '51x'"),
        ([PAGE[0], PAGE[4].replace("512", "5.5", 1), "page_end"], "a position is a whole number of ticks; got 5.5"),
        ([PAGE[0], PAGE[4].replace("512", "-5", 1), "page_end"], "the number is out of range; got -5"),
        ([*PAGE[:4], *[PAGE[4]] * 8, "page_end"], "the page has more steps than a controller holds; limit: 7"),
        ([*PAGE[:3], "play_param=0 0 1 0 32", *PAGE[4:]], r"the rate is out of range; got 0.0; limit: above 0"),
        ([*PAGE[:1], "nmae=b", *PAGE[1:]], "the line is unknown here; got 'nmae'; did you mean 'name'"),
        ([*PAGE[:1], f"name={'x' * 1001}", *PAGE[2:]], "the name is too long"),
        (PAGE * 256, "the file has too many pages; got 256; limit: 255"),
    ],
)
def test_what_is_wrong_is_named(path: Path, rows: list[str], text: str):
    with pytest.raises(FormatError, match=text):
        opened(path, text_file(rows)[:-2])

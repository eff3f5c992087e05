"""CSV as other programs write it: ends of lines, spaces, units Andante has not, clocks that began long ago."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from team_files import FILES

from andante.documents.problems import DocumentError
from andante.formats.registry import identify, read
from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.numbers import AT_ONCE
from andante.motions.storage import load_library

TABLE = "# angle: deg\n\ntime [s],HeadYaw,note\n0,10,a\n1,20,b\n"


@pytest.mark.parametrize(
    "raw",
    [
        TABLE.encode(),
        TABLE.replace("\n", "\r").encode(),
        TABLE.replace("\n", "\r\n").encode("utf-8-sig"),
        TABLE.replace("time [s],HeadYaw,note", '"time [s]", "HeadYaw", "note"').replace(",a", ', "a"').encode(),
    ],
    ids=["blank line", "old ends of lines", "byte order mark", "quotes behind spaces"],
)
def test_a_table_is_the_same_however_it_is_written(tmp_path: Path, raw: bytes):
    path = tmp_path / "nod.csv"
    path.write_bytes(raw)
    assert identify(path).name == "csv"
    first, second = read(path).blocks["nod"].keyframes
    assert (first.joints["HeadYaw"], first.note) == (pytest.approx(math.radians(10)), "a")
    assert (second.joints["HeadYaw"], second.duration, second.note) == (pytest.approx(math.radians(20)), 1.0, "b")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("time [s],HeadYaw [gon]\n0,10\n", r"nod.csv:1, HeadYaw: the unit is unknown; got 'gon'; legal: rad, deg"),
        ("time [s],HeadYaw,HeadYaw [rad/s]\n0,1,2\n", r"1, HeadYaw: the unit is unknown; got 'rad/s'"),
        ("time [min],HeadYaw\n0,1\n", r"nod.csv:1, time: the unit is unknown; got 'min'.*legal: s, ms, us, ns"),
        (
            "time,position[0],position[1]\n0,1,2\n",
            r"1, position: columns are counted and do not name their joints; got .position\[0\]",
        ),
        ("time,HeadYaw\n0,1\n1732700000.5,1\n", r"3: the time is too late; got '1732700000 s'; limit: 86400 s; count"),
        ("time,HeadYaw\n1732700000000000000,1\n1732700001000000000,1\n", "3: the time is too late; got .1000000000 s"),
        (
            "time;HeadYaw\n0;0,5\n1.5;1\n",
            r"nod.csv:3, time: decimals stand behind points and behind commas; got \"'1.5' in line 3, '0,5' in line 2",
        ),
        ('time,HeadYaw\n0,"0,5"\n', r"nod.csv:2, HeadYaw: this is not a number; got '0,5'"),
        ("time;HeadYaw\n0;1.234,5\n", r"nod.csv:2, HeadYaw: this is not a number; got '1.234,5'"),
        ("time,HeadYaw\n0,1e12\n", r"nod.csv:2, HeadYaw: the number is out of range; got '1e12'; limit: -1e\+09 to"),
        ("HeadYaw,time\n0,0\n", r"no known motion format.*a trajectory begins with a header of time and joints"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_cause(tmp_path: Path, text: str, told: str):
    (tmp_path / "nod.csv").write_text(text)
    with pytest.raises(FormatError, match=told):
        read(tmp_path / "nod.csv")


@pytest.mark.parametrize(
    "text",
    [
        "time;HeadYaw [°]\n0;10\n0,25;22,5\n",
        "time [us]\tHeadYaw [degrees]\n0\t10\n250000\t22,5e0\n",
        "# angle: Degree; time: nsec\ntime,HeadYaw\n0,10\n250000000,22.5\n",
        "time [Seconds],HeadYaw (deg)\n1732700000.5,10\n1732700000.75,22.5\n",
        "time [µs],HeadYaw (deg)\n1732700000500000,10\n1732700000750000,22.5\n",
    ],
    ids=["decimal commas", "microseconds", "nanoseconds", "clock in s", "clock in us"],
)
def test_units_decimals_and_clocks_of_other_programs(tmp_path: Path, text: str):
    (tmp_path / "nod.csv").write_text(text)
    first, second = read(tmp_path / "nod.csv").blocks["nod"].keyframes
    assert first.joints["HeadYaw"] == pytest.approx(math.radians(10))
    assert second.joints["HeadYaw"] == pytest.approx(math.radians(22.5))
    assert (first.duration, second.duration) == (AT_ONCE, 0.25)


def test_a_clock_and_a_table_without_rows_are_told(tmp_path: Path):
    path = tmp_path / "nod.csv"
    path.write_text("time,HeadYaw\n1732700000.5,1\n1732700000.75,1\n")
    read(path, report=(report := ReadReport()))
    assert any("times begin at 1732700000 s" in str(each) for each in report.warnings), report.warnings
    path.write_text("time [s],HeadYaw [rad]\n")
    read(path, report=(report := ReadReport()))
    assert any("no rows, so the motion is empty" in str(each) for each in report.warnings), report.warnings


def test_text_in_utf_16_is_told_as_such(tmp_path: Path):
    path = tmp_path / "nod.csv"
    path.write_bytes(TABLE.encode("utf-16"))
    for format_ in (None, "csv"):
        with pytest.raises(DocumentError, match=r"text in UTF-16.*save it in UTF-8"):
            read(path, format_)
    path.write_bytes("format: andante.motions\n".encode("utf-16"))
    with pytest.raises(DocumentError, match="begins as text in UTF-16 does; save it in UTF-8"):
        load_library(path)


@pytest.mark.parametrize("key", FILES)
def test_a_byte_order_mark_hides_no_format(tmp_path: Path, key: str):
    name, text = FILES[key]
    path = tmp_path / name
    path.write_text(text)
    format_, blocks = identify(path).name, read(path).blocks
    path.write_text(text, encoding="utf-8-sig")
    assert (identify(path).name, read(path).blocks) == (format_, blocks)

"""Tables as pandas, numpy and loggers write them: an index, a header behind #, dates, cells without numbers, a cut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from andante.formats.registry import read
from andante.formats.report import FormatError, ReadReport

JOINTS = ("HeadYaw", "HeadPitch", "LShoulderPitch")
TABLE = np.array([[0.0, 0.1, 0.2, 1.5], [0.1, 0.2, 0.2, 1.4], [0.2, 0.3, 0.1, 1.3]])


def told(path: Path, robot: str = "nao") -> tuple[list[dict[str, object]], float, str]:
    """Joints of the keyframes, how long they take [s], and what is told."""
    report = ReadReport()
    library = read(path, report=report, robot=robot)
    frames = [frame for block in library.blocks.values() for frame in block.keyframes]
    return [dict(frame.joints) for frame in frames], sum(frame.duration for frame in frames), str(report.warnings)


def expected() -> list[dict[str, object]]:
    return [dict(zip(JOINTS, map(pytest.approx, row[1:]), strict=True)) for row in TABLE]


def lines(*rows: str) -> str:
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("named", ["", "Unnamed: 0", "index", "frame"])
def test_an_index_before_the_times_is_left_out(tmp_path: Path, named: str) -> None:
    """As DataFrame.to_csv writes it where nobody says otherwise: the file was of no known format."""
    path = tmp_path / "nod.csv"
    rows = [",".join(map(str, (number, *row))) for number, row in enumerate(TABLE.tolist())]
    path.write_text(lines(",".join((named, "time", *JOINTS)), *rows))
    frames, duration, words = told(path)
    assert frames == expected()
    assert duration == pytest.approx(0.2, abs=2e-3)
    assert f"the first column, {named!r}, counts rows and is left out" in words.replace("\\", "")


@pytest.mark.parametrize(("name", "separator"), [("nod.csv", ","), ("nod.txt", " "), ("nod.csv", " ")])
def test_what_numpy_saves_is_read(tmp_path: Path, name: str, separator: str) -> None:
    """Its header stands behind #, and its cells behind spaces where nobody says otherwise."""
    path = tmp_path / name
    np.savetxt(path, TABLE, delimiter=separator, header=separator.join(("time", *JOINTS)))
    assert told(path)[0] == expected()


def test_cells_may_stand_behind_several_spaces(tmp_path: Path) -> None:
    path = tmp_path / "nod.txt"
    path.write_text(lines("  t   HeadYaw  HeadPitch   LShoulderPitch ", *("  ".join(map(str, row)) for row in TABLE)))
    assert told(path)[0] == expected()


@pytest.mark.parametrize("begin", ["2026-03-01T12:00:00.{}", "2026-03-01 12:00:00.{}+01:00", "2026-03-01T12:00:00.{}Z"])
def test_times_may_be_dates(tmp_path: Path, begin: str) -> None:
    path = tmp_path / "nod.csv"
    rows = [",".join((begin.format(number), *map(str, row[1:]))) for number, row in enumerate(TABLE.tolist())]
    path.write_text(lines(",".join(("time", *JOINTS)), *rows))
    frames, duration, _ = told(path)
    assert frames == expected()
    assert duration == pytest.approx(0.2, abs=2e-3)


@pytest.mark.parametrize("word", ["nan", "NaN", "None", "null", "N/A"])
def test_cells_without_a_number_are_empty_ones(tmp_path: Path, word: str) -> None:
    path = tmp_path / "nod.csv"
    path.write_text(lines("time,HeadYaw,HeadPitch", f"0,0.1,{word}", "0.1,0.2,0.3", f"0.2,0.3,{word}"))
    frames, _, words = told(path)
    assert [frame.get("HeadPitch") for frame in frames] == [None, 0.3, None]
    assert f"2 cells hold no number ({word!r} of HeadPitch) and count as empty" in words.replace("\\", "")


def test_the_last_row_of_a_log_that_was_cut_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "nod.csv"
    path.write_text("time,HeadYaw,HeadPitch\n0,0.1,0.2\n0.1,0.2,0.3\n0.2,0.")
    frames, _, words = told(path)
    assert len(frames) == 2
    assert "the last row is not whole and left out: 2 of 3 cells" in words
    path.write_text("time,HeadYaw,HeadPitch\n0,0.1,0.2\n0.1,0.2\n0.2,0.1,0.1\n")
    with pytest.raises(FormatError, match=r"nod\.csv:3: the row has 2 of 3 cells"):
        told(path)


def test_thousands_of_columns_are_read_where_most_are_no_angles(tmp_path: Path) -> None:
    path = tmp_path / "nod.csv"
    more = [f"tau_HeadYaw_{number}" for number in range(4000)]
    row = ",0" * len(more)
    path.write_text(lines(",".join(("time", "q_HeadYaw", "q_HeadPitch", *more)), f"0,0.1,0.2{row}", f"1,0.2,0.1{row}"))
    frames, _, _ = told(path)
    assert frames == [{"HeadYaw": 0.1, "HeadPitch": 0.2}, {"HeadYaw": 0.2, "HeadPitch": 0.1}]
    others = ",".join(f"foot_{number}" for number in range(1500))
    path.write_text(lines(f"time,{others}", "0" + ",0" * 1500))
    with pytest.raises(FormatError, match="too many columns of joints; got 1500; limit: 1000; leave out those of no"):
        told(path)


def test_measured_and_asked_angles_side_by_side_are_two_topics(tmp_path: Path) -> None:
    path = tmp_path / "nod.csv"
    columns = [f"{joint}_{what}" for what in ("act", "des") for joint in JOINTS]
    path.write_text(lines(",".join(("time", *columns)), "0" + ",0.1" * len(columns)))
    with pytest.raises(FormatError, match=r"columns of two topics: .*_act' and .*_des' are both angles of"):
        told(path)

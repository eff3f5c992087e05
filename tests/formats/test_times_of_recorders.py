"""Columns of times as recorders call them, with the unit behind the name."""

from __future__ import annotations

from pathlib import Path

import pytest

import andante
from andante.errors import AndanteError


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("timestamp_ns", ("1700000000000000000", "1700000000500000000")),
        ("stamp", ("1700000000.0", "1700000000.5")),
        ("time_ms", ("0", "500")),
        ("t_us", ("0", "500000")),
        ("__time", ("0.0", "0.5")),
        ("Timestamp", ("0.0", "0.5")),
        ("timestamp [ms]", ("0", "500")),
    ],
)
def test_times_are_read_by_any_of_their_names(tmp_path: Path, name: str, times: tuple[str, str]) -> None:
    """The file was of no known format."""
    (tmp_path / "nod.csv").write_text(f"{name},HeadYaw\n{times[0]},0.0\n{times[1]},0.1\n")
    keyframes = andante.read(tmp_path / "nod.csv").blocks["nod"].keyframes
    assert [each.joints["HeadYaw"] for each in keyframes] == [0.0, 0.1]
    assert keyframes[1].duration == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["times_up", "stampede", "t_h", "index"])
def test_other_words_are_no_times(tmp_path: Path, name: str) -> None:
    (tmp_path / "nod.csv").write_text(f"{name},HeadYaw\n0,0.0\n1,0.1\n")
    with pytest.raises(AndanteError, match="of no known motion format"):
        andante.read(tmp_path / "nod.csv")

"""A format of a package may have the ending of a shipped one: what was written before is written as before."""

from __future__ import annotations

from pathlib import Path

import pytest

import andante
from andante.formats.codec import MotionFileCodec
from andante.formats.registry import FORMATS, codec_for_writing
from andante.formats.report import FormatError


def table(called: str, ending: str) -> MotionFileCodec:
    class Table(MotionFileCodec):
        name, title, suffixes = called, "a table", (ending, ".shared")

        def sniff(self, head, path):
            return 0.0

        def read(self, path, report):
            raise FormatError("is none", file=path)

        def encode(self, library, losses):
            return {"file": b""}

    return Table()


@pytest.fixture
def tables():
    for name, ending in (("tables", ".csv"), ("tablets", ".CSV")):
        andante.register("formats", name, table(name, ending.lower()))
    yield
    for name in ("tables", "tablets"):
        FORMATS.unregister(name)


def test_the_shipped_format_of_an_ending_is_written_unless_the_library_came_in_another(tables):
    """`andante convert nao wave.csv` was refused once any package brought a format of this ending."""
    assert codec_for_writing("wave.csv").name == "csv"
    assert codec_for_writing("wave.csv", "tables").name == "tables"


def test_of_formats_that_packages_bring_nobody_guesses(tables):
    with pytest.raises(FormatError, match=r"several formats write files with this ending; got '\.shared'.*--to"):
        codec_for_writing(Path("wave.shared"))

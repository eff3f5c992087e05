"""Writing documents: short, lossless, and without touching what someone else wrote."""

from __future__ import annotations

import errno
import math
import os
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sheets import Colour, Part, Sheet

from andante.documents.emitter import block_text
from andante.documents.problems import DocumentError
from andante.documents.quantities import SI, Units
from andante.documents.reader import load_document
from andante.documents.writer import dump_document, save_document
from andante.documents.yaml_tree import parse_tree

DEG = Units(angle="deg", time="ms", length="mm")

LAYOUT = """\
# The sheet of the house

units: {angle: deg, time: ms, length: mm}   # as everywhere
title:   "Quoted, with comment"  # title
on: false       # spelled-out default
duration: 2.5e2 # a quarter


parts:
# before the first
- angle: 90.0   # upright
  target: off
  # inside the first
  colour: green

- {angle: +45, target: 0x10,   # a comment in braces
   note: 'single quotes'}
# before the third
- note: |
    A long
    text.
  angle: 10
# at the end of the parts
named:
    wide:   {length: 100}
    narrow: # comment behind the key
        length: 1
words: [a,   b,
        c]  # words
# the end
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "sheet.yaml"
    file.write_text(LAYOUT)
    return file


def changed(sheet: Sheet, **update: object) -> Sheet:
    return sheet.model_copy(update=update)


def difference(path: Path) -> list[tuple[str, str]]:
    """Lines that were taken out and put in, in order."""
    import difflib

    lines = difflib.ndiff(LAYOUT.splitlines(), path.read_text().splitlines())
    return [(line[0], line[2:]) for line in lines if line[0] in "+-"]


def test_saving_what_was_read_changes_no_byte(path: Path) -> None:
    save_document(load_document(path, Sheet), path)
    assert path.read_bytes() == LAYOUT.encode()


def test_a_changed_value_changes_one_line_and_keeps_its_comment(path: Path) -> None:
    sheet = load_document(path, Sheet)
    first = sheet.parts[0].model_copy(update={"angle": math.radians(30)})
    save_document(changed(sheet, parts=(first, *sheet.parts[1:])), path)
    assert difference(path) == [("-", "- angle: 90.0   # upright"), ("+", "- angle: 30   # upright")]


def test_an_added_item_and_field_take_the_layout_around_them(path: Path) -> None:
    sheet = load_document(path, Sheet)
    third = sheet.parts[2].model_copy(update={"length": 0.005})
    save_document(changed(sheet, parts=(*sheet.parts[:2], third, Part(angle=math.pi))), path)
    assert difference(path) == [("+", "  length: 5"), ("+", "- {angle: 180}")]
    assert load_document(path, Sheet).parts[3].angle == math.pi


def test_a_removed_item_goes_alone(path: Path) -> None:
    sheet = load_document(path, Sheet)
    save_document(changed(sheet, parts=(sheet.parts[0], sheet.parts[2])), path)
    assert [sign for sign, _ in difference(path)] == ["-", "-"]
    assert "# before the third" in path.read_text()
    assert load_document(path, Sheet).parts == (sheet.parts[0], sheet.parts[2])


def test_a_field_that_returns_to_its_default_is_removed_but_spelled_out_defaults_stay(path: Path) -> None:
    sheet = load_document(path, Sheet)
    first = sheet.parts[0].model_copy(update={"colour": Colour.RED})
    save_document(changed(sheet, parts=(first, *sheet.parts[1:])), path)
    assert difference(path) == [("-", "  colour: green")]
    assert "on: false       # spelled-out default" in path.read_text()


def test_words_and_names_in_braces_are_edited_in_place(path: Path) -> None:
    sheet = load_document(path, Sheet)
    named = {"wide": sheet.named["wide"].model_copy(update={"angle": 0.5 * math.pi}), "new": Part()}
    save_document(changed(sheet, words=("a", "x", "c", "d"), named=named), path)
    text = path.read_text()
    assert "words: [a,   x,\n        c, d]  # words\n" in text
    assert "    wide:   {length: 100, angle: 90}\n" in text
    assert "    new: {}\n" in text
    assert "narrow" not in text


def test_other_units_rewrite_the_numbers_and_keep_the_comments(path: Path) -> None:
    sheet = load_document(path, Sheet)
    save_document(sheet, path, units=SI)
    text = path.read_text()
    assert "units: {angle: rad, time: s, length: m}   # as everywhere" in text
    assert "- angle: 1.5707963267948966   # upright" in text
    assert "duration: 0.25 # a quarter" in text
    assert all(comment in text for comment in re.findall(r"#.*", LAYOUT))


def test_line_ends_of_other_systems_stay(path: Path) -> None:
    path.write_bytes(LAYOUT.replace("\n", "\r\n").encode())
    sheet = load_document(path, Sheet)
    save_document(changed(sheet, count=3, parts=(*sheet.parts, Part(note="n"))), path)
    raw = path.read_bytes()
    assert raw.count(b"\n") == raw.count(b"\r\n") == LAYOUT.count("\n") + 2
    assert load_document(path, Sheet).count == 3


def test_defaults_are_left_out_and_the_header_is_written() -> None:
    assert dump_document(Sheet(title="t"), units=DEG) == (
        "format: test.sheet\nversion: 1\nunits: {angle: deg, time: ms, length: mm}\ntitle: t\n"
    )


def test_what_is_no_such_document_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text("title: mine\nduraton: 3  # a slip that somebody will want to mend\n")
    with pytest.raises(DocumentError, match=r"other\.yaml:2:1: is not overwritten, as it holds something else"):
        save_document(Sheet(title="t"), path, units=DEG)
    assert "a slip" in path.read_text()
    path.write_text("\n")
    save_document(Sheet(title="t"), path, units=DEG)
    assert path.read_text() == dump_document(Sheet(title="t"), units=DEG)


def test_a_full_disk_leaves_the_old_file_and_no_litter(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = load_document(path, Sheet)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DocumentError, match=r"cannot be written: No space left on device; the old file is untouched"):
        save_document(changed(sheet, count=5), path)
    assert path.read_text() == LAYOUT
    assert os.listdir(path.parent) == [path.name]
    # Where there was none, none is spoken of.
    with pytest.raises(DocumentError, match=r"new\.yaml: cannot be written: No space left on device$"):
        save_document(sheet, path.with_name("new.yaml"))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"none/x\.yaml: cannot be written: No such file or directory"):
        save_document(Sheet(title="t"), tmp_path / "none" / "x.yaml")


def test_permissions_and_links_survive(path: Path) -> None:
    os.chmod(path, 0o640)
    link = path.parent / "link.yaml"
    link.symlink_to(path)
    save_document(changed(load_document(path, Sheet), count=2), link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert load_document(path, Sheet).count == 2


# Values that a file in degrees, milliseconds and millimetres can hold.
degrees = st.integers(-36000, 36000).map(lambda value: DEG.to_si(value / 100, "angle"))
millimetres = st.integers(-5000, 5000).map(lambda value: DEG.to_si(value / 10, "length"))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
parts = st.builds(
    Part,
    angle=degrees,
    length=millimetres,
    target=st.one_of(degrees, st.sampled_from(["off", "ignore"])),
    colour=st.sampled_from(Colour),
    note=texts,
)
sheets = st.builds(
    Sheet,
    title=texts,
    duration=st.integers(1, 10**6).map(lambda value: DEG.to_si(float(value), "time")),
    share=st.integers(0, 100).map(lambda value: value / 100),
    count=st.integers(0, 10**9),
    on=st.booleans(),
    parts=st.lists(parts, max_size=4).map(tuple),
    named=st.dictionaries(texts, parts, max_size=4),
    angles=st.dictionaries(texts, degrees, max_size=12),
    words=st.lists(texts, max_size=4).map(tuple),
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(sheets)
def test_everything_that_can_be_written_reads_back_equal(sheet: Sheet) -> None:
    text = dump_document(sheet, units=DEG)
    assert load_document(text, Sheet) == sheet
    assert dump_document(load_document(text, Sheet), units=DEG) == text
    # An independent YAML reader sees the same structure (names such as off aside, which YAML 1.1 calls booleans).
    plain = yaml.load(text, Loader=yaml.CBaseLoader)
    assert len(plain.get("parts", [])) == len(sheet.parts)
    assert list(plain.get("named", {})) == list(sheet.named)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(sheets, sheets)
def test_any_document_can_be_edited_into_any_other(
    tmp_path_factory: pytest.TempPathFactory, old: Sheet, new: Sheet
) -> None:
    path = tmp_path_factory.getbasetemp() / "edited.yaml"
    path.write_text("# first line\n" + dump_document(old, units=DEG) + "# last line\n", encoding="utf-8", newline="")
    save_document(new, path)
    assert load_document(path, Sheet) == new
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# first line\n")
    assert "# last line\n" in text


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(sheets)
def test_a_laid_out_document_can_be_edited_into_any_other(tmp_path_factory: pytest.TempPathFactory, new: Sheet) -> None:
    path = tmp_path_factory.getbasetemp() / "laid_out.yaml"
    path.write_text(LAYOUT)
    save_document(new, path)
    assert load_document(path, Sheet) == new
    assert path.read_text().startswith("# The sheet of the house\n\nunits: {angle: deg, time: ms, length: mm}   # as")


def _most(parts: int, where: pytest.MonkeyPatch) -> Sheet:
    """A sheet of so many parts; no document may have as many entries as it."""
    sheet = Sheet(title="wide", parts=(Part(angle=math.pi),) * parts)
    # By hand: the sheet, 3 keys and words besides the parts (format, version, title) and the units with theirs;
    # the list, and of each part the mapping, its key and its value.
    most = 1 + 3 * 2 + (2 + 2 * 3) + 2 + 3 * parts
    where.setattr("andante.documents.yaml_tree.MAX_NODES", most - 1)
    where.setattr("andante.documents.writer.MAX_NODES", most - 1)
    return sheet


@pytest.mark.parametrize("exists", [False, True])
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool):
    file = tmp_path / "sheet.yaml"
    if exists:
        save_document(Sheet(title="narrow"), file, units=DEG)
    before = file.read_bytes() if exists else None
    sheet = _most(40, monkeypatch)
    with pytest.raises(DocumentError, match=r"too many entries to be read again; got 137; limit: 136") as caught:
        save_document(sheet, file, units=DEG)
    assert str(file) in str(caught.value)
    assert (file.read_bytes() if file.exists() else None) == before
    fits = sheet.model_copy(update={"parts": sheet.parts[:-1]})
    save_document(fits, file, units=DEG)
    assert load_document(file, Sheet) == fits


def test_a_document_of_too_many_bytes_is_not_written(tmp_path: Path):
    with pytest.raises(DocumentError, match="is too large"):
        save_document(Sheet(title="x" * 20_000_001), tmp_path / "sheet.yaml")
    assert not list(tmp_path.iterdir())


def test_a_text_of_more_commas_than_are_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file, sheet = tmp_path / "sheet.yaml", Sheet(title="one, two" + "," * 200)
    monkeypatch.setattr("andante.documents.yaml_tree.MAX_NODES", 150)
    with pytest.raises(DocumentError, match=r"has too many lines and commas; got 2\d\d; limit: 150"):
        save_document(sheet, file)
    assert not file.exists()
    monkeypatch.setattr("andante.documents.yaml_tree.MAX_NODES", 300)
    save_document(sheet, file)
    assert load_document(file, Sheet) == sheet


@pytest.mark.parametrize("length", [1100, 3000])
def test_keys_longer_than_yaml_takes_without_a_mark_are_read_again(length: int) -> None:
    """YAML 1.2 has 1024 characters at most for a key that stands without a question mark."""
    key = "x" * length
    for value in (1.5, {"a": 2, "b": [1, 2]}, {key: {str(index): index for index in range(9)}}, [{key: [3]}]):
        text = block_text({"first": 0, key: value, "last": {key: value}})
        assert yaml.safe_load(text) == {"first": 0, key: value, "last": {key: value}}
        assert parse_tree(text, "").data == {"first": 0, key: value, "last": {key: value}}

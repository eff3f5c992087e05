"""Reading documents: units, strictness, golden messages and hostile files."""

from __future__ import annotations

import contextlib
import gc
import math
import os
import random
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sheets import Sheet

from andante.documents.problems import DocumentError
from andante.documents.quantities import Units
from andante.documents.reader import load_document
from andante.documents.yaml_tree import parse_tree
from andante.errors import AndanteError

GOOD = """\
format: test.sheet
version: 1
units: {angle: deg, time: ms, length: mm}
title: A sheet   # with a comment
duration: 250
parts:
  - angle: 90
    length: -20
    target: off
  - {target: 45, colour: green, note: "a: b"}
named:
  off: {angle: -180}
  "1": {}
angles: {a: 1e1, b: .5, c: -0}
words: [yes, no, on, "12", ~x]
"""


def message(text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        load_document(text, Sheet, place="sheet.yaml")
    return str(caught.value)


def test_units_header_converts_to_si() -> None:
    sheet = load_document(GOOD, Sheet)
    assert sheet.duration == 0.25
    assert sheet.parts[0].angle == pytest.approx(math.pi / 2, abs=1e-15)
    assert sheet.parts[0].length == pytest.approx(-0.02, abs=1e-18)
    assert sheet.parts[1].target == pytest.approx(math.pi / 4, abs=1e-15)
    assert sheet.angles["a"] == pytest.approx(math.radians(10), abs=1e-15)


def test_without_header_numbers_are_si_unless_a_context_is_given() -> None:
    text = "title: t\nduration: 2\nangles: {a: 1}\n"
    assert load_document(text, Sheet).duration == 2.0
    read = load_document(text, Sheet, context=Units(angle="deg", time="ms"))
    assert read.duration == 0.002
    assert read.angles["a"] == math.pi / 180


def test_words_of_yaml_1_1_booleans_are_texts() -> None:
    sheet = load_document(GOOD, Sheet)
    assert sheet.parts[0].target == "off"
    assert sheet.words == ("yes", "no", "on", "12", "~x")
    assert set(sheet.named) == {"off", "1"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title: t\nduraton: 3\n", "sheet.yaml:2:1: the document has no such field; got 'duraton'; did you mean"),
        ("duration: 3\n", "sheet.yaml:1:1: title is missing; limit: this field must be given"),
        ("title: t\nduration: -3\n", "sheet.yaml:2:11: duration is not legal; got -3; limit: above 0"),
        ("title: t\nduration: 0\n", "sheet.yaml:2:11: duration is not legal; got 0; limit: above 0"),
        ("title: t\nduration: .nan\n", "sheet.yaml:2:11: duration must be a finite number; got nan"),
        ("title: t\nangles: {a: -.inf}\n", "sheet.yaml:2:13: angles.a must be a finite number; got -inf"),
        ("title: t\nangles: {a: 1e999}\n", "sheet.yaml:2:13: angles.a must be a finite number; got inf"),
        ("title: t\nduration: '3'\n", "sheet.yaml:2:11: duration must be a number; got '3'"),
        (
            "title: t\nduration: 3 ms\n",
            "sheet.yaml:2:11: duration must be a number; got '3 ms'; documents have numbers without a unit, here 0.003",
        ),
        ("title: t\nangles: {a: true}\n", "sheet.yaml:2:13: angles.a must be a number; got True"),
        ("title: 3\n", "sheet.yaml:1:8: title must be a text; got 3"),
        ("title: t\non: 1\n", "sheet.yaml:2:5: on must be true or false; got 1"),
        ("title: t\ncount: 1.5\n", "sheet.yaml:2:8: count must be a whole number; got 1.5"),
        ("title: t\nshare: 1.5\n", "sheet.yaml:2:8: share is not legal; got 1.5; limit: at most 1"),
        ("title: t\nversion: 2\n", "sheet.yaml:2:10: version must be 1; got 2"),
        (
            "title: t\nparts:\n  - angle: 1\n    colour: gren\n",
            "sheet.yaml:4:13: parts[0].colour is not legal; got 'gren'; did you mean 'green'?; legal: red, green",
        ),
        (
            "title: t\nparts:\n  - {target: ignor}\n",
            "sheet.yaml:3:14: parts[0].target must be a number or one of the names below; got 'ignor';"
            " did you mean 'ignore'?; legal: off, ignore",
        ),
        (
            "title: t\nnamed:\n  x.y:\n    colur: red\n",
            "sheet.yaml:4:5: named.'x.y' has no such field; got 'colur'; did you mean 'colour'?;"
            " legal: angle, length, target, colour, note",
        ),
        ("title: t\nparts: {}\n", "sheet.yaml:2:8: parts must be a list; got {}"),
        ("title: t\nnamed: [1]\n", "sheet.yaml:2:8: named must be a mapping (key: value); got [1]"),
        ("title: t\nunits: {angle: degrees}\n", "sheet.yaml:2:16: units.angle is not legal; got 'degrees'"),
        ("units: {angel: deg}\n", "sheet.yaml:1:9: units has no such field; got 'angel'; did you mean 'angle'?"),
        ("- title\n", "sheet.yaml:1:1: the document must be a mapping (key: value); got ['title']"),
        ("", "sheet.yaml: the document is empty"),
        ("# only a comment\n", "sheet.yaml: the document is empty"),
        ("title: a\ntitle: b\n", "sheet.yaml:2:1: the key 'title' stands twice (first in line 1)"),
        ("title: &a t\nwords: [*a]\n", "sheet.yaml:1:8: anchors (&name) are not allowed"),
        ("title: *a\n", "sheet.yaml:1:8: aliases (*name) are not allowed"),
        ("title: !!str t\n", "sheet.yaml:1:8: tags (!name) are not allowed"),
        ("title: !!python/object/apply:os.system [ls]\n", "sheet.yaml:1:8: tags (!name) are not allowed"),
        ("? [a]\n: 1\n", "sheet.yaml:1:3: a key must be a text"),
        ("title: a\n---\ntitle: b\n", "sheet.yaml:2:1: a second document in the same file"),
        ("title: [a\n", "sheet.yaml:2:1: not readable as YAML"),
        ("title: 'a\n", "sheet.yaml:2:1: not readable as YAML"),
        ("title: a\n\twords: b\n", "sheet.yaml:2:1: not readable as YAML"),
        ("title: a\x00b\n", "sheet.yaml:1:9: holds a control character and is no text; got '\\x00'"),
        (f"title: t\ncount: {'9' * 5000}\n", "sheet.yaml:2:8: a number of more than 300 characters"),
    ],
)  # fmt: skip
def test_one_problem_gives_one_clear_line(text: str, expected: str) -> None:
    assert message(text).startswith(expected)
    assert "\n" not in message(text)


def test_several_problems_come_in_the_order_of_the_text() -> None:
    text = "title: 1\nduration: 0\nshare: 2\ncount: -1\non: 3\nwords: 4\nparts: 5\n"
    lines = message(text).splitlines()
    assert [line.split(":")[1] for line in lines[:5]] == ["1", "2", "3", "4", "5"]
    assert lines[5:] == ["and 2 more problems"]


def test_a_mistake_in_each_of_many_places_is_told_from_the_beginning() -> None:
    text = "title: t\nwords:\n" + "- 123456789012345\n" * 20_000
    lines = message(text).splitlines()
    assert [line.split(":")[1] for line in lines[:5]] == ["3", "4", "5", "6", "7"]
    # Of the first two parts of the document, of 1,000 entries each, 5 are told.
    assert lines[5:] == ["and at least 1994 more problems"]


def test_few_mistakes_far_behind_the_beginning_of_a_long_list_are_all_counted() -> None:
    good, bad = "- abcdefghijklmnop\n", "- 1\n"
    lines = message("title: t\nwords:\n" + good * 15_000 + bad * 7 + good * 1_000).splitlines()
    assert [line.split(":")[1] for line in lines[:5]] == [str(15_003 + number) for number in range(5)]
    assert lines[5:] == ["and 2 more problems"]
    lines = message("title: t\nwords:\n" + bad * 500 + good * 15_000 + bad * 9).splitlines()
    assert lines[5:] == ["and 504 more problems"]


@pytest.mark.slow
def test_a_mapping_has_at_most_a_hundred_thousand_keys() -> None:
    text = "title: t\nangles:\n" + "".join(f"  k{number}: 1\n" for number in range(100_000))
    assert len(load_document(text, Sheet).angles) == 100_000
    said = message(text + "  more: 1\n")
    assert said == "sheet.yaml:100003:3: a mapping has too many keys; limit: 100000"


def test_garbage_is_collected_again_after_a_document(tmp_path: Path) -> None:
    assert gc.isenabled()
    for text in ("title: t\n", "title: 1\n", "title: ["):
        with contextlib.suppress(DocumentError):
            load_document(text, Sheet)
        assert gc.isenabled()
    gc.disable()
    try:
        load_document("title: t\n", Sheet)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_file_stands_in_the_message(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("title: t\nx: 1\n")
    with pytest.raises(DocumentError, match=r"x\.yaml:2:1: the document has no such field"):
        load_document(path, Sheet)


def test_missing_file_folder_and_pipe(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be read: No such file"):
        load_document(tmp_path / "none.yaml", Sheet)
    with pytest.raises(DocumentError, match="cannot be read: Is a directory"):
        load_document(tmp_path, Sheet)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result: list[BaseException] = []

    def read() -> None:
        try:
            load_document(pipe, Sheet)
        except DocumentError as error:
            result.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(10)
    assert result
    assert "is not a file" in str(result[0])


def test_a_hundred_megabytes_are_refused_without_reading_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "big.yaml"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(DocumentError, match=r"is too large; got 100000000; limit: 20000000 bytes"):
        load_document(path, Sheet)
    with pytest.raises(DocumentError, match="is too large"):
        load_document("title: " + "x" * 100, Sheet, max_bytes=50)


def test_binary_and_wrong_encoding(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(DocumentError, match="is no UTF-8 text"):
        load_document(path, Sheet)
    path.write_bytes("title: é".encode("utf-16"))
    with pytest.raises(DocumentError, match="is no UTF-8 text"):
        load_document(path, Sheet)
    path.write_bytes("\ufefftitle: é\r\nduration: 2\r\n".encode())
    assert load_document(path, Sheet).title == "é"


@pytest.mark.parametrize("depth", [65, 5_000, 200_000])
@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "[{a: "])
def test_deep_nesting_is_refused(depth: int, opening: str) -> None:
    with pytest.raises(DocumentError):
        load_document(opening * depth, Sheet)


def test_depth_of_64_levels_is_the_limit() -> None:
    assert "words[0] must be a text" in message("title: t\nwords: " + "[" * 63 + "]" * 63)
    assert "nested too deeply; limit: 64 levels" in message("title: t\nwords: " + "[" * 64 + "]" * 64)


def refusal(source: Path | str) -> str:
    """The message of the refusal, or only the place where the document is read."""
    try:
        load_document(source, Sheet, place="sheet.yaml")
    except AndanteError as error:
        return str(error)
    return "sheet.yaml"


def read_or_refuse(source: Path | str) -> None:
    assert refusal(source).startswith("sheet.yaml")


def test_every_truncation_is_read_or_refused() -> None:
    for end in range(len(GOOD)):
        read_or_refuse(GOOD[:end])


def test_mutations_are_read_or_refused() -> None:
    random_ = random.Random(1)
    letters = "{}[]:,-#&*!|>'\"%@`\n \t0aé\u2028\ufeff\x85?~.\\"
    for _ in range(3000):
        text = list(GOOD)
        for _ in range(random_.randint(1, 6)):
            at = random_.randrange(len(text))
            text[at : at + random_.randint(0, 3)] = random_.choice(letters) * random_.randint(0, 3)
        read_or_refuse("".join(text))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refuse(text)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.yaml"
    path.write_bytes(raw)
    read_or_refuse(path)


def test_more_lines_and_commas_than_values_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("andante.documents.yaml_tree.MAX_NODES", 8)
    assert parse_tree("a: [1, 2, 3]\nb: 4\n", "x.yaml").data == {"a": [1, 2, 3], "b": 4}
    with pytest.raises(DocumentError, match=r"x\.yaml: has too many lines and commas; got 10; limit: 8"):
        parse_tree("# a, b, c, d, e, f, g, h, i\n\n", "x.yaml")

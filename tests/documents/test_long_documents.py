"""Thousands of mistakes in a long document: the first are told, at the places where they are, wherever they begin."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from sheets import Sheet

from andante.documents import long_documents
from andante.documents.long_documents import MANY, TOLD, Excerpt, Piece, in_parts, pieces_of, sample
from andante.documents.problems import DocumentError
from andante.documents.reader import load_document
from andante.documents.yaml_tree import parse_tree

GOOD, BAD = "- {angle: 0.25, length: 0.001, target: off}\n", "- {angle: x, length: 0.001, target: of }\n"


class Groups(BaseModel):
    """Many lists of few numbers."""

    groups: dict[str, tuple[float, ...]]


def message(text: str, model: type[BaseModel] = Sheet) -> str:
    with pytest.raises(DocumentError) as caught:
        load_document(text, model, place="s")
    return str(caught.value)


def places(lines: list[str]) -> list[int]:
    return [int(found[1]) for line in lines if (found := re.search(r"s:(\d+):", line))]


@pytest.mark.slow
@pytest.mark.parametrize("good", [0, 1, 1999, 9_000, 30_000])
def test_the_first_of_thousands_of_mistakes_are_told_wherever_they_begin(good: int) -> None:
    lines = message("title: t\nparts:\n" + GOOD * good + BAD * 12_000).splitlines()
    assert places(lines) == [3 + good, 3 + good, 4 + good, 4 + good, 5 + good]
    found = re.fullmatch(r"and at least (\d+) more problems", lines[5])
    assert found is not None
    assert TOLD <= int(found[1]) + 5 < 2 * MANY


def test_mistakes_in_many_short_lists_are_no_fewer() -> None:
    text = "groups:\n" + "".join(f"  g{n}: [{', '.join(['a word'] * 200)}]\n" for n in range(200))
    lines = message(text, Groups).splitlines()
    assert lines[0].startswith("s:2:8: groups.g0[0] must be a number; got 'a word'")
    found = re.fullmatch(r"and at least (\d+) more problems", lines[5])
    assert found is not None
    assert int(found[1]) < 2 * MANY < 40_000


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 60)), min_size=1, max_size=8), st.booleans())
@example([(False, 1), (False, 1), (False, 47), (False, 60), (False, 60)], True)
def test_what_is_told_of_parts_is_true_of_the_whole(runs: list[tuple[bool, int]], named: bool) -> None:
    items = [GOOD if good else BAD for good, count in runs for _ in range(count)]
    text = "title: t\nparts:\n" + "".join(items)
    if named:
        text += "named:\n" + "".join(f"  k{n}: {item[2:]}" for n, item in enumerate(items))
    if all(good for good, _ in runs):
        load_document(text, Sheet)
        return
    whole = message(text).splitlines()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"_PIECE": 50, "_SAMPLE": 500, "_PART": 300}.items():
            patch.setattr(long_documents, name, value)
        patch.setattr("andante.documents.reader.LONG", 10)
        patch.setattr("andante.documents.reader.MANY", -1)
        # Parts behind that many mistakes would be left out.
        patch.setattr("andante.documents.reader.TOLD", 1_000_000)
        told = message(text).splitlines()
    assert told[:5] == whole[:5]
    assert [line.replace("at least ", "") for line in told[5:]] == whole[5:], "all parts have all of the mistakes"


def test_parts_leave_nothing_out_and_tell_nothing_that_only_others_lack() -> None:
    root = parse_tree("title: t\nwords: [a, b, c]\nnamed: {x: {angle: 1}, y: {angle: 2}}\nbig: [[1, 2], [3, 4]]\n", "s")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_documents, "_PIECE", 3)
        pieces = pieces_of(root, root.data)
        assert [(*piece.above, piece.step) for piece in pieces] == [
            ("title",), ("words", 0), ("words", 1), ("words", 2), ("named", "x", "angle"), ("named", "y", "angle"),
            ("big", 0, 0), ("big", 0, 1), ("big", 1, 0), ("big", 1, 1),
        ]  # fmt: skip
        patch.setattr(long_documents, "_PART", 0)
        assert [piece for some in in_parts(pieces) for piece in some] == pieces
        assert sample(pieces) == (pieces, 1.0)
    assert Excerpt(root, pieces).data == root.data
    last = Excerpt(root, pieces[-1:])
    assert last.data == {"big": [[4]]}
    assert last.place(("big", 0, "a label of a union", 0)) == ("big", 1, "a label of a union", 1)
    assert last.place(("title",)) is None
    assert last.place(("big", 0)) is None
    assert pieces_of(root, {"title": "t"}) == [Piece((), "title", root.entries["title"])]

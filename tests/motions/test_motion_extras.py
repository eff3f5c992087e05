"""Extras of a motion document: which are legal, how documents keep them, and how old documents' notes are read."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andante.documents.problems import DocumentError
from andante.motions import extras as extras_module
from andante.motions.extras import KINDS, with_lines, without_lines
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.storage import dump_library, load_library, save_library

SLOW = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)
some_extras = st.dictionaries(st.sampled_from(KINDS), st.dictionaries(texts, values, max_size=3), max_size=3)


def exactly(data: object) -> str:
    """Data as JSON text, in which 1 and 1.0 and -0.0 differ."""
    return json.dumps(data)


@pytest.mark.slow
@SLOW
@given(some_extras, some_extras)
def test_documents_keep_extras_to_the_last_bit(of_motion, of_keyframe):
    keyframe = Keyframe(duration=0.5, extras=of_keyframe)
    library = MotionLibrary(
        robot="nao",
        motions={"m": Motion(blocks=("b",), extras=of_motion)},
        blocks={"b": Block(keyframes=(keyframe,), extras=of_motion)},
        extras=of_keyframe,
    )
    again = load_library(dump_library(library))
    assert again == library
    assert exactly(again.model_dump()["extras"]) == exactly(of_keyframe)
    assert exactly(again.motions["m"].extras) == exactly(of_motion)
    assert exactly(again.blocks["b"].keyframes[0].extras) == exactly(of_keyframe)


@SLOW
@given(texts.filter(lambda text: "{" not in text), some_extras)
def test_lines_of_a_text_carry_a_note_and_extras(note, kept):
    found_note, found = without_lines(with_lines(note, kept))
    assert found_note == note
    assert exactly(found) == exactly(kept)


OLD = """\
format: andante.motions
version: 1
robot: nao
note: "oda {\\"gzip\\":\\"whole\\"}"
motions:
  wave:
    blocks: [wave]
    note: "by hand\\nmtn {\\"author\\":\\"me\\"}\\nsee {\\"x\\":1}\\nmtn {\\"author\\":\\"you\\"}"
blocks:
  wave:
    note: 'hulks-json {broken'
    keyframes:
      - {duration: 0.001, note: 'at-once {"duration":0}'}
      - {duration: 0.5, note: 'mtn {"body":[1,2,3]}', extras: {mtn: {body: [4, 5, 6]}}}
"""


def test_documents_of_before_give_their_notes_lines_to_extras():
    library = load_library(OLD)
    assert (library.note, library.extras) == ("", {"oda": {"gzip": "whole"}})
    wave = library.motions["wave"]
    assert wave.extras == {"mtn": {"author": "me"}}
    # Lines of no kind, broken ones and a second one of a kind are people's.
    assert wave.note == 'by hand\nsee {"x":1}\nmtn {"author":"you"}'
    assert library.blocks["wave"].note == "hulks-json {broken"
    start, end = library.blocks["wave"].keyframes
    assert (start.note, start.extras) == ("", {"at-once": {"duration": 0}})
    assert (end.note, end.extras) == ('mtn {"body":[1,2,3]}', {"mtn": {"body": [4, 5, 6]}})


def test_saving_over_a_document_of_before_keeps_the_rest_of_it(tmp_path):
    path = tmp_path / "old.yaml"
    path.write_text("# mine\n" + OLD)
    library = load_library(path)
    save_library(library, path)
    assert load_library(path) == library
    assert path.read_text().startswith("# mine\nformat: andante.motions\n")
    assert "extras: {oda: {gzip: whole}}" in path.read_text()


@pytest.mark.parametrize(
    ("extras", "message"),
    [
        ("{mtm: {a: 1}}", "extras.mtm is not legal; got 'mtm'; did you mean 'mtn'?; legal: at-once, bitbots"),
        ("{mtn: 3}", "extras.mtn must be a mapping (key: value); got 3"),
        ("{mtn: {a: .nan}}", "extras of 'mtn' need finite numbers"),
        ("{mtn: {a: [.inf]}}", "extras of 'mtn' need finite numbers"),
    ],
)
def test_illegal_extras_are_told(extras, message):
    with pytest.raises(DocumentError) as caught:
        load_library(f"format: andante.motions\nversion: 1\nrobot: nao\nextras: {extras}\n", place="x.yaml")
    assert message in str(caught.value)
    assert str(caught.value).startswith("x.yaml:4:")


def test_the_size_of_extras_is_bounded(monkeypatch):
    monkeypatch.setattr(extras_module, "MAX_EXTRAS", 20)
    line = 'mtn {"author":"' + "x" * 20 + '"}'
    assert without_lines(line) == (line, {})
    assert without_lines('mtn {"author":"x"}') == ("", {"mtn": {"author": "x"}})
    with pytest.raises(DocumentError, match="extras of 'mtn' have 33 characters as JSON, more than 20"):
        load_library(f"format: andante.motions\nversion: 1\nrobot: nao\nextras: {{mtn: {{author: {'x' * 20}}}}}\n")

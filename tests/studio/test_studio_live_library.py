"""LiveLibrary: what it says after an edit is what reading the whole text says; edits carry comments along."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from studio_text import TEXT

from andante.documents.problems import DocumentError
from andante.motions.keyframe import Keyframe
from andante.motions.storage import load_library
from andante.studio import keyframe_edits as edits
from andante.studio.errors import StudioError
from andante.studio.live_library import LiveLibrary
from andante.studio.splices import Splice, applied, inverse


def agrees(live: LiveLibrary) -> None:
    """The library is that of the whole text, and keyframes stand where a fresh reading finds them."""
    fresh = LiveLibrary(live.text, "x.yaml")
    assert live.library == fresh.library
    assert live.items == fresh.items
    assert (live.problem is None) == (fresh.problem is None)


def test_places_of_keyframes() -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    assert {name: len(items.starts) for name, items in live.items.items()} == {"lift": 1, "wave": 4}
    assert live.keyframe("wave", 0).startswith("      - duration: 300\n        joints:\n          RShoulderRoll: -50")
    # A comment behind a keyframe goes with it; one before the first belongs to the block.
    assert live.keyframe("wave", 0).endswith("      # and fro\n")


def test_a_joint_is_changed_in_its_place() -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    keyframe = live.library.blocks["wave"].keyframes[0]
    edit = edits.replaced(
        live, "wave", {0: edits.changed(keyframe, {"joints": {"RShoulderRoll": -0.7853981633974483}})}
    )
    assert [(splice.removed, splice.inserted) for splice in edit] == [("50", "45")]
    patch = live.apply(edit)
    assert patch is not None
    assert (patch.block, patch.at, patch.removed) == ("wave", 0, 1)
    assert "RShoulderRoll: -45   # far out" in live.text
    agrees(live)


def test_edits_carry_comments() -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    live.apply(edits.moved(live, "wave", 0, 2))
    agrees(live)
    order = [len(keyframe.joints) for keyframe in live.library.blocks["wave"].keyframes]
    assert order == [2, 1, 2, 3]
    assert live.text.count("# far out") == 1
    live.apply(edits.duplicated(live, "wave", [2]))
    assert live.text.count("# far out") == 2
    agrees(live)
    live.apply(edits.deleted(live, "wave", [2, 3]))
    assert live.text.count("# far out") == 0
    agrees(live)


HEADED = """\
format: andante.motions
version: 1
robot: nao
motions:
  wave: {blocks: [wave]}
blocks:
  wave:
    keyframes:
      # lift
      - {duration: 0.1, joints: {HeadYaw: 0.1}}
        # slowly
      # lower,
      # then wait
      - {duration: 0.2, joints: {HeadYaw: 0.2}}
      # home

      - {duration: 0.3, joints: {HeadYaw: 0.3}}
"""


def headed(live: LiveLibrary) -> list[str]:
    """Comments and durations of the keyframes in the order of the text."""
    text = live.text[live.text.index("keyframes:") :]
    return [found[1] or found[2] for found in re.finditer(r"# (.*)|duration: ([\d.]+)", text)]


def test_comments_above_a_keyframe_go_with_it() -> None:
    """As people write them: deleting a keyframe took the words about the next one and left its own."""
    first, second, third = ["lift", "0.1", "slowly"], ["lower,", "then wait", "0.2", "home"], ["0.3"]
    for edit, told in (
        (lambda live: edits.deleted(live, "wave", [0]), [*second, *third]),
        (lambda live: edits.deleted(live, "wave", [1]), [*first, *third]),
        (lambda live: edits.moved(live, "wave", 0, 1), [*second, *first, *third]),
        (lambda live: edits.moved(live, "wave", 1, 0), [*second, *first, *third]),
        (lambda live: edits.moved(live, "wave", 0, 2), [*second, *third, *first]),
        (lambda live: edits.moved(live, "wave", 2, 0), [*third, *first, *second]),
        (lambda live: edits.duplicated(live, "wave", [0]), [*first, *first, *second, *third]),
        (lambda live: edits.inserted(live, "wave", 1, [Keyframe(duration=0.5)]), [*first, "0.5", *second, *third]),
        (lambda live: edits.inserted(live, "wave", 0, [Keyframe(duration=0.5)]), ["0.5", *first, *second, *third]),
    ):
        live = LiveLibrary(HEADED, "x.yaml")
        made = edit(live)
        live.apply(made)
        assert headed(live) == told
        agrees(live)
        live.apply(inverse(made))
        assert live.text == HEADED


def test_a_comment_above_the_first_keyframe_alone_is_the_blocks() -> None:
    live = LiveLibrary(HEADED.replace("      # lower,\n      # then wait\n", ""), "x.yaml")
    live.apply(edits.deleted(live, "wave", [0]))
    assert headed(live) == ["lift", "0.2", "home", "0.3"]


def test_a_block_in_one_line_is_edited_too() -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    keyframe = live.library.blocks["nod"].keyframes[0]
    live.apply(edits.inserted(live, "nod", 1, [keyframe]))
    live.apply(edits.replaced(live, "nod", {1: edits.changed(keyframe, {"duration": 0.5})}))
    live.apply(edits.deleted(live, "nod", [0]))
    assert [each.duration for each in live.library.blocks["nod"].keyframes] == [0.5, 0.2]
    assert "# to\n" in live.text
    agrees(live)


def test_all_keyframes_may_go_and_come_back() -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    keyframe = live.library.blocks["wave"].keyframes[0]
    gone = edits.deleted(live, "wave", range(4))
    live.apply(gone)
    assert live.library.blocks["wave"].keyframes == ()
    agrees(live)
    live.apply(edits.inserted(live, "wave", 0, [keyframe]))
    assert live.library.blocks["wave"].keyframes == (keyframe,)
    agrees(live)


def test_values_that_are_not_legal_are_refused_by_name() -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    keyframe = live.library.blocks["wave"].keyframes[0]
    with pytest.raises(DocumentError, match=r"keyframe\.duration"):
        edits.changed(keyframe, {"duration": -1.0})
    with pytest.raises(DocumentError, match="no such setting"):
        edits.changed(keyframe, {"durration": 1.0})
    with pytest.raises(StudioError, match="no such keyframe"):
        edits.deleted(live, "wave", [4])
    with pytest.raises(StudioError, match="no such block"):
        edits.moved(live, "wav", 0, 1)


def test_a_mistake_is_told_with_its_place_and_heals() -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    at = TEXT.index("duration: 250")
    edit = (Splice(at, "duration: 250", "duration: -250"),)
    assert live.apply(edit) is None
    assert live.library is None
    assert "x.yaml:" in str(live.problem)
    assert live.apply(inverse(edit)) is None
    agrees(live)


def test_text_that_only_looks_like_a_part_of_a_sequence_is_read_whole() -> None:
    """Lines that end a document, or break a quoted text open, must not be taken for keyframes."""
    for inserted in ("---\n", "...\n", '      - note: "\n', "      - [\n", "# c\n", "x: 1\n", "        \n", "\t- a\n"):
        live = LiveLibrary(TEXT, "x.yaml")
        live.apply((Splice(live.items["wave"].starts[1], "", inserted),))
        agrees(live)


@st.composite
def text_edits(draw: st.DrawFn, text: str) -> tuple[Splice, ...]:
    """Something typed, deleted or pasted somewhere."""
    at = draw(st.integers(min(190, len(text)), len(text)))
    length = draw(st.sampled_from([0, 0, 1, 3, 40]))
    pieces = [
        "",
        "1",
        "-",
        "- duration: 5\n",
        "      - duration: 100\n",
        "\n",
        "  ",
        "#",
        "{",
        "}",
        '"',
        ": ",
        "off",
        "---\n",
        "é",
    ]
    return (Splice(at, text[at : at + length], draw(st.sampled_from(pieces))),)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_text_edit_says_what_the_whole_text_says(data: st.DataObject) -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    done = []
    for _ in range(data.draw(st.integers(1, 4))):
        edit = data.draw(text_edits(live.text))
        live.apply(edit)
        done.append(edit)
        agrees(live)
    for edit in reversed(done):
        live.apply(inverse(edit))
        agrees(live)
    assert live.text == TEXT


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_series_of_keyframe_edits_is_taken_back_byte_for_byte(data: st.DataObject) -> None:
    live = LiveLibrary(TEXT, "x.yaml")
    done = []
    for _ in range(data.draw(st.integers(1, 6))):
        block = data.draw(st.sampled_from(["lift", "wave", "nod"]))
        keyframes = live.library.blocks[block].keyframes
        index = st.integers(0, len(keyframes) - 1)
        what = data.draw(st.sampled_from(["set", "insert", "duplicate", "delete", "move"])) if keyframes else "insert"
        if what == "set":
            at, value = data.draw(index), data.draw(st.integers(-30, 30)) / 10
            field = data.draw(
                st.sampled_from([{"joints": {"HeadYaw": value}}, {"duration": abs(value) + 0.1}, {"note": f"n{value}"}])
            )
            new = edits.changed(keyframes[at], field)
            edit = edits.replaced(live, block, {at: new})
            wanted = (*keyframes[:at], new, *keyframes[at + 1 :])
        elif what == "insert":
            at = data.draw(st.integers(0, len(keyframes)))
            new = edits.made(Keyframe, {"duration": 0.4, "joints": {"HeadYaw": 0.5, "HeadPitch": "off"}}, "keyframe")
            edit = edits.inserted(live, block, at, [new])
            wanted = (*keyframes[:at], new, *keyframes[at:])
        elif what == "duplicate":
            at = data.draw(index)
            edit, wanted = edits.duplicated(live, block, [at]), (*keyframes[: at + 1], *keyframes[at:])
        elif what == "delete":
            at = data.draw(index)
            edit, wanted = edits.deleted(live, block, [at]), (*keyframes[:at], *keyframes[at + 1 :])
        else:
            at, to = data.draw(index), data.draw(index)
            edit = edits.moved(live, block, at, to)
            rest = [*keyframes[:at], *keyframes[at + 1 :]]
            wanted = (*rest[:to], keyframes[at], *rest[to:])
        live.apply(edit)
        done.append(edit)
        assert _near(live.library.blocks[block].keyframes, wanted)
        agrees(live)
    for edit in reversed(done):
        live.apply(inverse(edit))
    assert live.text == TEXT
    assert live.library == load_library(TEXT, place="x.yaml")


def _near(a: object, b: object) -> bool:
    """Equal but for the last bits that degrees cost."""
    if isinstance(a, float) and isinstance(b, float):
        return a == pytest.approx(b, rel=1e-10, abs=1e-12)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_near(a[key], b[key]) for key in a)
    if hasattr(a, "model_dump") and hasattr(b, "model_dump"):
        return _near(a.model_dump(), b.model_dump())
    return a == b


def test_lines_that_end_with_carriage_returns_are_counted_as_they_are() -> None:
    text = TEXT.replace("\n", "\r\n")
    live = LiveLibrary(text, "x.yaml")
    keyframe = live.library.blocks["wave"].keyframes[1]
    edit = edits.inserted(live, "wave", 2, [keyframe])
    assert applied(text, edit).count("\n") == applied(text, edit).count("\r\n")
    live.apply(edit)
    agrees(live)


def test_what_older_documents_hide_in_notes_becomes_extras() -> None:
    for note in ('"kept\\nmtn {\\"author\\":\\"me\\"}"', '|\n          kept\n          mtn {"author":"me"}\n'):
        text = TEXT.replace('note: "back: again"', f"note: {note}")
        live = LiveLibrary(text, "x.yaml")
        assert live.library == load_library(text, place="x.yaml")
        assert live.library.blocks["wave"].keyframes[1].extras == {"mtn": {"author": "me"}}
        agrees(live)

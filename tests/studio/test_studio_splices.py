"""Splices: applied, taken back, found, counted as browsers count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.studio.errors import StudioError
from andante.studio.splices import Edit, Splice, applied, difference, from_units, inverse, to_units

texts = st.text(alphabet=st.sampled_from("ab\n é😀"), max_size=40)


@st.composite
def edits(draw: st.DrawFn, text: str) -> Edit:
    bounds = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = zip(bounds[::2], bounds[1::2], strict=False)
    return tuple(Splice(low, text[low:high], draw(texts)) for low, high in pairs)


@given(st.data(), texts)
def test_the_inverse_gives_the_old_text_byte_for_byte(data: st.DataObject, text: str) -> None:
    edit = data.draw(edits(text))
    new = applied(text, edit)
    assert applied(new, inverse(edit)) == text
    assert inverse(inverse(edit)) == edit


def test_splices_happen_at_once() -> None:
    assert applied("abcdef", (Splice(0, "a", "xx"), Splice(3, "", "-"), Splice(4, "ef", ""))) == "xxbc-d"


@given(texts, texts)
def test_a_difference_leads_from_one_text_to_the_other(old: str, new: str) -> None:
    edit = difference(old, new)
    assert applied(old, edit) == new
    assert len(edit) == (old != new)


def test_a_difference_is_short() -> None:
    assert difference("duration: 300\n", "duration: 350\n") == (Splice(11, "0", "5"),)


@pytest.mark.parametrize(
    "edit", [(Splice(1, "x", ""),), (Splice(9, "", "a"),), (Splice(2, "c", ""), Splice(1, "b", ""))]
)
def test_an_edit_that_does_not_fit_is_refused(edit: Edit) -> None:
    with pytest.raises(StudioError, match="does not fit the text"):
        applied("abc", edit)


@given(st.data(), texts)
def test_offsets_of_browsers_are_utf_16_units(data: st.DataObject, text: str) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    units = [len(text[:place].encode("utf-16-le")) // 2 for place in places]
    assert to_units(text, places) == units
    assert from_units(text, units) == places


def test_an_offset_inside_a_character_is_refused() -> None:
    with pytest.raises(StudioError, match="inside a character"):
        from_units("a😀", [2])
    with pytest.raises(StudioError, match="outside the text"):
        from_units("a😀", [4])

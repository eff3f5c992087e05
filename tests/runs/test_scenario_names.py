"""Names of scenarios that are made of what users call their files and motions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from andante.runs.scenario import Name, name_of
from andante.runs.scenario_files import motion_scenario

LEGAL = TypeAdapter(Name)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("walk", "my map"), "walk-my-map"),
        (("walk", "поле"), "walk"),
        (("café", "au lait"), "cafe-au-lait"),
        (("get_up_front",), "get_up_front"),
        (("挥手",), "usual"),
        (("-_.",), "usual"),
        (("a" * 200,), "a" * 80),
        (("a" * 79, "b"), "a" * 79),
    ],
)
def test_what_becomes_of_a_users_words(words: tuple[str, ...], name: str) -> None:
    assert name_of(*words, usual="usual") == name


@pytest.mark.slow
@given(st.lists(st.text(max_size=100), max_size=4))
def test_any_words_make_a_legal_name(words: list[str]) -> None:
    name = name_of(*words, usual="usual")
    assert LEGAL.validate_python(name) == name


def test_a_motion_may_have_any_name() -> None:
    assert motion_scenario("nao", "nao", ("挥手",)).name == "motion"

"""Property tests try few examples at each change, all in CI and many at night."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_examples import configurations, examples, settle_examples


@pytest.mark.parametrize(
    ("said", "choice", "tried"),
    [(100, "few", 20), (600, "few", 120), (25, "few", 10), (4, "few", 4), (100, "all", 100), (4, "many", 40)],
)
def test_the_choice_scales_what_a_test_says(said: int, choice: str, tried: int) -> None:
    assert examples(said, choice) == tried


@pytest.mark.parametrize(("choice", "tried"), [("few", 500), ("all", 10_000), ("many", 100_000)])
def test_an_oracle_is_asked_as_often(choice: str, tried: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDANTE_EXAMPLES", choice)
    assert configurations(10_000) == tried


def test_an_unknown_choice_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDANTE_EXAMPLES", "fwe")
    with pytest.raises(KeyError, match="fwe"):
        examples(100)


@pytest.mark.parametrize(("choice", "tried"), [("few", 12), ("all", 60)])
def test_a_test_tries_as_many(choice: str, tried: int, request: pytest.FixtureRequest) -> None:
    count = 0

    @settings(max_examples=60, database=None)
    @given(number=st.integers())
    def property_test(number: int) -> None:
        nonlocal count
        count += 1

    item = pytest.Function.from_parent(request.node.parent, name="property_test", callobj=property_test)
    settle_examples([item, item], choice)
    property_test()
    assert count == tried

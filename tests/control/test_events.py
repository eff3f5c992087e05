"""Kinds of events: one list, read from logs of every age."""

from __future__ import annotations

import pytest

from andante.control.events import EventKind


@pytest.mark.parametrize(
    ("spelt", "kind"),
    [
        ("no_ground", EventKind.NO_GROUND),
        ("no-ground", EventKind.NO_GROUND),
        ("lift-off", EventKind.LIFT_OFF),
        ("switch-stuck", EventKind.SWITCH),
        ("playback-end", EventKind.PLAYBACK_END),
    ],
)
def test_kinds_are_read_as_they_are_and_as_they_were_spelt(spelt: str, kind: EventKind) -> None:
    assert EventKind(spelt) is kind


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="search"):
        EventKind("search")


def test_kinds_are_words_with_underscores() -> None:
    assert all(kind.value == kind.name.lower() for kind in EventKind)

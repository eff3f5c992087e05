"""A run on a robot asks for a processor and a priority of its own only where the system has such."""

from __future__ import annotations

import os

import pytest

from andante.backends.backend import BackendError
from andante.backends.hardware.undisturbed import undisturbed


@pytest.mark.parametrize(
    ("processor", "priority", "call", "name", "value"),
    [(0, None, "sched_setaffinity", "processor", 0), (None, 50, "sched_setscheduler", "priority", 50)],
)
def test_what_a_system_does_not_know_is_refused_by_its_setting(
    monkeypatch: pytest.MonkeyPatch, processor: int | None, priority: int | None, call: str, name: str, value: int
) -> None:
    monkeypatch.delattr(os, call)
    with pytest.raises(BackendError) as error, undisturbed(processor, priority):
        pytest.fail("began")
    assert str(error.value) == (
        f"backend.{name}: this system gives no process such a right; got {value}; leave it out, or run on Linux"
    )


def test_who_asks_for_nothing_needs_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    for call in ("sched_setaffinity", "sched_getaffinity", "sched_setscheduler"):
        monkeypatch.delattr(os, call)
    with undisturbed(None, None):
        pass

"""The story of a walk: no trouble is left out, and what repeats is told once."""

from __future__ import annotations

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.runs.evaluation.story import _TOLD, TOLD, TROUBLES, _grouped


def test_a_walk_tells_all_that_any_run_tells_but_its_own_end():
    assert set(TOLD) - _TOLD == {EventKind.ARRIVED}
    assert set(TROUBLES) < _TOLD
    for kind in (EventKind.FAULT, EventKind.SENSOR, EventKind.STOP, EventKind.NO_GROUND, EventKind.NOT_REPLANNED):
        assert kind in _TOLD


def test_events_that_tell_the_same_soon_after_one_another_are_told_once_with_their_number():
    events = [ControlEvent(1.0 + 0.01 * k, EventKind.SLIP, "FR slips") for k in range(5)]
    events += [ControlEvent(1.02, EventKind.FAULT, "FL_knee: stuck"), ControlEvent(9.0, EventKind.SLIP, "FR slips")]
    events += [ControlEvent(1.5, EventKind.FOOTHOLD, "FR swings to 0.1, 0.2")]
    events.sort(key=lambda event: event.time)
    assert _grouped(events) == [(1.0, "FR slips", 5), (1.02, "FL_knee: stuck", 1), (9.0, "FR slips", 1)]

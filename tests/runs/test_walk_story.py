"""The story of a walk: no trouble is left out, and what repeats is told once."""

from __future__ import annotations

from andante.control.controller import ControlEvent
from andante.control.events import TOLD, TROUBLES, EventKind
from andante.runs.tasks.walk.story import WALK_TOLD, group_events


def test_a_walk_tells_all_that_any_run_tells_but_its_own_end():
    assert set(TOLD) - WALK_TOLD == {EventKind.ARRIVED}
    assert set(TROUBLES) < WALK_TOLD
    for kind in (EventKind.FAULT, EventKind.SENSOR, EventKind.STOP, EventKind.NO_GROUND, EventKind.NOT_REPLANNED):
        assert kind in WALK_TOLD


def test_events_that_tell_the_same_soon_after_one_another_are_told_once_with_their_number():
    events = [ControlEvent(1.0 + 0.01 * k, EventKind.SLIP, "FR slips") for k in range(5)]
    events += [ControlEvent(1.02, EventKind.FAULT, "FL_knee: stuck"), ControlEvent(9.0, EventKind.SLIP, "FR slips")]
    events += [ControlEvent(1.5, EventKind.FOOTHOLD, "FR swings to 0.1, 0.2")]
    events.sort(key=lambda event: event.time)
    assert group_events(events) == [(1.0, "FR slips", 5), (1.02, "FL_knee: stuck", 1), (9.0, "FR slips", 1)]

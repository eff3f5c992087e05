"""The story of a run: what is told, in which order, how it is cut."""

from __future__ import annotations

import math

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.runs.evaluation.story import MOST_LINES, story


def test_faults_and_broken_tries_are_told_with_place_and_lean() -> None:
    events = [
        ControlEvent(0.1, EventKind.MOTION, "motion get_up"),
        ControlEvent(0.3, EventKind.KEYFRAME, "rise[0]"),
        ControlEvent(0.5, EventKind.GUARD, "rate limit on LKneePitch"),
        ControlEvent(0.4, EventKind.FAULT, "LKneePitch: stuck"),
        ControlEvent(0.9, EventKind.BREAK_UP, "torso outside its window", {"pitch": math.radians(67.0), "roll": 0.0}),
    ]
    assert [str(moment) for moment in story(events)] == [
        "  0.10 s  motion get_up",
        "  0.40 s  LKneePitch: stuck",
        "  0.90 s  in rise[0]: torso outside its window (pitch 67 deg, roll 0 deg)",
    ]


def test_a_long_story_is_cut_and_says_so() -> None:
    told = story(ControlEvent(0.1 * i, EventKind.MOTION, f"motion {i}") for i in range(MOST_LINES + 3))
    assert len(told) == MOST_LINES + 1
    assert told[-1].text == "and 3 more, see report.html"

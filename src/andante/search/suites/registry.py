"""All benchmark suites: name, module and what each asks. A suite's module is imported when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from andante.search.errors import SearchError

if TYPE_CHECKING:
    from andante.search.suite import Suite

SUITES: Mapping[str, tuple[str, str]] = {
    "motion": (
        "andante.search.suites.motion",
        "Does a motion finish without a fall, over friction and sensor noise?",
    ),
    "scenario": ("andante.search.suites.scenario", "Does a scenario pass, over seeds?"),
    "aibo": (
        "andante.search.suites.aibo",
        "Do an AIBO's motions stay on their feet, pass their checks, and kick the ball?",
    ),
    "openr": (
        "andante.search.suites.openr",
        "Is a stop obeyed at every tick of a motion, and is the stream the same for 1, 4 and 16 frames?",
    ),
    "getup": ("andante.search.suites.getup", "Does a NAO that lies on the floor stand up?"),
    "fall": (
        "andante.search.suites.fall",
        "How hard do trunk and head hit the floor, against a limp and a stiff fall after the same push?",
    ),
    "kick": (
        "andante.search.suites.kick",
        "How far and straight does a NAO kick a ball, how long does it take, and does it fall?",
    ),
    "boards": (
        "andante.search.suites.boards",
        "Success, speed, missed footholds, slip, margin, energy and planning time over many boards and seeds.",
    ),
}
"""Module and help by name; a module holds its suite as ``SUITE``."""


def load_suite(name: str) -> Suite[Any, Any, Any]:
    """The suite of this name.

    Raises:
        SearchError: There is none.
    """
    if name not in SUITES:
        raise SearchError("there is no such suite", value=name, legal=SUITES)
    suite: Suite[Any, Any, Any] = importlib.import_module(SUITES[name][0]).SUITE
    return suite

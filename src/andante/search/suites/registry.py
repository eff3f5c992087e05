"""All benchmark suites. A suite's module is imported when it is used, so that a list of them costs nothing."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from andante.search.errors import SearchError

if TYPE_CHECKING:
    from andante.search.suite import Suite

SUITES: Mapping[str, str] = {
    "motion": "Does a motion finish without a fall, over friction and sensor noise?",
    "scenario": "Does a scenario pass, over seeds?",
    "aibo": "Do an AIBO's motions stay on their feet, pass their checks, and kick the ball?",
    "openr": "Is a stop obeyed at every tick of a motion, and is the stream the same for 1, 4 and 16 frames?",
    "getup": "Does a NAO that lies on the floor stand up?",
    "fall": "How hard do trunk and head hit the floor, against a limp and a stiff fall after the same push?",
    "kick": "How far and straight does a NAO kick a ball, how long does it take, and does it fall?",
    "boards": "Success, speed, missed footholds, slip, margin, energy and planning time over many boards and seeds.",
    "quadruped": "How a dynamic quadruped walks: speed, pushes, ground, disturbances, gaits, estimator, solver.",
}
"""What each suite asks; the module of its name in this folder holds it as ``SUITE``."""


def load_suite(name: str) -> Suite[Any, Any, Any]:
    """The suite of this name.

    Raises:
        SearchError: There is none.
    """
    if name not in SUITES:
        raise SearchError("there is no such suite", value=name, legal=SUITES)
    suite: Suite[Any, Any, Any] = importlib.import_module(f"{__package__}.{name}").SUITE
    return suite

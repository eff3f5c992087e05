"""How a run begins, in a word: on the front, on the back, on a side, standing, or in a posture by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.backends.start import Lying
from andante.robots.robot import Robot
from andante.runs.errors import ScenarioError

LYING: Mapping[str, Lying] = {"front": "prone", "back": "supine", "left": "left", "right": "right"}
"""Words for how a robot lies on the floor."""


def start_data(word: str, robot: Robot) -> dict[str, Any]:
    """A scenario's ``world.start`` for a word.

    Args:
        word: One of `LYING`, or one of the robot's postures.
        robot: The robot.

    Raises:
        ScenarioError: It is neither.
    """
    if word in LYING:
        return {"lying": LYING[word]}
    if word in robot.postures:
        return {"posture": word}
    raise ScenarioError("there is no such start", value=word, legal=(*LYING, *sorted(robot.postures)))

"""The robot's buttons as the engine reads them: two of three on the head, and the one on the chest."""

from __future__ import annotations

from andante.robots.records import Sensors
from andante.robots.robot import Robot

_HEAD_TOUCHES = 2
_HEAD_PAUSE = 1_000_000
"""Time for which the head buttons do nothing after they were obeyed [us]."""
_PRESSED = 0.5


class Buttons:
    """What people ask for by touch.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self._head = [index for index, name in enumerate(robot.buttons) if "head" in name.casefold()]
        self._chest = [index for index, name in enumerate(robot.buttons) if "chest" in name.casefold()]
        self.reset()

    def reset(self) -> None:
        """Forget all touches."""
        self._deaf_until = 0
        self._chest_down = False

    def head_touched(self, sensors: Sensors, now: int) -> bool:
        """Whether two head buttons are pressed; once obeyed, a second long not again."""
        if len(self._head) < _HEAD_TOUCHES or now < self._deaf_until:
            return False
        buttons = sensors.buttons
        touched = sum(bool(buttons[index] > _PRESSED) for index in self._head) >= _HEAD_TOUCHES
        if touched:
            self._deaf_until = now + _HEAD_PAUSE
        return touched

    def chest_pressed(self, sensors: Sensors) -> bool:
        """Whether the chest button went down since the last call."""
        down = any(bool(sensors.buttons[index] > _PRESSED) for index in self._chest)
        pressed, self._chest_down = down and not self._chest_down, down
        return pressed

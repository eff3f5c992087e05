"""Seeing early that an upright robot falls, and which motion meets the ground on that side.

The lean is the horizontal part of the torso's axis, the gyroscope tells how it changes. A lean that will be beyond
the limit one horizon ahead cannot be stopped any more: with the inverted pendulum's rate w = sqrt(g / h) the lean plus
its change divided by w is where a falling body goes, which for a centre of mass at 0.26 m makes the horizon 0.16 s.
"""

from __future__ import annotations

import math

from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.features import TorsoAngles
from andante.motions.library import MotionLibrary
from andante.robots.records import Sensors

_UPRIGHT = math.sin(math.radians(12.0))
"""Lean below which the robot stands and a fall may be seen (sine)."""
_LEANING = math.sin(math.radians(10.0))
"""Lean from which speed counts (sine): a gyroscope alone makes no fall."""
_DOWN = math.cos(math.radians(60.0))
"""Share of the torso's axis that points up below which a robot lies: it falls no more."""
_TICKS = 2
"""Ticks in a row that must agree."""
_OTHER_SIDE = {"left": "right", "right": "left"}


class FallCatcher:
    """Watches an upright robot.

    Args:
        config: Catch motions, horizon and limit.
        library: The motions that exist.
    """

    def __init__(self, config: KeyframeEngineSettings, library: MotionLibrary) -> None:
        self._library = library
        self.use(config)
        self.reset()

    def use(self, config: KeyframeEngineSettings) -> None:
        """Go on with these settings."""
        library = self._library
        self._limit, self._horizon = math.sin(config.catch_tilt), config.catch_horizon
        names = dict(zip(("front", "back", "left", "right"), config.catch_motions, strict=True))
        self.motions: dict[str, tuple[str, bool]] = {}
        """By side the name of the motion, where the library has one, and whether to mirror it."""
        for side, name in names.items():
            other = names[_OTHER_SIDE.get(side, side)]
            if name in library.motions:
                self.motions[side] = (name, False)
            elif other in library.motions:
                # A library may hold one side only: the other is its mirror image.
                self.motions[side] = (other, True)
        self.on = bool(self.motions) if config.catch_falls is None else config.catch_falls
        """Whether falls are met at all."""

    def reset(self) -> None:
        """Forget everything; a fall is seen only after the robot stood."""
        self.falling = ""
        """Side to which the robot falls in this tick: front, back, left, right; empty while it does not."""
        self.ahead = 0.0
        """Lean one horizon ahead [rad]."""
        self._armed = False
        self._agreed = 0

    def update(self, torso: TorsoAngles, sensors: Sensors) -> None:
        """Look at this tick's torso angles and gyroscope."""
        ux, uy, uz = torso.up
        wx, wy, wz = sensors.gyro.tolist()
        if not math.isfinite(wx + wy + wz):
            wx = wy = wz = 0.0
        # The world's up, seen from the torso, turns with u x w.
        fore = -ux - self._horizon * (uy * wz - uz * wy)
        side = -uy - self._horizon * (uz * wx - ux * wz)
        lean, ahead = math.hypot(ux, uy), math.hypot(fore, side)
        self.ahead = math.asin(min(ahead, 1.0))
        if uz > 0.0 and lean < _UPRIGHT:
            self._armed = True
        beyond = uz <= 0.0 or lean > self._limit or (lean > _LEANING and ahead > self._limit)
        self._agreed = self._agreed + 1 if beyond and self._armed else 0
        self.falling = _direction(fore, side) if self._agreed >= _TICKS else ""

    def see(self, torso: TorsoAngles, sensors: Sensors) -> str:
        """Side to which a robot falls that was walking until now; empty where it stands or lies already."""
        self._armed, self._agreed = True, _TICKS
        self.update(torso, sensors)
        side = self.falling if torso.up[2] > _DOWN else ""
        self.obeyed()
        return side

    def obeyed(self) -> None:
        """The fall is being met; the next one is seen only after the robot stood again."""
        self._armed, self._agreed, self.falling = False, 0, ""

    def side(self, torso: TorsoAngles) -> str:
        """Side to which the torso leans."""
        return _direction(-torso.up[0], -torso.up[1])


def _direction(fore: float, side: float) -> str:
    if abs(fore) >= abs(side):
        return "front" if fore >= 0.0 else "back"
    return "left" if side > 0.0 else "right"

"""Settings of the reactive crawl. Lengths and speeds are for LittleDog and scale with the leg."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from andante.control.controller import ControlError


@dataclass(frozen=True)
class CrawlSettings:
    """How the reactive crawl stands, shifts and steps.

    Raises:
        ControlError: A value is not finite or not above zero.
    """

    height: float = 0.72
    """Hip axis to foot in standing, as a share of the stretched leg."""
    stance_length: float = 0.9
    """Front to hind feet, as a share of the distance of the hips."""
    stance_spread: float = 0.04
    """How much farther left and right feet stand apart than legs that hang straight down [m]."""
    step_height: float = 0.03
    """How far a foot is lifted before it goes across [m]."""
    longest_step: float = 0.11
    """Longest way of a foot in one swing [m]."""
    probe: float = 0.03
    """How far below its place of lift-off a foot looks for the ground [m]."""
    swing_speed: float = 0.9
    """Speed of a foot up and across, where its joints allow it [m/s]."""
    down_speed: float = 0.25
    """Speed of a foot on its last way down [m/s]."""
    shift_speed: float = 0.25
    """Largest speed of the centre of mass [m/s]."""
    shift_acceleration: float = 2.0
    """Largest acceleration of the centre of mass [m/s^2]."""
    margin: float = 0.018
    """Distance from the edges of the support triangle at which the centre of mass is wanted [m]."""
    guard: float = 0.009
    """Distance from the edges that the centre of mass, with its momentum, needs before a foot lifts [m]."""
    height_rate: float = 1.0
    """Share of an error of the stance's height, and of the body's attitude over the feet, that is mended per second
    [1/s]."""
    uphill: float = 0.15
    """How far the centre of mass is shifted uphill, as a share of its height times the rise."""
    spread_gain: float = 0.6
    """Share of an error of stance length and width that one step mends."""
    heading_gain: float = 0.5
    """Share of an error of the heading that one cycle of steps mends."""
    press: float = 0.003
    """How far a foot on the ground is pushed down while its switch is open, at most, beyond its place [m]."""
    patience: float = 2.0
    """Time that a shift may take before the body goes to the middle of its feet and tries again [s]."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (math.isfinite(value) and value >= 0.0) or (value == 0.0 and each.name not in _MAY_BE_ZERO):
                raise ControlError(
                    "a setting of the crawl must be above zero", place=f"crawl.{each.name}", value=value, limit="> 0"
                )
        if not 0.3 <= self.height <= 0.97:
            raise ControlError(
                "the leg stands neither folded nor stretched",
                place="crawl.height",
                value=self.height,
                limit="0.3 to 0.97",
            )
        if self.guard > self.margin:
            raise ControlError(
                "a foot would never lift: the guard asks for more than the shift gives",
                place="crawl.guard",
                value=self.guard,
                limit=f"at most margin = {self.margin:g} m",
            )

    def scaled(self, scale: float) -> CrawlSettings:
        """The same for a robot of another size: lengths by the scale, speeds by its root, as weight wants it."""
        root = math.sqrt(scale)
        changed = {name: getattr(self, name) * scale for name in _LENGTHS}
        changed |= {name: getattr(self, name) * root for name in ("swing_speed", "down_speed", "shift_speed")}
        changed["height_rate"], changed["patience"] = self.height_rate / root, self.patience * root
        values = {each.name: changed.get(each.name, getattr(self, each.name)) for each in fields(self)}
        return CrawlSettings(**values)


_LENGTHS = ("stance_spread", "step_height", "longest_step", "probe", "margin", "guard", "press")
_MAY_BE_ZERO = ("uphill", "spread_gain", "heading_gain", "press", "guard")

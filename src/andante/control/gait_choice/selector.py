"""GaitSelector: crawls where the ground is rough and trots where it is smooth, and changes while it stands.

`choose_sections` tells which gait fits which part of a way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from andante.control.controller import ControlError, TunableBase
from andante.control.estimation.leg_estimator import LegEstimator
from andante.control.estimation.state import BodyMotion, Estimator
from andante.control.events import EventKind
from andante.control.gait_choice.settings import GaitChoiceSettings
from andante.control.legs.four_legs import four_legged
from andante.control.reactive_crawl.crawl import ReactiveCrawl
from andante.control.steering import STILL, Heading, LiveSteering
from andante.control.trot.trot import Trot
from andante.documents.quantities import NonNegativeAngle, NonNegativeLength, PositiveLength
from andante.documents.settings import Settings
from andante.errors import AndanteError
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot
from andante.spatial.arrays import Array, Flags
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap
from andante.terrain.layers import Layers, LayerSettings
from andante.terrain.planes import plane_fit

GaitName = Literal["crawl", "trot"]


class ChoiceRules(Settings):
    """What counts as smooth; lengths are for LittleDog."""

    place: ClassVar[str] = "gait choice"

    roughness: NonNegativeLength = 0.002
    """Largest standard deviation of the ground from a plane that a trot takes [m]."""
    window: PositiveLength = 0.04
    """Half width of the square in which it is measured [m]."""
    slope: NonNegativeAngle = math.radians(6.0)
    """Steepest slope that a trot takes [rad]."""
    half_width: NonNegativeLength = 0.12
    """Half of the width of the way that the feet need [m]."""
    ahead: NonNegativeLength = 0.18
    """How long before rough ground, and after it, it crawls: half its length, a step and what odometry errs [m]."""
    bridged: PositiveLength = 0.012
    """Places without a height into which no disc of this radius fits are bridged [m]."""
    shortest: NonNegativeLength = 0.35
    """Shortest smooth part for which a change of gait pays [m]."""


@dataclass(frozen=True)
class Section:
    """A part of the way."""

    start: float
    """Where it begins along the way [m]."""
    end: float
    """Where it ends [m]."""
    gait: GaitName
    """The gait for it."""
    roughness: float
    """Largest standard deviation from a plane on it [m]."""


def choose_sections(
    known: ElevationMap, start: tuple[float, float], goal: tuple[float, float], rules: ChoiceRules | None = None
) -> tuple[Section, ...]:
    """The parts of the straight way from start to goal and their gaits, in order.

    Args:
        known: The map; what it does not know counts as rough.
        start: Where the robot stands [m].
        goal: Where it goes [m].
        rules: What counts as smooth, of the robot's size.

    Raises:
        ControlError: Start or goal is off the map, or they are one place.
    """
    rules = rules or ChoiceRules()
    for name, place in (("start", start), ("goal", goal)):
        if not known.covers(place).all():
            raise ControlError(f"the {name} is off the map", place="gait choice", value=place, limit=str(known.extent))
    way = np.array(goal) - np.array(start)
    length = float(np.hypot(way[0], way[1]))
    if length < known.spacing:
        raise ControlError("start and goal are one place", place="gait choice", value=(start, goal))
    rough, smooth = _along(known, np.array(start), way / length, length, rules)
    reach = max(1, round(rules.ahead / known.spacing))
    crawls = np.convolve(~smooth, np.ones(2 * reach + 1), mode="same") > 0.5
    edges = [0, *(np.flatnonzero(np.diff(crawls)) + 1).tolist(), len(crawls)]
    sections: list[Section] = []
    for low, high in pairwise(edges):
        begin, end = low * known.spacing, min(high * known.spacing, length)
        gait: GaitName = "crawl" if crawls[low] or end - begin < min(rules.shortest, 0.99 * length) else "trot"
        roughness = float(rough[low:high].max())
        if sections and sections[-1].gait == gait:
            last = sections.pop()
            begin, roughness = last.start, max(last.roughness, roughness)
        sections.append(Section(begin, end, gait, roughness))
    return tuple(sections)


def _along(known: ElevationMap, start: Array, heading: Array, length: float, rules: ChoiceRules) -> tuple[Array, Flags]:
    """Roughness at every step of the map's spacing along the way, and whether a trot takes it."""
    layers = Layers.of(known, LayerSettings(bridged=rules.bridged))
    ground = layers.ground
    rise_x, rise_y, deviation = plane_fit(ground, rules.window)
    slope = np.arctan(np.hypot(rise_x, rise_y))
    along = np.arange(0.0, length + 0.5 * ground.spacing, ground.spacing)
    across = np.arange(-rules.half_width, rules.half_width + 1e-9, ground.spacing)
    left = np.array([-heading[1], heading[0]])
    places = start + along[:, None, None] * heading + across[None, :, None] * left
    rough = HeightMap(deviation, ground.origin, ground.spacing).nearest(places).max(axis=1)
    steep = HeightMap(slope, ground.origin, ground.spacing).nearest(places).max(axis=1)
    blind = HeightMap(layers.unknown.astype(np.float64), ground.origin, ground.spacing).nearest(places).max(axis=1)
    return rough, (rough <= rules.roughness) & (steep <= rules.slope) & (blind < 0.5)


class GaitSelector(TunableBase[GaitChoiceSettings]):
    """Walks straight on over sections, each in its gait.

    Args:
        robot: A robot on four three-joint legs.
        sections: The way, from where the robot stands; they follow one another.
        settings: Speed, and the settings of both gaits.
        estimator: Tells how far the robot has come; None: from IMU and legs.

    Raises:
        ControlError: No sections, sections with gaps, or legs of another kind.
    """

    def __init__(
        self,
        robot: Robot,
        sections: Sequence[Section],
        settings: GaitChoiceSettings | None = None,
        estimator: Estimator[BodyMotion] | None = None,
    ) -> None:
        self._sections = tuple(sections)
        if not self._sections:
            raise ControlError("a way needs at least one section", place="sections", value=0)
        for before, after in pairwise(self._sections):
            if abs(before.end - after.start) > 1e-9:
                raise ControlError(
                    "sections follow one another", place="sections", value=after.start, limit=f"{before.end:g} m"
                )
        settings = settings or GaitChoiceSettings()
        self._steering = LiveSteering(timeout=math.inf)
        self._estimator = estimator or LegEstimator(four_legged(robot), robot.tick)
        self._crawl = ReactiveCrawl(robot, self._steering, settings.crawl)
        self._trot = Trot(robot, self._steering, settings.trot)
        self._gaits: dict[GaitName, ReactiveCrawl | Trot] = {"crawl": self._crawl, "trot": self._trot}
        super().__init__(robot.tick, settings)
        self.reset()

    def _use(self, settings: GaitChoiceSettings) -> None:
        before = self._crawl.settings
        self._crawl.change(settings.crawl)
        try:
            self._trot.change(settings.trot)
        except AndanteError:
            self._crawl.change(before)
            raise

    @property
    def failed(self) -> bool:
        """True once it crawls and has given up."""
        return self.gait == "crawl" and self._crawl.failed

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        for gait in self._gaits.values():
            gait.reset()
        self._estimator.reset()
        self.gait = self._sections[0].gait
        """The gait in which it walks or stands."""
        self._steering.set(STILL)
        self.done = False
        """Whether it stands at the end of the last section."""

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        state = self._estimator.update(sensors)
        self._time, way, active = sensors.time, float(state.way[0]), self._gaits[self.gait]
        stopping = _stopping(active, state)
        ended = way >= self._sections[-1].end - stopping
        ahead = way + stopping
        wanted = next((section.gait for section in self._sections if ahead < section.end), self.gait)
        change = wanted != self.gait and not ended
        walk = not ended and not change
        self._steering.set(Heading(forward=min(self.settings.speed, active.largest.forward)) if walk else STILL)
        command = active.step(sensors)
        self._events += active.take_events()
        if active.standing and not walk:
            if change:
                self._tell(EventKind.GAIT, f"changes from {self.gait} to {wanted}", way=way)
                self.gait = wanted
                self._gaits[wanted].reset()
            else:
                self.done = True
        return command


def _stopping(gait: ReactiveCrawl | Trot, state: BodyMotion) -> float:
    """Way that a gait needs to stop from its speed [m]."""
    if isinstance(gait, Trot):
        speed = float(np.hypot(*state.level_velocity[:2]))
        return 0.5 * speed * speed / gait.acceleration
    return 0.0

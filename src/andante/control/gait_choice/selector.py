"""GaitSelector: crawls where the ground is rough and trots where it is smooth, and changes while it stands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from andante.control.controller import ControlError, ControlEvent
from andante.control.events import EventKind
from andante.control.gait_choice.sections import GaitName, Section
from andante.control.legs.four_legs import four_legged
from andante.control.legs.level import level_rotation
from andante.control.legs.odometry import LegOdometry
from andante.control.reactive_crawl.crawl import ReactiveCrawl
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.steering import STILL, Heading
from andante.control.trot.settings import TrotSettings
from andante.control.trot.trot import Trot
from andante.robots.records import Command, Record, Sensors
from andante.robots.robot import Robot


class _Reins:
    """Steering that the selector holds for one gait."""

    largest = STILL

    def __init__(self) -> None:
        self.asked = STILL

    def heading(self, time: float) -> Heading:
        """What the selector asks."""
        return self.asked

    def over(self, time: float) -> bool:
        """Never: the selector says when it is done."""
        return False


class GaitSelector:
    """Walks straight on over sections, each in its gait.

    Args:
        robot: A robot on four three-joint legs.
        sections: The way, from where the robot stands; they follow one another.
        speed: Speed forward where the gait reaches it, else the gait's largest [m/s].
        crawl: Settings of the crawl.
        trot: Settings of the trot.

    Raises:
        ControlError: No sections, sections with gaps, a speed that is not above zero, or legs of another kind.
    """

    def __init__(
        self,
        robot: Robot,
        sections: Sequence[Section],
        speed: float,
        crawl: ReactiveCrawlSettings | None = None,
        trot: TrotSettings | None = None,
    ) -> None:
        self._sections = tuple(sections)
        if not self._sections:
            raise ControlError("a way needs at least one section", place="sections", value=0)
        for before, after in zip(self._sections[:-1], self._sections[1:], strict=True):
            if abs(before.end - after.start) > 1e-9:
                raise ControlError(
                    "sections follow one another", place="sections", value=after.start, limit=f"{before.end:g} m"
                )
        if not speed > 0.0:
            raise ControlError("the speed must be above zero", place="speed", value=speed, limit="> 0 m/s")
        self._speed, self._body = speed, four_legged(robot)
        self._reins = _Reins()
        self._gaits: dict[GaitName, ReactiveCrawl | Trot] = {
            "crawl": ReactiveCrawl(robot, self._reins, crawl),
            "trot": Trot(robot, self._reins, trot),
        }
        self._period = robot.tick
        self.reset()

    @property
    def period(self) -> float:
        """Time between two steps [s]."""
        return self._period

    @property
    def done(self) -> bool:
        """Whether it stands at the end of the last section."""
        return self._done

    @property
    def gait(self) -> GaitName:
        """The gait in which it walks or stands."""
        return self._gait

    @property
    def telemetry(self) -> Record | None:
        """None: the gaits' records differ; what changes is told by events."""
        return None

    def reset(self) -> None:
        """Forget everything."""
        for gait in self._gaits.values():
            gait.reset()
        self._odometry = LegOdometry(self._body, self._period)
        self._gait = self._sections[0].gait
        self._reins.asked = STILL
        self._done = False
        self._events: list[ControlEvent] = []

    def take_events(self) -> list[ControlEvent]:
        """Changes of gait and what the gaits tell."""
        taken, self._events = self._events, []
        return taken

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        rotation, _ = level_rotation(sensors)
        self._odometry.step(sensors, rotation, sensors.contact > 0.5)
        way = float(self._odometry.way[0])
        active = self._gaits[self._gait]
        ended = way >= self._sections[-1].end - self._stopping(active)
        ahead = way + self._stopping(active)
        wanted = next((section.gait for section in self._sections if ahead < section.end), self._gait)
        change = wanted != self._gait and not ended
        walk = not ended and not change
        self._reins.asked = Heading(forward=min(self._speed, _reached(active))) if walk else STILL
        command = active.step(sensors)
        self._events += active.take_events()
        if active.standing and not walk:
            if change:
                self._events.append(
                    ControlEvent(sensors.time, EventKind.GAIT, f"changes from {self._gait} to {wanted}", {"way": way})
                )
                self._gait = wanted
                self._gaits[wanted].reset()
            else:
                self._done = True
        return command

    def _stopping(self, gait: ReactiveCrawl | Trot) -> float:
        """Way that a gait needs to stop from its speed [m]."""
        if isinstance(gait, Trot):
            speed = float(np.hypot(*self._odometry.velocity[:2]))
            return 0.5 * speed * speed / gait.acceleration
        return 0.0


def _reached(gait: ReactiveCrawl | Trot) -> float:
    return gait.largest.forward

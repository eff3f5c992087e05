"""GaitSelector: crawls where the ground is rough and trots where it is smooth, and changes while it stands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from andante.control.controller import ControlError, TunableBase
from andante.control.estimation.leg_estimator import LegEstimator
from andante.control.estimation.state import Estimator, Motion
from andante.control.events import EventKind
from andante.control.gait_choice.sections import GaitName, Section
from andante.control.gait_choice.settings import GaitChoiceSettings
from andante.control.legs.four_legs import four_legged
from andante.control.reactive_crawl.crawl import ReactiveCrawl
from andante.control.steering import STILL, Heading
from andante.control.trot.trot import Trot
from andante.errors import AndanteError
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot


class _SectionSteering:
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
        estimator: Estimator[Motion] | None = None,
    ) -> None:
        self._sections = tuple(sections)
        if not self._sections:
            raise ControlError("a way needs at least one section", place="sections", value=0)
        for before, after in zip(self._sections[:-1], self._sections[1:], strict=True):
            if abs(before.end - after.start) > 1e-9:
                raise ControlError(
                    "sections follow one another", place="sections", value=after.start, limit=f"{before.end:g} m"
                )
        settings = settings or GaitChoiceSettings()
        self._steering = _SectionSteering()
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
    def done(self) -> bool:
        """Whether it stands at the end of the last section."""
        return self._done

    @property
    def failed(self) -> bool:
        """True once it crawls and has given up."""
        return self._gait == "crawl" and self._crawl.failed

    @property
    def gait(self) -> GaitName:
        """The gait in which it walks or stands."""
        return self._gait

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        for gait in self._gaits.values():
            gait.reset()
        self._estimator.reset()
        self._gait = self._sections[0].gait
        self._steering.asked = STILL
        self._done = False

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        state = self._estimator.update(sensors)
        self._time, way, active = sensors.time, float(state.way[0]), self._gaits[self._gait]
        stopping = _stopping(active, state)
        ended = way >= self._sections[-1].end - stopping
        ahead = way + stopping
        wanted = next((section.gait for section in self._sections if ahead < section.end), self._gait)
        change = wanted != self._gait and not ended
        walk = not ended and not change
        self._steering.asked = Heading(forward=min(self.settings.speed, active.largest.forward)) if walk else STILL
        command = active.step(sensors)
        self._events += active.take_events()
        if active.standing and not walk:
            if change:
                self._tell(EventKind.GAIT, f"changes from {self._gait} to {wanted}", way=way)
                self._gait = wanted
                self._gaits[wanted].reset()
            else:
                self._done = True
        return command


def _stopping(gait: ReactiveCrawl | Trot, state: Motion) -> float:
    """Way that a gait needs to stop from its speed [m]."""
    if isinstance(gait, Trot):
        speed = float(np.hypot(*state.level_velocity[:2]))
        return 0.5 * speed * speed / gait.acceleration
    return 0.0

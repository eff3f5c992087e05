"""The parts of a scenario that walk by a map of the terrain: by a plan, or with the gait that the ground ahead lets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import ControlError, Controller
from andante.control.crawl.settings import CrawlSettings
from andante.control.gait_choice.settings import GaitChoiceSettings
from andante.documents.part import Part
from andante.documents.quantities import FixedTime, Length, Number, PositiveLength
from andante.robots.robot import Robot
from andante.runs.controls.asked import Asked
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.maps import MapSettings, MovingMapSettings

if TYPE_CHECKING:
    from andante.kinematics.leg_table import LeggedBody
    from andante.planning.walk.planner import WalkPlanner


class GivenFootstep(Part):
    """One footstep that somebody chose."""

    foot: str
    """Name of the foot."""
    x: Length
    """Where it goes along x [m]."""
    y: Length
    """Where it goes along y [m]."""


class CrawlControl(ControlKind):
    """A planned crawl to a goal."""

    tracked: ClassVar[bool] = True

    type: Literal["crawl"]
    """Kind of controller."""
    goal: tuple[Length, Length] | None = None
    """Where the middle of the robot shall go, x and y; None: to the goal of the world's terrain [m]."""
    via: Annotated[tuple[tuple[Length, Length], ...], Field(max_length=100)] = ()
    """Places by whose way it goes there, x and y, one after the other; at each it stands and plans on [m]."""
    map: MovingMapSettings = MovingMapSettings()
    """The map that the planner gets; the ground itself it never sees."""
    footsteps: Annotated[tuple[GivenFootstep, ...], Field(max_length=2000)] = ()
    """Footsteps that are walked first, in place of a search; at their end the planner leads on to the goal. One that is
    not possible refuses the walk. Empty: the planner searches."""
    effort: Annotated[Number, Field(ge=0.1, le=100.0)] = 1.0
    """How many times the usual work a search for footsteps may take before a course counts as one without a way: two
    seconds on a current core are usual."""
    replan: bool = True
    """The rest of the walk is planned anew after a step that missed its place by more than `tolerated_miss`."""
    latency: Annotated[FixedTime, Field(ge=0.0, le=10.0)] = 0.05
    """Time from a question to the planner's answer [s]."""
    execution: CrawlSettings = CrawlSettings()
    """How the plan is carried out; its latency is this kind's where it has none of its own."""

    def anchored(self, folder: Path) -> Self:
        """The same with the path of its map made absolute where it exists in ``folder``."""
        return self.model_copy(update={"map": self.map.anchored(folder)})

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The crawl; it stands first, asks its planner and then walks.

        Raises:
            AndanteError: The robot has other legs, or there is no goal.
        """
        # Compiled kernels are imported only where a robot crawls.
        from andante.control.crawl.crawl import CrawlController
        from andante.kinematics.leg_table import LeggedBody

        settings = self.execution
        if settings.latency == CrawlSettings().latency:
            settings = settings.changed(latency=self.latency)
        return CrawlController(LeggedBody.of(robot), settings=settings, replans=self.replan)

    def asked(self, robot: Robot) -> Asked:
        """The goal, where it has one of its own."""
        return Asked(goal=self.goal)

    def planner(self, controller: Controller, world: WorldConfig) -> WalkPlanner | None:
        """What plans walks for a controller of this kind; raises as `walk_planner`."""
        from andante.control.crawl.crawl import CrawlController

        return self._planner_of(controller.body, world) if isinstance(controller, CrawlController) else None

    def walk_planner(self, robot: Robot, world: WorldConfig) -> WalkPlanner:
        """What plans walks of a robot to the goal, over the map that it gets.

        Raises:
            AndanteError: The robot has other legs, there is no goal, or the terrain cannot be read.
        """
        from andante.kinematics.leg_table import LeggedBody

        return self._planner_of(LeggedBody.of(robot), world)

    def _planner_of(self, body: LeggedBody, world: WorldConfig) -> WalkPlanner:
        from andante.planning.footsteps.chosen import ChosenStep
        from andante.planning.walk.planner import WalkPlanner
        from andante.planning.walk.settings import PlanSettings

        goal = self.goal if self.goal is not None or world.terrain is None else world.terrain.load().goal
        if goal is None:
            raise ControlError("a crawl on the level floor needs a goal", place="controller.goal")
        chosen = [ChosenStep(each.foot, each.x, each.y) for each in self.footsteps]
        settings = PlanSettings().with_effort(self.effort)
        source = self.map.source(world)
        return WalkPlanner(body, source, goal, settings, latency=self.latency, chosen=chosen, via=self.via)


class CrawlOrTrotControl(GaitChoiceSettings, ControlKind):
    """Straight on, crawling where the board is rough and trotting where it is smooth; on the level floor it trots."""

    place: ClassVar[str] = "controller"

    type: Literal["crawl-or-trot"]
    """Kind of controller."""
    distance: PositiveLength = 1.0
    """How far it goes [m]."""
    map: MapSettings = MapSettings()
    """The map that it chooses by."""

    def anchored(self, folder: Path) -> Self:
        """The same with the path of its map made absolute where it exists in ``folder``."""
        return self.model_copy(update={"map": self.map.anchored(folder)})

    def asked(self, robot: Robot) -> Asked:
        """The way."""
        return Asked(ahead=self.distance)

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The chooser of gaits, by the map that it is given.

        Raises:
            ControlError: The robot has other legs, or the way leaves the board.
        """
        from andante.control.gait_choice.selector import ChoiceRules, GaitSelector, Section, choose_sections
        from andante.control.legs.four_legs import four_legged, size_of

        sections: tuple[Section, ...] = (Section(0.0, self.distance, "trot", 0.0),)
        known = self.map.underfoot(world)
        if known is not None:
            start = (world.start.x, world.start.y)
            rules = ChoiceRules().scaled(size_of(four_legged(robot)))
            goal = (start[0] + self.distance, start[1])
            sections = choose_sections(known, start, goal, rules)
        return GaitSelector(robot, sections, GaitChoiceSettings.of(self))

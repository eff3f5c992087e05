"""CrawlOrTrotControl: the part of a scenario that chooses the gait by the roughness of the ground ahead."""

from __future__ import annotations

from typing import ClassVar, Literal

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.gait_choice.settings import GaitChoiceSettings
from andante.documents.quantities import PositiveLength
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind


class CrawlOrTrotControl(GaitChoiceSettings, ControlKind):
    """Straight on, crawling where the board is rough and trotting where it is smooth; on the level floor it trots."""

    place: ClassVar[str] = "controller"

    type: Literal["crawl-or-trot"]
    """Kind of controller."""
    distance: PositiveLength = 1.0
    """How far it goes [m]."""

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The chooser of gaits, with the world's true ground for its map.

        Raises:
            ControlError: The robot has other legs, or the way leaves the board.
        """
        from andante.control.gait_choice.sections import ChoiceRules, Section, choose_sections
        from andante.control.gait_choice.selector import GaitSelector
        from andante.control.legs.four_legs import four_legged, size_of

        sections: tuple[Section, ...] = (Section(0.0, self.distance, "trot", 0.0),)
        if world.terrain is not None:
            start = (world.start.x, world.start.y)
            rules = ChoiceRules().scaled(size_of(four_legged(robot)))
            goal = (start[0] + self.distance, start[1])
            sections = choose_sections(world.terrain.load().heights, start, goal, rules)
        return GaitSelector(robot, sections, GaitChoiceSettings.of(self))

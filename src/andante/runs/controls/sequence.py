"""SequenceControl: the part of a scenario in which controllers follow each other in one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import ControlError, Controller, Planned
from andante.control.sequence.cues import Cue, CueSettings
from andante.control.steering import LiveSteering
from andante.documents.part import Part
from andante.documents.quantities import NonNegativeTime
from andante.planning.planner import Planner
from andante.robots.robot import Robot
from andante.runs.controls.asked import Asked
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.controls.steering import LiveChoice, SteeredControl

_SHORT = Annotated[NonNegativeTime, Field(le=60.0)]


class WayPart(Part):
    """A way from one controller to another."""

    to: str
    """Who takes over."""
    when: tuple[Cue, ...] = ()
    """What must hold, all of it; empty: nothing."""
    held: _SHORT = 0.0
    """For how long it must have held [s]."""
    after: _SHORT = 0.0
    """How long the one before must have been in force [s]."""
    blend: _SHORT = 0.0
    """Time over which the command goes over to that of the new one [s]."""


class SequencePart(Part):
    """A controller of a sequence, and the ways out of it."""

    controller: Annotated[Any, CONTROLLERS.by_type]
    """What moves the robot while it is in force; one that is steered and says no steering has the sequence's."""
    ways: Annotated[tuple[WayPart, ...], Field(max_length=100)] = ()
    """Ways out, looked at in their order; none: it stays in force."""


class SequenceControl(SteeredControl):
    """Controllers that follow each other: a get-up, then a walk, then a get-up again."""

    type: Literal["sequence"]
    """Kind of controller."""
    parts: Annotated[dict[str, SequencePart], Field(min_length=1, max_length=100)]
    """Controllers by name."""
    begin: str
    """The first of them."""
    cues: CueSettings = CueSettings()
    """When cues hold."""

    def anchored(self, folder: Path) -> Self:
        """The same with paths of its controllers made absolute where they exist in ``folder``."""
        parts = {name: part.but(controller=part.controller.anchored(folder)) for name, part in self.parts.items()}
        return self.model_copy(update={"parts": parts})

    def driven(self, robot: Robot) -> Robot:
        """The robot as its controllers drive it.

        Raises:
            AndanteError: One of them cannot drive this robot.
        """
        for kind in self._kinds().values():
            robot = kind.driven(robot)
            if kind.tracked:
                robot = robot.tracked()
        return robot

    def binding_note(self, robot: str) -> str:
        """What its controllers say."""
        return "; ".join(filter(None, (kind.binding_note(robot) for kind in self._kinds().values())))

    def assumed(self, robot: Robot) -> tuple[str, ...]:
        """What any of its controllers assumes."""
        return tuple(dict.fromkeys(topic for kind in self._kinds().values() for topic in kind.assumed(robot)))

    def asked(self, robot: Robot) -> Asked:
        """The script; while the robot gets up any part of it may touch the ground."""
        touching = [name for kind in self._kinds().values() for name in kind.asked(robot).may_touch]
        return Asked(turns=tuple(self._turns()), may_touch=tuple(dict.fromkeys(touching)))

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The sequence.

        Raises:
            AndanteError: A controller cannot be made, or the sequence does not fit together.
        """
        from andante.control.sequence.cues import Cues
        from andante.control.sequence.sequence import Way, sequence_of, slowest

        if self.begin not in self.parts:
            raise ControlError("there is no such part", place="controller.begin", value=self.begin, legal=self.parts)
        for name, kind in self._kinds().items():
            if kind.sees_truth:
                what = "a controller that sees ground truth follows no other"
                raise ControlError(what, place=f"controller.parts.{name}", value=kind.type)
        made = {name: kind.controller(robot, world) for name, kind in self._kinds().items()}
        steering = self.followed() if self.live is not None or self.steering else None
        if isinstance(steering, LiveSteering):
            lives = [each.steering for each in made.values() if hasattr(each, "steering")]
            fastest = [live.fastest for live in lives if isinstance(live, LiveSteering) and live.fastest is not None]
            steering.fastest = slowest(fastest) if fastest else None
        ways = {
            name: [Way(way.to, way.when, way.held, way.after, way.blend) for way in part.ways]
            for name, part in self.parts.items()
        }
        cues = Cues(robot, self.cues, steering)
        return sequence_of(robot, made, ways, self.begin, cues, steering)

    def planner(self, controller: Controller, world: WorldConfig) -> Planner[Any, Any] | None:
        """What thinks beside the one of its controllers that has a planner; None: none has.

        Raises:
            AndanteError: It cannot be made.
        """
        parts = getattr(controller, "parts", {})
        for name, kind in self._kinds().items():
            if isinstance(parts.get(name), Planned):
                return kind.planner(parts[name], world)
        return None

    def _kinds(self) -> dict[str, ControlKind]:
        """Kinds by name; those that are steered and say nothing of it have this one's steering."""
        found: dict[str, ControlKind] = {}
        for name, part in self.parts.items():
            kind: ControlKind = part.controller
            if isinstance(kind, SteeredControl) and not kind.steering and kind.live is None:
                # The time limit of a command is looked at once, where it is asked.
                live = None if self.live is None else LiveChoice(timeout=None)
                kind = kind.model_copy(update={"steering": self.steering, "live": live})
            found[name] = kind
        return found

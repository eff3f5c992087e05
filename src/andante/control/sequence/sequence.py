"""Sequence: controllers that follow each other in one run: a get-up, then a walk, then a get-up again.

One of them is in force; the others rest. Each tick the ways out of it are looked at in their order, and the first whose
cues have all held long enough hands the robot over. Who takes over learns what was commanded last, and for the time of
the blend the command goes over from that to the new one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.control.answers import amiss, commanded, told_events, told_yes
from andante.control.controller import (
    ControlError,
    Controller,
    ControllerBase,
    Fallible,
    Planned,
    Sparing,
    Successor,
)
from andante.control.events import EventKind
from andante.control.sensor_parts import NEEDED, SensorPart
from andante.control.sequence.cues import Cue, CueMoment, Cues
from andante.control.steering import Heading, LiveSteering, Steered, Steering
from andante.robots.records import Command, Layout, Record, Sensors, Vector, scalar
from andante.robots.robot import Robot

_ROUNDING = 1e-9
_LAYOUT = Layout("sequence", (scalar("part"), scalar("since", "s"), scalar("blend"), scalar("lean_ahead", "rad")))
_ENDS = (Cue.DONE, Cue.HANDED_OVER)


@dataclass(frozen=True)
class Way:
    """A way from the controller in force to another one."""

    to: str
    """Name of the controller that takes over."""
    when: tuple[Cue, ...]
    """What must hold, all of it; nothing: at once."""
    held: float = 0.0
    """For how long it must have held [s]."""
    after: float = 0.0
    """How long the controller must have been in force [s]."""
    blend: float = 0.0
    """Time over which the command goes over to that of the new controller [s]."""


class SequenceController(ControllerBase):
    """Controllers that follow each other.

    Args:
        robot: The robot.
        parts: The controllers by name; all have one period.
        ways: Ways out of each; one without any stays in force.
        begin: Name of the first.
        cues: Judges what ways look at.
        steering: What the robot is asked, handed on to controllers that are steered live; None: it is not steered.

    Raises:
        ControlError: Names or periods do not fit, or the robot cannot give a cue.
    """

    def __init__(
        self,
        robot: Robot,
        parts: Mapping[str, Controller],
        ways: Mapping[str, Sequence[Way]],
        begin: str,
        cues: Cues,
        steering: Steering | None = None,
    ) -> None:
        self.robot, self.parts, self._cues = robot, dict(parts), cues
        self.steering = steering
        """What the robot is asked."""
        self._ways = {name: tuple(ways.get(name, ())) for name in parts}
        _check(self.parts, ways, begin, cues)
        super().__init__(next(iter(self.parts.values())).period)
        self._begin = begin
        self._live = [
            part.steering
            for part in self.parts.values()
            if isinstance(part, Steered) and isinstance(part.steering, LiveSteering) and part.steering is not steering
        ]
        self.reset()

    @property
    def done(self) -> bool:
        """Whether the controller in force is done, none waits for that, and nothing more will be asked."""
        waits = any(cue in way.when for way in self._ways[self.part] for cue in _ENDS)
        over = self.steering is None or self.steering.over(self._time)
        return told_yes(self._part, "done") and not waits and over

    @property
    def failed(self) -> bool:
        """Whether the controller in force has given up and none waits for that."""
        part = self._part
        waits = any(Cue.FAILED in way.when for way in self._ways[self.part])
        return isinstance(part, Fallible) and told_yes(part, "failed") and not waits

    @property
    def needs(self) -> Collection[SensorPart]:
        """Sensors that any of the controllers needs."""
        each = [part.needs if isinstance(part, Sparing) else NEEDED for part in self.parts.values()]
        return frozenset().union(*each)

    def reset(self) -> None:
        """Forget everything; the next step is the first one's."""
        super().reset()
        for part in self.parts.values():
            part.reset()
        self._cues.reset()
        self._enter(self._begin)
        self._last: Command | None = None
        self._from: Vector | None = None
        self._blend = 0.0

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        self._time = sensors.time
        self._hand_on()
        self._cues.look(sensors)
        self._look_for_a_way(sensors)
        command = commanded(self._part, sensors, self.robot)
        for event in told_events(self._part):
            self._told.add(event.kind)
            self._events.append(event)
        command = self._blended(command)
        self._last = command
        self._since += self._period
        self._record()
        return command

    def _enter(self, name: str) -> None:
        self.part = name
        """Name of the controller in force."""
        self._part = self.parts[name]
        self._since = 0.0
        self._held = [0.0] * len(self._ways[name])
        self._told: set[EventKind] = set()

    def _look_for_a_way(self, sensors: Sensors) -> None:
        moment = CueMoment(sensors, self._part, frozenset(self._told))
        for number, way in enumerate(self._ways[self.part]):
            holds = self._last is not None and all(self._cues.holds(cue, moment) for cue in way.when)
            self._held[number] = self._held[number] + self._period if holds else 0.0
            ready = self._since >= way.after - _ROUNDING
            if holds and ready and self._held[number] >= way.held + self._period - _ROUNDING:
                self._take(way, sensors)
                return

    def _take(self, way: Way, sensors: Sensors) -> None:
        before, why = self.part, ", ".join(way.when) or "at once"
        text = f"{way.to} takes over from {before}: {why}"
        self._tell(EventKind.PART, text, part=way.to, before=before, why=why)
        if Cue.FALLS in way.when:
            self._cues.catcher.obeyed()
        self._enter(way.to)
        part = self._part
        if isinstance(part, Successor) and self._last is not None:
            part.take_over(sensors, self._last)
        else:
            part.reset()
        self._from = None if self._last is None or not way.blend else self._last.vector
        self._blend = way.blend

    def _blended(self, command: Command) -> Command:
        if self._from is None:
            return command
        share = (self._since + self._period) / self._blend
        if share >= 1.0:
            self._from = None
            return command
        return Command(command.layout, self._from + share * (command.vector - self._from))

    def _hand_on(self) -> None:
        """Controllers that are steered live are asked what this one is asked."""
        if not isinstance(self.steering, LiveSteering):
            return
        asked = self.steering.heading(self._time)
        for live in self._live:
            if live.asked != asked:
                live.set(asked)
            if self.steering.over(self._time) and not live.over(self._time):
                live.end()

    def _record(self) -> None:
        share = 1.0 if self._from is None else min(self._since / self._blend, 1.0)
        number = float(list(self.parts).index(self.part))
        self._telemetry = Record(_LAYOUT, np.array((number, self._since, share, self._cues.catcher.ahead)))


class PlannedSequence(SequenceController):
    """The same where one of the controllers has a planner beside it, which is asked while it is in force."""

    def take_request(self) -> object | None:
        """What the planner shall answer; None: nothing."""
        return self._part.take_request() if isinstance(self._part, Planned) else None

    def accept(self, plan: Any) -> None:
        """Use this plan from the next step on; one that comes after its controller was relieved is dropped."""
        if isinstance(self._part, Planned):
            self._part.accept(plan)


def sequence_of(
    robot: Robot,
    parts: Mapping[str, Controller],
    ways: Mapping[str, Sequence[Way]],
    begin: str,
    cues: Cues,
    steering: Steering | None = None,
) -> SequenceController:
    """Controllers that follow each other, one of which may have a planner.

    Raises:
        ControlError: As `SequenceController`; or several have a planner.
    """
    planned = [name for name, part in parts.items() if isinstance(part, Planned)]
    if len(planned) > 1:
        raise ControlError("one controller of a sequence may have a planner", place="sequence.parts", value=planned)
    kind = PlannedSequence if planned else SequenceController
    return kind(robot, parts, ways, begin, cues, steering)


def slowest(headings: Sequence[Heading]) -> Heading:
    """The smaller of each of several largest speeds."""
    rows = [(each.forward, each.lateral, each.turn) for each in headings]
    return Heading(*map(min, zip(*rows, strict=True)))


def _check(parts: Mapping[str, Controller], ways: Mapping[str, Sequence[Way]], begin: str, cues: Cues) -> None:
    if begin not in parts:
        raise ControlError("there is no such part", place="sequence.begin", value=begin, legal=parts)
    for name, part in parts.items():
        if wrong := amiss(part):
            place, made = f"sequence.parts.{name}", type(part).__name__
            raise ControlError(f"this is no controller: {wrong}", place=place, value=made)
    periods = {name: part.period for name, part in parts.items()}
    if len(set(periods.values())) > 1:
        raise ControlError("controllers of a sequence need one period", place="sequence.parts", value=periods)
    for name, several in ways.items():
        if name not in parts:
            raise ControlError("there is no such part", place="sequence.ways", value=name, legal=parts)
        for number, way in enumerate(several):
            place = f"sequence.parts.{name}.ways[{number}]"
            if way.to not in parts or way.to == name:
                raise ControlError("a way leads to another part", place=f"{place}.to", value=way.to, legal=parts)
            for cue in way.when:
                cues.refuse_blind(cue, f"{place}.when")

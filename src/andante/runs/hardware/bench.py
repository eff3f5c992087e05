"""Bench: a backend of a robot, and the fake that it is held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.loop import LoopLink
from andante.backends.hardware.plant import FakePlant, FakeSettings
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind
from andante.runs.hardware.fakes import FakeOrder, fake_plant


@dataclass(frozen=True)
class Found:
    """What became of one planted error, or of one broken run."""

    what: str
    """What was planted."""
    good: bool
    """Whether it was found, or went as it must."""
    how: str
    """By what, in words."""


@dataclass
class Bench:
    """What a backend is held against.

    Args:
        backend: Kind of backend, as a scenario has it.
        robot: Robot by name or path.
        start: Where and how the robot is found.
        world: What else is said of the world that it stands in.
        scenario: Scenario by name or file whose robot the fake is, in its world; empty: robot and world.
    """

    backend: Mapping[str, Any]
    robot: str
    start: Mapping[str, Any] = field(default_factory=dict)
    world: Mapping[str, Any] = field(default_factory=dict)
    scenario: str = ""

    def hung(self) -> Bench:
        """The same with the robot hung up, so that a hand turns one joint and no other."""
        start = {name: value for name, value in self.start.items() if name != "settle"}
        return Bench(self.backend, self.robot, {**start, "clearance": 0.5}, {**self.world, "fixed_base": True})

    def order(self, **fake: Any) -> FakeOrder:
        """The fake with something wrong."""
        world = WorldConfig.model_validate({"start": dict(self.start), **self.world})
        return FakeOrder(
            robot=self.robot,
            backend=dict(self.backend),
            world=world,
            scenario=self.scenario,
            fake=FakeSettings(**fake),
        )

    def looped(self, **fake: Any) -> tuple[HardwareBackend, FakePlant, HardwareKind]:
        """Backend and plant in this process."""
        plant, kind = fake_plant(self.order(**fake))
        robot = Robot.load(self.robot)
        codec = kind.codec(robot)
        return HardwareBackend(robot, LoopLink(codec, plant), kind.joint_map(robot, codec), kind.link), plant, kind

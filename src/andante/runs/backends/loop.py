"""LoopBackend: a fake of any protocol in the same process, by a clock of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from andante.backends.backend import Backend, BackendError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.link import Codec, Transport
from andante.backends.hardware.loop import LoopLink
from andante.backends.hardware.plant import FakePlant, FakeSettings
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind


class LoopBackend(HardwareKind):
    """A fake in this process, by a clock of its own: all of a run on a robot but network and real time."""

    type: Literal["loop"]
    """Kind of backend."""
    address: str = "udp"
    """Kind of backend whose bytes are spoken, or a YAML file with its settings."""
    fake: FakeSettings = FakeSettings()
    """What is wrong with it; it stands in the scenario's world."""

    @property
    def linked(self) -> bool:
        """The other end is in this process."""
        return False

    @property
    def spoken(self) -> HardwareKind:
        """The kind whose bytes are spoken.

        Raises:
            AndanteError: There is no such kind.
        """
        from andante.runs.hardware.fakes import hardware_kind
        from andante.runs.scenario_files import backend_data

        told = backend_data(self.address)
        if told["type"] == self.type:
            raise BackendError("a loop speaks another backend's bytes", value=self.address)
        own = {name: getattr(self, name) for name in ("signs", "offsets", "scales", "missing", "without")}
        return hardware_kind(told | {name: value for name, value in own.items() if value})

    def codec(self, robot: Robot, *, fake: bool = False) -> Codec:
        """The other kind's bytes."""
        return self.spoken.codec(robot, fake=fake)

    def intruder(self, robot: Robot) -> None:
        """There is nobody."""

    def transport(self, codec: Codec, *, at_robot: bool = False) -> Transport:
        """There is none."""
        raise BackendError("a loop has no other end", value=self.address, remedy="name the backend itself")

    def backend(self, robot: Robot, world: WorldConfig) -> Backend:
        """The fake behind its bytes."""
        from andante.backends.mujoco_world import MujocoWorld
        from andante.runs.hardware.fakes import noisy

        kind, settings = self.spoken, self.fake
        for name in ("processor", "priority"):
            if getattr(settings, name) is not None:
                raise BackendError(
                    "a loop's fake has no process of its own",
                    place=f"backend.fake.{name}",
                    value=getattr(settings, name),
                    remedy=f"leave it out, or set backend.{name}",
                )
        simulated = MujocoWorld(robot, noisy(world))
        simulated.reset(settings.seed)
        theirs = kind.codec(robot, fake=True)
        plant = FakePlant(simulated, theirs, kind.joint_map(robot, theirs, fake=True), settings)
        random = np.random.default_rng(settings.seed)
        ours = kind.codec(robot)

        def arrives(tick: int) -> bool:
            hangs = settings.hang_at is not None and settings.hang_at <= tick * ours.period
            return not hangs and (not settings.loss or bool(random.random() >= settings.loss))

        made = HardwareBackend(robot, LoopLink(ours, plant, arrives), kind.joint_map(robot, ours), self.link)
        made.claimed, made.firmware, made.without = self.evidence, self.firmware, frozenset(kind.without)
        made.health = replace(self.health, hot=self.safety.hot if self.safety.hot is not None else kind.hottest)
        return made

"""Fakes of robots: a simulated robot behind any protocol, in this process or in one of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self, cast

from andante.backends.backend import BackendError
from andante.backends.hardware.fake import FakeRobot
from andante.backends.hardware.plant import FakePlant, FakeSettings
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import SensorNoise, WorldConfig
from andante.documents.part import Part
from andante.kernels.lazy import compile_all
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind
from andante.runs.backends.registry import BACKENDS
from andante.runs.scenario_files import NOISE

READY = "ready"
"""Line by which a fake says that it listens."""
_START = 60.0


class FakeOrder(Part):
    """What a fake is: all that its process has to know."""

    robot: str
    """Robot by name or path."""
    backend: dict[str, Any]
    """Kind of backend, as a scenario has it."""
    world: WorldConfig = WorldConfig()
    """World that it stands in."""
    scenario: str = ""
    """Scenario by name or file whose robot it is, as its controller drives it, in its world; empty: robot and world."""
    fake: FakeSettings = FakeSettings()
    """What is wrong with it."""
    seconds: float = 1e12
    """For how long it runs [s]."""


def hardware_kind(data: dict[str, Any]) -> HardwareKind:
    """A kind of robot's backend from what a scenario says.

    Raises:
        AndanteError: There is no such kind, it is none of a robot, or a value is not legal.
    """
    kind = BACKENDS[str(data.get("type", ""))]
    if not issubclass(kind, HardwareKind):
        legal = [name for name, each in BACKENDS.items() if issubclass(each, HardwareKind)]
        raise BackendError("this backend is no robot's", value=data.get("type"), legal=legal)
    return kind(**data)


def noisy(world: WorldConfig) -> WorldConfig:
    """The world with sensor noise, where it has none: sensors of a robot are never still."""
    return world.but(noise=SensorNoise(**NOISE)) if world.noise == SensorNoise() else world


def fake_plant(order: FakeOrder) -> tuple[FakePlant, HardwareKind]:
    """The simulated robot of an order by its slots, and its kind of backend.

    Raises:
        AndanteError: Something does not exist or does not fit.
    """
    robot, config, kind = *_declared(order), hardware_kind(order.backend)
    codec = kind.codec(robot, fake=True)
    # Whatever is compiled is compiled now, not while somebody waits for a state.
    compile_all()
    world = MujocoWorld(robot, noisy(config))
    world.write(robot.command())
    world.advance(codec.period)
    world.reset(order.fake.seed)
    return FakePlant(world, codec, kind.joint_map(robot, codec, fake=True), order.fake), kind


def _declared(order: FakeOrder) -> tuple[Robot, WorldConfig]:
    """Robot and world of an order."""
    if not order.scenario:
        return Robot.load(order.robot), order.world
    from andante.runs.build import load_declared
    from andante.runs.scenario_files import load_scenario

    scenario = load_scenario(order.scenario)
    started = order.world.start != WorldConfig().start
    world = scenario.world.but(start=order.world.start) if started else scenario.world
    return load_declared(scenario), world


def fake_robot(order: FakeOrder, orders: IO[str] | None = None) -> FakeRobot:
    """The fake of an order, for this process."""
    plant, kind = fake_plant(order)
    codec = plant.codec
    port = kind.port_of(codec)
    port.program = order.fake.program
    return FakeRobot(
        plant,
        port,
        orders,
        lambda told: _say(json.dumps(told)),
        ordered=kind.ordered,
        intruder=None if orders is None else kind.intruder(plant.world.robot),
    )


def main() -> None:
    """Run the fake that standard input's first line describes; standard output's last line is its report."""
    order = FakeOrder.model_validate_json(sys.stdin.readline())
    fake = fake_robot(order, sys.stdin)
    signal.signal(signal.SIGTERM, lambda *_: setattr(fake, "stopped", True))
    signal.signal(signal.SIGINT, lambda *_: setattr(fake, "stopped", True))
    fake.run(order.seconds, lambda: _say(READY))
    _say(json.dumps(fake.report()))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@dataclass
class FakeProcess:
    """A fake in a process of its own.

    Args:
        order: What it is.
    """

    order: FakeOrder

    def __enter__(self) -> Self:
        source = str(Path(__file__).parents[3])
        path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "andante.runs.hardware.fakes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        # Popen gives both where pipes are asked for.
        self._orders, self._said = cast("IO[str]", self.process.stdin), cast("IO[str]", self.process.stdout)
        self.tell(self.order.model_dump_json())
        said = self._said.readline().strip()
        if said != READY:
            _, errors = self.process.communicate(timeout=_START)
            raise BackendError("the fake did not start", value=errors.strip().splitlines()[-1:] or said)
        return self

    def __exit__(self, *_: object) -> None:
        self.report()

    def touch(self, joint: str, direction: float = 1.0) -> None:
        """Let a hand turn a joint of the fake to and fro."""
        self.tell(f"touch {joint} {direction:g}")

    def tell(self, order: str) -> None:
        """Tell it to ``hang``, to be as it was found (``again``), or to ``stop``."""
        self._orders.write(order + "\n")
        self._orders.flush()

    def ask(self) -> dict[str, Any]:
        """What it tells while it goes on; empty where it has gone."""
        try:
            self.tell("tell")
            told: dict[str, Any] = json.loads(self._said.readline() or "{}")
        except OSError:
            return {}
        return told

    def kill(self) -> None:
        """End it as a loss of power would."""
        self.process.kill()

    def report(self) -> dict[str, Any]:
        """End it, and give what it tells; empty where it cannot."""
        if self.process.poll() is None:
            self.process.terminate()
        out, errors = self.process.communicate(timeout=_START)
        self.errors = errors
        lines = [line for line in out.splitlines() if line.startswith("{")]
        self.told: dict[str, Any] = json.loads(lines[-1]) if lines else getattr(self, "told", {})
        return self.told


if __name__ == "__main__":
    main()

"""Fakes for the runs room: a robot with two joints, a backend that remembers, a controller that counts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.parts import Foot, Joint, Servo
from andante.robots.records import Command, Layout, Record, Sensors, scalar
from andante.robots.robot import Robot

MJCF = """
<mujoco><worldbody><body name="torso" pos="0 0 0.3"><freejoint/><geom size=".05" mass="1"/><site name="imu"/>
<body name="a"><joint name="JointA" axis="0 1 0"/><geom size=".02" mass=".1"/><site name="sole"/></body>
<body name="b"><joint name="JointB" axis="0 1 0"/><geom size=".02" mass=".1"/></body>
</body></worldbody></mujoco>
"""


def twin() -> Robot:
    servo = Servo(kp=10.0, kd=0.1, max_torque=2.0, max_velocity=5.0, damping=0.1, friction=0.01, armature=0.01)
    return Robot(
        name="twin",
        title="Two joints",
        joints=tuple(Joint(name, -1.0, 1.0, 50.0, 2.0, 50_000.0) for name in ("JointA", "JointB")),
        servos=(servo, servo),
        mjcf=MJCF,
        base_body="torso",
        imu_site="imu",
        feet=(Foot("left", "a", "sole", cells=(("front", 0.1, 0.0),)),),
        tick=0.01,
    )


TRUTH = Layout("truth", (scalar("time", "s"), scalar("height", "m")))


@dataclass
class FakeBackend:
    """Joint positions follow the last command; everything is remembered."""

    robot: Robot
    time: float = 0.0
    written: list[bytes] = field(default_factory=list)
    advanced: list[float] = field(default_factory=list)
    closed: bool = False
    noise: float = 0.0
    fail_at: int = -1
    error: Exception = field(default_factory=lambda: ValueError("broken"))

    def reset(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.time = 0.0
        self.position = np.zeros(len(self.robot.joints))

    def read(self) -> Sensors:
        if len(self.written) == self.fail_at:
            raise self.error
        sensors = self.robot.sensors()
        sensors.vector[0] = self.time
        sensors.position[:] = self.position + self.noise * self.random.standard_normal(len(self.position))
        sensors.orientation[0] = 1.0
        return sensors

    def write(self, command: Command) -> None:
        self.written.append(command.vector.tobytes())
        self.position = command.position.copy()

    def advance(self, duration: float) -> None:
        self.advanced.append(duration)
        self.time += duration

    def truth(self) -> Record | None:
        return Record(TRUTH, np.array([self.time, 0.3]))

    def close(self) -> None:
        self.closed = True


TELEMETRY = Layout("engine", (scalar("count"),))


@dataclass
class FakeController:
    """Asks for a slow sine plus what it measured; wants a plan every so many steps; done after some."""

    robot: Robot
    period: float = 0.01
    done_after: int = 10**9
    jump_at: int = -1
    interrupt_at: int = -1
    ask_every: int = 0

    def __post_init__(self) -> None:
        self.reset()

    @property
    def done(self) -> bool:
        return self.count >= self.done_after

    @property
    def telemetry(self) -> Record | None:
        return Record(TELEMETRY, np.array([float(self.count)]))

    def reset(self) -> None:
        self.count = 0
        self.events: list[ControlEvent] = []
        self.plans: list[tuple[int, str]] = []

    def step(self, sensors: Sensors) -> Command:
        if self.count == self.interrupt_at:
            raise KeyboardInterrupt
        command = self.robot.command()
        command.position[:] = 0.2 * np.sin(0.05 * self.count) + 0.1 * sensors.position
        if self.count == self.jump_at:
            command.position[0] = np.nan
        command.kp[:] = 10.0
        command.kd[:] = 0.1
        if self.count % 10 == 0:
            self.events.append(ControlEvent(sensors.time, EventKind.NOTE, f"step {self.count}", {"count": self.count}))
        self.count += 1
        return command

    def take_request(self) -> float | None:
        return 0.01 * self.count if self.ask_every and self.count % self.ask_every == 0 else None

    def accept(self, plan: str) -> None:
        self.plans.append((self.count, plan))

    def take_events(self) -> list[ControlEvent]:
        events, self.events = self.events, []
        return events


class TimePlanner:
    """Its plan says when its request was made."""

    def __init__(self, latency: float) -> None:
        self.latency = latency

    def reset(self) -> None: ...

    def plan(self, request: float) -> str:
        return f"{request:.2f}"

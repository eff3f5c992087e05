"""A controller of your own that a scenario can name: settings, controller, kind, and one line that registers it."""

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Literal

import andante
from andante import Command, Robot, Sensors
from andante.extend import ControlKind, Duration, EventKind, PositiveAngle, Settings, TunableBase, WorldConfig


class NodSettings(Settings):
    """How a robot nods. Types say what a number is: from them come bounds, units in documents, and the schema."""

    place: ClassVar[str] = "nod"

    depth: PositiveAngle = 0.3
    """How far the head goes up and down [rad]."""
    time: Duration = 2.0
    """Time from nod to nod [s]."""


class Nod(TunableBase[NodSettings]):
    """Stands and nods; its settings may change while it does."""

    done = False

    def __init__(self, robot: Robot, settings: NodSettings) -> None:
        super().__init__(robot.tick, settings)
        self.robot = robot

    def step(self, sensors: Sensors) -> Command:
        """Stand with full stiffness; the head follows a sine."""
        first, self._time = self._time == 0.0, sensors.time + self.period
        if first:
            self._tell(EventKind.NOTE, "nods")
        command = self.robot.command()
        command.position[:] = self.robot.posture("stand")
        phase = math.tau * sensors.time / self.settings.time
        command.position[self.robot.index("HeadPitch")] = self.settings.depth * math.sin(phase)
        command.kp[:], command.kd[:] = self.robot.servo_kp, self.robot.servo_kd
        return command


class NodControl(NodSettings, ControlKind):
    """What a scenario says of it."""

    place: ClassVar[str] = "controller"

    type: Literal["nod"]
    """Kind of controller."""

    def controller(self, robot: Robot, world: WorldConfig) -> Nod:
        """The controller that is described."""
        return Nod(robot, NodSettings.of(self))


andante.register("controllers", "nod", NodControl)

SCENARIO = """
format: andante.scenario
version: 1
units: {angle: deg, time: s, length: m}
name: nod
robot: nao
controller: {type: nod, depth: 15, time: 1.5}
timeout: 3
success: {finishes: false}
recording: {report: false, video: false}
"""

with TemporaryDirectory() as folder:
    file = Path(folder) / "nod.yaml"
    file.write_text(SCENARIO)
    result = andante.run(file, out=file.with_name("run"))
    log = andante.read_log(result.folder)
pitch = log.rows("command")["position"][:, Robot.load("nao").index("HeadPitch")]
print(f"{result.verdict}: {len(pitch)} ticks, head pitch up to {math.degrees(pitch.max()):.1f} deg")

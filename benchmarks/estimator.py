"""How well the estimators of a floating base follow a trot in physics, on noisy sensors, against ground truth.

    python benchmarks/estimator.py [--robot littledog] [--period 0.002] [--seconds 30] [--seeds 3] [--json]
    python benchmarks/estimator.py --robot go2.xml --log RUN/log.mcap

The trot turns to both sides; it decides at 100 Hz, sensors are read at every tick. Its sensors are recorded with their
truth, by running it or from a log, and given to each estimator again: the contact-aided filter without and with the
level floor known, and with feet taken as points, all without a plan of the gait. Times are of `update` alone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import SensorNoise, Start, WorldConfig
from andante.control.controller import ControllerBase
from andante.control.estimation.contact_kalman import ContactKalman, ContactKalmanSettings
from andante.control.guard import Guard
from andante.control.legs.four_legs import four_legged, nominal_stance, size_of
from andante.control.steering import Heading, SteeringScript, Turn
from andante.control.trot.trot import Trot
from andante.kinematics.leg_table import LeggedBody
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot
from andante.runs.logs.log import Log
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.loop.tick import Observer, Tick
from andante.runs.session import Session
from andante.spatial import rotations

Array = NDArray[np.float64]
NOISE = SensorNoise(
    position=0.0005,
    velocity=0.03,
    orientation=0.002,
    gyro=0.01,
    accelerometer=0.1,
    gyro_offset=0.003,
    accelerometer_offset=0.03,
    orientation_offset=0.01,
)
"""Of the IMU and encoders of a small quadruped; see docs/estimation.md."""


class Drawn(ControllerBase):
    """A trot that decides at the tick of its robot, on a robot that ticks faster: commands in between lie on lines.

    Args:
        trot: The trot.
        robot: The robot with the faster tick.
    """

    def __init__(self, trot: Trot, robot: Robot) -> None:
        super().__init__(robot.tick)
        self._trot, self._robot = trot, robot
        self._every = round(trot.period / robot.tick)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._trot.reset()
        self._count = 0
        self._ends: tuple[Array, Array] | None = None

    @property
    def done(self) -> bool:
        """Whether the trot is."""
        return self._trot.done

    def step(self, sensors: Sensors) -> Command:
        """The command of this tick."""
        part = self._count % self._every
        if part == 0:
            wanted = self._trot.step(sensors).vector
            self._ends = wanted if self._ends is None else self._ends[1], wanted
        self._count += 1
        if self._ends is None:
            raise SystemExit("the trot said nothing")
        share = (part + 1.0) / self._every
        return self._robot.command((1.0 - share) * self._ends[0] + share * self._ends[1])


@dataclass(frozen=True)
class Recording:
    """Sensors and truth of a run."""

    sensors: list[Sensors]
    qpos: Array
    """Base and joints by MuJoCo, (n, nq)."""
    qvel: Array
    """Their velocities, (n, nv)."""


class Collector(Observer):
    """Keeps sensors and truth of every tick."""

    def __init__(self) -> None:
        self.sensors: list[Sensors] = []
        self.qpos: list[Array] = []
        self.qvel: list[Array] = []

    def see(self, tick: Tick) -> None:
        """Keep them."""
        if tick.truth is None:
            return
        self.sensors.append(tick.sensors)
        self.qpos.append(tick.truth["qpos"].copy())
        self.qvel.append(tick.truth["qvel"].copy())


def standing(robot: Robot) -> Robot:
    """The robot with a posture to stand in."""
    if "stand" in robot.postures:
        return robot
    body = four_legged(robot)
    home = nominal_stance(body, 0.72, 0.9, 0.04 * size_of(body))
    angles = [leg.solve(place) for leg, place in zip(body.legs, home, strict=True)]
    stand = dict(zip(robot.joint_names, body.joints(angles).tolist(), strict=True))
    return replace(robot, postures={**robot.postures, "stand": stand})


def trotted(robot: Robot, speed: float, turn: float, seconds: float, seed: int) -> Recording:
    """A trot with turns to both sides."""
    changes = [Turn(0.5, Heading(forward=speed))]
    for number in range(int(seconds / 3.0)):
        side = (1.0, 0.0, -1.0, 0.0)[number % 4]
        changes.append(Turn(2.0 + 3.0 * number, Heading(forward=speed, turn=side * turn)))
    world = WorldConfig(start=Start(posture="stand"), friction=0.7, noise=NOISE, timestep=0.001)
    controller = Drawn(Trot(replace(robot, tick=0.01), SteeringScript(changes)), robot)
    collector = Collector()
    session = Session(
        MujocoWorld(robot, world),
        controller,
        Guard(robot, controller.period),
        limits=RunLimits(seconds),
        observers=[collector],
        seed=seed,
        physics_period=world.timestep,
    )
    Runner(session).run()
    return Recording(collector.sensors, np.array(collector.qpos), np.array(collector.qvel))


def logged(robot: Robot, path: Path) -> Recording:
    """Sensors and truth of a log."""
    log = Log.open(path)
    rows, truth = log.rows("sensors"), log.rows("truth")
    sensors = [Sensors(rows.layout, np.ascontiguousarray(row)) for row in rows.rows]
    # Sensors that are late belong to an earlier row of the truth.
    clock = np.array([each.time for each in sensors])
    at = np.clip(np.searchsorted(truth["time"][:, 0], clock - 1e-9), 0, len(truth.rows) - 1)
    return Recording(sensors, truth["qpos"][at], truth["qvel"][at])


def judged(recording: Recording, estimator: ContactKalman) -> dict[str, float]:
    """Errors of an estimator that begins where the robot does."""
    qpos, qvel = recording.qpos, recording.qvel
    yaw = float(rotations.to_rpy(qpos[0, 3:7])[2])
    estimator.reset(qpos[0, :3], yaw)
    states, spent = [], []
    for sensors in recording.sensors:
        start = time.perf_counter()
        states.append(estimator.update(sensors))
        spent.append(time.perf_counter() - start)
    clock = np.array([sensors.time for sensors in recording.sensors])
    error = np.array([state.velocity for state in states]) - qvel[:, :3]
    late = clock > clock[0] + 1.0
    turned = rotations.to_matrix(qpos[:, 3:7])
    ahead = np.einsum("nij,ni->nj", turned, error)[late].mean(axis=0)
    way = float(np.hypot(*np.diff(qpos[:, :2], axis=0).T).sum())
    place = np.array([state.position for state in states]) - qpos[:, :3]
    tilt = np.array([state.rpy for state in states])[:, :2] - rotations.to_rpy(qpos[:, 3:7])[:, :2]
    heading = states[-1].yaw - float(rotations.to_rpy(qpos[-1, 3:7])[2])
    deviations = np.array([state.deviation for state in states])[late, 6:]
    return {
        "way": way,
        "speed": way / float(clock[-1] - clock[0]),
        "rms x": float(np.sqrt(np.mean(error[late, 0] ** 2))),
        "rms y": float(np.sqrt(np.mean(error[late, 1] ** 2))),
        "rms z": float(np.sqrt(np.mean(error[late, 2] ** 2))),
        "bias ahead": float(ahead[0]),
        "bias up": float(error[late, 2].mean()),
        "drift": float(np.hypot(*place[-1, :2])) / max(way, 1e-9),
        "height": float(np.abs(place[:, 2]).max()),
        "tilt": float(np.sqrt(np.mean(tilt**2))),
        "yaw": (heading + np.pi) % (2.0 * np.pi) - np.pi,
        "consistency": float(np.mean((error[late] / deviations) ** 2)),
        "trusted": float(np.mean([state.health.trusted for state in states])),
        "us": 1e6 * statistics.median(spent),
    }


def estimators(body: LeggedBody) -> dict[str, ContactKalman]:
    """What is compared."""
    return {
        "contact": ContactKalman(body),
        "contact, floor known": ContactKalman(body, ground=lambda points: np.zeros(len(points))),
        "feet as points": ContactKalman(body, ContactKalmanSettings(rolling=0.0)),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Estimators of a floating base against ground truth")
    parser.add_argument("--robot", default="littledog")
    parser.add_argument("--period", type=float, default=0.002, help="of a tick [s]")
    parser.add_argument("--speed", type=float, help="default: 1.6 leg lengths a second [m/s]")
    parser.add_argument("--turn", type=float, default=0.4, help="[rad/s]")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--log", type=Path, help="a recorded run instead")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    robot = Robot.load(options.robot)
    robot = robot if options.log else standing(replace(robot, tick=options.period))
    body = four_legged(robot)
    speed = 1.6 * body.leg_length if options.speed is None else options.speed
    rows: list[dict[str, Any]] = []
    for seed in range(1 if options.log else options.seeds):
        if options.log:
            recording = logged(robot, options.log)
        else:
            recording = trotted(robot, speed, options.turn, options.seconds, seed)
        for name, estimator in estimators(body).items():
            rows.append({"estimator": name, "seed": seed} | judged(recording, estimator))
    if options.json:
        print(json.dumps({"robot": robot.name, "period": robot.tick, "rows": rows}))
        return
    print(f"{robot.title}, tick {1e3 * robot.tick:g} ms")
    names = [name for name in rows[0] if name not in ("estimator", "seed")]
    print(f"{'estimator':<22}{'seed':>5}" + "".join(f"{name:>12}" for name in names))
    for row in rows:
        print(f"{row['estimator']:<22}{row['seed']:>5}" + "".join(f"{row[name]:>12.4g}" for name in names))


if __name__ == "__main__":
    main()

"""What goes wrong in a run whose verdict is tried: worlds, joints, sensors and wishes, by name."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from andante.robots.robot import Robot

Change = Callable[[dict[str, Any], random.Random, Path, Robot], None]


def terrain(heights: Callable[[Any, Any], Any], size: float = 3.0) -> Change:
    """A fault that puts the robot on a map of its own: heights over x and y [m], for a robot whose legs are 1 long."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        leg = leg_of(robot)
        side = np.linspace(-0.5 * size, 1.5 * size, round(2.0 * size / 0.02) + 1)
        x, y = np.meshgrid(side, side, indexing="ij")
        path = folder / f"map-{rng.random():.12f}.npz"
        np.savez(path, heights=leg * heights(x / leg, y / leg), origin=(side[0], side[0]), spacing=side[1] - side[0])
        data["world"]["terrain"] = {"file": str(path)}

    return change


def leg_of(robot: Robot) -> float:
    """About how long the legs are [m]."""
    from andante.runs.evaluation.standing import standing_height

    return max(0.1, standing_height(robot))


def put(**world: Any) -> Change:
    """A fault that is one value of the world."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        data["world"] |= world

    return change


def joint(kind: str, **more: Any) -> Change:
    """A fault of one joint that bears."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        name = rng.choice([name for name in robot.joint_names if any(part in name.lower() for part in _LEG_JOINTS)])
        start = rng.uniform(0.3, 1.5)
        data["world"]["faults"] = [{"type": kind, "joints": [name], "start": start, **more}]

    return change


_LEG_JOINTS = ("knee", "pitch", "thigh", "calf", "j1", "j3", "lower", "upper", "shoulder")


def imu(kind: str, **more: Any) -> Change:
    """A fault of the IMU."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        data["world"]["faults"] = [{"type": kind, "start": rng.choice([0.0, 1.0]), **more}]

    return change


def pushed(share: float) -> Change:
    """A push by so much of the robot's weight times a second, to a side."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        mass, angle = float(robot.model.body_subtreemass[0]), rng.uniform(0.0, math.tau)
        impulse = (mass * share * math.cos(angle), mass * share * math.sin(angle), 0.0)
        data["world"]["pushes"] = [{"time": rng.uniform(1.0, 1.8), "duration": 0.1, "impulse": impulse}]

    return change


def loaded(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """A payload of half the robot's mass."""
    mass = float(robot.model.body_subtreemass[0]) * rng.uniform(0.2, 0.8)
    data["world"]["payload"] = {"mass": mass, "place": (0.0, 0.0, 0.05)}


def upside_down(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """Begins on its back or its side."""
    data["world"]["start"] = {**data["world"].get("start", {}), "roll": rng.choice([math.pi, 0.5 * math.pi])}


def faster(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """Asks for more speed."""
    factor = rng.uniform(1.5, 4.0)
    for change in data["controller"].get("steering", ()):
        change |= {name: factor * change[name] for name in ("forward", "lateral") if name in change}


def hurried(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """Too little time."""
    data["timeout"] = rng.uniform(0.8, 2.0)


def nothing(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """No fault."""


def sloped(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """A slope in any direction."""
    data["world"] |= {"slope": rng.uniform(0.05, 0.4), "slope_direction": rng.uniform(0.0, math.tau)}


FAULTS: dict[str, Change] = {
    "none": nothing,
    "wall": terrain(lambda x, y: np.where(x > 1.6, 1.5, 0.0)),
    "corridor": terrain(lambda x, y: np.where(np.abs(y) > 1.3, 1.0, 0.0)),
    "step": terrain(lambda x, y: np.where(x > 1.6, 0.3, 0.0)),
    "pit": terrain(lambda x, y: np.where((x > 1.5) & (x < 3.5), -1.5, 0.0)),
    "tiny world": terrain(lambda x, y: np.where((np.abs(x) < 1.6) & (np.abs(y) < 1.6), 0.0, -2.0)),
    "no friction": put(friction=0.01),
    "little friction": put(friction=0.25),
    "locked joint": joint("stuck"),
    "limp joint": joint("dead"),
    "weak joint": joint("weak", factor=0.3),
    "shifted encoder": joint("offset", angle=0.4),
    "held encoder": joint("dropped", reading="hold"),
    "weak servos": put(servo_strength=0.35),
    "payload": loaded,
    "small push": pushed(0.15),
    "hard push": pushed(1.5),
    "frozen imu": imu("imu_dropped", reading="hold"),
    "wrong imu": imu("imu_offset", rotation=(0.3, 0.2, 0.0)),
    "slope": sloped,
    "upside down": upside_down,
    "too fast": faster,
    "too short": hurried,
    "late commands": put(command_delay=12),
    "heavy world": put(gravity=(0.0, 0.0, -16.0)),
}
"""What goes wrong, by name."""

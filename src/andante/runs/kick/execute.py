"""Running a kick: document, postures, player, world, closest approach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from andante.backends.backend import Backend
from andante.backends.leglab.scene import SCENE, KickWorld
from andante.control.guard import Guard
from andante.control.kick.player import PositionPlayer, RatePlayer, whole_frames
from andante.kinematics.planar_chain import PlanarChain
from andante.motions.kicks.document import Kick
from andante.motions.kicks.postures import PosedKeyframe, pose_keyframes
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.errors import RunError
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.runner import run
from andante.runs.loop.tick import Observer
from andante.runs.session import Session

Physics = Literal["servos", "original", "corrected"]
PHYSICS: Mapping[Physics, str] = {
    "servos": "MuJoCo, position servos with torque limits",
    "original": "the exercise's own physics, its ankle reading 21.61 deg off",
    "corrected": "the exercise's own physics, ankle read right",
}
"""What moves the leg, by name."""
SHORTEST = 5.0
"""Every kick is watched for at least this long [s]."""


@dataclass(frozen=True, eq=False)
class KickRun:
    """What a kick did."""

    physics: Physics
    """What moved the leg."""
    target: tuple[float, float]
    """The target [m]."""
    distance: float
    """Smallest distance of the ball's centre from the target [m]."""
    time: float
    """When that was [s]."""
    nearest: tuple[float, float]
    """Where the ball was then [m]."""
    path: Vector
    """The ball's way, (n, 3): time [s], x, z [m]."""
    postures: Vector
    """Leg over time, (m, 4): time [s], joint angles [rad]; empty where not recorded."""
    keyframes: tuple[PosedKeyframe, ...]
    """Joint angles of the keyframes, with all solutions."""
    notes: tuple[str, ...]
    """What was not done as the document says."""
    chain: PlanarChain
    """The leg."""

    def data(self) -> dict[str, Any]:
        """The result for programs; angles in radians."""
        return {
            "physics": self.physics,
            "simulated": True,
            "target": list(self.target),
            "metrics": {
                "distance": self.distance,
                "time": self.time,
                "nearest": list(self.nearest),
                "display_cm": int(self.distance * 100.0),
                "duration": float(self.path[-1, 0]),
            },
            "keyframes": [
                {
                    "index": keyframe.index,
                    "duration": keyframe.duration,
                    "angles": keyframe.angles.tolist(),
                    "solutions": [{"angles": s.angles.tolist(), "problem": s.problem} for s in keyframe.solutions],
                }
                for keyframe in self.keyframes
            ],
            "notes": list(self.notes),
        }


def run_kick(
    kick: Kick, physics: Physics = "servos", *, target: tuple[float, float] | None = None, place: str = ""
) -> KickRun:
    """Run a kick to its end and measure how near the ball came to the target.

    Args:
        kick: The kick.
        physics: What moves the leg.
        target: Another target than the document's [m].
        place: Name of the document in messages.

    Raises:
        AndanteError: The kick, its target or its leg cannot be used; nothing has been simulated then.
    """
    world = kick_world(Robot.load(kick.robot), physics)
    keyframes = pose_keyframes(kick, world.chain, place)
    aim = kick.target if target is None else target
    SCENE.check_target(aim)
    return play(world, physics, keyframes, aim)


def kick_world(robot: Robot, physics: Physics) -> KickWorld:
    """The world for a kind of physics.

    Raises:
        RunError: There is no such physics.
        MissingPymunkError: It needs pymunk, which is not installed.
    """
    if physics == "servos":
        from andante.backends.leglab.servo_world import ServoWorld

        return ServoWorld(robot)
    if physics in ("original", "corrected"):
        from andante.backends.leglab.original_world import OriginalWorld

        return OriginalWorld(robot, physics)
    raise RunError("there is no such physics", value=physics, legal=PHYSICS)


def play(
    world: KickWorld,
    physics: Physics,
    keyframes: tuple[PosedKeyframe, ...],
    target: tuple[float, float],
    *,
    record: bool = True,
) -> KickRun:
    """Play keyframes in a world from its start.

    Args:
        world: The world; it is reset.
        physics: Its name.
        keyframes: What to play.
        target: Where the ball shall pass [m].
        record: Give the leg's postures, and go on when the ball has left the ground for good.

    Raises:
        AndanteError: A keyframe is shorter than a frame.
    """
    servos = physics == "servos"
    player = (PositionPlayer if servos else RatePlayer)(world.robot, keyframes, world.frame)
    # Servos do not cut durations and need part of one more frame per keyframe.
    played = sum(whole_frames(keyframe.duration, world.frame) + servos for keyframe in keyframes)
    frames = max(round(SHORTEST / world.frame), played)
    guard, limits = Guard(world.robot, world.frame), RunLimits(frames * world.frame, until_timeout=True)
    outcome = run(Session(world, player, guard, limits=limits, observers=() if record else (_Lost(world),)))
    notes = [note for keyframe in keyframes for note in keyframe.notes]
    notes += [f"guard: {event.text}" for event in outcome.interventions]
    if not servos:
        notes += _cut(keyframes, world.frame)
    path = world.ball_path
    distance, best = closest(path, target)
    return KickRun(
        physics=physics,
        target=target,
        distance=distance,
        time=float(path[best, 0]),
        nearest=(float(path[best, 1]), float(path[best, 2])),
        path=path,
        postures=world.postures if record else np.empty((0, 4)),
        keyframes=keyframes,
        notes=tuple(notes),
        chain=world.chain,
    )


class _Lost(Observer):
    """Ends a kick whose ball has left the ground for good."""

    def __init__(self, world: KickWorld) -> None:
        self._world = world

    def over(self, backend: Backend) -> bool:
        """Whether the ball cannot come back."""
        return self._world.lost


def closest(path: Vector, target: tuple[float, float]) -> tuple[float, int]:
    """Smallest distance of a ball's way, (n, 3), from a point [m], and the row at which it is."""
    gaps = np.hypot(path[:, 1] - target[0], path[:, 2] - target[1])
    best = int(np.argmin(gaps))
    return float(gaps[best]), best


def _cut(keyframes: tuple[PosedKeyframe, ...], frame: float) -> list[str]:
    """Keyframes whose duration the exercise cuts to whole frames."""
    kept = [(keyframe, whole_frames(keyframe.duration, frame) * frame) for keyframe in keyframes]
    return [
        f"keyframe {keyframe.index}: {keyframe.duration:g} s is cut to {cut:g} s"
        for keyframe, cut in kept
        if abs(cut - keyframe.duration) > 1e-9
    ]

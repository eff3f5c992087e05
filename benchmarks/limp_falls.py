"""How hard a humanoid falls that goes limp while it stands: what impacts of a get-up are compared with, in simulation.

    python benchmarks/limp_falls.py [--robot t1] [--seeds 10] [--first-seed 95000] [--timestep 0.002]

The standing robot is pushed forward, backward, to the left and to the right, and its servos let go at once. Told are
the hardest touches of floor and head, of floor and trunk, and between two of its own shapes, as the bench ``getup``
tells them: the median over seeds and the smallest and largest.
"""

from __future__ import annotations

import argparse
import math
import statistics

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push, Start, WorldConfig
from andante.robots.robot import Robot
from andante.search.observers.body_watch import Watch

DIRECTIONS = {"forward": 0.0, "left": math.pi / 2, "backward": math.pi, "right": -math.pi / 2}
"""Heading of the push [rad]."""
SPEED = 0.3
"""What the push adds to the speed of the centre of mass [m/s]: enough to choose the side, little beside the fall."""
NOISE = 0.1
"""Joints begin up to this far from the stand [rad]."""
SECONDS = 3.0
"""Time after the push [s]; all lie by then."""


def fall(robot: Robot, yaw: float, seed: int, timestep: float) -> dict[str, float]:
    """Hardest touches of one fall [N]: head, trunk, own parts, and of all."""
    mass = float(MujocoWorld(robot, WorldConfig()).model.body_mass.sum())
    push = Push(time=0.0, duration=0.1, impulse=(SPEED * mass, 0.0, 0.0), yaw=yaw)
    start = Start(posture="stand", posture_noise=NOISE)
    world = MujocoWorld(robot, WorldConfig(timestep=timestep, impacts=True, start=start, pushes=(push,)))
    world.reset(seed)
    watch = Watch(world)
    limp = robot.command()
    limp.position[:] = world.read().position
    for _ in range(round(SECONDS / robot.tick)):
        world.write(limp)
        world.advance(robot.tick)
        watch.see()
    if watch.stands:
        raise SystemExit(f"seed {seed}: the robot stands after {SECONDS:g} s")
    touches = {**watch.floor_touches, "own": watch.hardest}
    return {**touches, "hardest of all": max(touches.values())}


def main() -> None:
    """Fall and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", default="t1", help="name or path of a robot")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=95000)
    parser.add_argument("--timestep", type=float, default=0.002, help="physics step [s]")
    options = parser.parse_args()
    robot = Robot.load(options.robot)
    for name, yaw in DIRECTIONS.items():
        falls = [fall(robot, yaw, options.first_seed + each, options.timestep) for each in range(options.seeds)]
        parts = []
        for part in falls[0]:
            peaks = [each[part] for each in falls]
            parts.append(f"{part} {statistics.median(peaks):.0f} ({min(peaks):.0f} to {max(peaks):.0f}) N")
        print(f"{name}: {', '.join(parts)}, {len(falls)} falls", flush=True)


if __name__ == "__main__":
    main()

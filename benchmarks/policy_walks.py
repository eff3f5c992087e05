"""Learned walks in simulation: speeds and falls, pushes while standing, and the loop of walk, fall and get-up.

    python benchmarks/policy_walks.py walk --policy t1.yaml [--seeds 20] [--delay 0] [--workers 1] [--out walk.json]
    python benchmarks/policy_walks.py push --policy t1.yaml
    python benchmarks/policy_walks.py loop --policy t1.yaml --library t1 [--seeds 40]

walk: eight commands for 12 s each. push: 0.1 s in eight directions while the robot stands. loop: pushed while it walks,
each time harder until it falls; it catches itself, gets up by keyframes and walks on. Friction, strength of the servos,
sensor noise and the start posture differ from seed to seed. Every row is one run; all of it is in simulation.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.policies.files import load_policy
from andante.robots.robot import Robot
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.policies.check import start_posture
from andante.runs.policies.files import policy_path
from andante.runs.scenario_files import validated

COMMANDS = {
    "forward 0.4": (0.4, 0.0, 0.0),
    "forward 0.8": (0.8, 0.0, 0.0),
    "back 0.4": (-0.4, 0.0, 0.0),
    "left 0.3": (0.0, 0.3, 0.0),
    "right 0.3": (0.0, -0.3, 0.0),
    "turn left 1": (0.0, 0.0, 1.0),
    "turn right 1": (0.0, 0.0, -1.0),
    "forward 0.4, left 0.1, turn 0.5": (0.4, 0.1, 0.5),
}
"""Asked speeds; a policy's own ranges cut them."""
IMPULSES = {"t1": (15, 25, 35, 45, 55), "k1": (15, 25, 35, 45, 55), "nao": (1, 2, 3, 4, 5)}
FELLING = {"t1": (40, 60, 90, 130), "k1": (20, 30, 45, 70), "nao": (4, 6, 9, 13)}
"""Impulses of pushes [N s]; the heavier robots' those of policies.md."""
BEGIN, LONG = 1.0, 12.0
FALLEN, WALKS_ON, WAY = 0.5, 6.0, 0.4
"""Upright share below which a robot has fallen; how long [s] and how far [m] it must walk on."""
NOISE = {"position": 0.002, "velocity": 0.02, "orientation": 0.003, "gyro": 0.01, "accelerometer": 0.1, "force": 0.2}


def scenario(options: argparse.Namespace, controller: dict[str, Any], pushes: list[Any], long: float, seed: int) -> Any:
    """A run of the policy on a floor and a robot that the seed draws."""
    file = load_policy(policy_path(options.policy))
    robot = Robot.load(options.robot or file.contract.robot or "")
    limits: dict[str, float] = {}
    if options.tick is not None:
        robot, limits["tick"] = robot.at(options.tick), options.tick
    if options.delay is not None:
        limits["delay_ticks"] = options.delay
    world: dict[str, Any] = {
        "start": {"posture": start_posture(file, robot), "posture_noise": 0.01},
        "friction": [0.5, 1.0],
        "servo_strength": [0.9, 1.1],
        "noise": NOISE,
        "pushes": pushes,
    }
    if options.clean:
        world = {"start": {"posture": world["start"]["posture"]}, "pushes": pushes}
    data: dict[str, Any] = {
        "format": "andante.scenario",
        "version": 1,
        "name": "policy",
        "robot": options.robot or file.contract.robot,
        "controller": controller,
        "world": world,
        "seed": seed,
        "timeout": long,
        "success": {"finishes": False, "no_fall": False, "steering": None},
    }
    return validated(data | ({"limits": limits} if limits else {}))


def walked(
    options: argparse.Namespace, steering: list[Any], pushes: list[Any], long: float, seed: int
) -> dict[str, Any]:
    """One walk: whether it fell, and its mean speeds in the body's level frame over the last eight seconds."""
    controller = {"type": "policy", "policy": options.policy, "steering": steering}
    document = scenario(options, controller, pushes, long, seed)
    session = session_of(document, build(document))
    speeds, fell = [], None
    with session:
        while session.ending is None:
            session.step()
            truth = session.backend.truth()
            up, yaw = posture(truth["qpos"])
            vx, vy = truth["qvel"][:2].tolist()
            if session.time > long - 8.0:
                speeds.append(
                    (
                        math.cos(yaw) * vx + math.sin(yaw) * vy,
                        math.cos(yaw) * vy - math.sin(yaw) * vx,
                        float(truth["qvel"][5]),
                    )
                )
            if up < FALLEN:
                fell = session.time
                break
    mean = np.mean(speeds, axis=0).tolist() if speeds else [math.nan] * 3
    guard = sum(int(event.data.get("ticks", 0)) for event in session.guard.summary())
    return {"seed": seed, "fell": fell, "speed": mean, "guard": guard}


def posture(qpos: Any) -> tuple[float, float]:
    """Upright share and heading of a base."""
    w, x, y, z = qpos[3:7].tolist()
    return 1.0 - 2.0 * (x * x + y * y), math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def looped(options: argparse.Namespace, seed: int) -> dict[str, Any]:
    """One loop: pushed ever harder until it falls; then it has to walk on."""
    random = np.random.default_rng([seed, 33])
    when, direction = float(random.uniform(4.0, 6.0)), float(random.uniform(-math.pi, math.pi))
    for impulse in FELLING[robot_of(options)]:
        found = loop_run(options, seed, when, direction, float(impulse))
        if found["fell"] is not None:
            break
    return found | {"seed": seed, "impulse": impulse, "direction": direction, "when": when}


def loop_run(options: argparse.Namespace, seed: int, when: float, direction: float, impulse: float) -> dict[str, Any]:
    """One run of the loop with one push; it ends where the push does not fell the robot, or once it walks on."""
    push = {
        "time": when,
        "duration": 0.1,
        "impulse": [impulse * math.cos(direction), impulse * math.sin(direction), 0.0],
    }
    controller = {
        "type": "sequence",
        "begin": "walk",
        "steering": [{"time": BEGIN, "forward": options.speed}],
        "parts": {
            "walk": {
                "controller": {"type": "policy", "policy": options.policy},
                "ways": [{"to": "up", "when": ["falls"]}, {"to": "up", "when": ["lies"], "held": 0.3}],
            },
            "up": {
                "controller": {"type": "keyframes", "library": options.library, "get_up": True},
                "ways": [{"to": "walk", "when": ["done", "upright", "calm"], "blend": 0.3}],
            },
        },
    }
    document = scenario(options, controller, [push], when + 40.0, seed)
    fell, walking_since, place, falls, met, tries = None, None, None, 0, False, 0
    down = False
    with session_of(document, build(document)) as session:
        while session.ending is None:
            tick = session.step()
            truth = session.backend.truth()
            up, _ = posture(truth["qpos"])
            if up < FALLEN and not down:
                down, falls = True, falls + 1
                fell, walking_since = fell or session.time, None
            elif up > 0.9:
                down = False
            for event in tick.events:
                if str(event.kind) == "part" and event.data["part"] == "walk" and fell is not None:
                    walking_since, place = session.time, truth["qpos"][:2].copy()
                elif str(event.kind) == "part" and event.data["part"] == "up":
                    walking_since, met = None, True
                elif str(event.kind) == "motion" and str(event.data["motion"]).startswith("recover"):
                    tries += 1
            if fell is None and session.time > when + 3.0:
                break
            if walking_since is not None and session.time >= walking_since + WALKS_ON:
                way = float(np.linalg.norm(truth["qpos"][:2] - place))
                return {
                    "fell": fell,
                    "on": way > WAY,
                    "way": way,
                    "falls": falls,
                    "tries": tries,
                    "met": met,
                    "end": session.time,
                }
        ending = str(session.ending)
    return {"fell": fell, "on": False, "way": 0.0, "falls": falls, "tries": tries, "met": met, "ending": ending}


def robot_of(options: argparse.Namespace) -> str:
    """Name of the robot."""
    return options.robot or str(load_policy(policy_path(options.policy)).contract.robot)


def trial(job: tuple[argparse.Namespace, str, Any, int]) -> dict[str, Any]:
    """One run of a kind."""
    options, kind, what, seed = job
    if kind == "walk":
        steering = [dict(zip(("forward", "lateral", "turn"), COMMANDS[what], strict=True)) | {"time": BEGIN}]
        return {"command": what, **walked(options, steering, [], BEGIN + LONG, seed)}
    if kind == "push":
        impulse, number = what
        direction = number * math.pi / 4.0
        push = {
            "time": 2.0,
            "duration": 0.1,
            "impulse": [impulse * math.cos(direction), impulse * math.sin(direction), 0.0],
        }
        return {
            "impulse": impulse,
            "direction": number,
            **walked(options, [{"time": 100.0, "forward": 0.1}], [push], 7.0, seed),
        }
    return looped(options, seed)


def jobs_of(options: argparse.Namespace) -> list[Any]:
    """All runs of a kind."""
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    if options.kind == "walk":
        whats: list[Any] = [name for name in COMMANDS if options.only in ("", name)]
    elif options.kind == "push":
        whats = [(impulse, number) for impulse in IMPULSES[robot_of(options)] for number in range(8)]
    else:
        whats = [None]
    return [(options, options.kind, what, seed) for what in whats for seed in seeds]


def told(kind: str, rows: list[dict[str, Any]]) -> list[str]:
    """What came out, for people."""
    if kind == "walk":
        lines = []
        for name in dict.fromkeys(row["command"] for row in rows):
            mine = [row for row in rows if row["command"] == name]
            stood = [row for row in mine if row["fell"] is None]
            speeds = (
                [statistics.mean(row["speed"][axis] for row in stood) for axis in range(3)] if stood else [math.nan] * 3
            )
            lines.append(
                f"{name:<34} stood {len(stood)}/{len(mine)}  "
                + ", ".join(f"{speed:.3f}" for speed in speeds)
                + f"  guard {statistics.mean(row['guard'] for row in mine):.1f} ticks"
            )
        return lines
    if kind == "push":
        sizes = list(dict.fromkeys(row["impulse"] for row in rows))
        return [
            f"{size} N s: {sum(row['fell'] is None for row in rows if row['impulse'] == size)}"
            f" of {sum(row['impulse'] == size for row in rows)} stood"
            for size in sizes
        ]
    fallen = [row for row in rows if row["fell"] is not None]
    on = sum(row["on"] for row in fallen)
    first = sum(row["on"] and row["falls"] == 1 for row in fallen)
    return [f"{len(fallen)} of {len(rows)} fell; {on} walked on, {first} of them without a second fall"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("walk", "push", "loop"))
    parser.add_argument("--policy", required=True, help="contract, or the name of a shipped policy")
    parser.add_argument("--robot", default=None, help="robot; default: the contract's")
    parser.add_argument("--library", default="", help="motions with which it gets up (loop)")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only this command (walk)")
    parser.add_argument("--speed", type=float, default=0.2, help="asked speed forward in the loop [m/s]")
    parser.add_argument("--tick", type=float, default=None, help="motion cycle of the robot in the run [s]")
    parser.add_argument("--delay", type=int, default=None, help="ticks from a command to the servos")
    parser.add_argument("--clean", action="store_true", help="no noise, no draws: friction 0.8, servos as they are")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=None, help="write all rows as JSON")
    options = parser.parse_args()
    begun, jobs = time.perf_counter(), jobs_of(options)
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(options.workers) as pool:
        for row in pool.map(trial, jobs) if options.workers > 1 else map(trial, jobs):
            rows.append(row)
            print(f"{len(rows)}/{len(jobs)}", file=sys.stderr, end="\r")
    print("\n".join(told(options.kind, rows)))
    print(f"{len(rows)} runs in {time.perf_counter() - begun:.0f} s, in simulation")
    if options.out is not None:
        options.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()

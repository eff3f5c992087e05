"""The learned get-up of arXiv 2512.12230 in simulation: in its own environment, and in the trials of the get-up board.

    python benchmarks/unified_get_up.py own --models FOLDER [--seeds 30] [--late-gyro]
    python benchmarks/unified_get_up.py contract --models FOLDER --robot op3_rot [--height true] --out net.yaml
    python benchmarks/unified_get_up.py board --models FOLDER --robot op3_rot [--height true] [--seeds 50]
        [--first-seed 200000] [--spread noisy] [--start front,back] [--out rows.jsonl]

FOLDER has the open artifact's network `unified-get-up.onnx` and models. own: written anew from the artifact's code, no
noise, no delay, five seconds, drops from any pitch with any joint angles. There the list of past gyro readings holds
one view of MuJoCo's sensor again and again, so that the network saw the gyro of now and not of 50 ms ago;
`--late-gyro` gives it what was meant. board: one try of ten seconds; `stands` is the board's verdict, `own` the
artifact's: the head within a fifth of its nominal height over the feet after five seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import yaml

from andante.control.policies.network import PolicyNetwork
from andante.runs.execute import session_of
from andante.runs.loop.tick import Observer, Tick
from andante.search.experiment.cases import groups_of
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import asked_of, options_of
from andante.search.experiment.trial import beginning, looked_at, observers_of, parts_of
from andante.search.suite import read_options

NOMINAL = {"op3_rot": 0.49199, "sigmaban": 0.67, "bez1": 0.48083660868911876}
"""Heights of the head over the feet that count as standing, of the artifact [m]."""
JOINTS = ("elbow", "shoulder_pitch", "hip_pitch", "knee", "ankle_pitch")
NETWORK, FASTEST, STEP, CALL, LONG = "unified-get-up.onnx", 2.0 * math.pi, 0.002, 0.05, 5.0
WITHIN, INWARD, BELOW = 0.2, math.radians(5.0), -10.0
"""Share of the nominal height; how far the artifact moves the arms inward; what it tells of a head below the feet."""


def contract(models: Path, robot: str, height: str = "measured") -> dict[str, Any]:
    """The network's contract on one of the robots, ranges and gains from its model file."""
    model = mujoco.MjModel.from_xml_path(str(models / f"{robot}.xml"))
    network = models / NETWORK
    own = [model.actuator(f"left_{name}") for name in JOINTS]
    others = {
        f"{side}_shoulder_roll": sign * INWARD
        for side, sign in (("left", -1.0), ("right", 1.0))
        if f"{side}_shoulder_roll" in [model.joint(i).name for i in range(model.njnt)]
    }
    truth = height == "true"
    return {
        "format": "andante.policy",
        "version": 1,
        "name": "unified-get-up",
        "robot": robot,
        "model": str(network),
        "sha256": hashlib.sha256(network.read_bytes()).hexdigest(),
        "inputs": [{"name": "observations", "size": 27}],
        "outputs": [{"name": "Identity_1:0", "size": 5}],
        "rate": 1.0 / CALL,
        "physics_step": STEP,
        "joints": [f"left_{name}" for name in JOINTS],
        "followers": {f"right_{name}": {"of": f"left_{name}"} for name in JOINTS},
        "default_posture": 0,
        "action": {
            "kind": "speed",
            "scale": FASTEST,
            "offset": 0,
            "clip": [-1, 1],
            "range": [each.ctrlrange.tolist() for each in own],
        },
        "kp": [float(each.gainprm[0]) for each in own],
        # The joints' damping is the model's own.
        "kd": 0,
        "torque_limits": [float(each.forcerange[1]) for each in own],
        "every_term": {"frame": "imu", "offset": 0, "scale": 1, "clip": "none", "delay": 0, "history": 1},
        "observations": [
            {"name": "joint_position"},
            # The artifact divides the way of fourteen steps by the time of fifteen.
            {"name": "joint_position", "over": 0.03, "scale": 14 / 15},
            {"name": "joint_target"},
            {"name": "tilt_angles", "delay": 0.05},
            {"name": "gyro"},
            {
                "name": "true_site_height" if truth else "site_height",
                "site": "camera",
                "above": ["left_foot", "right_foot"],
                "if_negative": BELOW,
                "delay": 0.05,
            },
            {"name": "last_action", "scale": FASTEST},
        ],
        "others": {"angles": others, "stiffness": 1},
        "start": "stand",
        "licence": "MIT",
        "ground_truth": truth,
    }


class OwnEnvironment:
    """The artifact's environment: one robot, MuJoCo's own actuators, no noise.

    Args:
        models: Folder of the artifact's files.
        robot: Name of the robot.
        late_gyro: Whether the gyro is 50 ms old.
    """

    def __init__(self, models: Path, robot: str, *, late_gyro: bool) -> None:
        spec = mujoco.MjSpec.from_file(str(models / f"{robot}.xml"))
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05])
        spec.option.timestep = STEP
        self.model, self.nominal = spec.compile(), NOMINAL[robot]
        self.data, self.late_gyro = mujoco.MjData(self.model), late_gyro
        self.network = PolicyNetwork(models / NETWORK)
        model = self.model
        self.left = [model.actuator(f"left_{name}").id for name in JOINTS]
        self.right = [model.actuator(f"right_{name}").id for name in JOINTS]
        self.low, self.high = model.actuator_ctrlrange[self.left].T
        self.places = [int(model.jnt_qposadr[model.joint(f"left_{name}").id]) for name in JOINTS]

    def height(self) -> float:
        """Height of the head over the feet [m]."""
        place = [float(self.data.site(name).xpos[2]) for name in ("camera", "left_foot", "right_foot")]
        found = place[0] - 0.5 * (place[1] + place[2])
        return found if found >= 0.0 else BELOW

    def tilt(self) -> np.ndarray:
        """Roll, pitch and yaw of the trunk, (3,) [rad]."""
        turn = self.data.site("trunk").xmat
        return np.array([math.atan2(turn[7], turn[8]), -math.atan2(turn[6], turn[8]), math.atan2(turn[3], turn[0])])

    def command(self, angles: np.ndarray) -> None:
        """Send both sides to the same angles."""
        self.data.ctrl[self.left] = self.data.ctrl[self.right] = angles

    def drop(self, random: np.random.Generator) -> None:
        """Let the robot fall with any joint angles from any pitch, and come to rest."""
        mujoco.mj_resetData(self.model, self.data)
        self.command(np.clip(random.uniform(-math.pi, math.pi, len(JOINTS)), self.low, self.high))
        mujoco.mj_step(self.model, self.data)
        half = 0.5 * random.uniform(-0.5 * math.pi, 0.5 * math.pi)
        self.data.qpos[:7] = [0.0, 0.0, 0.4, math.cos(half), 0.0, math.sin(half), 0.0]
        self.data.qvel[:] = 0.0
        for _ in range(round(2.0 / STEP)):
            mujoco.mj_step(self.model, self.data)

    def run(self, seed: int) -> dict[str, Any]:
        """One episode."""
        random = np.random.default_rng([7, seed])
        self.drop(random)
        data, late, speed = self.data, round(0.05 / STEP), round(0.03 / STEP)
        pitch = float(self.tilt()[1])
        side = "front" if pitch > math.pi / 6 else "back" if pitch < -math.pi / 6 else "up"
        ratio = random.uniform(0.98, 1.02)
        for name, sign in (("left_shoulder_roll", -1.0), ("right_shoulder_roll", 1.0)):
            if name in [self.model.actuator(i).name for i in range(self.model.nu)]:
                data.ctrl[self.model.actuator(name).id] = sign * INWARD
        angles = [data.qpos[self.places].copy()] * speed
        tilts, heights = [self.tilt()] * late, [self.height()] * late
        gyros = [data.sensor("gyro").data.copy()] * late
        last, time, held = np.zeros(len(JOINTS)), 0.0, 0.0
        steps = round(ratio * CALL / STEP)
        while time <= LONG:
            begin = data.ctrl[self.left].copy()
            gyro = gyros[0 if self.late_gyro else -1]
            speeds = (angles[-1] - angles[0]) / (speed * STEP)
            last = FASTEST * self.network(
                np.concatenate([angles[-1], speeds, begin, tilts[0], gyro, [heights[0]], last])
            )
            end = np.clip(begin + last * CALL, self.low, self.high)
            for step in range(steps):
                self.command(begin + (step + 1) / steps * (end - begin))
                mujoco.mj_step(self.model, data)
                angles.append(data.qpos[self.places].copy())
                tilts.append(self.tilt())
                heights.append(self.height())
                gyros.append(data.sensor("gyro").data.copy())
            time += steps * STEP
            angles, tilts, heights, gyros = angles[-speed:], tilts[-late:], heights[-late:], gyros[-late:]
            up = abs(heights[-1] - self.nominal) < WITHIN * self.nominal
            held = held + steps * STEP if up else 0.0
        return {"side": side, "own": bool(up), "held": held >= 1.0}


class HeadWatch(Observer):
    """How high the head is over the feet, tick by tick.

    Args:
        world: The simulated world.
    """

    def __init__(self, world: Any) -> None:
        self.world, self.rows = world, list[tuple[float, float]]()

    def see(self, tick: Tick) -> None:
        """Look at the world."""
        head, left, right = (
            float(self.world.data.site(name).xpos[2]) for name in ("camera", "left_foot", "right_foot")
        )
        self.rows.append((self.world.time, head - 0.5 * (left + right)))

    def reached(self, nominal: float) -> bool:
        """Whether the head is high enough after five seconds, or at the end of a trial that is over before."""
        last = [each for time, each in self.rows if time <= LONG + 1e-9][-1]
        return abs(last - nominal) < WITHIN * nominal


def board(options: argparse.Namespace) -> None:
    """The network in the trials of the get-up board."""
    kind, total = EXPERIMENTS["getup-board"], Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.yaml"
        path.write_text(yaml.safe_dump(contract(options.models, options.robot, options.height), sort_keys=False))
        for start in options.start.split(","):
            asked = {
                "entrant": "policy",
                "policy": str(path),
                "robot": str(options.models / f"{options.robot}.xml"),
                "start": start,
                "spread": options.spread,
                "step": options.step,
                "ground_truth": True if options.height == "true" else None,
                "values": ("observers.get-up.tries=1", *options.set),
            }
            (group,) = groups_of(asked_of(kind, read_options(options_of(kind), asked)))
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                scenario, drawn = group.setup.scenario(seed)
                parts = parts_of(scenario)
                seen = observers_of(group.setup, scenario, parts)
                head = HeadWatch(parts.backend)
                session = session_of(scenario, parts, observers=[*beginning(drawn, parts), *seen.values(), head])
                trial = looked_at(session, seen, drawn)
                own = head.reached(NOMINAL[options.robot])
                told = trial.metrics["get-up"]
                row = {"robot": options.robot, "height": options.height, "spread": options.spread, "start": start}
                row |= {"seed": seed, "stands": told["stood"], "own": own, "time": told["time"]}
                row |= {"asked_speed": told["asked_speed"], "head": told["head"], "trunk": told["trunk"]}
                if options.out is not None:
                    with options.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
                total.update({f"{start} {name}": int(row[name]) for name in ("stands", "own")})
            told_row = ", ".join(f"{name} {total[f'{start} {name}']}" for name in ("stands", "own"))
            print(f"{options.robot} {start}, {options.height} height, {options.spread}: {told_row} of {options.seeds}")


def own(options: argparse.Namespace) -> None:
    """The network in its own environment."""
    for robot in options.robot.split(",") if options.robot else NOMINAL:
        environment = OwnEnvironment(options.models, robot, late_gyro=options.late_gyro)
        rows = [environment.run(seed) for seed in range(options.first_seed, options.first_seed + options.seeds)]
        sides = ", ".join(
            f"{side} {sum(row['own'] for row in rows if row['side'] == side)} of "
            f"{sum(row['side'] == side for row in rows)}"
            for side in ("front", "back", "up")
        )
        gyro = "gyro of 50 ms ago" if options.late_gyro else "gyro of now"
        print(
            f"{robot}, {gyro}: own {sum(row['own'] for row in rows)}, held {sum(row['held'] for row in rows)} "
            f"of {len(rows)}; {sides}",
            flush=True,
        )


def main() -> None:
    """Read the command, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("own", "board", "contract"))
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--robot", default="")
    parser.add_argument("--height", choices=("measured", "true"), default="measured")
    parser.add_argument("--late-gyro", action="store_true")
    parser.add_argument("--start", default="front,back")
    parser.add_argument("--spread", default="noisy")
    parser.add_argument("--step", type=float, default=0.001)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.what == "own":
        own(options)
    elif options.what == "board":
        board(options)
    else:
        text = yaml.safe_dump(contract(options.models, options.robot, options.height), sort_keys=False)
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

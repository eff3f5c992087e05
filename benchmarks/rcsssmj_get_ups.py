"""Get-ups of T1 and K1 in another program's physics: rcsssmj, with its own contacts, steps, limits and sensors.

rcsssmj wants another version of MuJoCo than Andante, so that it runs in a process of its own, of an environment of its
own, and answers over a pipe: 20 ms per answer, four steps of 5 ms. Robot, servos (PD within the model's torque limits),
contacts and sensors (cut off at 0.01 degrees, orientation at 0.001) are its own; the referee is left out. Robots begin
as Andante lays them down, at rest, from the same seed; commands act one cycle late, which is 20 ms.

    python benchmarks/rcsssmj_get_ups.py --python RCSS/bin/python --robot t1 --start front,back,left,right --seeds 50
    python benchmarks/rcsssmj_get_ups.py --python RCSS/bin/python --robot t1 --pairs

`--pairs` compares verdicts: every seed also in Andante's physics, at gains that are too low (`--gains`) for motions
whose verdicts are mixed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

CYCLE = 0.02
LONGEST, HOLD = 30.0, 2.0
FRICTION = 0.7


def worker(model_name: str) -> None:
    """Answer lines of JSON; runs in the environment of rcsssmj and knows nothing of Andante."""
    import mujoco
    import numpy as np
    from rcsssmj.games.soccer.sim.soccer_sim import SoccerSimulation
    from rcsssmj.games.soccer.soccer_fields import create_soccer_field
    from rcsssmj.sim.actions import InitRequest

    # MuJoCo writes its warnings where the answers go.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    simulation = SoccerSimulation(create_soccer_field("fifa"))
    simulation.init()
    simulation.step([])
    (agent,) = simulation.add_players([InitRequest(model_name, "andante", 2)])
    model, data, prefix = simulation.mj_model, simulation.mj_data, agent.agent_id.prefix
    motors = {}
    for number in range(model.nu):
        name = model.actuator(number).name
        if name.startswith(prefix) and name.endswith("_tau"):
            joint = model.joint(int(model.actuator_trnid[number, 0])).name.removeprefix(prefix)
            motors[joint] = name.removesuffix("_tau")
    base = model.body(agent.root_body_name)
    free = int(model.jnt_qposadr[int(base.jntadr[0])])
    sensed = {}
    for spec in agent.spec.sensors:
        if spec.type == mujoco.mjtSensor.mjSENS_JOINTPOS:
            sensed[spec.name.removeprefix(prefix)] = spec.objname.removeprefix(prefix)
    for line in sys.stdin:
        asked = json.loads(line)
        if "lie" in asked:
            mujoco.mj_resetData(model, data)
            data.qpos[free : free + 7] = [3.0, 3.0, asked["lie"][2], *asked["lie"][3:7]]
            for joint, angle in asked["joints"].items():
                data.joint(prefix + joint).qpos[0] = angle
            data.ctrl[:] = 0.0
            for motor in motors.values():
                simulation.ctrl_motor(motor, 0.0, 0.0, 0.0, 0.0, 0.0)
            mujoco.mj_forward(model, data)
        else:
            for joint, (q, dq, kp, kd, tau) in asked["motors"].items():
                simulation.ctrl_motor(motors[joint], q, dq, kp, kd, tau)
            mujoco.mj_step(model, data, simulation.n_substeps)
        simulation.generate_perceptions(gen_vision=False)
        answer = {"up": float(data.xmat[base.id][8]), "height": float(data.xpos[base.id][2])}
        for each in agent.perceptions:
            kind = type(each).__name__
            if kind == "JointStatePerception":
                joints = [sensed[name] for name in each.joint_names]
                answer["position"] = dict(zip(joints, np.radians(each.joint_axs).tolist(), strict=True))
                answer["velocity"] = dict(zip(joints, np.radians(each.joint_vxs).tolist(), strict=True))
            elif kind == "GyroPerception":
                answer["gyro"] = np.radians([each.rx, each.ry, each.rz]).tolist()
            elif kind == "OrientationPerception":
                answer["orientation"] = [each.qw, each.qx, each.qy, each.qz]
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class Foreign:
    """A world of rcsssmj behind a pipe."""

    def __init__(self, python: Path, model_name: str) -> None:
        command = [str(python), str(Path(__file__).resolve()), "--worker", model_name]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **question: object) -> dict:
        """One question and its answer."""
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("rcsssmj ended; is it installed in the environment of --python?")
        return json.loads(line)

    def close(self) -> None:
        """End it."""
        self._process.stdin.close()
        self._process.wait(timeout=10.0)


class GetUp:
    """What the same controller does in either world: tries, and whether the robot stood for two seconds."""

    def __init__(self, robot, library, gains: float) -> None:
        from andante.control.keyframes.configuration import MotionRequest
        from andante.control.keyframes.engine import KeyframeEngine
        from andante.runs.evaluation.standing import Standing

        self.robot, self.gains = robot, gains
        self.engine = KeyframeEngine(robot, library, MotionRequest(None))
        self.rule = Standing.of(robot)
        self.begin()

    def begin(self) -> None:
        """A new trial."""
        self.engine.reset()
        self.breaks, self.up_since, self.time, self.stood = [], None, 0.0, False

    def step(self, sensors):
        """This cycle's command."""
        command = self.engine.step(sensors)
        for event in self.engine.take_events():
            if str(event.kind) == "break_up":
                self.breaks.append(event.text)
        command.kp[:] *= self.gains
        command.kd[:] *= self.gains
        return command

    def over(self, up: float, height: float) -> bool:
        """Look at the world after a cycle; whether the trial is over: one try each."""
        self.time += CYCLE
        if self.breaks:
            return True
        if not (self.engine.done and self.rule.holds(up, height)):
            self.up_since = None
            return self.time > LONGEST
        self.up_since = self.time if self.up_since is None else self.up_since
        self.stood = self.time - self.up_since >= HOLD
        return self.stood or self.time > LONGEST


def abroad(foreign: Foreign, world, trial: GetUp, seed: int) -> bool:
    """One trial in rcsssmj."""
    robot = trial.robot
    world.reset(seed)
    free, names = world.data.qpos[:7].tolist(), robot.joint_names
    angles = {name: float(world.data.joint(name).qpos[0]) for name in names}
    seen, waiting = foreign.ask(lie=free, joints=angles), None
    trial.begin()
    while True:
        sensors = robot.sensors()
        sensors.vector[0] = trial.time
        sensors.position[:] = [seen["position"][name] for name in names]
        sensors.velocity[:] = [seen["velocity"][name] for name in names]
        sensors.gyro[:], sensors.orientation[:] = seen["gyro"], seen["orientation"]
        sensors.health[:] = 1.0
        command = trial.step(sensors)
        rows = zip(command.position, command.velocity, command.kp, command.kd, command.torque, strict=True)
        new = {name: [float(value) for value in row] for name, row in zip(names, rows, strict=True)}
        seen, waiting = foreign.ask(motors=waiting or {}), new
        if trial.over(seen["up"], seen["height"]):
            return trial.stood


def at_home(world, trial: GetUp, seed: int) -> bool:
    """The same trial in Andante's physics."""
    world.reset(seed)
    trial.begin()
    base = world.model.body(world.robot.base_body).id
    while True:
        world.write(trial.step(world.read()))
        world.advance(CYCLE)
        if trial.over(float(world.data.xmat[base][8]), float(world.data.xpos[base][2])):
            return trial.stood


def main() -> None:
    """Tables of trials."""
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", type=Path, required=True, help="interpreter of the environment that has rcsssmj")
    parser.add_argument("--robot", choices=("t1", "k1"), required=True)
    parser.add_argument("--start", default="front,back,left,right")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=63000)
    parser.add_argument("--pairs", action="store_true", help="each seed in both worlds")
    parser.add_argument("--gains", type=float, default=1.0, help="factor on all gains")
    parser.add_argument("--library", default="")
    asked = parser.parse_args()

    from andante.backends.mujoco_world import MujocoWorld
    from andante.backends.world import Start, WorldConfig
    from andante.motions.fitting import fitting
    from andante.robots.robot import Robot
    from andante.runs.motion_libraries import bind_file, library_path
    from andante.runs.scenario_files import LYING

    robot = Robot.load(asked.robot)
    library = bind_file(library_path(asked.library or asked.robot), robot).library
    trial = GetUp(robot, fitting(library, robot, ("recoverGeneric", "stand")), asked.gains)
    foreign = Foreign(asked.python, asked.robot.upper())
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    pairs: Counter[tuple[bool, bool]] = Counter()
    for side in asked.start.split(","):
        start = Start(lying=LYING[side])
        world = MujocoWorld(robot, WorldConfig(timestep=0.002, friction=FRICTION, start=start, impacts=False))
        stood, times, why = 0, [], Counter()
        for seed in seeds:
            there = abroad(foreign, world, trial, seed)
            stood += there
            times += [trial.time - HOLD] if there else []
            why.update([] if there else trial.breaks or ["time was over"])
            if asked.pairs:
                pairs[there, at_home(world, trial, seed)] += 1
        median = sorted(times)[len(times) // 2] if times else math.nan
        causes = "; ".join(f"{text} x {count}" for text, count in why.most_common())
        print(f"{asked.robot} {side}: {stood} of {len(seeds)} in rcsssmj, median {median:.2f} s; {causes}", flush=True)
    if asked.pairs:
        agree = pairs[True, True] + pairs[False, False]
        print(
            f"both stand {pairs[True, True]}, neither {pairs[False, False]}, only in rcsssmj {pairs[True, False]}, "
            f"only here {pairs[False, True]}: agree in {agree} of {sum(pairs.values())}"
        )
    foreign.close()


if __name__ == "__main__":
    main()

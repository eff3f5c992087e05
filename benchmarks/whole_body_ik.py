"""Whole-body inverse kinematics against mink and pink, in one run: the same robot, targets, start and stopping rule.

    python benchmarks/whole_body_ik.py nao t1/robot.xml go2/go2.xml --targets 200 --seed 40000

Targets are made by forward kinematics of random postures whose feet a plain Newton iteration has put on the places
where they stand at the start. Peers take full steps with daqp until place and feet are within 0.1 mm, 60 at most: once
with feet as constraints, once as tasks of large weight. Then starts beyond the limits, and drags of targets in and out
of reach with the motion per event capped. Times are processor time of this thread.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.kinematics.forward import Kinematics
from andante.kinematics.whole_body import WholeBodyIk
from andante.kinematics.whole_body_problem import Configuration, FixedFrame, PositionTask, feet_fixed
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, from_matrix, log, multiply, to_matrix
from andante.studio.dragging import dragged, warm
from andante.studio.messages import Drag

Array = NDArray[np.float64]
NEAR = 1e-4
"""Reached and kept within this [m]."""
STEPS = 60
MOST = math.radians(15.0)
EVENTS, PATHS = 25, 8


@dataclass(frozen=True)
class Scene:
    """A robot on its feet, and a frame that is dragged."""

    robot: Robot
    start: Configuration
    fixed: tuple[FixedFrame, ...]
    frame: str
    places: tuple[tuple[Array, Array], ...]
    """Position and orientation (wxyz) of each fixed frame."""


def scene_of(robot: Robot, frame: str) -> Scene:
    """The robot's stand, feet on the ground."""
    kinematics = Kinematics(robot)
    joints = np.clip(robot.posture("stand"), robot.lower, robot.upper)
    kinematics.update(joints)
    position = np.array([0.0, 0.0, -min(kinematics.pose(foot.site)[0][2] for foot in robot.feet)])
    kinematics.update(joints, position)
    places = [kinematics.pose(foot.site) for foot in robot.feet]
    fixed = feet_fixed(robot)
    return Scene(robot, Configuration(joints, position), fixed, frame, tuple((p, from_matrix(r)) for p, r in places))


def frames_of(robot: Robot) -> list[str]:
    """Hands where there are some, and the trunk."""
    model = robot.model
    names = [model.site(i).name for i in range(model.nsite)] + [model.body(i).name for i in range(1, model.nbody)]
    hands = sorted({name for name in names if name.startswith(("left_hand", "right_hand"))})
    return [*hands, robot.base_body]


def feet_error(scene: Scene, kinematics: Kinematics) -> Array:
    """What the fixed frames are away from their places, [m] and [rad], in a row."""
    rows = []
    for each, (place, turn) in zip(scene.fixed, scene.places, strict=True):
        position, rotation = kinematics.pose(each.frame)
        rows.append(place - position)
        if not each.turns:
            rows.append(log(multiply(turn, from_matrix(rotation.T))))
    return np.concatenate(rows)


def random_postures(scene: Scene, seed: int) -> Iterator[Configuration]:
    """Postures within the limits with the feet on their places, by Newton steps from random ones."""
    robot, rng, kinematics = scene.robot, np.random.default_rng(seed), Kinematics(scene.robot)
    leaders = [robot.index(joint.follows) if joint.follows else n for n, joint in enumerate(robot.joints)]
    motors = np.array([n for n, leader in enumerate(leaders) if n == leader])
    size = scene.start.base_position[2]
    while True:
        joints = rng.uniform(robot.lower, robot.upper)[leaders]
        position = scene.start.base_position + rng.normal(size=3) * 0.12 * size
        orientation = exp(rng.normal(size=3) * 0.2)
        for _ in range(40):
            kinematics.update(joints, position, orientation)
            error = feet_error(scene, kinematics)
            if np.abs(error).max() < 1e-10:
                yield Configuration(joints, position, orientation)
                break
            rows = [kinematics.jacobian(f.frame)[: 3 if f.turns else 6] for f in scene.fixed]
            step = np.linalg.pinv(np.vstack(rows) @ kinematics.coupling, rcond=1e-6) @ error
            step *= min(1.0, 0.5 / np.abs(step).max())
            position = position + step[:3]
            orientation = multiply(orientation, exp(step[3:6]))
            joints = joints.copy()
            joints[motors] += step[6:]
            joints = np.clip(joints, robot.lower, robot.upper)[leaders]


@dataclass
class Told:
    """What a solver did, target by target."""

    seconds: list[float]
    reached: int = 0
    drift: float = 0.0
    beyond: float = 0.0
    steps: int = 0
    worst: float = 0.0

    def line(self, name: str) -> str:
        """One row of the table."""
        times = np.array(self.seconds) * 1e3
        count = len(times)
        return (
            f"  {name:<26}{100.0 * self.reached / count:6.1f} %{np.median(times):9.2f}{times.mean():9.2f}"
            f"{np.percentile(times, 95):9.2f}{self.steps / count:8.1f}{self.drift * 1e3:12.5f}"
            f"{math.degrees(max(self.beyond, 0.0)):10.3f}"
        )


HEADER = f"  {'':<26}{'reached':>8}{'median':>9}{'mean':>9}{'p95 ms':>9}{'steps':>8}{'drift mm':>12}{'over deg':>10}"


def judge(scene: Scene, told: Told, found: Configuration, target: Array, kinematics: Kinematics) -> None:
    """Count an answer by MuJoCo's forward kinematics of it."""
    kinematics.update(found.joints, found.base_position, found.base_orientation)
    missing = float(np.linalg.norm(kinematics.pose(scene.frame)[0] - target))
    drift = max(
        float(np.linalg.norm(kinematics.pose(f.frame)[0] - place))
        for f, (place, _) in zip(scene.fixed, scene.places, strict=True)
    )
    over = max(float((scene.robot.lower - found.joints).max()), float((found.joints - scene.robot.upper).max()))
    told.drift, told.beyond = max(told.drift, drift), max(told.beyond, over)
    told.worst = max(told.worst, missing)
    told.reached += missing <= 2.0 * NEAR and drift <= NEAR and over <= 1e-6


Solver = Callable[[Configuration, Array], tuple[Configuration, int]]


def ours(scene: Scene) -> Solver:
    """Andante's."""
    ik = WholeBodyIk(scene.robot)

    def solve(start: Configuration, target: Array) -> tuple[Configuration, int]:
        answer = ik.solve(start, [PositionTask(scene.frame, target)], fixed=scene.fixed)
        return answer.configuration, answer.iterations

    return solve


def mink_solver(scene: Scene, hard: bool) -> Solver:
    """mink with daqp, its feet as constraints or as tasks."""
    import mink

    robot, spec = scene.robot, scene.robot.spec()
    for joint in robot.joints:
        if joint.follows:
            spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=joint.name, name2=joint.follows)
    model = spec.compile()
    configuration = mink.Configuration(model)
    coupled = [mink.EqualityConstraintTask(model, cost=100.0)] if model.neq else []
    addresses = [int(model.joint(name).qposadr[0]) for name in robot.joint_names]
    kind = "site" if any(model.site(i).name == scene.frame for i in range(model.nsite)) else "body"
    hand = mink.FrameTask(scene.frame, kind, position_cost=1.0, orientation_cost=0.0, lm_damping=1e-3)
    feet = []
    for each, (place, turn) in zip(scene.fixed, scene.places, strict=True):
        cost = 0.0 if each.turns else 30.0
        foot = mink.FrameTask(each.frame, "site", position_cost=100.0, orientation_cost=cost)
        foot.set_target(mink.SE3(np.concatenate([turn, place])))
        feet.append(foot)
    posture = mink.PostureTask(model, cost=1e-3)
    limits = [mink.ConfigurationLimit(model)]

    def solve(start: Configuration, target: Array) -> tuple[Configuration, int]:
        q = np.array(model.qpos0)
        q[:3], q[3:7], q[addresses] = start.base_position, start.base_orientation, start.joints
        configuration.update(q)
        posture.set_target(q)
        hand.set_target(mink.SE3.from_translation(target))
        kept = [*feet, *coupled]
        tasks, constraints = ([hand, posture], kept) if hard else ([hand, posture, *kept], None)
        count = 0
        while count < STEPS:
            count += 1
            velocity = mink.solve_ik(configuration, tasks, 1.0, "daqp", 1e-6, limits=limits, constraints=constraints)
            configuration.integrate_inplace(velocity, 1.0)
            if np.linalg.norm(hand.compute_error(configuration)[:3]) < NEAR and all(
                np.linalg.norm(foot.compute_error(configuration)[:3]) < NEAR for foot in feet
            ):
                break
        q = configuration.q
        return Configuration(q[addresses], q[:3], q[3:7] / np.linalg.norm(q[3:7])), count

    return solve


def pink_solver(scene: Scene, hard: bool) -> Solver:
    """pink with daqp, its feet as constraints or as tasks."""
    import tempfile
    from pathlib import Path

    import pink
    import pinocchio as pin
    from pink.limits import ConfigurationLimit
    from pink.tasks import FrameTask, JointCouplingTask, PostureTask

    robot = scene.robot
    tree = ElementTree.fromstring(robot.mjcf)
    for parent in list(tree.iter()):
        for child in list(parent):
            if child.tag in ("geom", "mesh", "material", "texture", "contact", "camera", "light", "key", "keyframe"):
                parent.remove(child)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_bytes(ElementTree.tostring(tree))
        model = pin.buildModelFromMJCF(str(path))
    kinds = [pin.FrameType.OP_FRAME, pin.FrameType.BODY]
    same = [n for n, each in enumerate(model.frames) if each.name == scene.frame]
    for number in sorted(same, key=lambda n: kinds.index(model.frames[n].type) if model.frames[n].type in kinds else 2)[
        1:
    ]:
        model.frames[number].name += " (another)"
    data = model.createData()
    addresses = [model.joints[model.getJointId(name)].idx_q for name in robot.joint_names]
    low, high = model.lowerPositionLimit.copy(), model.upperPositionLimit.copy()
    low[addresses], high[addresses] = robot.lower, robot.upper
    model.lowerPositionLimit, model.upperPositionLimit = low, high
    hand = FrameTask(scene.frame, position_cost=1.0, orientation_cost=0.0, lm_damping=1e-3)
    feet = []
    for each, (place, turn) in zip(scene.fixed, scene.places, strict=True):
        foot = FrameTask(each.frame, position_cost=100.0, orientation_cost=0.0 if each.turns else 30.0)
        foot.set_target(pin.SE3(to_matrix(turn), place))
        feet.append(foot)
    posture = PostureTask(cost=1e-3)
    pairs = [[joint.name, joint.follows] for joint in robot.joints if joint.follows]
    limits = [ConfigurationLimit(model)]

    def solve(start: Configuration, target: Array) -> tuple[Configuration, int]:
        q = pin.neutral(model)
        q[:3], q[3:7], q[addresses] = start.base_position, np.roll(start.base_orientation, -1), start.joints
        configuration = pink.Configuration(model, data, q)
        posture.set_target(q)
        hand.set_target(pin.SE3(np.eye(3), target))
        kept = [*feet, *(JointCouplingTask(pair, [1.0, -1.0], 100.0, configuration) for pair in pairs)]
        tasks, constraints = ([hand, posture], kept) if hard else ([hand, posture, *kept], None)
        count = 0
        while count < STEPS:
            count += 1
            velocity = pink.solve_ik(
                configuration,
                tasks,
                1.0,
                "daqp",
                1e-6,
                limits=limits,
                constraints=constraints,
                safety_break=False,
            )
            configuration.integrate_inplace(velocity, 1.0)
            if np.linalg.norm(hand.compute_error(configuration)[:3]) < NEAR and all(
                np.linalg.norm(foot.compute_error(configuration)[:3]) < NEAR for foot in feet
            ):
                break
        q = configuration.q
        return Configuration(q[addresses], q[:3], np.roll(q[3:7], 1) / np.linalg.norm(q[3:7])), count

    return solve


def reach(scene: Scene, solvers: dict[str, Solver], count: int, seed: int) -> None:
    """Targets that can be reached."""
    kinematics, targets = Kinematics(scene.robot), []
    for posture in random_postures(scene, seed):
        kinematics.update(posture.joints, posture.base_position, posture.base_orientation)
        targets.append(kinematics.pose(scene.frame)[0])
        if len(targets) == count:
            break
    print(f"{scene.robot.name}, {scene.frame}, {count} reachable targets")
    print(HEADER)
    for name, solve in solvers.items():
        told = Told([])
        for target in targets:
            started = time.thread_time()
            try:
                found, steps = solve(scene.start, target)
            except Exception as error:  # noqa: BLE001 - a peer that gives up has not reached its target
                told.seconds.append(time.thread_time() - started)
                if len(told.seconds) == 1:
                    print(f"  {name}: {type(error).__name__}: {str(error)[:80]}")
                continue
            told.seconds.append(time.thread_time() - started)
            told.steps += steps
            judge(scene, told, found, target, kinematics)
        print(told.line(name))


def wild_starts(scene: Scene, count: int, seed: int) -> None:
    """Starts with joints far beyond their limits."""
    rng, kinematics, ik = np.random.default_rng(seed), Kinematics(scene.robot), WholeBodyIk(scene.robot)
    kinematics.update(scene.start.joints, scene.start.base_position)
    target = kinematics.pose(scene.frame)[0]
    fixed = [
        FixedFrame(f.frame, place, turn, turns=f.turns)
        for f, (place, turn) in zip(scene.fixed, scene.places, strict=True)
    ]
    told = Told([])
    for _ in range(count):
        start = Configuration(scene.start.joints + rng.normal(size=len(scene.robot.joints)), scene.start.base_position)
        started = time.thread_time()
        answer = ik.solve(start, [PositionTask(scene.frame, target)], fixed=fixed)
        told.seconds.append(time.thread_time() - started)
        told.steps += answer.iterations
        judge(scene, told, answer.configuration, target, kinematics)
    print(told.line("starts beyond limits"))


def drag(scene: Scene, seed: int) -> None:
    """Drags in steps, from within reach to far out of it."""
    rng, kinematics, ik = np.random.default_rng(seed), Kinematics(scene.robot), WholeBodyIk(scene.robot)
    size = scene.start.base_position[2]
    for far in (0.1, 1.0, 8.0):
        told, jump = Told([]), 0.0
        for _ in range(PATHS):
            now = scene.start
            kinematics.update(now.joints, now.base_position)
            begin, way = kinematics.pose(scene.frame)[0], rng.normal(size=3) * far * size
            for event in range(EVENTS):
                target = begin + way * min(1.0, (event + 1) / 15)
                started = time.thread_time()
                answer = ik.solve(now, [PositionTask(scene.frame, target)], fixed=scene.fixed, most_motion=MOST)
                told.seconds.append(time.thread_time() - started)
                told.steps += answer.iterations
                jump = max(jump, float(np.abs(answer.joints - now.joints).max()))
                judge(scene, told, answer.configuration, target, kinematics)
                now = answer.configuration
        most = 1e3 * max(told.seconds)
        print(f"{told.line(f'drag, {far:g} x height')}   longest {most:.2f} ms, jump {math.degrees(jump):.2f} deg")


def held(name: str, frame: str, seed: int) -> None:
    """The same drags as the studio asks for them, the centre of mass held over its place and the trunk upright."""
    robot = Robot.load(name)
    scene, rng, kinematics = scene_of(robot, frame), np.random.default_rng(seed), Kinematics(robot)
    size, upright, feet = scene.start.base_position[2], (1.0, 0.0, 0.0, 0.0), tuple(foot.name for foot in robot.feet)
    # The studio loads a robot before its first drag.
    warm(name)
    for far in (0.1, 1.0, 8.0):
        seconds, drift = [], 0.0
        for _ in range(PATHS):
            joints, base, com = tuple(scene.start.joints), (*scene.start.base_position, *upright), None
            kinematics.update(scene.start.joints, scene.start.base_position)
            begin, way = kinematics.pose(frame)[0], rng.normal(size=3) * far * size
            for event in range(EVENTS):
                target = tuple(begin + way * min(1.0, (event + 1) / 15))
                drag = {"do": "drag", "joints": joints, "base": base, "frame": frame, "target": target, "feet": feet}
                asked = Drag.model_validate(drag | {"trunk": upright, "com": com, "hold_com": True})
                started = time.thread_time()
                found = dragged(name, asked)
                seconds.append(time.thread_time() - started)
                joints, base, com = tuple(found["joints"]), tuple(found["base"]), tuple(found["com"][:2])
                drift = max(drift, found["drift"])
        middle, most = 1e3 * float(np.median(seconds)), 1e3 * max(seconds)
        print(f"  CoM held, {far:g} x height   {middle:.2f} ms, longest {most:.2f} ms, feet {1e3 * drift:.6f} mm")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=["nao"])
    parser.add_argument("--targets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peers", default="mink,pink", help="which of mink and pink to compare with")
    options = parser.parse_args()
    for name in options.robots:
        robot = Robot.load(name)
        for frame in frames_of(robot):
            scene = scene_of(robot, frame)
            solvers: dict[str, Solver] = {"andante": ours(scene)}
            for peer, make in (("mink", mink_solver), ("pink", pink_solver)):
                if peer in options.peers.split(","):
                    solvers[f"{peer}, feet constrained"] = make(scene, True)
                    solvers[f"{peer}, feet as tasks"] = make(scene, False)
            # What is compiled at the first call is not measured.
            solvers["andante"](scene.start, np.zeros(3))
            reach(scene, solvers, options.targets, options.seed)
            wild_starts(scene, min(options.targets, 50), options.seed + 1)
            drag(scene, options.seed + 2)
            held(name, frame, options.seed + 2)


if __name__ == "__main__":
    main()

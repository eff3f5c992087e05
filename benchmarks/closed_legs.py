"""Closed-form legs and the centre of mass over fixed feet, against mink and pink, in one run.

    python benchmarks/closed_legs.py littledog go2/go2.xml --count 300

All are called through their public functions from the same starts, until place or centre of mass is within 0.1 mm.
The share of random reachable places that the legs answer stands beside it. Times are processor time of this thread.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.errors import AndanteError
from andante.kinematics.com_ik import com_ik
from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.three_joint_leg import LegReachError
from andante.robots.robot import Robot

Array = NDArray[np.float64]
NEAR, STEPS = 1e-4, 60


class Mink:
    """mink's loop over one robot; without a free joint where only legs move."""

    def __init__(self, robot: Robot, floating: bool) -> None:
        import mink

        spec = robot.spec()
        if not floating:
            for joint in [each for each in spec.joints if each.type == mujoco.mjtJoint.mjJNT_FREE]:
                spec.delete(joint)
            for key in list(spec.keys):
                spec.delete(key)
            base = spec.body(robot.base_body)
            base.pos, base.quat = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        self.mink, self.model = mink, spec.compile()
        self.configuration = mink.Configuration(self.model)
        self.limits = [mink.ConfigurationLimit(self.model)]
        self.addresses = [int(self.model.joint(name).qposadr[0]) for name in robot.joint_names]
        self.com = mink.ComTask(cost=1.0)

    def task(self, frame: str, kind: str, place: float, turn: float) -> Any:
        """A task of a frame with weights of place and orientation."""
        return self.mink.FrameTask(frame, kind, position_cost=place, orientation_cost=turn, lm_damping=1e-4)

    def at(self, task: Any, place: Array) -> None:
        """Aim a frame's task at a place, not turned."""
        task.set_target(self.mink.SE3.from_translation(place))

    def run(self, q: Array, tasks: list[Any], done: list[tuple[Any, slice]]) -> int:
        """Iterate until the errors of ``done`` are small; the steps taken, 0 where they were not enough."""
        self.configuration.update(q)
        for count in range(1, STEPS + 1):
            velocity = self.mink.solve_ik(self.configuration, tasks, 1.0, "daqp", 1e-8, limits=self.limits)
            self.configuration.integrate_inplace(velocity, 1.0)
            if all(np.linalg.norm(task.compute_error(self.configuration)[part]) < NEAR for task, part in done):
                return count
        return 0

    def start(self, joints: Array, base: Array | None) -> Array:
        """The peer's configuration of joints and, where it floats, a level base."""
        q = np.array(self.model.qpos0)
        q[self.addresses] = joints
        if base is not None:
            q[:3], q[3:7] = base, [1.0, 0.0, 0.0, 0.0]
        return q


class Pink:
    """pink's loop over one robot."""

    def __init__(self, robot: Robot, floating: bool) -> None:
        import pink
        import pinocchio as pin
        from pink.limits import ConfigurationLimit
        from pink.tasks import ComTask, FrameTask

        tree = ElementTree.fromstring(robot.mjcf)
        drop = {"geom", "mesh", "material", "texture", "contact", "camera", "light", "key", "keyframe"}
        drop |= set() if floating else {"freejoint"}
        for parent in list(tree.iter()):
            for child in list(parent):
                if child.tag in drop or (not floating and child.tag == "joint" and child.get("type") == "free"):
                    parent.remove(child)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.xml"
            path.write_bytes(ElementTree.tostring(tree))
            self.model = pin.buildModelFromMJCF(str(path))
        self.pin, self.pink, self.frame_task = pin, pink, FrameTask
        self.data = self.model.createData()
        self.limits = [ConfigurationLimit(self.model)]
        self.addresses = [self.model.joints[self.model.getJointId(name)].idx_q for name in robot.joint_names]
        self.com = ComTask(cost=1.0)

    def task(self, frame: str, kind: str, place: float, turn: float) -> Any:
        """A task of a frame with weights of place and orientation."""
        return self.frame_task(frame, position_cost=place, orientation_cost=turn, lm_damping=1e-4)

    def at(self, task: Any, place: Array) -> None:
        """Aim a frame's task at a place, not turned."""
        task.set_target(self.pin.SE3(np.eye(3), place))

    def run(self, q: Array, tasks: list[Any], done: list[tuple[Any, slice]]) -> int:
        """Iterate until the errors of ``done`` are small; the steps taken, 0 where they were not enough."""
        configuration = self.pink.Configuration(self.model, self.data, q)
        for count in range(1, STEPS + 1):
            velocity = self.pink.solve_ik(
                configuration, tasks, 1.0, "daqp", 1e-8, limits=self.limits, safety_break=False
            )
            configuration.integrate_inplace(velocity, 1.0)
            if all(np.linalg.norm(task.compute_error(configuration)[part]) < NEAR for task, part in done):
                return count
        return 0

    def start(self, joints: Array, base: Array | None) -> Array:
        """The peer's configuration of joints and, where it floats, a level base."""
        q = self.pin.neutral(self.model)
        q[self.addresses] = joints
        if base is not None:
            q[:3] = base
        return np.asarray(q)


def timed(ask: Callable[[int], bool], count: int) -> tuple[float, float]:
    """Median time of a call [us] and the share that succeeded."""
    spent, good = [], 0
    ask(0)
    for number in range(count):
        started = time.thread_time()
        try:
            good += ask(number)
        except Exception as error:  # noqa: BLE001 - a solver that gives up has not answered
            if number == 0:
                print(f"  {type(error).__name__}: {str(error)[:90]}")
        spent.append(time.thread_time() - started)
    return 1e6 * float(np.median(spent)), good / count


def told(spent: float, share: float) -> str:
    """Columns of a row."""
    return f"{spent:9.1f} us{100.0 * share:9.1f} %"


def measure(robot: Robot, count: int, seed: int) -> None:
    """Print the tables of one robot."""
    rng, body = np.random.default_rng(seed), LeggedBody.of(robot)
    low, high = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    joints = rng.uniform(low, high, (count, len(low)))
    rows = rng.integers(0, len(body.legs), count)
    places = [body.legs[row].place(q[list(body.legs[row].indices)]) for row, q in zip(rows, joints, strict=True)]
    home = robot.posture("stand")

    def leg(number: int) -> bool:
        try:
            body.legs[rows[number]].solve(places[number])
        except LegReachError:
            return False
        return True

    print(f"{robot.name}: one leg to a place that random angles within the limits reach, {count} of them")
    print(f"  {'andante':<10}{told(*timed(leg, count))}")
    for name, kind in (("mink", Mink), ("pink", Pink)):
        peer = kind(robot, False)
        tasks = [peer.task(foot.site, "site", 1.0, 0.0) for foot in robot.feet]

        def ask(number: int, peer: Any = peer, tasks: list[Any] = tasks) -> bool:
            task = tasks[rows[number]]
            peer.at(task, places[number])
            return peer.run(peer.start(home, None), [task], [(task, slice(0, 3))]) > 0

        print(f"  {name:<10}{told(*timed(ask, count))}")
    stances = []
    size = body.leg_length
    while len(stances) < count:
        feet = np.array([each.hip for each in body.legs]) * [1.0, 1.0, 0.0]
        feet[:, 1] += [0.7 * each.lateral for each in body.legs]
        feet += rng.uniform(-0.2, 0.2, feet.shape) * [size, size, 0.5 * size]
        com = rng.uniform(-0.15, 0.15, 3) * size + [0.0, 0.0, 0.65 * size]
        try:
            com_ik(body, com, feet, tolerance=NEAR)
        except AndanteError:
            continue
        stances.append((feet, com))

    def ours(number: int) -> bool:
        feet, com = stances[number]
        com_ik(body, com, feet, tolerance=NEAR)
        return True

    print(f"{robot.name}: centre of mass to a place over fixed feet, trunk level, {count} stances")
    first = timed(ours, count)
    print(f"  {'andante':<10}{told(*first)}")
    for name, kind in (("mink", Mink), ("pink", Pink)):
        peer = kind(robot, True)
        feet_tasks = [peer.task(foot.site, "site", 1.0, 0.0) for foot in robot.feet]
        level = peer.task(robot.base_body, "body", 0.0, 1.0)

        def ask_com(number: int, peer: Any = peer, feet_tasks: list[Any] = feet_tasks, level: Any = level) -> bool:
            feet, com = stances[number]
            for task, place in zip(feet_tasks, feet, strict=True):
                peer.at(task, place)
            peer.at(level, np.zeros(3))
            peer.com.set_target(com)
            done = [(task, slice(0, 3)) for task in (*feet_tasks, peer.com)]
            return peer.run(peer.start(home, com), [*feet_tasks, level, peer.com], done) > 0

        spent, share = timed(ask_com, count)
        print(f"  {name:<10}{told(spent, share)}   {spent / first[0]:.0f} x")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=["littledog"])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for name in options.robots:
        measure(Robot.load(name), options.count, options.seed)


if __name__ == "__main__":
    main()

"""Forward kinematics with centre of mass and Jacobians: Andante's `Kinematics` against MuJoCo's own calls.

python benchmarks/forward.py [ROBOT ...] [--count 2000]

Both write a posture, compute positions, and copy the pose of one site, the centre of mass and both Jacobians.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable

import mujoco
import numpy as np

from andante.kinematics.forward import Kinematics
from andante.robots.robot import Robot


def best(task: Callable[[], None], count: int) -> float:
    """Least time of one of `count` postures over 15 rounds [us]."""
    times = []
    for _ in range(15):
        began = time.perf_counter()
        task()
        times.append(time.perf_counter() - began)
    return min(times) / count * 1e6


class Case:
    """Postures of one robot, and both ways through them."""

    def __init__(self, name: str, count: int) -> None:
        self.robot = Robot.load(name)
        self.model, self.own = self.robot.model, Kinematics(self.robot)
        self.data, self.site = mujoco.MjData(self.model), self.model.site(0).name
        rng = np.random.default_rng(0)
        self.base = np.array([0.0, 0.0, 0.3]), np.array([1.0, 0.0, 0.0, 0.0])
        self.postures = [rng.uniform(-0.3, 0.3, len(self.robot.joints)) for _ in range(count)]
        self.positions = []
        for posture in self.postures:
            self.own.update(posture, *self.base)
            self.positions.append(self.own.data.qpos.copy())

    def mujoco(self) -> None:
        """MuJoCo's own calls."""
        model, data, body = self.model, self.data, self.own.base
        linear, angular, com = (np.empty((3, model.nv)) for _ in range(3))
        for qpos in self.positions:
            data.qpos[:] = qpos
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            data.site_xpos[0].copy(), data.site_xmat[0].copy(), data.subtree_com[body].copy()
            mujoco.mj_jacSite(model, data, linear, angular, 0)
            mujoco.mj_jacSubtreeCom(model, data, com, body)

    def andante(self, *base: np.ndarray) -> None:
        """The same with `Kinematics`."""
        own, site = self.own, self.site
        for posture in self.postures:
            own.update(posture, *base)
            own.pose(site), own.com(), own.jacobian(site), own.com_jacobian()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("robots", nargs="*", default=["nao", "littledog", "spirit40"])
    parser.add_argument("--count", type=int, default=2000)
    options = parser.parse_args()
    print("robot            MuJoCo  with base pose       without  [us]")
    for name in options.robots:
        case = Case(name, options.count)
        theirs = best(case.mujoco, options.count)
        with_base = best(functools.partial(case.andante, *case.base), options.count)
        without = best(case.andante, options.count)
        ratios = f"{with_base:9.2f} ({with_base / theirs:.2f} x) {without:7.2f} ({without / theirs:.2f} x)"
        print(f"{case.robot.name:<12} {theirs:10.2f} {ratios}")


if __name__ == "__main__":
    main()

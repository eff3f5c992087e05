"""Steps per second of `andante.Env` under random targets, over a bare MuJoCo loop's at the same physics step.

The bare loop replays the motors' settings of each episode with `mj_step` on a copy of the same model, from the same
state. Each episode is made several times, the same to the bit, and of each step the least time counts, so that a busy
machine changes little.

    python benchmarks/env_rate.py ROBOT [ROBOT ...]
"""

from __future__ import annotations

import copy
import sys
import time

import mujoco
import numpy as np

from andante import Env
from andante.backends.mujoco_world import MujocoWorld

EPISODES, STEPS, REPEATS = 12, 100, 7


def measure(robot: str, period: float | None) -> tuple[int, float, float]:
    """Number of steps, and time of the environment and of the bare loop [s]."""
    env = Env(robot, period=period)
    world = env.session.backend
    if not isinstance(world, MujocoWorld):
        raise TypeError(type(world))
    count = round(env.session.controller.period / world.config.timestep)
    rng = np.random.default_rng(0)
    # Kernels are loaded at their first call, which is no part of a step.
    env.reset(seed=EPISODES)
    env.step(env.action_space.low)
    steps, spent, bare = 0, 0.0, 0.0
    for episode in range(EPISODES):
        actions = rng.uniform(env.action_space.low, env.action_space.high, (STEPS, env.actions.size))
        ours, theirs = [], []
        for _ in range(REPEATS):
            env.reset(seed=episode)
            qpos, qvel, controls, times = world.data.qpos.copy(), world.data.qvel.copy(), [], []
            for action in actions:
                began = time.perf_counter()
                _, _, terminated, truncated, _ = env.step(action)
                times.append(time.perf_counter() - began)
                controls.append(world.data.ctrl.copy())
                if terminated or truncated:
                    break
            ours.append(times)
            theirs.append(replayed(copy.copy(world.model), qpos, qvel, controls, count))
        steps += len(controls)
        spent += float(np.min(ours, axis=0).sum())
        bare += float(np.min(theirs, axis=0).sum())
    return steps, spent, bare


def replayed(
    model: mujoco.MjModel, qpos: np.ndarray, qvel: np.ndarray, controls: list[np.ndarray], count: int
) -> list[float]:
    """Times of the bare loop's steps [s]."""
    data, times = mujoco.MjData(model), []
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    for control in controls:
        began = time.perf_counter()
        data.ctrl[:] = control
        mujoco.mj_step(model, data, count)
        times.append(time.perf_counter() - began)
    return times


if __name__ == "__main__":
    for name in sys.argv[1:] or ["nao"]:
        for period in (None, 0.02):
            steps, spent, bare = measure(name, period)
            each, least = spent / steps * 1e6, bare / steps * 1e6
            print(
                f"{name} period {period}: {each:.0f} us a step, bare {least:.0f} us, {bare / spent:.1%}, {steps} steps"
            )

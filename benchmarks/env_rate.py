"""Steps per second of `andante.Env` under random targets, over a bare MuJoCo loop's at the same physics step.

The bare loop replays the motors' settings of each episode with `mj_step` on a copy of the same model, from the same
state. Processor time of one process counts, so that a busy machine changes little.

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

EPISODES, STEPS = 12, 100


def measure(robot: str, period: float | None) -> tuple[int, float, float]:
    """Number of steps, and processor time of the environment and of the bare loop [s]."""
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
        env.reset(seed=episode)
        qpos, qvel, controls = world.data.qpos.copy(), world.data.qvel.copy(), []
        for action in rng.uniform(env.action_space.low, env.action_space.high, (STEPS, env.actions.size)):
            began = time.process_time()
            _, _, terminated, truncated, _ = env.step(action)
            spent += time.process_time() - began
            controls.append(world.data.ctrl.copy())
            if terminated or truncated:
                break
        model = copy.copy(world.model)
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        began = time.process_time()
        for control in controls:
            data.ctrl[:] = control
            mujoco.mj_step(model, data, count)
        bare += time.process_time() - began
        steps += len(controls)
    return steps, spent, bare


if __name__ == "__main__":
    for name in sys.argv[1:] or ["nao"]:
        for period in (None, 0.02):
            steps, spent, bare = measure(name, period)
            each, least = spent / steps * 1e6, bare / steps * 1e6
            print(
                f"{name} period {period}: {each:.0f} us a step, bare {least:.0f} us, {bare / spent:.0%}, {steps} steps"
            )

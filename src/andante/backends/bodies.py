"""BodyVariation: masses and centres of mass of a robot that differ from its model, drawn once per run.

The controller goes on to reckon with the model: what it does not know is the point.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.backends.config_parts import bounds
from andante.backends.model_builder import ModelIndex
from andante.backends.payload import PAYLOAD
from andante.backends.world import WorldConfig


class BodyVariation:
    """Draws the bodies of a robot and writes them into the model of its world.

    Args:
        config: The world.
        model: Its model.
        data: Its state; a draw leaves it at the model's start.
        index: Where the robot lies in the model.
    """

    def __init__(self, config: WorldConfig, model: mujoco.MjModel, data: mujoco.MjData, index: ModelIndex) -> None:
        self._config, self._model, self._data, self._base = config, model, data, index.base
        own = np.flatnonzero(model.body_rootid == model.body_rootid[index.base])
        self._own: NDArray[np.intp] = np.array([each for each in own if model.body(int(each)).name != PAYLOAD])
        self._mass, self._inertia = model.body_mass[self._own].copy(), model.body_inertia[self._own].copy()
        self._center = model.body_ipos[index.base].copy()
        self._varies = bounds(config.masses) != (1.0, 1.0) or config.com_shift > 0.0

    def draw(self, rng: np.random.Generator) -> None:
        """Draw a factor per body and the shift of the base's centre of mass, and change the model."""
        if not self._varies:
            return
        model = self._model
        factors = rng.uniform(*bounds(self._config.masses), len(self._own))
        model.body_mass[self._own] = factors * self._mass
        model.body_inertia[self._own] = factors[:, None] * self._inertia
        model.body_ipos[self._base] = self._center + self._config.com_shift * rng.uniform(-1.0, 1.0, 3)
        # A centre of mass that is not where the body's frame is must be looked up in the model.
        model.body_sameframe[self._base] = 0
        mujoco.mj_setConst(model, self._data)
        mujoco.mj_resetData(model, self._data)

"""What a get-up does to the robot, watched from ground truth: standing, torques, speeds, touching itself."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.backends.model_builder import FLOOR
from andante.backends.mujoco_world import MujocoWorld
from andante.robots.records import Command, Vector
from andante.runs.evaluation.standing import Standing


class Watch:
    """Watches one world; `see` is called once per tick, `begin` at the start of each trial, after the world's reset."""

    def __init__(self, world: MujocoWorld) -> None:
        self._world, self._model, self._data = world, world.model, world.data
        model, robot = world.model, world.robot
        base = int(model.body(robot.base_body).id)
        self._matrix, self._position = world.data.xmat[base], world.data.xpos[base]
        self._standing = Standing.of(robot)
        self._floor = int(model.geom(FLOOR).id)
        dofs = [int(model.jnt_dofadr[model.joint(name).id]) for name in robot.joint_names]
        self._dofs = np.array(dofs, dtype=np.intp)
        self._per_speed = 1.0 / np.minimum(robot.max_velocity, 1e9)
        motors = [model.actuator(i).name for i in range(model.nu)]
        self._per_torque = 1.0 / np.array([robot.servos[robot.index(name)].max_torque for name in motors])
        self.begin()

    def begin(self) -> None:
        """Forget everything seen."""
        self.ticks = 0
        """Ticks seen."""
        self.torque = 0.0
        """Largest motor torque over the servo's rated limit."""
        self.speed = 0.0
        """Largest joint speed over its limit."""
        self.saturated = 0
        """Motor-ticks at 98 % of the rated limit or more."""
        self.touching = 0
        """Ticks in which the robot touches itself."""
        self.hardest = 0.0
        """Largest normal force between two of its own shapes [N]."""
        self.pairs: Counter[str] = Counter()
        """Ticks per pair of shapes that touch."""
        self.floor_touches: dict[str, float] = {}
        """Hardest touch of the floor by trunk and head, where the world measures impacts [N]."""
        self.asked_speed = 0.0
        """Largest speed of a commanded angle over the joint's limit."""
        self._asked: tuple[Vector, NDArray[np.bool_]] | None = None
        self._world.on_solved = self.measure_touches
        floor = self._data.geom_xmat[self._floor]
        self._normal = floor[2::3].copy()

    @property
    def stands(self) -> bool:
        """Whether the robot stands now."""
        height = float(self._position @ self._normal)
        return self._standing.holds(float(self._matrix[8]), height)

    @property
    def lean(self) -> float:
        """Angle between the torso's axis and the floor's normal now [rad]."""
        return math.acos(min(1.0, max(-1.0, float(self._matrix[2::3] @ self._normal))))

    def ask(self, command: Command) -> None:
        """Look at this tick's command: how fast angles move that joints hold in this tick and the one before."""
        position, holds = command.position.copy(), command.kp > 0.0
        if self._asked is not None:
            before, held = self._asked
            speed = np.abs(position - before) * self._per_speed / self._world.robot.tick
            self.asked_speed = max(self.asked_speed, float(speed[holds & held].max(initial=0.0)))
        self._asked = position, holds

    def see(self) -> None:
        """Look at the world as it is now."""
        data, model = self._data, self._model
        self.speed = max(self.speed, float(np.abs(data.qvel[self._dofs] * self._per_speed).max()))
        self.ticks += 1
        if not self._world.knows_forces:
            return
        if self._world.config.impacts:
            for name, force in zip(self._world.impacts.names, self._world.impacts.peak.tolist(), strict=True):
                self.floor_touches[name] = max(self.floor_touches.get(name, 0.0), force)
        torque = np.abs(data.actuator_force * self._per_torque)
        self.torque = max(self.torque, float(torque.max()))
        self.saturated += int((torque >= 0.98).sum())
        own = np.flatnonzero((data.contact.geom != self._floor).all(axis=1)).tolist() if data.ncon else []
        self.touching += bool(own)
        for contact in own:
            first, second = (model.geom(int(geom)).name for geom in data.contact.geom[contact])
            self.pairs["-".join(sorted((first, second)))] += 1

    def told(self, world: MujocoWorld) -> dict[str, Any]:
        """What was seen in a trial, as `andante.search.observers.get_up.GetUp` tells it."""
        ticks, knows = max(self.ticks, 1), world.knows_forces
        return {
            "torque": self.torque if knows else None,
            "saturated": self.saturated / (ticks * world.model.nu) if knows else None,
            "speed": self.speed,
            "touching": self.touching / ticks if knows else None,
            "hardest": self.hardest if knows else None,
            "touches": dict(sorted(self.pairs.items())),
            "lean": round(self.lean, 6),
            "asked_speed": round(self.asked_speed, 6),
            "trunk": self.floor_touches.get("trunk", 0.0) if knows else None,
            "head": self.floor_touches.get("head", 0.0) if knows else None,
        }

    def measure_touches(self) -> None:
        """Take the forces of the contacts that were solved last, see `MujocoWorld.on_solved`."""
        self.hardest = max(self.hardest, self._world.self_contact_force)

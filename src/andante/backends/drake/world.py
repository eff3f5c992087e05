"""DrakeWorld: the world of a scenario, stepped by Drake.

Everything around the physics is that of `MujocoWorld`: start, noise, delay, faults, servos. The robot comes to rest in
MuJoCo, so that both engines begin from the same lying state. Then each physics step is Drake's; MuJoCo's arrays hold
its state, so that sensors, kinematics and ground truth are read the same way. Forces on feet and impacts are those of
Drake's contacts.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from andante.backends.drake.plant import DrakePlant, fingerprint
from andante.backends.drake.settings import DrakeSettings
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot


class DrakeWorld(MujocoWorld):
    """A robot in a world of `WorldConfig`, stepped by Drake.

    Args:
        robot: The robot.
        config: The world; its ``solver`` is MuJoCo's and does not count.
        settings: How Drake solves contacts and motors.

    Raises:
        BackendError: Drake is not installed, or the world has something that Drake's plant cannot hold.
    """

    def __init__(self, robot: Robot, config: WorldConfig, settings: DrakeSettings | None = None) -> None:
        self._plant: DrakePlant | None = None
        self._settings = settings
        super().__init__(robot, config)

    def reset(self, seed: int) -> None:
        """Put the robot at its start, where it comes to rest in MuJoCo; ``seed`` decides what is left open.

        Raises:
            BackendError: The start is impossible.
            DivergenceError: The physics became unstable while the robot came to rest.
        """
        kept, self._plant = self._plant, None
        super().reset(seed)
        model = self.model
        if kept is not None and kept.made_of == fingerprint(model):
            kept.begin()
            self._plant = kept
        else:
            self._plant = DrakePlant(model, self.data, self._settings)
        site = int(model.site(self.robot.imu_site).id)
        self._imu_site = site
        self._foot_of = {int(model.body(foot.body).id): i for i, foot in enumerate(self.robot.feet)}
        self._own = model.body_rootid == model.body_rootid[self._index.base]
        self._static = model.body_weldid == 0
        self._force_between = 0.0

    @property
    def self_contact_force(self) -> float:
        """Largest force between two of the robot's own shapes in the last physics step [N]."""
        return self._force_between if self._plant is not None else super().self_contact_force

    def contact_forces(self) -> Iterator[tuple[int, int, np.ndarray]]:
        """Contacts of the last physics step: bodies by their numbers, and the force on the second one, (3,) [N]."""
        bodies = self.model.geom_bodyid
        for first, second, _, force in [] if self._plant is None else self._plant.contacts():
            yield int(bodies[first]), int(bodies[second]), force

    def _drives_on(self) -> bool:
        return self._plant is None and super()._drives_on()

    def _run(self, count: int) -> None:
        if self._plant is None:
            super()._run(count)
            return
        model, data, servos, timestep = self.model, self.data, self.servos, self._timestep
        before = np.zeros(6)
        for step in range(count):
            servos.mesh()
            if step:
                servos.bound()
            last = step == count - 1
            if last:
                mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, self._imu_site, before, 0)
            try:
                self._plant.step()
            except RuntimeError as error:
                self._diverged(str(error).splitlines()[0])
            if not np.isfinite(data.qpos).all() or not np.isfinite(data.qvel).all():
                self._diverged("Drake's state is not finite")
            torque = data.actuator_force.copy()
            mujoco.mj_step1(model, data)
            data.actuator_force[:] = torque
            # Nobody reads contacts between sensor readings, but for the blows of a world that watches them.
            if last or self.config.impacts:
                self._take_contacts(last)
            if last:
                self._measure_acceleration(before[3:], timestep)
                if self.on_solved is not None:
                    self.on_solved()
        servos.mesh()
        self._count_part(count * timestep)

    def _measure_acceleration(self, before: np.ndarray, timestep: float) -> None:
        """Specific force at the IMU from the change of its speed in the last step, in its own frame."""
        model, data, site = self.model, self.data, self._imu_site
        after = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, site, after, 0)
        felt = (after[3:] - before) / timestep - model.opt.gravity
        data.sensordata[self._index.imu][7:10] = data.site_xmat[site].reshape(3, 3).T @ felt

    def _take_contacts(self, last: bool) -> None:
        """Sum up Drake's contacts: feet, ground, impacts, touches of itself."""
        model, data, index = self.model, self.data, self._index
        feet = np.zeros((len(self.robot.feet), 10))
        foot_grounds, grounds, between = np.zeros(len(feet)), 0, 0.0
        blows: dict[int, float] = {}
        moments: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in feet]
        if self._plant is None:
            return
        for first, second, point, force in self._plant.contacts():
            bodies = int(model.geom_bodyid[first]), int(model.geom_bodyid[second])
            size = float(np.linalg.norm(force))
            static = self._static[bodies[0]] or self._static[bodies[1]]
            if not static and self._own[bodies[0]] and self._own[bodies[1]]:
                between = max(between, size)
            for geom, body, sign in ((first, bodies[0], -1.0), (second, bodies[1], 1.0)):
                if not self._own[body] or self._static[body]:
                    continue
                if static:
                    grounds += 1
                    group = self.impacts.group_of(geom)
                    if group is not None:
                        blows[group] = blows.get(group, 0.0) + float(sign * force @ self._floor.normal)
                foot = self._foot_of.get(body) if last else None
                if foot is not None:
                    foot_grounds[foot] += static
                    moments[foot].append((point, -sign * force))
        for foot, found in enumerate(moments):
            if not found:
                continue
            points, forces = (np.array(column) for column in zip(*found, strict=True))
            weights = np.linalg.norm(forces, axis=1)
            if weights.sum() <= 0.0:
                continue
            centre = (weights[:, None] * points).sum(axis=0) / weights.sum()
            torque = np.cross(points - centre, forces).sum(axis=0)
            feet[foot] = [float(len(found)), *forces.sum(axis=0), *torque, *centre]
        self._force_between = between
        if self.config.impacts:
            self.impacts.add(blows, self._timestep)
        if last:
            data.sensordata[index.feet] = feet.ravel()
            data.sensordata[index.foot_grounds] = foot_grounds
            data.sensordata[index.ground] = grounds

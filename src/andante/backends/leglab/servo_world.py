"""ServoWorld: the kick exercise in MuJoCo, where position servos with torque and speed limits move the leg.

It is a `MujocoWorld` of the leg's pack whose floor is the exercise's short ground, with a ball that stays in the plane.
The ball's way is sampled between ticks by the cubic through place and velocity at both ends: exact in free flight.
"""

from __future__ import annotations

import mujoco
import numpy as np

from andante.backends.ball import BALL, damping_ratio, shape_ball
from andante.backends.leglab.scene import LOST, SCENE, KickScene
from andante.backends.model_builder import FLOOR, build_spec
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.kinematics.planar_chain import planar_chain
from andante.robots.compiling import compiled
from andante.robots.records import Vector
from andante.robots.robot import Robot

STEP = 0.001
"""Physics step [s]."""
SUBSTEPS = 10
"""Points of the ball's way per tick."""
_CONTACT_TIME = 0.03
"""Time constant of contacts [s]: a bounce lasts some ten physics steps."""
_DEPTH = 1.0


class ServoWorld(MujocoWorld):
    """Leg and ball in MuJoCo, as Backend.

    Args:
        robot: The planar leg.
        scene: The scene.

    Raises:
        BackendError: The world cannot be built.
        PlanarChainError: The robot is no planar leg.
    """

    def __init__(self, robot: Robot, scene: KickScene = SCENE) -> None:
        self.chain = planar_chain(robot)
        self.frame = robot.tick
        self._start = scene.ball_start
        self._path: list[list[float]] = []
        self._postures: list[list[float]] = []
        config = WorldConfig(
            timestep=STEP,
            fixed_base=True,
            start=Start(x=self.chain.base[0], height=self.chain.base[1]),
            gravity=(0.0, 0.0, -scene.gravity),
            friction=scene.friction * scene.friction,
        )
        super().__init__(robot, config, _model(robot, config, scene))

    def reset(self, seed: int) -> None:
        """Go to the start."""
        super().reset(seed)
        self._path = [self._ball()]
        self._postures = [[self.time, *self.angles()]]

    def advance(self, duration: float) -> None:
        """Let time pass; see `MujocoWorld.advance`."""
        super().advance(duration)
        self._path.append(self._ball())
        self._postures.append([self.time, *self.angles()])

    @property
    def postures(self) -> Vector:
        """The leg so far, one row per tick, (m, 4): time [s], true joint angles [rad]."""
        return np.array(self._postures)

    @property
    def ball_path(self) -> Vector:
        """Times and places of the ball so far, (n, 3): time [s], x, z [m]."""
        rows = np.array(self._path)
        if len(rows) < 2:
            return rows[:, :3]
        share = (np.arange(SUBSTEPS) / SUBSTEPS)[:, None]
        span = np.diff(rows[:, 0])
        square, cube = share**2, share**3
        start, end = rows[:-1], rows[1:]
        fine = [start[:, 0] + share * span]
        for axis in (1, 2):
            rate = axis + 2
            fine.append(
                (2.0 * cube - 3.0 * square + 1.0) * start[:, axis]
                + (cube - 2.0 * square + share) * span * start[:, rate]
                + (3.0 * square - 2.0 * cube) * end[:, axis]
                + (cube - square) * span * end[:, rate]
            )
        between = np.stack([values.T.ravel() for values in fine], axis=-1)
        return np.vstack([between, rows[-1:, :3]])

    @property
    def lost(self) -> bool:
        """Whether the ball has fallen below the ground."""
        return self._path[-1][2] < LOST

    def angles(self) -> Vector:
        """True joint angles, (3,) [rad]."""
        return np.array(self.data.qpos[:3])

    def _ball(self) -> list[float]:
        """Time, place and velocity of the ball; its joints are the model's last three: x, z, spin."""
        data, (x, z) = self.data, self._start
        return [self.time, x + data.qpos[-3], z + data.qpos[-2], data.qvel[-3], data.qvel[-2]]


def _model(robot: Robot, config: WorldConfig, scene: KickScene) -> mujoco.MjModel:
    spec = build_spec(robot, config)
    kept = scene.elasticity * scene.elasticity
    bounce, friction = [_CONTACT_TIME, damping_ratio(kept)], [scene.friction * scene.friction, 0.0, 0.0]
    floor = spec.geom(FLOOR)
    floor.type = mujoco.mjtGeom.mjGEOM_BOX
    floor.size = [scene.width / 2.0, _DEPTH, scene.ground / 2.0]
    floor.pos = [scene.width / 2.0, 0.0, scene.ground / 2.0]
    floor.contype, floor.conaffinity = 1, 3
    body = spec.worldbody.add_body(name=BALL)
    for name, axis in (("x", (1.0, 0.0, 0.0)), ("z", (0.0, 0.0, 1.0))):
        body.add_joint(name=f"{BALL}_{name}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    body.add_joint(name=BALL, type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0.0, -1.0, 0.0))
    body.pos = [scene.ball_start[0], 0.0, scene.ball_start[1]]
    shape_ball(body, scene.ball_radius, scene.ball_mass, 0.5, condim=3, friction=friction, solref=bounce, conaffinity=3)
    return compiled(spec)

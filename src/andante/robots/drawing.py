"""A picture of a robot in a posture, on a floor of squares that tell its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from andante.pictures.figures import new_figure
from andante.pictures.style import SOFT, drawn
from andante.robots.compiling import compiled
from andante.robots.description import RobotDescription
from andante.robots.graphics import offscreen_renderer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 720, 720
_SQUARE = 0.1
"""Side of the floor's squares [m]."""


@drawn
def robot_figure(robot: RobotDescription, *, posture: str | None = None) -> Figure:
    """A robot with its name, mass and posture.

    Args:
        robot: The robot.
        posture: A named posture; ``stand`` where the robot has it, else all joints at 0.

    Raises:
        RobotError: Unknown posture.
        GraphicsError: No offscreen OpenGL.
    """
    shown = posture or ("stand" if "stand" in robot.postures else "zero")
    mass = float(robot.model.body_mass.sum())
    figure = new_figure(_WIDTH / 100.0, _HEIGHT / 100.0 + 0.8, robot.title)
    axes = figure.subplots()
    axes.imshow(render(robot, robot.posture(shown)))
    axes.set_axis_off()
    facts = f"{len(robot.joints)} joints, {mass:.3g} kg, posture {shown}; squares of the floor: {100.0 * _SQUARE:g} cm"
    axes.set_title(facts, color=SOFT, fontsize=10.0, fontweight="normal")
    return figure


def render(robot: RobotDescription, joints: np.ndarray) -> np.ndarray:
    """Pixels (720, 720, 3) uint8 of the robot with joint angles ``joints`` (nj,) [rad].

    Raises:
        GraphicsError: No offscreen OpenGL.
    """
    spec = robot.drawn_spec()
    spec.visual.headlight.ambient = [0.45, 0.45, 0.45]
    spec.visual.headlight.diffuse = [0.6, 0.6, 0.6]
    _add_floor(spec)
    model = compiled(spec)
    data = mujoco.MjData(model)
    for name, angle in zip(robot.joint_names, joints, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(model, data)
    floor = model.geom("andante_floor").id
    own = np.arange(model.ngeom) != floor
    centres, sizes = data.geom_xpos[own], model.geom_aabb[own, 3:]
    axes = data.geom_xmat[own].reshape(-1, 3, 3)
    centres = centres + np.einsum("gij,gj->gi", axes, model.geom_aabb[own, :3])
    reach = np.einsum("gij,gj->gi", np.abs(axes), sizes)
    low, high = (centres - reach).min(axis=0), (centres + reach).max(axis=0)
    # Where it is drawn; its place in the model does not count, for it was compiled as the world's own.
    data.geom_xpos[floor, 2] = low[2]
    camera = mujoco.MjvCamera()
    camera.lookat = (low + high) / 2.0
    camera.distance = 1.35 * float(np.linalg.norm(high - low)) + 0.1
    camera.azimuth, camera.elevation = 145.0, -14.0
    with offscreen_renderer(model, _WIDTH, _HEIGHT) as renderer:
        renderer.update_scene(data, camera)
        return np.asarray(renderer.render()).copy()


def _add_floor(spec: mujoco.MjSpec) -> None:
    """A pale sky and a floor of squares; the floor's height is set when the posture is known."""
    gradient, checker = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT, mujoco.mjtBuiltin.mjBUILTIN_CHECKER
    pale = {"rgb1": [0.95, 0.96, 0.98], "rgb2": [0.80, 0.84, 0.89]}
    sky = mujoco.mjtTexture.mjTEXTURE_SKYBOX
    spec.add_texture(name="andante_sky", type=sky, builtin=gradient, width=64, height=64, **pale)
    squares = mujoco.mjtTexture.mjTEXTURE_2D
    spec.add_texture(name="andante_floor", type=squares, builtin=checker, width=256, height=256, **pale)
    material = spec.add_material(name="andante_floor", texuniform=True, texrepeat=[1.0 / _SQUARE, 1.0 / _SQUARE])
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "andante_floor"
    spec.worldbody.add_geom(
        name="andante_floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], material="andante_floor"
    )

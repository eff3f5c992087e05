"""A picture of a robot in a posture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from andante.robots.graphics import offscreen_renderer
from andante.robots.png import png_bytes
from andante.robots.robot import Robot, RobotError

_WIDTH, _HEIGHT = 720, 720


def draw(robot: Robot, path: Path, *, posture: str | None = None) -> None:
    """Write a PNG picture of a robot.

    Args:
        robot: The robot.
        path: The file to write.
        posture: A named posture; ``stand`` where the robot has it, else all joints at 0.

    Raises:
        RobotError: Unknown posture, or the file cannot be written.
        GraphicsError: No offscreen OpenGL.
    """
    pixels = render(robot, robot.posture(posture or ("stand" if "stand" in robot.postures else "zero")))
    try:
        path.write_bytes(png_bytes(pixels))
    except OSError as error:
        raise RobotError(f"the picture cannot be written: {error.strerror or error}", place=str(path)) from error


def render(robot: Robot, joints: np.ndarray) -> np.ndarray:
    """Pixels (720, 720, 3) uint8 of the robot with joint angles ``joints`` (nj,) [rad].

    Raises:
        GraphicsError: No offscreen OpenGL.
    """
    import mujoco

    spec = robot.spec()
    spec.visual.headlight.ambient = [0.45, 0.45, 0.45]
    spec.visual.headlight.diffuse = [0.6, 0.6, 0.6]
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.95, 0.96, 0.98],
        rgb2=[0.75, 0.80, 0.86],
        width=64,
        height=64,
    )
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, angle in zip(robot.joint_names, joints, strict=True):
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    low, high = data.geom_xpos.min(axis=0), data.geom_xpos.max(axis=0)
    camera.lookat = (low + high) / 2.0
    camera.distance = 1.5 * float(np.linalg.norm(high - low)) + 0.1
    camera.azimuth, camera.elevation = 145.0, -12.0
    with offscreen_renderer(model, _WIDTH, _HEIGHT) as renderer:
        renderer.update_scene(data, camera)
        return np.asarray(renderer.render()).copy()

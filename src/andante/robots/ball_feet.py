"""Feet of bare models as balls: what touches is then the same in plans and in physics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from andante.robots.parts import Foot, RobotError
from andante.robots.records import Vector
from andante.robots.robot import Robot


def on_balls(robot: Robot) -> Robot:
    """The robot with a ball wherever a foot is a mesh or a point: what touches is then the same in plan and physics.

    Its shapes touch the ground but not each other: convex hulls of neighbouring meshes overlap and lock the joints.
    """
    spec, model, feet = robot.spec(), robot.model, []
    for foot in robot.feet:
        if _is_ball(model, foot):
            feet.append(foot)
            continue
        place, radius = _ball(robot, model, foot)
        body, site = spec.body(foot.body), spec.site(foot.site)
        for geom in body.geoms:
            geom.contype = geom.conaffinity = 0
        body.add_geom(
            name=f"{foot.name}_ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0.0, 0.0], pos=place, mass=0.0
        )
        site.pos = place
        feet.append(replace(foot, radius=radius))
    for geom in spec.geoms:
        if geom.contype or geom.conaffinity:
            geom.contype, geom.conaffinity = 0, 1
    sources = {**robot.sources, "shapes": "touch the ground, not each other"}
    if not all(_is_ball(model, foot) for foot in robot.feet):
        sources["feet"] = f"{robot.sources.get('feet', '')}; balls as large as the file's shapes"
    return replace(robot, mjcf=spec.to_xml(), feet=tuple(feet), sources=sources)


def _is_ball(model: Any, foot: Foot) -> bool:
    """Whether a sphere of the foot's radius is what the foot's body touches with."""
    if not foot.radius:
        return False
    shapes = np.flatnonzero(model.geom_bodyid == model.body(foot.body).id)
    balls = [geom for geom in shapes if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE]
    return any(abs(float(model.geom_size[geom, 0]) - foot.radius) < 1e-6 for geom in balls)


def _ball(robot: Robot, model: Any, foot: Foot) -> tuple[Vector, float]:
    """Centre in the foot's body and radius of the ball that replaces its shapes: half their largest width.

    Where the body is a whole shank with a foot of its own at the end, it is the ball that fits the foot.
    """
    number = model.body(foot.body).id
    shapes = [geom for geom in range(model.ngeom) if model.geom_bodyid[geom] == number]
    if not shapes:
        raise RobotError("a foot has no shape to stand on", place=f"{robot.name}: {foot.name}", value=foot.body)
    if len(shapes) > 1 and foot.radius:
        return np.array(model.site(foot.site).pos), foot.radius
    geom = max(shapes, key=lambda each: float(model.geom_rbound[each]))
    half = model.geom_aabb[geom, 3:]
    # The narrowest side of a wheel-like foot is its width, not its radius.
    return np.array(model.geom_pos[geom]), float(np.median(half))


def all_balls(robot: Robot) -> bool:
    """Whether every foot touches with a sphere of its radius."""
    return all(_is_ball(robot.model, foot) for foot in robot.feet)

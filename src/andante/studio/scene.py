"""A robot as the page draws and moves it: bodies, joints, shapes, limits, groups, the mirror, postures."""

from __future__ import annotations

import base64
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.motions.editing.mirror import partner_joint
from andante.robots.parts import Joint
from andante.robots.robot import Robot
from andante.robots.tree import joints_of, upwards

_SHAPES = {
    mujoco.mjtGeom.mjGEOM_SPHERE: "sphere",
    mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: "ellipsoid",
    mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
    mujoco.mjtGeom.mjGEOM_BOX: "box",
    mujoco.mjtGeom.mjGEOM_MESH: "mesh",
}
_MOST_FACES = 40_000
"""Meshes with more faces are drawn by their convex hull where the model has one."""


def robot_scene(robot: Robot, *, collisions: bool = False) -> dict[str, Any]:
    """Everything about a robot that the page needs, as JSON; lengths in m, angles in rad, quaternions wxyz.

    Args:
        robot: The robot.
        collisions: Tell what touches in physics as well, for bodies where that is not what is drawn.
    """
    model = robot.model if robot.visuals is None else robot.drawn_spec().compile()
    meshes: dict[int, dict[str, str]] = {}
    bodies = [
        {
            "name": model.body(number).name,
            "parent": int(model.body_parentid[number]) - 1,
            "position": _list(model.body_pos[number]),
            "rotation": _list(model.body_quat[number]),
            "joints": _joints(robot, model, number),
            "shapes": _shapes(model, number, meshes, _drawn(model, number)),
            **_touching(model, number, meshes, collisions),
        }
        for number in range(1, model.nbody)
    ]
    return {
        "name": robot.name,
        "title": robot.title,
        "tick": robot.tick,
        "base": int(model.body(robot.base_body).id) - 1,
        "bodies": bodies,
        "meshes": {str(number): mesh for number, mesh in meshes.items()},
        "joints": [
            {
                **limits_view(joint),
                "follows": joint.follows,
                "mirror": partner_joint(robot, joint.name),
                "sign": -1 if joint.name in robot.mirror.negate else 1,
            }
            for joint in robot.joints
        ],
        "groups": {name: list(joints) for name, joints in robot.groups.items()},
        "postures": {name: _list(robot.posture(name)) for name in robot.postures},
        "handles": _handles(robot, model),
        "feet": [
            {
                "name": foot.name,
                "body": int(model.site(foot.site).bodyid[0]) - 1,
                "position": _list(model.site(foot.site).pos),
                "rotation": _list(model.site(foot.site).quat),
                "outline": [list(corner) for corner in foot.outline],
                "radius": foot.radius,
            }
            for foot in robot.feet
        ],
    }


def limits_view(joint: Joint) -> dict[str, Any]:
    """A joint and its limits, as pages are told."""
    return {
        "name": joint.name,
        "lower": joint.lower,
        "upper": joint.upper,
        "speed": joint.max_velocity,
        "effort": joint.max_effort,
    }


def _handles(robot: Robot, model: mujoco.MjModel) -> list[dict[str, Any]]:
    """What can be dragged: feet, the trunk, and the ends of all groups of joints without a foot (hands, head)."""

    def handle(
        name: str, frame: str, body: int, limb: list[str], site: Any = None, foot: bool = False
    ) -> dict[str, Any]:
        place = (
            {"position": [0.0, 0.0, 0.0], "rotation": [1.0, 0.0, 0.0, 0.0]}
            if site is None
            else {"position": _list(site.pos), "rotation": _list(site.quat)}
        )
        return {"name": name, "frame": frame, "body": body - 1, **place, "foot": foot, "limb": limb}

    handles, feet = [], set[int]()
    for foot in robot.feet:
        body = int(model.site(foot.site).bodyid[0])
        feet.add(body)
        limb = _limb(robot, model, body)
        handles.append(handle(foot.name, foot.site, body, limb, model.site(foot.site), foot=True))
    base = int(model.body(robot.base_body).id)
    handles.append(handle("trunk", robot.base_body, base, []))
    taken = {base, *feet}
    for group, joints in robot.groups.items():
        bodies = [int(model.joint(joint).bodyid[0]) for joint in joints]
        end = bodies[-1] if bodies else base
        # A finger moves no hand: the body before it is what people take hold of.
        sites = [site for site in range(model.nsite) if int(model.site_bodyid[site]) in bodies]
        named = [site for site in sites if model.site(site).name and model.site(site).name != robot.imu_site]
        if any(not set(bodies).isdisjoint(upwards(model, foot)) for foot in feet) or end in taken:
            continue
        taken.add(end)
        site = model.site(named[-1]) if named else None
        frame, body = (model.body(end).name, end) if site is None else (site.name, int(site.bodyid[0]))
        handles.append(handle(group, frame, body, _limb(robot, model, end), site))
    return handles


def _limb(robot: Robot, model: mujoco.MjModel, body: int) -> list[str]:
    """Joints of the groups whose joints carry a body."""
    carried = {model.joint(number).name for each in upwards(model, body) for number in joints_of(model, each)}
    return [joint for joints in robot.groups.values() if carried & set(joints) for joint in joints]


def _joints(robot: Robot, model: mujoco.MjModel, body: int) -> list[dict[str, Any]]:
    slide = mujoco.mjtJoint.mjJNT_SLIDE
    return [
        {
            "joint": robot.index(model.joint(number).name),
            "slide": int(model.jnt_type[number]) == slide,
            "axis": _list(model.jnt_axis[number]),
            "position": _list(model.jnt_pos[number]),
            "zero": float(model.qpos0[model.jnt_qposadr[number]]),
        }
        for number in joints_of(model, body)
        if int(model.jnt_type[number]) in (mujoco.mjtJoint.mjJNT_HINGE, slide)
        and model.joint(number).name in robot.joint_index
    ]


def _geoms(model: mujoco.MjModel, body: int) -> range:
    return range(int(model.body_geomadr[body]), int(model.body_geomadr[body]) + int(model.body_geomnum[body]))


def _colliding(model: mujoco.MjModel, body: int) -> list[int]:
    """What touches the ground and other things in physics."""
    return [geom for geom in _geoms(model, body) if model.geom_contype[geom] or model.geom_conaffinity[geom]]


def _drawn(model: mujoco.MjModel, body: int) -> list[int]:
    """Where a body has pictures and collision shapes in different groups, the pictures."""
    geoms, touching = _geoms(model, body), _colliding(model, body)
    seen = [geom for geom in geoms if geom not in touching]
    groups = {int(model.geom_group[geom]) for geom in geoms}
    return seen if seen and len(groups) > 1 else list(geoms)


def _touching(model: mujoco.MjModel, body: int, meshes: dict[int, dict[str, str]], wanted: bool) -> dict[str, Any]:
    touching = _colliding(model, body)
    if not wanted or touching == _drawn(model, body):
        return {}
    return {"collisions": _shapes(model, body, meshes, touching)}


def _shapes(
    model: mujoco.MjModel, body: int, meshes: dict[int, dict[str, str]], geoms: list[int]
) -> list[dict[str, Any]]:
    shapes = []
    for geom in geoms:
        kind = _SHAPES.get(mujoco.mjtGeom(int(model.geom_type[geom])))
        if kind is None:
            continue
        material = int(model.geom_matid[geom])
        color = model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom]
        shape: dict[str, Any] = {
            "kind": kind,
            "size": _list(model.geom_size[geom]),
            "position": _list(model.geom_pos[geom]),
            "rotation": _list(model.geom_quat[geom]),
            "color": _list(color),
        }
        if kind == "mesh":
            mesh = int(model.geom_dataid[geom])
            if mesh not in meshes:
                meshes[mesh] = _mesh(model, mesh)
            shape["mesh"] = mesh
        shapes.append(shape)
    return shapes


def _mesh(model: mujoco.MjModel, mesh: int) -> dict[str, str]:
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[first : first + count]
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    faces = model.mesh_face[first : first + count]
    if count > _MOST_FACES and int(model.mesh_graphadr[mesh]) >= 0:
        graph = model.mesh_graph[int(model.mesh_graphadr[mesh]) :]
        corners, sides = int(graph[0]), int(graph[1])
        # The hull's table: counts, edges by corner, global numbers of corners, edge list, sides.
        faces = graph[2 + 3 * corners + 3 * sides :][: 3 * sides].reshape(-1, 3)
    return {
        "vertices": base64.b64encode(np.ascontiguousarray(vertices, dtype="<f4").tobytes()).decode(),
        "faces": base64.b64encode(np.ascontiguousarray(faces, dtype="<u4").tobytes()).decode(),
    }


def _list(values: NDArray[Any]) -> list[float]:
    return [float(f"{value:.7g}") for value in np.asarray(values).ravel()]

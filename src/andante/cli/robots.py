"""`andante robots`: which robots there are, what they are, and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.output import answer, asks_json

if TYPE_CHECKING:
    from andante.robots.parts import Foot
    from andante.robots.robot import Robot


def robots(
    name: Annotated[str | None, typer.Argument()] = None,
    draw: Path | None = None,
    posture: str | None = None,
    pack: Path | None = None,
    scale: float | None = None,
    mesh_scale: float | None = None,
) -> None:
    """List the robots that go by a name, or describe and draw one.

    Args:
        name: A robot's name, MJCF, URDF, SDF or pack; default: list them.
        draw: Write a picture (PNG, SVG) of the robot here.
        posture: Named posture for the picture.
        pack: Write the robot as a pack into this folder, to correct what was guessed.
        scale: Factor on all lengths of a file that is not in metres: 0.01 for centimetres, 0.001 for millimetres.
        mesh_scale: Factor on the lengths of its meshes alone.
    """
    from andante.pictures.figures import check_kind, save
    from andante.robots.drawing import robot_figure
    from andante.robots.robot import Robot
    from andante.robots.starter_pack import write_pack

    check_kind(draw)
    if name is None and pack is not None:
        raise typer.BadParameter("name the robot that becomes a pack", param_hint="--pack")
    if name is None and not scale is mesh_scale is None:
        raise typer.BadParameter("name the file whose lengths it multiplies", param_hint="--scale")
    if name is None:
        found = list(Robot.every())
        lines = (f"{each.name:<14}{each.title}: {len(each.joints)} joints, {_mass(each):.3f} kg" for each in found)
        answer({"robots": [_summary(robot) for robot in found] if asks_json() else []}, lines)
        return
    robot = Robot.load(name) if scale is mesh_scale is None else _resized(name, scale, mesh_scale)
    files = () if pack is None else write_pack(robot, pack)
    if not asks_json():
        # Before the picture: a machine that cannot draw has at least the numbers.
        _describe(robot)
        if files:
            meshes = f" and {len(files) - 2} meshes" if files[2:] else ""
            print(f"pack: {files[0]} with its model{meshes}", flush=True)
    if draw is not None:
        save(robot_figure(robot, posture=posture), draw)
    data = _summary(robot) | {"picture": str(draw) if draw else None, "pack": str(files[0]) if files else None}
    answer(data, [] if draw is None else [f"picture: {draw}"])


def _resized(name: str, scale: float | None, mesh_scale: float | None) -> Robot:
    """A robot from a model file whose lengths are multiplied.

    Raises:
        RobotError: It is no model file.
    """
    from andante.robots.bare.loading import load_bare
    from andante.robots.bare.sizes import Sizes
    from andante.robots.parts import RobotError
    from andante.robots.register import MODEL_SUFFIXES, ROBOTS
    from andante.robots.robot import Robot

    path = Path(name)
    if name in ROBOTS or not path.is_file() or path.suffix.lower() not in MODEL_SUFFIXES:
        what = "lengths of a model file alone can be multiplied; packs are in metres"
        raise RobotError(what, value=name, limit=f"a file that is there, {', '.join(MODEL_SUFFIXES)}")
    sizes = Sizes(*(1.0 if each is None else each for each in (scale, mesh_scale)))
    # Meshes that are only looked at are read with it: later they would be drawn as the file has them.
    return load_bare(path, Robot, visuals=True, sizes=sizes)


_OF_A_JOINT = ("name", "lower", "upper", "max_velocity", "max_effort", "follows")


def _mass(robot: Robot) -> float:
    return float(robot.model.body_mass.sum())


def _summary(robot: Robot) -> dict[str, Any]:
    return {
        "name": robot.name,
        "title": robot.title,
        "mass": _mass(robot),
        "tick": robot.tick,
        "joints": [{name: getattr(joint, name) for name in _OF_A_JOINT} for joint in robot.joints],
        "feet": [foot.name for foot in robot.feet],
        "foot_shapes": {
            foot.name: {"body": foot.body, "radius": foot.radius, "outline": [list(corner) for corner in foot.outline]}
            for foot in robot.feet
        },
        "groups": {name: list(joints) for name, joints in robot.groups.items()},
        "mirror": {"pairs": [list(pair) for pair in robot.mirror.pairs], "negate": sorted(robot.mirror.negate)},
        "buttons": list(robot.buttons),
        "postures": sorted(robot.postures),
        "standing_height": _standing_height(robot),
        "aliases": dict(robot.aliases),
        "absent": sorted(robot.absent),
        "sources": dict(robot.sources),
        "doubts": dict(robot.doubts),
    }


def _describe(robot: Robot) -> None:
    import math

    cycle = f"tick {robot.tick * 1e3:g} ms, delay {robot.delay_ticks} ticks"
    print(f"{robot.title} ({robot.name}): {_mass(robot):.3f} kg, {cycle}")
    names = max((len(joint.name) for joint in robot.joints), default=0)
    wide = max(18, names + 1)
    print(f"{'joint':<{wide}}{'lower':>9}{'upper':>9}{'speed':>9}{'effort':>10}   (deg, deg, deg/s, N m)")
    for joint in robot.joints:
        follows = f"   follows {joint.follows}" if joint.follows else ""
        print(
            f"{joint.name:<{wide}} {math.degrees(joint.lower):>8.2f} {math.degrees(joint.upper):>8.2f} "
            f"{math.degrees(joint.max_velocity):>8.1f} {joint.max_effort:>9.3f}{follows}"
        )
    print("feet: " + (", ".join(_foot(foot) for foot in robot.feet) or "none"))
    for name, joints in robot.groups.items():
        if name not in ("all", "legs", "arms"):
            print(f"group {name}: {', '.join(joints)}")
    print("mirror: " + (", ".join(f"{left} {right}" for left, right in robot.mirror.pairs) or "no pairs"))
    print("postures: " + ", ".join(sorted(robot.postures)))
    height = _standing_height(robot)
    if height is not None:
        print(f"stands {height:.3f} m high")
    if robot.absent:
        print("joints that motion files name and this robot has not: " + ", ".join(sorted(robot.absent)))
    for topic, source in robot.sources.items():
        print(f"source of {topic}: {source}")
    for topic, doubt in robot.doubts.items():
        print(f"unsure of {topic}: {doubt}; write a pack that names it, or no verdict will rest on it")


def _foot(foot: Foot) -> str:
    if not foot.outline:
        return f"{foot.name} (body {foot.body}, ball of radius {1e3 * foot.radius:.1f} mm)"
    x, y = zip(*foot.outline, strict=True)
    size = f"{100.0 * (max(x) - min(x)):.1f} x {100.0 * (max(y) - min(y)):.1f} cm"
    return f"{foot.name} (body {foot.body}, sole {size})"


def _standing_height(robot: Robot) -> float | None:
    """Height of the base above the ground in the posture ``stand`` [m]; None where it has none, or no feet."""
    from andante.runs.evaluation.standing import standing_height

    return standing_height(robot) if robot.feet and "stand" in robot.postures else None

"""A pack for a robot that has none: what was read and guessed from its model, written down to be corrected.

The folder has `pack.yaml`, the model as Andante runs it (MJCF, with sites for feet and IMU) and its meshes. Read
again it is the same robot, but for the doubts: whoever writes a pack has decided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from andante.documents.files import write_text
from andante.documents.writer import dump_document
from andante.robots.bare.loading import load_bare
from andante.robots.coupling import FloorCoupling, SafeSets
from andante.robots.description import plain
from andante.robots.loader import SHARED
from andante.robots.pack import (
    Cell,
    PackCouplings,
    PackFloor,
    PackFoot,
    PackJoint,
    PackMirror,
    PackSafeSets,
    RobotPack,
    ServoClass,
)
from andante.robots.parts import RobotError, Servo
from andante.robots.register import PACK_FILE
from andante.robots.robot import Robot

MODEL_FILE = "model.xml"
_SIDES = ("left_", "right_", "l_", "r_", "fl_", "fr_", "hl_", "hr_", "rl_", "rr_")


def write_pack(robot: Robot, folder: Path) -> tuple[Path, ...]:
    """Write a robot as a pack folder.

    Args:
        robot: The robot.
        folder: Made where it is missing; must be empty.

    Returns:
        The files, the pack first.

    Raises:
        RobotError: The folder has something in it, or a mesh's name leads out of it.
        DocumentError: A file cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RobotError("a pack is written into an empty folder", place=str(folder))
    if robot.visuals is not None and robot.visuals == robot.path:
        # Whoever has the pack has no other file to draw it from. A pack's own sites would be lost with it.
        whole = load_bare(robot.visuals, Robot, visuals=True)
        robot = replace(robot, mjcf=whole.mjcf, assets=whole.assets, visuals=None)
    texts = {PACK_FILE: dump_document(pack_of(robot)), MODEL_FILE: robot.mjcf}
    meshes = {name: folder / name for name in robot.assets}
    for name, path in meshes.items():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise RobotError("a mesh's name leads out of the pack", place=str(folder), value=name)
    try:
        for path in (folder / PACK_FILE, *meshes.values()):
            path.parent.mkdir(parents=True, exist_ok=True)
        for name, path in meshes.items():
            path.write_bytes(robot.assets[name])
    except OSError as error:
        raise RobotError(f"the pack cannot be written: {error.strerror or error}", place=str(folder)) from error
    for name, text in texts.items():
        write_text(folder / name, text)
    return (folder / PACK_FILE, folder / MODEL_FILE, *meshes.values())


def pack_of(robot: Robot) -> RobotPack:
    """The pack that says what a robot is."""
    classes = _servo_classes(robot)
    slowest = min(joint.max_acceleration for joint in robot.joints)
    joints = {
        joint.name: PackJoint(
            speed=joint.max_velocity,
            effort=joint.max_effort,
            servo=classes[joint.name],
            follows=joint.follows,
            range=None if _in_model(robot, joint.name) else (joint.lower, joint.upper),
            locator=joint.locator,
            max_acceleration=None if joint.max_acceleration == slowest else joint.max_acceleration,
        )
        for joint in robot.joints
    }
    by_class = {classes[joint.name]: servo for joint, servo in zip(robot.joints, robot.servos, strict=True)}
    feet = [
        vars(foot) | {"cells": tuple(Cell(name=name, x=x, y=y) for name, x, y in foot.cells)} for foot in robot.feet
    ]
    return RobotPack(
        format="andante.robot",
        version=1,
        model=MODEL_FILE,
        **{name: plain(getattr(robot, name)) for name in SHARED},
        max_acceleration=slowest,
        servos={name: _servo_class(servo) for name, servo in by_class.items()},
        joints=joints,
        couplings=_couplings(robot),
        mirror=PackMirror(pairs=robot.mirror.pairs, negate=tuple(sorted(robot.mirror.negate))),
        feet=tuple(PackFoot(**foot) for foot in feet),
        gains=plain(robot.gain_sets),
        absent=tuple(sorted(robot.absent)),
        sources=dict(robot.sources) | {f"unsure: {topic}": reason for topic, reason in robot.doubts.items()},
    )


def _in_model(robot: Robot, name: str) -> bool:
    """Whether the model itself has the joint's limits."""
    joint, model = robot.joints[robot.index(name)], robot.model
    number = model.joint(name).id
    limits = (float(model.jnt_range[number, 0]), float(model.jnt_range[number, 1]))
    return joint.stops is None and bool(model.jnt_limited[number]) and (joint.lower, joint.upper) == limits


def _servo_classes(robot: Robot) -> Mapping[str, str]:
    """Name of each joint's servo class: that of the first joint with such a servo, without its side."""
    alike: dict[ServoClass, list[str]] = defaultdict(list)
    for joint, servo in zip(robot.joints, robot.servos, strict=True):
        alike[_servo_class(servo)].append(joint.name)
    names: dict[str, str] = {}
    for joints in alike.values():
        plain = _without_side(joints[0])
        name = plain if plain not in names.values() else joints[0]
        names |= dict.fromkeys(joints, name)
    return names


def _without_side(joint: str) -> str:
    low = joint.lower()
    return next((low.removeprefix(side) for side in _SIDES if low.startswith(side)), low)


def _servo_class(servo: Servo) -> ServoClass:
    return ServoClass(**{name: getattr(servo, name) for name in ServoClass.model_fields})


def _couplings(robot: Robot) -> PackCouplings:
    floors = [each for each in robot.couplings if isinstance(each, FloorCoupling)]
    sets = [each for each in robot.couplings if isinstance(each, SafeSets)]
    return PackCouplings(
        floors=tuple(PackFloor(joints=((each.joint, each.driver),), rows=each.rows) for each in floors),
        safe_sets=tuple(PackSafeSets(name=each.name, any_of=tuple(dict(part) for part in each.sets)) for each in sets),
    )

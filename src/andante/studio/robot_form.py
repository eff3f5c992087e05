"""What a model says of a robot and what was guessed: shown to be corrected, and written down as a pack."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from andante.documents.problems import DocumentError
from andante.documents.validation import first_problem
from andante.documents.writer import dump_document
from andante.robots.pack import RobotPack
from andante.robots.register import PACK_FILE, ROBOTS
from andante.robots.robot import Robot
from andante.robots.starter_pack import pack_of, write_pack
from andante.studio.errors import StudioError
from andante.studio.messages import WritePack
from andante.studio.scene import limits_view

_MOST_JOINTS = 2000


def robot_told(source: str) -> dict[str, Any]:
    """What a page shows of a robot before it is taken.

    Args:
        source: Its name or file.

    Raises:
        AndanteError: It cannot be loaded.
    """
    robot = Robot.load(source)
    model = robot.model
    return {
        "name": robot.name,
        "title": robot.title,
        "mass": float(model.body_mass.sum()),
        "bodies": [model.body(number).name for number in range(1, model.nbody)],
        "joints": [{**limits_view(joint), "source": ""} for joint in robot.joints[:_MOST_JOINTS]],
        "feet": [{"name": foot.name, "body": foot.body, "radius": foot.radius} for foot in robot.feet],
        "groups": {name: list(joints) for name, joints in robot.groups.items()},
        "pairs": [list(pair) for pair in robot.mirror.pairs],
        "postures": sorted(robot.postures),
        "sources": dict(robot.sources),
        "doubts": dict(robot.doubts),
        "guessed": source not in ROBOTS and Path(source).suffix.lower() not in (".yaml", ".yml"),
    }


def pack_files(source: str, message: WritePack) -> dict[str, bytes]:
    """The files of a pack with what a page has corrected, by their names in its folder.

    Raises:
        AndanteError: The robot cannot be loaded, or a value is not legal.
    """
    robot = Robot.load(source)
    with tempfile.TemporaryDirectory(prefix="andante-pack-") as made:
        folder = Path(made) / "pack"
        write_pack(robot, folder)
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    files[PACK_FILE] = dump_document(_corrected(pack_of(robot), message)).encode()
    return files


def _corrected(pack: RobotPack, message: WritePack) -> RobotPack:
    """A pack with other values; who writes them is their source.

    Raises:
        StudioError: There is no such joint or foot.
        DocumentError: A value is not legal.
    """
    data = pack.model_dump(mode="json")
    for name, joint in message.joints.items():
        if name not in data["joints"]:
            raise StudioError("the robot has no such joint", value=name, legal=data["joints"])
        data["joints"][name] |= joint.model_dump(exclude_none=True)
    by_name = {foot["name"]: foot for foot in data["feet"]}
    for name, corrected in message.feet.items():
        if name not in by_name:
            raise StudioError("the robot has no such foot", value=name, legal=by_name)
        by_name[name]["radius"] = corrected
    data |= {key: value for key in ("name", "title") if (value := getattr(message, key))}
    changed = sorted({*message.joints, *message.feet})
    if changed:
        data["sources"] |= {"corrected": f"by hand in the studio: {', '.join(changed)}"[:2000]}
    try:
        return RobotPack.model_validate(data)
    except ValidationError as error:
        raise first_problem(DocumentError, error, RobotPack, PACK_FILE) from error

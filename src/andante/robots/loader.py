"""Loading robots: packs by name, pack folders, and bare MJCF, URDF or SDF files by path."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_head
from andante.documents.problems import DocumentError
from andante.documents.reader import load_document
from andante.plugins.register import SHIPPED
from andante.robots.coupling import Coupling, FloorCoupling, SafeSets
from andante.robots.description import RobotDescription
from andante.robots.kept import another, kept_or_read
from andante.robots.mesh_files import collect_meshes
from andante.robots.pack import RobotPack
from andante.robots.parts import Foot, Joint, Mirror, RobotError, Servo
from andante.robots.register import MANIFEST, MODEL_SUFFIXES, PACK_FILE, ROBOTS

if TYPE_CHECKING:
    import mujoco

_kept: dict[tuple[str, type[RobotDescription]], Any] = {}
"""Robots that come with Andante and were loaded before, by name and class."""
MAX_PACK = 500_000
"""Largest pack that is read [bytes]; that of a humanoid has 20,000."""
_ROOTS = (b"<robot", b"<mujoco", b"<sdf")
"""What model files begin with after comments."""
_HEAD = 4096
"""How far into a file its root element is looked for [bytes]."""
R = TypeVar("R", bound=RobotDescription)
SHARED = (
    *("name", "title", "base_body", "imu_site", "buttons", "groups", "postures", "tick", "delay_ticks"),
    *("motion_capture", "standing_height", "aliases"),
)
"""Fields that a pack and its robot have alike."""


@budgeted(MODELS, place="name_or_path", error=RobotError)
def load_robot(name_or_path: str | Path, kind: type[R]) -> R:
    """Load a robot of a class; see `Robot.load`.

    Raises:
        RobotError: Unknown name, unreadable or inconsistent model.
        DocumentError: The pack does not follow its schema.
        PluginError: The robot of this name is another package's and cannot be used.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, str) and text in ROBOTS:
        if ROBOTS.source(text) == SHIPPED:
            return _shipped(text, kind)
        with ROBOTS.blame(text, refusals=True):
            robot = load_pack(ROBOTS[text], kind)
            if robot.name != text:
                raise RobotError("the pack calls its robot otherwise", value=robot.name, limit=f"its name {text!r}")
            return robot
    path = Path(text)
    if not text or not os.path.exists(path):
        if path.suffix.lower() in (*MODEL_SUFFIXES, ".yaml", ".yml"):
            raise RobotError("there is no such file of a robot", place=text)
        if isinstance(name_or_path, Path):
            known = f"Robot.load({text!r}) without Path loads it; " if text in ROBOTS else ""
            raise RobotError(
                "there is no such file or folder of a robot; names of robots are text, not a Path",
                place=text,
                remedy=f"{known}a path is that of a pack folder, a MJCF, URDF or SDF file",
                legal=ROBOTS,
            )
        raise RobotError(
            "there is no such robot",
            value=text,
            legal=ROBOTS,
            remedy="or give the path of a pack folder, a MJCF, URDF or SDF file",
        )
    if path.name == MANIFEST or (os.path.isfile(path / MANIFEST) and not os.path.exists(path / PACK_FILE)):
        path = _gazebo_model(path.parent if path.name == MANIFEST and path.is_file() else path)
    if path.is_dir() or path.suffix.lower() in (".yaml", ".yml"):
        return load_pack(path, kind)
    from andante.robots.bare.loading import load_bare

    return kept_or_read(path, kind, lambda: load_bare(path, kind))


def _shipped(name: str, kind: type[R]) -> R:
    """A robot that comes with Andante, whose files are read once in a process; who gets it may change its model."""
    kept = _kept.get((name, kind))
    if kept is None:
        file = ROBOTS[name] / PACK_FILE
        if _from_elsewhere(file):
            # What another package brings may be there, or be another one, the next time.
            return load_pack(file, kind)
        kept = _kept[name, kind] = _read_pack(file, kind)
    return another(kept)


def _gazebo_model(folder: Path) -> Path:
    """The SDF of a folder of Gazebo.

    Raises:
        RobotError: Its manifest names none that is there.
    """
    from andante.robots.sdf.neighbours import model_in

    found = model_in(folder)
    if found is None:
        raise RobotError("the manifest names no SDF that is there", place=str(folder / MANIFEST))
    return found


def read_registered(name: str) -> RobotPack:
    """The pack of a registered robot, whose model need not be there: names and groups of joints stand in the pack.

    Raises:
        AndanteError: There is no such robot, or its pack cannot be read.
    """
    with ROBOTS.blame(name, refusals=True):
        return load_document(ROBOTS[name] / PACK_FILE, RobotPack, max_bytes=MAX_PACK)


def is_robot(path: Path) -> bool:
    """Whether a path is a robot: a model's or pack's file, or a folder with a pack or a Gazebo model; no other one."""
    inside = (path / PACK_FILE, path / MANIFEST)
    return any(each.is_file() for each in inside) if path.is_dir() else path.is_file()


def _models_in(folder: Path) -> Iterator[Path]:
    """Model files in a folder and in those right below it, where packages of ROS have them; no other XML."""
    for each in (*sorted(folder.glob("*")), *sorted(folder.glob("*/*"))):
        with suppress(DocumentError):
            if each.suffix.lower() in MODEL_SUFFIXES and any(root in read_head(each, _HEAD) for root in _ROOTS):
                yield each


@budgeted(MODELS, error=RobotError)
def load_pack(path: Path, kind: type[R]) -> R:
    """Load a robot of a class from the folder of its pack, or the pack's YAML file.

    Raises:
        RobotError: The folder has no pack, or the pack and its MJCF do not fit together.
        MissingModelError: The pack's model comes from elsewhere and was not found.
        DocumentError: The pack does not follow its schema.
    """
    file = path / PACK_FILE if path.is_dir() else path
    if path.is_dir() and not os.path.exists(file):
        models = [str(each) for each in islice(_models_in(path), 5)]
        remedy = f"name its model file: {', '.join(models)}" if models else "name a pack, a MJCF, URDF or SDF file"
        raise RobotError(f"the folder is no robot's pack, it has no {PACK_FILE}", place=str(path), remedy=remedy)
    return kept_or_read(file, kind, lambda: _read_pack(file, kind), lambda: _from_elsewhere(file))


def _from_elsewhere(file: Path) -> list[Path]:
    """The model of a pack that comes from elsewhere, as it is found now; none where it lies beside its pack."""
    pack = load_document(file, RobotPack, max_bytes=MAX_PACK)
    if pack.elsewhere is None:
        return []
    from andante.robots import elsewhere

    return [elsewhere.model_file(pack, pack.elsewhere)]


def _read_pack(file: Path, kind: type[R]) -> R:
    from andante.robots.model_text import compile_text, parse_file, read_model_text

    pack, visuals = load_document(file, RobotPack, max_bytes=MAX_PACK), None
    if pack.elsewhere is not None:
        from andante.robots import elsewhere

        foreign = elsewhere.model_file(pack, pack.elsewhere)
        mjcf, model, assets, seen = elsewhere.read_model(pack, foreign)
        visuals = foreign if seen else None
    else:
        model_file = file.parent / pack.model
        mjcf, root = read_model_text(model_file)
        if root != "mujoco":
            raise RobotError("a pack's model must be MJCF", place=f"{file}: model", value=pack.model)
        assets = collect_meshes(parse_file(model_file), model_file)
        # What is kept must compile on its own: an include, for one, would not be found again.
        _, model = compile_text(mjcf, place=str(model_file), assets=assets)
    robot = replace(build_robot(pack, mjcf, model, file, kind, assets), visuals=visuals)
    # What was compiled is the robot's own model.
    robot.__dict__["model"] = model
    return robot


def build_robot(
    pack: RobotPack,
    mjcf: str,
    model: mujoco.MjModel,
    file: Path,
    kind: type[R],
    assets: Mapping[str, bytes] | None = None,
) -> R:
    """Put a pack and its model together.

    Args:
        pack: The pack.
        mjcf: The model as text.
        model: The same, compiled.
        file: Where the pack comes from, for messages.
        kind: The class of robot.
        assets: Mesh and texture files of the model by name.

    Raises:
        RobotError: A name in one is missing in the other, or a limit is missing.
    """
    from andante.robots.model_text import hinge_limits

    place = str(file)
    hinges = hinge_limits(model, f"{place}: model")
    joints, servos = [], []
    for name, entry in pack.joints.items():
        where = f"{place}: joints.{name}"
        _known(name, hinges, "the model has no such joint", where)
        if entry.follows is not None:
            leader = _known(entry.follows, pack.joints, "the joint to follow is not in the pack", f"{where}.follows")
            if leader == name or pack.joints[leader].follows is not None:
                raise RobotError(
                    "a joint can only follow one with its own motor", place=f"{where}.follows", value=leader
                )
        servo = pack.servos[_known(entry.servo, pack.servos, "there is no such servo class", f"{where}.servo")]
        limits = entry.range or hinges[name]
        if limits is None:
            raise RobotError(
                "the joint has no position limits in the model", place=where, remedy="give it a range there or here"
            )
        lower, upper = limits
        joints.append(
            Joint(
                name=name,
                lower=lower,
                upper=upper,
                max_velocity=entry.speed,
                max_effort=entry.effort,
                max_acceleration=entry.max_acceleration or pack.max_acceleration,
                follows=entry.follows,
                stops=hinges[name] if entry.range is not None else None,
                locator=entry.locator,
            )
        )
        # A joint that its model limits further would be told as stronger than it is.
        most = min(servo.max_torque, _joint_limit(model, name))
        servos.append(Servo(**{**dict(servo), "max_torque": most}, max_velocity=entry.speed))
    missing = [name for name in hinges if name not in pack.joints]
    if missing:
        raise RobotError(
            "the model has a joint that the pack does not name", place=f"{place}: joints", value=missing[0]
        )
    _check_names(pack, place)
    bodies = [model.body(number).name for number in range(model.nbody)]
    sites = [model.site(number).name for number in range(model.nsite)]
    _known(pack.base_body, bodies, "the model has no such body", f"{place}: base_body")
    _known(pack.imu_site, sites, "the model has no such site", f"{place}: imu_site")
    for index, foot in enumerate(pack.feet):
        _known(foot.body, bodies, "the model has no such body", f"{place}: feet[{index}].body")
        _known(foot.site, sites, "the model has no such site", f"{place}: feet[{index}].site")
    feet = [dict(foot) | {"cells": tuple((cell.name, cell.x, cell.y) for cell in foot.cells)} for foot in pack.feet]
    return kind(
        **{name: getattr(pack, name) for name in SHARED},
        joints=tuple(joints),
        servos=tuple(servos),
        mjcf=mjcf,
        feet=tuple(Foot(**foot) for foot in feet),
        mirror=Mirror(pack.mirror.pairs, frozenset(pack.mirror.negate)),
        couplings=_couplings(pack),
        assets=assets or {},
        sources=pack.sources,
        gain_sets={name: _gains(pack, name, place) for name in pack.gains},
        absent=frozenset(pack.absent),
        path=file,
    )


def _joint_limit(model: mujoco.MjModel, name: str) -> float:
    """Torque that the model lets act on a joint [N m]; infinite where it does not say."""
    joint = model.joint(name).id
    return float(model.jnt_actfrcrange[joint, 1]) if model.jnt_actfrclimited[joint] else math.inf


def _couplings(pack: RobotPack) -> tuple[Coupling, ...]:
    floors = [
        FloorCoupling(joint, driver, floor.rows) for floor in pack.couplings.floors for joint, driver in floor.joints
    ]
    return (*floors, *(SafeSets(entry.name, entry.any_of) for entry in pack.couplings.safe_sets))


def _gains(pack: RobotPack, name: str, place: str) -> dict[str, tuple[float, float]]:
    """A set of gains by joint; a joint's own entry comes before that of its servo class."""
    entries = pack.gains[name]
    for entry in entries:
        _known(entry, (*pack.joints, *pack.servos), "no such joint or servo class", f"{place}: gains.{name}")
    found = {joint: entries.get(joint, entries.get(each.servo)) for joint, each in pack.joints.items()}
    return {joint: gains for joint, gains in found.items() if gains is not None}


def _check_names(pack: RobotPack, place: str) -> None:
    """Every joint that the pack speaks of is one of its joints, inside its groups, mirror and postures."""
    named: list[tuple[str, Iterable[str]]] = [(f"groups.{group}", names) for group, names in pack.groups.items()]
    named += [("mirror.pairs", pair) for pair in pack.mirror.pairs] + [("mirror.negate", pack.mirror.negate)]
    for number, floor in enumerate(pack.couplings.floors):
        named += [(f"couplings.floors[{number}].joints", pair) for pair in floor.joints]
    for number, entry in enumerate(pack.couplings.safe_sets):
        named += [(f"couplings.safe_sets[{number}].any_of", ranges) for ranges in entry.any_of]
    named += [(f"aliases.{alias}", [name]) for alias, name in pack.aliases.items()]
    named += [(f"postures.{posture}", angles) for posture, angles in pack.postures.items()]
    for where, names in named:
        for name in names:
            _known(name, pack.joints, "unknown joint", f"{place}: {where}")


def _known(name: str, legal: Iterable[str], what: str, place: str) -> str:
    names = list(legal)
    if name not in names:
        raise RobotError(what, place=place, value=name, legal=names)
    return name

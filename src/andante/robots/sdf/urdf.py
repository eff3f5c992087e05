"""An SDF as a URDF, which goes the way of all URDF from there.

A link of a URDF has its frame where its joint is, that of an SDF anywhere; so shapes and masses move against the new
one, which is turned as the old one was. The base has the axes of the model, whose z is up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from andante.robots.model_budget import look_at_model
from andante.robots.parts import RobotError
from andante.robots.sdf.assembly import Assembly, ModelPart, assembled
from andante.robots.sdf.elements import inverse, own_name, parsed, transform, version_of
from andante.robots.sdf.gearboxes import gears_of
from andante.robots.sdf.inertials import urdf_inertial
from andante.robots.sdf.joints import GEARBOX, KINDS, JointAxis, add_joint, axes_of, ends_of, kind_of, step_names
from andante.robots.sdf.loops import Loop, loop_of, tree_and_loops
from andante.robots.sdf.roots import base_of, robot_of
from andante.robots.sdf.shapes import made_meshes, urdf_shape
from andante.robots.sdf.tally import Tally
from andante.spatial.arrays import Array
from andante.spatial.rotations import from_matrix, to_rpy

SDF = "sdf"
"""The root element of an SDF."""
_OF_LINK = ("pose", "inertial", "collision", "self_collide")
_OF_COLLISION = ("pose", "geometry")
_FREE = "andante_root"
"""The joint of a base that nothing holds."""


@dataclass(frozen=True)
class SdfModel:
    """A model that was read."""

    urdf: str
    """The same robot as URDF; meshes are named by their paths."""
    meshes: Mapping[str, bytes]
    """Meshes that the text names and that are no files."""
    springs: Mapping[str, tuple[float, float]]
    """Stiffness [N m/rad, N/m] and place of rest [rad, m] of joints with springs, for which URDF has no word."""
    loops: tuple[Loop, ...]
    """Links that joints tie together besides."""
    told: str
    """What was read, what was left out, and what is otherwise."""


def urdf_of(text: str, path: Path) -> SdfModel:
    """Turn an SDF into a URDF.

    Args:
        text: The SDF, already looked at.
        path: Its file; included models and meshes are looked up from there.

    Raises:
        RobotError: Not one robot, an unknown version, a name or a number that is wrong, a kind of joint that
            is not read, or a file that is not found.
    """
    root = parsed(text)
    version = version_of(root, path)
    beside = Tally()
    source = robot_of(root, version, path, beside)
    model = assembled(source.model, source.version, source.file)
    if not model.links:
        raise RobotError("the model has no links", place=str(source.file), value=source.model.get("name"))
    ends = {joint.name: ends_of(joint, model) for joint in model.joints}
    gearboxes = [each for each in model.joints if (each.element.get("type") or "").strip() == GEARBOX]
    model.joints = [each for each in model.joints if each not in gearboxes]
    gears = gears_of(gearboxes, model.joints, ends, model)
    joints = [each for each in model.joints if not (ends[each.name][0] == "world" and kind_of(each) == "fixed")]
    held = len(joints) < len(model.joints) or source.held()
    joints, closing = tree_and_loops(joints, ends)
    base, hangs = base_of(model, joints, ends, source.file)
    frames = _new_frames(model, joints, ends, base)
    made = Element("robot", name=own_name(source.name, str(path), "model"))
    if hangs or not held:
        SubElement(made, "link", name="world")
    for link in model.links.values():
        _add_link(made, link, model, frames[link.name])
    if not hangs and not held:
        add_joint(made, _FREE, "floating", "world", base)
    springs: dict[str, tuple[float, float]] = {}
    for joint in joints:
        for name, axis in _add_joint(made, joint, model, ends[joint.name], frames).items():
            if axis.stiffness and axis.at is None:
                springs[name] = (axis.stiffness, axis.rest)
    for follower in made.findall("joint"):
        if (gear := gears.get(follower.get("name", ""))) is not None:
            follower.append(gear)
    loops = tuple(loop_of(joint, model, ends[joint.name], frames) for joint in closing)
    urdf = tostring(made, encoding="unicode")
    look_at_model(urdf, place=str(path))
    told = [f"SDF 1.{source.version}, read as URDF"]
    if source.file != path:
        told.append(f"the model that {path.name} includes, of {source.file.parent.name}/{source.file.name}")
    for what, tally in (("left out", model.left_out), ("left out beside the model", beside), ("", model.changed)):
        if clause := tally.told():
            told.append(f"{what}: {clause}" if what else clause)
    return SdfModel(urdf, made_meshes(urdf), springs, loops, "; ".join(told))


def _new_frames(
    model: Assembly, joints: Sequence[ModelPart], ends: Mapping[str, tuple[str, str]], base: str
) -> dict[str, Array]:
    """Frames of URDF's links against the outermost model's (4, 4) [m], by link; the world's is that frame itself."""
    frames = {"world": np.eye(4)}
    for joint in joints:
        child = ends[joint.name][1]
        place = model.frames.pose(joint.name)[:3, 3]
        frames[child] = transform(model.frames.pose(child)[:3, :3], place)
    if base not in frames:
        frames[base] = transform(np.eye(3), model.frames.pose(base)[:3, 3])
    return frames


def _add_link(made: Element, link: ModelPart, model: Assembly, frame: Array) -> None:
    """Write a link."""
    new = SubElement(made, "link", name=link.name)
    model.left_out.rest(link.element, _OF_LINK)
    back = inverse(frame)
    inertial, usual = urdf_inertial(link.element, link.place, model.left_out)
    if usual:
        model.changed.add("mass or inertia not said, so SDF's own 1 kg and 1 kg m^2:", link.name)
    _origin(inertial, back @ model.placed(link, link.element.find("inertial/pose"), f"{link.place}: inertial"))
    new.append(inertial)
    for number, collision in enumerate(link.element.findall("collision")):
        place = f"{link.place}: collision {collision.get('name') or number!r}"
        model.left_out.rest(collision, _OF_COLLISION)
        shape = urdf_shape(collision.find("geometry"), link.file, place, model)
        if shape is not None:
            piece = SubElement(new, "collision")
            _origin(piece, back @ model.placed(link, collision.find("pose"), place))
            piece.append(shape)


def _add_joint(
    made: Element, joint: ModelPart, model: Assembly, ends: tuple[str, str], frames: Mapping[str, Array]
) -> dict[str, JointAxis]:
    """Write a joint, one of two axes as two with a link without mass between them; gives its axes by URDF's names."""
    parent, child = ends
    axes = axes_of(joint, model)
    if not axes:
        new = add_joint(made, joint.name, KINDS[kind_of(joint)], parent, child)
        _origin(new, inverse(frames[parent]) @ frames[child])
        return {}
    between = [f"{joint.name}_between"] if len(axes) > 1 else []
    for name in between:
        SubElement(made, "link", name=name)
    links = [parent, *between, child]
    origin = inverse(frames[parent]) @ frames[child]
    turn = frames[child][:3, :3].T
    found = dict(zip(step_names(joint.name, len(axes) > 1), axes, strict=True))
    for number, (name, axis) in enumerate(found.items()):
        along = turn @ axis.direction
        new = add_joint(made, name, axis.kind if axis.at is None else "fixed", links[number], links[number + 1])
        _origin(new, origin @ axis.held(along))
        SubElement(new, "axis", xyz=" ".join(repr(float(each)) for each in along))
        new.extend(axis.parts)
        origin = np.eye(4)
    return found


def _origin(element: Element, at: Array) -> None:
    turns = to_rpy(from_matrix(at[:3, :3]))
    numbers = [" ".join(repr(float(each)) for each in part) for part in (at[:3, 3], turns)]
    SubElement(element, "origin", xyz=numbers[0], rpy=numbers[1])

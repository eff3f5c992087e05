"""Which model of an SDF is the robot, and which of its links is the base."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from andante.robots.parts import RobotError
from andante.robots.sdf.assembly import Assembly, ModelPart
from andante.robots.sdf.elements import flag, word
from andante.robots.sdf.neighbours import LOOKED_FOR, Neighbours, found_model
from andante.robots.sdf.tally import Tally

_NAMED = 5
"""Most names in a message."""
_SCENERY = ("sun", "ground_plane")
"""Names of models that nearly every world includes, and that are no robot."""
_OF_INCLUDE = ("uri", "name", "pose", "static", "placement_frame")


class RobotModel(NamedTuple):
    """The model that is the robot, and where it stands."""

    model: Element
    """Its ``<model>``."""
    version: int
    """Second number of its file's version of SDF."""
    file: Path
    """Its file: the one that was named, or one that its world includes."""
    element: Element
    """What stands for it in the named file: the model, or an ``<include>``."""
    holder: Element
    """What that is in: the file's root, or a ``<world>``."""

    @property
    def name(self) -> str:
        """What the named file calls it."""
        return (self.element.findtext("name") or "").strip() or self.model.get("name", "")

    def held(self) -> bool:
        """Whether it is held in the world.

        Raises:
            RobotError: It says neither true nor false.
        """
        return any(flag(each, "static", str(self.file)) for each in (self.model, self.element))


def robot_of(root: Element, version: int, path: Path, beside: Tally) -> RobotModel:
    """The model of a file; in a world the only one with joints, be it there or included.

    Args:
        root: The file's root.
        version: Second number of its version of SDF.
        path: The file.
        beside: What else is in it is put down here.

    Raises:
        RobotError: There is none, or several, or one is included that is not found and may be it.
    """
    worlds, lost = root.findall("world"), list[str]()
    found = [RobotModel(model, version, path, model, root) for model in root.findall("model")]
    if not found:
        own = [RobotModel(model, version, path, model, world) for world in worlds for model in world.findall("model")]
        found = [each for each in own if each.model.find(".//joint") is not None]
    if not found:
        found, lost = _included(worlds, version, path)
    if len(found) != 1 or lost:
        names = [each.name for each in found]
        limit = "one <model>; in a <world> one that has joints"
        remedy = f"name the file of the robot's own model: {', '.join(lost[:_NAMED])}; {LOOKED_FOR}" if lost else ""
        raise RobotError("the robot cannot be told", place=str(path), value=names, limit=limit, remedy=remedy)
    source = found[0]
    for other in (*root, *(source.holder if source.holder is not root else ())):
        if other is not source.element and other is not source.holder:
            beside.add(other.tag, other.get("name") or (other.findtext("uri") or "").strip())
    if source.element is not source.model:
        beside.rest(source.element, _OF_INCLUDE)
    return source


def _included(worlds: Sequence[Element], version: int, path: Path) -> tuple[list[RobotModel], list[str]]:
    """Models with joints that worlds include, in models of their own, too; and what is included and not found."""
    neighbours, found, lost = Neighbours(), list[RobotModel](), list[str]()
    for world in worlds:
        for element in world:
            uris = [word(each, "uri", f"{path}: include") for each in element.iter("include")]
            names = [uri for uri in uris if uri.rpartition("/")[2].lower().replace(" ", "_") not in _SCENERY]
            missing = [uri for uri in names if found_model(uri, path) is None]
            lost += missing
            if missing or not names:
                continue
            source = RobotModel(element, version, path, element, world)
            if element.tag == "include":
                model, its, file = neighbours.model(names[0], (path,), f"{path}: include {names[0]!r}")
                source = RobotModel(model, its, file, element, world)
            if _has_joints(source.model, dict.fromkeys((path, source.file)), neighbours):
                found.append(source)
    return found, lost


def _has_joints(model: Element, files: Collection[Path], neighbours: Neighbours) -> bool:
    """Whether a model has joints, or one that it includes; ``files`` are its own after those that include it."""
    if model.find(".//joint") is not None:
        return True
    for include in model.iter("include"):
        place = f"{[*files][-1]}: include"
        uri = word(include, "uri", place)
        inner, _, file = neighbours.model(uri, tuple(files), f"{place} {uri!r}")
        if _has_joints(inner, (*files, file), neighbours):
            return True
    return False


def base_of(
    model: Assembly, joints: Sequence[ModelPart], ends: Mapping[str, tuple[str, str]], path: Path
) -> tuple[str, bool]:
    """The link that hangs on no other one, and whether a joint that moves joins it with the world.

    Args:
        model: The model.
        joints: Its joints, one for each child, but for those that hold it in the world.
        ends: Parent and child of each.
        path: The file, for messages.

    Raises:
        RobotError: Links hang on each other in a circle, or there are several bases.
    """
    above = {ends[joint.name][1]: ends[joint.name][0] for joint in joints}
    free = [name for name in model.links if name not in above]
    hung = [name for name, parent in above.items() if parent == "world"]
    if len(free) + len(hung) != 1:
        what = "several links are bases" if free or hung else "no link is the base: joints lead in a circle"
        mend = "join them by fixed joints, turn parent and child of a joint around, or take out what is not the robot's"
        remedy = mend if free else ""
        raise RobotError(what, place=str(path), value=[*free, *hung][:_NAMED], limit="one base", remedy=remedy)
    _all_hang(model, above, path)
    return (*free, *hung)[0], bool(hung)


def _all_hang(model: Assembly, above: Mapping[str, str], path: Path) -> None:
    """Every link hangs on the base, none in a circle beside it."""
    sure = {name for name in model.links if name not in above} | {"world"}
    for name in model.links:
        steps: list[str] = []
        while name not in sure:
            steps.append(name)
            if len(steps) > len(model.links):
                raise RobotError("joints lead in a circle", place=str(path), value=steps[:_NAMED])
            name = above[name]
        sure.update(steps)

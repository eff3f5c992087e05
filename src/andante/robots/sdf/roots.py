"""Which model of an SDF is the robot, and which of its links is the base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from andante.robots.parts import RobotError
from andante.robots.sdf.assembly import Assembly, ModelPart
from andante.robots.sdf.tally import Tally

_NAMED = 5
"""Most names in a message."""


def robot_of(root: Element, path: Path, beside: Tally) -> Element:
    """The model of a file; in a world the only one with joints.

    Args:
        root: The file's root.
        path: The file, for messages.
        beside: What else is in it is put down here.

    Raises:
        RobotError: There is none, or several.
    """
    holder, models = root, root.findall("model")
    if not models:
        for world in root.findall("world"):
            holder = world
            models += [each for each in world.findall("model") if each.find(".//joint") is not None]
    if len(models) != 1:
        included = [(each.findtext("uri") or "").strip() for each in root.findall("world/include")][:_NAMED]
        remedy = f"name the file of the robot's own model: {', '.join(included)}" if included else ""
        names = [each.get("name", "") for each in models]
        limit = "one <model>; in a <world> one that has joints"
        raise RobotError("the robot cannot be told", place=str(path), value=names, limit=limit, remedy=remedy)
    for other in (*root, *(holder if holder is not root else ())):
        if other is not models[0] and other is not holder:
            beside.add(other.tag, other.get("name") or (other.findtext("uri") or "").strip())
    return models[0]


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

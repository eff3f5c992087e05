"""A model with all that it includes and nests, as one list of links, joints and frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from andante.robots.model_budget import MAX_ELEMENTS, MAX_KIND
from andante.robots.parts import RobotError
from andante.robots.sdf.elements import flag, name_of, own_name, pose, reference, word
from andante.robots.sdf.frames import MODEL, NOTHING, FrameName, SdfFrames, scoped
from andante.robots.sdf.neighbours import Neighbours
from andante.robots.sdf.tally import Tally
from andante.spatial.arrays import Array

_OF_MODEL = ("pose", "frame", "link", "joint", "model", "include", "self_collide")
_OF_INCLUDE = ("uri", "name", "pose", "placement_frame")
_DEEPEST_SCOPE = 2000
"""Most characters of the names of models in each other."""
_UNIQUE = 7
"""From this version on links, joints and frames of a model have no name in common."""


class ModelPart(NamedTuple):
    """A link, a joint or a model, and where it stands."""

    name: str
    """Its scoped name."""
    element: Element
    scope: str
    """The nested model that it is in; empty: the outermost."""
    home: str
    """Name in that scope of the frame that it calls its model's."""
    version: int
    """Second number of its file's version of SDF."""
    files: tuple[Path, ...]
    """Its file, after those that include it, the outermost first."""
    place: str
    """The same for messages."""

    @property
    def file(self) -> Path:
        """Its file."""
        return self.files[-1]

    def of(self, name: str) -> FrameName:
        """A frame as this part calls it."""
        return FrameName(self.scope, self.home if name == MODEL else name)


@dataclass
class Assembly:
    """Links, joints and frames of a model."""

    frames: SdfFrames = field(default_factory=SdfFrames)
    links: dict[str, ModelPart] = field(default_factory=dict)
    joints: list[ModelPart] = field(default_factory=list)
    left_out: Tally = field(default_factory=Tally)
    """What a robot has no place for."""
    changed: Tally = field(default_factory=Tally)
    """What it has otherwise."""
    neighbours: Neighbours = field(default_factory=Neighbours)
    elements: int = 0

    def placed(self, part: ModelPart, own: Element | None, place: str) -> Array:
        """Where something of a link is, against the outermost model's frame (4, 4) [m].

        Args:
            part: The link.
            own: The ``<pose>``; None: it is the link's.
            place: Where it stands, for messages.

        Raises:
            RobotError: A number or a frame is wrong.
        """
        named = reference(own)
        on = self.frames.known(part.of(named), place) if named else part.name
        return self.frames.pose(on) @ pose(own, place)


def assembled(model: Element, version: int, file: Path) -> Assembly:
    """Put a model together.

    Args:
        model: Its ``<model>``.
        version: Second number of the version of SDF.
        file: Its file.

    Raises:
        RobotError: A name is missing or not unique, a number is wrong, or an included model is not found.
    """
    found = Assembly()
    place = f"{file}: model {name_of(model, str(file))!r}"
    _count(found, model, place)
    found.frames.add(MODEL, np.eye(4), on=NOTHING, attached=_canonical(model, ""), place=place)
    _take(found, model, ModelPart("", model, "", MODEL, version, (file,), place))
    found.frames.check()
    return found


def _count(found: Assembly, model: Element, place: str) -> None:
    """Count the elements of a file's model."""
    found.elements += sum(1 for _ in model.iter())
    if found.elements > MAX_ELEMENTS:
        limit = f"{MAX_ELEMENTS} in all"
        raise RobotError("there are too many elements, included ones counted", place=place, limit=limit)


def _canonical(model: Element, scope: str) -> FrameName:
    """The link with which a model's frame moves: the one it names, else its first; no name: one inside of it."""
    first = model.find("link")
    named = model.get("canonical_link") or ("" if first is None else first.get("name")) or ""
    return FrameName(scope, named.strip())


def _take(found: Assembly, model: Element, at: ModelPart) -> None:
    """Take in what is in a model; ``at`` is where."""
    found.left_out.rest(model, _OF_MODEL)
    flag(model, "static", at.place)
    if not flag(model, "self_collide", at.place):
        found.changed.add("its parts collide with each other, in SDF only with self_collide", at.scope)
    # Links first: where an old file gives a joint the name of a link, the joint is renamed.
    for tag in ("link", "joint", "frame"):
        for child in model.findall(tag):
            _add(found, child, at)
    for child in model:
        if child.tag == "model":
            name = name_of(child, at.place)
            placing = (child.get("placement_frame") or "").strip()
            _nest(found, child, at._replace(name=name), child.find("pose"), placing)
        elif child.tag == "include":
            _include(found, child, at)


def _add(found: Assembly, child: Element, at: ModelPart) -> None:
    """Take in a link, a joint or a frame."""
    name = name_of(child, at.place)
    place = f"{at.place}: {child.tag} {name!r}"
    if at.version < _UNIQUE and child.tag != "link" and found.frames.has(scoped(at.scope, name)):
        name = f"{name}_{child.tag}"
    part = at._replace(name=scoped(at.scope, name), element=child, place=place)
    usual, attached = MODEL, None
    if child.tag == "joint":
        usual = word(child, "child", place)
        attached = part.of(usual)
        found.joints.append(part)
    elif child.tag == "frame":
        usual = (child.get("attached_to") or "").strip() or MODEL
        attached = part.of(usual)
    else:
        found.links[part.name] = part
    for kind, held in (("link", found.links), ("joint", found.joints)):
        if len(held) > MAX_KIND[kind]:
            raise RobotError(f"there are too many <{kind}> elements", place=place, limit=f"{MAX_KIND[kind]}")
    own = child.find("pose")
    on = part.of(reference(own) or usual)
    found.frames.add(part.name, pose(own, place), on=on, attached=attached, place=place)


def _nest(found: Assembly, model: Element, at: ModelPart, own: Element | None, placing: str) -> None:
    """Take in a model inside of another one, as ``at.name``."""
    scope = scoped(at.scope, at.name)
    place = f"{at.place}: model {at.name!r}"
    if len(scope) > _DEEPEST_SCOPE:
        limit = f"{_DEEPEST_SCOPE} characters of all their names"
        raise RobotError("models are nested too deeply", place=str(at.file), value=len(scope), limit=limit)
    found.frames.add(
        scoped(scope, MODEL),
        pose(own, place),
        on=at.of(reference(own) or MODEL),
        attached=_canonical(model, scope),
        place=place,
        placing=FrameName(scope, placing),
    )
    _take(found, model, ModelPart("", model, scope, MODEL, at.version, at.files, place))


def _include(found: Assembly, child: Element, at: ModelPart) -> None:
    """Take in a model of another file."""
    uri = word(child, "uri", f"{at.place}: include")
    place = f"{at.place}: include {uri!r}"
    found.left_out.rest(child, _OF_INCLUDE)
    flag(child, "static", place)
    model, version, file = found.neighbours.model(uri, at.files, place)
    _count(found, model, place)
    named = (child.findtext("name") or "").strip()
    name = own_name(named, place, "include") if named else name_of(model, str(file))
    own = child.find("pose")
    if own is None:
        # Its own pose is given against the model in which it is put.
        own = model.find("pose")
    placing = (child.findtext("placement_frame") or model.get("placement_frame") or "").strip()
    inside = ModelPart(name, model, at.scope, at.home, version, (*at.files, file), place)
    if (child.get("merge") or "").strip().lower() not in ("true", "1"):
        _nest(found, model, inside, own, placing)
        return
    home = f"_merged__{name}__model__"
    merged = inside._replace(name="", home=home)
    found.frames.add(
        scoped(at.scope, home),
        pose(own, place),
        on=at.of(reference(own) or MODEL),
        attached=_canonical(model, at.scope),
        place=place,
        placing=merged.of(placing),
    )
    _take(found, model, merged)

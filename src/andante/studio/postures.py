"""The user's own postures: blocks of one keyframe in a library of the workspace, each with a motion that takes it.

The file is an ordinary document, so the command line checks, converts and plays it, and the studio opens it like any
other.
"""

from __future__ import annotations

import json
import re

from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot
from andante.studio.editing import changed_library
from andante.studio.errors import StudioError
from andante.studio.keyframe_edits import whole
from andante.studio.live_library import LiveLibrary
from andante.studio.messages import ChangeLibrary, ChangePostures
from andante.studio.splices import Edit

_DURATION = 1.0
"""Time in which the motion of a posture takes it [s]."""


def posture_file(robot: Robot) -> str:
    """Name of the file with the postures of a robot."""
    return f"postures-{re.sub(r'[^a-z0-9]+', '-', robot.name.lower()).strip('-') or 'robot'}.yaml"


def new_text(robot: str) -> str:
    """A document without postures.

    Args:
        robot: The robot as the document that is open names it.
    """
    return (
        "# Postures kept by the studio: each block is one, and the motion of its name takes it.\n"
        "format: andante.motions\nversion: 1\nunits: {angle: deg, time: ms, length: mm}\n"
        f"robot: {json.dumps(robot, ensure_ascii=False) if re.search(r'[^A-Za-z0-9_-]', robot) else robot}\n"
    )


def postures_of(library: MotionLibrary) -> dict[str, dict[str, float]]:
    """The postures in a library: its blocks of one keyframe, angles by joint [rad]."""
    return {
        name: {joint: target for joint, target in block.keyframes[0].joints.items() if isinstance(target, float)}
        for name, block in library.blocks.items()
        if len(block.keyframes) == 1
    }


def posture_edit(message: ChangePostures, live: LiveLibrary, robot: Robot) -> Edit:
    """The splices that keep, rename or delete a posture.

    Raises:
        StudioError: It is impossible.
        DocumentError: The document has a mistake.
    """
    if message.do == "keep_posture":
        return whole(live, lambda library: _kept(library, message, robot))
    if message.do == "rename_posture":
        return whole(live, lambda library: _renamed(library, message.name, message.to))
    return whole(live, lambda library: _deleted(library, message.name))


def _kept(library: MotionLibrary, message: ChangePostures, robot: Robot) -> MotionLibrary:
    name = message.name.strip()
    if not name:
        raise StudioError("the posture needs a name")
    for joint in message.joints:
        robot.index(joint)
    if not message.joints:
        raise StudioError("the posture says nothing of any joint", value=name)
    if name in library.blocks and not message.overwrite:
        raise StudioError("there is a posture of this name", value=name, remedy="take another name, or replace it")
    old = library.blocks.get(name)
    joints = dict(message.joints)
    if old is not None and len(old.keyframes) == 1:
        block = old.model_copy(update={"keyframes": (old.keyframes[0].model_copy(update={"joints": joints}),)})
    elif old is not None:
        raise StudioError("the block of this name is no posture", value=name, limit="one keyframe")
    else:
        block = Block(keyframes=(Keyframe(duration=_DURATION, joints=joints),))
    motions = library.motions if name in library.motions else {**library.motions, name: Motion(blocks=(name,))}
    return library.model_copy(update={"blocks": {**library.blocks, name: block}, "motions": motions})


def _renamed(library: MotionLibrary, old: str, new: str) -> MotionLibrary:
    _known(library, old)
    library = changed_library(library, _change("blocks", old, new.strip()))
    return changed_library(library, _change("motions", old, new.strip())) if old in library.motions else library


def _change(kind: str, old: str, new: str) -> ChangeLibrary:
    return ChangeLibrary.model_validate(
        {"do": "library", "revision": 0, "kind": kind, "action": "rename", "name": old, "to": new}
    )


def _deleted(library: MotionLibrary, name: str) -> MotionLibrary:
    _known(library, name)
    users = [key for key, motion in library.motions.items() if name in motion.blocks and key != name]
    if users:
        raise StudioError("motions play this posture", value=name, limit=f"none of {', '.join(users[:5])}")
    blocks = {key: block for key, block in library.blocks.items() if key != name}
    motions = {key: motion for key, motion in library.motions.items() if key != name}
    return library.model_copy(update={"blocks": blocks, "motions": motions})


def _known(library: MotionLibrary, name: str) -> None:
    if name not in postures_of(library):
        raise StudioError("there is no such posture", value=name, legal=postures_of(library))

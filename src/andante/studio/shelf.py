"""Shelf: the user's own postures, changed through the same rooms in which pages open their files.

Each is a block of one keyframe in a library of the workspace, with a motion that takes it. The file is an ordinary
document, so the command line checks, converts and plays it, and the studio opens it like any other.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from andante.errors import AndanteError
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.storage import load_library
from andante.robots.robot import Robot
from andante.runs.motion_libraries import robot_source
from andante.studio.connected_page import Page
from andante.studio.editing import changed_library
from andante.studio.errors import StudioError
from andante.studio.keyframe_edits import whole
from andante.studio.live_library import LiveLibrary
from andante.studio.messages import ChangeLibrary, ChangePostures
from andante.studio.room import Room
from andante.studio.splices import Edit
from andante.studio.workspace import Workspace

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
        block = old.but(keyframes=(old.keyframes[0].but(joints=joints),))
    elif old is not None:
        raise StudioError("the block of this name is no posture", value=name, limit="one keyframe")
    else:
        block = Block(keyframes=(Keyframe(duration=_DURATION, joints=joints),))
    motions = library.motions if name in library.motions else {**library.motions, name: Motion(blocks=(name,))}
    return library.but(blocks={**library.blocks, name: block}, motions=motions)


def _renamed(library: MotionLibrary, old: str, new: str) -> MotionLibrary:
    _known(library, old)
    change = ChangeLibrary(do="library", revision=0, kind="blocks", action="rename", name=old, to=new.strip())
    library = changed_library(library, change)
    if old in library.motions:
        library = changed_library(library, change.model_copy(update={"kind": "motions"}))
    return library


def _deleted(library: MotionLibrary, name: str) -> MotionLibrary:
    _known(library, name)
    users = [key for key, motion in library.motions.items() if name in motion.blocks and key != name]
    if users:
        raise StudioError("motions play this posture", value=name, limit=f"none of {', '.join(users[:5])}")
    blocks = {key: block for key, block in library.blocks.items() if key != name}
    motions = {key: motion for key, motion in library.motions.items() if key != name}
    return library.but(blocks=blocks, motions=motions)


def _known(library: MotionLibrary, name: str) -> None:
    if name not in postures_of(library):
        raise StudioError("there is no such posture", value=name, legal=postures_of(library))


class Shelf:
    """The user's postures.

    Args:
        workspace: Where their files are.
        rooms: The documents that are open.
        opened: Gives the room of a file, opened at its first use, see `andante.studio.server.Studio.room`.
    """

    def __init__(
        self, workspace: Workspace, rooms: Mapping[Path, Room], opened: Callable[..., Awaitable[Room]]
    ) -> None:
        self._workspace, self._rooms, self._opened = workspace, rooms, opened

    def view(self, room: Room) -> dict[str, Any]:
        """The postures for the robot of a room, as pages are told.

        Raises:
            StudioError: The robot is unknown.
        """
        _, file, path = self._place(room)
        found: dict[str, Any] = {
            "type": "postures", "file": file, "postures": {}, "problem": "", "canUndo": False, "canRedo": False
        }  # fmt: skip
        shelf = self._rooms.get(path)
        try:
            if shelf is not None:
                live, history = shelf.document.live, shelf.document.history
                found |= history.view()
                if live.library is None:
                    raise StudioError("the file of the postures has a mistake", place=file) from live.problem
                found["postures"] = postures_of(live.library)
            elif path.exists():
                found["postures"] = postures_of(load_library(path))
        except AndanteError as error:
            found["problem"] = str(error)
        return found

    async def change(self, room: Room, page: Page, message: ChangePostures) -> None:
        """Change the postures, save them where nothing else is unsaved in their file, and tell all pages.

        Raises:
            AndanteError: It cannot be done; nothing has changed.
        """
        robot, file, path = self._place(room)
        library = room.document.live.known()
        if not path.exists():
            if message.do != "keep_posture":
                raise StudioError("no posture is kept yet", place=file)
            raw = new_text(_seen_from(path, room.document.path, library.robot)).encode()
            await asyncio.to_thread(partial(self._workspace.disk.write, path, raw, new=True))
        shelf = await self._opened(path, like=room)
        if not shelf.document.changed and not shelf.pages and await asyncio.to_thread(lambda: shelf.document.outdated):
            shelf = await self._opened(path, like=room, anew=True)
        saved = not shelf.document.changed
        if message.do in ("undo_posture", "redo_posture"):
            await shelf.step(message.do == "undo_posture")
        else:
            await shelf.do(partial(posture_edit, message, robot=robot))
        if saved:
            try:
                await shelf.save()
            except (AndanteError, OSError):
                await shelf.step(message.do != "undo_posture")
                raise
        for each in list(self._rooms.values()):
            if each.robot is not None and each.robot.name == robot.name:
                told = await asyncio.to_thread(self.view, each)
                for other in each.pages:
                    other.send({**told, "request": message.request if other is page else 0})

    def _place(self, room: Room) -> tuple[Robot, str, Path]:
        if room.robot is None:
            raise StudioError("the robot is unknown, and so are its postures", place=room.document.name)
        file = posture_file(room.robot)
        return room.robot, file, self._workspace.path(file)


def _seen_from(file: Path, document: Path, called: str) -> str:
    """What a document calls its robot, for a file that may lie in another folder."""
    source = robot_source(called, document)
    return called if source == called or Path(called).is_absolute() else os.path.relpath(source, file.parent)

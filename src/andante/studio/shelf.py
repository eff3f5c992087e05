"""Shelf: the files with the user's postures, changed through the same rooms in which pages open them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from andante.documents.files import write_bytes
from andante.errors import AndanteError
from andante.motions.storage import load_library
from andante.runs.library_robot import robot_source
from andante.studio.connected_page import Page
from andante.studio.errors import StudioError
from andante.studio.messages import ChangePostures
from andante.studio.postures import new_text, posture_edit, posture_file, postures_of
from andante.studio.room import Room
from andante.studio.workspace import Workspace


class Shelf:
    """The user's postures.

    Args:
        workspace: Where their files are.
        rooms: The documents that are open.
        opened: Gives the room of a file, opened at its first use with the robot of another.
        reopened: The same, anew.
    """

    def __init__(
        self,
        workspace: Workspace,
        rooms: Mapping[Path, Room],
        opened: Callable[[Path, Room], Room],
        reopened: Callable[[Path, Room], Room],
    ) -> None:
        self._workspace, self._rooms, self._opened, self._reopened = workspace, rooms, opened, reopened

    def view(self, room: Room) -> dict[str, Any]:
        """The postures for the robot of a room, as pages are told.

        Raises:
            StudioError: The robot is unknown.
        """
        file, path = self._place(room)
        found: dict[str, Any] = {
            "type": "postures", "file": file, "postures": {}, "problem": "", "canUndo": False, "canRedo": False
        }  # fmt: skip
        shelf = self._rooms.get(path)
        try:
            if shelf is not None:
                live, history = shelf.document.live, shelf.document.history
                found |= {"canUndo": history.can_undo, "canRedo": history.can_redo}
                if live.library is None:
                    raise StudioError("the file of the postures has a mistake", place=file) from live.problem
                found["postures"] = postures_of(live.library)
            elif path.exists():
                found["postures"] = postures_of(load_library(path))
        except AndanteError as error:
            found["problem"] = str(error)
        return found

    def change(self, room: Room, page: Page, message: ChangePostures) -> None:
        """Change the postures, save them where nothing else is unsaved in their file, and tell all pages.

        Raises:
            AndanteError: It cannot be done; nothing has changed.
        """
        file, path = self._place(room)
        robot, library = room.robot, room.document.live.library
        if robot is None or library is None:
            raise StudioError("the document has a mistake; mend its text first", place=room.document.name)
        if not path.exists():
            if message.do != "keep_posture":
                raise StudioError("no posture is kept yet", place=file)
            write_bytes(path, new_text(_seen_from(path, room.document.path, library.robot)).encode())
        shelf = self._opened(path, room)
        if shelf.document.outdated and not shelf.document.changed and not shelf.pages:
            shelf = self._reopened(path, room)
        saved = not shelf.document.changed
        if message.do in ("undo_posture", "redo_posture"):
            shelf.step(message.do == "undo_posture")
        else:
            shelf.do(posture_edit(message, shelf.document.live, robot))
        if saved:
            try:
                shelf.document.save()
            except (AndanteError, OSError):
                shelf.step(message.do != "undo_posture")
                raise
            shelf.tell_saved()
        for each in self._rooms.values():
            if each.robot is not None and each.robot.name == robot.name:
                told = self.view(each)
                for other in each.pages:
                    other.send({**told, "request": message.request if other is page else 0})

    def _place(self, room: Room) -> tuple[str, Path]:
        if room.robot is None:
            raise StudioError("the robot is unknown, and so are its postures", place=room.document.name)
        file = posture_file(room.robot)
        return file, self._workspace.path(file)


def _seen_from(file: Path, document: Path, called: str) -> str:
    """What a document calls its robot, for a file that may lie in another folder."""
    source = robot_source(called, document)
    return called if source == called or Path(called).is_absolute() else os.path.relpath(source, file.parent)

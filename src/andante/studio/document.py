"""OpenDocument: a motion file that is edited, whatever its format, with its history, its journal and what saving does.

The text that is edited is Andante's own, also where the file is another program's: the file is read once, and written
again in its format. Nothing is written that nobody changed: with all edits undone a save gives the file's old bytes.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from andante.documents.files import read_bytes, write_bytes
from andante.documents.problems import DocumentError
from andante.formats.codec import MotionFileCodec
from andante.formats.registry import codecs, identify
from andante.formats.report import Losses, ReadReport
from andante.motions.editing.binding import bind
from andante.motions.library import MotionLibrary
from andante.motions.storage import dump_library
from andante.robots.loader import shipped_robots
from andante.robots.robot import Robot
from andante.runs.motion_libraries import library_path, shipped_libraries
from andante.studio.errors import StudioError, WorkspaceError
from andante.studio.journal import Entry, Journal, Left, digest, journal_path, left_behind
from andante.studio.live_library import KeyframePatch, LiveLibrary
from andante.studio.splices import Edit, History
from andante.studio.workspace import Claim

_BOM = "\ufeff"
_DIFF_LINES = 2000
LARGEST = 16_000_000
"""Largest file that the studio opens [bytes]."""


@dataclass(frozen=True)
class Applied:
    """What an edit did."""

    edit: Edit
    """The splices."""
    patch: KeyframePatch | None
    """The keyframes that are others now; None: anything may be."""


class OpenDocument:
    """One motion file, opened.

    Args:
        path: The file.
        name: Its name for people.
        robot: The robot that it is for, where the file does not say; empty: told from its joints.

    Raises:
        DocumentError: It cannot be read, or no format knows it.
        WorkspaceError: It is a folder, or another studio has it open.

    Attributes:
        live: Text and library.
        codec: The file's format.
        remarks: What reading had to say.
        recovered: How many edits of a studio that crashed were done again.
    """

    def __init__(self, path: Path, name: str, robot: str = "") -> None:
        if path.is_dir():
            raise WorkspaceError("the studio opens files, not folders", value=name)
        self.path, self.name = path, name
        self._claim = Claim(path, name)
        try:
            self._read(robot)
        except BaseException:
            self._claim.release()
            raise

    def _read(self, robot: str) -> None:
        """Read the file, and do again what was left behind."""
        path, name = self.path, self.name
        raw = read_bytes(path, place=name, max_bytes=LARGEST)
        self._files: dict[Path, bytes] = {path: raw}
        self.codec: MotionFileCodec = identify(path)
        self.remarks: list[str] = []
        self._newline, self._bom = "\n", False
        self._saved = self._text(raw, robot)
        self._first = (self._saved, dict(self._files))
        self.live = LiveLibrary(self._saved, name)
        self.history = History()
        self.recovered = 0
        left = left_behind(journal_path(path))
        if left is None or not self._recover(left):
            self.journal = Journal(journal_path(path), self._saved, digest(raw))

    @property
    def own(self) -> bool:
        """Whether the file is one of Andante's documents, whose text is edited as it is."""
        return self.codec.name == "andante"

    @property
    def changed(self) -> bool:
        """Whether the text is another one than the file's."""
        return self.live.text != self._saved

    @property
    def outdated(self) -> bool:
        """Whether another program has changed the file since it was opened or saved."""
        return any(_there(path) != raw for path, raw in self._files.items())

    def edit(self, edit: Edit, group: str = "") -> Applied:
        """Do an edit.

        Raises:
            StudioError: It does not fit the text, or makes it too large.
        """
        if len(self.live.text) + sum(len(s.inserted) - len(s.removed) for s in edit) > LARGEST:
            raise StudioError("the document would be too large", place=self.name, limit=f"{LARGEST} characters")
        applied = Applied(edit, self.live.apply(edit))
        self.history.add(edit, group)
        self.journal.add(Entry("edit", edit, group))
        return applied

    def undo(self) -> list[Applied]:
        """Take the last step back; gives what was done to the text, nothing where there is no step."""
        return self._again(self.history.undo(), Entry("undo"))

    def redo(self) -> list[Applied]:
        """Do the step again that was taken back last."""
        return self._again(self.history.redo(), Entry("redo"))

    def saving(self) -> tuple[str, list[str]]:
        """What a save would do.

        Returns:
            Lines of the file before and after, as `diff -u` tells them (empty: nothing changes), and what the file's
            format cannot hold.

        Raises:
            StudioError: The text has a mistake, and the file's format needs a whole library.
            DocumentError: The library cannot be in this format.
        """
        files, losses = self._contents()
        names = {path: self.name if path == self.path else path.name for path in files}
        changes = (_difference(self._files.get(path, b""), raw, names[path]) for path, raw in files.items())
        return "\n".join(filter(None, changes)), losses

    def save(self, *, overwrite: bool = False) -> None:
        """Write the file (and those that belong to it, in a format of several).

        Args:
            overwrite: Write it also where somebody else has changed it meanwhile.

        Raises:
            StudioError: Somebody else has changed the file, or the text has a mistake.
            DocumentError: It cannot be written.
        """
        files, _ = self._contents()
        there = {path: _there(path) for path in files}
        for path, raw in there.items():
            if raw is not None and raw not in (self._files.get(path), files[path]) and not overwrite:
                raise StudioError(
                    "the file was changed by another program since it was opened",
                    place=path.name,
                    remedy="save again to overwrite it, or open it anew",
                )
        for path, raw in files.items():
            if raw != there[path]:
                write_bytes(path, raw)
        self._files, self._saved = files, self.live.text
        self.journal.clear(self.live.text, digest(files[self.path]))

    def close(self) -> None:
        """Let go of the files; the journal of a document without changes goes."""
        self.journal.close()
        if not self.changed:
            self.journal.path.unlink(missing_ok=True)
        self._claim.release()

    def _again(self, edits: Iterable[Edit], entry: Entry) -> list[Applied]:
        done = [Applied(edit, self.live.apply(edit)) for edit in edits]
        if done:
            self.journal.add(entry)
        return done

    def _text(self, raw: bytes, robot: str) -> str:
        """The text to edit, from the file's bytes."""
        if self.own:
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DocumentError("is no text in UTF-8", place=self.name, value=f"byte {error.start}") from None
            self._bom = text.startswith(_BOM)
            text = text.removeprefix(_BOM)
            crossed = text.replace("\r\n", "")
            if "\r\n" in text and "\n" not in crossed and "\r" not in crossed:
                self._newline, text = "\r\n", text.replace("\r\n", "\n")
            return text
        report = ReadReport(robot=robot)
        library = self.codec.read(self.path, report)
        if robot and library.robot != robot:
            library = bind(library, Robot.load(robot)).library
        self.remarks = [str(remark) for remark in report.warnings]
        for path in report.files:
            if path != self.path:
                self._files[path] = read_bytes(path, max_bytes=LARGEST)
        return dump_library(library)

    def _contents(self) -> tuple[dict[Path, bytes], list[str]]:
        """The files' bytes for the text of now, and what the format cannot hold."""
        text = self.live.text
        if text == self._saved:
            return dict(self._files), []
        if text == self._first[0]:
            return dict(self._first[1]), []
        if self.own:
            whole = text.replace("\n", self._newline) if self._newline != "\n" else text
            return {self.path: (_BOM if self._bom else "").encode() + whole.encode()}, []
        losses = Losses()
        files = self.codec.place(self.codec.encode(self._library(), losses), self.path)
        if self.path not in files or any(path.parent != self.path.parent for path in files):
            raise StudioError("this format is a folder of files", value=self.codec.name, remedy="convert it to .yaml")
        return files, losses.texts

    def _library(self) -> MotionLibrary:
        if self.live.library is None:
            raise StudioError("the text has a mistake; mend it before saving", place=self.name) from self.live.problem
        return self.live.library

    def _recover(self, left: Left) -> bool:
        """Do the edits of a journal again; False where they are not of this file."""
        journal = journal_path(self.path)
        if left.digest != digest(self._files[self.path]):
            kept = journal.with_name(f"{journal.name}-of-another-version")
            journal.replace(kept)
            if left.entries:
                self.remarks.append(
                    f"edits were left unsaved for another version of this file; they are kept in {kept.name}"
                )
            return False
        # A format that rounds reads back another text than was saved; the edits belong to that one.
        self.live, self._saved = LiveLibrary(left.base, self.name), left.base
        for entry in left.entries:
            try:
                self._repeat(entry)
            except StudioError:
                break
            self.recovered += 1
        self.live = LiveLibrary(self.live.text, self.name)
        self.journal = Journal(journal, left.base, left.digest, keep=left.ends[self.recovered])
        return True

    def _repeat(self, entry: Entry) -> None:
        edits = [entry.edit]
        if entry.action == "undo":
            edits = self.history.undo()
        elif entry.action == "redo":
            edits = self.history.redo()
        for edit in edits:
            self.live.apply(edit)
        if entry.action == "edit":
            self.history.add(entry.edit, entry.group)


def open_suffixes() -> frozenset[str]:
    """Endings of the names of files that the studio lists."""
    return frozenset(suffix for codec in codecs().values() for suffix in codec.suffixes)


def new_library(path: Path, robot: str, copy_of: str = "") -> None:
    """Write a document: with one empty motion for a robot, or a copy of a library that comes with Andante.

    Raises:
        RobotError: There is no such robot.
        StudioError: The file exists.
    """
    if path.exists():
        raise StudioError("this file exists already", value=path.name, remedy="open it, or take another name")
    if copy_of:
        shipped = shipped_libraries()
        if copy_of not in shipped:
            raise StudioError("there is no such library to copy", value=copy_of, legal=shipped)
        write_bytes(path, library_path(copy_of).read_bytes())
        return
    model = Robot.load(robot)
    # A robot that comes with Andante goes by its name, any other by its file.
    known = model.name if robot in shipped_robots() else json.dumps(robot, ensure_ascii=False)
    text = (
        "format: andante.motions\nversion: 1\nunits: {angle: deg, time: ms, length: mm}\n"
        f"robot: {known}\n\nmotions:\n  motion:\n    blocks: [motion]\n\nblocks:\n  motion:\n    keyframes: []\n"
    )
    write_bytes(path, text.encode())


def _there(path: Path) -> bytes | None:
    """What stands at a path; None: nothing."""
    return read_bytes(path, max_bytes=LARGEST) if path.exists() else None


def _difference(old: bytes, new: bytes, name: str) -> str:
    if old == new:
        return ""
    try:
        before, after = old.decode("utf-8-sig").splitlines(), new.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return f"{name}: {len(old)} bytes become {len(new)} bytes; the format is no text"
    lines = list(difflib.unified_diff(before, after, f"{name} (on disk)", f"{name} (to be saved)", lineterm="", n=2))
    if len(lines) > _DIFF_LINES:
        lines = [*lines[:_DIFF_LINES], f"... and {len(lines) - _DIFF_LINES} more lines"]
    return "\n".join(lines) or f"{name}: only line ends or invisible characters differ"

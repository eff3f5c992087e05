"""OpenDocument: a motion file that is edited, whatever its format, with its history, its journal and what saving does.

The text that is edited is Andante's own, also where the file is another program's: the file is read once, and written
again in its format. Nothing is written that nobody changed: with all edits undone a save gives the file's old bytes.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.formats.codec import MotionFileCodec
from andante.formats.registry import FORMATS, codec_for_writing, identify, read, shown_to
from andante.formats.report import Losses, ReadReport
from andante.motions.editing.binding import bind
from andante.motions.editing.choice import chosen_motions
from andante.motions.findings import Finding
from andante.motions.library import MotionLibrary
from andante.motions.storage import dump_library
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot
from andante.runs.motion_libraries import library_path, robot_source, shipped_libraries
from andante.studio.disk import Disk, hidden_name
from andante.studio.errors import StudioError, WorkspaceError
from andante.studio.journal import (
    VERSION,
    Action,
    Journal,
    JournalEntry,
    Left,
    around,
    checksum,
    digest,
    journal_path,
    left_behind,
)
from andante.studio.live_library import KeyframePatch, LiveLibrary, Reading, read_library
from andante.studio.recovery import recovered
from andante.studio.splices import Edit, History, applied, difference
from andante.studio.workspace import Claim

Reader = Callable[[str, str], Reading]
DiskState = Literal["", "changed", "gone"]
"""What another program has done to a file since it was opened or saved; empty: nothing."""
_BOM = "\ufeff"
_DIFF_LINES = 2000
_TICK = 2_000_000_000
"""Coarsest times of a file that file systems have [ns]."""
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
        disk: Where it is written; None: its folder.
        reader: Reads its whole text.

    Raises:
        DocumentError: It cannot be read, or no format knows it.
        WorkspaceError: It is a folder, another studio has it open, or what a studio left behind cannot be kept.

    Attributes:
        live: Text and library.
        codec: The file's format.
        remarks: What reading had to say.
        reading: The same as findings, as long as the file is the one that was read.
        saved_text: The text as the file has it.
        recovered: How many edits of a studio that crashed were done again.
        disk: What another program had done to the file at the last look.
    """

    def __init__(
        self, path: Path, name: str, robot: str = "", disk: Disk | None = None, reader: Reader = read_library
    ) -> None:
        if path.is_dir():
            raise WorkspaceError("the studio opens files, not folders", value=name)
        self.path, self.name, self._given = path, name, robot
        self._disk, self._reader = Disk(path.parent) if disk is None else disk, reader
        self._claim = Claim(path, name, self._disk)
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
        self.reading: tuple[Finding, ...] = ()
        self._newline, self._bom = "\n", ""
        self._stamp: tuple[int, ...] | None = None
        self._outdated = False
        self.disk: DiskState = ""
        self.saved_text = self._text(raw, robot)
        self._first = (self.saved_text, dict(self._files))
        self.history = History()
        self.recovered = 0
        text, self.journal = self.saved_text, Journal(journal_path(path), self.saved_text, digest(raw), self._disk)
        left = left_behind(journal_path(path), self._disk)
        if left is not None:
            text = self._recover(left)
        self.live = LiveLibrary(text, name, self._reader)

    @property
    def own(self) -> bool:
        """Whether the file is one of Andante's documents, whose text is edited as it is."""
        return self.codec.name == "andante"

    @property
    def changed(self) -> bool:
        """Whether the text is another one than the file's."""
        return self.live.text != self.saved_text

    @property
    def outdated(self) -> bool:
        """Whether another program has changed the file since it was opened or saved."""
        return any(_there(path) != raw for path, raw in self._files.items())

    def outdated_now(self) -> bool:
        """The same, looked at again and again: the file is read only where it is not as at the last look."""
        stamp: tuple[int, ...] = ()
        with contextlib.suppress(OSError):
            status = self.path.stat()
            # A copy may bring the old time with it; the time of the change itself nobody sets.
            stamp = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size)
        if stamp != self._stamp:
            self._outdated = True
            with contextlib.suppress(AndanteError):
                self._outdated = self.outdated
            # Another write within one tick of the file system's clock leaves the same times. A clock that was set back
            # tells nothing either.
            settled = not stamp or time.time_ns() - stamp[2] > _TICK
            self._stamp = stamp if settled else None
        self.disk = "" if not self._outdated else "changed" if stamp else "gone"
        return self._outdated

    def reread(self) -> list[Applied]:
        """Take in what another program has made of the file, as one step that can be taken back.

        Returns:
            What was done to the text; nothing where the file says the same.

        Raises:
            DocumentError: The file cannot be read any more; nothing has changed.
            StudioError: It is of another format now, or the journal cannot be written; nothing has changed.
        """
        known = (self._files, self.remarks, self.reading, self._newline, self._bom)
        try:
            raw = read_bytes(self.path, place=self.name, max_bytes=LARGEST)
            codec = identify(self.path)
            if codec.name != self.codec.name:
                raise StudioError("the file is of another format now", place=self.name, value=codec.title)
            self._files, self._newline, self._bom = {self.path: raw}, "\n", ""
            self.reading = ()
            text = self._text(raw, self._given)
            edit = difference(self.live.text, text)
            done = [self.edit(edit)] if edit else []
        except BaseException:
            self._files, self.remarks, self.reading, self._newline, self._bom = known
            raise
        self.saved_text, self._stamp, self.disk = text, None, ""
        if self.journal.begun:
            # Where it cannot be written the edits so far are kept aside after a crash, as those of another version are.
            with contextlib.suppress(StudioError):
                self.journal.add(JournalEntry("save", file=digest(raw)))
        else:
            self.journal.clear(text, digest(raw))
        return done

    def edit(self, edit: Edit, group: str = "") -> Applied:
        """Do an edit, once it is in the journal.

        Raises:
            StudioError: It does not fit the text, makes it too large, or the journal cannot be written; nothing has
                changed.
        """
        text = self.live.text
        if len(text) + sum(len(s.inserted) - len(s.removed) for s in edit) > LARGEST:
            raise StudioError("the document would be too large", place=self.name, limit=f"{LARGEST} characters")
        applied(text, edit)
        self.journal.add(JournalEntry("edit", (edit,), group, near=around(text, edit), size=len(text)))
        self.history.add(edit, group)
        return Applied(edit, self.live.apply(edit))

    def undo(self) -> list[Applied]:
        """Take the last step back; gives what was done to the text, nothing where there is no step.

        Raises:
            StudioError: The journal cannot be written; nothing has changed.
        """
        return self._step("undo", self.history.next_undo(), self.history.undo)

    def redo(self) -> list[Applied]:
        """Do the step again that was taken back last; gives what was done, nothing where there is no step.

        Raises:
            StudioError: The journal cannot be written; nothing has changed.
        """
        return self._step("redo", self.history.next_redo(), self.history.redo)

    def _step(self, action: Action, edits: list[Edit], note: Callable[[], object]) -> list[Applied]:
        if edits:
            text = self.live.text
            self.journal.add(JournalEntry(action, tuple(edits), near=around(text, edits[0]), size=len(text)))
            note()
        return [Applied(edit, self.live.apply(edit)) for edit in edits]

    def saving(self) -> tuple[str, list[str]]:
        """What a save would do.

        Returns:
            Lines of the file as it is on the disk now and after, as `diff -u` tells them (empty: nothing changes), and
            what the file's format cannot hold.

        Raises:
            StudioError: The text has a mistake, and the file's format needs a whole library.
            DocumentError: The library cannot be in this format.
        """
        files, losses = self._contents()
        names = {path: self.name if path == self.path else path.name for path in files}
        changes = (_difference(_there(path), raw, names[path]) for path, raw in files.items())
        return "\n".join(filter(None, changes)), losses

    def save(self, *, overwrite: bool = False) -> None:
        """Write the file (and those that belong to it, in a format of several).

        Args:
            overwrite: Write it also where somebody else has changed it meanwhile.

        Raises:
            StudioError: Somebody else has changed the file, or the text has a mistake.
            WorkspaceError: It cannot be written.
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
        if self.changed:
            # A crash between the file and the end of its journal must not do the edits a second time.
            self.journal.add(JournalEntry("save", file=digest(files[self.path])))
        for path, raw in files.items():
            if raw != there[path]:
                self._disk.write(path, raw)
                self._files[path] = raw
        self._files, self.saved_text, self.reading, self.disk = files, self.live.text, (), ""
        self.journal.clear(self.live.text, digest(files[self.path]))

    def save_as(self, path: Path, form: str = "", motion: str = "", *, overwrite: bool = False) -> list[str]:
        """Write what the text says into another file; this one, its journal and its history stay as they are.

        Args:
            path: The file, in a folder that is there.
            form: Name of the format where several use the ending; empty: told from the name.
            motion: Only this motion, for formats that hold one; empty: all.
            overwrite: Replace files that are there.

        Returns:
            What the format cannot hold.

        Raises:
            StudioError: It is this document's own file, a file is there, the format is unknown or is a folder of files,
                or the text has a mistake.
            FormatError: The library cannot be in this format, or no format writes such files.
            WorkspaceError: It cannot be written.
        """
        if path in self._files:
            raise StudioError("this is the document's own file", value=path.name, remedy="save it")
        if form and form not in FORMATS:
            raise StudioError("there is no such format", value=form, legal=FORMATS)
        codec = FORMATS[form] if form else codec_for_writing(path, self.codec.name)
        losses = Losses()
        library = chosen_motions(self._library(), (motion,)) if motion else self._library()
        with FORMATS.blame(codec.name):
            files = codec.place(codec.encode(shown_to(codec, library), losses), path)
        if codec.name == self.codec.name and self.own and not motion:
            # Comments and order are the text's.
            files = {path: self.live.text.encode()}
        if any(each.parent != path.parent for each in files):
            raise StudioError("this format is a folder of files", value=codec.name, remedy="andante convert writes it")
        there = [each.name for each in files if each.exists()]
        if there and not overwrite:
            raise StudioError("there is a file of this name", value=there[0], remedy="overwrite it, or choose another")
        for each, raw in files.items():
            self._disk.write(each, raw)
        return losses.texts

    def close(self) -> None:
        """Let go of the files; the journal of a document without changes goes."""
        self.journal.close()
        if not self.changed:
            with contextlib.suppress(WorkspaceError):
                self._disk.remove(self.journal.path)
        self._claim.release()

    def _text(self, raw: bytes, robot: str) -> str:
        """The text to edit, from the file's bytes."""
        if self.own:
            text = decoded(raw, self.name)
            self._bom = _BOM if text.startswith(_BOM) else ""
            text = text.removeprefix(_BOM)
            # Mixed ones stay as they are. YAML's lines may end with a carriage return alone, too.
            for newline in ("\r\n", "\r"):
                crossed = text.replace(newline, "")
                if newline in text and "\n" not in crossed and "\r" not in crossed:
                    self._newline, text = newline, text.replace(newline, "\n")
            return text
        report = ReadReport()
        library = read(self.path, self.codec.name, report=report, robot=robot)
        if robot:
            library = bind(library, robot).library
        self.remarks, self.reading = [str(remark) for remark in report.warnings], tuple(report.findings())
        for path in report.files:
            if path != self.path:
                self._files[path] = read_bytes(path, max_bytes=LARGEST)
        return dump_library(library)

    def _contents(self) -> tuple[dict[Path, bytes], list[str]]:
        """The files' bytes for the text of now, and what the format cannot hold."""
        text = self.live.text
        if text == self.saved_text:
            return dict(self._files), []
        if text == self._first[0]:
            return dict(self._first[1]), []
        if self.own:
            return {self.path: (self._bom + text.replace("\n", self._newline)).encode()}, []
        losses = Losses()
        with FORMATS.blame(self.codec.name):
            shown = shown_to(self.codec, self._library())
            files = self.codec.place(self.codec.encode(shown, losses), self.path)
        if self.path not in files or any(path.parent != self.path.parent for path in files):
            raise StudioError("this format is a folder of files", value=self.codec.name, remedy="convert it to .yaml")
        return files, losses.texts

    def _library(self) -> MotionLibrary:
        if self.live.library is None:
            raise StudioError("the text has a mistake; mend it before saving", place=self.name) from self.live.problem
        return self.live.library

    def _recover(self, left: Left) -> str:
        """The text with the edits of a journal done again; that of the file where they are not of it.

        Raises:
            WorkspaceError: What cannot be done again cannot be kept either.
        """
        now = digest(self._files[self.path])
        base = left.base
        if base is None and left.first == checksum(self.saved_text):
            base = self.saved_text
        saves = {entry.file for _, entry in left.entries if entry.action == "save"}
        if left.version not in (0, VERSION):
            text = f"unsaved edits are in a journal of version {left.version}, which is kept in"
            self._keep(left, f"version-{left.version}", text)
        elif not left.raw.strip():
            pass
        elif base is None:
            self._keep(left, "unreadable", "the journal of unsaved edits cannot be read; it is kept in")
        elif left.digest and now != left.digest and now not in saves:
            text = "edits were left unsaved for another version of this file; they are kept in"
            self._keep(left, "of-another-version", text if left.entries else "")
        else:
            found = recovered(base, now, left.entries)
            if left.damaged or found.lost:
                lost = f"{found.lost} edits are lost, {found.done} were done again"
                self._keep(left, "damaged", f"the journal of unsaved edits is damaged: {lost}; it is kept in")
            # A format that rounds reads back another text than was saved; the edits belong to that one.
            self.saved_text, self.history, self.recovered = found.base, found.history, found.done
            self.journal = Journal(self.journal.path, found.base, now, self._disk, tuple(found.entries))
            if left.damaged or found.lost:
                self.journal.renew()
            return found.text
        self._disk.remove(self.journal.path)
        return self.saved_text

    def _keep(self, left: Left, why: str, remark: str) -> None:
        """Keep a journal under another name, and say so by a remark that ends with the name; an empty one says nothing.

        Raises:
            WorkspaceError: It cannot be written.
        """
        endings = itertools.chain([why], (f"{why}-{number}" for number in itertools.count(2)))
        names = (hidden_name(self.path.name, f"studio-{ending}") for ending in endings)
        path = next(path for name in names if not os.path.lexists(path := self.path.with_name(name)))
        self._disk.write(path, left.raw)
        if remark:
            self.remarks.append(f"{remark} {path.name}")


def decoded(raw: bytes, place: str) -> str:
    """The text of a document's bytes.

    Raises:
        DocumentError: They are no text in UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError("is no text in UTF-8", place=place, value=f"byte {error.start}") from None


def new_library(path: Path, robot: str, copy_of: str = "", disk: Disk | None = None) -> None:
    """Write a document: with one empty motion for a robot, or a copy of a library that comes with Andante.

    Raises:
        RobotError: There is no such robot.
        StudioError: The file exists, or cannot be written.
    """
    disk = Disk(path.parent) if disk is None else disk
    if path.exists():
        raise StudioError("this file exists already", value=path.name, remedy="open it, or take another name")
    if copy_of:
        shipped = shipped_libraries()
        if copy_of not in shipped:
            raise StudioError("there is no such library to copy", value=copy_of, legal=shipped)
        disk.write(path, library_path(copy_of).read_bytes(), new=True)
        return
    model = Robot.load(robot_source(robot, path))
    # A robot that comes with Andante goes by its name, any other by its file.
    known = model.name if robot in ROBOTS else json.dumps(robot, ensure_ascii=False)
    text = (
        "format: andante.motions\nversion: 1\nunits: {angle: deg, time: ms, length: mm}\n"
        f"robot: {known}\n\nmotions:\n  motion:\n    blocks: [motion]\n\nblocks:\n  motion:\n    keyframes: []\n"
    )
    disk.write(path, text.encode(), new=True)


def _there(path: Path) -> bytes | None:
    """What stands at a path; None: nothing."""
    return read_bytes(path, place=path.name, max_bytes=LARGEST) if path.exists() else None


def _difference(old: bytes | None, new: bytes, name: str) -> str:
    if old == new:
        return ""
    was = "on disk" if old is not None else "not on the disk"
    old = old or b""
    try:
        before, after = old.decode("utf-8-sig").splitlines(), new.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return f"{name}: {len(old)} bytes become {len(new)} bytes; the format is no text"
    lines = list(difflib.unified_diff(before, after, f"{name} ({was})", f"{name} (to be saved)", lineterm="", n=2))
    if len(lines) > _DIFF_LINES:
        lines = [*lines[:_DIFF_LINES], f"... and {len(lines) - _DIFF_LINES} more lines"]
    return "\n".join(lines) or f"{name}: only line ends or invisible characters differ"

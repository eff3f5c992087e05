"""The codec of ODA archives: all motions of an archive are a library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from andante.formats.aibo.binary import unzipped_head
from andante.formats.aibo.mtn import FRAME_MS, MtnFile, read_mtn
from andante.formats.aibo.mtn import MAGIC as MTN_MAGIC
from andante.formats.aibo.mtn import MAX_BYTES as MAX_MTN
from andante.formats.aibo.mtn_codec import ODA_KIND, entry_of, motion_entry, motion_from_mtn, mtn_bytes, remarks
from andante.formats.aibo.names import robot_of
from andante.formats.aibo.oda import MAGIC, MAX_NAME, ROOM, OdaEntry, check_name, write_oda
from andante.formats.aibo.oda import MAX_BYTES as MAX_ODA
from andante.formats.aibo.oda_extras import (
    MOST_KEPT,
    ArchiveExtras,
    archive_extras,
    archive_of,
    entry_of_row,
)
from andante.formats.aibo.oda_files import open_archive
from andante.formats.codec import MotionFileCodec
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.losses import kept, library_losses
from andante.formats.shared.single import free_name
from andante.motions.library import MotionLibrary

_MAX_MOTION_BYTES = 32_000_000
"""Most bytes of motions that are turned into one library."""


class OdaCodec(MotionFileCodec):
    """Reads and writes archives of motions."""

    name = "oda"
    title = "Sony ODA archive of motions (OPEN-R)"
    suffixes = (".oda",)
    signature = re.compile(rb"\A%b" % MAGIC)
    sure = 1.0
    by_suffix = 0.4
    time_grid = FRAME_MS / 1000.0
    max_bytes = MAX_ODA

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        return super().sniff(unzipped_head(head, len(MAGIC)), path)

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read the motions of an archive; other entries and damaged ones are named in the report.

        A motion goes by the name inside it; where several of other content have one name, each by its entry's. Entries
        of the same content are motions with the same keyframes. What is no motion is kept for writing an archive again.

        Raises:
            DocumentError: The archive cannot be read or breaks the format, or no motion in it is whole.
        """
        archive = open_archive(path)
        report.files.append(path)
        motions = _Motions(path, report)
        for number, entry in enumerate(archive.entries):
            inside = f"entry {number} {entry.name!r}"
            if entry.stub:
                report.warn("a stub for a motion that is kept elsewhere", str(path), inside=inside)
                continue
            if entry.kind != MTN_MAGIC and unzipped_head(entry.stored, 4) != MTN_MAGIC:
                what = entry.suffix[1:] if entry.suffix != ".bin" else "unknown"
                report.warn(f"is no motion ({what}); only an archive keeps it", str(path), inside=inside)
                continue
            try:
                motions.take(number, entry, inside)
            except FormatError as error:
                if archive.table_only:
                    raise
                motions.damaged(error, inside)
        library, names = motions.library()
        extras, lost = archive_extras(archive, names)
        for number in lost:
            told = f"is too large to be kept beside the motions; limit: {MOST_KEPT} bytes in all"
            report.warn(told, str(path), inside=f"entry {number} {archive.entries[number].name!r}")
        return library.but(extras={ODA_KIND: extras} if extras else {})

    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """An archive of all motions, with what else the archive had that they come from.

        Raises:
            FormatError: There are none, or one does not fit the format.
        """
        library_losses(library, losses, ODA_KIND)
        said = kept(ArchiveExtras, library.extras, ODA_KIND, "", losses)
        rows = [row for row in said.rows if not isinstance(row, str) or row in library.motions]
        placed = {row for row in rows if isinstance(row, str)}
        added = [name for name in library.motions if name not in placed]
        whole = len(rows) == len(said.rows) and (not added or not rows)
        entries = [
            self._entry(library, row, losses) if isinstance(row, str) else entry_of_row(row) for row in (*rows, *added)
        ]
        if not library.motions:
            raise FormatError("the library has no motions")
        archive = archive_of(said, entries, whole=whole)
        damaged = [entry for entry in entries if entry.fault]
        if damaged and (archive.layout is None or archive.layout.body([entry.stored for entry in entries]) is None):
            for entry in damaged:
                losses.add(f"entry {entry.name!r}", f"is not held: {entry.fault}")
            archive = archive_of(said, [entry for entry in entries if not entry.fault], whole=False)
        return {"": write_oda(archive)}

    def _entry(self, library: MotionLibrary, name: str, losses: Losses) -> OdaEntry:
        raw = mtn_bytes(library, name, losses)
        try:
            entry = entry_of(library.motions[name], name, raw)
            if len(entry.name) > ROOM + 1 or any(ord(character) > 255 for character in entry.name):
                check_name(entry.name, longest=ROOM)
        except FormatError as error:
            raise FormatError(error.what, inside=f"motions.{name}", value=error.value, limit=error.limit) from error
        if len(entry.name) > MAX_NAME:
            text = f"an entry's name of more than {MAX_NAME} characters is one that MoNet cannot hold"
            losses.count(f"motions.{name}", "entry name", text)
        return entry


class _Found(NamedTuple):
    """A motion of an archive."""

    number: int
    entry: OdaEntry
    mtn: MtnFile
    payload: bytes


class _Motions:
    """The motions of an archive, taken one after another."""

    def __init__(self, path: Path, report: ReadReport) -> None:
        self.path = path
        self.report = report
        self.robot = ""
        self.first: FormatError | None = None
        """Why the first damaged motion could not be read."""
        self._found: list[_Found] = []
        self._bytes = 0

    def take(self, number: int, entry: OdaEntry, inside: str) -> None:
        """Read a motion; `FormatError` where it cannot be read."""
        raw = entry.payload(str(self.path), MAX_MTN)
        self._bytes += len(raw)
        if len(raw) > MAX_MTN or self._bytes > _MAX_MOTION_BYTES:
            raise FormatError(
                "there are too many bytes of motions", file=self.path, inside=inside, limit=f"{_MAX_MOTION_BYTES}"
            )
        mtn = read_mtn(raw, str(self.path), inside)
        joints = mtn.locators
        if len(set(joints)) < len(joints):
            twice = next(joint for joint in joints if joints.count(joint) > 1)
            raise FormatError("a joint stands twice in the motion", file=self.path, inside=inside, value=twice)
        robot = robot_of(mtn.design)
        self.robot = self.robot or robot
        if robot != self.robot:
            told = f"a motion of another robot, {robot!r}; the library is for {self.robot!r}, only an archive keeps it"
            self.report.warn(told, str(self.path), inside=inside)
            return
        self._found.append(_Found(number, entry, mtn, raw))
        remarks(mtn, str(self.path), self.report, inside)

    def damaged(self, error: FormatError, inside: str) -> None:
        """Put down a motion that cannot be read; the others are."""
        self.first = self.first or error
        self.report.damage(error, f"{self.path}, {inside}")

    def library(self) -> tuple[MotionLibrary, dict[int, str]]:
        """The library of all motions, and the library's name of each by the number of its row.

        Raises:
            FormatError: There is no whole motion.
        """
        if not self._found:
            raise self.first or FormatError("the archive holds no motion", file=self.path)
        firsts: dict[bytes, _Found] = {}
        for found in self._found:
            firsts.setdefault(found.payload, found)
        names = self._names([*firsts.values()])
        library = MotionLibrary(robot=self.robot)
        for number, entry, mtn, payload in firsts.values():
            name, motion, block = motion_from_mtn(mtn, key=names[number], entry=entry, payload=payload)
            library.motions[name], library.blocks[name] = motion, block
        same: list[str] = []
        for found in self._found:
            first = firsts[found.payload]
            if found is not first:
                key = free_name(found.entry.name or names[first.number], {*names.values()})
                names[found.number] = key
                motion = motion_entry(found.mtn, key, found.entry, found.payload)
                library.motions[key] = motion.but(blocks=(names[first.number],))
                same.append(f"{key} as {names[first.number]}")
        if same:
            told = f"{len(same)} entries are the same motion as another and share its keyframes: {shorten_list(same)}"
            self.report.warn(told, str(self.path))
        order = {found.number: names[found.number] for found in self._found}
        motions = {name: library.motions[name] for name in order.values()}
        return library.but(motions=motions), order

    def _names(self, found: list[_Found]) -> dict[int, str]:
        """The library's name of each of some motions of different content, by the number of its row."""
        called: dict[str, list[_Found]] = {}
        for each in found:
            called.setdefault(each.mtn.motion, []).append(each)
        names = {group[0].number: name for name, group in called.items() if name and len(group) == 1}
        taken = set(names.values())
        for name, group in called.items():
            if name and len(group) == 1:
                continue
            for each in group:
                names[each.number] = free_name(each.entry.name or name or "motion", taken)
                taken.add(names[each.number])
            if len(group) > 1:
                keys = [names[each.number] for each in group]
                told = (
                    f"{len(group)} motions are called {name!r} inside; they go by the names of their entries,"
                    f" and MoNet plays the first: {shorten_list(keys)}"
                )
                self.report.warn(told, str(self.path))
        return names


def shorten_list(names: list[str]) -> str:
    """The first few of some names, and how many more there are."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{', '.join(map(repr, names[:_LISTED]))}{more}"


_LISTED = 6

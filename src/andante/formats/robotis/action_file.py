"""ROBOTIS's `motion_4096.bin`: 256 pages that the Action module of DARwIn-OP, OP2 and OP3 plays.

A page is a block. A motion is a page with what its `next` leads to, each as often as it repeats; pages that lead back
become a motion that follows itself. Headers, pauses and the page to leave by are kept in extras, so that a page nobody
edited is written byte by byte. The file does not name its robot: it is the one asked for, or `robotis-op3`.

Source: docs/sources/robotis.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from andante.documents.files import read_bytes
from andante.formats.codec import MotionFileCodec
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.robotis.names import COARSE, FINE, JOINTS, SERVOS, Ticks
from andante.formats.robotis.page import (
    EMPTY,
    INVALID,
    PAGE_BYTES,
    PAGES,
    TICK,
    TORQUE_OFF,
    UNIT,
    ActionPage,
    checksum_holds,
    is_played,
    page_bytes,
    page_of,
)
from andante.formats.robotis.pages_in import KIND, library_of
from andante.formats.robotis.pages_out import pages_of
from andante.formats.shared.losses import library_losses
from andante.formats.shared.steps import with_motions
from andante.motions.library import MotionLibrary

FILE_BYTES = PAGE_BYTES * PAGES
"""Bytes of every such file."""
_LISTED = 12
_EMPTY = page_bytes(EMPTY)


class ActionFileCodec(MotionFileCodec):
    """Reads and writes `motion_4096.bin`."""

    name = "robotis"
    title = "ROBOTIS action pages (motion_4096.bin)"
    suffixes = (".bin",)
    says_robot = False
    joint_names = tuple(SERVOS)
    time_grid = UNIT
    max_bytes = FILE_BYTES

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        pages = [head[at : at + PAGE_BYTES] for at in range(PAGE_BYTES, len(head) - PAGE_BYTES + 1, PAGE_BYTES)]
        if not pages:
            return 0.0
        good = sum(map(checksum_holds, pages))
        if good >= 2 and good * 2 >= len(pages):
            return 0.95
        return 0.35 if good and path.suffix.lower() in self.suffixes else 0.0

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a library; see `MotionFileCodec.read`."""
        raw = read_bytes(path, max_bytes=FILE_BYTES)
        report.files.append(path)
        if len(raw) != FILE_BYTES:
            what = "the file is no whole file of pages"
            raise FormatError(
                what, file=path, value=len(raw), limit=f"{FILE_BYTES} bytes, {PAGES} pages of {PAGE_BYTES}"
            )
        pages: dict[int, ActionPage] = {}
        for number in range(PAGES):
            part = raw[number * PAGE_BYTES : (number + 1) * PAGE_BYTES]
            if part == _EMPTY:
                continue
            if not checksum_holds(part):
                if number and any(part):
                    error = FormatError(
                        "the page's checksum is wrong, its robot would take it as empty",
                        value=sum(part) & 0xFF,
                        limit="a sum of 255",
                    )
                    report.damage(error, f"{path}: page {number}")
                continue
            try:
                pages[number] = page_of(part, str(path), number)
            except FormatError as error:
                report.damage(error, f"{path}: page {number}")
        _tell_unplayed(pages, path, report)
        return library_of(pages, ticks_of(pages, path, report), str(path), report)

    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """The file of a library; see `MotionFileCodec.encode`."""
        library_losses(library, losses, KIND)
        whole = with_motions(library)
        if not whole.motions:
            raise FormatError("the library has no motion to write", value=library.robot)
        pages, _ = pages_of(whole, losses)
        return {
            "motion_4096.bin": b"".join(page_bytes(pages[each]) if each in pages else _EMPTY for each in range(PAGES))
        }


def _tell_unplayed(pages: dict[int, ActionPage], path: Path, report: ReadReport) -> None:
    """Tell which pages hold something that no robot plays."""
    idle = [number for number, page in pages.items() if (not number or not is_played(page)) and _says(page)]
    if idle:
        more = f" and {len(idle) - _LISTED} more" if len(idle) > _LISTED else ""
        told = ", ".join(map(str, idle[:_LISTED]))
        report.warn(
            f"pages that no robot plays (no steps, repeated 0 times, or page 0) are not kept: {told}{more}", path
        )


def _says(page: ActionPage) -> bool:
    return bool(page.name or page.steps or page.next or page.exit)


def ticks_of(pages: Mapping[int, ActionPage], path: Path, report: ReadReport) -> Ticks:
    """How the file's servos count: its highest position tells it."""
    held = [
        step.positions[servo] & TICK
        for page in pages.values()
        if is_played(page)
        for step in page.steps
        for servo in JOINTS
        if not step.positions[servo] & (INVALID | TORQUE_OFF)
    ]
    if not held or max(held) >= COARSE.count or any(word in path.stem for word in ("4095", "4096")):
        return FINE
    report.warn("no position is above 1023: they are ticks of 300 degrees / 1024", path)
    return COARSE

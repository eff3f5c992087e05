"""RoboPlus Motion 1.0's `.mtn`: pages as text, of a Bioloid or another robot of ROBOTIS's controllers.

Twenty-six numbers stand for the servos from 0, of which `enable` names those that there are. Times are in seconds,
which the controller holds as whole 8 ms. Two bytes behind the text are its checksum. Pages are played as those of
`motion_4096.bin`, with times divided by the page's rate. Sony's motions have the same ending and other first bytes.

Source: docs/sources/robotis.md, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from andante.documents.files import check_text, read_bytes
from andante.formats.report import Losses, ReadReport
from andante.formats.robotis.action_file import ticks_of
from andante.formats.robotis.names import COARSE, JOINTS, Ticks
from andante.formats.robotis.page import (
    INVALID,
    PAGES,
    SERVOS_HELD,
    TORQUE_OFF,
    UNIT,
    USUAL_SPEED,
    ActionPage,
    PageStep,
)
from andante.formats.robotis.pages_in import KIND, LONGEST_NAME, duration_of, library_of, name_text
from andante.formats.robotis.pages_out import pages_of
from andante.formats.robotis.play import played
from andante.formats.shared.numbers import LONGEST, number_text
from andante.formats.shared.single import OneMotionCodec
from andante.formats.shared.text_file import TextFile
from andante.motions.library import MotionLibrary

SERVOS = 26
"""Servos that a line of a page has a number for."""
MOST_TEXT_STEPS = 7
_USUAL_ROBOT = "bioloid"
_BOM = b"\xef\xbb\xbf"
_HEAD = ("type", "version", "enable", "motor_type")
_PAGE = ("name", "compliance", "play_param", "step")
_USUAL_COMPLIANCE = 5
_MOST_COMPLIANCE = 15
_PAGE_END = re.compile(rb"page_end[ \t]*(?:\r\n|\r|\n)?")
_LINE_END = re.compile(r"\r\n|\r|\n")
_MOST_TICK = 0xFFFF


class RoboPlusCodec(OneMotionCodec):
    """Reads and writes RoboPlus Motion's `.mtn`."""

    name = "roboplus"
    title = "RoboPlus Motion 1.0 (.mtn)"
    suffixes = (".mtn",)
    by_ending = False
    says_robot = False
    joint_names = tuple(JOINTS.values())
    time_grid = UNIT
    signature = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*type=motion\s")
    max_bytes = 4_000_000
    many = True
    library_kind = KIND

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one file; `DocumentError` where that fails."""
        raw = read_bytes(path, max_bytes=self.max_bytes)
        report.files.append(path)
        body, sum_ = _parted(raw)
        if sum_ and not _sum_holds(body, sum_):
            report.warn("the checksum behind the last page does not hold: somebody else edited the file", path)
        text = body.removeprefix(_BOM)
        try:
            words = text.decode("utf-8")
        except UnicodeDecodeError as error:
            words = text.decode("latin-1")
            report.warn(f"byte {error.start} is no UTF-8; the text is read as Latin-1", path)
        check_text(words, place=str(path), max_bytes=self.max_bytes)
        pages = _Pages(path, report).pages(words)
        return library_of(pages, ticks_of(pages, path, report), str(path), report, usual=_USUAL_ROBOT)

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library."""
        pages, ticks = pages_of(library, losses, usual=COARSE)
        body = _BOM + _text(pages, ticks, losses).encode()
        return body + (-(sum(body) + 1) & 0xFFFF).to_bytes(2, "big")


def _parted(raw: bytes) -> tuple[bytes, bytes]:
    """The text of a file and the two bytes of its checksum, or none where it ends with its text."""
    last = _PAGE_END.match(raw, max(0, raw.rfind(b"page_end")))
    if last is None or len(raw) - last.end() != 2:
        return raw, b""
    return raw[: last.end()], raw[last.end() :]


def _sum_holds(body: bytes, sum_: bytes) -> bool:
    return (sum(body) + 1 + int.from_bytes(sum_, "big")) & 0xFFFF == 0


class _Pages(TextFile):
    """One file being read."""

    def pages(self, text: str) -> dict[int, ActionPage]:
        """The pages by number."""
        self.enabled, self.rate = [True] * SERVOS, 1.0
        found: dict[int, ActionPage] = {}
        page: ActionPage | None = None
        number = 0
        lines = _LINE_END.split(text)
        for count, line in enumerate(lines, start=1):
            key, sign, rest = line.strip().partition("=")
            if not key and not sign:
                continue
            if key == "page_begin" and not sign:
                if page is not None:
                    raise self.error("a page begins inside another", count, inside=f"page {number}")
                number += 1
                if number >= PAGES:
                    raise self.error("the file has too many pages", count, value=number, limit=f"{PAGES - 1}")
                page, self.rate = ActionPage(), 1.0
            elif key == "page_end" and not sign:
                if page is None:
                    raise self.error("a page ends that has not begun", count)
                found[number] = page
                page = None
            elif page is not None:
                page = self._line(page, key.strip(), rest.strip(), count, f"page {number}")
            else:
                self._head(key.strip(), rest.strip(), count)
        if page is not None:
            raise self.error("the file ends inside a page", len(lines), inside=f"page {number}")
        return found

    def _head(self, key: str, rest: str, line: int) -> None:
        if key not in _HEAD:
            raise self.error("the line is unknown here", line, value=key, legal=(*_HEAD, "page_begin"))
        if key == "enable":
            flags = self._numbers(rest, line, "enable", SERVOS, 1.0)
            self.enabled = [bool(flag) for flag in flags]

    def _line(self, page: ActionPage, key: str, rest: str, line: int, inside: str) -> ActionPage:
        if key == "name":
            name = rest.encode()
            if len(name) > LONGEST_NAME:
                raise self.error("the name is too long", line, inside=inside, value=rest, limit=f"{LONGEST_NAME} bytes")
            return replace(page, name=name)
        if key == "compliance":
            values = self._numbers(rest, line, f"{inside}.compliance", SERVOS, _MOST_COMPLIANCE)
            gains = [int(value) << 4 | int(value) for value in values]
            usual = _USUAL_COMPLIANCE << 4 | _USUAL_COMPLIANCE
            return replace(page, gains=(*gains, *(usual,) * (SERVOS_HELD - SERVOS)))
        if key == "play_param":
            following, leaving, repeat, rate, accel = self._numbers(rest, line, f"{inside}.play_param", 5, 255.0)
            if not rate > 0.0:
                raise self.error("the rate is out of range", line, inside=inside, value=rate, limit="above 0")
            self.rate = rate
            return replace(page, next=int(following), exit=int(leaving), repeat=int(repeat), accel=int(accel))
        if key == "step":
            return replace(page, steps=(*page.steps, self._step(page, rest, line, inside)))
        raise self.error("the line is unknown here", line, inside=inside, value=key, legal=(*_PAGE, "page_end"))

    def _step(self, page: ActionPage, rest: str, line: int, inside: str) -> PageStep:
        if len(page.steps) >= MOST_TEXT_STEPS:
            what = "the page has more steps than a controller holds"
            raise self.error(what, line, inside=inside, limit=f"{MOST_TEXT_STEPS}")
        values = self._numbers(rest, line, f"{inside}.step", SERVOS + 2, LONGEST)
        *positions, pause, time = values
        held = []
        for servo, value in enumerate(positions):
            if value != int(value) or not 0 <= value <= _MOST_TICK:
                what = "a position is a whole number of ticks"
                raise self.error(what, line, inside=f"{inside}, servo {servo}", value=value, limit=f"0 to {_MOST_TICK}")
            held.append(int(value) if self.enabled[servo] else INVALID)
        held += [INVALID] * (SERVOS_HELD - SERVOS)
        return PageStep(tuple(held), self._units(pause, line, inside), self._units(time, line, inside))

    def _units(self, seconds: float, line: int, inside: str) -> int:
        exact = seconds / self.rate / UNIT
        units = round(exact)
        if abs(exact - units) > 1e-6 * max(1.0, exact):
            self.warn("times become whole units of the controller's clock of 8 ms", line, inside)
        return units

    def _numbers(self, rest: str, line: int, inside: str, count: int, most: float) -> list[float]:
        words = rest.split()
        if len(words) != count:
            raise self.error(
                "the line has another count of numbers", line, inside=inside, value=len(words), limit=f"{count}"
            )
        values = [self.number(word, line, inside=inside, most=most) for word in words]
        negative = next((value for value in values if value < 0.0), None)
        if negative is not None:
            raise self.error("the number is out of range", line, inside=inside, value=negative, limit=f"0 to {most:g}")
        return values


def _text(pages: Mapping[int, ActionPage], ticks: Ticks, losses: Losses) -> str:
    """The text of pages by number, with empty ones between them."""
    used = {
        servo
        for page in pages.values()
        for step in page.steps
        for servo in JOINTS
        if not step.positions[servo] & INVALID
    }
    flags = ["1" if servo in used else "0" for servo in range(SERVOS)]
    rows = ["type=motion", "version=1.01", f"enable={' '.join(flags)}", f"motor_type={' '.join(['0'] * SERVOS)}"]
    held = dict.fromkeys(range(SERVOS), ticks.centre)
    for number in range(1, max(pages, default=0) + 1):
        page = pages.get(number, ActionPage())
        compliance = " ".join(str(min(gain & 0x0F, _MOST_COMPLIANCE)) for gain in page.gains[:SERVOS])
        param = f"{page.next} {page.exit} {page.repeat} 1.0 {page.accel}"
        rows += ["page_begin", f"name={name_text(page.name)}", f"compliance={compliance}", f"play_param={param}"]
        hows = played(page, ticks, lambda text: None)
        for step, how in zip(page.steps, hows, strict=True):
            for servo in range(SERVOS):
                value = step.positions[servo]
                if servo in used and value & INVALID:
                    losses.count(f"page {number}", "kept", "joints without an angle are written with the one before")
                elif value & TORQUE_OFF and not value & INVALID:
                    losses.count(f"page {number}", "off", "joints that are off are not held; they keep their angle")
                elif not value & INVALID and servo in used:
                    held[servo] = value
                elif not value & INVALID:
                    losses.count(f"page {number}", "servo", "positions of servos without a joint are not held")
            units = how.units if page.speed != USUAL_SPEED else step.time
            times = f"{number_text(duration_of(how.pause))} {number_text(duration_of(units))}"
            rows.append(f"step={' '.join(str(held[servo]) for servo in range(SERVOS))} {times}")
        rows.append("page_end")
    return "\n".join(rows) + "\n"

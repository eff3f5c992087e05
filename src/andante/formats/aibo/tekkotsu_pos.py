"""Tekkotsu's posture file ``.pos``: angle and weight per output; and what its two text formats share.

An output that is not listed has weight 0. What is not a servo (lights, sensor sections) is kept as it is.

Facts: docs/sources/aibo.md, section 2.6. Names are padded with ``~`` to a fixed width; a name without L or R in front
stands for both sides.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from andante.formats.aibo.files import lines_of
from andante.formats.aibo.names import BY_NAME, BY_TEKKOTSU, TEKKOTSU_LEDS, TEKKOTSU_ORDER
from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.text_file import LineReader

MODEL = "ERS-7"
"""Tekkotsu's name of the robot."""
MAX_NAME = 64
"""Longest output name that is read."""
HEADER = "#POS"
"""First line."""
END = "#END"
"""Last line."""
SECTIONS = ("meta-info", "outputs", "buttons", "sensors", "pidduties")
"""Sections that a file may have."""

_CONDENSED = tuple(BY_NAME[joint].output for joint in TEKKOTSU_ORDER)
_EARS = tuple(BY_NAME[joint].output for joint in ("LeftEar", "RightEar"))
_PLAIN_PATTERN = re.compile(r"[A-Za-z0-9.|*?+^$\[\]-]{1,40}")


@dataclass(frozen=True)
class Target:
    """What one output shall do."""

    value: float
    """Angle [rad]; brightness of a light."""
    weight: float = 1.0
    """Weight; 0 leaves the output alone."""


@dataclass(frozen=True)
class PostureFile:
    """A posture file."""

    targets: dict[str, Target] = field(default_factory=dict)
    """Targets by output name without padding, joints and others, in the order met."""
    sections: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines of the other sections (buttons, sensors, ...), kept as they are."""


def outputs(name: str) -> tuple[str, ...]:
    """Outputs that a name stands for, without padding: itself, or both sides; () where the ERS-7 has none such."""
    bare = name.rstrip("~")
    if bare in BY_TEKKOTSU:
        return (bare,)
    both = (f"L{bare}", f"R{bare}")
    return both if all(side in BY_TEKKOTSU for side in both) else ()


def target_line(output: str, target: Target, marks: str) -> str:
    """The line of an output without padding; its name must not hold any of the marks.

    Raises:
        FormatError: The name cannot be written.
    """
    if not output or len(output) > MAX_NAME or any(mark in output for mark in marks):
        raise FormatError("the output's name cannot be written", value=output)
    padded = BY_TEKKOTSU[output].tekkotsu if output in BY_TEKKOTSU else output
    return f"{padded}\t{_shown(target.value)}" + ("" if target.weight == 1.0 else f"\t{_shown(target.weight)}")


def _shown(value: float) -> str:
    """A number as it is written: the shortest text that gives the same number again."""
    whole = value == int(value) and abs(value) < 1e15 and math.copysign(1.0, value) > 0
    return repr(int(value)) if whole else repr(value)


class OutputReader(LineReader):
    """What readers of both formats share: a line of an output with its value and weight."""

    def output(self, words: list[str]) -> tuple[str, tuple[str, ...], Target]:
        """Name, the outputs that it stands for (() for an unknown one) and the target of a line."""
        name = words[0][:MAX_NAME]
        if len(words) < 2:
            raise self.error("the output has no value", value=name)
        if len(words) > 3:
            self.warn(f"what follows {' '.join(words[:3])!r} is not read")
        value = self.number(words[1], "value", name)
        weight = self.number(words[2], "weight", name) if len(words) > 2 else 1.0
        return name, outputs(name), Target(value, weight)

    def number(self, word: str, what: str, inside: str) -> float:
        """A word as a finite number; `FormatError` where it is none."""
        try:
            value = float(word) if "_" not in word else math.nan
        except ValueError:
            raise self.error(f"the {what} is no number", inside, value=word) from None
        if not math.isfinite(value):
            raise self.error(f"the {what} is not finite", inside, value=word)
        return value


class _Reader(OutputReader):
    def __init__(self, file: str, report: ReadReport) -> None:
        super().__init__(file, report)
        self.targets: dict[str, Target] = {}
        self.sections: dict[str, list[str]] = {}
        self.section = "outputs"
        self.condensed = False
        self.filtered = False

    def read(self, lines: list[str]) -> None:
        """Read lines up to the end mark."""
        if not lines[0].startswith(HEADER):
            raise self.error(f"a posture file begins with {HEADER}", value=lines[0][:40])
        for self.line, whole in enumerate(lines[1:], 2):
            mark = whole.find("#")
            if mark >= 0 and whole[mark:].rstrip() == END:
                return
            words = (whole[:mark] if mark >= 0 else whole).replace("=", " ").split()
            if words:
                self._line(words)
        self.warn(f"{END} is missing")

    def _line(self, words: list[str]) -> None:
        first = words[0]
        if first == "specialize":
            self.filtered = len(words) > 1 and not self._fits_model(words[1])
        elif first.startswith("<") and first.endswith(">"):
            self._tag(first)
        elif self.filtered:
            return
        elif first == "condensed":
            if len(words) != 2 or words[1] != MODEL:
                raise self.error("the model of the condensed form is unknown", value=words[1:], legal=(MODEL,))
            self.condensed = True
        elif first == "verbose":
            self.condensed = False
        elif first in ("outputs", "weights"):
            self._many(first, words[1:])
        elif first in SECTIONS or self.section != "outputs":
            name = self.section if self.section != "outputs" else f"={first}"
            self.sections.setdefault(name, []).append(" ".join(words))
        else:
            self._output(words)

    def _fits_model(self, pattern: str) -> bool:
        """Whether a pattern of ``specialize`` fits the ERS-7: single characters, sets, alternatives, repetitions."""
        if _PLAIN_PATTERN.fullmatch(pattern) is None:
            limit = "letters, digits and . | * ? + ^ $ [ ] -, at most 40"
            raise self.error("the pattern of 'specialize' is not supported", value=pattern, limit=limit)
        try:
            return re.search(pattern, MODEL) is not None
        except re.error as error:
            raise self.error(f"the pattern of 'specialize' is broken: {error}", value=pattern) from error

    def _tag(self, tag: str) -> None:
        name = tag.strip("</>")
        if name not in SECTIONS:
            raise self.error("the section is unknown", value=tag, legal=SECTIONS)
        if tag.startswith("</"):
            if name != self.section:
                raise self.error("another section is open", value=tag, legal=(f"</{self.section}>",))
            self.section = "outputs"
            return
        if self.section != "outputs":
            raise self.error(f"section {self.section!r} is still open", value=tag)
        self.section = name

    def _many(self, what: str, words: list[str]) -> None:
        if not self.condensed:
            raise self.error(f"a line of all {what} needs 'condensed {MODEL}' before it")
        lights = tuple(f"LED:{index}" for index in range(TEKKOTSU_LEDS))
        names = (*_CONDENSED, *lights, *_EARS)
        if len(words) not in (len(_CONDENSED), len(names)):
            raise self.error(f"the line has {len(words)} of {len(names)} {what}")
        for index, word in enumerate(words):
            value = self.number(word, what[:-1], names[index])
            old = self.targets.get(names[index], Target(0.0))
            self.targets[names[index]] = Target(value, old.weight) if what == "outputs" else Target(old.value, value)

    def _output(self, words: list[str]) -> None:
        name, known, target = self.output(words)
        if not known and not name.startswith("LED:"):
            self.warn(f"{name!r} is no output of the {MODEL}")
        for output in known or (name.rstrip("~"),):
            self.targets[output] = target


def parse_pos(text: str, file: str = "", report: ReadReport | None = None) -> PostureFile:
    """Parse a posture.

    Raises:
        FormatError: It breaks the format; the message names the line.
    """
    reader = _Reader(file, report or ReadReport())
    reader.read(lines_of(text))
    sections = {name: tuple(kept) for name, kept in reader.sections.items()}
    return PostureFile(reader.targets, sections)


def pos_text(posture: PostureFile) -> str:
    """Return a posture as text, one output a line.

    Raises:
        FormatError: A name or section cannot be written.
    """
    lines = [HEADER]
    condensed = [line for name, kept in posture.sections.items() if name.startswith("=") for line in kept]
    for name, target in posture.targets.items():
        lines.append(target_line(name, target, " \t\r\n=#<"))
    for name, kept in posture.sections.items():
        if not name.startswith("="):
            lines += [f"<{name}>", *(f"  {line}" for line in kept), f"</{name}>"]
    return "".join(f"{line}\n" for line in [*lines, *condensed, END])

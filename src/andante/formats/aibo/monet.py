"""MoNet's two configuration files: MONETCMD.CFG (commands) and MONET.CFG (transitions between postures).

Facts: docs/sources/aibo.md, section 2.3. Lines that begin with ``#`` are comments. Sony's parser breaks on empty
lines, which are a remark.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from andante.formats.aibo.files import lines_of, read_old_text
from andante.formats.aibo.oda import ROOM
from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.text_file import LineReader

AGENTS = ("monetagentNEUTRAL", "monetagentMTN", "monetagentSOUND", "monetagentMTNWALK")
"""Who carries out a command."""
MOTION_AGENTS = ("monetagentMTN", "monetagentMTNWALK")
"""Agents whose names and positions are those of the motion archive."""
SOUND_AGENT = "monetagentSOUND"
"""Agent whose names are those of the sound archive."""
BY_NAME = -1
"""Index of a motion that is looked up by its name."""
MAX_AGENTS = 16
"""Most agents of one command that are read."""

_SEARCHED = 1000


@dataclass(frozen=True)
class AgentCall:
    """What one agent does: a line of either file."""

    agent: str
    """The agent."""
    motion: str
    """Name of the motion (the one inside the MTN file) or of the sound (its archive entry)."""
    index: int = BY_NAME
    """Position in the archive, or -1: by name."""
    line: int = field(default=0, compare=False)
    """Line in the file, from 1; 0 for one that was not read."""


@dataclass(frozen=True)
class MonetCommand:
    """A command that a program can give by its number."""

    number: int
    """Its number."""
    calls: tuple[AgentCall, ...]
    """What the agents do."""
    sync: bool = False
    """Whether motion and sound start together."""
    line: int = field(default=0, compare=False)
    """Line in the file, from 1; 0 for one that was not read."""


@dataclass(frozen=True)
class MonetCommands:
    """MONETCMD.CFG."""

    commands: tuple[MonetCommand, ...] = ()
    """The commands in order."""
    file: str = field(default="", compare=False)
    """The file, for messages."""

    def command(self, number: int) -> MonetCommand:
        """Return a command by its number.

        Raises:
            FormatError: There is none, which MoNet answers with INVALID_ARG.
        """
        for command in self.commands:
            if command.number == number:
                return command
        raise FormatError(
            "there is no such command",
            file=self.file,
            value=number,
            legal=[str(command.number) for command in self.commands],
        )


@dataclass(frozen=True)
class MonetArcs:
    """MONET.CFG: motions that lead from one posture to another."""

    calls: tuple[AgentCall, ...] = ()
    """One per transition, in order."""
    file: str = field(default="", compare=False)
    """The file, for messages."""


class _Lines(LineReader):
    """The words of a file's lines, one line after another; comments are skipped."""

    def __init__(self, text: str, file: str, report: ReadReport | None) -> None:
        super().__init__(file, report or ReadReport())
        self._items = self._read(text)
        self._next = next(self._items, None)

    def _read(self, text: str) -> Iterator[tuple[int, list[str]]]:
        lines = lines_of(text)
        for number, line in enumerate(lines if lines[-1] else lines[:-1], 1):
            if line.startswith("#"):
                continue
            if not line.strip(" \t"):
                self.report.warn("an empty line, on which MoNet's own parser breaks", self.file, number)
            else:
                yield number, [word for word in line.replace("\t", " ").split(" ") if word]

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> list[str]:
        if self._next is None:
            raise StopIteration
        (self.line, words), self._next = self._next, next(self._items, None)
        return words

    def first(self, words: list[str], count: int, what: str) -> list[str]:
        """The first words of a line, of which there must be ``count``; further ones are a remark."""
        if len(words) < count:
            raise self.error(f"a line needs {what}", value=" ".join(words))
        if len(words) > count:
            self.warn(f"what follows {' '.join(words[:count])!r} is not read")
        return words[:count]

    def number(self, word: str, what: str, lowest: int, highest: int = 2**31 - 1) -> int:
        """A word as a whole number."""
        digits = word[1:] if word.startswith("-") else word
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 10) or not lowest <= int(word) <= highest:
            raise self.error(f"the {what} is no whole number in range", value=word, limit=f"{lowest}..{highest}")
        return int(word)

    def call(self, words: list[str]) -> AgentCall:
        """A line as what an agent does."""
        agent, motion, index = self.first(words, 3, "agent, name and index")
        if agent not in AGENTS:
            raise self.error("the agent is unknown", value=agent, legal=AGENTS)
        if len(motion) > ROOM:
            raise self.error(f"the name has {len(motion)} characters", value=motion, limit=f"at most {ROOM}")
        return AgentCall(agent, motion, self.number(index, "index", BY_NAME), self.line)


def looks_like_monet(head: bytes) -> bool:
    """Whether the beginning of a file is that of MONETCMD.CFG or MONET.CFG: its first agent's line comes early."""
    for line in head.split(b"\n", _SEARCHED)[:_SEARCHED]:
        words = line.split()
        if words and words[0].startswith(b"monetagent"):
            return True
        if words and not words[0].startswith(b"#") and not all(word.isdigit() for word in words):
            return False
    return False


def parse_commands(text: str, file: str = "", report: ReadReport | None = None) -> MonetCommands:
    """Parse MONETCMD.CFG.

    Raises:
        FormatError: A line breaks the format, or two commands have the same number; the message names the line.
    """
    lines = _Lines(text, file, report)
    commands: list[MonetCommand] = []
    seen: dict[int, int] = {}
    for words in lines:
        number, count, sync = lines.first(words, 3, "number, count of agents and sync")
        if number in AGENTS:
            raise lines.error("an agent's line stands where a command must begin; is the count too small?")
        known = lines.number(number, "command's number", 0)
        if known in seen:
            raise lines.error(f"the command's number stands in line {seen[known]} already", value=known)
        seen[known] = line = lines.line
        agents = lines.number(count, "count of agents", 1, MAX_AGENTS)
        synced = lines.number(sync, "sync", 0, 1) == 1
        calls = [lines.call(each) for each in islice(lines, agents)]
        if len(calls) < agents:
            lines.line = line
            raise lines.error(f"the command has {len(calls)} of {agents} agents; the file ends", value=known)
        commands.append(MonetCommand(known, tuple(calls), synced, line))
    return MonetCommands(tuple(commands), file)


def parse_arcs(text: str, file: str = "", report: ReadReport | None = None) -> MonetArcs:
    """Parse MONET.CFG.

    Raises:
        FormatError: A line breaks the format; the message names it.
    """
    lines = _Lines(text, file, report)
    return MonetArcs(tuple(lines.call(words) for words in lines), file)


def read_commands(path: Path, report: ReadReport | None = None) -> MonetCommands:
    """Read MONETCMD.CFG.

    Raises:
        DocumentError: It cannot be read or breaks the format.
    """
    report = report or ReadReport()
    return parse_commands(read_old_text(path, report), str(path), report)


def read_arcs(path: Path, report: ReadReport | None = None) -> MonetArcs:
    """Read MONET.CFG.

    Raises:
        DocumentError: It cannot be read or breaks the format.
    """
    report = report or ReadReport()
    return parse_arcs(read_old_text(path, report), str(path), report)

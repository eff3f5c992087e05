"""MoNet's graph of postures: which motions lead from where to where, and the way to a command.

A motion's name says where it begins and ends: ``<part>_<start>#<end>_<label>``. Motions with different ends are arcs,
from both files. On a command MoNet searches a way of arcs from the present posture to the motion's start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from andante.errors import nearest_name
from andante.formats.aibo.monet import BY_NAME, MOTION_AGENTS, SOUND_AGENT, AgentCall, MonetArcs, MonetCommands
from andante.formats.aibo.mtn import MAGIC as MTN_MAGIC
from andante.formats.aibo.mtn import MAX_BYTES as MAX_MTN
from andante.formats.aibo.mtn import read_mtn
from andante.formats.aibo.oda import MAX_NAME, OdaArchive, OdaEntry
from andante.formats.report import FormatError, Remark
from andante.motions.posture_ways import shortest_way

POSTURES = ("any", "nt", "stand", "sit", "sleep", "walk")
"""MoNet's postures: ``any`` fits all, ``nt`` is the one after switching on."""
BOOT = "nt"
"""Posture after switching on."""
ANY = "any"
"""Start or end that fits all."""

_NULL = re.compile(r"_null$")
_SEPARATORS = re.compile(r"[_#]+")


@dataclass(frozen=True)
class Arc:
    """A motion that leads from one posture to another."""

    start: str
    """Posture where it begins."""
    end: str
    """Posture where it ends."""
    call: AgentCall
    """What is done."""


def postures_of(motion: str) -> tuple[str | None, str | None]:
    """Start and end posture as MoNet reads them from a motion's name; None for a missing or unknown one."""
    parts = [part for part in _SEPARATORS.split(motion) if part]
    known = [part if part in POSTURES else None for part in parts[1:3]]
    start, end = (*known, None, None)[:2]
    return start, end


def _ends(call: AgentCall) -> tuple[str | None, str | None]:
    return (ANY, ANY) if call.agent == SOUND_AGENT else postures_of(call.motion)


class PostureGraph:
    """The arcs of both files.

    Args:
        arcs: MONET.CFG.
        commands: MONETCMD.CFG; its motions with different ends are arcs too.
    """

    def __init__(self, arcs: MonetArcs, commands: MonetCommands | None = None) -> None:
        calls: list[AgentCall] = list(arcs.calls)
        for command in commands.commands if commands is not None else ():
            calls += command.calls
        self.arcs: tuple[Arc, ...] = tuple(
            Arc(start, end, call)
            for call in calls
            for start, end in (_ends(call),)
            if start is not None and end is not None and start != end and start != ANY
        )

    def way(self, start: str, end: str) -> tuple[Arc, ...]:
        """Return the shortest way between postures; of equally short ones the first in the files' order.

        Raises:
            FormatError: A posture is unknown, or there is no way (MoNet answers INVALID_ARG).
        """
        for posture in (start, end):
            if posture not in POSTURES:
                raise FormatError("the posture is unknown", value=posture, legal=POSTURES)
        if end in (ANY, start):
            return ()
        way, came = shortest_way(((arc.start, arc.end, arc) for arc in self.arcs), start, end)
        if way is None:
            reached = ", ".join(came) or "nothing"
            raise FormatError(f"there is no way from posture {start!r} to {end!r}", limit=f"reached: {reached}")
        return tuple(way)

    def plan(self, commands: MonetCommands, number: int, posture: str = BOOT) -> tuple[AgentCall, ...]:
        """Return all calls that a command leads to from a posture: the way's, then its own.

        Raises:
            FormatError: There is no such command, its motion names no known start posture, or there is no way to it.
        """
        command = commands.command(number)
        starts = [start for start in (_ends(call)[0] for call in command.calls) if start != ANY]
        if starts and starts[0] is None:
            raise FormatError(
                "the motion's name tells no known start posture",
                file=commands.file,
                line=command.line or None,
                value=command.calls[0].motion,
                legal=POSTURES,
            )
        way = self.way(posture, starts[0]) if starts and starts[0] is not None else ()
        return (*(arc.call for arc in way), *command.calls)


def motion_name(entry: OdaEntry, number: int, file: str) -> tuple[str | None, str]:
    """Name by which MoNet finds an entry, and what is wrong with it ("" where nothing is).

    Inside a motion it is the motion's own name, else the entry's; None for a stub and for a broken motion.
    """
    if entry.stub:
        return None, ""
    if entry.kind != MTN_MAGIC:
        return entry.name, entry.fault
    try:
        return read_mtn(entry.payload(file, MAX_MTN), file, f"entry {number} {entry.name!r}").motion, ""
    except FormatError as error:
        return None, error.what


def motion_names(archive: OdaArchive, file: str) -> tuple[str | None, ...]:
    """Name by which MoNet finds each entry of an archive; see `motion_name`."""
    return tuple(motion_name(entry, number, file)[0] for number, entry in enumerate(archive.entries))


def check_monet(
    commands: MonetCommands,
    arcs: MonetArcs | None = None,
    *,
    motions: Sequence[str | None] | None = None,
    sounds: Sequence[str | None] | None = None,
) -> list[Remark]:
    """Return what is wrong with MoNet's configuration, each with its line.

    Args:
        commands: MONETCMD.CFG.
        arcs: MONET.CFG; without it ways between postures are not looked at.
        motions: Names in the motion archive (`motion_names`); None: not looked at.
        sounds: Names in the sound archive; None: not looked at.
    """
    archives = dict.fromkeys(MOTION_AGENTS, ("motion", motions)) | {SOUND_AGENT: ("sound", sounds)}
    found: list[Remark] = []

    def check(call: AgentCall, file: str) -> None:
        archive, names = archives.get(call.agent, ("", None))
        faults = [
            _length_fault(call),
            *_posture_faults(call),
            "" if names is None else _lookup_fault(call, names, archive),
        ]
        found.extend(Remark(fault, file, call.line or None) for fault in faults if fault)

    for call in arcs.calls if arcs is not None else ():
        check(call, arcs.file if arcs is not None else "")
    graph = PostureGraph(arcs, commands) if arcs is not None else None
    for command in commands.commands:
        for call in command.calls:
            check(call, commands.file)
        try:
            if graph is not None:
                graph.plan(commands, command.number)
        except FormatError as error:
            if "no way" in error.what:
                text = f"command {command.number}: {error.what}"
                found.append(Remark(text, commands.file, command.line or None))
    return found


def _length_fault(call: AgentCall) -> str:
    length = len(call.motion)
    return f"{call.motion!r} has {length} characters, MoNet can hold {MAX_NAME}" if length > MAX_NAME else ""


def _posture_faults(call: AgentCall) -> Iterable[str]:
    if call.agent == SOUND_AGENT:
        return
    parts = [part for part in _SEPARATORS.split(call.motion) if part]
    for index, what in ((1, "start"), (2, "end")):
        if len(parts) <= index:
            yield (
                f"motion {call.motion!r} names no {what} posture, on which MoNet crashes; "
                "the form is <part>_<start>#<end>_<label>"
            )
            return
        if parts[index] not in POSTURES:
            legal = ", ".join(POSTURES)
            yield f"motion {call.motion!r}: the {what} posture {parts[index]!r} is unknown; legal: {legal}"


def _lookup_fault(call: AgentCall, names: Sequence[str | None], archive: str) -> str:
    if call.index == BY_NAME:
        if call.motion in names or _NULL.search(call.motion):
            return ""
        near = nearest_name(call.motion, [name for name in names if name is not None])
        hint = f"; did you mean {near!r}?" if near is not None else ""
        return (
            f"{archive} {call.motion!r} is not in the {archive} archive; "
            f"MoNet would report success without doing anything{hint}"
        )
    if call.index >= len(names):
        return f"{archive} {call.motion!r}: there is no entry {call.index} in an archive of {len(names)}"
    if names[call.index] != call.motion:
        return f"{archive} {call.motion!r}: entry {call.index} of the archive is {names[call.index]!r}"
    return ""

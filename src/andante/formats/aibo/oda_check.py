"""What is to be said of an ODA archive: damaged entries, names that MoNet cannot call, motions that it hides."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from andante.formats.aibo.monet_graph import motion_name
from andante.formats.aibo.mtn import MAGIC as MTN_MAGIC
from andante.formats.aibo.oda import MAX_NAME, OdaArchive


@dataclass(frozen=True)
class ArchiveReport:
    """What is to be said of an archive."""

    faults: tuple[str, ...]
    """What cannot be read."""
    warnings: tuple[str, ...]
    """What the robot's software cannot reach."""
    motions: int
    """Number of whole motions."""


def check_archive(archive: OdaArchive, file: str) -> ArchiveReport:
    """Examine an archive.

    Args:
        archive: The archive.
        file: Its file, for messages.
    """
    faults: list[str] = []
    warnings = ["a table without payloads; what its entries hold is kept elsewhere"] * archive.table_only
    called: Counter[str] = Counter()
    for number, entry in enumerate(archive.entries):
        name, fault = (entry.name, "") if archive.table_only else motion_name(entry, number, file)
        if fault:
            faults.append(f"entry {number} {entry.name!r}: {fault}")
        if name is None or (entry.kind != MTN_MAGIC and not archive.table_only):
            continue
        called[name] += 1
        if len(name) > MAX_NAME:
            warnings.append(
                f"entry {number} {entry.name!r}: the motion's name {name!r} has {len(name)} characters, MoNet can hold"
                f" {MAX_NAME}"
            )
    for name, count in called.items():
        if count > 1:
            warnings.append(f"{count} motions are called {name!r} inside; MoNet plays the first")
    return ArchiveReport(tuple(faults), tuple(warnings), called.total())


def name_warnings(archive: OdaArchive, names: set[str], file: str) -> tuple[str, ...]:
    """What MoNet cannot call among entries of these names."""
    entries = tuple(entry for entry in archive.entries if entry.name in names)
    told = check_archive(OdaArchive(entries), file).warnings
    return tuple(text.partition(": ")[2] for text in told if text.startswith("entry "))

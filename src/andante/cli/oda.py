"""`andante oda`: the AIBO's archives of motions and sounds, and MoNet's configuration that calls them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.output import Commands, Several, answer

if TYPE_CHECKING:
    from andante.formats.aibo.oda import OdaArchive

app = Commands(help="List, extract, add to, create and check ODA archives.", no_args_is_help=True, add_completion=False)


def _rows(archive: OdaArchive, path: Path) -> list[dict[str, Any]]:
    from andante.formats.aibo.monet_graph import motion_name

    first: set[str] = set()
    rows = []
    for number, entry in enumerate(archive.entries):
        marks = {"gzip": entry.zipped, "stub": entry.stub, "hidden by the first of its name": entry.name in first}
        notes = [note for note, holds in marks.items() if holds]
        first.add(entry.name)
        kind = entry.kind.rstrip(b"\0").decode("latin-1") or "?"
        motion, fault = motion_name(entry, number, str(path)) if not archive.table_only else (None, "")
        notes += [f"damaged: {fault}"] if fault else []
        rows.append(
            {"index": number, "name": entry.name, "kind": kind, "size": entry.size, "motion": motion, "notes": notes}
        )
    return rows


@app.add("list")
def list_(archive: Path) -> None:
    """List the entries: position, kind, size, name, and the motion's own name where it differs.

    Args:
        archive: The ODA archive.
    """
    from andante.formats.aibo.oda_files import open_archive

    content = open_archive(archive)
    rows = _rows(content, archive)
    lines = []
    for row in rows:
        motion = f" ({row['motion']})" if row["motion"] not in (None, row["name"]) else ""
        notes = f" [{'; '.join(row['notes'])}]" if row["notes"] else ""
        lines.append(f"{row['index']:5d} {row['kind']:4s} {row['size']:9d} {row['name']}{motion}{notes}")
    packed = ", packed with gzip" if content.zipped else ""
    table = ", a table without payloads" if content.table_only else ""
    data = {"file": str(archive), "gzip": content.zipped, "table_only": content.table_only, "entries": rows}
    answer(data, [*lines, f"{archive}: {len(rows)} entries{packed}{table}"])


@app.add("extract")
def extract(archive: Path, folder: Path, names: Annotated[Several, typer.Option("--name")] = None) -> None:
    """Write entries to a folder, unpacked.

    Args:
        archive: The ODA archive.
        folder: Where to write; files there are not overwritten.
        names: Entry to extract; default: all.
    """
    from andante.formats.aibo.oda_files import extract as extract_entries
    from andante.formats.aibo.oda_files import open_archive

    done = extract_entries(open_archive(archive), archive, folder, names or ())
    lines = [
        *(f"warning: {remark}" for remark in done.remarks),
        f"{archive}: {len(done.files)} files written to {folder}",
    ]
    answer({"files": [str(file) for file in done.files], "remarks": list(done.remarks)}, lines)


@app.add("add")
def add(archive: Path, files: list[Path], name: str | None = None, replace: bool = False) -> None:
    """Add files to an archive; a name that is there already is refused unless it is to be replaced.

    Args:
        archive: The ODA archive.
        files: Files to add; the entry gets the name without the ending.
        name: Name of the entry, for one file.
        replace: Replace entries of the same name.
    """
    from andante.formats.aibo.oda_files import add_files, open_archive, save_archive

    content = add_files(open_archive(archive), files, name=name, replacing=replace)
    save_archive(content, archive)
    _say(archive, content, {name or file.stem for file in files})


@app.add("create")
def create(archive: Path, files: list[Path], gzip: str | None = None) -> None:
    """Create an archive; one that is there already is not overwritten.

    Args:
        archive: The ODA archive.
        files: Files to put in; the entry gets the name without the ending.
        gzip: Pack the 'whole' archive or every 'payload'.
    """
    from andante.formats.aibo.oda_files import create_archive, save_archive
    from andante.formats.report import FormatError

    if archive.exists():
        raise FormatError("the archive is there already", file=archive, remedy="add to it, or remove it first")
    content = create_archive(files, gzip=gzip)
    save_archive(content, archive)
    _say(archive, content, {file.stem for file in files})


@app.add("check")
def check(
    commands: Path,
    arcs: Path | None = None,
    motions: Path | None = None,
    sounds: Path | None = None,
) -> None:
    """Check MoNet's configuration: unknown postures, motions that no archive has, commands without a way to them.

    Args:
        commands: MONETCMD.CFG; or an ODA archive: damaged entries, names that MoNet cannot call.
        arcs: MONET.CFG: looks for ways between postures.
        motions: Motion archive: looks up the motions' names.
        sounds: Sound archive: looks up the sounds' names.
    """
    if _is_archive(commands):
        _check_archive(commands)
        return
    from andante.formats.aibo.monet import read_arcs, read_commands
    from andante.formats.aibo.monet_graph import check_monet, motion_names
    from andante.formats.aibo.oda_files import open_archive
    from andante.formats.report import ReadReport

    report = ReadReport()
    named = [motion_names(open_archive(path), str(path)) if path is not None else None for path in (motions, sounds)]
    found = check_monet(
        read_commands(commands, report),
        read_arcs(arcs, report) if arcs is not None else None,
        motions=named[0],
        sounds=named[1],
    )
    _judged(commands, list(map(str, found)), list(map(str, report.warnings)))


def _is_archive(path: Path) -> bool:
    from andante.documents.files import read_head
    from andante.formats.registry import FORMATS

    return path.is_file() and FORMATS["oda"].sniff(read_head(path, 4096), path) > 0.0


def _judged(path: Path, faults: Sequence[str], warnings: Sequence[str], more: str = "") -> None:
    """Tell faults and warnings of a file, then the verdict."""
    verdict = "fail" if faults else "pass"
    data = {"file": str(path), "verdict": verdict, "faults": list(faults), "warnings": list(warnings)}
    lines = [*(f"warning: {each}" for each in warnings), *(f"error: {each}" for each in faults)]
    answer(data, [*lines, f"{path}: {verdict}{more}"], not faults)


def _check_archive(path: Path) -> None:
    from andante.formats.aibo.oda_check import check_archive
    from andante.formats.aibo.oda_files import open_archive

    archive = open_archive(path)
    report = check_archive(archive, str(path))
    more = f"; what the motions do: andante check {path}" if report.motions else ""
    told = f"; {len(archive.entries)} entries, {report.motions} motions{more}"
    _judged(path, report.faults, report.warnings, told)


def _say(path: Path, archive: OdaArchive, new: set[str]) -> None:
    from andante.formats.aibo.oda_check import name_warnings

    entries, warnings = [entry.name for entry in archive.entries], name_warnings(archive, new, str(path))
    data = {"file": str(path), "entries": entries, "warnings": list(warnings)}
    answer(data, [*(f"warning: {each}" for each in warnings), f"{path}: {len(entries)} entries"])

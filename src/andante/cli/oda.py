"""`andante oda`: the AIBO's archives of motions and sounds, and MoNet's configuration that calls them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.output import Exit, command, emit

if TYPE_CHECKING:
    from andante.formats.aibo.oda import OdaArchive

app = typer.Typer(
    help="List, extract, add to, create and check ODA archives.", no_args_is_help=True, add_completion=False
)

Archive = Annotated[Path, typer.Argument(help="The ODA archive.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _rows(archive: OdaArchive, path: Path) -> list[dict[str, Any]]:
    from andante.formats.aibo.monet_graph import motion_name

    first: set[str] = set()
    rows = []
    for number, entry in enumerate(archive.entries):
        notes = [
            note
            for note, holds in (
                ("gzip", entry.zipped),
                ("stub", entry.stub),
                ("hidden by the first of its name", entry.name in first),
            )
            if holds
        ]
        first.add(entry.name)
        kind = entry.kind.rstrip(b"\0").decode("latin-1") or "?"
        motion, fault = motion_name(entry, number, str(path)) if not archive.table_only else (None, "")
        notes += [f"damaged: {fault}"] if fault else []
        rows.append(
            {"index": number, "name": entry.name, "kind": kind, "size": entry.size, "motion": motion, "notes": notes}
        )
    return rows


@app.command("list")
@command
def list_(archive: Archive, as_json: Json = False) -> None:
    """List the entries: position, kind, size, name, and the motion's own name where it differs."""
    from andante.formats.aibo.oda_files import open_archive

    content = open_archive(archive)
    rows = _rows(content, archive)
    if as_json:
        emit({"file": str(archive), "gzip": content.zipped, "table_only": content.table_only, "entries": rows})
        return
    for row in rows:
        motion = f" ({row['motion']})" if row["motion"] not in (None, row["name"]) else ""
        notes = f" [{'; '.join(row['notes'])}]" if row["notes"] else ""
        print(f"{row['index']:5d} {row['kind']:4s} {row['size']:9d} {row['name']}{motion}{notes}")
    packed = ", packed with gzip" if content.zipped else ""
    table = ", a table without payloads" if content.table_only else ""
    print(f"{archive}: {len(rows)} entries{packed}{table}")


@app.command("extract")
@command
def extract(
    archive: Archive,
    folder: Annotated[Path, typer.Argument(help="Where to write; files there are not overwritten.")],
    names: Annotated[list[str] | None, typer.Option("--name", help="Entry to extract; default: all.")] = None,
    as_json: Json = False,
) -> None:
    """Write entries to a folder, unpacked."""
    from andante.formats.aibo.oda_files import extract as extract_entries
    from andante.formats.aibo.oda_files import open_archive

    done = extract_entries(open_archive(archive), archive, folder, names or ())
    if as_json:
        emit({"files": [str(file) for file in done.files], "remarks": list(done.remarks)})
        return
    for remark in done.remarks:
        print(f"warning: {remark}")
    print(f"{archive}: {len(done.files)} files written to {folder}")


@app.command("add")
@command
def add(
    archive: Archive,
    files: Annotated[list[Path], typer.Argument(help="Files to add; the entry gets the name without the ending.")],
    name: Annotated[str | None, typer.Option(help="Name of the entry, for one file.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace entries of the same name.")] = False,
    as_json: Json = False,
) -> None:
    """Add files to an archive; a name that is there already is refused unless it is to be replaced."""
    from andante.formats.aibo.oda_files import add_files, open_archive, save_archive

    content = add_files(open_archive(archive), files, name=name, replacing=replace)
    save_archive(content, archive)
    _say(archive, content, as_json)


@app.command("create")
@command
def create(
    archive: Archive,
    files: Annotated[list[Path], typer.Argument(help="Files to put in; the entry gets the name without the ending.")],
    gzip: Annotated[str | None, typer.Option(help="Pack the 'whole' archive or every 'payload'.")] = None,
    as_json: Json = False,
) -> None:
    """Create an archive; one that is there already is not overwritten."""
    from andante.formats.aibo.oda_files import create_archive, save_archive
    from andante.formats.errors import FormatError

    if archive.exists():
        raise FormatError("the archive is there already", file=archive, remedy="add to it, or remove it first")
    content = create_archive(files, gzip=gzip)
    save_archive(content, archive)
    _say(archive, content, as_json)


@app.command("check")
@command
def check(
    commands: Annotated[Path, typer.Argument(help="MONETCMD.CFG.")],
    arcs: Annotated[Path | None, typer.Option(help="MONET.CFG: looks for ways between postures.")] = None,
    motions: Annotated[Path | None, typer.Option(help="Motion archive: looks up the motions' names.")] = None,
    sounds: Annotated[Path | None, typer.Option(help="Sound archive: looks up the sounds' names.")] = None,
    as_json: Json = False,
) -> None:
    """Check MoNet's configuration: unknown postures, motions that no archive has, commands without a way to them."""
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
    verdict = "fail" if found else "pass"
    if as_json:
        emit(
            {
                "file": str(commands),
                "verdict": verdict,
                "faults": [str(fault) for fault in found],
                "warnings": [str(warning) for warning in report.warnings],
            }
        )
    else:
        for warning in report.warnings:
            print(f"warning: {warning}")
        for fault in found:
            print(f"error: {fault}")
        print(f"{commands}: {verdict}")
    raise typer.Exit(Exit.FAILED if found else Exit.GOOD)


def _say(path: Path, archive: OdaArchive, as_json: bool) -> None:
    if as_json:
        emit({"file": str(path), "entries": [entry.name for entry in archive.entries]})
        return
    print(f"{path}: {len(archive.entries)} entries")

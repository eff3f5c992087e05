"""`andante convert`: a motion library from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from andante.cli.completion import formats, libraries, motions
from andante.cli.output import command, emit


@command
def convert(
    source: Annotated[
        str,
        typer.Argument(
            help="File or folder to read, whose content decides the format, or a shipped library's name.",
            autocompletion=libraries,
        ),
    ],
    target: Annotated[Path, typer.Argument(help="File or folder to write; its name decides the format.")],
    to: Annotated[str | None, typer.Option("--to", help="Target format by name.", autocompletion=formats)] = None,
    from_: Annotated[str | None, typer.Option("--from", help="Source format by name.", autocompletion=formats)] = None,
    robot: Annotated[str, typer.Option("--robot", help="Robot of a file that does not name its own.")] = "",
    motion: Annotated[
        list[str] | None,
        typer.Option(help="Motion to write, where the source has several; repeat for more.", autocompletion=motions),
    ] = None,
    clip: Annotated[bool, typer.Option("--clip", help="Bring targets inside the robot's joint limits.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Convert motions to another format; say what exceeds the robot's limits and what the format cannot hold."""
    from andante.formats.registry import convert as convert_files
    from andante.runs.motion_libraries import library_path

    report = convert_files(
        library_path(source),
        target,
        source_format=from_,
        target_format=to,
        robot=robot,
        motions=motion or (),
        clip=clip,
        replace=force,
    )
    if as_json:
        emit(report.as_dict())
        return
    for warning in report.warnings:
        print(f"warning: {warning}")
    for loss in report.losses:
        print(f"not held by {report.target_format}: {loss}")
    print(f"{source} ({report.source_format}) -> {target} ({report.target_format})")
    if report.target_files != (target,):
        for file in report.target_files:
            print(f"written: {file}")

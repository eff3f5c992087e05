"""`andante schema`: the JSON Schemas of the documents, for editors that check while one types."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from andante.cli.output import command
from andante.errors import AndanteError

KINDS = ("motions", "robot", "scenario", "kick", "kick-library")


class SchemaError(AndanteError):
    """There is no such schema."""


@command
def schema(
    kind: Annotated[
        str | None, typer.Argument(help="motions, robot, scenario, kick or kick-library; default: list them.")
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Write all schemas into this folder.")] = None,
) -> None:
    """Print the JSON Schema of a kind of document, or write them all."""
    from andante.documents.schema import publish_schema, schema_text

    if folder is not None:
        for name in KINDS:
            publish_schema(_model(name), folder / f"{name}.schema.json")
        print(f"{len(KINDS)} schemas written to {folder}")
    elif kind is None:
        print("\n".join(KINDS))
    else:
        print(schema_text(_model(kind)), end="")


def _model(kind: str):  # type: ignore[no-untyped-def]
    if kind == "motions":
        from andante.motions.library import MotionLibrary

        return MotionLibrary
    if kind == "robot":
        from andante.robots.pack import RobotPack

        return RobotPack
    if kind == "scenario":
        from andante.runs.scenario import Scenario

        return Scenario
    if kind == "kick":
        from andante.motions.kicks.document import Kick

        return Kick
    if kind == "kick-library":
        from andante.search.kicks.library import KickLibrary

        return KickLibrary
    raise SchemaError("there is no schema of this kind", value=kind, legal=KINDS)

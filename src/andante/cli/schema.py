"""`andante schema`: the JSON Schemas of the documents, for editors that check while one types."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.errors import AndanteError

if TYPE_CHECKING:
    from pydantic import BaseModel

MODELS = {
    "motions": ("andante.motions.library", "MotionLibrary"),
    "robot": ("andante.robots.pack", "RobotPack"),
    "scenario": ("andante.runs.scenario", "Scenario"),
    "experiment": ("andante.search.experiment.document", "Experiment"),
    "policy": ("andante.control.policies.contract", "PolicyContract"),
    "judged": ("andante.motions.judged", "JudgedRecord"),
    "study": ("andante.search.studies.document", "Study"),
    "kick": ("andante.motions.kicks.document", "Kick"),
    "lesson": ("andante.studio.classroom.lesson", "Lesson"),
    "kick-library": ("andante.search.kicks.library", "KickLibrary"),
}
"""Module and name of the model of each kind of document."""


class SchemaError(AndanteError):
    """There is no such schema."""


def schema(kind: Annotated[str | None, typer.Argument()] = None, folder: Path | None = None) -> None:
    """Print the JSON Schema of a kind of document, or write them all.

    Args:
        kind: motions, robot, scenario, experiment, policy, judged, study, kick, lesson or kick-library; default: list
            them.
        folder: Write all schemas into this folder.
    """
    from andante.documents.schema import publish_schema, schema_text

    if folder is not None:
        for name in MODELS:
            publish_schema(model_of(name), folder / f"{name}.schema.json")
        print(f"{len(MODELS)} schemas written to {folder}")
    elif kind is None:
        print("\n".join(MODELS))
    else:
        print(schema_text(model_of(kind)), end="")


def model_of(kind: str) -> type[BaseModel]:
    """The model of a kind of document.

    Raises:
        SchemaError: There is none.
    """
    if kind not in MODELS:
        raise SchemaError("there is no schema of this kind", value=kind, legal=MODELS)
    module, name = MODELS[kind]
    found: type[BaseModel] = getattr(importlib.import_module(module), name)
    return found

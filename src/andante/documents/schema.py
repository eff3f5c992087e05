"""Published JSON Schemas of the documents, for editors and other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from andante.documents.descriptions import descriptions
from andante.documents.files import write_text
from andante.documents.quantities import Units
from andante.documents.reader import UNITS_KEY

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a document, its units header included.

    Quantities carry ``x-dimension`` (angle, angular_velocity, time, length, number); their unit is the header's.
    """
    references, schema = models_json_schema(
        [(model, "validation"), (Units, "validation")], ref_template="#/$defs/{model}", schema_generator=_Described
    )
    definitions = schema["$defs"]
    top = definitions.pop(references[(model, "validation")]["$ref"].rsplit("/", 1)[1])
    if UNITS_KEY not in model.model_fields:
        header = {
            **references[(Units, "validation")],
            "description": "Units in which this document writes its numbers; SI where absent.",
        }
        top["properties"] = {**top["properties"], UNITS_KEY: header}
    return {"$schema": _DIALECT, **top, "$defs": dict(sorted(definitions.items()))}


class _Described(GenerateJsonSchema):
    """Adds what the fields mean."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        made = super().model_schema(schema)
        model = schema["cls"]
        if issubclass(model, BaseModel):
            for name, text in descriptions(model).items():
                entry = made.get("properties", {}).get(model.model_fields[name].alias or name)
                if entry is not None:
                    entry.setdefault("description", text)
        return made


def schema_text(model: type[BaseModel]) -> str:
    """The schema as published: JSON with two blanks of indentation and a final line break."""
    return json.dumps(json_schema(model), indent=2, ensure_ascii=False) + "\n"


def publish_schema(model: type[BaseModel], path: Path) -> None:
    """Write a model's schema to a file.

    Raises:
        DocumentError: The file cannot be written.
    """
    write_text(path, schema_text(model))

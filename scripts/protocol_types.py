"""Write the TypeScript types of what the studio's pages may ask, from the models by which the server checks messages.

python scripts/protocol_types.py [--check]

With --check nothing is written, and the exit status says whether the types are those of the models.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from andante.studio.classroom.class_messages import CLASS_MESSAGES
from andante.studio.experiments.experiment_messages import EXPERIMENTS
from andante.studio.terrain_messages import TERRAIN

TARGET = Path(__file__).resolve().parents[1] / "web" / "studio" / "src" / "asked.ts"
_HEAD = """\
// What pages may ask of the server; made by scripts/protocol_types.py from src/andante/studio/messages.py,
// terrain_messages.py, classroom/class_messages.py and experiments/experiment_messages.py. Lengths, bounds and finite
// numbers are checked there.
"""
_PLAIN = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}


def typescript(schema: dict[str, Any]) -> str:
    """The type of a JSON Schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return f'"{schema["const"]}"' if isinstance(schema["const"], str) else str(schema["const"]).lower()
    if "enum" in schema:
        return " | ".join(f'"{word}"' for word in schema["enum"])
    for name in ("anyOf", "oneOf"):
        if name in schema:
            return " | ".join(dict.fromkeys(typescript(each) for each in schema[name]))
    kind = schema.get("type")
    if kind == "array":
        parts = [typescript(each) for each in schema.get("prefixItems", ())]
        if len(set(parts)) > 1:
            return f"[{', '.join(parts)}]"
        # How many numbers a place has, pages say by arrays.
        found = parts[0] if parts else typescript(schema.get("items", {}))
        return f"({found})[]" if "|" in found else f"{found}[]"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"Record<string, {typescript(inner) if isinstance(inner, dict) else 'unknown'}>"
    return _PLAIN.get(kind, "unknown") if isinstance(kind, str) else "unknown"


def interface(name: str, schema: dict[str, Any]) -> str:
    """A model as an interface, with its description."""
    lines = [f"/** {' '.join(str(schema['description']).split())} */"] if "description" in schema else []
    if "properties" not in schema:
        return "\n".join([*lines, f"export type {name} = {typescript(schema)};"])
    required = set(schema.get("required", ()))
    lines.append(f"export interface {name} {{")
    for field, what in schema["properties"].items():
        if "description" in what:
            lines.append(f"  /** {' '.join(str(what['description']).split())} */")
        lines.append(f"  {field}{'' if field in required else '?'}: {typescript(what)};")
    return "\n".join([*lines, "}"])


def union(name: str, schema: dict[str, Any]) -> str:
    """All messages of one page."""
    members = [typescript(each) for each in schema["oneOf"]]
    return f"export type {name} =\n  | " + "\n  | ".join(members) + ";"


def types() -> str:
    """The file."""
    asked = {"Asked": CLASS_MESSAGES, "AskedOfTerrain": TERRAIN, "AskedOfExperiments": EXPERIMENTS}
    pages = {name: each.json_schema() for name, each in asked.items()}
    parts: dict[str, str] = {}
    for schema in pages.values():
        for name, each in schema["$defs"].items():
            made = interface(name, each)
            if parts.setdefault(name, made) != made:
                raise SystemExit(f"two models are called {name}")
    unions = [union(name, schema) for name, schema in pages.items()]
    text = "\n\n".join([_HEAD.rstrip("\n"), *(parts[name] for name in sorted(parts)), *unions]) + "\n"
    return re.sub(r"`{2}", "`", text)


def main() -> None:
    """Write or check."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the file is another one")
    options = parser.parse_args()
    if options.check:
        sys.exit(0 if TARGET.read_text() == types() else f"{TARGET.name} is not that of the models: run this script")
    TARGET.write_text(types())


if __name__ == "__main__":
    main()

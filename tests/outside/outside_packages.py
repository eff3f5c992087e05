"""What packages outside the tree may import."""

from __future__ import annotations

import ast
from pathlib import Path

import andante
import andante.extend

PUBLIC = {"andante": set(andante.__all__), "andante.extend": set(andante.extend.__all__)}


def private_imports(project: Path) -> list[str]:
    """Imports of a project from Andante that are no public names: file, line and what is imported."""
    found = []
    for file in sorted(project.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
                wrong = [name for name in names if name.split(".")[0] == "andante" and name not in PUBLIC]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "andante":
                legal = PUBLIC.get(node.module or "", set())
                wrong = [f"{node.module}.{alias.name}" for alias in node.names if alias.name not in legal]
            else:
                # `andante.runs.session`, reached without importing it.
                private = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                inside = private and node.value.id == "andante" and node.attr not in {*PUBLIC["andante"], "extend"}
                wrong = [f"andante.{node.attr}"] if inside else []
            found += [f"{file.name}:{node.lineno}: {name}" for name in wrong]
    return found

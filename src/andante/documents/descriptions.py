"""What the fields of a model mean: the text below each in the source.

Reading the source takes a third of the time in which the models are made, and hardly any command shows these texts; so
they are read when somebody asks.
"""

from __future__ import annotations

import ast
import inspect
import sys
from enum import Enum
from functools import cache
from itertools import pairwise

from pydantic import BaseModel


@cache
def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """The text of each field of a model, inherited ones included; fields without one are left out."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base is not BaseModel and issubclass(base, BaseModel):
            found |= _texts(base.__module__).get(base.__qualname__, {})
    given = {name: field.description for name, field in model.model_fields.items() if field.description}
    return {name: text for name, text in (found | given).items() if name in model.model_fields}


@cache
def member_descriptions(kind: type[Enum]) -> dict[str, str]:
    """The text of each member of an enumeration, by its value; members without one are left out."""
    texts = _texts(kind.__module__).get(kind.__qualname__, {})
    return {str(member.value): " ".join(texts[member.name].split()) for member in kind if member.name in texts}


@cache
def _texts(module: str) -> dict[str, dict[str, str]]:
    """Fields (or members) and texts of all classes of a module, by the class's qualified name; none without source."""
    loaded = sys.modules.get(module)
    try:
        tree = ast.parse(inspect.getsource(loaded)) if loaded is not None else ast.Module([], [])
    except (OSError, TypeError):
        return {}
    return dict(_classes(tree.body, ""))


def _classes(body: list[ast.stmt], inside: str) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = []
    for node in body:
        if isinstance(node, ast.ClassDef):
            name = f"{inside}{node.name}"
            found.append((name, _fields(node)))
            found += _classes(node.body, f"{name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found += _classes(node.body, f"{inside}{node.name}.<locals>.")
    return found


def _fields(node: ast.ClassDef) -> dict[str, str]:
    found: dict[str, str] = {}
    for field_and_text in pairwise(node.body):
        match field_and_text:
            # A model's field has a type, an enumeration's member has none.
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = inspect.cleandoc(text)
    return found

"""The public names: lazy, told to type checkers, and the same in the package, the promise and the reference."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import andante

ROOT = Path(__file__).parents[2]
NAMES = [name for name in andante.__all__ if not name.startswith("_")]


def test_importing_loads_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import andante; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    mine = {name for name in done.stdout.split() if name.startswith("andante")}
    assert mine == {"andante", "andante.version"}
    assert not {"numpy", "pydantic", "mujoco", "yaml", "scipy"} & set(done.stdout.split())


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_there_with_words(name: str) -> None:
    thing = getattr(andante, name)
    assert name in dir(andante)
    assert inspect.getdoc(thing), name


def test_there_are_as_many_as_a_person_can_learn() -> None:
    assert 25 <= len(NAMES) <= 44


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'andante' has no attribute 'Robott'"):
        _ = andante.Robott


def test_type_checkers_see_what_is_loaded() -> None:
    """The imports for type checkers name the same modules as the table."""
    tree = ast.parse((ROOT / "src" / "andante" / "__init__.py").read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    told = {
        alias.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert set(told) == set(NAMES) == set(andante._MODULES)
    for name, module in told.items():
        assert module == f"andante.{andante._MODULES[name]}"
        assert getattr(importlib.import_module(module), name) is getattr(andante, name)


def test_the_promise_names_all_of_them() -> None:
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert told == NAMES


def test_the_reference_is_what_the_code_says() -> None:
    """A changed signature, field or docstring of a public name shows in the reference: `make api` writes it."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "api_reference.py"), "--check"], capture_output=True, timeout=120
    )
    assert done.returncode == 0, f"docs/api.md is not up to date: make api ({done.stderr.decode()[-500:]})"

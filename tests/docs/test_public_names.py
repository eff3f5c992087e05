"""The public names: lazy, told to type checkers, and the same in the package, the promise and the reference."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import andante
import andante.extend

ROOT = Path(__file__).parents[2]
MODULES = {"src/andante/__init__.py": andante, "src/andante/extend.py": andante.extend}
NAMES = [name for name in andante.__all__ if not name.startswith("_")]
EVERY = [(module, name) for module in MODULES.values() for name in module.__all__ if not name.startswith("_")]


def test_importing_loads_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import andante; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    mine = {name for name in done.stdout.split() if name.startswith("andante")}
    assert mine == {"andante", "andante.version"}
    assert not {"numpy", "pydantic", "mujoco", "yaml", "scipy"} & set(done.stdout.split())


@pytest.mark.parametrize(("module", "name"), EVERY, ids=lambda each: getattr(each, "__name__", each))
def test_each_name_is_there_with_words(module: ModuleType, name: str) -> None:
    thing = getattr(module, name)
    assert name in dir(module)
    assert inspect.getdoc(thing), name


def test_there_are_as_many_as_a_person_can_learn() -> None:
    assert 25 <= len(NAMES) <= 44


def test_no_name_is_in_both() -> None:
    assert len({name for _, name in EVERY}) == len(EVERY)


@pytest.mark.parametrize("module", MODULES.values())
def test_an_unknown_name_is_an_attribute_error(module: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Robott'"):
        _ = module.Robott


def test_importing_the_names_for_packages_loads_nothing_else() -> None:
    code = "import sys, andante.extend; print(*(name for name in sys.modules if name.startswith('andante')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert set(done.stdout.split()) == {"andante", "andante.version", "andante.extend"}


@pytest.mark.parametrize("file", MODULES)
def test_type_checkers_see_what_is_loaded(file: str) -> None:
    """The imports for type checkers name the same modules as the table."""
    public = MODULES[file]
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    told = {
        alias.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert set(told) == {name for name in public.__all__ if not name.startswith("_")} == set(public._MODULES)
    for name, module in told.items():
        assert module == f"andante.{public._MODULES[name]}"
        assert getattr(importlib.import_module(module), name) is getattr(public, name)


def test_the_promise_names_all_of_them() -> None:
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert told == [name for _, name in EVERY]


@pytest.mark.slow
def test_the_reference_is_what_the_code_says() -> None:
    """A changed signature, field or docstring of a public name shows in the reference: `make api` writes it."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "api_reference.py"), "--check"], capture_output=True, timeout=120
    )
    assert done.returncode == 0, f"docs/api.md is not up to date: make api ({done.stderr.decode()[-500:]})"

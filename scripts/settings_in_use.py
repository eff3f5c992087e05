"""Settings that nobody sets: their names stand in no shipped document, test, page, example or benchmark.

    python scripts/settings_in_use.py
    python scripts/settings_in_use.py --share 0.05

A name counts as used where it is given or asked for: ``name:``, ``name=``, ``.name``, ``'name'``, ``"name"`` or
`` `name` ``. Names that several settings share count for each of them, so that the number is at most a lower bound.
With ``--share`` the exit code is 1 where more of the fields than that are unused.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import andante
from andante.documents.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("src/**/*.yaml", "tests/**/*.py", "tests/**/*.yaml", "docs/**/*.md", "examples/**/*", "benchmarks/**/*.py")
"""Where people set and name settings."""
LISTS = ("docs/api.md", "docs/schemas")
"""Pages that name every setting, used or not."""
_USE = re.compile(r"(?:[.'\"`])([a-z_]+)\b|\b([a-z_]+)(?=\s?=[^=]|:)")


def settings_fields() -> list[tuple[type[Settings], str]]:
    """Every class of settings of the package with each of its own fields."""
    for module in pkgutil.walk_packages(andante.__path__, "andante."):
        if not module.name.endswith(("__main__", ".helper", ".ship")):
            importlib.import_module(module.name)
    kinds = sorted(_below(Settings), key=lambda kind: (kind.__module__, kind.__name__))
    return [(kind, name) for kind in kinds for name in kind.__annotations__ if name in kind.model_fields]


def _below(kind: type[Settings]) -> Iterator[type[Settings]]:
    for each in kind.__subclasses__():
        if each.__module__.startswith("andante."):
            yield each
        yield from _below(each)


def used_names(root: Path) -> set[str]:
    """Names that stand in the tree as one gives or asks for a setting."""
    names: set[str] = set()
    for pattern in PLACES:
        for path in root.glob(pattern):
            if path.is_file() and not str(path.relative_to(root)).startswith(LISTS):
                text = path.read_text(encoding="utf-8", errors="replace")
                names.update(first or second for first, second in _USE.findall(text))
    return names


def main() -> int:
    """Print the fields that nobody uses, and how many of all they are."""
    parser = argparse.ArgumentParser(description="Settings that nobody sets.")
    parser.add_argument("--share", type=float, help="fail where more of the fields are unused")
    given = parser.parse_args()
    fields, used = settings_fields(), used_names(ROOT)
    unused = [(kind, name) for kind, name in fields if name not in used]
    for kind, name in unused:
        print(f"{kind.__module__.removeprefix('andante.')}.{kind.__name__}.{name}")
    share = len(unused) / len(fields)
    print(f"{len(unused)} of {len(fields)} fields of settings unused ({100 * share:.1f} %)")
    return int(given.share is not None and share > given.share)


if __name__ == "__main__":
    sys.exit(main())

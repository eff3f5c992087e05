"""Writes docs/api.md: every public name of `andante` and `andante.extend` with signature, docstring and public members.

`make api` runs it; a test compares the file with what it would write, so that no public name changes unseen.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import sys
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import ModuleType

import andante
import andante.extend

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
HEAD = """# Reference of the public names

Written by `make api` from the docstrings. [python.md](python.md) shows the names at work, [stability.md](stability.md)
says what stays. Shapes are in round brackets, units in square ones.
"""


_WIDEST = 88
"""Longest signature that stands on one line: a page of the site shows that much beside its navigation."""


def signature(thing: object, name: str) -> str:
    """Name and arguments as they are called, without the text of long defaults."""
    try:
        text = str(inspect.signature(thing))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return name
    text = re.sub(r"<function <lambda> at 0x[0-9a-f]+>", "...", text)
    text = re.sub(r"\bandante\.(?:\w+\.)+(\w+)", r"\1", text)
    text = f"{name}{text}".replace("'", "")
    return text if len(text) <= _WIDEST else _broken(text)


def _broken(text: str) -> str:
    """A long signature with an argument per line."""
    head, _, rest = text.partition("(")
    inner, _, result = rest.rpartition(")")
    depth, start, arguments = 0, 0, []
    for place, letter in enumerate(inner):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            arguments.append(inner[start:place].strip())
            start = place + 1
    lines = "".join(f"    {argument},\n" for argument in (*arguments, inner[start:].strip()))
    return f"{head}(\n{lines}){result}"


def one_line(text: str) -> str:
    """A signature as it fits into a cell of a table."""
    return " ".join(text.split()).replace("( ", "(").replace(", )", ")")


def words_of(module: ModuleType, name: str) -> str:
    """The docstring of a name; of a constant or a type with units the text that stands below it."""
    thing = getattr(module, name)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return inspect.getdoc(thing) or ""
    source = inspect.getsource(import_module(f"andante.{vars(module)['_MODULES'][name]}"))
    found = re.search(rf'^{name}\b[^\n]*\n"""(.*?)"""', source, re.MULTILINE | re.DOTALL)
    return inspect.cleandoc(found[1]) if found else ""


def sections(text: str) -> str:
    """A docstring in Markdown: the words before the sections as they are, the sections as they stand."""
    head, *rest = re.split(r"\n(?=(?:Args|Returns|Raises|Source|Yields):)", text)
    head = re.sub(r"``([^`]+)``", r"`\1`", head)
    return head if not rest else f"{head}\n\n```text\n" + "\n".join(rest).rstrip() + "\n```"


def members(kind: type) -> list[tuple[str, str]]:
    """A class's public methods, properties and documented fields, with their first paragraph: its own, and those of a
    class of its folder, or of a folder in there, that it extends."""
    folder = kind.__module__.rpartition(".")[0]
    kinds = [each for each in kind.__mro__ if folder and each.__module__.startswith(f"{folder}.")] or [kind]
    own = [row for each in kinds for row in own_members(each)]
    # What a class gives anew hides what it extends.
    names = [name.partition("(")[0] for name, _ in own]
    return [row for each in kinds for row in fields(each)] + [
        row for place, row in enumerate(own) if names[place] not in names[:place]
    ]


def own_members(kind: type) -> list[tuple[str, str]]:
    """Public methods and properties that a class itself has."""
    found: list[tuple[str, str]] = []
    for name, value in vars(kind).items():
        if name.startswith("_") or name in ("model_config",):
            continue
        if isinstance(value, property) or type(value).__name__ in ("cached_property", "View"):
            function = value.fget if isinstance(value, property) else getattr(value, "func", value)
            found.append((f"`{name}`", first(inspect.getdoc(function))))
        elif isinstance(value, staticmethod | classmethod) or inspect.isfunction(value):
            inner = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            shown = one_line(signature(inner, name))
            shown = shown.replace("(self, ", "(").replace("(self)", "()").replace("(cls, ", "(")
            found.append((f"`{shown}`", first(inspect.getdoc(inner))))
    return found


def fields(kind: type) -> list[tuple[str, str]]:
    """Fields with the text that stands below each."""
    if issubclass(kind, Enum):
        return []
    names = set(getattr(kind, "model_fields", {})) or (
        {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    )
    lines = inspect.getsource(kind)
    pattern = re.compile(r'^    (\w+): [^\n]*(?:\n(?!    """)[^\n]*)*?\n    """(.*?)"""', re.MULTILINE | re.DOTALL)
    return [(f"`{name}`", first(text)) for name, text in pattern.findall(lines) if name in names]


def first(text: str | None) -> str:
    """The first paragraph in one line."""
    paragraph = (text or "").strip().split("\n\n")[0]
    return re.sub(r"``([^`]+)``", r"`\1`", " ".join(paragraph.split())).replace("|", "\\|")


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for module in (andante, andante.extend):
        if module is andante.extend:
            parts.append(f"# Names for packages\n\n{sections(inspect.getdoc(module) or '')}\n")
        parts += [section(module, name) for name in module.__all__ if not name.startswith("_")]
    return "\n".join(parts)


def section(module: ModuleType, name: str) -> str:
    """The part of one name."""
    thing = getattr(module, name)
    # Arguments of a class are its fields, which follow with their meaning.
    head = signature(thing, name) if inspect.isroutine(thing) else name
    parts = [f"## {name}\n\n```python\n{head}\n```\n", sections(words_of(module, name)) + "\n"]
    rows = members(thing) if inspect.isclass(thing) else []
    if rows:
        parts.append("| member | what |\n|---|---|")
        parts[-1] += "".join(f"\n| {member.replace('|', chr(92) + '|')} | {what} |" for member, what in rows) + "\n"
    return "\n".join(parts)


def main() -> int:
    """Write the page, or say whether it is up to date."""
    parser = argparse.ArgumentParser(description="Write the reference of the public names")
    parser.add_argument("--check", action="store_true", help="fail where the page is not up to date")
    if parser.parse_args().check:
        return 0 if PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Installed packages of a test: folders with metadata, found by `importlib.metadata` like any other."""

from __future__ import annotations

import tomllib
from pathlib import Path


def install(folder: Path, name: str, code: str, points: dict[str, dict[str, str]], requires: str = "andante") -> None:
    """Write a package of one module into a folder of `sys.path`.

    Args:
        folder: The folder.
        name: Name of package and module.
        code: The module's text.
        points: Objects by name of the entry point, by group.
        requires: What it requires.
    """
    (folder / f"{name}.py").write_text(code)
    info = folder / f"{name}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\nRequires-Dist: {requires}\n")
    lines = [
        line
        for group, entries in points.items()
        for line in (f"[{group}]", *(f"{key} = {name}:{value}" for key, value in entries.items()), "")
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


def install_project(folder: Path, project: Path) -> list[str]:
    """Install a project as an editable install does: its metadata goes into a folder of `sys.path`.

    Args:
        folder: The folder for metadata.
        project: The project's folder, with its ``pyproject.toml``.

    Returns:
        What `sys.path` must have.
    """
    told = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = folder / f"{told['name'].replace('-', '_')}-{told['version']}.dist-info"
    info.mkdir(parents=True)
    lines = ["Metadata-Version: 2.1", f"Name: {told['name']}", f"Version: {told['version']}"]
    lines += [f"Requires-Dist: {each}" for each in told["dependencies"]]
    (info / "METADATA").write_text("\n".join([*lines, ""]), encoding="utf-8")
    points = [
        line
        for group, entries in told["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join([*points, ""]), encoding="utf-8")
    return [str(folder), str(project)]

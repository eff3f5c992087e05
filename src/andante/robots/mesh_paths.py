"""Finding the mesh files of a model: MuJoCo knows neither ``package://`` nor files beside a URDF's package."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from andante.robots.parts import RobotError

_READABLE = (".stl", ".obj", ".msh", ".dae")


def find_mesh(
    name: str,
    model: Path,
    folders: Sequence[Path],
    packages: Sequence[Path] = (),
    *,
    what: str = "mesh",
    legal: Sequence[str] = _READABLE,
) -> Path:
    """The file of a mesh, or of something else that a model names.

    Args:
        name: What the model calls it.
        model: The model's file.
        folders: Where names without a package are looked up.
        packages: Where packages are looked up after the folders above the model.
        what: What it is, for messages.
        legal: Endings that are read.

    Raises:
        RobotError: It has no name, is not there, or is of a format that is not read.
    """
    place = f"{model}: {what}"
    if not name or "\0" in name:
        raise RobotError(f"a {what} needs a file name", place=place)
    for candidate in places_of(name, model, folders, packages):
        if os.path.isfile(candidate):
            if candidate.suffix.lower() not in legal:
                raise RobotError(f"this {what} format is not read", place=place, value=name, legal=legal)
            return candidate
    raise RobotError(
        f"the {what} file cannot be found",
        place=place,
        value=name,
        remedy="package:// and model:// paths are looked up in the folders above the file, others beside it",
    )


def places_of(name: str, model: Path, folders: Sequence[Path], packages: Sequence[Path]) -> list[Path]:
    """Where a file that a model names may lie, the likeliest first; see `find_mesh`."""
    # As it stands, then with what a URL and a file of Windows write otherwise.
    spellings = dict.fromkeys((name, unquote(name), name.replace("\\", "/")))
    return [each for spelling in spellings for each in _candidates(spelling, model, folders, packages)]


def _candidates(name: str, model: Path, folders: Sequence[Path], packages: Sequence[Path]) -> list[Path]:
    """Where a mesh may lie; packages are looked for in all folders above the model, as Gazebo's models are."""
    scheme, _, rest = name.rpartition("://")
    if scheme in ("package", "model"):
        package, _, file = rest.partition("/")
        found = [each for folder in model.resolve().parents for each in (folder / package / file, folder / file)]
        found += [folder / package / file for folder in packages]
        if scheme == "package":
            return found
    else:
        found = []
    plain = rest if scheme in ("file", "model") else name
    # MuJoCo itself looks for the bare file name in the folder that ``meshdir`` names.
    return found + [folder / file for folder in folders for file in (plain, Path(plain).name)]

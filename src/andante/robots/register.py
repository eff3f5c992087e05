"""Robots by name: the folders of their packs, of those that come with Andante and of those of other packages."""

from __future__ import annotations

from importlib import resources
from os import PathLike
from pathlib import Path
from types import ModuleType

from andante.plugins.register import Register
from andante.robots.parts import RobotError

PACK_FILE = "pack.yaml"
MODEL_SUFFIXES = (".xml", ".urdf", ".mjcf", ".sdf")
"""Endings of model files."""
MANIFEST = "model.config"
"""The file that makes a folder a model of Gazebo."""
_UNPACKED = "install its package unpacked, as pip does"


def pack_folder(thing: object) -> Path:
    """The folder of a robot's pack.

    Args:
        thing: The folder's path, a Python package that is the folder, or a function that returns one of both.

    Raises:
        RobotError: It is none of these, or there is no pack in the folder.
    """
    found = thing() if callable(thing) else thing
    if isinstance(found, ModuleType):
        found = next(iter(getattr(found, "__path__", ())), None) or getattr(found, "__file__", None)
    if not isinstance(found, str | PathLike):
        kind = f"{type(found).__module__}.{type(found).__qualname__}"
        # What `importlib.resources.files` gives of a package in a zip file.
        remedy = _UNPACKED if kind.startswith("zipfile.") else ""
        what = "a robot is the folder of its pack, or a function that returns it"
        raise RobotError(what, value=kind.removeprefix("builtins."), remedy=remedy)
    folder = Path(found)
    if (archive := next(filter(Path.is_file, folder.parents), None)) is not None:
        what = "the robot's pack lies in a file, and must be in a folder"
        raise RobotError(what, place=str(folder), value=archive.name, remedy=_UNPACKED)
    if not (folder / PACK_FILE).is_file():
        raise RobotError(f"the folder of the robot's pack has no {PACK_FILE}", place=str(folder))
    return folder


def _shipped() -> dict[str, Path]:
    root = Path(str(resources.files("andante.robots")))
    return {folder.name: folder for folder in sorted(root.iterdir()) if (folder / PACK_FILE).is_file()}


ROBOTS: Register[Path] = Register("robots", "robot", pack_folder, _shipped(), RobotError)
"""Folders of robots' packs by name; a package brings one by an entry point in ``andante.robots``."""

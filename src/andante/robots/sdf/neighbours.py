"""Other models that an SDF includes: looked for beside it and in Gazebo's folders, never fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from andante.robots.model_budget import MAX_INCLUDES, MAX_TEXT
from andante.robots.model_text import read_model_text
from andante.robots.parts import RobotError
from andante.robots.register import MANIFEST
from andante.robots.sdf.elements import parsed, version_of

VARIABLES = ("GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH")
"""Variables of the environment with Gazebo's folders of models, those of today first."""
LOOKED_FOR = (
    f"model:// is looked up in the folders above the file and in those of {' and '.join(VARIABLES)}, never fetched"
)
"""Where included models are looked for, for messages."""
_MODEL = "model.sdf"
_DEEPEST = 20
"""Most models inside of each other by inclusion."""
_SCHEMES = ("model", "file", "package")
_VERSION_WORD = 9
"""Fewest digits of what is no part of a version."""


@dataclass
class Neighbours:
    """Files that a model includes, each parsed once."""

    _roots: dict[Path, Element] = field(default_factory=dict)
    _count: int = 0
    _text: int = 0

    def model(self, uri: str, files: Sequence[Path], place: str) -> tuple[Element, int, Path]:
        """The model that a file includes.

        Args:
            uri: What it calls the other one.
            files: The file, after those that include it.
            place: Where the inclusion stands, for messages.

        Returns:
            The ``<model>``, the second number of its version, and its file.

        Raises:
            RobotError: It is not there, no SDF, not one model, includes itself, or too many are included.
        """
        self._count += 1
        if self._count > MAX_INCLUDES or len(files) > _DEEPEST:
            limit = f"{MAX_INCLUDES}, {_DEEPEST} inside of each other"
            raise RobotError("too many files are included", place=place, value=uri, limit=limit)
        found = found_model(uri, files[-1])
        if found is None:
            raise RobotError("the included model cannot be found", place=place, value=uri, remedy=LOOKED_FOR)
        if os.path.realpath(found) in map(os.path.realpath, files):
            raise RobotError("the model includes itself", place=place, value=str(found))
        if found not in self._roots:
            text, kind = read_model_text(found, also=("sdf",))
            self._text += len(text)
            if kind != "sdf":
                raise RobotError("an SDF includes only SDF", place=place, value=f"{found} is of <{kind}>")
            if self._text > MAX_TEXT:
                limit = f"{MAX_TEXT} bytes of text"
                raise RobotError("the included models are too large", place=place, value=self._text, limit=limit)
            self._roots[found] = parsed(text)
        root = self._roots[found]
        models = root.findall("model")
        if len(models) != 1:
            raise RobotError("an included file needs one <model>", place=str(found), value=len(models))
        return models[0], version_of(root, found), found


def found_model(uri: str, file: Path) -> Path | None:
    """The file of a model that a file includes; None: it is not there."""
    for candidate in _candidates(uri, file):
        if os.path.isfile(candidate):
            return candidate
        if os.path.isdir(candidate) and (found := model_in(candidate)) is not None:
            return found
    return None


def model_in(folder: Path) -> Path | None:
    """The model of a folder of Gazebo: what its manifest names, else ``model.sdf``; None: it has neither.

    Raises:
        RobotError: The manifest cannot be read.
    """
    named = (_named(folder), _MODEL)
    return next((folder / name for name in named if name and os.path.isfile(folder / name)), None)


def resource_folders() -> list[Path]:
    """Gazebo's folders of models, as the environment names them."""
    named = [each for name in VARIABLES for each in os.environ.get(name, "").split(os.pathsep)]
    return [Path(each) for each in named if each]


def _named(folder: Path) -> str:
    """The file of the newest version that a model's manifest names; empty: there is no manifest, or it names none."""
    manifest = folder / MANIFEST
    if not os.path.isfile(manifest):
        return ""
    text, _ = read_model_text(manifest, also=("model",))
    files = [(_version(each.get("version", "")), (each.text or "").strip()) for each in parsed(text).iter("sdf")]
    return max(files, default=((), ""))[1]


def _version(text: str) -> tuple[int, ...]:
    """A version's numbers, to be compared; none where it is no version."""
    words = text.strip().split(".")
    return tuple(map(int, words)) if all(word.isdecimal() and len(word) < _VERSION_WORD for word in words) else ()


def _candidates(uri: str, file: Path) -> Iterator[Path]:
    """Where an included model may lie."""
    scheme, _, rest = uri.rpartition("://")
    if "\0" in uri or (scheme and scheme not in _SCHEMES):
        return
    folder = file.resolve().parent
    if scheme in ("model", "package"):
        name = rest.lstrip("/")
        yield from (each / name for each in (folder, *folder.parents, *resource_folders()))
    else:
        # Beside the file, or beside its folder as a model's name.
        yield from (folder / rest, folder.parent / rest)

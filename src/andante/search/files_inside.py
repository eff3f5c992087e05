"""Files that a file names: the meshes of a robot, the network of a pack, the terrain of a scenario; theirs in turn.

Who goes on with results of before has to know that these are the same as well. Names are looked for in the text, so
that a file counts which only some of its readers would open, and none is missed.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator
from pathlib import Path

from andante.documents.budget import budgeted
from andante.documents.files import MAX_BYTES, read_bytes
from andante.search.errors import SearchError

_TEXTS = frozenset((".yaml", ".yml", ".json", ".xml", ".mjcf", ".urdf", ".xacro", ".sdf"))
"""Suffixes of files that name others."""
_QUOTED = re.compile(r"\"([^\"\n]{1,1000})\"|'([^'\n]{1,1000})'")
_PLAIN = re.compile(r"(?<![^\s\[{,:-])([^\s\"'\[\]{},#<>][^\"'\[\]{},#<>\n]{0,999})")
"""A scalar of YAML without quotation marks."""
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_FOLDER = re.compile(r"\blibrary: *[\"']?([^\s\"'\[\]{},#]+)")
"""What may be a folder without a suffix."""
_MESH_FOLDER = re.compile(r"\b(?:meshdir|texturedir|assetdir) *= *[\"']([^\"'\n]+)[\"']")
_URI = re.compile(r"<uri>\s*([^<>\s][^<>\n]{0,999}?)\s*</uri>")
"""What an SDF names: a mesh, a model's file, or its folder."""
_SCHEME = re.compile(r"^(?:file|model|package)://")


def files_inside(path: Path) -> list[Path]:
    """Files and folders that a text file names, and that those name; all exist, and the file itself is none of them.

    Args:
        path: The file. A folder names nothing.

    Raises:
        SearchError: It takes too much to read.
        AndanteError: A file that it names cannot be read.
    """
    found: dict[Path, None] = {}
    waiting = [path]
    while waiting:
        for each in _named_in(waiting.pop()):
            if each not in found and each.resolve() != path.resolve():
                found[each] = None
                waiting.append(each)
    return sorted(found)


@budgeted(error=SearchError)
def _named_in(path: Path) -> list[Path]:
    if path.suffix.lower() not in _TEXTS or not path.is_file() or path.stat().st_size > MAX_BYTES:
        return []
    text = read_bytes(path).decode("utf-8", "replace")
    folders = [path.parent, *(path.parent / name for name in _MESH_FOLDER.findall(text))]
    uris = set(_URI.findall(text))
    names = {one or other for one, other in _QUOTED.findall(text)} | uris
    if not text.lstrip().startswith("<"):
        names |= {part.strip() for each in _PLAIN.findall(_COMMENT.sub("", text)) for part in each.split(": ")}
    found = []
    for name in sorted(name for name in names if _SUFFIX.search(name)):
        place = next((each for each in _places(name, path, folders) if os.path.isfile(each)), None)
        if place is not None:
            found.append(place)
    if uris:
        from andante.robots.sdf.neighbours import model_in
    for name in sorted(uris):
        models = (model_in(each) for each in _places(name, path, folders) if os.path.isdir(each))
        model = next(filter(None, models), None)
        found += [] if model is None else [model]
    folders = [path.parent / name for name in sorted(set(_FOLDER.findall(text)))]
    return found + [folder for folder in folders if os.path.isdir(folder)]


def _places(name: str, path: Path, folders: list[Path]) -> Iterator[Path]:
    """Where a name may lie: beside the file, in its folders of meshes, in a package above it."""
    plain = _SCHEME.sub("", name)
    for folder in folders:
        yield folder / plain
        yield folder / Path(plain).name
    if name.startswith(("package://", "model://")):
        _, _, rest = plain.partition("/")
        for above in path.resolve().parents:
            yield above / plain
            yield above / rest
        from andante.robots.sdf.neighbours import resource_folders

        for above in resource_folders():
            yield above / plain

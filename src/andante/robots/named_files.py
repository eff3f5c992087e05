"""Files that a model or a robot's pack names: its meshes, pictures and other models.

Whoever keeps what a model gave sees by them that it is old.

Texts are searched, and not read as XML: a name in a comment is one file too many to look at, and no more.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.robots.mesh_paths import places_of
from andante.robots.model_budget import MAX_TEXT
from andante.robots.model_encoding import decoded
from andante.robots.parts import RobotError
from andante.robots.register import MANIFEST
from andante.robots.sdf.neighbours import found_model, resource_folders

ENDINGS = (".xml", ".mjcf", ".urdf", ".sdf", ".world", ".yaml", ".yml")
"""Endings of models, and of packs of robots, that may name other files."""
_MOST = 1000
"""Most files that are looked at."""
_NAMED = re.compile(
    r"""\bfile(?:name|up|down|left|right|front|back)?\s{0,9}=\s{0,9}(?:"([^"<]{1,1000})"|'([^'<]{1,1000})')"""
    r"""|<uri>([^<]{1,1000})</uri>"""
    r"""|^model:[ \t]{1,9}["']?([^"'#\r\n]{1,1000})""",
    re.MULTILINE,
)
_FOLDERS = re.compile(r"""\b(?:mesh|texture|asset)dir\s{0,9}=\s{0,9}(?:"([^"<]{1,1000})"|'([^'<]{1,1000})')""")


def named_files(path: Path) -> list[Path]:
    """Files that a model names, and those that they name, in a fixed order; what is not there is left out.

    A file that cannot be read names none: whoever loads it says why.

    Args:
        path: The model; a file of another ending names none.
    """
    found: list[Path] = []
    seen = {os.path.realpath(path)}
    folders = {path.parent: None}
    open_ = [path] if path.suffix.lower() in ENDINGS else []
    while open_ and len(found) < _MOST:
        file = open_.pop()
        try:
            state = file.stat()
            names, told = _names(file, (state.st_mtime_ns, state.st_size, state.st_ino))
        except (OSError, DocumentError, RobotError):
            continue
        folders |= {each / folder: None for folder in told for each in (path.parent, file.parent)}
        for name in names:
            for each in _files(name, file, list(folders)):
                real = os.path.realpath(each)
                if real not in seen:
                    seen.add(real)
                    found.append(each)
                    open_ += [each] if each.suffix.lower() in ENDINGS else []
    return sorted(found)[:_MOST]


@functools.lru_cache(maxsize=256)
@budgeted(MODELS, place="file", error=RobotError)
def _names(file: Path, _: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a file names as files, and as folders of them."""
    import html

    text, _encoding = decoded(read_bytes(file, max_bytes=MAX_TEXT), file)
    names, folders = (
        dict.fromkeys(html.unescape("".join(each.groups(""))).strip() for each in pattern.finditer(text))
        for pattern in (_NAMED, _FOLDERS)
    )
    return tuple(each for each in names if each and "\0" not in each)[:_MOST], tuple(folders)[:10]


def _files(name: str, file: Path, folders: list[Path]) -> Iterator[Path]:
    """Where a name may be a file's that is there: each, as what looks first is not the same in all models."""
    try:
        yield from (each for each in places_of(name, file, folders, resource_folders()) if each.is_file())
        model = found_model(name, file)
        if model is not None:
            yield from (each for each in (model, model.parent / MANIFEST) if each.is_file())
    except (OSError, ValueError, RobotError):
        return

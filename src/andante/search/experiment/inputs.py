"""Files that an experiment or a study reads, so that nobody goes on with results of others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from andante.runs.scenario_files import load_scenario
from andante.search.experiment.document import Experiment

_LONGEST = 1000
_FOLDERS = "library"
"""What may be a folder, too."""
_TEXTS = ("name", "note", "what", "help")
"""Fields for people."""


def inputs_of(experiment: Experiment) -> list[str]:
    """Names of the files that the trials of an experiment read: libraries, robots, terrains, networks.

    A scenario's own file is none of them, since trials hold what it says.

    Raises:
        AndanteError: The scenario cannot be read.
    """
    told = experiment.model_dump(mode="json", by_alias=True)
    if isinstance(experiment.scenario, str):
        told["scenario"] = load_scenario(experiment.scenario).model_dump(mode="json")
    return sorted({*files_named(told)})


def files_named(data: Any, key: str = "") -> Iterator[str]:
    """Names in plain data of files here, and of those read together with them; of a library also of folders.

    Args:
        data: The data.
        key: Where it stands.
    """
    if isinstance(data, Mapping):
        for name, each in data.items():
            if name not in _TEXTS:
                yield from files_named(each, str(name))
    elif isinstance(data, list):
        for each in data:
            yield from files_named(each, key)
    elif isinstance(data, str) and 0 < len(data) < _LONGEST and "\0" not in data:
        path = Path(data)
        # A plain word is the name of something that comes with Andante, or of no file at all. A text that is too long
        # for a name is none, where `Path.is_file` would raise.
        if (path.suffix or path.name != data) and (
            os.path.isfile(data) or (key.rpartition(".")[2] == _FOLDERS and os.path.isdir(data))
        ):
            yield data
            yield from _beside(path)


def _beside(path: Path) -> Iterator[str]:
    """Names of the files that are read with one: meshes of a robot, what a world includes, places of heights."""
    if not path.is_file():
        return
    from andante.terrain.files.files_beside import files_beside

    here = os.getcwd()
    for each in files_beside(path):
        name = str(each)
        # Named as the file is, from the folder where one works.
        near = not path.is_absolute() and name.startswith(os.path.join(here, ""))
        yield os.path.relpath(name, here) if near else name

"""Files that a terrain is made of beside the one that is named: what is kept of it is old where one was changed."""

from __future__ import annotations

from pathlib import Path

from andante.robots.named_files import named_files
from andante.terrain.files.coordinates_beside import coordinates_of
from andante.terrain.files.gltf_buffers import buffers_beside
from andante.terrain.files.projection_file import projection_file_of
from andante.terrain.files.world_file import world_file_of

_MOST = 1000
"""Most files of a folder that are looked at."""


def files_beside(path: Path) -> list[Path]:
    """Files that are read with a terrain's, in a fixed order; none where it is not there.

    A recording may be a folder, of which these are its files. Beside an image stand where it lies and its units, beside
    a matrix of heights its x and y, beside a scene of glTF its corners; scenes of MuJoCo and worlds of Gazebo name
    meshes, pictures and other models.

    Args:
        path: The file of a terrain, or of a robot.

    Raises:
        OSError: A folder cannot be read.
    """
    found = sorted(path.iterdir())[:_MOST] if path.is_dir() else []
    found += [each for each in (world_file_of(path), projection_file_of(path)) if each is not None]
    return [*found, *(coordinates_of(path) or ()), *buffers_beside(path), *named_files(path)]

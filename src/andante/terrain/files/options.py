"""FileOptions: how a file becomes a map, where the file does not say it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

from pydantic import field_validator, model_validator

from andante.documents.quantities import Angle, Length, Number, Positive, PositiveLength
from andante.documents.settings import Settings
from andante.documents.validation import contradicting
from andante.terrain.files.upward import AXES, direction_of
from andante.terrain.height_map import TerrainError

SPACING = 0.005
"""Distance of neighbouring nodes of images and bare arrays that nobody gave one [m]."""


def names_file(board: str) -> bool:
    """Whether what was typed for a board is a file: it has an ending or a folder."""
    return "." in board or "/" in board


class FileOptions(Settings):
    """How a file becomes a map, where the file does not say it; see the table in docs/rough-terrain.md."""

    place: ClassVar[str] = "terrain"

    spacing: PositiveLength | None = None
    """Distance of neighbouring nodes for a file that does not say it [m]; None: 5 mm for images and bare arrays, and
    for meshes and clouds what their points tell."""
    resolution: PositiveLength | None = None
    """Distance of neighbouring nodes of the map that is made [m]; None: that of the file."""
    scale: Positive = 1.0
    """Factor on all lengths in the file, heights and places (0.001 for millimetres); not on images."""
    height_scale: Positive | None = None
    """Factor on the heights alone, for files whose heights have a unit of their own; not on images. None: 1, unless
    the file leaves open which unit they have, which is then asked for."""
    low: Length = 0.0
    """Height of an image's black [m]."""
    high: Length = 0.1
    """Height of an image's white [m]; below that of black where dark is high, as walls are in maps of floors."""
    up: str = "z"
    """Axis of a mesh's or cloud's file that points up. The map's x, y, z are these of the file, for z: x, y, z; for
    y (many meshes): x, -z, y; for -y (a camera that looks along z): z, -x, -y; for -z (north, east, down): x, -y, -z;
    for x: y, z, x; for -x: z, y, -x. glTF is turned from y up to z up first. Three numbers with commas between are a
    direction in the file's axes (0,0.88,0.48), as of a tilted camera; the nearest axis tells the rest of the turn."""
    min_z: Length | None = None
    """Height of the map below which nothing of a mesh, cloud or octree counts [m]; None: all does."""
    max_z: Length | None = None
    """Height of the map above which nothing of a mesh, cloud or octree counts [m], as what is above a room; None: all
    does but for a ceiling that is found."""
    rotate: Angle = 0.0
    """Angle by which the map is turned about its coordinates' origin, from x towards y [rad]."""
    x: Length | None = None
    """x of the map's first node [m]; None: the file's."""
    y: Length | None = None
    """y of the map's first node [m]; None: the file's."""
    nodata: Number | None = None
    """Number in the file that says unknown, for images their grey value; None: what the file says."""
    rows: Literal["auto", "points", "matrix", "raster"] = "auto"
    """What rows of numbers are: points x, y, z; a matrix, one row for each x, as in a .npy; a raster, one row for each
    y, the first the farthest, as in an image. auto: points where there are three columns or x, y and z are named, else
    a matrix."""
    layer: str | None = None
    """Layer or array of heights in the file, number of a GeoTIFF's band, or scene of a glTF; None: elevation, heights,
    the first, the scene that the file says."""
    topic: str | None = None
    """Topic of the grid maps, clouds or octrees of a recording; None: the only one."""
    frame: str | None = None
    """Frame in which a recorded cloud lies; its own: no transform moves it. None: map, world or odom, where the
    recording's transforms lead there, else the farthest frame that they lead to."""
    holes: Literal["nearest", "lowest", "refuse"] = "nearest"
    """Ground of a simulated world where the map is unknown: that of the nearest known node, the lowest known, or none,
    and the map is refused. The map stays unknown there."""

    @property
    def heights_said(self) -> bool:
        """Whether the unit of heights is said, be it that of the file."""
        return self.height_scale is not None

    @property
    def height_factor(self) -> float:
        """Factor on the heights alone."""
        return 1.0 if self.height_scale is None else self.height_scale

    @field_validator("up")
    @classmethod
    def _direction(cls, up: str) -> str:
        if up not in AXES and direction_of(up) is None:
            raise ValueError(f"is no direction; legal: {', '.join(AXES)}, or three numbers such as 0,0.88,0.48")
        return up

    @model_validator(mode="after")
    def _range(self) -> FileOptions:
        if self.min_z is not None and self.max_z is not None and self.min_z >= self.max_z:
            limit = f"below max_z, which is {self.max_z:g}"
            raise contradicting(self, "min_z", "what counts needs min_z < max_z", limit=limit)
        return self

    def refuse_others(self, used: Iterable[str], whom: str, place: str = "") -> None:
        """Refuse options that were given and change nothing; the spacing may always be given.

        Args:
            used: Names of the options that mean something.
            whom: To whom the others mean nothing, for the message.
            place: The file.

        Raises:
            TerrainError: Another option was given.
        """
        legal = set(used) | {"spacing"}
        for name, field in FileOptions.model_fields.items():
            value = getattr(self, name)
            # Documents of before say the factor 1 with every file.
            if name not in legal and value != field.get_default() and (name, value) != ("height_scale", 1.0):
                raise TerrainError(
                    f"the option {name} means nothing to {whom}",
                    place=place,
                    value=value,
                    limit=f"it takes {', '.join(sorted(legal))}",
                )

"""Robot: its description, with how it is loaded and shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from andante.plugins.errors import PluginError
from andante.robots.description import RobotDescription
from andante.robots.parts import MissingModelError


@dataclass(frozen=True, eq=False, repr=False)
class Robot(RobotDescription):
    """A robot: kinematic and dynamic model, limits, servos, sensors, groups and postures."""

    def _repr_png_(self) -> bytes | None:
        """A picture for notebooks; None where nothing can be drawn."""
        from andante.pictures.figures import picture_bytes
        from andante.robots.drawing import robot_figure
        from andante.robots.graphics import GraphicsError

        try:
            return picture_bytes(robot_figure(self))
        except GraphicsError:
            return None

    @classmethod
    def every(cls) -> Iterator[Self]:
        """All robots that go by a name, shipped ones first.

        Left out are those of plug-ins that cannot be used, and those whose model comes from elsewhere and is not there.
        """
        from andante.robots.register import ROBOTS

        for name in ROBOTS:
            try:
                yield cls.load(name)
            except (PluginError, MissingModelError):
                continue

    @classmethod
    def load(cls, name_or_path: str | Path) -> Self:
        """Load a robot by name, or any MJCF, URDF, SDF or pack by path.

        Raises:
            RobotError: Unknown name, unreadable or inconsistent model.
            DocumentError: A pack does not follow its schema.
        """
        from andante.robots.loader import load_robot

        return load_robot(name_or_path, cls)

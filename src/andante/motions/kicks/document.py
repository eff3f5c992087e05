"""Kick: keyframes of a planar leg as a YAML document, by joint angles or by the pose of the foot, mixed freely."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from andante.documents.part import Part
from andante.documents.quantities import Angle, Duration, Length, Units
from andante.documents.reader import load_document
from andante.documents.shipped import Shipped
from andante.documents.writer import save_document
from andante.errors import AndanteError

KICK_UNITS = Units(angle="deg", time="ms")
"""Units in which new kick documents are written."""
MOST_KEYFRAMES = 200
"""Largest number of keyframes of a kick."""
LONGEST = 60.0
"""Longest kick [s]."""

Choice = Literal["first", "nearest", "middle"]
"""Which of several feasible solutions a pose takes: the first one, the one whose largest joint step from the keyframe
before is smallest, or the one that stays farthest inside the joints' limits."""


class KickError(AndanteError):
    """There is no such kick, or it cannot be done as its keyframes say."""


_KICKS = Shipped(Path(__file__).parent / "library", "kick", KickError, folders=True)
shipped_kicks = _KICKS.names
"""Names of the kicks in the package."""


class FootPose(Part):
    """Where the toe is to be and how the foot points."""

    position: tuple[Length, Length]
    """Toe, x and z [m]."""
    rotation: Angle
    """Direction from ankle to toe, from x towards z [rad]."""


class KickKeyframe(Part):
    """One step of a kick: joint angles or a pose of the foot, and the time to get there."""

    duration: Duration
    """Time for it [s]."""
    joints: dict[str, Angle] | None = None
    """Target of every joint [rad]."""
    pose: FootPose | None = None
    """Pose of the foot, solved to joint angles."""

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.joints is None) == (self.pose is None):
            raise ValueError("a keyframe needs either joints or pose")
        return self


class Kick(Part):
    """A kick: what the leg does and which target the ball shall pass."""

    format: Literal["andante.kick"]
    """Names the kind of document."""
    version: Literal[1]
    """Version of this schema."""
    robot: str = "bootcamp-leg"
    """Planar leg that kicks: a shipped robot or the path of one."""
    target: tuple[Length, Length] = (2.5, 0.75)
    """Where the ball shall pass, x and z [m]."""
    choose: Choice = "first"
    """Which of several feasible solutions a pose takes."""
    beyond_limits: Literal["refuse", "stops"] = "refuse"
    """What becomes of joint angles outside the limits: an error, or the mechanical stops hold the joint."""
    keyframes: Annotated[tuple[KickKeyframe, ...], Field(max_length=MOST_KEYFRAMES)] = ()
    """Keyframes in order; none lets the leg hang where it is."""

    @model_validator(mode="after")
    def _not_for_ever(self) -> Self:
        total = sum(keyframe.duration for keyframe in self.keyframes)
        if total > LONGEST:
            raise ValueError(f"all durations together must be at most {LONGEST:g} s, they are {total:g} s")
        return self


def load_kick(source: Path | str, *, place: str | None = None) -> Kick:
    """Read a kick document from a file (Path) or a text.

    Raises:
        DocumentError: It cannot be read or is no kick; names line, column, field, value and what is legal.
    """
    return load_document(source, Kick, place=place)


def load_named(name_or_path: str) -> Kick:
    """A kick by file or shipped name.

    Raises:
        KickError: There is no such kick.
        DocumentError: The file is no kick.
    """
    return load_kick(_KICKS.path(name_or_path), place=name_or_path)


def save_kick(kick: Kick, path: Path) -> None:
    """Write a kick document in degrees and milliseconds; an existing one keeps its layout, comments and units.

    Raises:
        DocumentError: The file cannot be written.
    """
    save_document(kick, path, units=None if path.exists() else KICK_UNITS)

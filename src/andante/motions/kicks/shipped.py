"""Kick documents that come with Andante, by name."""

from __future__ import annotations

from pathlib import Path

from andante.motions.kicks.document import Kick, load_kick
from andante.motions.kicks.postures import KickError

_FOLDER = Path(__file__).parent / "library"


def shipped_kicks() -> tuple[str, ...]:
    """Names of the kicks in the package."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def load_named(name_or_path: str) -> Kick:
    """A kick by file or shipped name.

    Raises:
        KickError: There is no such kick.
        DocumentError: The file is no kick.
    """
    path = Path(name_or_path)
    if path.exists():
        return load_kick(path)
    if name_or_path in shipped_kicks():
        return load_kick(_FOLDER / f"{name_or_path}.yaml", place=name_or_path)
    raise KickError("no such kick, neither a file nor shipped", value=name_or_path, legal=shipped_kicks())

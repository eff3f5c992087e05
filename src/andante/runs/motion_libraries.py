"""Motion libraries: shipped ones by name, any other by path."""

from __future__ import annotations

from pathlib import Path

from andante.motions.library import MotionLibrary
from andante.runs.errors import ScenarioError

NAMELESS = (".cfg",)
"""Suffixes of motion files that do not say which robot they are for."""
_SHIPPED = Path(__file__).parent / "libraries"


def shipped_libraries() -> tuple[str, ...]:
    """Names of the motion libraries in the package."""
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.yaml")))


def library_path(name_or_path: str | Path) -> Path:
    """The file of a motion library given by path or by shipped name.

    Raises:
        ScenarioError: Neither a shipped library nor a file.
    """
    if Path(name_or_path).exists():
        return Path(name_or_path)
    shipped = shipped_libraries()
    if str(name_or_path) in shipped:
        return _SHIPPED / f"{name_or_path}.yaml"
    raise ScenarioError("no such motion library, neither shipped nor a file", value=str(name_or_path), legal=shipped)


def named_motion(text: str) -> tuple[str, str] | None:
    """Library and motion where a text says ``LIBRARY/MOTION``: of a shipped library, or of a file or folder of motions.

    None where it says something else, or where a file has that name.
    """
    library, slash, motion = text.rpartition("/")
    if not (library and slash and motion) or Path(text).exists():
        return None
    # A missing file of a folder, as in `team/get-up.yaml`, is no motion of it.
    folder = Path(library).is_dir() and not Path(motion).suffix
    return (library, motion) if folder or Path(library).is_file() or library in shipped_libraries() else None


def load_motions(name_or_path: str) -> MotionLibrary:
    """A motion library, shipped by name or a file in any known format.

    Raises:
        ScenarioError: Neither a shipped library nor a file.
        AndanteError: The file cannot be read.
    """
    from andante.formats.registry import read

    return read(library_path(name_or_path))

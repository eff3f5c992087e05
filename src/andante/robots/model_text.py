"""MJCF and URDF as text: read with guards against hostile files, compiled with errors that name the file."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

import numpy as np

from andante.documents.files import check_text, read_text
from andante.documents.problems import DocumentError
from andante.robots.robot import RobotError

if TYPE_CHECKING:
    import mujoco

MAX_DEPTH = 400
"""Deepest nesting of elements that is read; MuJoCo itself gives up at 500."""
MAX_COUNT = 5000
"""Largest number of copies, grid rows or grid columns that one element may ask for."""
_log = logging.getLogger("andante.physics")
_ROOTS = ("mujoco", "robot")
_NUMBERS = (
    *("body_pos", "body_quat", "body_mass", "body_inertia", "body_ipos", "body_iquat", "jnt_pos", "jnt_axis"),
    *("jnt_range", "dof_damping", "dof_frictionloss", "dof_armature", "geom_pos", "geom_quat", "geom_size", "site_pos"),
)
"""Arrays of a model that must be finite; MuJoCo itself takes a NaN."""
_COUNTS = {"count", "nrow", "ncol"}
"""Attributes of <replicate>, <composite> and <hfield> with which a short text fills the whole memory."""


def read_model_text(path: Path) -> tuple[str, str]:
    """Read a model file.

    Returns:
        The text and its root element, ``mujoco`` (MJCF) or ``robot`` (URDF).

    Raises:
        RobotError: Not a readable text file, too large, no XML, nested too deeply, or neither MJCF nor URDF.
    """
    try:
        text = read_text(path)
    except DocumentError as error:
        raise RobotError(str(error)) from error
    return text, root_element(text, place=str(path))


def root_element(text: str, *, place: str) -> str:
    """Name of the root element of MJCF or URDF text, after a look at the whole document.

    Raises:
        RobotError: Control characters, no XML, a document type declaration (entities can make a small file expand to
            gigabytes), nested too deeply, copies by the thousand, or another root element.
    """
    try:
        check_text(text, place=place)
    except DocumentError as error:
        raise RobotError(str(error)) from error
    parser = expat.ParserCreate()
    names: list[str] = []
    depth = 0

    def where() -> str:
        return f"{place}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}"

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if not names:
            names.append(name)
            if name not in _ROOTS:
                raise RobotError(
                    "is neither MJCF nor URDF", place=where(), value=name, limit="root element <mujoco> or <robot>"
                )
        if depth > MAX_DEPTH:
            raise RobotError("is nested too deeply", place=where(), limit=f"{MAX_DEPTH} levels")
        for key in _COUNTS & attributes.keys():
            if _largest(attributes[key]) > MAX_COUNT:
                raise RobotError(
                    f"<{name}> asks for too much: {key}", place=where(), value=attributes[key], limit=str(MAX_COUNT)
                )

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def doctype(*_: object) -> None:
        raise RobotError("document type declarations are refused", place=where())

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        raise RobotError(f"cannot be read as XML: {reason}", place=where()) from error
    return names[0]


def _largest(text: str) -> float:
    """The largest of the numbers in an attribute; what is no number is left to MuJoCo to refuse."""
    try:
        return max(map(float, text.split()), default=0.0)
    except ValueError:
        return 0.0


def route_warnings() -> None:
    """Send MuJoCo's warnings to Python's logging; by default it prints them and writes a file where it runs."""
    import mujoco

    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(_log.debug)


def compile_text(
    text: str, *, place: str, assets: dict[str, bytes] | None = None
) -> tuple[mujoco.MjSpec, mujoco.MjModel]:
    """Parse and compile MJCF or URDF text; ``assets`` are its files by name.

    Raises:
        RobotError: MuJoCo does not take it; the message is MuJoCo's.
    """
    import mujoco

    route_warnings()
    try:
        spec = mujoco.MjSpec.from_string(text, assets=assets or {})
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        raise refusal(error, place) from error
    return spec, compile_spec(spec, place=place)


def compile_file(path: Path) -> tuple[mujoco.MjSpec, mujoco.MjModel]:
    """Parse and compile a MJCF file together with the files that it includes and refers to.

    Raises:
        RobotError: MuJoCo does not take it; the message is MuJoCo's.
    """
    spec = parse_file(path)
    return spec, compile_spec(spec, place=str(path))


def parse_file(path: Path) -> mujoco.MjSpec:
    """Parse a MJCF file together with the files that it includes; meshes are not looked at.

    Raises:
        RobotError: MuJoCo does not take it; the message is MuJoCo's.
    """
    import mujoco

    route_warnings()
    try:
        return mujoco.MjSpec.from_file(str(path))
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        raise refusal(error, str(path)) from error


def compile_spec(spec: mujoco.MjSpec, *, place: str) -> mujoco.MjModel:
    """Compile a specification.

    Raises:
        RobotError: MuJoCo does not take it (the message is MuJoCo's), or a number in it is not finite.
    """
    import mujoco

    route_warnings()
    try:
        model = spec.compile()
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        raise refusal(error, place) from error
    for name in _NUMBERS:
        values = getattr(model, name)
        if not np.isfinite(values).all():
            raise RobotError(
                "the model holds a number that is not finite", place=place, value=name, limit="finite numbers"
            )
    return model


def spec_text(spec: mujoco.MjSpec, *, place: str) -> str:
    """A specification as MJCF text in radians; MuJoCo writes numbers to six digits.

    Raises:
        RobotError: MuJoCo cannot write it.
    """
    import mujoco

    compile_spec(spec, place=place)
    try:
        return str(spec.to_xml())
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        raise refusal(error, place) from error


def refusal(error: Exception, place: str) -> RobotError:
    """What is told where MuJoCo does not take a model."""
    return RobotError(f"the model cannot be compiled: {' '.join(str(error).split())}", place=place)

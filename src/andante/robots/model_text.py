"""MJCF and URDF as text: read with guards against hostile files, compiled with errors that name the file."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import mujoco
import numpy as np

from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.robots.compiling import compiled, written
from andante.robots.model_budget import look_at_model
from andante.robots.model_encoding import decoded
from andante.robots.other_files import other_kind
from andante.robots.parts import RobotError

_log = logging.getLogger("andante.physics")
_NO_VOLUME = "mesh volume is too small"
"""What MuJoCo says of a mesh that is too thin, or open, to compute a mass from."""
_NO_MASS = "mass and inertia of moving bodies"
"""What MuJoCo says of a body without mass that moves; a base that hangs in the world moves here, too."""
_GIVE_MASS = "give this body an <inertial> with mass and inertia, or shapes with a mass"
_DIGITS = 1.2e-5
"""Share by which a sum of two numbers may change against a third where each is rounded to six digits."""
_INSTEAD = {
    "slide": "take the joint out, or put hinges in its place; a linear drive goes by itself where its chain hangs on"
    " one body, ends at another, and holds nothing",
    "ball": "take the joint out, or put three hinges in its place; a rod on a ball goes by itself where one tie holds"
    " its other end",
}
"""What to do about joints that are no hinges."""
_NUMBERS = (
    *("body_pos", "body_quat", "body_mass", "body_inertia", "body_ipos", "body_iquat", "jnt_pos", "jnt_axis"),
    *("jnt_range", "dof_damping", "dof_frictionloss", "dof_armature", "geom_pos", "geom_quat", "geom_size", "site_pos"),
)
"""Arrays of a model that must be finite; MuJoCo itself takes a NaN."""


@contextmanager
def refusals(place: str) -> Iterator[None]:
    """Tell that MuJoCo does not take a model as a `RobotError` with MuJoCo's message."""
    try:
        yield
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        told = " ".join(str(error).split())
        remedy = _GIVE_MASS if _NO_MASS in told else ""
        raise RobotError(f"the model cannot be compiled: {told}", place=place, remedy=remedy) from error


@budgeted(MODELS, error=RobotError)
def read_model_text(path: Path, also: Sequence[str] = ()) -> tuple[str, str]:
    """Read a model file.

    Args:
        path: The file.
        also: Root elements that the caller reads besides those of MJCF and URDF.

    Returns:
        The text and its root element, ``mujoco`` (MJCF), ``robot`` (URDF) or one of ``also``.

    Raises:
        RobotError: Not a readable text file, or as `look_at_model`.
    """
    try:
        raw = read_bytes(path)
    except DocumentError as error:
        raise RobotError(str(error)) from error
    what, remedy = other_kind(raw)
    if what:
        read = "a MJCF, URDF or SDF file" if "sdf" in also else "a MJCF or URDF file"
        raise RobotError(what, place=str(path), limit=read, remedy=remedy)
    text, encoding = decoded(raw, path)
    begun = text.lstrip()
    if begun.startswith("<?xml") and len(begun) < len(text):
        # What other programs read, too: a declaration after empty lines. Lines keep their numbers in messages.
        text = text[: len(text) - len(begun)] + begun.partition("?>")[2]
    root = look_at_model(text, place=str(path), folder=path.parent, also=also)
    if encoding and root == "mujoco":
        # MuJoCo reads a MJCF with what it includes by itself, and only in UTF-8.
        remedy = f"save it in UTF-8: iconv -f {encoding} -t UTF-8 FILE, without the encoding in its first line"
        raise RobotError("a MJCF must be UTF-8 text", place=str(path), value=encoding, remedy=remedy)
    return text, root


def route_warnings() -> None:
    """Send MuJoCo's warnings to Python's logging; by default it prints them and writes a file where it runs."""
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(_log.debug)


def compile_text(
    text: str, *, place: str, assets: dict[str, bytes] | None = None, thin: bool = False
) -> tuple[mujoco.MjSpec, mujoco.MjModel]:
    """Parse and compile MJCF or URDF text.

    Args:
        text: The text.
        place: Where it comes from, for messages.
        assets: Its files by name.
        thin: No mass depends on its meshes, so that they need no volume.

    Raises:
        RobotError: MuJoCo does not take it; the message is MuJoCo's.
    """
    route_warnings()
    with refusals(place):
        spec = mujoco.MjSpec.from_string(text, assets=assets or {})
    try:
        return spec, compile_spec(spec, place=place)
    except RobotError as error:
        if not thin or _NO_VOLUME not in str(error):
            raise
    for mesh in spec.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    return spec, compile_spec(spec, place=place)


def parse_file(path: Path) -> mujoco.MjSpec:
    """Parse a MJCF file together with the files that it includes; meshes are not looked at.

    Raises:
        RobotError: MuJoCo does not take it; the message is MuJoCo's.
    """
    route_warnings()
    with refusals(str(path)):
        return mujoco.MjSpec.from_file(str(path))


def compile_spec(spec: mujoco.MjSpec, *, place: str) -> mujoco.MjModel:
    """Compile a specification.

    Raises:
        RobotError: MuJoCo does not take it (the message is MuJoCo's), or a number in it is not finite.
    """
    route_warnings()
    with refusals(place):
        model = compiled(spec)
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
    _keep_flat(spec, compile_spec(spec, place=place))
    with refusals(place):
        return written(spec)


def _keep_flat(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Leave the largest moment of inertia of flat bodies, the other two's sum, below it when all have six digits."""
    for body in spec.bodies:
        if not body.explicitinertial or not body.name:
            continue
        number = model.body(body.name).id
        moments = np.array(model.body_inertia[number])
        largest = int(np.argmax(moments))
        most = (1.0 - _DIGITS) * float(moments.sum() - moments[largest])
        if moments[largest] > most > 0.0:
            moments[largest] = most
            body.fullinertia = [np.nan] * 6
            body.inertia, body.iquat = moments, model.body_iquat[number]


def hinge_limits(model: mujoco.MjModel, place: str) -> dict[str, tuple[float, float] | None]:
    """The model's hinge joints, in its order, with their position limits [rad], None where a joint has none.

    Raises:
        RobotError: A joint that is neither a hinge nor free.
    """
    found: dict[str, tuple[float, float] | None] = {}
    for number in range(model.njnt):
        kind, name = model.jnt_type[number], model.joint(number).name
        if kind == mujoco.mjtJoint.mjJNT_HINGE:
            lower, upper = (float(bound) for bound in model.jnt_range[number])
            found[name] = (lower, upper) if model.jnt_limited[number] else None
        elif kind != mujoco.mjtJoint.mjJNT_FREE:
            shape = {mujoco.mjtJoint.mjJNT_SLIDE: "slide", mujoco.mjtJoint.mjJNT_BALL: "ball"}[mujoco.mjtJoint(kind)]
            raise RobotError(
                "only hinge joints are supported",
                place=f"{place}: joint {name!r}",
                value=f"{shape} of body {model.body(int(model.jnt_bodyid[number])).name!r}",
                remedy=_INSTEAD[shape],
            )
    return found

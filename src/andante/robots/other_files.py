"""What a file is that is given as a robot and is no MJCF, URDF or SDF, by how it begins, and what to do about it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from itertools import islice
from pathlib import PurePosixPath
from types import MappingProxyType

_UNPACK = "unpack it, and name the model file in it"
_EXPORT = "export the robot as URDF or MJCF, or take the file that it was made of"
_BEGINS: tuple[tuple[bytes, str, str], ...] = (
    *((begin, "is packed", _UNPACK) for begin in (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf")),
    (b"\x28\xb5\x2f\xfd", "is packed", _UNPACK),
    (b"PXR-USDC", "is a stage of USD", _EXPORT),
    (b"#usda", "is a stage of USD", _EXPORT),
    (
        b"#VRML",
        "is a world or a PROTO of Webots (VRML)",
        "export its robot as URDF, as Webots does (wb_robot_get_urdf)",
    ),
    (b"ISO-10303-21", "is a drawing of CAD (STEP)", "export a URDF or MJCF from the CAD program"),
)
_MODELS = (".urdf", ".xml", ".mjcf", ".sdf")
_SHOWN = 3
_MOST_MEMBERS = 5000
"""How many names of an archive are looked at."""
ROOTS: Mapping[str, str] = MappingProxyType(
    {
        "sdf": "an SDF of Gazebo is read as a robot alone: andante robots FILE.sdf; --pack FOLDER writes its MJCF",
        "COLLADA": "this is a mesh alone; name the URDF or MJCF that uses it",
        "launch": "this is a launch file of ROS; name the URDF that it loads",
        "package": "this is a package's manifest of ROS; name the URDF in the package",
    }
)
"""What to do about XML of another kind, by its root element."""


def other_kind(raw: bytes) -> tuple[str, str]:
    """What a file is, and what to do; two empty texts where that is not known."""
    if raw[257:262] == b"ustar":
        return "is packed", _UNPACK + _models_of(raw)
    for begin, what, remedy in _BEGINS:
        if raw.startswith(begin):
            return what, remedy + (_models_of(raw) if remedy is _UNPACK else "")
    return "", ""


def _models_of(raw: bytes) -> str:
    """Names of what may be models in an archive, to be put behind a remedy; empty: none can be told."""
    # Every robot that is loaded loads this module; few files are archives.
    import tarfile
    import zipfile

    names: list[str] = []
    try:
        if raw.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                names = archive.namelist()[:_MOST_MEMBERS]
        elif raw[257:262] == b"ustar":
            # A packed one could unpack to gigabytes before its last name.
            with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as plain:
                names = [member.name for member in islice(plain, _MOST_MEMBERS)]
    except (zipfile.BadZipFile, tarfile.TarError, ValueError, OSError, NotImplementedError):
        # What such libraries raise for an archive that is damaged: it is refused as packed all the same.
        return ""
    models = [name for name in names if PurePosixPath(name).suffix.lower() in _MODELS and name.isprintable()]
    return f" ({', '.join(models[:_SHOWN])})" if models else ""

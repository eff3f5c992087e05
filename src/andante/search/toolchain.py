"""Toolchain: what decides the bytes of a result beside setup and seed: the package's files and the versions it runs on.

The functions import nothing of Andante's, so that they can be sent to a machine that has none.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import platform
from collections.abc import Mapping
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "mujoco", "numba", "llvmlite", "casadi", "daqp")
"""Libraries that compute."""
MISSING = "none"
"""Stands for what is not installed."""
_KEPT = (".py", ".yaml", ".xml", ".json", ".npz")


def _source() -> str:
    """SHA-256 of the package's code and data, its first 16 digits; names count, compiled kernels and caches do not."""
    spec = importlib.util.find_spec("andante")
    if spec is None or spec.origin is None:
        return MISSING
    folder, total = Path(spec.origin).parent, hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.suffix in _KEPT and file.is_file():
            total.update(os.fsencode(file.relative_to(folder).as_posix()) + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return MISSING


def toolchain() -> dict[str, str]:
    """Version by name: Andante's source, Python, and each of `LIBRARIES`."""
    found = {"andante source": _source(), "Python": platform.python_version()}
    return found | {library: _version(library) for library in LIBRARIES}


def processor() -> str:
    """Name of this machine's processor; other ones may differ in the last digit of a sine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def about_here(inputs: Mapping[str, str]) -> tuple[dict[str, str], list[str], str]:
    """Versions, files that differ, and the processor of the machine that is asked."""
    return toolchain(), changed_inputs(inputs), processor()


def changed_inputs(inputs: Mapping[str, str]) -> list[str]:
    """Files and folders, of those with a fingerprint, that are not here or have another one (see `fingerprints`)."""
    return [name for name, wanted in inputs.items() if not Path(name).exists() or content(Path(name)) != wanted]


def content(path: Path) -> str:
    """SHA-256 of a file, or of all files of a folder with their names."""
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    total = hashlib.sha256()
    for file in files:
        total.update(os.fsencode(file.relative_to(path)) + b"\0" + file.read_bytes())
    return total.hexdigest()

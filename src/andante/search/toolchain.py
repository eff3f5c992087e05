"""Toolchain: what decides the bytes of a result beside setup and seed: the package's files and the versions it runs on.

The functions import nothing of Andante's, so that they can be sent to a machine that has none.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "mujoco", "numba", "llvmlite", "casadi", "daqp", "onnxruntime", "drake")
"""Libraries that compute."""
SOURCE = "andante source"
"""Name of Andante's own code among the versions."""
MISSING = "none"
"""Stands for what is not installed."""
_KEPT = (".py", ".yaml", ".xml", ".json", ".npz", ".onnx")
_SKIPPED = ("cli", "pictures", "studio")
"""Folders of the package that decide no result: they only show what came of it."""
_DIGESTS: dict[tuple[object, ...], str] = {}
"""Digest of the code as its files were last seen, by their names, sizes and dates."""
_INSTALLED: dict[tuple[object, ...], tuple[dict[str, str], dict[str, tuple[str, set[str]]]]] = {}
"""What was last found installed, by the folders that Python looks in and their dates: versions of `LIBRARIES`, and
version and modules of each package that brings something of its own."""


def _source() -> str:
    """SHA-256 of the code and data that trials are made by, its first 16 digits.

    Names count; compiled kernels, caches, and what only shows results (`_SKIPPED`) do not.
    """
    spec = importlib.util.find_spec("andante")
    if spec is None or spec.origin is None:
        return MISSING
    root = os.path.dirname(spec.origin)
    files = sorted(_files(root))
    look = (root, *files)
    # A bench asks three times, and reading a thousand files takes ten times as long as looking at their dates.
    if look not in _DIGESTS:
        total = hashlib.sha256()
        for name, *_ in files:
            total.update(os.fsencode(name) + b"\0" + Path(root, name).read_bytes() + b"\0")
        _DIGESTS.clear()
        _DIGESTS[look] = total.hexdigest()[:16]
    return _DIGESTS[look]


def _files(root: str, under: str = "") -> Iterator[tuple[str, int, int, int, int]]:
    """Name below ``root``, number, size and dates of each file that counts."""
    with os.scandir(os.path.join(root, under)) as found:
        entries = list(found)
    for entry in entries:
        name = f"{under}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if name not in _SKIPPED and entry.name != "__pycache__":
                yield from _files(root, f"{name}/")
        elif entry.name.endswith(_KEPT) and entry.is_file():
            stat = entry.stat()
            yield name, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _installed() -> tuple[dict[str, str], dict[str, tuple[str, set[str]]]]:
    """Version of each of `LIBRARIES`, and version and modules of each package that brings something of its own."""
    look = tuple((folder, _date(folder)) for folder in sys.path)
    # Who installs a package changes the folder that it comes into. To read what all packages say takes 0.1 s.
    if look not in _INSTALLED:
        _INSTALLED.clear()
        _INSTALLED[look] = {library: _version(library) for library in LIBRARIES}, _packages()
    return _INSTALLED[look]


def _date(folder: str) -> int | None:
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return None


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return MISSING


def _packages() -> dict[str, tuple[str, set[str]]]:
    packages: dict[str, tuple[str, set[str]]] = {}
    for dist in importlib.metadata.distributions():
        try:
            points = [point for point in dist.entry_points if point.group.startswith("andante.")]
            if not points:
                continue
            name, version = str(dist.metadata["Name"]), str(dist.metadata["Version"])
        # A package whose files cannot be read brings nothing; its parser stumbles over anything.
        except Exception:  # noqa: BLE001
            continue
        # Of packages of one name the first on the path counts.
        if name not in packages:
            packages[name] = version, {point.value.partition(":")[0].partition(".")[0].strip() for point in points}
    return packages


def plug_ins() -> dict[str, str]:
    """Version, and the first digits of the SHA-256 of its code, of each package that brings something of its own.

    Whoever writes one changes its code and seldom its version.
    """
    packages = sorted(_installed()[1].items())
    return {f"plug-in {name}": f"{version} {_code(modules)}" for name, (version, modules) in packages}


def _code(modules: Iterable[str]) -> str:
    total = hashlib.sha256()
    for module in sorted(modules):
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            spec = None
        if spec is None or spec.origin is None:
            continue
        own = Path(spec.origin)
        files = sorted(own.parent.rglob("*.py")) if spec.submodule_search_locations else [own]
        for file in files:
            total.update(os.fsencode(file.name) + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()[:8]


def toolchain() -> dict[str, str]:
    """Version by name: Andante's source, Python, each of `LIBRARIES`, and plug-ins."""
    found = {SOURCE: _source(), "Python": platform.python_version()}
    return found | _installed()[0] | plug_ins()


def processor() -> str:
    """Name of this machine's processor; other ones may differ in the last digit of a sine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


@cache
def loaded_toolchain() -> dict[str, str]:
    """The toolchain as this process was first asked for it: later changes of files do not reach what it has loaded."""
    return toolchain()


def about_here(inputs: Mapping[str, str]) -> tuple[dict[str, str], list[str], str]:
    """Versions, files that differ, and the processor of the machine that is asked.

    A worker that lives through an edit of code still runs what it loaded before; that is what it tells.
    """
    try:
        # This function was sent as it is: what the process keeps is in its own module, not in this copy.
        here: dict[str, str] = importlib.import_module("andante.search.toolchain").loaded_toolchain()
    except (ImportError, AttributeError):
        here = toolchain()
    return here, changed_inputs(inputs), processor()


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

"""The environment of rcsssmj: a folder with a Python of its own, as rcsssmj wants another MuJoCo than Andante."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from andante.backends.backend import BackendError

VERSION = "0.2.1"
"""Version of rcsssmj whose protocol this is."""
VARIABLE = "ANDANTE_RCSSSMJ"
"""Environment variable: folder of an environment that has rcsssmj, in place of the one in the user's cache."""
COMMAND = "andante judge --install rcsssmj"
"""Makes the environment."""
_LONGEST = 600.0


def environment_folder() -> Path:
    """Folder of the environment, whether it is there or not: `VARIABLE`, else in the user's cache."""
    named = os.environ.get(VARIABLE, "")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "andante" / f"rcsssmj-{VERSION}"


def interpreter() -> Path:
    """The Python of the environment.

    Raises:
        BackendError: It is not there.
    """
    folder = environment_folder()
    for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe"):
        if path.is_file():
            return path
    raise BackendError(
        "rcsssmj is not installed",
        place=str(folder),
        remedy=f"{COMMAND} (70 MB), or name the folder of an environment that has it in {VARIABLE}",
    )


def installed_version() -> str:
    """Versions of rcsssmj and its MuJoCo, as ``0.2.1 with MuJoCo 3.5.0``; ``unknown`` where they cannot be told."""
    told = "from importlib.metadata import version as v; print(v('rcsssmj') + ' with MuJoCo ' + v('mujoco'), end='')"
    try:
        done = subprocess.run([interpreter(), "-c", told], capture_output=True, text=True, timeout=60.0, check=True)
    except (BackendError, OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout


def install() -> Path:
    """Make the environment, where it is not there yet.

    Returns:
        Its folder.

    Raises:
        BackendError: It cannot be made, as without a network; what was begun is removed.
    """
    folder = environment_folder()
    if folder.exists() and any(folder.iterdir()):
        said = installed_version()
        if said.startswith(f"{VERSION} "):
            return folder
        remedy = f"remove it, or name another in {VARIABLE}"
        raise BackendError(
            f"something else than rcsssmj {VERSION} is there", place=str(folder), value=said, remedy=remedy
        )
    try:
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(interpreter()), "-m", "pip", "install", "--disable-pip-version-check", f"rcsssmj=={VERSION}"])
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
        said = done.stderr.strip() or done.stdout.strip()
        good = done.returncode == 0
    except (OSError, subprocess.TimeoutExpired) as error:
        good, said = False, str(error)
    if not good:
        raise BackendError(
            "the environment of rcsssmj cannot be made",
            place=" ".join(command[1:4]),
            value=said.splitlines()[-1] if said else "no message",
            remedy="look at the network and pip's settings and try again, or make an environment with "
            f"pip install rcsssmj=={VERSION} and name its folder in {VARIABLE}",
        )

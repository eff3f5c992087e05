"""``python -m andante.kernels.ship``: put machine code for a common processor beside the sources.

A wheel that is built then carries it (``docs/kernels.md``). Only entries are shipped, each with all that it calls.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from andante.kernels.ahead import build_all, import_kernels
from andante.kernels.dispatchers import KERNELS
from andante.kernels.store import SHIPPED, SUFFIX, store
from andante.kernels.target import shipped_environment, shipped_toolchain

_INSIDE = "inside"


def ship() -> None:
    """Compile in a process of its own, since numba reads the processor to compile for when it starts."""
    # What lies there would count as compiled.
    shutil.rmtree(SHIPPED, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **shipped_environment(), "NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-m", "andante.kernels.ship", _INSIDE], env=environment, check=True)


def _compile_and_copy() -> None:
    import_kernels("andante")
    build_all()
    source, target = store().folder, SHIPPED / str(shipped_toolchain())
    target.mkdir(parents=True)
    entries = {kernel.stem for kernel in KERNELS.values() if kernel.entry}
    for path in sorted(source.glob("*" + SUFFIX)):
        if path.name.rpartition("-")[0] in entries:
            shutil.copy(path, target / path.name)


if __name__ == "__main__":
    if sys.argv[1:] == [_INSIDE]:
        _compile_and_copy()
    else:
        ship()
        files = list(Path(SHIPPED).rglob("*" + SUFFIX))
        sys.stdout.write(f"{len(files)} kernels, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB in {SHIPPED}\n")

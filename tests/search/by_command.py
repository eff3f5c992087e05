"""Commands as processes of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from warm_commands import AndanteCommand


def begin(folder: Path, *words: str, **how: Any) -> subprocess.Popen[str]:
    """`andante` with these words, in a folder; it hears Ctrl-C, and so do its workers by its process group."""
    ends = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return AndanteCommand(words, cwd=folder, start_new_session=True, **ends, **how)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of one that ends by itself within minutes."""
    out, err = process.communicate(timeout=240)
    return process.returncode, out, err

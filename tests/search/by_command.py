"""Commands as processes of their own, begun as a terminal begins them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

CODE = "from andante.cli.app import main; import sys; sys.argv[0] = 'andante'; main()"


def begin(folder: Path, *words: str, **how: Any) -> subprocess.Popen[str]:
    """`andante` with these words, in a folder; it hears Ctrl-C, and so do its workers by its process group."""
    return subprocess.Popen(
        [sys.executable, "-c", CODE, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background jobs are deaf to Ctrl-C, and so would be what tests start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **how,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of one that ends by itself within minutes."""
    out, err = process.communicate(timeout=240)
    return process.returncode, out, err

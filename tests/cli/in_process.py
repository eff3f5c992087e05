"""The command line in this process: one of its own costs a second, and only signals and limits of a system need it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from andante.cli.app import app


@dataclass(frozen=True)
class Done:
    """What a command ended with and printed."""

    returncode: int
    stdout: str
    stderr: str


def andante(*words: object, cwd: Path | None = None) -> Done:
    """Run a command, in a folder; an exception that a user would see as a traceback is raised here."""
    with contextlib.chdir(cwd or Path.cwd()):
        done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout, done.stderr)

"""Files of a run that stay as they are while code of others writes into the run's folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from andante.plugins.raised import ASKED_TO_END, text_of
from andante.runs.errors import RunError

_SMALL = 100_000_000
"""Largest file whose content is held meanwhile, and can be put back whatever was written into it [bytes]."""


@dataclass(frozen=True)
class _File:
    path: Path
    open: BinaryIO
    """Reads it, also where its name is gone."""
    state: tuple[int, ...]
    content: bytes | None
    """What is in it; None: it is too large to be held."""


@contextmanager
def kept_files(folder: Path, files: Iterable[Path]) -> Iterator[None]:
    """Put back a run's folder and files of it that the code inside takes away or writes into.

    Args:
        folder: The folder.
        files: The files; those that are not there are left out.

    Raises:
        RunError: The code has done so. What it raised itself is told with it.
    """
    with ExitStack() as stack:
        kept = [_opened(path, stack) for path in dict.fromkeys(files) if path.is_file()]
        raised: BaseException | None = None
        try:
            yield
        except BaseException as error:
            raised = error
            raise
        finally:
            told = _put_back(folder, kept)
            if told and not isinstance(raised, ASKED_TO_END):
                more = "" if raised is None else f"; it raised {type(raised).__name__}: {text_of(raised, 200)}"
                raise RunError(f"{told}{more}") from raised


def _opened(path: Path, stack: ExitStack) -> _File:
    handle = stack.enter_context(path.open("rb"))
    content = handle.read() if os.fstat(handle.fileno()).st_size <= _SMALL else None
    return _File(path, handle, _state(path), content)


def _state(path: Path) -> tuple[int, ...]:
    """What tells a file from another one in its place, and from itself with another content; empty: it is not there."""
    with suppress(OSError):
        found = path.lstat()
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    return ()


def _put_back(folder: Path, kept: list[_File]) -> str:
    """Put back what was changed; returns that in words, empty where nothing was."""
    gone = not folder.is_dir()
    if gone:
        with suppress(OSError):
            folder.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
    changed, lost = [], []
    for file in kept:
        if _state(file.path) == file.state or _same(file):
            continue
        changed.append(file.path.name)
        same_file = _state(file.path)[:1] == file.state[:1]
        if file.content is None and same_file:
            lost.append(file.path.name)
            continue
        _clear(file.path)
        with file.path.open("wb") as new:
            if file.content is not None:
                new.write(file.content)
            else:
                file.open.seek(0)
                shutil.copyfileobj(file.open, new)
    if lost:
        return f"it has written into files that are not its own, and {', '.join(lost)} cannot be put back"
    if gone:
        return "it has deleted the run's folder, whose files are put back"
    if changed:
        return f"it has deleted or changed files that are not its own, which are put back: {', '.join(changed)}"
    return ""


def _same(file: _File) -> bool:
    """Whether a file that was written has what it had."""
    with suppress(OSError):
        if file.content is None or file.path.is_symlink() or file.path.stat().st_size != len(file.content):
            return False
        return file.path.read_bytes() == file.content
    return False


def _clear(path: Path) -> None:
    """Make room where something else stands in a file's place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

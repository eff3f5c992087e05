"""Compile kernels before they are called: all at once, told on standard error, on two cores, never the same one twice.

The first call of a kernel that is not on disk compiles all kernels of the modules imported so far. This process and a
helper walk through them from both ends; who meets what the other is compiling takes the next one, or waits for it where
it is called from there (`Store.claim`). Two commands started at once share the work in the same way.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from numba.core import config, types
from numba.core.compiler_lock import global_compiler_lock

from andante.kernels.dispatchers import KERNELS, Kernel
from andante.kernels.errors import KernelError
from andante.kernels.signatures import signature_of
from andante.kernels.store import Store, store
from andante.kernels.waiting import load_numba

Task = tuple[Kernel, tuple[types.Type, ...]]
"""An entry and the types it is compiled for."""
_WORTH_REPORTING = 4
"""Fewer kernels than that take less than two seconds: nothing is told and nobody helps."""
_ENTRY = re.compile(r"^@(inlined_entry|entry|lazy_entry)$", re.MULTILINE)
LAZY: set[str] = set()
"""Entries that every run calls, by name: the first call of one compiles it alone."""
_tried: set[str] = set()


def import_kernels(package: str) -> None:
    """Import every module of a package that has an entry kernel."""
    load_numba()
    folder = Path(str(importlib.import_module(package).__file__)).parent
    for path in sorted(folder.rglob("*.py")):
        if _ENTRY.search(path.read_text(encoding="utf-8")):
            importlib.import_module(".".join((package, *path.relative_to(folder).with_suffix("").parts)))


def build_once(called: Kernel) -> None:
    """Compile what is missing of the entries imported so far, if the one that is called is; once in a process."""
    if called.name not in _tried and _missing([called]):
        build(_missing([called] if called.name in LAZY else [each for each in list(KERNELS.values()) if each.entry]))
    _tried.add(called.name)


def build_all() -> int:
    """Compile all entries imported so far that are not on disk; returns how many kernels were missing.

    Raises:
        KernelError: An entry whose annotations name no one type.
    """
    load_numba()
    entries = [kernel for kernel in list(KERNELS.values()) if kernel.entry]
    for kernel in entries:
        signature_of(kernel.py_func)
    tasks = _missing(entries)
    left = len(_left(tasks, store()))
    build(tasks)
    return left


def build(tasks: list[Task]) -> None:
    """Compile entries and keep them, with a helper where there is work for two; nothing where they cannot be kept."""
    place = store()
    if not place.writable:
        return
    _tried.update(kernel.name for kernel, _ in tasks)
    total = len(_left(tasks, place))
    if total < _WORTH_REPORTING:
        _work(tasks, place)
        return
    alone = _cores() < 2
    helper = nullcontext() if alone else _helper(tasks)
    with helper, shown(total, lambda: len(_left(tasks, place)), alone) as saved:
        place.saved = saved
        try:
            _work(tasks, place)
            _wait(tasks, place)
        finally:
            place.saved = None
    place.clean()


def help_with(modules: Iterable[str]) -> None:
    """What a helper does: the same work from the other end."""
    load_numba()
    for module in modules:
        importlib.import_module(module)
    tasks = _missing(kernel for kernel in list(KERNELS.values()) if kernel.entry)
    _tried.update(KERNELS)
    _work(tasks[::-1], store())


def _missing(entries: Iterable[Kernel]) -> list[Task]:
    """The entries that are not on disk for the types they are annotated with, those that call most first."""
    place, tasks = store(), []
    for kernel in entries:
        try:
            signature = signature_of(kernel.py_func)
        except KernelError:
            continue
        if not place.has(kernel.file_name(signature)):
            tasks.append((kernel, signature))
    return sorted(tasks, key=lambda task: (-len(_below([task[0]])), task[0].name))


def _work(tasks: list[Task], place: Store) -> None:
    for kernel, signature in tasks:
        with global_compiler_lock, place.claim(kernel.file_name(signature), wait=False) as held:
            if held:
                kernel.compile(signature)


def _wait(tasks: list[Task], place: Store) -> None:
    """Wait for what others compile; where they died, do it."""
    for kernel, signature in tasks:
        if not place.has(kernel.file_name(signature)):
            kernel.compile(signature)


def _below(kernels: Iterable[Kernel]) -> dict[str, Kernel]:
    """Kernels and all that they call, by the beginning of the names under which they are kept."""
    found: dict[str, Kernel] = {}
    waiting = list(kernels)
    while waiting:
        kernel = waiting.pop()
        if kernel.stem not in found:
            found[kernel.stem] = kernel
            waiting += kernel.callees()
    return found


def _left(tasks: list[Task], place: Store) -> set[str]:
    """What these entries need and is not on disk in any form."""
    return set(_below(kernel for kernel, _ in tasks)) - {name.rpartition("-")[0] for name in place.names()}


@contextmanager
def _helper(tasks: list[Task]) -> Iterator[None]:
    """A second process at the same work."""
    modules = sorted({kernel.py_func.__module__ for kernel, _ in tasks})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": config.CACHE_DIR}
    command = [sys.executable, "-m", "andante.kernels.helper", *modules]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet) as process:
        try:
            yield
        finally:
            process.terminate()


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_EACH = 0.6
"""Processor time of a kernel with its share of starting [s]."""


@contextmanager
def shown(total: int, left: Callable[[], int], alone: bool) -> Iterator[Callable[[], None]]:
    """Say that kernels are compiled, and how many are left.

    Args:
        total: Kernels to compile.
        left: Tells how many still are.
        alone: Whether one process does it, not two.

    Yields:
        A function to call whenever one is done.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    said = f"compiling {total} kernels once, about {_EACH * total * (1.0 if alone else 0.55):.0f} s"
    if not console.is_terminal:
        console.print(f"andante: {said}", soft_wrap=True)
    columns = (TextColumn(f"{said}:"), BarColumn(), TextColumn("{task.fields[left]} left"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("compile", total=total, left=total)

        def saved() -> None:
            rest = left()
            bar.update(task, completed=total - rest, left=rest)

        yield saved

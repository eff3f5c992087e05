"""Runs commands on hostile files, each in a copy of this process with its memory and time measured.

python driver.py FOLDER [--first] [TITLE ...] prints a line of JSON for each command (or the first) of each case: case,
command, exit code, processor time [s], largest memory [MB], and what it printed. With ``-`` as the title, titles are
lines that it reads as they come. Copies begin with the modules of the commands loaded, so that the time of imports is
paid once.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
from pathlib import Path

from hostile_files import CASES, GOOD, Case

LIMIT_S = 30
LIMIT_BYTES = 4 * 2**30


def main() -> None:
    """Run the cases that are named, else all."""
    folder = Path(sys.argv[1])
    _load()
    titles = [title for title in sys.argv[2:] if title != "--first"]
    first = len(titles) < len(sys.argv) - 2
    for title in (line.rstrip("\n") for line in sys.stdin) if titles == ["-"] else titles or list(CASES):
        place = folder / "case"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        case = CASES[title]
        # In a copy, too: large files are made in memory.
        if os.waitstatus_to_exitcode(os.waitpid(_copy(case, place), 0)[1]):
            raise SystemExit(f"{title}: the file cannot be made")
        for number, command in enumerate(case.commands[:1] if first else case.commands):
            print(json.dumps({"case": title, "command": command[0], **_run(case, command, place, number)}), flush=True)


def _load() -> None:
    """Import what the commands import, which costs every command the same."""
    for name in ("mujoco", "PIL.Image", "andante.kinematics.collision", "andante.runs.execute", "andante.cli.app"):
        importlib.import_module(name)
    for name in ("andante.motions.checks.aibo.run", "andante.terrain.files.load", "andante.robots.bare.loading"):
        importlib.import_module(name)
    for name in ("andante.runs.logs.replay", "scipy.spatial", "scipy.ndimage"):
        importlib.import_module(name)
    from andante.formats.registry import FORMATS

    FORMATS.items()
    # Kernels of rows, meshes and octrees are compiled, or read from the disk, here.
    import numpy as np

    from andante.terrain.files.found import Cells
    from andante.terrain.files.number_rows import numbers_in
    from andante.terrain.files.octree_cells import octree_leaves
    from andante.terrain.files.octree_columns import top_of_cells
    from andante.terrain.files.raster import list_above, raise_to

    numbers_in(b"0 0\n", " ", 2)
    raise_to(np.zeros((1, 3, 3)), 0.0, 0.0, 1.0, 0.0, 0.0, np.zeros((2, 2)), np.zeros((2, 2)))
    list_above(np.zeros((1, 3, 3)), 0.0, 0.0, 1.0, np.zeros((2, 2), np.int64), np.zeros(0), np.zeros(0))
    corners, codes, box = (np.zeros(1, np.int16),) * 3, np.full(1, 33, np.uint8), np.array([0, 0, 0, 2, 2, 2], np.int32)
    octree_leaves(np.zeros(2, np.uint8), True, 4, *corners, codes.copy(), box.copy())
    top_of_cells(Cells(corners, codes, box, 1.0), ((0, 1), (1, 1), (2, 1)), 1.0, 0.3, "")
    # What a copy looks through for garbage is copied for it.
    gc.freeze()


def _copy(case: Case, place: Path) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        case.make(place, case.name)
        code = 0
    finally:
        os._exit(code)


def _run(case: Case, command: tuple[str, ...], place: Path, number: int) -> dict[str, object]:
    good = place.parent / "good.yaml"
    good.write_text(GOOD)
    out = place.parent / f"out{number}"
    for old in place.parent.glob("out*"):
        shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink()
    words = [word.replace("{0}", case.name).replace("{out}", str(out)).replace("{good}", str(good)) for word in command]
    printed, told = place.parent / "stdout", place.parent / "stderr"
    start = time.monotonic()
    child = os.fork()
    if not child:
        _command(words, place, printed, told)
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return {
        "code": code,
        "cpu": round(usage.ru_utime + usage.ru_stime, 3),
        "wall": round(time.monotonic() - start, 3),
        "mb": round(usage.ru_maxrss / 1024),
        "stdout": printed.read_text(errors="replace")[:20_000],
        "stderr": told.read_text(errors="replace")[:20_000],
    }


def _command(words: list[str], place: Path, printed: Path, told: Path) -> None:
    code = 99
    try:
        os.chdir(place)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, path in ((1, printed), (2, told)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
        signal.alarm(2 * LIMIT_S)
        from andante.cli.app import app

        sys.argv = ["andante", *words]
        app(prog_name="andante", args=words)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:  # noqa: BLE001
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()

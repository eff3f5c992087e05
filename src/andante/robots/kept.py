"""Robots by path that were read before in this process, each as long as all of its files are as they were.

A command asks for its robot several times: to bind motions, to check the scenario, to build the run. Reading one
compiles its model up to three times.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from andante.robots.description import RobotDescription

R = TypeVar("R", bound=RobotDescription)
MOST = 4
"""So many robots are kept, those that were asked for last."""
_COARSE = 2.0
"""The coarsest clock of a file system [s]: what was written since might be written once more without a trace."""
_State = tuple[object, ...]
_kept: OrderedDict[tuple[str, type[RobotDescription]], tuple[_State, Any]] = OrderedDict()
_lock = threading.Lock()


def kept_or_read(file: Path, kind: type[R], read: Callable[[], R], others: Callable[[], Iterable[Path]] = tuple) -> R:
    """A robot that was read before, if nothing of it has changed, else as it is read now.

    Args:
        file: The model's or pack's file, which names all others.
        kind: The class of robot.
        read: Reads it.
        others: Which files it is read from that its own does not name.

    Returns:
        The robot, with a model of its own: whoever gets it may change that.

    Raises:
        AndanteError: It cannot be read.
    """
    key = (str(file), kind)
    state = _state(file, others())
    with _lock:
        found = _kept.get(key)
        if found is not None and state is not None and found[0] == state:
            _kept.move_to_end(key)
            kept: R = found[1]
            return another(kept)
    robot = read()
    if state is not None and state == _state(file, others()):
        with _lock:
            # What the caller does to its own is not seen by the next one.
            _kept[key] = (state, another(robot))
            _kept.move_to_end(key)
            while len(_kept) > MOST:
                _kept.popitem(last=False)
    return robot


def another(robot: R) -> R:
    """The same robot with a model of its own."""
    made = replace(robot)
    made.__dict__["model"] = copy(robot.model)
    return made


def _state(file: Path, others: Iterable[Path]) -> _State | None:
    """What tells a robot's files from others that have stood, or will stand, in their places; None: nothing does."""
    # MuJoCo is imported with them, which who only names a robot is spared.
    from andante.robots.named_files import named_files
    from andante.robots.sdf.neighbours import resource_folders

    try:
        files = [each for one in (file, *others) for each in (one, *named_files(one))]
        stats, here = [each.stat() for each in files], os.getcwd()
    except OSError:
        return None
    if max(each.st_mtime for each in stats) > time.time() - _COARSE:
        return None
    told = (
        (str(each), stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
        for each, stat in zip(files, stats, strict=True)
    )
    return (here, *map(str, resource_folders()), *told)

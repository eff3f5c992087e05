"""Andante: from a motion idea to joint commands for legged robots.

These names are what a notebook or a script needs; `docs/python.md` shows them at work, `docs/stability.md` says what
stays. Each is imported when it is first used, so that `import andante` costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from andante.version import __version__ as __version__

if TYPE_CHECKING:
    from andante.control.controller import Controller as Controller
    from andante.env.env import Env as Env
    from andante.errors import AndanteError as AndanteError
    from andante.formats.registry import convert as convert
    from andante.formats.registry import read as read
    from andante.formats.registry import write as write
    from andante.motions.checks.choice import check as check
    from andante.motions.editing.binding import bind as bind
    from andante.motions.editing.mirror import mirror_motion as mirror_motion
    from andante.motions.editing.timing import retime_motion as retime_motion
    from andante.motions.editing.timing import scale_motion as scale_motion
    from andante.motions.findings import Finding as Finding
    from andante.motions.keyframe import Block as Block
    from andante.motions.keyframe import Keyframe as Keyframe
    from andante.motions.library import Motion as Motion
    from andante.motions.library import MotionLibrary as MotionLibrary
    from andante.motions.sampling import sample_motion as sample_motion
    from andante.plugins.kinds import register as register
    from andante.robots.records import Command as Command
    from andante.robots.records import Sensors as Sensors
    from andante.robots.robot import Robot as Robot
    from andante.runs.checks.physics_check import check_physics as check_physics
    from andante.runs.execute import RunResult as RunResult
    from andante.runs.logs.log import Log as Log
    from andante.runs.logs.record import RunRecord as RunRecord
    from andante.runs.logs.record import read_log as read_log
    from andante.runs.logs.replay import replay_log as replay_log
    from andante.runs.motion_libraries import load_motions as load_motions
    from andante.runs.reports.compare import compare as compare
    from andante.runs.reports.shown import catalog as catalog
    from andante.runs.scenario import Scenario as Scenario
    from andante.runs.session import Session as Session
    from andante.runs.task import open_session as open_session
    from andante.runs.task import run as run
    from andante.runs.task import scenario_of as scenario_of
    from andante.runs.tasks.quadruped.task import QuadrupedTask as QuadrupedTask
    from andante.runs.tasks.walk.plan import plan as plan
    from andante.runs.tasks.walk.plan import walk as walk
    from andante.runs.tasks.walk.task import WalkTask as WalkTask
    from andante.search.experiment.suite import bench as bench
    from andante.search.sweep import sweep as sweep
    from andante.terrain.boards.make import make_board as make_board
    from andante.terrain.files.load import load_terrain as load_terrain


def lazily(module: str) -> tuple[dict[str, str], Callable[[str], object], Callable[[], list[str]]]:
    """Let a module import its public names when they are first used.

    The names are those that it imports for type checkers, one ``from MODULE import NAME as NAME`` each, so that every
    name stands once.

    Args:
        module: The module's name.

    Returns:
        Module below `andante` in which each name is defined, and the module's ``__getattr__`` and ``__dir__``.
    """
    own: Any = sys.modules[module]
    lines = (line.split() for line in own.__loader__.get_source(module).splitlines() if line.startswith("    from "))
    modules = dict(sorted((words[3], words[1].removeprefix("andante.")) for words in lines if words[4:5] == ["as"]))

    def get(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(f"andante.{modules[name]}"), name)
        setattr(own, name, value)
        return value

    return modules, get, lambda: sorted({*vars(own), *modules})


_MODULES, __getattr__, __dir__ = lazily(__name__)
if not TYPE_CHECKING:
    # To type checkers the names above, each imported as itself, are public.
    __all__ = ["__version__", *_MODULES]

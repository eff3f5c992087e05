"""Andante: from a motion idea to joint commands for legged robots.

These names are what a notebook or a script needs; `docs/python.md` shows them at work, `docs/stability.md` says what
stays. Each is imported when it is first used, so that `import andante` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from andante.version import __version__ as __version__

_MODULES = {
    "AndanteError": "errors",
    "Block": "motions.keyframe",
    "Command": "robots.records",
    "Controller": "control.controller",
    "Env": "env.env",
    "Finding": "motions.findings",
    "Keyframe": "motions.keyframe",
    "Log": "runs.logs.log",
    "Motion": "motions.library",
    "MotionLibrary": "motions.library",
    "QuadrupedTask": "runs.tasks.quadruped.task",
    "Robot": "robots.robot",
    "RunRecord": "runs.logs.record",
    "RunResult": "runs.execute",
    "Scenario": "runs.scenario",
    "Sensors": "robots.records",
    "Session": "runs.session",
    "WalkTask": "runs.tasks.walk.task",
    "bench": "search.experiment.suite",
    "bind": "motions.editing.binding",
    "catalog": "runs.reports.shown",
    "check": "motions.checks.choice",
    "check_physics": "runs.checks.physics_check",
    "compare": "runs.reports.compare",
    "convert": "formats.registry",
    "load_motions": "runs.motion_libraries",
    "load_terrain": "terrain.files.load",
    "make_board": "terrain.boards.make",
    "mirror_motion": "motions.editing.mirror",
    "open_session": "runs.task",
    "plan": "runs.tasks.walk.plan",
    "read": "formats.registry",
    "read_log": "runs.logs.record",
    "register": "plugins.kinds",
    "replay_log": "runs.logs.replay",
    "retime_motion": "motions.editing.timing",
    "run": "runs.task",
    "sample_motion": "motions.sampling",
    "scale_motion": "motions.editing.timing",
    "scenario_of": "runs.task",
    "sweep": "search.sweep",
    "walk": "runs.tasks.walk.plan",
    "write": "formats.registry",
}
"""Module below `andante` in which each public name is defined."""

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
else:
    # Type checkers read no table; to them the names above, each imported as itself, are public.
    __all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'andante' has no attribute {name!r}")
    value = getattr(import_module(f"andante.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})

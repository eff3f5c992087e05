"""Andante: from a motion idea to joint commands for legged robots.

These names are what a notebook or a script needs; `docs/python.md` shows them at work, `docs/stability.md` says what
stays. Each is imported when it is first used, so that `import andante` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from andante.version import __version__

if TYPE_CHECKING:
    from andante.control.controller import Controller
    from andante.errors import AndanteError
    from andante.formats.registry import convert, read, write
    from andante.motions.checks.choice import check
    from andante.motions.editing.mirror import mirror_motion
    from andante.motions.editing.timing import retime_motion, scale_motion
    from andante.motions.findings import Finding
    from andante.motions.keyframe import Block, Keyframe
    from andante.motions.library import Motion, MotionLibrary
    from andante.motions.sampling import sample_motion
    from andante.robots.records import Command, Sensors
    from andante.robots.robot import Robot
    from andante.runs.catalog import catalog
    from andante.runs.compare import compare
    from andante.runs.execute import RunResult
    from andante.runs.log import Log
    from andante.runs.motion_libraries import load_motions
    from andante.runs.open import open_session
    from andante.runs.physics_check import check_physics
    from andante.runs.quadruped.task import QuadrupedTask
    from andante.runs.record import RunRecord, read_log
    from andante.runs.replay import replay_log
    from andante.runs.scenario import Scenario, register_controller
    from andante.runs.session import Session
    from andante.runs.task import run, scenario_of
    from andante.runs.walk.asked import walk
    from andante.runs.walk.plan import plan
    from andante.runs.walk.task import WalkTask
    from andante.search.sweep import sweep
    from andante.terrain.boards.make import make_board
    from andante.terrain.files.load import load_terrain

_MODULES = {
    "AndanteError": "errors",
    "Block": "motions.keyframe",
    "Command": "robots.records",
    "Controller": "control.controller",
    "Finding": "motions.findings",
    "Keyframe": "motions.keyframe",
    "Log": "runs.log",
    "Motion": "motions.library",
    "MotionLibrary": "motions.library",
    "QuadrupedTask": "runs.quadruped.task",
    "Robot": "robots.robot",
    "RunRecord": "runs.record",
    "RunResult": "runs.execute",
    "Scenario": "runs.scenario",
    "Sensors": "robots.records",
    "Session": "runs.session",
    "WalkTask": "runs.walk.task",
    "catalog": "runs.catalog",
    "check": "motions.checks.choice",
    "check_physics": "runs.physics_check",
    "compare": "runs.compare",
    "convert": "formats.registry",
    "load_motions": "runs.motion_libraries",
    "load_terrain": "terrain.files.load",
    "make_board": "terrain.boards.make",
    "mirror_motion": "motions.editing.mirror",
    "open_session": "runs.open",
    "plan": "runs.walk.plan",
    "read": "formats.registry",
    "read_log": "runs.record",
    "register_controller": "runs.scenario",
    "replay_log": "runs.replay",
    "retime_motion": "motions.editing.timing",
    "run": "runs.task",
    "sample_motion": "motions.sampling",
    "scale_motion": "motions.editing.timing",
    "scenario_of": "runs.task",
    "sweep": "search.sweep",
    "walk": "runs.walk.asked",
    "write": "formats.registry",
}
"""Module below `andante` in which each public name is defined."""

__all__ = [
    "AndanteError",
    "Block",
    "Command",
    "Controller",
    "Finding",
    "Keyframe",
    "Log",
    "Motion",
    "MotionLibrary",
    "QuadrupedTask",
    "Robot",
    "RunRecord",
    "RunResult",
    "Scenario",
    "Sensors",
    "Session",
    "WalkTask",
    "__version__",
    "catalog",
    "check",
    "check_physics",
    "compare",
    "convert",
    "load_motions",
    "load_terrain",
    "make_board",
    "mirror_motion",
    "open_session",
    "plan",
    "read",
    "read_log",
    "register_controller",
    "replay_log",
    "retime_motion",
    "run",
    "sample_motion",
    "scale_motion",
    "scenario_of",
    "sweep",
    "walk",
    "write",
]


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'andante' has no attribute {name!r}")
    value = getattr(import_module(f"andante.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})

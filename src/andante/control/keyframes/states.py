"""The engine's states and the ways between them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class EngineState(StrEnum):
    """What the engine is doing."""

    OFF = "off"
    """Nothing was asked for; all joints are off."""
    DECIDE = "decide"
    """Choosing the next motion."""
    WORKING = "working"
    """A keyframe is under way."""
    WAITING = "waiting"
    """A keyframe's target is reached; its conditions are awaited."""
    BALANCE_OUT = "balance_out"
    """The motion is over; balancing until the robot is still."""
    STOPPING = "stopping"
    """Slowing down to a standstill on request."""
    FINISHED = "finished"
    """Over; the last posture is held."""
    BREAK_UP = "break_up"
    """The motion was given up; the robot falls softly."""
    RETRY = "retry"
    """Limp, waiting to be upright before a motion that is no get-up starts again."""
    HELP = "help"
    """Gave up after too many tries; waiting to be put upright."""


_S = EngineState
TRANSITIONS: Mapping[EngineState, frozenset[EngineState]] = {
    _S.OFF: frozenset({_S.DECIDE, _S.BREAK_UP}),
    _S.DECIDE: frozenset({_S.WORKING, _S.FINISHED, _S.BALANCE_OUT, _S.BREAK_UP, _S.OFF}),
    _S.WORKING: frozenset({_S.WORKING, _S.WAITING, _S.BALANCE_OUT, _S.FINISHED, _S.BREAK_UP, _S.STOPPING, _S.DECIDE}),
    _S.WAITING: frozenset({_S.WORKING, _S.BALANCE_OUT, _S.FINISHED, _S.BREAK_UP, _S.STOPPING, _S.DECIDE}),
    _S.BALANCE_OUT: frozenset({_S.FINISHED, _S.BREAK_UP, _S.STOPPING, _S.DECIDE}),
    _S.STOPPING: frozenset({_S.FINISHED, _S.DECIDE}),
    _S.FINISHED: frozenset({_S.DECIDE, _S.BREAK_UP}),
    _S.BREAK_UP: frozenset({_S.DECIDE, _S.RETRY, _S.HELP}),
    _S.RETRY: frozenset({_S.DECIDE}),
    _S.HELP: frozenset({_S.DECIDE}),
}
"""Every legal change of state; the engine makes no other."""

STATE_CODE: Mapping[EngineState, int] = {state: code for code, state in enumerate(EngineState)}
"""Number of each state in the telemetry."""

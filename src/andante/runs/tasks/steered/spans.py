"""Spans: the parts of a run in which one speed was asked for long enough, and what was reached in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from andante.control.steering import Heading, Turn
from andante.runs.logs.log import ChannelRows
from andante.runs.tasks.steered.goal import SteeringGoal
from andante.spatial.rotations import to_rpy

_LEAST = 0.5
"""A mean over less time says nothing [s]."""
_SHORTEST = 0.4
"""Short wishes are judged where they last so long in all [s]."""
_QUICK = 0.5
"""Changes up to this much speed have the usual time to settle; more has longer, in proportion [m/s, rad/s]."""
_LOOSE = 0.7
"""Where a speed was asked too shortly to settle, the way may differ by this share of what was asked."""
_NEVER = 0.4
"""No difference from what is asked may be larger than this share of it."""
_LAG = 1.0
"""The way after a short wish counts for so long: a robot takes its last steps [s]."""


@dataclass(frozen=True)
class Span:
    """One part of a run in which speeds were asked, and what was reached."""

    begin: float
    """Begin of what counts [s]."""
    end: float
    """End of what counts [s]."""
    asked: Heading
    """What was asked, in the mean."""
    reached: Heading | None
    """What the base did, in the mean; None: the run was over."""
    steady: bool
    """Whether the speed was asked long enough to be reached; else the way counts."""

    def off(self, goal: SteeringGoal) -> str:
        """What differs by too much, in words; empty: nothing."""
        asked, did = self.asked, self.reached
        if did is None:
            return "it was over before"
        wanted, away = math.hypot(asked.forward, asked.lateral), abs(did.turn - asked.turn)
        gap = math.hypot(did.forward - asked.forward, did.lateral - asked.lateral)
        speed = _bound(goal, wanted, goal.speed) if self.steady else _LOOSE * wanted or goal.speed
        turn = _bound(goal, abs(asked.turn), goal.turn) if self.steady else max(_LOOSE * abs(asked.turn), 2 * goal.turn)
        told = []
        if gap > speed:
            told.append(f"{gap:.3f} m/s off, limit {speed:.3g}")
        if away > turn:
            told.append(f"turns {away:.2f} rad/s off, limit {turn:.3g}")
        return ", ".join(told)


def _bound(goal: SteeringGoal, asked: float, least: float) -> float:
    """Allowed difference from a speed; what is asked to be zero may differ by the least."""
    if asked == 0.0:
        return least
    return max(goal.share * asked, min(least, _NEVER * asked))


def spans_asked(
    truth: ChannelRows, turns: Sequence[Turn], goal: SteeringGoal, pushed: Sequence[tuple[float, float]], over: float
) -> tuple[Span, ...]:
    """The spans of a run.

    Args:
        truth: The recorded truth.
        turns: What was asked when.
        goal: How it is judged.
        pushed: Begin and end of what is left out, as something pushed the robot [s].
        over: When the run was over [s].
    """
    found: list[Span] = []
    short: list[tuple[float, float, Heading]] = []
    before = Heading()
    ends = [*(turn.time for turn in turns[1:]), over]
    for turn, until in zip(turns, ends, strict=True):
        end = min(until, over)
        change = max(abs(a - b) for a, b in zip(astuple(turn.heading), astuple(before), strict=True))
        begin = turn.time + goal.settle * max(1.0, change / _QUICK)
        before = turn.heading
        if until - begin < _LEAST:
            if turn.time < end and not turn.heading.still:
                short.append((turn.time, end, turn.heading))
            continue
        found += _way(truth, short, over)
        short = []
        if end - begin < _LEAST:
            # The run was over too early to say; who ended it tells why.
            continue
        found += [
            Span(a, b, turn.heading, reached(truth, a, b), True)
            for a, b in _without(begin, end, pushed)
            if b - a >= _LEAST
        ]
    return (*found, *_way(truth, short, over))


def _without(begin: float, end: float, pushed: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The parts of a time that lie in none of the others."""
    parts = [(begin, end)]
    for first, last in pushed:
        parts = [
            piece for a, b in parts for piece in ((a, min(b, first)), (max(a, last), b)) if piece[1] - piece[0] > 1e-9
        ]
    return parts


def reached(truth: ChannelRows, begin: float, end: float) -> Heading | None:
    """Mean speeds of the base between two moments.

    Each way between two samples is seen in the level axes that the base has in its middle; a turn is the change of yaw.

    Args:
        truth: The recorded truth with MuJoCo's ``qpos``.
        begin: First moment [s].
        end: Last moment [s].

    Returns:
        The speeds; None where fewer than two samples lie between the moments.
    """
    inside = (truth.times >= begin - 1e-9) & (truth.times <= end + 1e-9)
    if np.count_nonzero(inside) < 2:
        return None
    times, qpos = truth.times[inside], truth["qpos"][inside]
    yaw = np.unwrap(to_rpy(qpos[:, 3:7])[:, 2])
    (dx, dy), middle = np.diff(qpos[:, :2], axis=0).T, 0.5 * (yaw[1:] + yaw[:-1])
    forward = dx * np.cos(middle) + dy * np.sin(middle)
    lateral = dy * np.cos(middle) - dx * np.sin(middle)
    span = float(times[-1] - times[0])
    return Heading(float(forward.sum()) / span, float(lateral.sum()) / span, float(yaw[-1] - yaw[0]) / span)


def _way(truth: ChannelRows, short: Sequence[tuple[float, float, Heading]], over: float) -> list[Span]:
    """Wishes that follow each other closely, as one: the way that they ask against the way that was come.

    None where the run was over meanwhile: who ended it tells why.
    """
    total = sum(end - begin for begin, end, _ in short)
    if total < _SHORTEST or short[-1][1] > over - 1e-9:
        return []
    mean = Heading(
        *(sum((end - begin) * astuple(heading)[axis] for begin, end, heading in short) / total for axis in range(3))
    )
    begin, end = short[0][0], min(short[-1][1] + _LAG, over)
    did, stretch = reached(truth, begin, end), (end - begin) / total
    if did is not None:
        did = Heading(*(stretch * value for value in astuple(did)))
    return [Span(begin, end, mean, did, False)]

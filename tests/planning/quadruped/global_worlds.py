"""Robot, worlds and an independent checker for the tests of the global plan."""

from __future__ import annotations

import functools
import math

import numpy as np

from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.global_plan.body import GlobalBody
from andante.planning.quadruped.global_plan.layers import body_layers
from andante.planning.quadruped.global_plan.planner import GlobalPlanner, GlobalRequest
from andante.planning.quadruped.global_plan.settings import GlobalSettings
from andante.terrain.boards.make import make_board

GO2_LIKE = GlobalBody(
    mass=15.2,
    leg_length=0.448,
    standing=0.278,
    highest=0.412,
    lowest=0.081,
    half_length=0.193,
    half_width=0.142,
    half_height=0.027,
)
"""A robot of Go2's size, by its numbers, so that the tests need no model file."""


@functools.cache
def world(name):
    """The board by name; ``flat`` is a world without anything."""
    return make_board("step-10", values={"height": 0.0}) if name == "flat" else make_board(name)


@functools.cache
def layers_of(name):
    """Its layers for `GO2_LIKE`."""
    board = world(name)
    return body_layers(board.map, GO2_LIKE.leg_length)


def request(planner, name, seed=0, *, start=(0.0, 0.0), yaw=0.0, goal=None):
    """A request to go from rest at a place to a board's goal."""
    board = world(name)
    state = np.zeros(12)
    state[:2], state[5] = start, yaw
    state[2] = board.heights.nearest(start) + planner.body.standing
    return GlobalRequest(state, goal or board.goal, layers_of(name), seed)


def planner(**settings):
    """A planner for `GO2_LIKE`."""
    return GlobalPlanner(GO2_LIKE, GlobalSettings(**settings))


def slow_faults(plan, planner, board):
    """Every fault of a plan's states, found with nothing of the planner but its limits: against the board itself."""
    body, settings, ground = planner.body, planner.settings, board.heights
    pits, spacing = board.pits, ground.spacing
    states, kinds = plan.states, plan.primitives
    faults = []

    def over_pit(x, y):
        i, j = round((x - ground.origin[0]) / spacing), round((y - ground.origin[1]) / spacing)
        return bool(pits[i, j])

    stances = _stances(kinds)
    for n, (state, kind) in enumerate(zip(states, kinds, strict=True)):
        x, y, z, _, pitch, yaw, vx, vy = state[:8]
        c, s = math.cos(yaw), math.sin(yaw)
        if math.hypot(vx, vy) > settings.largest_speed + 1e-6:
            faults.append((n, "speed"))
        corners = [(i * body.half_length, j * body.half_width) for i in (-1, 1) for j in (-1, 1)]
        for ahead, side in [*corners, (0.0, 0.0)]:
            along = ahead * math.cos(pitch) - body.half_height * math.sin(pitch)
            px, py = x + c * along - s * side, y + s * along + c * side
            under = z - ahead * math.sin(pitch) - body.half_height * math.cos(pitch)
            # The planner's map has a node every 2 cm: the rim of a step may be 1 cm off.
            top = min(ground.nearest((px + dx, py + dy)) for dx in (-0.01, 0.01) for dy in (-0.01, 0.01))
            if not over_pit(px, py) and under - top < body.lowest - 0.002:
                faults.append((n, "clearance"))
        if kind == Primitive.FLIGHT:
            continue
        if over_pit(x, y):
            faults.append((n, "body over a hole"))
        first, last = stances[n]
        feet = (x, y) if kind == Primitive.CONNECT else 0.5 * (states[first, :2] + states[last, :2])
        for ahead, side in corners:
            px, py = feet[0] + c * ahead - s * side, feet[1] + s * ahead + c * side
            if over_pit(px, py):
                faults.append((n, "foot over a hole"))
            down = z - ahead * math.sin(pitch) - ground.nearest((px, py))
            if math.hypot(down, x - feet[0], y - feet[1]) > body.highest + 0.02:
                faults.append((n, "reach"))
        force = plan.forces[n]
        if (
            force[2] < -1e-9
            or math.hypot(force[0], force[1]) > settings.friction * max(force[2], body.mass * 9.8) + 1e-6
        ):
            faults.append((n, "friction"))
        if force[2] > settings.largest_push * body.mass * 9.81 + 1e-6:
            faults.append((n, "push"))
    return faults


def _stances(kinds):
    """First and last row of the run of equal kinds that each row is in; the last of a push-off or landing is the next
    run's first."""
    runs, begin = {}, 0
    for n in range(1, len(kinds) + 1):
        if n == len(kinds) or kinds[n] != kinds[begin]:
            for each in range(begin, n):
                runs[each] = (begin, min(n, len(kinds) - 1))
            begin = n
    return runs

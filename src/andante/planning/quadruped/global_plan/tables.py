"""Ground, body and rules as named tuples of plain numbers and arrays, which is what the kernels of the plan work on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.documents.settings import filled
from andante.planning.quadruped.global_plan.body import GlobalBody
from andante.planning.quadruped.global_plan.settings import GlobalSettings
from andante.spatial.arrays import Array1, Array2, Array3, Index1, Index2
from andante.terrain.layers import Layers

MOTION = 6
"""Numbers of a motion: steps of CONNECT (0: it is a leap), of take-off, flight and landing, horizontal velocity of the
flight."""
STATE = 6
"""Numbers of a state: position and velocity of the body's middle."""
CHECKS, ITERATIONS, LEAPS = range(3)
"""Places of the counters."""


class GroundLayers(NamedTuple):
    """Layers of the ground, (nx, ny) each."""

    x: float
    """x of the first node [m]."""
    y: float
    """y of the first node [m]."""
    spacing: float
    """Distance of the nodes [m]."""
    height: Array2
    """Heights, pits and unknown places mended [m]."""
    smooth: Array2
    """Smooth heights [m]."""
    climb_x: Array2
    """Rise of the smooth heights along x."""
    climb_y: Array2
    """Rise of the smooth heights along y."""
    tilt_x: Array2
    """Rise along x of the plane along which a body tilts."""
    tilt_y: Array2
    """Rise along y of that plane."""
    hole: Array2
    """Distance to pits and unknown places [m]."""
    foothold: Array2
    """Distance to ground on which a foot stands [m]."""
    relief: Array2
    """Highest minus lowest ground around [m]."""

    @staticmethod
    def of(layers: Layers) -> GroundLayers:
        """The layers of a map."""
        ground, smooth, tilt = layers.mended, layers.smooth, layers.tilt
        climb_x, climb_y = np.gradient(smooth, ground.spacing)
        return GroundLayers(
            x=float(ground.origin[0]),
            y=float(ground.origin[1]),
            spacing=float(ground.spacing),
            # A copy, as a map's heights are read-only, for which kernels would be compiled anew.
            height=np.array(ground.heights, order="C"),
            smooth=np.ascontiguousarray(smooth),
            climb_x=np.ascontiguousarray(climb_x),
            climb_y=np.ascontiguousarray(climb_y),
            tilt_x=np.ascontiguousarray(tilt[0]),
            tilt_y=np.ascontiguousarray(tilt[1]),
            hole=np.ascontiguousarray(layers.pit_distance),
            foothold=np.ascontiguousarray(layers.foothold_distance),
            relief=np.ascontiguousarray(layers.relief),
        )


class Rules(NamedTuple):
    """Body and settings; lengths [m], speeds [m/s]."""

    standing: float
    highest: float
    lowest: float
    half_length: float
    half_width: float
    half_height: float
    step: float
    nominal_speed: float
    largest_speed: float
    climbing_speed: float
    friction: float
    climb: float
    foot_search: float
    hole_margin: float
    least_connect: int
    resting: float
    backup: float
    push_low: int
    push_high: int
    flight_low: int
    flight_high: int
    ample_push: int
    ample_flight: int
    sideways: float
    crouch: float
    largest_push: float
    leap_samples: int
    leap_cost: float

    @staticmethod
    def of(body: GlobalBody, settings: GlobalSettings) -> Rules:
        """What a body may do by settings that are already scaled to it."""
        return filled(
            Rules,
            body,
            settings,
            climb=settings.climb * body.leg_length,
            push_low=settings.push[0],
            push_high=settings.push[1],
            flight_low=settings.flight[0],
            flight_high=settings.flight[1],
            ample_push=settings.ample[0],
            ample_flight=settings.ample[1],
            crouch=settings.crouch * body.standing,
        )


class Trees(NamedTuple):
    """Two trees: 0 grows from the start, 1 towards the goal. A motion leads from parent to child in tree 0, and from
    child to parent in tree 1."""

    states: Array3
    """State of each node, (2, n, 6)."""
    parents: Index2
    """Parent of each node, (2, n); -1 at the root."""
    motions: Array3
    """Motion between parent and child, (2, n, 6)."""
    counts: Index1
    """Nodes in each tree, (2,)."""
    join: Array1
    """Motion from the last node of tree 0 to that of tree 1 where they met, (6,)."""
    nearest: Array1
    """Where the best way to a standstill ends: distance to the goal, node of tree 0, then state, then motion, (14,)."""
    random: Index1
    """State of the random numbers, (6,)."""
    counters: Index1
    """Tested states, iterations, tried leaps, (3,)."""

    @staticmethod
    def of(nodes: int, random: Index1) -> Trees:
        """Room for trees of so many nodes."""
        return Trees(
            states=np.zeros((2, nodes, STATE)),
            parents=np.full((2, nodes), -1, dtype=np.int64),
            motions=np.zeros((2, nodes, MOTION)),
            counts=np.zeros(2, dtype=np.int64),
            join=np.zeros(MOTION),
            nearest=np.zeros(2 + STATE + MOTION),
            random=random,
            counters=np.zeros(3, dtype=np.int64),
        )

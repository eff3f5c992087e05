"""What makes a state of the search unpromising although its estimated rest is short: feet that will hardly follow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import swing_apex
from andante.planning.footsteps.candidates import along_path, point_at
from andante.planning.footsteps.records import Field, Moves
from andante.spatial.compiled import inlined

Array = NDArray[np.float64]


@inlined
def stretch_penalty(scene: Scene, field: Field, moves: Moves, feet: Array) -> float:
    """What makes a state unpromising: feet of one side far apart where one of them stands much higher.

    The last hind foot comes up a high step only while the front foot of its side is just behind the edge; without
    this, searches walk on with the front feet and find that out too late.
    """
    total = 0.0
    for front in range(4):
        if scene.table.hip[front, 0] <= 0.0:
            continue
        for hind in range(4):
            same = (moves.sides[front] > 0.0) == (moves.sides[hind] > 0.0)
            if scene.table.hip[hind, 0] > 0.0 or not same:
                continue
            apart = along_path(scene, field, feet[front, 0], feet[front, 1]) - along_path(
                scene, field, feet[hind, 0], feet[hind, 1]
            )
            if apart <= moves.stretch:
                continue
            top = swing_apex(scene, feet[hind], feet[front], 0.0)
            if top - min(feet[front, 2], feet[hind, 2]) >= moves.climb:
                total += moves.stretch_penalty * (apart - moves.stretch)
    return total


@inlined
def left_behind(scene: Scene, field: Field, moves: Moves, feet: Array) -> float:
    """What makes a state unpromising: a foot that is left behind a wide gap with a long way to the feet across.

    It comes across only while the triangle of the others reaches back to the gap and it stands at the brink.
    """
    total = 0.0
    for leg in range(4):
        here = along_path(scene, field, feet[leg, 0], feet[leg, 1])
        at = point_at(field, here)
        if field.brink[leg, at] < 0.0:
            continue
        alone, front = False, 0.0
        hind = scene.table.hip[leg, 0] <= 0.0
        for other in range(4):
            there = along_path(scene, field, feet[other, 0], feet[other, 1])
            beside = (scene.table.hip[other, 0] <= 0.0) == hind
            if beside and field.passed[other, point_at(field, there)] > field.passed[leg, at]:
                alone = True
            if not beside and (moves.sides[other] > 0.0) == (moves.sides[leg] > 0.0):
                front = there
        if alone:
            total += field.brink[leg, at]
            if hind:
                total += max(front - here - moves.near, 0.0)
    return moves.left_behind * total

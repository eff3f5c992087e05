"""The kick scene as pictures: leg, ball, its way, the target, and the chain with all its solutions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.backends.leglab.scene import SCENE
from andante.documents.files import write_bytes
from andante.kinematics.planar_chain import PlanarChain
from andante.motions.kicks.postures import Solution
from andante.robots.png import png_bytes
from andante.robots.records import Vector
from andante.runs.canvas import Canvas, Colour
from andante.runs.kick.execute import KickRun

SCALE = 240.0
"""Pixels per metre of the animation."""
FPS = 25
"""Pictures per second of the animation, in real speed."""
INK: Colour = (40, 40, 48)
_GROUND: Colour = (120, 150, 110)
_LEG: Colour = (96, 112, 148)
_FOOT: Colour = (62, 76, 112)
_BALL: Colour = (235, 110, 40)
_TARGET: Colour = (200, 40, 60)
_WAY: Colour = (240, 170, 120)
_GOOD: Colour = (36, 120, 80)
_BAD: Colour = (190, 60, 60)
_TARGET_RADIUS = 0.15
_LINES = 92
"""Height of the text about one posture [px]."""
_HEEL = (math.radians(219.0 + 23.39), 0.10)
"""Heel against the direction of the toe: angle [rad] and length [m]; drawing only."""


def frames(run: KickRun) -> Iterator[NDArray[np.uint8]]:
    """The animation of a kick, one picture per 1 / FPS s, (height, width, 3)."""
    back = _backdrop(run)
    times, path = run.postures[:, 0], run.path
    seen, at = math.inf, 0
    for moment in np.arange(0.0, float(times[-1]) + 0.5 / FPS, 1.0 / FPS):
        row = min(int(np.searchsorted(path[:, 0], moment + 1e-9, side="right")) - 1, len(path) - 1)
        gaps = np.hypot(path[at : row + 1, 1] - run.target[0], path[at : row + 1, 2] - run.target[1])
        seen, at = min(seen, float(gaps.min(initial=math.inf))), row + 1
        canvas = back.copy()
        canvas.line(path[: row + 1 : 20, 1:], _WAY, 2.0)
        if moment >= run.time:
            canvas.disc(run.nearest, SCENE.ball_radius, _BALL, 0.35)
        pose = min(int(np.searchsorted(times, moment - 1e-9)), len(times) - 1)
        _leg(canvas, run.chain, run.postures[pose, 1:])
        canvas.disc(path[row, 1:], SCENE.ball_radius, _BALL)
        height = canvas.pixels.shape[0]
        canvas.text(12, height - 26, f"{moment:.2f} s  smallest distance {seen:.3f} m", INK, 12.0)
        yield canvas.image()


def size() -> tuple[int, int]:
    """Width and height of the animation, both even [px]."""
    return 2 * round(SCENE.width * SCALE / 2), 2 * math.ceil(SCENE.height * SCALE / 2)


def draw_chain(path: Path, chain: PlanarChain, postures: Sequence[Solution], pose: Vector | None = None) -> None:
    """Write a picture (PNG) of a chain in one or several postures, each with its joints' positions and angles.

    Args:
        path: The file; overwritten.
        chain: The leg.
        postures: The postures; one with a problem is drawn in red.
        pose: Toe and the foot's direction that were asked for, (3,) [m, m, rad]; drawn as a cross where given.

    Raises:
        DocumentError: The file cannot be written.
    """
    reach, scale = sum(chain.lengths) + 0.08, 620.0
    side = int(2.0 * reach * scale)
    text = 40 + _LINES * max(1, len(postures))
    corner = (chain.base[0] - reach, chain.base[1] - reach - text / scale)
    canvas = Canvas(side // 2 * 2, (side + text) // 2 * 2, scale, corner)
    canvas.ring(chain.base, chain.lengths[0] + chain.lengths[1], (210, 214, 224), 1.5)
    canvas.ring(chain.base, abs(chain.lengths[0] - chain.lengths[1]), (210, 214, 224), 1.5)
    top = text - 26.0
    for number, solution in enumerate(postures, start=1):
        _posture(canvas, chain, number, solution, top)
        top -= _LINES
    if pose is not None:
        _cross(canvas, chain, pose)
    if not postures:
        canvas.text(14, top, "no solutions", _BAD, 14.0)
    write_bytes(path, png_bytes(canvas.image()))


def _backdrop(run: KickRun) -> Canvas:
    canvas = Canvas(*size(), SCALE)
    radius = SCENE.ground / 2.0
    canvas.rod((0.0, radius), (SCENE.width, radius), radius, _GROUND)
    canvas.disc(run.target, _TARGET_RADIUS, _TARGET, 0.12)
    for each in (_TARGET_RADIUS, 0.02):
        canvas.ring(run.target, each, _TARGET, 2.0)
    canvas.disc(run.chain.base, 0.02, INK)
    return canvas


def _leg(canvas: Canvas, chain: PlanarChain, angles: Vector) -> None:
    points, rotation = chain.forward(angles)
    hip, knee, ankle, toe = points
    turn, length = float(rotation) + _HEEL[0], _HEEL[1]
    heel = ankle + length * np.array([math.cos(turn), math.sin(turn)])
    for start, end in ((ankle, toe), (ankle, heel), (heel, toe)):
        canvas.rod(start, end, 0.025, _FOOT)
    canvas.rod(knee, ankle, 0.05, _LEG)
    canvas.rod(hip, knee, 0.05, tuple(min(255, part + 24) for part in _LEG))  # type: ignore[arg-type]
    for point in (hip, knee, ankle):
        canvas.disc(point, 0.012, (245, 245, 250))


def _posture(canvas: Canvas, chain: PlanarChain, number: int, solution: Solution, top: float) -> None:
    """One posture and, from ``top`` pixels down, what it is in numbers."""
    colour = _BAD if solution.problem else _GOOD
    points, rotation = chain.forward(solution.angles)
    for start, end, radius in zip(points, points[1:], (0.014, 0.012, 0.009), strict=False):
        canvas.rod(start, end, radius, colour, 0.75)
    for point in points:
        canvas.disc(point, 0.016, colour)
    for index, point in enumerate(points):
        shift = 0.022 + 0.012 * index
        canvas.write(point + np.array([0.024, shift - 0.02]), f"P{index}", INK, 11.0)
    middle = 0.5 * (points[1] + points[2])
    canvas.write(middle + np.array([0.02, -0.01]), f"#{number}", colour, 16.0)
    degrees = np.degrees(solution.angles)
    names = (name.replace("_", " ") for name in chain.joints)
    angles = "  ".join(f"{name} {value:.2f}" for name, value in zip(names, degrees, strict=True))
    canvas.text(14, top, f"#{number} deg: {angles}", colour, 10.0)
    places = "  ".join(f"P{i} {x:.3f}, {z:.3f}" for i, (x, z) in enumerate(points))
    canvas.text(14, top - 22, f"   m: {places}", INK, 9.0)
    canvas.text(14, top - 42, f"   rotation {math.degrees(rotation):.2f} deg", INK, 9.0)
    verdict = solution.problem.replace(" deg", "") or "inside all limits"
    canvas.text(14, top - 62, f"   {verdict}"[:100], colour, 9.0)


def _cross(canvas: Canvas, chain: PlanarChain, pose: Vector) -> None:
    """The pose that was asked for."""
    x, z, rotation = pose.tolist()
    place = np.array([x, z])
    for turn in (0.25, 0.75):
        arm = 0.03 * np.array([math.cos(math.pi * turn), math.sin(math.pi * turn)])
        canvas.line(np.array([place - arm, place + arm]), _TARGET, 2.5)
    tail = place - chain.lengths[2] * np.array([math.cos(rotation), math.sin(rotation)])
    canvas.line(np.array([tail, place]), _TARGET, 1.5, 0.6)

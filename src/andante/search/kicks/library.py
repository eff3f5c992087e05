"""A library of kicks over a grid of targets, and the answer to a new target from it.

Building shares what is simulated: the way of the ball of every scouted kick is measured against all targets, so each
target begins from the best of all. An answer simulates the kicks of the nearest targets and blends of them, and gives
the best: its distance is measured, never assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from andante.backends.leglab.scene import SCENE
from andante.documents.part import Part
from andante.documents.quantities import Length
from andante.documents.reader import load_document
from andante.documents.shipped import Shipped
from andante.documents.writer import save_document
from andante.motions.kicks.document import KICK_UNITS, Kick, KickKeyframe
from andante.motions.kicks.postures import pose_keyframes
from andante.robots.records import Vector
from andante.runs.kick.execute import Physics, closest
from andante.search.errors import SearchError, refuse_another
from andante.search.executor import executor_for, run_all
from andante.search.kicks.campaign import Budget, Campaign, Strategy
from andante.search.kicks.problem import KickProblem, kick_of

MOST_TARGETS = 2500
"""Largest number of targets of a library."""
_LIBRARIES = Shipped(Path(__file__).parent / "libraries", "kick library", SearchError, folders=True)
shipped_kick_libraries = _LIBRARIES.names
"""Names of the kick libraries in the package."""
_CHUNK = 50
_NEIGHBOURS = 5
_SHARES = (0.25, 0.5, 0.75)


class LibraryKick(Part):
    """The kick for one target."""

    target: tuple[Length, Length]
    """Target, x and z [m]."""
    distance: Annotated[Length, Field(ge=0.0)]
    """How near the ball came in simulation [m]."""
    keyframes: tuple[KickKeyframe, ...]
    """The kick."""


class KickLibrary(Part):
    """Kicks over many targets."""

    format: Literal["andante.kick-library"]
    """Names the kind of document."""
    version: Literal[1]
    """Version of this schema."""
    robot: str = "bootcamp-leg"
    """The leg."""
    physics: Physics = "servos"
    """In which physics the distances were measured."""
    unlimited: bool = False
    """Joint targets may lie beyond the limits."""
    entries: Annotated[tuple[LibraryKick, ...], Field(min_length=1, max_length=MOST_TARGETS)]
    """One kick per target."""

    def kick(self, entry: LibraryKick) -> Kick:
        """One entry as a kick document."""
        return kick_of(self.robot, entry.target, self.unlimited, entry.keyframes)


@dataclass(frozen=True, eq=False)
class Answer:
    """A kick for a target that was asked for."""

    kick: Kick
    """The kick."""
    distance: float
    """How near the ball came in simulation [m]."""
    made_of: tuple[tuple[float, float], ...]
    """Targets of the entries that it is blended from."""


def load_kick_library(name_or_path: str | Path) -> KickLibrary:
    """Read a library by file or shipped name.

    Raises:
        SearchError: There is no such library.
        DocumentError: It cannot be read or is no kick library.
    """
    return load_document(_LIBRARIES.path(name_or_path), KickLibrary, place=str(name_or_path))


def grid(xs: Sequence[float], zs: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """All targets of a grid.

    Raises:
        BackendError: A target lies outside the world.
        SearchError: Too many targets.
    """
    if not 1 <= len(xs) * len(zs) <= MOST_TARGETS:
        raise SearchError("another number of targets", value=len(xs) * len(zs), limit=f"1 to {MOST_TARGETS}")
    targets = tuple((x, z) for x in xs for z in zs)
    for target in targets:
        SCENE.check_target(target)
    return targets


def build_library(
    problem: KickProblem,
    targets: Sequence[tuple[float, float]],
    seed: int,
    *,
    scouts: int = 1000,
    budget: Budget,
    strategy: Strategy = Strategy(),  # noqa: B008
    workers: int = 1,
    file: Path | None = None,
    tell: Callable[[str], None] | None = None,
) -> KickLibrary:
    """Search a kick for every target.

    Args:
        problem: Physics, number of keyframes, limits; its target is not used.
        targets: The targets [m].
        seed: Seed of everything random.
        scouts: Random kicks that are measured against all targets.
        budget: Of each target.
        strategy: Of each restart.
        workers: Processes.
        file: Written after every target; targets that are in it already are not searched again.
        tell: Told after every target.

    Raises:
        AndanteError: The kicks cannot be simulated, or the file is of another search.
    """
    done = {entry.target: entry for entry in _kept(file, problem)}
    chunks = [(problem, tuple(targets), seed, number) for number in range(-(-scouts // _CHUNK))]
    archive: list[Vector] = []
    distances = np.zeros((0, len(targets)))
    for points, values in run_all(_scout, chunks, executor_for(workers)):
        archive += list(points)
        distances = np.vstack([distances, values])
    for index, target in enumerate(targets):
        if target in done:
            continue
        order = np.argsort(distances[:, index], kind="stable")[:2]
        hints = tuple(tuple(archive[i].tolist()) for i in order)
        campaign = Campaign(replace(problem, target=target), seed, strategy, hints)
        value, point = campaign.run(budget, workers=workers)
        path = problem.path(point)
        archive.append(point)
        distances = np.vstack([distances, [closest(path, each)[0] for each in targets]])
        done[target] = LibraryKick(target=target, distance=value, keyframes=campaign.problem.kick(point).keyframes)
        if file is not None:
            save_document(_library_of(problem, targets, done), file, units=KICK_UNITS)
        if tell is not None:
            told = f"target {target[0]:g}, {target[1]:g}: {value:.4f} m after {campaign.evaluations} kicks"
            tell(f"{len(done)} of {len(targets)}, {told}")
    if len(targets) > len(done) or not done:
        raise SearchError("no target was searched", value=len(done))
    return _library_of(problem, targets, done)


def _library_of(
    problem: KickProblem, targets: Sequence[tuple[float, float]], done: Mapping[tuple[float, float], LibraryKick]
) -> KickLibrary:
    return KickLibrary(
        format="andante.kick-library",
        version=1,
        robot=problem.robot,
        physics=problem.physics,
        unlimited=problem.unlimited,
        entries=tuple(done[each] for each in targets if each in done),
    )


def answer(library: KickLibrary, target: tuple[float, float]) -> Answer:
    """The best of the kicks of the nearest targets and of blends of them, as simulated.

    Raises:
        BackendError: The target lies outside the world.
    """
    SCENE.check_target(target)
    near = sorted(library.entries, key=lambda entry: float(np.hypot(*np.subtract(entry.target, target))))[:_NEIGHBOURS]
    length = len(near[0].keyframes)
    problem = KickProblem(target, library.physics, length, library.unlimited, library.robot)
    chain = problem.chain
    points = [
        (problem.point(pose_keyframes(library.kick(entry), chain)), (entry.target,))
        for entry in near
        if len(entry.keyframes) == length
    ]
    blends = [
        ((1.0 - share) * first + share * second, (*one, *other))
        for (first, one), (second, other) in combinations(points[:3], 2)
        for share in _SHARES
    ]
    weights = 1.0 / (np.array([np.hypot(*np.subtract(made[0], target)) for _, made in points]) + 1e-6)
    mean = np.average([point for point, _ in points], axis=0, weights=weights)
    candidates = [*points, *blends, (mean, tuple(made[0] for _, made in points))]
    distance, number = min((problem.distance(point), number) for number, (point, _) in enumerate(candidates))
    point, made_of = candidates[number]
    return Answer(problem.kick(point), distance, made_of)


def _scout(task: tuple[KickProblem, tuple[tuple[float, float], ...], int, int]) -> tuple[Vector, Vector]:
    """Random kicks and their distances from all targets."""
    problem, targets, seed, number = task
    rng = np.random.default_rng(np.random.SeedSequence((seed, number, 0x5C0)))
    points = rng.uniform(size=(_CHUNK, problem.size))
    paths = [problem.path(point) for point in points]
    return points, np.array([[closest(path, target)[0] for target in targets] for path in paths])


def _kept(file: Path | None, problem: KickProblem) -> tuple[LibraryKick, ...]:
    if file is None or not file.exists():
        return ()
    library = load_kick_library(file)
    what, names = "is a library of another search, {} differs", ("robot", "physics", "unlimited")
    refuse_another(what, vars(library), vars(problem), names, place=str(file))
    return library.entries

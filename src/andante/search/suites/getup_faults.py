"""The fault table: a joint locks where a keyframe begins, or runs dry, under four variants of the engine.

All variants of a cell meet the same worlds, seed by seed, so that their differences are differences of pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from andante.backends.fault import Fault, When
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.motions.library import MotionLibrary
from andante.runs.motion_libraries import load_motions
from andante.search.errors import SearchError
from andante.search.rows import Row, count_row, figure, share_row
from andante.search.statistics import paired_difference, sign_test, wilson, won_and_lost
from andante.search.suite import BenchReport, Case, seeded
from andante.search.suites.getup_options import ABOUT, GetUpOptions
from andante.search.suites.getup_spread import LYING, StartName
from andante.search.suites.getup_trial import GetUp, Setup

JOINT = "LHipYawPitch"
"""The joint that sticks most often on real robots; the right one moves with it."""
DURATIONS = (0.3, 0.6, 1.0)
"""How long it is locked [s]."""
FRICTIONS = (1.0, 2.0, 3.0, 4.0, 5.0)
"""Dry friction that is added to it for the whole trial [N m]."""
_KEYFRAMES: Mapping[str, Mapping[str, Mapping[str, tuple[int, ...]]]] = {
    "fromSitting": {
        "front": {"front": (4,), "frontUpright": (0, 1, 2)},
        "back": {"backTipOver": (4,), "fromSitting": (0, 1, 3, 4)},
    },
    "back_rise": {
        "front": {"front_fold": (2,), "front_rise": (0, 1, 2)},
        "back": {"back_sit": (4, 6), "back_rise": (0, 1)},
    },
}
PLACES: Mapping[str, tuple[str, ...]] = {
    known: tuple(f"{start}:{block}[{k}]" for start, blocks in starts.items() for block in blocks for k in blocks[block])
    for known, starts in _KEYFRAMES.items()
}
"""Where it locks, by a block that tells the library: the real one of 2024 and the shipped `nao`; in both wherever the
hip yaw pitch opens or closes the split."""
EVERYTHING = "everything"
"""The variant that leaves out nothing."""
_OFF = KeyframeEngineSettings(
    compensation=False, balance=False, waits=False, branches=False, break_up=False, pauses=False
)
VARIANTS: Mapping[str, KeyframeEngineSettings] = {
    "plain": _OFF,
    "waits, balance": _OFF.changed(waits=True, balance=True),
    "+ compensation": _OFF.changed(waits=True, balance=True, compensation=True),
    EVERYTHING: KeyframeEngineSettings(),
}
"""The variants; everything has branches, break-up, pauses and all tries, the others one try."""
_WITHOUT, _WITH = "waits, balance", "+ compensation"
CHANCE = 0.05
"""A difference that chance makes with this probability or less counts as one."""
_PLACE = re.compile(r"^(?P<start>\w+):(?P<block>.+)\[(?P<keyframe>\d+)\]$")


@dataclass(frozen=True)
class Trouble:
    """What is wrong with the joint in the cells of one place of the table."""

    start: StartName
    """How the robot lies."""
    place: str
    """Keyframe at whose begin the joint locks, as ``block[index]``; empty: dry friction from the begin."""
    amount: float
    """How long it is locked [s], or the friction that is added [N m]."""

    def fault(self, joint: str) -> Fault:
        """The fault for the world."""
        if not self.place:
            return Fault(type="sticky", joints=(joint,), start=0.0, torque=self.amount)
        block, _, index = self.place.rstrip("]").rpartition("[")
        return Fault(type="stuck", joints=(joint,), when=When(block=block, keyframe=int(index)), duration=self.amount)

    @property
    def text(self) -> str:
        """The trouble in words."""
        if not self.place:
            return f"{self.start}: friction + {self.amount:g} N m"
        return f"{self.start}: {self.place} locked {self.amount:g} s"


@dataclass(frozen=True)
class Cell:
    """One trouble and what came of it, per variant of the engine and seed."""

    trouble: Trouble
    """What was wrong."""
    stood: dict[str, tuple[bool, ...]]
    """Whether the robot stood up, per variant, in the order of the seeds."""

    def count(self, variant: str) -> int:
        """Number of trials that stood up."""
        return sum(self.stood[variant])


def read_place(text: str, library: MotionLibrary) -> tuple[StartName, str]:
    """Start and keyframe of ``start:block[index]``.

    Raises:
        SearchError: The text is none, or the library has no such keyframe.
    """
    match = _PLACE.match(text)
    start = next((name for name in LYING if match is not None and name == match["start"]), None)
    if match is None or start is None:
        what, limit = "a place is written as start:block[keyframe]", f"start is one of {', '.join(LYING)}"
        raise SearchError(what, place="--at", value=text, limit=limit, remedy="such as back:fromSitting[4]")
    block, keyframe = match["block"], int(match["keyframe"])
    if block not in library.blocks:
        raise SearchError("no such block", place=f"--at {text}", value=block, legal=sorted(library.blocks))
    if keyframe >= len(library.blocks[block].keyframes):
        number = len(library.blocks[block].keyframes)
        raise SearchError("no such keyframe", place=f"--at {text}", value=keyframe, limit=f"0..{number - 1}")
    return start, f"{block}[{keyframe}]"


def troubles(
    library: str,
    places: Sequence[str] = (),
    durations: Sequence[float] = DURATIONS,
    frictions: Sequence[float] = FRICTIONS,
) -> list[Trouble]:
    """The rows of the table.

    Args:
        library: The motion library.
        places: Where the joint locks, as ``start:block[index]``; none: those of `PLACES` that belong to the library.
        durations: For how long [s].
        frictions: Dry friction that is added [N m].

    Raises:
        SearchError: A place is not in the library, or none is known for it.
    """
    motions = load_motions(library)
    known = places or next((found for block, found in PLACES.items() if block in motions.blocks), ())
    if not known:
        raise SearchError("no places are known for this library", value=library, remedy="name them with --at")
    read = [read_place(text, motions) for text in known]
    starts = tuple(dict.fromkeys(start for start, _ in read))
    locked = [Trouble(start, place, duration) for start, place in read for duration in durations]
    return locked + [Trouble(start, "", friction) for start in starts for friction in frictions]


def fault_cases(options: GetUpOptions) -> list[Case[Setup]]:
    """All cells under all variants; where places are named, dry friction is left out.

    Raises:
        AndanteError: A place or an option is not legal.
    """
    conditions = [(trouble.text, trouble.start, trouble) for trouble in _wanted(options)]
    return variant_cases(options, conditions, VARIANTS, options.tries)


def variant_cases(
    options: GetUpOptions,
    conditions: Iterable[tuple[str, StartName, Trouble | None]],
    variants: Mapping[str, KeyframeEngineSettings],
    tries: int = 1,
) -> list[Case[Setup]]:
    """Each condition, by its words, start and trouble, under each variant of the engine on the same seeds.

    Everything has so many ``tries``, the other variants one.
    """
    cells = []
    for text, start, trouble in conditions:
        faults = () if trouble is None else (trouble.fault(JOINT),)
        plain = replace(options.setup, start=start, faults=faults, ask_again=False)
        for variant, engine in variants.items():
            setup = replace(plain, engine=engine, tries=tries if variant == EVERYTHING else 1)
            cells.append((f"{text}, {variant}", setup))
    return seeded(cells, options.first_seed, options.seeds)


def fault_report(options: GetUpOptions, results: Mapping[str, Sequence[GetUp]]) -> BenchReport:
    """The table: counts and intervals per variant, the pairs with and without compensation, per cell."""
    cells = [
        Cell(
            trouble,
            {variant: tuple(trial.stood for trial in results[f"{trouble.text}, {variant}"]) for variant in VARIANTS},
        )
        for trouble in _wanted(options)
    ]
    about = {**options.about(*ABOUT), "joint": JOINT, "cells": [cell_data(cell) for cell in cells]}
    return BenchReport("getup-faults", fault_rows(cells, options.asked), about, fault_text(cells))


def fault_rows(cells: Sequence[Cell], asked: float | None = None) -> list[Row]:
    """Sums per start and variant, cells in which compensation harms, and the worst cell with everything on.

    Args:
        cells: The cells.
        asked: Share that must stand in every cell with everything on.
    """
    rows = []
    for start in dict.fromkeys(cell.trouble.start for cell in cells):
        for variant in VARIANTS:
            stood = [ok for cell in cells if cell.trouble.start == start for ok in cell.stood[variant]]
            rows.append(share_row(f"{start}: {variant}", stood))
    harmed, helped = (sum(_verdict(cell) == word for cell in cells) for word in ("harms", "helps"))
    rows.append(count_row("cells that compensation harms", harmed, len(cells)))
    rows.append(figure("cells that compensation helps", float(helped), "", len(cells)))
    worst = min(cells, key=lambda cell: cell.count(EVERYTHING))
    rows.append(share_row(f"worst with everything ({worst.trouble.text})", worst.stood[EVERYTHING], asked))
    return rows


def fault_text(cells: Sequence[Cell]) -> list[str]:
    """The table as lines: a line per place, a field per duration or friction, the variants' counts in each field.

    A mark tells what compensation does to a cell against chance: ``+`` helps, ``-`` harms.
    """
    n = len(next(iter(cells[0].stood.values())))
    lines = [f"stood of {n}: {' / '.join(VARIANTS)}   (+, -: compensation helps, harms beyond chance)"]
    for locked in (True, False):
        chosen = [cell for cell in cells if bool(cell.trouble.place) is locked]
        amounts = sorted({cell.trouble.amount for cell in chosen})
        if not chosen:
            continue
        unit = "s" if locked else "N m"
        head = "locked at the start of" if locked else "more dry friction"
        lines.append(f"{head:<28}" + "".join(f"{f'{amount:g} {unit}':>18}" for amount in amounts))
        for start, place in dict.fromkeys((cell.trouble.start, cell.trouble.place) for cell in chosen):
            fields = {
                c.trouble.amount: _field(c) for c in chosen if (c.trouble.start, c.trouble.place) == (start, place)
            }
            title = f"{start}: {place}" if place else start
            lines.append(f"{title:<28}" + "".join(f"{fields.get(amount, ''):>18}" for amount in amounts))
    return lines


def cell_data(cell: Cell) -> dict[str, Any]:
    """One cell as plain data."""
    compensation = pair_data(cell.stood[_WITH], cell.stood[_WITHOUT])
    chance = sign_test(compensation["lost"], compensation["won"])
    return {
        **asdict(cell.trouble),
        "trials": len(cell.stood[EVERYTHING]),
        "variants": {
            variant: {"stood": sum(stood), "interval": wilson(sum(stood), len(stood)), "trials": stood}
            for variant, stood in cell.stood.items()
        },
        "compensation": {**compensation, "chance_of_loss": chance, "verdict": _verdict(cell)},
    }


def pair_data(first: Sequence[bool], second: Sequence[bool]) -> dict[str, Any]:
    """How much more often the one stood than the other on the same seeds, its interval, and the pairs that differ."""
    difference, interval = paired_difference(first, second)
    won, lost = won_and_lost(first, second)
    return {"difference": difference, "interval": interval, "won": won, "lost": lost}


def _verdict(cell: Cell) -> str:
    won, lost = won_and_lost(cell.stood[_WITH], cell.stood[_WITHOUT])
    if sign_test(lost, won) <= CHANCE:
        return "harms"
    return "helps" if sign_test(won, lost) <= CHANCE else "not shown"


def _field(cell: Cell) -> str:
    mark = {"harms": "-", "helps": "+"}.get(_verdict(cell), " ")
    return "/".join(str(cell.count(variant)) for variant in VARIANTS) + mark


def _wanted(options: GetUpOptions) -> list[Trouble]:
    return troubles(options.library, options.at, options.lasting or DURATIONS, () if options.at else FRICTIONS)

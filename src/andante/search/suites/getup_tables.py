"""Two tables of get-ups: a joint locks or runs dry under four engines; and what each part of the engine is worth.

All engines of a condition meet the same worlds, seed by seed, so that their differences are differences of pairs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast, get_args

from andante.backends.fault import Fault, When
from andante.motions.library import MotionLibrary
from andante.runs.motion_libraries import load_motions
from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Axis, Experiment, Figure, Variant
from andante.search.experiment.suite import rows_of
from andante.search.experiment.trial import ENDED, TrialResult
from andante.search.observers.spread import StartName
from andante.search.rows import Row, count_row, figure, share_row
from andante.search.statistics import paired_difference, quantile, sign_test, wilson, won_and_lost
from andante.search.suite import BenchReport

JOINT = "LHipYawPitch"
"""The joint that sticks most often on real robots; the right one moves with it."""
DURATIONS, LOCKED = (0.3, 0.6, 1.0), 0.6
"""How long it is locked in the fault table, and in the ablation, where nothing else is asked [s]."""
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
"""The engine that leaves out nothing."""
PARTS = ("compensation", "balance", "waits", "branches", "break_up", "pauses")
"""Parts of the engine that can be left out."""
_OFF = dict.fromkeys(PARTS, False)
VARIANTS: Mapping[str, Mapping[str, bool]] = {
    "plain": _OFF,
    "waits, balance": _OFF | {"waits": True, "balance": True},
    "+ compensation": _OFF | {"waits": True, "balance": True, "compensation": True},
    EVERYTHING: {},
}
"""The engines of the fault table; everything has branches, break-up, pauses and all tries, the others one try."""
WITHOUT: Mapping[str, Mapping[str, bool]] = {
    EVERYTHING: {},
    **{f"without {part}": {part: False} for part in ("waits", "balance", "compensation", "branches", "pauses")},
}
"""The engines of the ablation; each differs from everything by one part."""
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
class TroubleOutcome:
    """One trouble and what came of it, per engine and seed."""

    trouble: Trouble
    """What was wrong."""
    stood: Mapping[str, Sequence[bool]]
    """Whether the robot stood up, per engine, in the order of the seeds."""

    def count(self, variant: str) -> int:
        """Number of trials that stood up."""
        return sum(self.stood[variant])

    @property
    def verdict(self) -> str:
        """What compensation does to the cell, against chance."""
        won, lost = won_and_lost(self.stood[_WITH], self.stood[_WITHOUT])
        if sign_test(lost, won) <= CHANCE:
            return "harms"
        return "helps" if sign_test(won, lost) <= CHANCE else "not shown"


def read_place(text: str, library: MotionLibrary) -> tuple[StartName, str]:
    """Start and keyframe of ``start:block[index]``.

    Raises:
        SearchError: The text is none, or the library has no such keyframe.
    """
    match = _PLACE.match(text)
    if match is None or match["start"] not in get_args(StartName):
        what, limit = "a place is written as start:block[keyframe]", f"start is one of {', '.join(get_args(StartName))}"
        raise SearchError(what, place="--at", value=text, limit=limit, remedy="such as back:fromSitting[4]")
    block, keyframe = match["block"], int(match["keyframe"])
    if block not in library.blocks:
        raise SearchError("no such block", place=f"--at {text}", value=block, legal=sorted(library.blocks))
    if keyframe >= len(library.blocks[block].keyframes):
        number = len(library.blocks[block].keyframes)
        raise SearchError("no such keyframe", place=f"--at {text}", value=keyframe, limit=f"0..{number - 1}")
    return cast(StartName, match["start"]), f"{block}[{keyframe}]"


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


def variants_of(
    base: Experiment,
    conditions: Mapping[str, tuple[StartName, Trouble | None]],
    engines: Mapping[str, Mapping[str, bool]],
    tries: int,
) -> Experiment:
    """Each condition, by its words, under each engine on the same seeds; everything has so many tries, others one."""
    starts = base.axes["start"].variants
    lying = {
        text: starts[start].but(faults=() if trouble is None else (trouble.fault(JOINT),))
        for text, (start, trouble) in conditions.items()
    }
    engine = {
        name: Variant(
            set={f"controller.{part}": on for part, on in parts.items()}
            | {"observers.get-up.tries": tries if name == EVERYTHING else 1}
        )
        for name, parts in engines.items()
    }
    axes = {
        "condition": Axis(variants=lying),
        "spread": base.axes["spread"],
        "engine": Axis(variants=engine, told=False),
    }
    figures = {"stood": Figure(metric="get-up.stood")}
    return base.but(axes=axes, again={}, options={}, figures=figures)


def _troubles(options: Any) -> list[Trouble]:
    """The rows of the table that begin as asked."""
    found = troubles(options.library, options.at, options.lasting or DURATIONS, () if options.at else FRICTIONS)
    starts = [word.strip() for word in options.start.split(",")]
    kept = [each for each in found if each.start in starts]
    if not kept:
        known = tuple(dict.fromkeys(each.start for each in found))
        raise SearchError("no row of the table begins so", place="--start", value=options.start, legal=known)
    return kept


def asked_faults(base: Experiment, options: Any) -> Experiment:
    """The experiment of the fault table, from that of the suite and its options."""
    conditions = {each.text: (each.start, each) for each in _troubles(options)}
    return variants_of(base, conditions, VARIANTS, options.tries)


def report_faults(asked: Experiment, options: Any, results: Mapping[str, Sequence[TrialResult]]) -> BenchReport:
    """What the trials of the fault table say."""
    found = _by_condition(asked, results, "stood")
    cells = [TroubleOutcome(each, found[each.text]) for each in _troubles(options)]
    about = _about(options) | {"joint": JOINT, "cells": [cell_data(cell) for cell in cells]}
    return BenchReport("getup-faults", fault_rows(cells, options.asked), about, fault_text(cells))


def fault_rows(cells: Sequence[TroubleOutcome], asked: float | None = None) -> list[Row]:
    """Sums per start and engine, cells in which compensation harms, and the worst cell with everything on.

    Args:
        cells: The cells.
        asked: Share that must stand in every cell with everything on.
    """
    rows = []
    for start in dict.fromkeys(cell.trouble.start for cell in cells):
        for variant in VARIANTS:
            stood = [ok for cell in cells if cell.trouble.start == start for ok in cell.stood[variant]]
            rows.append(share_row(f"{start}: {variant}", stood))
    harmed, helped = (sum(cell.verdict == word for cell in cells) for word in ("harms", "helps"))
    rows.append(count_row("cells that compensation harms", harmed, len(cells)))
    rows.append(figure("cells that compensation helps", float(helped), "", len(cells)))
    worst = min(cells, key=lambda cell: cell.count(EVERYTHING))
    rows.append(share_row(f"worst with everything ({worst.trouble.text})", worst.stood[EVERYTHING], asked))
    return rows


def fault_text(cells: Sequence[TroubleOutcome]) -> list[str]:
    """The table as lines: a line per place, a field per duration or friction, the engines' counts in each field.

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
                c.trouble.amount: "/".join(str(c.count(variant)) for variant in VARIANTS)
                + {"harms": "-", "helps": "+"}.get(c.verdict, " ")
                for c in chosen
                if (c.trouble.start, c.trouble.place) == (start, place)
            }
            title = f"{start}: {place}" if place else start
            lines.append(f"{title:<28}" + "".join(f"{fields.get(amount, ''):>18}" for amount in amounts))
    return lines


def cell_data(cell: TroubleOutcome) -> dict[str, Any]:
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
        "compensation": {**compensation, "chance_of_loss": chance, "verdict": cell.verdict},
    }


def pair_data(first: Sequence[bool], second: Sequence[bool]) -> dict[str, Any]:
    """How much more often the one stood than the other on the same seeds, its interval, and the pairs that differ."""
    difference, interval = paired_difference(first, second)
    won, lost = won_and_lost(first, second)
    return {"difference": difference, "interval": interval, "won": won, "lost": lost}


def asked_ablation(base: Experiment, options: Any) -> Experiment:
    """First tries of all engines under each condition: each start as it is, each place where the joint locks."""
    starts = base.axes["start"].chosen or tuple(base.axes["start"].variants)
    conditions: dict[str, tuple[StartName, Trouble | None]] = {
        start: (cast(StartName, start), None) for start in starts
    }
    locked = troubles(options.library, options.at, options.lasting or (LOCKED,), ()) if options.at else []
    conditions |= {each.text: (each.start, each) for each in locked}
    figures = {
        "{engine}": Figure(metric="get-up.first_try"),
        "lost {engine}": Figure(metric="get-up.first_try", statistic="lost", against=EVERYTHING),
    }
    return variants_of(base, conditions, WITHOUT, 1).but(figures=figures)


def report_ablation(asked: Experiment, options: Any, results: Mapping[str, Sequence[TrialResult]]) -> BenchReport:
    """What the trials of the ablation say."""
    first = _by_condition(asked, results, "first_try")
    times = _by_condition(asked, results, "time")
    starts = {text: next(iter(variant.set.values())) for text, variant in asked.axes["condition"].variants.items()}
    cells = [
        {
            "start": starts[text],
            "condition": text,
            "parts": {part: worth(own[EVERYTHING], own[part]) for part in WITHOUT if part != EVERYTHING},
            "first_tries": own,
        }
        for text, own in first.items()
    ]
    rows = rows_of(asked, groups_of(asked), results)
    return BenchReport("getup-ablation", rows, _about(options) | {"cells": cells}, ablation_text(first, times))


def ablation_text(
    first: Mapping[str, Mapping[str, Sequence[bool]]], times: Mapping[str, Mapping[str, Sequence[float]]]
) -> list[str]:
    """The table as lines; a part's worth is called shown only where the difference's interval leaves out zero."""
    lines = []
    for text, own in first.items():
        lines.append(f"{text}: first tries of {len(own[EVERYTHING])}")
        for variant in WITHOUT:
            stood = [time for time, ok in zip(times[text][variant], own[variant], strict=True) if ok]
            line = f"  {variant:<22}{sum(own[variant]):>5}"
            line += f"  median {quantile(stood, 0.5):.2f} s" if stood else ""
            if variant != EVERYTHING:
                told = worth(own[EVERYTHING], own[variant])
                low, high = told["interval"]
                line += f"  lost {told['difference']:+.3f} [{low:+.3f}, {high:+.3f}]"
                line += f"  won {told['won']}, lost {told['lost']}  {told['verdict']}"
            lines.append(line)
    return lines


def worth(everything: Sequence[bool], without: Sequence[bool]) -> dict[str, Any]:
    """What a part is worth: everything minus everything but it."""
    found = pair_data(everything, without)
    (low, high), pairs = found["interval"], (found["won"], found["lost"])
    verdict = "not shown"
    if low > 0.0 or high < 0.0:
        verdict = "shown to help" if found["difference"] > 0.0 else "shown to harm"
    return {**found, "chance": min(1.0, 2.0 * sign_test(max(pairs), min(pairs))), "verdict": verdict}


def _by_condition(
    asked: Experiment, results: Mapping[str, Sequence[TrialResult]], name: str
) -> dict[str, dict[str, list[Any]]]:
    """A number of all trials, by condition and engine."""
    found: dict[str, dict[str, list[Any]]] = {}
    for group in groups_of(asked):
        for trial in results[group.name]:
            if ENDED in trial.metrics:
                what = "this table is made of pairs of trials, and one was ended"
                place = f"{group.name}, seed {trial.seed}"
                raise SearchError(what, place=place, value=trial.metrics[ENDED], remedy="give it more time or memory")
        told = [trial.metrics["get-up"][name] for trial in results[group.name]]
        found.setdefault(group.labels["condition"], {})[group.labels["engine"]] = told
    return found


def _about(options: Any) -> dict[str, Any]:
    about: dict[str, Any] = options.about("library", "spread", "first_seed", "seeds", "tries", "fault")
    return about

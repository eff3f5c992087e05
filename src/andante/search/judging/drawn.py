"""Drawn motions: what a study sketches, as motions that judges are asked about, each with a seed of its own.

A search rarely sees polished motions, so another engine's verdict on those says little about what a search would find
there. Motions are drawn as the study's own sketch draws its candidates, in order, around the study's start; the start
itself is left out. No motion is chosen by how near it is to standing or falling.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from andante.documents.files import write_text
from andante.documents.writer import dump_document
from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Axis, Compared, Experiment, Seeds, Variant
from andante.search.experiment.trial import TrialSetup
from andante.search.judging.judges import Judge
from andante.search.judging.judging import HERE, JUDGE, success_of, verdict_of, with_judges
from andante.search.judging.marginal import MOST_DRAWN, Make, MarginalSet, halves
from andante.search.studies.asking import Point
from andante.search.studies.document import Study
from andante.search.studies.driving import study_digest
from andante.search.studies.files import MOTION_UNITS
from andante.search.studies.problem import Problem
from andante.search.studies.solving import sketched, stage_random
from andante.search.suite import Case

MOTION = "motion"
"""Axis of the motions that were drawn."""
_BATCH = 4
"""So many motions are drawn at a time at least."""


@dataclass(frozen=True)
class DrawnSet(MarginalSet):
    """Motions that judges are asked about, each with a seed of its own; `passed` of them pass as asked."""

    experiment: Experiment
    """The experiment with these motions and the judges as axes."""

    def __str__(self) -> str:
        return (
            f"motions of a sketch: {self.passed} that pass and {self.failed} that fail as asked, of {self.drawn} drawn "
            f"({self.drawn_passed} passed), the last with seed {self.last_seed}"
        )


class DrawnMotions:
    """The motions that a study sketches.

    Args:
        study: The study in full.
        folder: Where motion files are written, one for each motion that is drawn.

    Raises:
        AndanteError: The study cannot be tried, or has no sketch.
    """

    def __init__(self, study: Study, folder: Path) -> None:
        self._problem = Problem(study)
        self._folder = folder
        found = ((number, stage) for number, stage in enumerate(study.stages) if stage.type == "sketch")
        number, sketch = next(found, (0, None))
        if sketch is None:
            remedy = "add a stage {type: sketch}, whose width says how far motions are from the start"
            raise SearchError("motions are drawn by a study's sketch", place=f"{study.name}: stages", remedy=remedy)
        start: Point = tuple(float(each) for each in self._problem.space.start)
        candidates = sketched(start, sketch.width, stage_random(study, number))
        self._points: Iterator[Point] = islice(candidates, 1, None)
        self._number = 0
        success = study.success
        if success is not None and success.is_ is not True:
            raise SearchError("judges are asked whether something is so", place=f"{study.name}: success.is")
        own = self._problem.experiment
        compare = {} if success is None else {"success": Compared(metric=success.metric, succeeds=True)}
        seeds = Seeds(first=study.seeds.training.first, count=study.seeds.training.count)
        self.experiment: Experiment = own.model_copy(update={"compare": compare, "name": study.name, "seeds": seeds})
        """What is tried with each motion."""
        self.digest = study_digest(study)
        """The study by its content."""

    def draw(self, count: int) -> dict[str, Variant]:
        """The next motions, by their numbers from 1 on."""
        found = {}
        for point in islice(self._points, count):
            self._number += 1
            found[f"{self._number:04d}"] = self._variant(f"{self._number:04d}", point)
        return found

    def _variant(self, name: str, point: Point) -> Variant:
        candidate = self._problem.candidate(point)
        values = dict(candidate.changes)
        if candidate.library is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{name}.yaml"
            write_text(path, dump_document(candidate.library, units=MOTION_UNITS), follow=False)
            values["controller.library"] = str(path.resolve())
        return Variant(set=values)


def drawn_set(
    motions: DrawnMotions,
    experiment: Experiment,
    judges: Mapping[str, Judge],
    pairs: int,
    first_seed: int,
    make: Make,
    *,
    marginal: bool,
) -> DrawnSet:
    """Draw motions in order, each with the next seed.

    Args:
        motions: What draws them.
        experiment: What is tried with each: that of ``motions``, whatever else was changed in it.
        judges: The judges by name.
        pairs: Motions that are wanted.
        first_seed: Seed of the first.
        make: Makes trials.
        marginal: Draw until half of them pass as asked and half fail; the odd one is one that passes. Otherwise the
            first ones are taken.

    Raises:
        SearchError: Fewer than two motions of both verdicts, a trial without a verdict, or not enough of both.
    """
    wanted = halves(pairs) if marginal else {True: pairs, False: pairs}
    success = success_of(experiment)
    kept: dict[str, Variant] = {}
    count, drawn, good = {True: 0, False: 0}, 0, 0

    def enough() -> bool:
        return count == wanted if marginal else sum(count.values()) >= pairs

    while not enough():
        if drawn >= MOST_DRAWN * pairs:
            raise SearchError(
                "too few motions of one verdict for a marginal set",
                value=f"{good} of {drawn} passed",
                limit=f"{wanted[True]} that pass and {wanted[False]} that fail",
                remedy="give the study's sketch another width",
            )
        batch = motions.draw(max(_BATCH, pairs // 2))
        cases = [case for case in _cases(_with(experiment, batch), judges, first_seed) if case[0] == HERE]
        results = make([case for _, case in cases])
        for (_, case), (name, variant) in zip(cases, batch.items(), strict=True):
            if enough():
                break
            said = verdict_of(success, case.group, results[case.group][0])
            drawn, good = drawn + 1, good + said
            if count[said] < wanted[said]:
                count[said] += 1
                kept[name] = variant
    whole = _with(experiment, kept)
    chosen = tuple(case for _, case in _cases(whole, judges, first_seed))
    last = first_seed + drawn - 1
    return DrawnSet(chosen, count[True], count[False], drawn, good, last, with_judges(whole, judges))


def _with(experiment: Experiment, motions: Mapping[str, Variant]) -> Experiment:
    # They stand in for a study's own library, which variants of other axes set.
    taken = {path for each in motions.values() for path in each.set}
    axes = {name: axis.model_copy(update={"variants": _but(axis, taken)}) for name, axis in experiment.axes.items()}
    return experiment.model_copy(update={"axes": {**axes, MOTION: Axis(variants=dict(motions))}})


def _but(axis: Axis, taken: Collection[str]) -> dict[str, Variant]:
    """An axis's variants without the values of these paths."""
    return {
        label: each.model_copy(update={"set": {path: value for path, value in each.set.items() if path not in taken}})
        for label, each in axis.variants.items()
    }


def _cases(
    experiment: Experiment, judges: Mapping[str, Judge], first_seed: int
) -> Sequence[tuple[str, Case[TrialSetup]]]:
    """Each motion with its own seed, as asked and by each judge; with the judge's name."""
    return [
        (group.labels[JUDGE], Case(group.name, group.setup, first_seed + int(group.labels[MOTION]) - 1))
        for group in groups_of(with_judges(experiment, judges))
    ]

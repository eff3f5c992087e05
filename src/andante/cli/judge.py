"""`andante judge`: what other settings of the solver and other engines say of the same trials."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.bench_kept import executing, journalled
from andante.cli.completion import scenarios
from andante.cli.output import Several, Switch, answer, leave_by, write_json
from andante.cli.progress import counting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from andante.runs.scenario import Scenario
    from andante.search.experiment.trial import TrialResult, TrialSetup
    from andante.search.judging.drawn import DrawnMotions
    from andante.search.judging.judging import Opinion
    from andante.search.judging.marginal import MarginalSet
    from andante.search.suite import Case, Suite

_EXPERIMENT = "andante.experiment"
"""Stands in the file of an experiment."""
_STUDY = "andante.study"
"""Stands in the file of a study."""
_HEAD = f"{'judge':<14}{'agree':>9}{'interval':>17}{'kappa':>8}{'only here':>11}{'only there':>12}   what"


def judge(
    what: Annotated[str, typer.Argument(autocompletion=scenarios)] = "",
    judges: Annotated[str, typer.Option("--in")] = "twins",
    seeds: Annotated[int, typer.Option(min=1)] = 20,
    first_seed: Annotated[int | None, typer.Option(min=0)] = None,
    robot: str | None = None,
    start: str | None = None,
    option: Several = None,
    only: Several = None,
    values: Annotated[Several, typer.Option("--set")] = None,
    workers: Annotated[int, typer.Option(min=1)] = 1,
    trial_limit: Annotated[float | None, typer.Option(min=1.0)] = None,
    trial_memory: Annotated[float | None, typer.Option(min=0.5)] = None,
    journal: Path | None = None,
    resume: Switch = False,
    explain: Switch = False,
    marginal: Switch = False,
    record: Switch = False,
    figures: Switch = False,
    repeats: Annotated[int, typer.Option(min=0, max=100)] = 0,
    repeat_all: Switch = False,
    causes: Switch = False,
    motions: Path | None = None,
    asked: Annotated[float | None, typer.Option(min=-1.0, max=1.0)] = None,
    install: str | None = None,
    out: Path | None = None,
) -> None:
    """Ask other engines and settings about the same trials, in simulation.

    Args:
        what: A scenario, LIBRARY/MOTION, an experiment, the log of a run, or the file of a study: motions that it
            sketches, each with one seed.
        judges: Judges with commas: twins (all of MuJoCo's own settings), half-step, drake and so on.
        seeds: Trials of each; with --marginal: of all; of a study: motions.
        first_seed: First seed; default: the scenario's.
        robot: Robot: a name, pack, MJCF, URDF or SDF.
        start: Begin lying (front, back, left, right) or in a posture.
        option: NAME=VALUE: an option of the experiment, as andante bench has it, such as table=push; repeat.
        only: A condition of the experiment by its label, as 'slope 0.2'; repeat; default: all.
        values: PATH=VALUE: change a value of the scenario; repeat.
        workers: Processes; results do not depend on it.
        trial_limit: End a trial after so long [s], without what a busy machine costs; default: never.
        trial_memory: End a trial whose process uses more memory [GB]; default: never.
        journal: Keep trials here until it is done.
        resume: Go on with the journal.
        explain: Look for what came before each difference (of the first three).
        marginal: Draw seeds until half of the trials pass as asked and half fail; judges get these alone.
        record: Keep what the judges said beside the motion file, NAME.judged.yaml.
        figures: Tell every figure of the experiment by every judge.
        repeats: Run each trial so often again, and the judges those that differ, from starts a tenth of a millimetre
            apart: which differences are chance; at least 4.
        repeat_all: With --repeats: judges repeat all trials, not only those that differ.
        causes: With --repeats: change one thing at a time where engines clearly differ, and tell what makes one side
            with the other.
        motions: Keep the motions that a study sketches in this folder; default: judged/NAME.
        asked: Cohen's kappa below which the exit code is 1; sets that all pass need full agreement.
        install: Make the environment of an engine that needs its own (rcsssmj) in the user's cache, and judge nothing.
        out: Write the JSON object here too.
    """
    from dataclasses import asdict, replace

    if install is not None:
        _installed(install, what)
        return
    from andante.motions.judged import keep
    from andante.search.errors import SearchError
    from andante.search.experiment.suite import cases_of, suite_of
    from andante.search.judging.causes import traced
    from andante.search.judging.drawn import drawn_set
    from andante.search.judging.explain import explained
    from andante.search.judging.figures import figure_lines, figures_by_judge
    from andante.search.judging.judges import judges_named
    from andante.search.judging.judging import (
        HERE,
        check_qualified,
        held_in,
        one_experiment,
        opinions,
        with_judges,
        with_only,
    )
    from andante.search.judging.kept import Judged
    from andante.search.judging.marginal import marginal_set
    from andante.search.judging.repeats import LEAST_REPEATS, repeat_lines, repeated, verdicts_here
    from andante.search.suite import HowToRun, read_options

    if not what:
        raise SearchError(
            "say what is to be judged",
            place="WHAT",
            legal=("a scenario", "LIBRARY/MOTION", "an experiment", "a log", "the file of a study"),
        )
    if repeats < (LEAST_REPEATS if repeats or repeat_all or causes else 0):
        raise SearchError("too few repeats", place="--repeats", value=repeats, limit=f"at least {LEAST_REPEATS}")
    if out is not None and journal is not None and out.absolute() == journal.absolute():
        # The journal goes when all is done, and the results with it.
        raise SearchError("results and journal are two files", place="--journal", value=str(journal))
    chosen = judges_named(judges)
    no_study = {"--start": start, "--option": option, "--only": only, "--record": record}
    sketch = _sketch(what, robot, motions, no_study)
    if sketch is None:
        plain, given = _suite(what, robot, start, option or (), values or ())
    else:
        plain, given = suite_of(sketch.experiment), {"values": tuple(values or ())}
    given |= {"seeds": seeds, **({} if first_seed is None else {"first_seed": first_seed})}
    options = read_options(plain.options, given)
    first: int = options.first_seed
    judged = with_judges(with_only(one_experiment(plain, options), only or ()), chosen)
    # One that was ended is no judgement, and would pass for a difference of judges.
    suite = replace(suite_of(judged), options=plain.options, ended=None)
    about_motions = Judged(judged) if record else None
    notes = list(check_qualified(judged, chosen))
    limits = {"trial_limit": trial_limit, "trial_memory": trial_memory}
    how = read_options(HowToRun, {"workers": workers, "journal": journal, "resume": resume, **limits})
    files = suite.files(options)

    def about() -> dict[str, Any]:
        return {**suite.about(options, files), "what": what, **({} if sketch is None else {"study": sketch.digest})}

    with journalled(how, journal, about, "--journal", "; nothing is kept without --journal") as kept:
        with (
            counting("judge") as (tell, note),
            executing(how, files, note) as executor,
        ):

            def make(cases: Sequence[Case[TrialSetup]]) -> Mapping[str, Sequence[TrialResult]]:
                return suite.merged(cases, suite.made(cases, executor, kept, tell))

            drawn: MarginalSet | None = None
            if sketch is not None:
                tried = one_experiment(plain, options)
                drawn = sketched = drawn_set(sketch, tried, chosen, seeds, first, make, marginal=marginal)
                judged = sketched.experiment
            elif marginal:
                drawn = marginal_set(judged, seeds, first, make)
            results = make(cases_of([judged], options) if drawn is None else drawn.cases)
            said = opinions(judged, chosen, results)
            again = repeated(judged, chosen, said, results, repeats, make, everywhere=repeat_all) if repeats else []
            here = verdicts_here(judged, results)
            found = [traced(judged, each.judge, chosen[each.judge], each, here, make) for each in again if causes]
        held = held_in(judged, chosen, results)
        pairs, passed = said[0].agreement.pairs, said[0].agreement.both_pass + said[0].agreement.only_here
        if about_motions is not None:
            last = first + seeds - 1 if drawn is None else drawn.last_seed
            typed = _typed(what, robot, start, option or (), values or ())
            made = about_motions.judgements(typed, (first, last), said, held, chosen, marginal=marginal)
            notes += [f"recorded for {each.motion} in {keep(about_motions.path, each)}" for each in made]
        told = figures_by_judge(judged, results) if figures else {}
        whys: list[str] = []
        if explain:
            # Twins' differences are what another engine's are measured by: told only where nobody else is asked.
            others = [each for each in said if not chosen[each.judge].twin]
            for opinion in others or said:
                whys += explained(judged, opinion, chosen[opinion.judge])
        data = {
            "what": what,
            "seeds": [first, seeds],
            "passed": passed,
            "trials": pairs,
            "held": held,
            "judges": [each.data() for each in said],
            "qualified": notes,
            "marginal": None if drawn is None else drawn.data(),
            "figures": {name: {judge: asdict(row) for judge, row in rows.items()} for name, rows in told.items()},
            "repeats": [each.data() for each in again],
            "causes": [each.data() for each in found],
            "explained": whys,
        }
        write_json(out, data)
        lines = [*notes, *([] if drawn is None else [str(drawn)]), *_table(said)]
        lines += [*(repeat_lines(again) if again else ()), *(line for each in found for line in each.lines), *whys]
        lines += figure_lines(told, (HERE, *chosen)) if told else ()
        lines.append(f"{passed} of {pairs} passed as asked, in simulation; {held} of them hold by all judges")
        # Before the journal goes: where nobody can be told, it is all that is left.
        answer(data, lines, flush=True)
    leave_by(asked is None or _good(said, asked))


def _installed(name: str, what: str) -> None:
    """Make the environment of an engine.

    Raises:
        AndanteError: No engine of this name needs one, something is to be judged too, or it cannot be made.
    """
    from andante.backends.rcsssmj import environment
    from andante.search.errors import SearchError

    if name != "rcsssmj":
        raise SearchError(
            "no judge of this name has an environment of its own", place="--install", value=name, legal=("rcsssmj",)
        )
    if what:
        raise SearchError("nothing is judged while an environment is made", place="--install", value=what)
    folder = environment.install()
    version = environment.installed_version()
    data = {"engine": name, "version": version, "folder": str(folder)}
    answer(data, [f"{name} {version} is in {folder}"])


def _typed(what: str, robot: str | None, start: str | None, option: Sequence[str], values: Sequence[str]) -> str:
    """What is judged, as one would type it."""
    words = [what, *(("--robot", robot) if robot else ()), *(("--start", start) if start else ())]
    words += [word for pair in option for word in ("--option", pair)]
    return " ".join([*words, *(word for pair in values for word in ("--set", pair))])


def _table(said: Sequence[Opinion]) -> list[str]:
    lines = [_HEAD]
    for each in said:
        counts = each.agreement
        low, high = counts.interval
        kappa = "-" if counts.kappa is None else f"{counts.kappa:.2f}"
        lines.append(
            f"{each.judge:<14}{f'{counts.agreed}/{counts.pairs}':>9}{f'[{low:.3f}, {high:.3f}]':>17}{kappa:>8}"
            f"{counts.only_here:>11}{counts.only_there:>12}   {each.what}"
        )
        for group, seed, good in each.differing[:10]:
            place = f"{group}, " if group else ""
            lines.append(
                f"  {place}seed {seed}: {'passes as asked, fails' if good else 'fails as asked, passes'} there"
            )
    return lines


def _good(said: Sequence[Opinion], asked: float) -> bool:
    """Whether every judge agrees as well as asked."""
    kappas = [(each.agreement.kappa, each.agreement) for each in said]
    return all(kappa >= asked if kappa is not None else counts.agreed == counts.pairs for kappa, counts in kappas)


def _sketch(what: str, robot: str | None, folder: Path | None, no_study: Mapping[str, object]) -> DrawnMotions | None:
    """What draws motions, where a study is judged; none of the options ``no_study`` may be given then.

    Raises:
        AndanteError: The study cannot be tried, or something is asked that no study has.
    """
    from andante.documents.files import names_kind
    from andante.search.errors import SearchError

    path = Path(what)
    if not names_kind(path, _STUDY):
        if folder is not None:
            raise SearchError("only the motions of a study's sketch are kept", place="--motions", value=what)
        return None
    for name, value in no_study.items():
        if value:
            remedy = "write it into the study, or change a value with --set"
            raise SearchError("is not for the motions of a study's sketch", place=name, value=what, remedy=remedy)
    from andante.search.judging.drawn import DrawnMotions
    from andante.search.studies.files import load_study
    from andante.search.studies.goals import completed

    study = load_study(what, robot=robot)
    kept = Path("judged") / path.stem if folder is None else folder
    return DrawnMotions(completed(study, kept), kept)


def _suite(
    what: str, robot: str | None, start: str | None, option: Sequence[str], values: Sequence[str]
) -> tuple[Suite[Any, TrialSetup, TrialResult], dict[str, Any]]:
    """The suite that is judged, and the options that are given to it.

    Raises:
        AndanteError: There is no such thing.
    """
    from andante.documents.files import names_kind
    from andante.runs.logs.record import LOG, logged_scenario, read_log
    from andante.runs.task import scenario_of
    from andante.search.errors import SearchError
    from andante.search.experiment.registry import EXPERIMENTS
    from andante.search.experiment.suite import suite_of
    from andante.search.judging.judging import scenario_experiment
    from andante.search.suites.registry import load_suite

    path = Path(what)
    if what in EXPERIMENTS or names_kind(path, _EXPERIMENT):
        given: dict[str, Any] = {"values": tuple(values)}
        for pair in option:
            name, equals, text = pair.partition("=")
            if not equals:
                raise SearchError("give NAME=VALUE", place="--option", value=pair)
            given[name.strip().replace("-", "_")] = text.strip()
        given |= {name: value for name, value in (("robot", robot), ("start", start)) if value is not None}
        return load_suite(what), given
    if option:
        raise SearchError("only an experiment has options", place="--option", value=option[0])
    named: str | Scenario = what
    if path.suffix == ".mcap" or (path / LOG).is_file():
        named = logged_scenario(read_log(path), path)
    scenario = scenario_of(named, robot=robot, start=start, report=False, video=False, settings=values)
    return suite_of(scenario_experiment(scenario)), {}

"""`andante bench compare` and `history`: what was benched is kept, told and compared, for people and a team's CI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.interrupts import interrupted
from andante.cli.output import Exit, Natural, Several, Switch, answer, leave_by, refuse
from andante.errors import AndanteError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from andante.search.comparison import BenchComparison
    from andante.search.executor import Executor
    from andante.search.history import SavedBench
    from andante.search.journal import StudyJournal
    from andante.search.suite import HowToRun, Options, Suite
    from andante.search.versions import Pairs

FOLDER = Path(".andante/history")
"""Where results are kept where nothing else is said: below the folder in which one works."""
_HEAD = f"{'':<24}{'pairs':>6}{'first':>10}{'second':>10}   difference, 95 % interval"
_BY_PATH = "set"
"""Option that changes a value by its path."""
_ROWS = 3
"""Figures of a result that are shown."""


def compare(
    first: str,
    second: str,
    suite: str | None = None,
    motion: Several = None,
    seeds: Annotated[int, typer.Option(min=1)] = 200,
    first_seed: Natural = 1000,
    option: Several = None,
    of_second: Several = None,
    values: Annotated[Several, typer.Option("--set")] = None,
    only: str = "",
    early: Switch = False,
    level: Annotated[float, typer.Option(min=1e-6, max=0.5)] = 0.02,
    workers: Annotated[int, typer.Option(min=1)] = 1,
    cluster: str | None = None,
    trial_limit: Annotated[float | None, typer.Option(min=1.0)] = None,
    trial_memory: Annotated[float | None, typer.Option(min=0.5)] = None,
    journal: Path | None = None,
    resume: Switch = False,
    status: bool = False,
    history: Path = FOLDER,
    page: Path | None = None,
) -> None:
    """Compare two versions on the same seeds: exit code 0 not worse, 1 worse, 2 bad input.

    Args:
        first: First version: a motion library or scenario, or a result kept.
        second: Second version: of the same kind.
        suite: What to bench; default: motion with --motion, else getup. Of results: theirs, or its file.
        motion: Motion to play; repeat for several in order.
        seeds: Pairs of trials per condition.
        first_seed: First seed.
        option: NAME=VALUE: an option of the suite; repeat.
        of_second: NAME=VALUE, of the second version only; set=PATH=VALUE for a value by path.
        values: PATH=VALUE: change a value of the scenario or experiment in both versions; repeat.
        only: Measures to compare by, with commas; default: all.
        early: End after a quarter or half of the seeds where it is worse.
        level: Probability of a wrong verdict by chance.
        workers: Processes; results do not depend on it.
        cluster: Dask cluster: tcp://host:port, or local:N.
        trial_limit: End a trial after so long [s], without what a busy machine costs; default: never.
        trial_memory: End a trial whose process uses more memory [GB]; default: never.
        journal: Keep trials here until it is done.
        resume: Go on with the journal.
        status: Tell how far it is by its journal, also while it runs in another terminal.
        history: Folder of the history.
        page: Write the page here (HTML).
    """
    from dataclasses import replace

    from andante.documents.files import write_text
    from andante.pictures.figures import check_kind
    from andante.search.comparison import chosen
    from andante.search.comparison_page import comparison_page
    from andante.search.errors import SearchError
    from andante.search.experiment.cases import evidence_of_all
    from andante.search.history import differing_conditions, found_bench, load_bench
    from andante.search.suite import HowToRun, read_options
    from andante.search.suites.registry import load_suite, suite_names
    from andante.search.versions import compare_kept

    if status:
        from andante.cli.bench_status import tell_status

        tell_status(journal, None, "--journal", resume=resume)
        return
    check_kind(page, (".html",))
    names = [each.strip() for each in only.split(",") if each.strip()]
    files = [found_bench(name, history) for name in (first, second)]
    about: dict[str, Any] = {"first": first, "second": second}

    def tell(comparison: BenchComparison, pairs: Pairs, bench: Suite[Any, Any, Any]) -> None:
        if page is not None:
            text = comparison_page(comparison, pairs, chosen(bench.measures, names), (first, second), about)
            write_text(page, text, follow=False)
        data = {"suite": bench.name, "about": about, **comparison.data()}
        answer(data, _lines(comparison, about), flush=True)

    if files[0] is not None and files[1] is not None:
        # An experiment without a name is told by its file.
        by_name = suite is not None and Path(suite).suffix not in (".yaml", ".yml")
        if by_name or motion or option or of_second or values or journal or resume:
            raise SearchError("results were made already", remedy="leave the suite and its options out")
        one, two = (load_bench(path) for path in files if path is not None)
        if suite is None and one.suite not in suite_names():
            remedy = "name the file of its experiment: --suite FILE.yaml"
            raise SearchError("these results are of no suite that is known by name", value=one.suite, remedy=remedy)
        bench = load_suite(suite or one.suite)
        if bench.name != one.suite:
            raise SearchError("the results are of another suite", place="--suite", value=suite, limit=one.suite)
        comparison, pairs = compare_kept(one, two, names, level, bench)
        about |= {"suite": one.suite, **_told("first", one), **_told("second", two)}
        evidence = [each.evidence or "not kept by an earlier version" for each in (one, two)]
        about |= differing_conditions(one, two) | _differing(one.options, two.options)
        for kind in ("toolchain", "input"):
            # The object of --out does not tell them.
            if getattr(one, kind) and getattr(two, kind):
                about |= _differing(getattr(one, kind), getattr(two, kind))
        about["evidence"] = _both(evidence)
        tell(comparison, pairs, bench)
    elif any(files):
        remedy = "keep both with: andante bench SUITE --save, or name two libraries"
        raise SearchError("one is a result, the other is none", value=(first, second), remedy=remedy)
    else:
        if suite is None:
            _refuse_experiments(first, second)
        # A trial that was ended says nothing of the difference.
        bench = replace(load_suite(suite or ("motion" if motion else "getup")), ended=None)
        both = [*(option or []), *(f"{_BY_PATH}={pair}" for pair in values or ())]
        fixed = {"seeds": seeds, "first_seed": first_seed}
        versions = ((first, both), (second, [*both, *(of_second or [])]))
        asked = [_options(bench, name, fixed, motion, given) for name, given in versions]
        about |= {"suite": bench.name, "seeds": f"{first_seed} to {first_seed + seeds - 1}"}
        evidence = [evidence_of_all(bench.experiments(each)) for each in asked]
        how = read_options(
            HowToRun,
            {
                "workers": workers,
                "cluster": cluster,
                "trial_limit": trial_limit,
                "trial_memory": trial_memory,
                "journal": journal,
                "resume": resume,
            },
        )
        with _made(bench, asked, how, only=names, level=level, early=early) as (comparison, pairs):
            about |= _differing(dict(asked[0]), dict(asked[1]))
            made = len({seed for each in pairs.values() for seed, _, _ in each})
            if made < seeds:
                about["ended early"] = f"after {made} of {seeds} seeds; sizes of what ended it are rather too large"
            about["evidence"] = _both(evidence)
            # Before the journal goes: where nobody can be told, it is all that is left.
            tell(comparison, pairs, bench)
    if comparison.outcome == "undecided":
        # A check that cannot fail must not pass.
        raise typer.Exit(Exit.BAD_INPUT)
    leave_by(comparison.outcome != "worse")


def _refuse_experiments(*versions: str) -> None:
    """Refuse what says how to bench in place of what is benched.

    Raises:
        SearchError: One is the file of an experiment.
    """
    from andante.documents.files import names_kind
    from andante.search.errors import SearchError

    for version in versions:
        if names_kind(Path(version), "andante.experiment"):
            remedy = f"compare two results of it that were kept, andante bench compare A B --suite {version}"
            raise SearchError("this is an experiment, and no version that one benches", value=version, remedy=remedy)


def _both(evidence: Sequence[str]) -> str:
    return evidence[0] if evidence[0] == evidence[1] else f"{evidence[0]}; second: {evidence[1]}"


def _options(
    suite: Suite[Any, Any, Any], subject: str, fixed: Mapping[str, int], motion: Several, given: Sequence[str]
) -> Options:
    """The options of one version; those that are fixed have options of their own here."""
    from typing import get_origin

    from andante.search.errors import SearchError
    from andante.search.suite import read_options

    if not suite.options.subject:
        raise SearchError("this suite does not bench one library or scenario", value=suite.name)
    fields = suite.options.model_fields
    values: dict[str, Any] = {suite.options.subject: subject, **fixed}
    if motion:
        if "motion" not in fields:
            raise SearchError("this suite plays no motion of one's choice", place="--motion", value=suite.name)
        values["motion"] = tuple(motion) if get_origin(fields["motion"].annotation) is tuple else motion[0]
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if name == _BY_PATH and "values" in fields:
            values["values"] = (*values.get("values", ()), value)
            continue
        legal = [each for each in fields if each not in (suite.options.subject, *fixed)]
        if not equals or name not in legal:
            raise SearchError("no such option of the suite", place="--option", value=name, legal=legal)
        several = get_origin(fields[name].annotation) is tuple
        values[name] = tuple(value.split(",")) if several else value
    found: Options = read_options(suite.options, values)
    return found


@contextmanager
def _made(
    suite: Suite[Any, Any, Any], asked: Sequence[Options], how: HowToRun, **ways: Any
) -> Iterator[tuple[BenchComparison, Pairs]]:
    """Make the trials and compare; what is done survives what ends it, the telling too, where there is a journal."""
    from andante.cli.progress import counting
    from andante.search.versions import compare_now

    first, second = (suite.files(each) for each in asked)

    def about() -> dict[str, Any]:
        one, two = suite.about(asked[0], first), suite.about(asked[1], second)
        return {**one, "suite": f"compare {suite.name}", "second": two["option"], "also": two["input"]}

    with journalled(how, how.journal, about, "--journal") as journal:
        with (
            counting(f"compare {suite.name}") as (tell, note),
            executing(how, first | second, note) as executor,
        ):
            found = compare_now(suite, asked[0], asked[1], executor, journal=journal, tell=tell, **ways)
        yield found


def _told(side: str, bench: SavedBench) -> dict[str, str]:
    """Where a result comes from."""
    return {f"{side} made": f"{bench.saved}, andante {bench.andante}, {bench.commit or 'no commit'}"}


def _differing(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, str]:
    """Options, versions or files in which the two differ."""
    names = dict.fromkeys([*ours, *theirs])
    return {
        name: f"{ours.get(name)}; second: {theirs.get(name)}" for name in names if ours.get(name) != theirs.get(name)
    }


def _lines(comparison: BenchComparison, about: Mapping[str, Any]) -> Iterator[str]:
    from andante.search.comparison import TOO_FEW

    yield _HEAD
    for each in comparison.differences:
        name = f"{each.group}: {each.measure}" if each.group else each.measure
        if each.size is None:
            yield f"{name:<24}{0:>6}{'no pair tells it':>20}"
            continue
        scale, unit = (1.0, each.unit) if each.unit else (100.0, "points")
        if each.interval is None:
            difference = f"{scale * each.size:+.3g} {unit}, {TOO_FEW}"
        else:
            low, high = (scale * end for end in each.interval)
            difference = f"{scale * each.size:+.3g} [{low:+.3g}, {high:+.3g}] {unit}"
        outcome = "" if each.outcome == "no difference" else each.outcome
        yield f"{name:<24}{each.n:>6}{each.first:>10.4g}{each.second:>10.4g}   {difference:<46}{outcome}".rstrip()
    yield from (f"{name}: {value}" for name, value in about.items() if name not in ("first", "second"))
    yield f"{comparison.outcome.upper()}: {comparison.why}"


def history(
    suite: str | None = None,
    folder: Annotated[Path, typer.Option("--history")] = FOLDER,
) -> None:
    """Results that were kept with --save, oldest first.

    Args:
        suite: Only results of this suite.
        folder: Folder of the history.
    """
    from andante.search.history import kept, load_bench
    from andante.search.suites.registry import load_suite, suite_names

    found: list[tuple[Path, SavedBench]] = []
    unread: list[str] = []
    # One file that was cut, or that two branches have changed, costs itself only.
    for path in kept(folder):
        try:
            found.append((path, load_bench(path)))
        except AndanteError as error:
            unread.append(str(error))
    # An experiment of somebody's own is known here by its results alone.
    if suite is not None and suite not in {bench.suite for _, bench in found}:
        suite = load_suite(suite).name
    results = [(path, bench) for path, bench in found if suite in (None, bench.suite)]

    def lines() -> Iterator[str]:
        if not results and not unread:
            yield f"nothing is kept in {folder}; keep a result with: andante bench SUITE --save"
        for path, bench in results:
            named = load_suite(bench.suite).options.subject if bench.suite in suite_names() else ""
            subject = str(bench.options.get(named, ""))
            figures = [f"{row.name} {row.value:.4g} {row.unit}".rstrip() for row in bench.rows[:_ROWS]]
            yield f"{path.stem}  {bench.commit or 'no commit':<13}  {subject}  {len(bench.trials)} trials"
            yield f"    {'; '.join(figures)}"
        yield from (f"not read: {why}" for why in unread)

    data: dict[str, Any] = {"results": [_data(path, bench) for path, bench in results]}
    answer(data | ({"not_read": unread} if unread else {}), lines())


def _data(path: Path, bench: SavedBench) -> dict[str, Any]:
    data: dict[str, Any] = bench.model_dump(mode="json", exclude={"trials", "format", "version"})
    return {"name": path.stem, "file": str(path), **data, "trials": len(bench.trials)}


@contextmanager
def journalled(
    how: HowToRun, path: Path | None, about: Callable[[], Mapping[str, Any]], options: str, lost: str = ""
) -> Iterator[StudyJournal | None]:
    """The journal of a bench; it goes when all is done, and stays where the bench was interrupted.

    Args:
        how: Whether to go on with it.
        path: Its file; None: there is none.
        about: Tells what is benched; asked where there is a journal.
        options: The options that name its file.
        lost: What is said of an interrupt without a journal.

    Raises:
        SearchError: It cannot be begun, or gone on with.
        Exit: The bench was interrupted, and that is told.
    """
    from andante.search.errors import SearchError
    from andante.search.journal import StudyJournal
    from andante.search.work import GivenUpError

    if how.resume and path is None:
        raise SearchError("there is no journal to go on with", remedy=f"name {options} as before")
    journal = None if path is None else StudyJournal(path, about(), resume=how.resume)
    try:
        yield journal
    except BaseException as error:
        count = 0 if journal is None else len(journal.results)
        if journal is not None:
            journal.close()
        if not interrupted(error):
            full = isinstance(error, AndanteError) and isinstance(error.__cause__, OSError)
            # What a worker died at may go well another time, as with more memory.
            if count and (full or isinstance(error, (OSError, GivenUpError))):
                place = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
                what = f"{place}{error.strerror or error}" if isinstance(error, OSError) else error
                refuse(f"{what}; {count} results are kept, go on with --resume")
            raise
        # A journal without a result goes, and nothing can be gone on with.
        nothing = lost if journal is None else "; no result is kept"
        refuse(f"interrupted; {count} results are kept, go on with --resume" if count else f"interrupted{nothing}")
    if journal is not None:
        journal.remove()


@contextmanager
def executing(how: HowToRun, inputs: Mapping[str, str], told: Callable[[str], None]) -> Iterator[Executor]:
    """The executor of processes here or, where a cluster is named, of that; it is left in the end.

    It gives no result of files that were changed since, see `andante.search.watched.Watched`.

    Args:
        how: Number of processes, 1 where a cluster is named; and the cluster, see `andante.search.cluster.Cluster`.
        inputs: SHA-256 by name of the files that tasks read.
        told: Is told of every worker that died.

    Raises:
        ExecutorError: Fewer than one worker, or both are asked for.
        ClusterError: The cluster cannot be used.
    """
    from andante.search.executor import executor_for
    from andante.search.scratch import scratch
    from andante.search.watched import Watched
    from andante.search.work import ExecutorError

    if how.cluster is None:
        watched = Watched(executor_for(how.workers, told, how.limits), inputs, told)
        with scratch():
            yield watched
        watched.tell_code()
        return
    if how.workers != 1:
        raise ExecutorError("a cluster has workers of its own", value=how.workers, remedy="leave --workers out")
    from andante.search.cluster import Cluster

    with Cluster(how.cluster, inputs, told, limits=how.limits) as found:
        watched = Watched(found, inputs, told)
        yield watched
        watched.tell_code()

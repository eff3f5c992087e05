"""`andante bench compare A B`: is the second version worse, better, or no different? For people and for a team's CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.journalled import journalled
from andante.cli.output import Exit, command, emit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from andante.search.comparison import Comparison
    from andante.search.suite import HowToRun, Options, Suite

_HEAD = f"{'':<24}{'pairs':>6}{'first':>10}{'second':>10}   difference, 95 % interval"


@command
def compare(
    first: Annotated[str, typer.Argument(help="First version: a motion library or scenario, or a result kept.")],
    second: Annotated[str, typer.Argument(help="Second version: of the same kind.")],
    suite: Annotated[
        str | None, typer.Option(help="What to bench; default: motion with --motion, else getup. Of results: theirs.")
    ] = None,
    motion: Annotated[list[str] | None, typer.Option(help="Motion to play; repeat for several in order.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Pairs of trials per condition.")] = 200,
    first_seed: Annotated[int, typer.Option(min=0, help="First seed.")] = 1000,
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE: an option of the suite; repeat.")] = None,
    of_second: Annotated[list[str] | None, typer.Option(help="NAME=VALUE, of the second version only.")] = None,
    only: Annotated[str, typer.Option(help="Measures to compare by, with commas; default: all.")] = "",
    early: Annotated[bool, typer.Option(help="End after a quarter or half of the seeds where it is worse.")] = False,
    level: Annotated[float, typer.Option(min=1e-6, max=0.5, help="Probability of a wrong verdict by chance.")] = 0.02,
    workers: Annotated[int, typer.Option(min=1, help="Processes; results do not depend on it.")] = 1,
    cluster: Annotated[str | None, typer.Option(help="Dask cluster: tcp://host:port, or local:N.")] = None,
    journal: Annotated[Path | None, typer.Option(help="Keep trials here until it is done.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the journal.")] = False,
    history: Annotated[Path, typer.Option(help="Folder of the history.")] = Path(".andante/history"),
    page: Annotated[Path | None, typer.Option(help="Write the page here (HTML).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare two versions on the same seeds: exit code 0 not worse, 1 worse, 2 bad input."""
    from functools import partial

    from andante.documents.files import write_text
    from andante.pictures.figures import check_kind
    from andante.search.comparison_page import comparison_page
    from andante.search.errors import SearchError
    from andante.search.history import found_bench, load_bench
    from andante.search.measures import chosen
    from andante.search.suite import HowToRun
    from andante.search.suites.registry import load_suite
    from andante.search.versions import compare_kept, compare_now

    check_kind(page, (".html",))
    names = [each.strip() for each in only.split(",") if each.strip()]
    files = [found_bench(name, history) for name in (first, second)]
    about: dict[str, Any] = {"first": first, "second": second}
    if files[0] is not None and files[1] is not None:
        if suite or motion or option or of_second or journal or resume:
            raise SearchError("results were made already", remedy="leave the suite and its options out")
        one, two = (load_bench(path) for path in files if path is not None)
        bench = load_suite(one.suite)
        comparison, pairs = compare_kept(one, two, names, level)
        about |= {"suite": one.suite, **_told("first", one), **_told("second", two)}
        for kind in ("options", "toolchain", "input"):
            about |= _differing(getattr(one, kind), getattr(two, kind))
    elif any(files):
        remedy = "keep both with: andante bench SUITE --save, or name two libraries"
        raise SearchError("one is a result, the other is none", value=(first, second), remedy=remedy)
    else:
        bench = load_suite(suite or ("motion" if motion else "getup"))
        asked = [
            _options(bench, name, seeds, first_seed, motion, given)
            for name, given in ((first, option or []), (second, [*(option or []), *(of_second or [])]))
        ]
        about |= {"suite": bench.name, "seeds": f"{first_seed} to {first_seed + seeds - 1}"}
        how = HowToRun(workers=workers, cluster=cluster, journal=journal, resume=resume, as_json=as_json)
        make = partial(compare_now, bench, asked[0], asked[1], only=names, level=level, early=early)
        comparison, pairs = _made(bench, asked, make, how)
        about |= _differing(dict(asked[0]), dict(asked[1]))
        made = len({seed for each in pairs.values() for seed, _, _ in each})
        if made < seeds:
            about["ended early"] = f"after {made} of {seeds} seeds; sizes of what ended it are rather too large"
    if page is not None:
        text = comparison_page(comparison, pairs, chosen(bench.measures, names), (first, second), about)
        write_text(page, text, follow=False)
    if as_json:
        emit({"suite": bench.name, "about": about, **comparison.data()})
    else:
        _show(comparison, about)
    raise typer.Exit(Exit.FAILED if comparison.outcome == "worse" else Exit.GOOD)


def _options(
    suite: Suite[Any, Any, Any],
    subject: str,
    seeds: int,
    first_seed: int,
    motion: Sequence[str] | None,
    given: Sequence[str],
) -> Options:
    """The options of one version."""
    from typing import get_origin

    from andante.search.errors import SearchError
    from andante.search.suite import read_options

    if not suite.subject:
        raise SearchError("this suite does not bench one library or scenario", value=suite.name)
    fields = suite.options.model_fields
    values: dict[str, Any] = {suite.subject: subject, "seeds": seeds, "first_seed": first_seed}
    if motion:
        if "motion" not in fields:
            raise SearchError("this suite plays no motion of one's choice", place="--motion", value=suite.name)
        values["motion"] = tuple(motion) if get_origin(fields["motion"].annotation) is tuple else motion[0]
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name not in fields or name in (suite.subject, "seeds", "first_seed"):
            legal = [each for each in fields if each not in (suite.subject, "seeds", "first_seed")]
            raise SearchError("no such option of the suite", place="--option", value=name, legal=legal)
        several = get_origin(fields[name].annotation) is tuple
        values[name] = tuple(value.split(",")) if several else value
    found: Options = read_options(suite.options, values)
    return found


def _made(
    suite: Suite[Any, Any, Any],
    asked: Sequence[Options],
    make: Callable[..., tuple[Comparison, Any]],
    how: HowToRun,
) -> tuple[Comparison, Any]:
    """Make the trials and compare; what is done survives an interrupt, where there is a journal."""
    from andante.cli.progress import counting
    from andante.search.executing import executing

    abouts = [suite.about(each) for each in asked]
    about = {**abouts[0], "suite": f"compare {suite.name}", "second": abouts[1]["option"], "also": abouts[1]["input"]}
    inputs = abouts[0]["input"] | abouts[1]["input"]
    with (
        journalled(how, how.journal, about, "--journal") as journal,
        counting(f"compare {suite.name}") as (tell, note),
        executing(how.workers, how.cluster, inputs, note) as executor,
    ):
        return make(executor, journal=journal, tell=tell)


def _told(side: str, bench: Any) -> dict[str, str]:
    """Where a result comes from."""
    return {f"{side} made": f"{bench.saved}, andante {bench.andante}, {bench.commit or 'no commit'}"}


def _differing(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, str]:
    """Options, versions or files in which the two differ."""
    names = dict.fromkeys([*ours, *theirs])
    return {
        name: f"{ours.get(name)}; second: {theirs.get(name)}" for name in names if ours.get(name) != theirs.get(name)
    }


def _show(comparison: Comparison, about: Mapping[str, Any]) -> None:
    print(_HEAD)
    for each in comparison.differences:
        name = f"{each.group}: {each.measure}" if each.group else each.measure
        if each.size is None or each.interval is None:
            print(f"{name:<24}{0:>6}{'no pair tells it':>20}")
            continue
        scale, unit = (1.0, each.unit) if each.unit else (100.0, "points")
        low, high = (scale * end for end in each.interval)
        difference = f"{scale * each.size:+.3g} [{low:+.3g}, {high:+.3g}] {unit}"
        outcome = "" if each.outcome == "no difference" else each.outcome
        print(f"{name:<24}{each.n:>6}{each.first:>10.4g}{each.second:>10.4g}   {difference:<46}{outcome}".rstrip())
    for name, value in about.items():
        if name not in ("first", "second"):
            print(f"{name}: {value}")
    print(f"{comparison.outcome.upper()}: {comparison.why}")

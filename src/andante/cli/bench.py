"""`andante bench SUITE`: many seeds, a table with intervals, JSON. The commands are made from the suites' options."""

from __future__ import annotations

import sys
from functools import partial
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperGroup

from andante.cli.bench_kept import compare, executing, history, journalled
from andante.cli.bench_status import journal_of, names_journal, results_of, tell_status
from andante.cli.output import Commands, answer, asks_json, leave_by, refuse, write_json
from andante.errors import AndanteError
from andante.search.errors import SearchError
from andante.search.suites.registry import load_suite, suite_names, told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic.fields import FieldInfo

    from andante.search.suite import Case, HowToRun, Options, Suite


class _Suites(TyperGroup):
    """The commands of all suites; only the one that is used is imported."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*suite_names(), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if (own := super().get_command(ctx, cmd_name)) is not None:
            return own
        if names_journal(Path(cmd_name)):
            return _journal_command(Path(cmd_name))
        try:
            suite = load_suite(cmd_name)
        except AndanteError as error:
            refuse(str(error), "--json" in sys.argv)
        return suite_command(suite, told(cmd_name))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, told(name)) for name in suite_names()])
        with formatter.section("Results"):
            own = [(name, self.get_command(ctx, name)) for name in super().list_commands(ctx)]
            formatter.write_dl([(name, each.get_short_help_str(100)) for name, each in own])


app = Commands(cls=_Suites, help="Benchmark suites over many seeds.", no_args_is_help=True, rich_markup_mode=None)


app.add("compare")(compare)
app.add("history")(history)


def suite_command(suite: Suite[Any, Any, Any], text: str) -> Any:
    """The command of a suite: an option for each field of its options model, and those that all suites share."""

    from andante.search.suite import HowToRun, read_options

    def bench(**given: Any) -> None:
        how = read_options(HowToRun, {name: given.pop(name) for name in HowToRun.model_fields})
        _bench(suite, read_options(suite.options, given), how)

    parameters = [each for options in (suite.options, HowToRun) for each in _parameters(options)]
    bench.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    bench.__annotations__ = {each.name: each.annotation for each in parameters}
    single = Commands(add_completion=False, rich_markup_mode=None)
    single.add(suite.name, help=text)(bench)
    return typer.main.get_command(single)


def _journal_command(journal: Path) -> Any:
    """The command of a journal in place of a suite: only how far its bench is can be asked."""

    def bench(status: bool = False) -> None:
        """Tell how far the bench of this journal is.

        Args:
            status: Tell it.
        """
        if not status:
            remedy = "--status tells how far it is; its own command goes on with it: --resume"
            raise SearchError("is the journal of a bench, and no suite", place=str(journal), remedy=remedy)
        tell_status(journal, results_of(journal), "its journal")

    single = Commands(add_completion=False, rich_markup_mode=None)
    single.add(journal.name)(bench)
    return typer.main.get_command(single)


def _parameters(options: type[Options]) -> Iterator[Parameter]:
    """One parameter for each field; the model's own before inherited ones, as one would write them."""
    from andante.documents.descriptions import descriptions
    from andante.search.suite import Positional

    texts = descriptions(options)
    own = [name for name in options.__annotations__ if name in options.model_fields]
    for name in [*own, *(each for each in options.model_fields if each not in own)]:
        field = options.model_fields[name]
        kind: Any = field.annotation
        default: Any = Parameter.empty if field.is_required() else field.get_default()
        if get_origin(kind) is tuple and get_args(kind)[-1] is ...:
            each: Any = get_args(kind)[0]
            each = get_args(each)[0] if get_origin(each) is Annotated else each
            kind = list[each]
            default = default if default is Parameter.empty else list(default)
        flag = "--" + (field.alias or name).replace("_", "-")
        if kind is bool and default is True:
            flag += f"/--no-{flag[2:]}"
        info = typer.Option(flag, help=texts.get(name), **_bounds(field))
        if any(isinstance(each, Positional) for each in field.metadata):
            info = typer.Argument(help=texts.get(name))
        yield Parameter(name, Parameter.KEYWORD_ONLY, annotation=Annotated[kind, info], default=default)


def _bounds(field: FieldInfo) -> dict[str, Any]:
    names = (("min", "ge"), ("max", "le"))
    return {ours: getattr(each, name) for each in field.metadata for ours, name in names if hasattr(each, name)}


def _bench(suite: Suite[Any, Any, Any], options: Options, how: HowToRun) -> None:
    """Run the suite and show what it says; what is done survives whatever ends it, where there is a journal."""
    from dataclasses import replace

    from andante.cli.progress import counting
    from andante.search.experiment.trial import run_trial

    if lines := suite.listing(options):
        answer({"listing": lines}, lines)
        return
    if how.status:
        tell_status(journal_of(how), how.out, "--out or --journal", resume=how.resume)
        return
    if how.out is not None and how.out.is_dir():
        raise SearchError("is a folder, and results are one file", place="--out", value=str(how.out))
    if how.out is not None and how.journal is not None and how.out.absolute() == how.journal.absolute():
        # The journal goes when all is done, and the results with it.
        raise SearchError("results and journal are two files", place="--journal", value=str(how.journal))
    if how.save:
        from andante.search.history import refuse_unwritable

        refuse_unwritable(how.history)
    path = journal_of(how)
    files = suite.files(options)
    about, lost = partial(suite.about, options, files), "; nothing is kept without --out or --journal"
    with journalled(how, path, about, "--out or --journal", lost) as journal:
        cases = suite.cases(options)
        if not asks_json():
            for told in _notes(cases):
                print(f"note: {told}")
        with (
            counting(f"bench {suite.name}") as (tell, note),
            executing(how, files, note) as executor,
        ):
            found = suite.made(cases, executor, journal, tell)
            report = suite.report(options, suite.merged(cases, found))
            if how.twins:
                from andante.search.judging.beside import beside_twins

                def make(more: Sequence[Case[Any]]) -> Mapping[str, Any]:
                    return replace(suite, trial=run_trial).made(more, executor, journal, tell)

                report = beside_twins(suite, options, report, found, make)
        for file, write in report.files.items():
            write(file)
        write_json(how.out, report.data())
        if how.save:
            from andante.search.history import save_bench

            saved = save_bench(how.history, suite, options, cases, found, report)
        # Before the journal goes: where nobody can be told, it is all that is left of hours.
        answer(report.data(), [*report.lines(), *([f"kept: {saved}"] if how.save else [])], flush=True)
    leave_by(report.passed)


def _notes(cases: Sequence[Case[Any]]) -> Sequence[str]:
    """What a person should be told before trials: that motions of one robot are played by another."""
    from andante.runs.scenario import Scenario
    from andante.runs.task import binding_note
    from andante.search.experiment.trial import TrialSetup

    setups = {case.group: case.setup for case in cases if isinstance(case.setup, TrialSetup)}
    # Walks are made for their robot; only scenarios play motions, and have them without a seed.
    told = (binding_note(each.base) for each in setups.values() if isinstance(each.base, Scenario))
    return tuple(dict.fromkeys(filter(None, told)))

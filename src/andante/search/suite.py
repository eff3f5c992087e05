"""Suite: what a benchmark is asked, which trials it makes, and what their results say.

A suite is a record of functions. The command line is made from its options model, the trials run on any executor, and
what it reports depends on options and results alone. A new suite is one file and one line in
`andante.search.suites.registry`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from andante.kernels.lazy import compile_all
from andante.search.errors import SearchError
from andante.search.executor import Executor, closed
from andante.search.journal import AT, RUNS_ON, StudyJournal, fingerprints, now
from andante.search.limits import Ended, TrialLimits
from andante.search.measure import Measure
from andante.search.rows import Row, row_lines
from andante.search.toolchain import toolchain
from andante.search.work import Known
from andante.version import __version__

if TYPE_CHECKING:
    import pandas

Count = Annotated[int, Field(ge=1)]
"""A number of something, at least one."""
SeedCount = Annotated[int, Field(ge=1, le=1_000_000)]
"""A number of seeds, as experiments have it."""
LAST_SEED = 2**32 - 1
"""The largest seed, as scenarios have it: what a larger one gave could be run by nobody again."""
Seed = Annotated[int, Field(ge=0, le=LAST_SEED)]
"""A seed."""
_LAST_SETUP: list[tuple[Any, str]] = []
"""The setup that was written as JSON last, and its text; setups are immutable."""
_MANY = 8
"""So many trials are worth loading machine code for at once; fewer begin as Python."""


class Positional:
    """Marks the option that is given without its name on the command line."""


class Options(BaseModel):
    """What a suite is asked; each field is an option of its command, its docstring the help.

    Fields that say only where something is written, or that do not change a result, are excluded (``exclude=True``):
    a bench may be resumed with others.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    subject: ClassVar[str] = ""
    """The option that names what is benched, a motion library or a scenario; empty: there is no one option."""
    conditions: ClassVar[tuple[str, ...]] = ()
    """Options in which two benches must agree to be compared."""

    def about(self, *names: str) -> dict[str, Any]:
        """Values of some fields by name, for the JSON object of a report."""
        return {name: getattr(self, name) for name in names}


class SeededOptions(Options):
    """Options of suites that run each case with many seeds."""

    seeds: SeedCount = 20
    """Number of seeds."""
    first_seed: Seed = 0
    """First seed."""


class HowToRun(Options):
    """Options of every suite that change no result."""

    workers: Count = 1
    """Processes; results do not depend on it."""
    cluster: str | None = None
    """Run on a Dask cluster: tcp://host:port of its scheduler, or local:N for N processes here."""
    trial_limit: Annotated[float | None, Field(ge=1.0, allow_inf_nan=False)] = None
    """End a trial after so long [s], without what a busy machine costs: it is named, and no success; default: never."""
    trial_memory: Annotated[float | None, Field(ge=0.5, allow_inf_nan=False)] = None
    """End a trial whose process uses more memory [GB]; default: never."""
    out: Path | None = None
    """Write the JSON object here too."""
    journal: Path | None = None
    """Keep results here until the bench is done; default: beside --out."""
    resume: bool = False
    """Go on with the journal of an interrupted bench."""
    twins: bool = False
    """Run every trial in MuJoCo's other settings of the solver, too, and tell how far verdicts and figures go."""
    status: bool = False
    """Tell how far the bench is, also while it runs in another terminal; SUITE may be its journal."""
    save: bool = False
    """Keep every result in the history."""
    history: Path = Path(".andante/history")
    """Folder of the history."""

    @property
    def limits(self) -> TrialLimits:
        """What a trial may take."""
        return TrialLimits(self.trial_limit, None if self.trial_memory is None else 1e9 * self.trial_memory)


O = TypeVar("O", bound=Options)  # noqa: E741
Setup = TypeVar("Setup")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Case(Generic[Setup]):
    """One trial to make; picklable."""

    group: str
    """Which results it belongs to, a few words."""
    setup: Setup
    """What is tried: a dataclass or model of plain data."""
    seed: int
    """Seed of the trial."""

    def __post_init__(self) -> None:
        """Refuse a seed that no scenario may have.

        Raises:
            SearchError: It is too large.
        """
        if self.seed > LAST_SEED:
            remedy = "begin earlier, with --first-seed, or ask for fewer"
            raise SearchError(
                "a seed is too large", place=str(self), value=self.seed, limit=f"{LAST_SEED}", remedy=remedy
            )

    def __str__(self) -> str:
        return f"{self.group}, seed {self.seed}" if self.group else f"seed {self.seed}"

    @property
    def key(self) -> str:
        """Tells the trial by its content: equal setups and seeds have equal keys in any process, at any time."""
        return hashlib.sha256(f"[{_setup_text(self.setup)}, {self.seed}]".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class BenchReport:
    """What the results say."""

    suite: str
    """Name of the suite."""
    rows: Sequence[Row]
    """The figures."""
    about: Mapping[str, Any]
    """Plain data: what was asked and every trial; ``failures``, if there, is a list of seeds with reasons."""
    text: Sequence[str] = ()
    """Lines for people below the rows."""
    shown: Sequence[Row] | None = None
    """Rows for people; None: all."""
    files: Mapping[Path, Callable[[Path], object]] = field(default_factory=dict)
    """Pictures and tables that were asked for, and what writes each."""
    evidence: str = "simulation"
    """What the results rest on, see `andante.runs.backends.kind.EVIDENCE`."""

    @property
    def where(self) -> str:
        """The evidence as a sentence for people."""
        return f"All results {'in' if self.evidence.startswith('simulation') else 'from a'} {self.evidence}."

    @property
    def passed(self) -> bool:
        """No row misses what was asked."""
        return not any(row.ok is False for row in self.rows)

    def lines(self) -> Iterator[str]:
        """What a person reads: rows, a table's lines, what it rests on, and why trials failed."""
        yield from row_lines(self.rows if self.shown is None else self.shown)
        yield from self.text
        yield self.where
        for failure in self.about.get("failures", []):
            yield f"seed {failure['seed']}: {'; '.join(failure['reasons'])}"

    def frame(self) -> pandas.DataFrame:
        """The figures as a table: value, unit, trials, interval, what was asked and whether it is met, by name.

        Raises:
            LogError: pandas is not installed.
        """
        # Benches that are printed need neither pandas nor logs.
        from andante.runs.logs.log import pandas_of

        rows = [
            asdict(row) | dict(zip(("low", "high"), row.interval or (None, None), strict=True)) for row in self.rows
        ]
        columns = ["value", "unit", "n", "low", "high", "asked", "ok"]
        return pandas_of().DataFrame(rows).set_index("name")[columns]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        missed = [row.name for row in self.rows if row.ok is False]
        told = f"missed: {', '.join(missed)}" if missed else "nothing that was asked is missed"
        return f"<BenchReport {self.suite}: {len(self.rows)} figures; {told}>"

    def _repr_html_(self) -> str:
        """The lines for notebooks, in columns."""
        import html

        return f"<pre>{html.escape(str(self))}</pre>"

    def data(self) -> dict[str, Any]:
        """The JSON object."""
        return {
            "suite": self.suite,
            "evidence": self.evidence,
            **self.about,
            "rows": [asdict(row) for row in self.rows],
        }


@dataclass(frozen=True)
class Suite(Generic[O, Setup, Result]):
    """A benchmark suite."""

    name: str
    """Name of its command."""
    options: type[O]
    """What it can be asked."""
    result: Any
    """Type of a result: what pydantic writes as JSON and reads back without loss."""
    cases: Callable[[O], Sequence[Case[Setup]]]
    """The trials of options; raises `AndanteError` for what cannot be run."""
    trial: Callable[[Setup, int], Result]
    """Makes one trial of setup and seed; a module-level function, so that other processes can."""
    report: Callable[[O, Mapping[str, Sequence[Result]]], BenchReport]
    """What the results, by group in the order of the cases, say."""
    listing: Callable[[O], Sequence[str]] = lambda options: ()
    """Lines that the options ask for in place of a bench; none: bench."""
    measures: Sequence[Measure] = ()
    """What two versions are compared by; none: they cannot be compared."""
    document: str = ""
    """SHA-256 of the document that it was made from; empty: there is none."""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """What decides its trials in that document, plain data; empty: there is none."""
    experiments: Callable[[O], Sequence[Any]] = lambda options: ()
    """The experiments that the options ask for, one for each table; none: it is no experiment."""
    inputs: Callable[[Any], Iterable[str]] = lambda experiment: ()
    """Names of the files that one of these reads."""
    ended: Callable[[Setup, int, str], Result] | None = None
    """What a trial of setup and seed counts as that was ended at a limit, with the reason; None: it leaves no table."""

    def run(
        self,
        options: O,
        executor: Executor,
        journal: StudyJournal | None = None,
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> BenchReport:
        """Make all trials and report; the same bytes on any executor, and after any interruption.

        Args:
            options: What is asked.
            executor: What runs the trials.
            journal: Keeps results as they come; what it holds is not run again.
            tell: Is told how many trials are done, of how many.

        Raises:
            AndanteError: Something cannot be run as asked.
        """
        cases = self.cases(options)
        return self.report(options, self.merged(cases, self.made(cases, executor, journal, tell)))

    def made(
        self,
        cases: Sequence[Case[Setup]],
        executor: Executor,
        journal: StudyJournal | None = None,
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> dict[str, Any]:
        """Plain data of the results by key; cases of the same key are made once. See `run`."""
        by_key = {case.key: case for case in cases}
        found: dict[str, Any] = {} if journal is None else {k: v for k, v in journal.results.items() if k in by_key}
        waiting = [key for key in by_key if key not in found]
        done = len(by_key) - len(waiting)
        tell(done, len(by_key))
        if journal is not None:
            journal.ask({key: case.group for key, case in by_key.items()})
        if len(waiting) >= _MANY:
            compile_all()
        jobs = Known((by_key[key] for key in waiting), lambda case: case.group)
        late: set[str] = set()

        def counted(case: Case[Setup], ended: Ended) -> Result:
            late.add(case.key)
            if journal is not None:
                journal.note_ended(case.group)
            return self.ended(case.setup, case.seed, ended.why)  # type: ignore[misc]

        instead = None if self.ended is None else counted
        with closed(executor.stream(partial(_run, self.trial), jobs, instead)) as results:
            for number, result in results:
                key, data = jobs.drawn[number].key, to_jsonable_python(result, inf_nan_mode="constants")
                # What was ended by the clock is tried again by whoever goes on, perhaps with another limit.
                if journal is not None and key not in late:
                    case = by_key[key]
                    journal.add(key, data, {"case": case.group, "good": self.succeeds(result), AT: now()})
                found[key] = data
                done += 1
                tell(done, len(by_key))
        return found

    def succeeds(self, result: Result) -> bool | None:
        """Whether a trial succeeded: by what versions are compared by, else by its verdict; None: it does not tell."""
        for measure in self.measures:
            if measure.succeeds:
                value = measure.value(result)
                return value if isinstance(value, bool) else None
        passed = getattr(result, "passed", None)
        return passed if isinstance(passed, bool) else None

    def files(self, options: O) -> dict[str, str]:
        """SHA-256 of the files that trials of these options read, by name.

        Raises:
            AndanteError: The options ask for no experiment that can be read.
        """
        asked = options.model_dump(mode="json")
        texts = (text for value in asked.values() for text in (value if isinstance(value, list) else [value]))
        read = (name for each in self.experiments(options) for name in self.inputs(each))
        return fingerprints([*(text for text in texts if isinstance(text, str)), *read])

    def about(self, options: O, files: Mapping[str, str] | None = None) -> dict[str, Any]:
        """What a journal must be about to go on with these options.

        Args:
            options: The options.
            files: See `files`; None: they are read.

        Raises:
            AndanteError: The options ask for no experiment that can be read.
        """
        inputs = self.files(options) if files is None else dict(files)
        asked = options.model_dump(mode="json")
        about = {"andante": __version__, "suite": self.name, "option": asked, "input": inputs, RUNS_ON: toolchain()}
        return about | ({"document": self.document} if self.document else {})

    def merged(self, cases: Sequence[Case[Setup]], found: Mapping[str, Any]) -> dict[str, list[Result]]:
        """Results by group. All went through JSON, so that those that were resumed are like the others to the bit."""
        groups: dict[str, list[Result]] = {}
        for case in cases:
            groups.setdefault(case.group, []).append(self.read(found[case.key]))
        return groups

    def read(self, data: Any) -> Result:
        """A result from its plain data.

        Raises:
            ValidationError: The data is none of this suite.
        """
        result: Result = _codec(self.result).validate_python(data)
        return result


def read_options(model: type[O], values: Mapping[str, Any]) -> O:
    """Options from values by name.

    Raises:
        SearchError: A value is not legal; the first one is named.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else ""
        raise SearchError(first["msg"], place=place, value=first["input"]) from None


def seeded(setups: Iterable[tuple[str, Setup]], first_seed: int, seeds: int) -> list[Case[Setup]]:
    """Each setup, by group, with each seed."""
    return [Case(group, setup, seed) for group, setup in setups for seed in range(first_seed, first_seed + seeds)]


Name = TypeVar("Name", bound=str)


def names_of(text: str, legal: Iterable[Name], option: str) -> tuple[Name, ...]:
    """Known names from a list with commas, each at most once.

    Raises:
        SearchError: A name is unknown or repeated.
    """
    known = {str(name): name for name in legal}
    words = [word.strip() for word in text.split(",")]
    for number, word in enumerate(words):
        if word not in known:
            raise SearchError(f"there is no such {option[2:]}", place=option, value=word, legal=known)
        if word in words[:number]:
            raise SearchError("is named twice", place=option, value=word)
    return tuple(known[word] for word in words)


def _setup_text(setup: Any) -> str:
    """A setup as JSON; that of the last one is kept, since the cases of a group share theirs."""
    last = next(iter(_LAST_SETUP), None)
    if last is None or last[0] is not setup:
        last = setup, json.dumps(to_jsonable_python(setup, inf_nan_mode="constants"), sort_keys=True)
        _LAST_SETUP[:] = [last]
    return last[1]


@lru_cache(maxsize=64)
def _codec(result: Any) -> TypeAdapter[Any]:
    return TypeAdapter(result)


def _run(trial: Callable[[Setup, int], Result], case: Case[Setup]) -> Result:
    return trial(case.setup, case.seed)

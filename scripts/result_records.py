"""Records of measured figures: one YAML file per row of an issue's table, ``results/ISSUE/ROW.yaml``.

A record has what was asked and measured, as text and as figures that can be compared, the verdict, and what reproduces
it. ``results/ISSUE/issue.yaml`` has the issue's title. One file per row: branches that measure different rows merge.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from andante.errors import AndanteError
from andante.search.rows import Row
from andante.search.statistics import wilson

Verdict = Literal["met", "missed", "open"]
"""Whether a row has what was asked; open: not, or not wholly, measured."""

NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
"""What a row may be called: its file's name."""
_FIGURE = re.compile(
    r"(?P<name>[^=<>]+?)\s*=\s*(?P<value>[-+.\deE]+)(?:/(?P<of>\d+))?\s*(?P<unit>[^<>=]*?)\s*"
    r"(?:(?P<how>>=|<=)\s*(?P<limit>[-+.\deE]+)\s*(?P<percent>%)?)?"
)


class ResultsError(AndanteError):
    """A record or a figure that cannot be used."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


_M = TypeVar("_M", bound=_Model)


class Figure(_Model):
    """One number of a row: a value, or a share of trials."""

    name: str = Field(min_length=1)
    """What it is, a few words."""
    value: float | None = None
    """The number, for all but shares."""
    passed: int | None = Field(None, ge=0)
    """Trials that did what was asked, for shares."""
    of: int | None = Field(None, ge=1)
    """Trials in all, for shares."""
    unit: str = ""
    """Unit of the value; empty for shares and counts."""
    at_least: float | None = None
    """Lowest number that is asked for; 0..1 for shares."""
    at_most: float | None = None
    """Highest number that is asked for; 0..1 for shares."""

    @model_validator(mode="after")
    def _one_number(self) -> Self:
        share = self.passed is not None and self.of is not None
        if share == (self.value is not None) or (self.passed is None) != (self.of is None):
            raise ValueError(f"figure {self.name!r} needs either a value, or passed and of")
        if self.passed is not None and self.of is not None and self.passed > self.of:
            raise ValueError(f"figure {self.name!r} has {self.passed} passed of {self.of}")
        if share and any(limit is not None and not 0 <= limit <= 1 for limit in (self.at_least, self.at_most)):
            raise ValueError(f"figure {self.name!r} is a share: its limits are 0..1")
        for number in (self.value, self.at_least, self.at_most):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"figure {self.name!r} has a number that is {number}")
        return self

    @property
    def number(self) -> float:
        """The value, or the share 0..1."""
        if self.passed is not None and self.of is not None:
            return self.passed / self.of
        return float(self.value or 0.0)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of a share, 0..1; None for values."""
        return None if self.passed is None or self.of is None else wilson(self.passed, self.of)

    @property
    def holds(self) -> bool | None:
        """Whether the number keeps its limits; None where it has none."""
        if self.at_least is None and self.at_most is None:
            return None
        low = self.at_least is None or self.number >= self.at_least
        return low and (self.at_most is None or self.number <= self.at_most)

    def __str__(self) -> str:
        if (interval := self.interval) is not None:
            return f"{self.name} {self.passed} of {self.of} [{interval[0]:.3f}, {interval[1]:.3f}]"
        return f"{self.name} {self.value:g} {self.unit}".rstrip()


class Record(_Model):
    """One row: what was asked, what was measured, and how to measure it again."""

    what: str = Field(min_length=1)
    """What the row is about."""
    asked: str
    """What the issue asks, as text."""
    measured: str = ""
    """What was measured, as text; empty where nothing was."""
    figures: tuple[Figure, ...] = ()
    """The numbers of it that can be compared."""
    verdict: Verdict
    """Whether it has what was asked."""
    why: str = ""
    """Why it is open or missed; needed where the figures do not say it."""
    command: str = ""
    """What reproduces it, from the repository's root."""
    seeds: str = ""
    """Seeds, such as ``95000..95003``; ``-`` where there are none."""
    date: datetime.date | None = None
    """Day of the measurement."""
    commit: str = ""
    """Commit of the code that was measured."""
    code: Mapping[str, str] = Field(default_factory=dict)
    """Paths the figure depends on, each with git's hash of its content at that commit (12 digits), or ``absent``."""
    kept: str = ""
    """Why the figure holds for newer code, whose hashes ``code`` has then; empty where it is of ``commit``."""
    notes: str = ""
    """Page and heading of the notebook with attempts and causes."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        found = verdict_of(self.figures)
        if self.verdict == "met" and found == "missed":
            wrong = next(str(figure) for figure in self.figures if figure.holds is False)
            raise ValueError(f"verdict is met, but a figure misses its limit: {wrong}")
        if not self.why and (self.verdict == "open" or (self.verdict == "missed" and found != "missed")):
            raise ValueError(f"verdict is {self.verdict}: `why` must say what is lacking")
        if self.measured:
            lacking = [name for name in ("command", "date", "commit", "code") if not getattr(self, name)]
            if lacking:
                raise ValueError(f"a measured row needs {', '.join(lacking)}")
        elif self.verdict != "open":
            raise ValueError(f"verdict is {self.verdict}, but nothing is measured")
        return self


class Issue(_Model):
    """What stands above an issue's rows."""

    title: str
    """Title of the issue."""
    about: str = ""
    """What all its rows share, in a few sentences."""


@dataclass(frozen=True)
class Section:
    """An issue and its records by name."""

    number: int
    """Number of the issue."""
    issue: Issue
    """Its title."""
    rows: Mapping[str, Record]
    """Its records by name, in order of names."""

    def with_verdict(self, verdict: Verdict) -> dict[str, Record]:
        """The rows with one verdict."""
        return {name: row for name, row in self.rows.items() if row.verdict == verdict}


def verdict_of(figures: Sequence[Figure]) -> Verdict | None:
    """What figures say: missed where one misses its limit, met where all keep theirs; None without limits."""
    held = [figure.holds for figure in figures if figure.holds is not None]
    return None if not held else "met" if all(held) else "missed"


def parse_figure(text: str) -> Figure:
    """A figure from ``NAME = 13.4 cm/s >= 13`` or ``NAME = 39/40 >= 97%``; the limit may be left out.

    Raises:
        ResultsError: Text of another form, or numbers that do not fit together.
    """
    found = _FIGURE.fullmatch(text.strip())
    if found is None:
        raise ResultsError("not a figure", value=text, limit="'NAME = 13.4 cm/s >= 13' or 'NAME = 39/40 >= 97%'")
    try:
        limit = None if found["limit"] is None else float(found["limit"]) / (100 if found["percent"] else 1)
        limits = {} if limit is None else {"at_least" if found["how"] == ">=" else "at_most": limit}
        number: dict[str, Any] = {"value": float(found["value"]), "unit": found["unit"]}
        if found["of"] is not None:
            number = {"passed": int(found["value"]), "of": int(found["of"]), "unit": found["unit"]}
        return Figure.model_validate({"name": found["name"], **number, **limits})
    except ValidationError as error:
        raise ResultsError(reason(error), value=text) from None
    except ValueError as error:
        raise ResultsError(f"not a figure: {error}", value=text) from None


def bench_figures(report: Mapping[str, Any], names: str = "*") -> tuple[Figure, ...]:
    """The figures of a bench's JSON object, with the limits that the bench compares them with.

    Args:
        report: What ``andante bench SUITE --out FILE`` wrote.
        names: Pattern of the names that are taken, as in a shell.

    Raises:
        ResultsError: Not such an object, or no row of that name.
    """
    rows = report.get("rows") if isinstance(report, Mapping) else None
    if not isinstance(rows, list):
        raise ResultsError("not the JSON object of a bench", value=type(report).__name__, limit="an object with rows")
    found = []
    for row in rows:
        if not fnmatchcase(row["name"], names):
            continue
        bars = [re.fullmatch(r"(>=|<=)?\s*([-+.\deE]+)", bar) for bar in row["asked"].split(" and ")]
        limits = {"at_least" if bar[1] == ">=" else "at_most": float(bar[2]) for bar in bars if bar is not None}
        number = {"value": row["value"], "unit": row["unit"]}
        ok, within = row.get("ok"), row["interval"]
        counted = Row(row["name"], row["value"], row["unit"], row["asked"], ok, row["n"], within).counted
        if counted is not None:
            number = {"passed": counted, "of": row["n"]}
        found.append(Figure.model_validate({"name": row["name"], **number, **limits}))
    if not found:
        raise ResultsError("no row of the bench has such a name", value=names, legal=[row["name"] for row in rows])
    return tuple(found)


def reason(error: ValidationError) -> str:
    """What is wrong with a record, in a line."""
    wrong = error.errors()[0]
    place = ".".join(str(part) for part in wrong["loc"])
    text = wrong["msg"].removeprefix("Value error, ")
    return f"{place}: {text}" if place else text


def _read(path: Path, kind: type[_M]) -> _M:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ResultsError(f"cannot be read: {' '.join(str(error).split())}", place=str(path)) from None
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise ResultsError(reason(error), place=str(path)) from None


class _Line(dict[str, Any]):
    """A mapping that is written on one line."""


class _Dumper(yaml.SafeDumper):
    """YAML of a record: a line for each figure."""


_Dumper.add_representer(
    _Line, lambda dumper, line: dumper.represent_mapping("tag:yaml.org,2002:map", line.items(), flow_style=True)
)


def _write(path: Path, data: _Model) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = data.model_dump(exclude_defaults=True)
    if "figures" in plain:
        plain["figures"] = [_Line(figure) for figure in plain["figures"]]
    text = yaml.dump(plain, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    path.write_text(text, encoding="utf-8")


def read_record(path: Path) -> Record:
    """One record.

    Raises:
        ResultsError: A file that is no record; the message names file and field.
    """
    return _read(path, Record)


def write_record(path: Path, record: Record) -> None:
    """Write a record; what is empty is left out."""
    _write(path, record)


def write_issue(path: Path, issue: Issue) -> None:
    """Write an issue's title."""
    _write(path, issue)


def read_sections(folder: Path) -> list[Section]:
    """All issues and their rows, by number and name.

    Raises:
        ResultsError: A file or a folder that does not belong there, or that is no record.
    """
    sections = []
    for each in sorted(folder.iterdir()):
        if not each.is_dir() or not each.name.isdigit():
            raise ResultsError("not a folder of an issue", value=each.name, limit="results/NUMBER", place=str(each))
        if not (each / "issue.yaml").is_file():
            raise ResultsError("an issue has no title", value=each.name, limit="a file issue.yaml", place=str(each))
        rows = {}
        for file in sorted(each.iterdir()):
            if file.suffix != ".yaml" or not NAME.fullmatch(file.stem):
                limit = "ROW.yaml of small letters, digits, '-' and '.'"
                raise ResultsError("not a record", value=file.name, limit=limit, place=str(file))
            if file.name != "issue.yaml":
                rows[file.stem] = read_record(file)
        sections.append(Section(int(each.name), _read(each / "issue.yaml", Issue), rows))
    return sorted(sections, key=lambda section: section.number)

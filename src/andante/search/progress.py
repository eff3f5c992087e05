"""How far a bench is, from its journal alone: read by anybody at any time, also while it is written."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes, read_head
from andante.documents.part import Part
from andante.documents.problems import DocumentError
from andante.runs.logs.folder import held
from andante.search.errors import SearchError
from andante.search.journal import ASKED, AT, ENDED, FORMAT, MOST_BYTES, RUNS_ON, journal_line
from andante.search.rows import Row, share_row
from andante.search.toolchain import SOURCE, toolchain
from andante.version import __version__

_HEAD, _RESULTS = 500, re.compile(rb'\{\s*"suite":\s*"([^"]+)"')
"""So many bytes of results say of which suite they are, and how [bytes]."""


class CaseLook(Part):
    """How far one case of a bench is: what one line of its table is about."""

    case: str
    """Its name; empty where there is only one."""
    asked: int | None
    """Trials that are asked for; None: an earlier version's journal does not tell."""
    made: int
    """Trials that are made."""
    ended: int
    """Trials that were ended at a limit since the bench was begun, or gone on with; they are no success."""
    judged: int
    """Trials, those that were ended with them, of which it is known whether they succeeded."""
    good: int
    """Trials that succeeded."""

    @property
    def row(self) -> Row | None:
        """Share of successes so far with its 95 % interval; None: of no trial it is known."""
        if not self.judged:
            return None
        outcomes = [True] * self.good + [False] * (self.judged - self.good)
        return share_row(self.case or "success", outcomes)


class BenchLook(Part):
    """What a look at the journal of a bench tells, without taking anything from whoever writes it."""

    journal: Path
    """The journal."""
    suite: str
    """What is benched."""
    andante: str
    """Version of Andante that began it."""
    option: dict[str, Any]
    """What it was asked."""
    runs: bool
    """Whether a process works at it."""
    cases: tuple[CaseLook, ...]
    """How far each case is."""
    since: float | None
    """When the process that runs it, or ran it last, began with trials: seconds since 1970; None: unknown."""
    last: float | None
    """When the last trial was done."""
    lately: int
    """Trials that this process has done."""
    unread: tuple[int, ...]
    """Numbers of lines that are none of a journal; `--resume` refuses it for them."""
    differs: tuple[str, ...]
    """In what this Andante differs from the one that began it; only that one can go on with it."""
    now: float
    """When it was looked at: seconds since 1970."""

    @property
    def made(self) -> int:
        """Trials that are made."""
        return sum(each.made for each in self.cases)

    @property
    def ended(self) -> int:
        """Trials that were ended at a limit."""
        return sum(each.ended for each in self.cases)

    @property
    def asked(self) -> int | None:
        """Trials that are asked for; None: unknown."""
        counts = [each.asked for each in self.cases if each.asked is not None]
        return sum(counts) if counts else None

    @property
    def waiting(self) -> int | None:
        """Trials that are to be made; None: unknown."""
        return None if self.asked is None else max(self.asked - self.made - self.ended, 0)

    @property
    def rate(self) -> float:
        """Trials per second of the process that runs it, or that ran it last; 0: it has made none, or nobody knows."""
        return 0.0 if self.since is None or self.last is None else pace(self.lately, self.since, self.last)

    @property
    def left(self) -> float | None:
        """Time until all trials are made at the present rate [s]; None: unknown."""
        return None if self.waiting is None or self.rate <= 0.0 else self.waiting / self.rate

    @property
    def rows(self) -> list[Row]:
        """Successes so far of each case that has any trial."""
        return [row for row in (each.row for each in self.cases) if row is not None]

    def data(self) -> dict[str, Any]:
        """The JSON object."""
        told = ("made", "ended", "asked", "waiting", "rate", "left")
        cases = [
            {**each.model_dump(mode="json"), "share": row and row.value, "interval": row and row.interval}
            for each, row in ((each, each.row) for each in self.cases)
        ]
        return {
            "done": False,
            **self.model_dump(mode="json"),
            **{name: getattr(self, name) for name in told},
            "cases": cases,
        }

    def head(self) -> Iterator[str]:
        """The lines above the successes, for people."""
        yield f"bench {self.suite}: {'runs' if self.runs else 'does not run: it was ended before its end'}"
        ago = "" if self.last is None else f", the last one {ago_words(self.now - self.last)} ago"
        rate = f"; {self.rate:.2g} trials per s" if self.rate > 0.0 else ""
        if not self.made:
            yield f"not a trial is made yet{'' if self.asked is None else f', of {self.asked}'}"
        elif self.asked is None:
            yield f"{self.made} trials{ago}; an earlier version's journal does not tell how many are asked for"
        else:
            yield f"{self.made} of {self.asked} trials{ago}{rate}"
        if self.ended:
            yield f"{self.ended} more were ended at a limit: no success; --resume tries them again"

    def foot(self) -> Iterator[str]:
        """The lines below them: what is next, and what is odd."""
        if self.waiting:
            yield f"next: {self.waiting} trials{'' if self.left is None else f', {ago_words(self.left)} at this rate'}"
        elif self.waiting == 0:
            yield "next: its results are told and written; all trials are made"
        if self.unread:
            more = f" and {len(self.unread) - 1} more" if len(self.unread) > 1 else ""
            yield f"line {self.unread[0]}{more} is broken: delete it, what it told is made again"
        if self.runs:
            return
        if self.differs:
            yield f"only what began it goes on with it: {'; '.join(self.differs)}"
        else:
            yield "go on with --resume"


@budgeted(place="path", error=SearchError)
def look(path: Path) -> BenchLook:
    """Look at the journal of a bench; nothing is written, and no process that works at it is held up.

    Raises:
        SearchError: It is no journal of a bench.
    """
    try:
        # Asked before it is read, so that what is told as the last of a bench that has ended is its last.
        runs = held(path)
        raw = read_bytes(path, max_bytes=MOST_BYTES)
    except DocumentError as error:
        raise SearchError(str(error)) from error
    # The last line may be half written.
    lines = raw[: raw.rfind(b"\n") + 1].splitlines()
    about = _first(path, lines[0] if lines else b"")
    told = _Told()
    for number, line in enumerate(lines[1:], start=2):
        try:
            told.take(journal_line(line, f"{path}:{number}"))
        except (DocumentError, ValueError, KeyError, TypeError, AttributeError):
            told.unread.append(number)
    return BenchLook(
        journal=path,
        suite=str(about["suite"]),
        andante=str(about.get("andante", "")),
        option=dict(about.get("option") or {}),
        runs=runs,
        cases=tuple(told.cases()),
        since=told.since,
        last=told.last,
        lately=told.lately,
        unread=tuple(told.unread),
        differs=() if runs else tuple(_differs(about)),
        now=time.time(),
    )


def _first(path: Path, line: bytes) -> Mapping[str, Any]:
    """What the first line says.

    Raises:
        SearchError: It is none of a journal, or one of a study's.
    """
    try:
        about = journal_line(line, f"{path}:1")
    except (DocumentError, ValueError):
        about = {}
    if about.get("format") != FORMAT:
        raise SearchError("is no journal of a bench", place=str(path))
    if "suite" not in about:
        remedy = f"ask: andante optimise {path.parent} --status"
        raise SearchError("is the journal of a study, not of a bench", place=str(path), remedy=remedy)
    return about


def _differs(about: Mapping[str, Any]) -> Iterator[str]:
    then, here = {"andante": about.get("andante"), **dict(about.get(RUNS_ON) or {})}, toolchain()
    for name, value in then.items():
        now = __version__ if name == "andante" else here.get(name)
        if now != value:
            yield "its code, which was changed since" if name == SOURCE else f"{name} {value}, {now} here"


class _Told:
    """What the lines of a journal tell together."""

    def __init__(self) -> None:
        self.since: float | None = None
        self.last: float | None = None
        self.lately = 0
        self.unread: list[int] = []
        self._asked: Counter[str] = Counter()
        self._made: dict[str, tuple[str, bool | None]] = {}
        self._ended: Counter[str] = Counter()

    def take(self, data: Mapping[str, Any]) -> None:
        """Take a line.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: It is none of a journal.
        """
        if ASKED in data:
            if not data["more"]:
                # A bench that is gone on with asks for everything anew, and its pace is another one.
                self._asked, self._ended = Counter(), Counter()
                self.since, self.last, self.lately = float(data[AT]), None, 0
            self._asked.update({str(case): int(count) for case, count in data[ASKED].items()})
            return
        if ENDED in data:
            self._ended[str(data[ENDED])] += 1
        else:
            result = data["result"]
            # A journal of an earlier version tells of no case, and a verdict only where the result has one.
            good = data["good"] if "good" in data else result.get("passed") if isinstance(result, dict) else None
            self._made[str(data["key"])] = (str(data.get("case", "")), good if isinstance(good, bool) else None)
        if AT in data:
            self.last, self.lately = float(data[AT]), self.lately + 1

    def cases(self) -> Iterator[CaseLook]:
        """How far each case is, as they were asked for."""
        made = Counter(case for case, _ in self._made.values())
        judged = Counter(case for case, good in self._made.values() if good is not None)
        good = Counter(case for case, good in self._made.values() if good)
        # A journal may hold more than is asked for now, as trials of --twins; one of an earlier version asks nothing.
        for case in self._asked or made:
            ended = self._ended[case]
            yield CaseLook(
                case=case,
                asked=self._asked.get(case),
                made=made[case],
                ended=ended,
                judged=judged[case] + ended,
                good=good[case],
            )


def suite_of_results(path: Path) -> str:
    """Which suite made the results in a file that a bench has written.

    Raises:
        SearchError: It holds no results of a bench.
    """
    try:
        found = _RESULTS.match(read_head(path, _HEAD))
    except DocumentError as error:
        raise SearchError(str(error)) from error
    if found is None:
        raise SearchError("holds no results of a bench", place=str(path))
    return found[1].decode(errors="replace")


def pace(count: int, since: float, last: float) -> float:
    """So many in a time as a rate per second; 0 where the clock was set back meanwhile.

    Args:
        count: How many.
        since: Begin: seconds since 1970.
        last: End: seconds since 1970.
    """
    return 0.0 if last < since else count / max(last - since, 1e-3)


def ago_words(seconds: float) -> str:
    """A length of time in the unit that people would choose."""
    for size, unit in ((3600.0, "h"), (60.0, "min")):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0.0):.0f} s"

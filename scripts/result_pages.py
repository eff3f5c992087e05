"""Pages made from records: ``RESULTS.md``, short, and the page of the site with every row in its colour."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from result_ages import Age
from result_records import Record, Section, Verdict

VERDICTS: tuple[Verdict, ...] = ("missed", "open", "met")
"""In the order in which a page shows them."""
Ages = Mapping[tuple[int, str], Age]
"""Ages by issue and name of the row."""

_HEAD = """# Results

Made by `python scripts/results.py page` from the records in `results/`: write those, not this page. A record has what
was asked and measured, the command, the seeds, the commit and the code that the figure depends on. `make site` makes
the page with every row; causes and attempts are in `docs/notebook/`.

Every robot figure is **in simulation** (MuJoCo 4.0), with the declared torque, speed, delay and noise limits of the
robot. Times are of a shared virtual machine of two cores with Python 3.11, where they vary by 40 %. *Aged* counts the
rows whose code has changed since they were measured, on the day that the column names; `python scripts/results.py aged`
lists them as of now.
"""
_AGED = re.compile(r"^\| \[(\d+): .*\| ([\d-]+) \|$", re.MULTILINE)
_DAY = re.compile(r"\| aged on ([\d-]+) \|")


def summary(sections: Sequence[Section], aged: Mapping[int, str], day: str) -> str:
    """The text of ``RESULTS.md``.

    Args:
        sections: All issues.
        aged: How many rows of each issue are older than their code, by its number; ``-`` where that cannot be told.
        day: The day of that, ISO.
    """
    lines = [f"| issue | rows | met | missed | open | aged on {day} |", "|---|---|---|---|---|---|"]
    for each in sections:
        met, missed, waiting = (len(each.with_verdict(verdict)) for verdict in ("met", "missed", "open"))
        title = f"[{each.number}: {each.issue.title}](results/{each.number})"
        lines.append(f"| {title} | {len(each.rows)} | {met} | {missed} | {waiting} | {aged.get(each.number, '-')} |")
    blocks = [_HEAD, "\n".join(lines) + "\n"]
    for verdict, title in (("missed", "Missed"), ("open", "Open")):
        rows = [(each.number, name, row) for each in sections for name, row in each.with_verdict(verdict).items()]
        lines = [f"## {title}", "", "| row | asked | measured | why |", "|---|---|---|---|"]
        lines += [
            f"| [{number}/{name}](results/{number}/{name}.yaml): {_cell(row.what)} | {_cell(row.asked)} | "
            f"{_cell(told(row))} | {_cell(row.why)} |"
            for number, name, row in rows
        ]
        blocks.append("\n".join(lines if rows else [f"## {title}", "", "None."]) + "\n")
    return "\n".join(blocks)


def read_aged(page: str) -> tuple[dict[int, str], str]:
    """The counts of aged rows that a page has, and their day: what it holds besides the records."""
    day = _DAY.search(page)
    return {int(number): count for number, count in _AGED.findall(page)}, day[1] if day else ""


def told(row: Record) -> str:
    """What was measured, with the intervals of its shares."""
    shares = [figure for figure in row.figures if figure.interval is not None]
    intervals = "; ".join(str(figure) for figure in shares if f"{figure.interval[0]:.3f}" not in row.measured)
    return f"{row.measured} ({intervals})" if row.measured and intervals else row.measured or "-"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|") or "-"


def site_page(sections: Sequence[Section], ages: Ages | None) -> str:
    """The page of the site: Markdown whose tables are HTML, so that rows have the colour of their verdict.

    Args:
        sections: All issues.
        ages: Age of each measured row; None where git cannot tell them.
    """
    rows = [(each.number, name, row) for each in sections for name, row in each.rows.items()]
    count = {verdict: sum(row.verdict == verdict for _, _, row in rows) for verdict in VERDICTS}
    old = "ages cannot be told without git" if ages is None else f"{_count_aged(ages)} older than their code"
    parts = [
        "# Results\n",
        f"{len(rows)} rows: **{count['met']} met, {count['missed']} missed, {count['open']} open; {old}.** "
        "All robot figures are in simulation. Brackets are 95 % intervals (Wilson). Each row is a file in `results/`; "
        "its command, seeds, commit and code unfold below its name.\n",
        _overview(sections, ages),
    ]
    for each in sections:
        parts.append(f'\n<h2 id="issue-{each.number}">{each.number}: {escape(each.issue.title)}</h2>\n')
        parts.append(f"\n{each.issue.about}\n" if each.issue.about else "")
        body = [
            _row(each.number, name, row, ages)
            for verdict in VERDICTS
            for name, row in each.with_verdict(verdict).items()
        ]
        heads = "".join(f"<th>{head}</th>" for head in ("row", "asked", "measured", "verdict", "age"))
        parts.append(
            f'\n<table class="results"><thead><tr>{heads}</tr></thead><tbody>\n'
            + "\n".join(body)
            + "\n</tbody></table>\n"
        )
    return "".join(parts)


def count_aged(section: Section, ages: Ages) -> int:
    """Rows of an issue that are older than their code."""
    return sum(bool(ages[section.number, name].changed) for name in section.rows if (section.number, name) in ages)


def _count_aged(ages: Ages) -> int:
    return sum(bool(age.changed) for age in ages.values())


def _overview(sections: Sequence[Section], ages: Ages | None) -> str:
    lines = []
    for each in sections:
        counts = {verdict: len(each.with_verdict(verdict)) for verdict in VERDICTS}
        cells = "".join(f'<td class="{name if n else "none"}">{n}</td>' for name, n in counts.items())
        aged = "-" if ages is None else str(count_aged(each, ages))
        link = f'<a href="#issue-{each.number}">{each.number}: {escape(each.issue.title)}</a>'
        lines.append(f'<tr><td>{link}</td><td>{len(each.rows)}</td>{cells}<td class="aged">{aged}</td></tr>')
    heads = "".join(f"<th>{head}</th>" for head in ("issue", "rows", *VERDICTS, "aged"))
    return (
        f'\n<table class="results"><thead><tr>{heads}</tr></thead><tbody>\n' + "\n".join(lines) + "\n</tbody></table>\n"
    )


def _row(number: int, name: str, row: Record, ages: Ages | None) -> str:
    age = None if ages is None else ages.get((number, name))
    known = "aged" if age is not None and age.changed else "current" if age is not None else "none"
    since = f"<br><small>{row.date}</small>" if row.date else ""
    many = "" if age is None or not age.changed or age.commits is None else f", {age.commits} commits"
    chip = {"aged": f"aged{many}", "current": "current", "none": "-"}[known]
    facts = [
        ("command", _code(row.command if "`" in row.command else f"`{row.command}`" if row.command else "")),
        ("seeds", _code(row.seeds)),
        ("commit", escape(row.commit)),
    ]
    facts.append(("holds for", escape(row.kept)))
    facts.append(("depends on", escape(", ".join(row.code))))
    facts.append(("changed", escape(", ".join(age.changed)) if age else ""))
    details = "".join(f"<dt>{head}</dt><dd>{fact}</dd>" for head, fact in facts if fact)
    notes = f' <a href="{_link(row.notes)}">notebook</a>' if row.notes else ""
    why = f"<br><em>{_code(row.why)}</em>" if row.why else ""
    below = f"<details><summary>{number}/{name}</summary><dl>{details}</dl></details>"
    return (
        f'<tr id="{number}-{name}"><td>{_code(row.what)}{below}</td>'
        f"<td>{_code(row.asked)}</td><td>{_code(told(row))}{why}{notes}</td>"
        f'<td class="{row.verdict}">{row.verdict}</td><td class="{known}">{chip}{since}</td></tr>'
    )


def _link(notes: str) -> str:
    page, _, heading = notes.removeprefix("docs/").partition("#")
    return escape(f"{page.removesuffix('.md')}.html" + (f"#{heading}" if heading else ""))


def _code(text: str) -> str:
    """Text as HTML: backticks are code, two stars are bold."""
    marked = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", marked)

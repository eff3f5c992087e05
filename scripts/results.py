"""Write records of measured figures, make the page from them, and say which are older than their code.

    python scripts/results.py add 30/ten-boards --bench boards.json --command 'andante bench boards ...' ...
    python scripts/results.py keep --because 'logs of 12 runs are the same bytes' 3/own-wide 3/own-noisy
    python scripts/results.py page
    python scripts/results.py check [--strict]
    python scripts/results.py aged

`add` writes or renews one record in ``results/``: what is not given stays as it is. `keep`
says that figures hold for newer code, which does the same. `check` reads all records, names
those that are older than their code, and fails where ``RESULTS.md`` is not what the records say, or with ``--strict``
also where one is aged. Exit codes: 0 good, 1 the check failed, 2 input that cannot be used.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from result_ages import find_ages, hash_code, run_git
from result_pages import count_aged, read_aged, site_page, summary
from result_records import (
    NAME,
    Record,
    ResultsError,
    Section,
    bench_figures,
    parse_figure,
    read_record,
    read_sections,
    reason,
    verdict_of,
    write_record,
)

from andante.errors import AndanteError

ROOT = Path(__file__).resolve().parents[1]
_TEXTS = ("what", "asked", "measured", "why", "command", "seeds", "notes")


def add(root: Path, given: argparse.Namespace) -> Path:
    """Write one record: the one that is there with what is given, or a new one.

    Raises:
        ResultsError: A name, figure or path that cannot be used, or a record that says two things.
    """
    issue, _, name = given.row.partition("/")
    path = root / "results" / issue / f"{name}.yaml"
    if not path.with_name("issue.yaml").is_file():
        raise ResultsError("no such issue", value=issue, limit="a file results/ISSUE/issue.yaml with its title")
    if not NAME.fullmatch(name) or name == "issue":
        raise ResultsError("not the name of a row", value=name, limit="small letters, digits, '-' and '.'")
    data: dict[str, Any] = read_record(path).model_dump(exclude_defaults=True) if path.exists() else {}
    figures = [parse_figure(text) for text in given.figure]
    if given.bench is not None:
        figures += bench_figures(_json(given.bench), given.bench_rows)
    if figures or given.measured is not None:
        commit = run_git(root, "rev-parse", "--verify", "--short=8", f"{given.commit}^{{commit}}").strip()
        data |= {
            "figures": figures,
            "measured": "; ".join(str(figure) for figure in figures),
            "verdict": verdict_of(figures) or data.get("verdict", "open"),
            "why": "",
            "kept": "",
            "date": given.date or date.today(),
            "commit": commit,
            "code": hash_code(root, given.code or tuple(data.get("code", ())), given.commit),
        }
    elif given.code:
        data["code"] = hash_code(root, given.code, data.get("commit", given.commit))
    data |= {name: getattr(given, name) for name in _TEXTS if getattr(given, name) is not None}
    data |= {} if given.verdict is None else {"verdict": given.verdict}
    try:
        record = Record.model_validate({"asked": "-", "verdict": "open", **data})
    except ValidationError as error:
        raise ResultsError(reason(error), place=given.row) from None
    check_notes(root, given.row, record)
    write_record(path, record)
    return path


def keep(root: Path, rows: list[str], because: str, commit: str) -> None:
    """Say of some records that they hold for the code of a newer commit.

    Raises:
        ResultsError: A row that is not there or not measured, or no reason.
    """
    if not because.strip():
        raise ResultsError("say why the figures hold for newer code", value=because, limit="a reason")
    name = run_git(root, "rev-parse", "--verify", "--short=8", f"{commit}^{{commit}}").strip()
    renewed = {}
    for row in rows:
        path = root / "results" / f"{row}.yaml"
        if not path.is_file() or not (record := read_record(path)).code:
            raise ResultsError("no such row, or nothing of it is measured", value=row)
        code = hash_code(root, tuple(record.code), commit)
        renewed[path] = record.model_copy(update={"code": code, "kept": f"{name}: {because.strip()}"})
    for path, record in renewed.items():
        write_record(path, record)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(f"cannot be read as JSON: {error}", place=str(path)) from None


def check_notes(root: Path, place: str, record: Record) -> None:
    """See that the page and the heading that a record refers to are there.

    Raises:
        ResultsError: They are not.
    """
    if not record.notes:
        return
    name, _, heading = record.notes.partition("#")
    page = root / name
    if not name.startswith("docs/") or not page.is_file():
        raise ResultsError("the record refers to a page that is not there", value=record.notes, place=place)
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    headings = [re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles]
    if heading and heading not in headings:
        raise ResultsError("the page has no such heading", value=heading, legal=headings, place=f"{place}: {name}")


def make_page(root: Path) -> str:
    """The text of ``RESULTS.md`` as of now."""
    sections = read_sections(root / "results")
    ages = find_ages(root, sections)
    return summary(sections, {each.number: str(count_aged(each, ages)) for each in sections}, date.today().isoformat())


def list_aged(root: Path, sections: list[Section]) -> list[str]:
    """A line for each row that is older than its code."""
    ages = find_ages(root, sections)
    return [f"{number}/{name}: {age}" for (number, name), age in ages.items() if age.changed]


def find_faults(root: Path) -> list[str]:
    """What is wrong with records and page, a line each; ages are not wrong.

    Raises:
        ResultsError: A record that cannot be read.
    """
    sections = read_sections(root / "results")
    for each in sections:
        for name, row in each.rows.items():
            check_notes(root, f"{each.number}/{name}", row)
    page = root / "RESULTS.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    if text != summary(sections, *read_aged(text)):
        return ["RESULTS.md is not what the records say: run `python scripts/results.py page`"]
    return []


def check(root: Path, strict: bool) -> int:
    """The gate."""
    faults = find_faults(root)
    try:
        old = list_aged(root, read_sections(root / "results"))
    except ResultsError as error:
        old, told = [], f"ages cannot be told: {error}"
        faults += [told] if strict else []
        print(f"results: {told}")
    for line in old:
        print(f"results: older than its code: {line}")
    for fault in faults:
        print(f"results: {fault}", file=sys.stderr)
    return 1 if faults or (strict and old) else 0


def site_text(root: Path) -> str:
    """The page of the site as of now; without ages where git cannot tell them."""
    sections = read_sections(root / "results")
    try:
        ages = find_ages(root, sections)
    except ResultsError:
        ages = None
    return site_page(sections, ages)


def parse(words: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("add", help="write or renew one record")
    one.add_argument("row", metavar="ISSUE/ROW")
    for name, text in (
        ("what", "what the row is about"),
        ("asked", "what the issue asks"),
        ("measured", "what was measured; default: the figures"),
        ("why", "why it is open or missed"),
        ("command", "what reproduces it"),
        ("seeds", "such as 95000..95003"),
        ("notes", "such as docs/notebook/30-true-words.md#get-ups"),
    ):
        one.add_argument(f"--{name}", help=text)
    one.add_argument("--figure", action="append", default=[], help="'NAME = 13.4 cm/s >= 13', 'NAME = 39/40 >= 97%%'")
    one.add_argument("--bench", type=Path, help="the JSON object that a bench wrote with --out")
    one.add_argument("--bench-rows", default="*", help="pattern of the names of its rows that are taken")
    one.add_argument("--verdict", choices=("met", "missed", "open"), help="default: what the figures say")
    one.add_argument("--date", type=date.fromisoformat, help="day of the measurement; default: today")
    one.add_argument("--commit", default="HEAD", help="commit that was measured; default: HEAD")
    one.add_argument("--code", nargs="+", help="paths that the figure depends on")
    still = verbs.add_parser("keep", help="say that figures hold for newer code")
    still.add_argument("rows", metavar="ISSUE/ROW", nargs="+")
    still.add_argument("--because", required=True, help="what shows it, such as logs that are the same bytes")
    still.add_argument("--commit", default="HEAD", help="the newer commit; default: HEAD")
    verbs.add_parser("page", help="write RESULTS.md")
    verbs.add_parser("aged", help="list the rows that are older than their code")
    gate = verbs.add_parser("check", help="fail where RESULTS.md is not what the records say")
    gate.add_argument("--strict", action="store_true", help="fail where a row is aged too")
    return parser.parse_args(words)


def main(words: list[str], root: Path = ROOT) -> int:
    """See the module."""
    given = parse(words)
    try:
        if given.verb == "add":
            print(add(root, given).relative_to(root))
        elif given.verb == "keep":
            keep(root, given.rows, given.because, given.commit)
        elif given.verb == "page":
            (root / "RESULTS.md").write_text(make_page(root), encoding="utf-8")
        elif given.verb == "aged":
            print("\n".join(list_aged(root, read_sections(root / "results"))) or "every figure is of the code as it is")
        else:
            return check(root, given.strict)
    except AndanteError as error:
        print(f"results: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

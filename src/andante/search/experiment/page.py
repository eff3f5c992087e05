"""The page of an experiment: what was asked, a line of figures for each condition, film strips; one HTML file."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.documents.files import write_text
from andante.errors import AndanteError
from andante.search.experiment.cases import Group
from andante.search.experiment.document import Experiment
from andante.search.experiment.falls import fall_lines, falls_of
from andante.search.experiment.trial import ENDED, TrialResult
from andante.search.rows import Row, interval_text

_MOST_REASONS = 12
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;padding:0 1em;max-width:1300px}"
    "table{border-collapse:collapse}td,th{padding:3px 14px 3px 0;text-align:left;vertical-align:top}"
    "tr+tr{border-top:1px solid #ddd}small{color:#666}td small{white-space:nowrap}img{max-width:100%}"
    ".missed{color:#b00020}.kept{color:#1b6e3c}"
    ".wide{overflow-x:auto}"
)


def write_page(
    path: Path,
    experiment: Experiment,
    groups: Sequence[Group],
    results: Mapping[str, Sequence[TrialResult]],
    rows: Sequence[Row],
    asked: Mapping[str, Any],
) -> None:
    """Write the page.

    Args:
        path: Where to.
        experiment: What was run.
        groups: Its conditions.
        results: The trials of each condition.
        rows: The figures.
        asked: The options, by name.

    Raises:
        DocumentError: The file cannot be written.
        AndanteError: The trial of a film strip cannot be run.
    """
    seeds = [trial.seed for group in groups[:1] for trial in results[group.name]]
    told = {name: value for name, value in asked.items() if name not in ("cells", "failures", "falls", "experiment")}
    said = ", ".join(f"{name} {_plain(value)}" for name, value in told.items())
    text = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{html.escape(experiment.name)}</title>"
        f"<style>{_STYLE}</style><h1>{html.escape(experiment.name)}</h1><p>{html.escape(experiment.what)}</p>"
        f"<p>In simulation. Seeds {min(seeds)} to {max(seeds)} in every line."
        " Brackets are 95 % intervals: of shares by Wilson, of means by Student's t.<br>"
        f"<small>{html.escape(said)}</small></p>"
        f"{_table(rows)}<h2>One trial of each line</h2>{_strips(groups, results)}"
        f"<h2>What went wrong</h2>{_falls(groups, results)}{_reasons(groups, results)}"
        + (f"<p>{html.escape(experiment.note)}</p>" if experiment.note else "")
        + "</html>\n"
    )
    write_text(path, text, follow=False)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _table(rows: Sequence[Row]) -> str:
    """Conditions down, figures across."""
    lines: dict[str, dict[str, Row]] = {}
    for row in rows:
        condition, _, figure = row.name.rpartition(": ")
        lines.setdefault(condition, {})[figure] = row
    figures = list(dict.fromkeys(name for line in lines.values() for name in line))
    head = "".join(f"<th>{html.escape(name)}</th>" for name in figures)
    body = "".join(
        f"<tr><td>{html.escape(condition)}</td>{''.join(_cell(line.get(name)) for name in figures)}</tr>"
        for condition, line in lines.items()
    )
    return f"<div class='wide'><table><tr><th></th>{head}</tr>{body}</table></div>"


def _cell(row: Row | None) -> str:
    if row is None:
        return "<td></td>"
    kind = "" if row.ok is None else f" class='{'kept' if row.ok else 'missed'}'"
    told = f"{row.value:.4g} {html.escape(row.unit)}" if row.counted is None else f"{row.counted} of {row.n}"
    within = f"<br><small>{interval_text(row)}</small>" if row.interval else ""
    return f"<td{kind}>{told}{within}</td>"


def _strips(groups: Sequence[Group], results: Mapping[str, Sequence[TrialResult]]) -> str:
    """A strip of each condition's first trial, and of its first failure."""
    parts = []
    for group in groups:
        trials = results[group.name]
        failed = next((trial for trial in trials[1:] if trial.passed is False), None)
        for trial in (trials[0], *([failed] if failed is not None else [])):
            told = "passed" if trial.passed else "; ".join(trial.reasons) or "did not pass"
            parts.append(f"<h3>{html.escape(group.name or group.title)}</h3>")
            # Whoever draws one that never ends waits for ever.
            strip = "" if ENDED in trial.metrics else _strip(group, trial.seed)
            parts.append(f"<p>Seed {trial.seed}: {html.escape(told)}</p>{strip}")
    return "".join(parts)


def _strip(group: Group, seed: int) -> str:
    from andante.search.film_strip import film_strip

    try:
        raw = film_strip(group.setup, seed)
    except AndanteError as error:
        return f"<p><small>No film strip: {html.escape(str(error))}</small></p>"
    return image(raw, f"film strip of {group.name}, seed {seed}")


def image(raw: bytes, text: str) -> str:
    """A picture (PNG) in a page, and the text that stands for it."""
    return f"<img alt='{html.escape(text)}' src='data:image/png;base64,{base64.b64encode(raw).decode()}'>"


def _falls(groups: Sequence[Group], results: Mapping[str, Sequence[TrialResult]]) -> str:
    """Falls of each condition by what came first."""
    head, *lines = [*fall_lines(falls_of(groups, results))] or [""]
    told = "".join(f"<li>{html.escape(line.strip())}</li>" for line in lines)
    return f"<p>{html.escape(head)}</p><ul>{told}</ul>" if told else ""


def _reasons(groups: Sequence[Group], results: Mapping[str, Sequence[TrialResult]]) -> str:
    parts = []
    for group in groups:
        bad = [trial for trial in results[group.name] if trial.passed is False]
        for trial in bad[:_MOST_REASONS]:
            why = html.escape("; ".join(trial.reasons))
            parts.append(f"<li>{html.escape(group.name)}, seed {trial.seed}: {why}</li>")
        if len(bad) > _MOST_REASONS:
            parts.append(f"<li>{html.escape(group.name)}: {len(bad) - _MOST_REASONS} more</li>")
    return f"<ul>{''.join(parts)}</ul>" if parts else "<p>Nothing.</p>"

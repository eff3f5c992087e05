"""A run's result as a card for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from andante.pictures.style import BAD, GOOD

if TYPE_CHECKING:
    from andante.runs.execute import RunResult

_REPORT = "report.html"


def result_card(result: RunResult) -> str:
    """Verdict, reasons and story of a run as HTML, with a link to its report; readable on light and dark pages."""
    colour = GOOD if result.passed else BAD
    badge = f"<b style='background:{colour};color:#fff;padding:2px 10px;border-radius:6px'>{result.verdict.upper()}</b>"
    reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in (*result.reasons, *result.notes))
    story = "".join(
        f"<tr><td style='text-align:right'>{moment.time:.2f} s</td>"
        f"<td style='text-align:left'>{html.escape(moment.text)}</td></tr>"
        for moment in result.story
    )
    report = result.folder / _REPORT
    link = f"<a href='{html.escape(report.absolute().as_uri())}'>report</a>" if report.is_file() else ""
    folder = html.escape(str(result.folder))
    return f"<div>{badge} {folder} {link}<ul>{reasons}</ul><table>{story}</table></div>"

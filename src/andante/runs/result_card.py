"""A run's result as a card for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path

from andante.pictures.style import BAD, GOOD

_REPORT = "report.html"


def result_card(
    folder: Path, verdict: str, passed: bool, remarks: Iterable[str], story: Iterable[tuple[float, str]]
) -> str:
    """Verdict, remarks and story of a run as HTML, with a link to its report; readable on light and dark pages."""
    colour = GOOD if passed else BAD
    badge = f"<b style='background:{colour};color:#fff;padding:2px 10px;border-radius:6px'>{verdict.upper()}</b>"
    reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in remarks)
    moments = "".join(
        f"<tr><td style='text-align:right'>{time:.2f} s</td><td style='text-align:left'>{html.escape(text)}</td></tr>"
        for time, text in story
    )
    report = folder / _REPORT
    link = f"<a href='{html.escape(report.absolute().as_uri())}'>report</a>" if report.is_file() else ""
    place = html.escape(str(folder))
    return f"<div>{badge} {place} {link}<ul>{reasons}</ul><table>{moments}</table></div>"

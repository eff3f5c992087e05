"""Pages: one HTML file with its data, its style and plotly.js inside, which needs no network and nothing beside it."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from andante.pictures import style

_COLOURS = ("INK", "SOFT", "GRID", "PAPER", "GOOD", "BAD")


def page(template: str, title: str, data: Mapping[str, Any], script: str) -> str:
    """The HTML text of a page; nothing in the data can end its script element.

    Args:
        template: The page with the places ``@TITLE@``, ``@STYLE@``, ``@PLOTLY@``, ``@DATA@`` and ``@SCRIPT@``.
        title: Title of the window.
        data: What the script shows; no NaN. It also finds the colours of feet and lines there, as ``style``.
        script: JavaScript that fills the page.
    """
    colours = {name: getattr(style, name) for name in _COLOURS}
    look = {name.lower(): value for name, value in colours.items()} | {
        "feet": style.FOOT_COLOURS,
        "series": style.SERIES,
    }
    encoded = json.dumps({**data, "style": look}, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    css = (resources.files("andante.pictures") / "page.css").read_text(encoding="utf-8")
    plotly = (resources.files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")
    parts = {"TITLE": html.escape(title), "PLOTLY": plotly, "DATA": encoded, "SCRIPT": script}
    return _filled(template, parts | {"STYLE": _filled(css, colours)})


def _filled(template: str, parts: Mapping[str, str]) -> str:
    return "".join(parts.get(piece, piece) for piece in template.split("@"))

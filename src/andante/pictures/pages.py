"""Pages: one HTML file with its data, its style and plotly.js inside, which needs no network and nothing beside it.

The script of plots is plotly.js with the kinds that pages draw (`web/replay/src/plots.js`): the whole takes a second
longer to start and makes each page larger by 1.4 MB.

Arrays and scripts inside a page are deflated and in base64, which every current browser unpacks by itself. Numbers of
one column differ little from row to row; their bytes are sorted by significance first, since the upper ones then repeat
and deflate well.
"""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.pictures import style

_LEVEL = 4
"""Half the time of level 6, for pages that are 3 % larger."""
_PLACE = re.compile("@([A-Z_]+)@")
_COLOURS = ("INK", "SOFT", "GRID", "PAPER", "GOOD", "BAD")


def page(
    template: str, title: str, data: Mapping[str, Any], script: str, libraries: Mapping[str, str] | None = None
) -> str:
    """The HTML text of a page; nothing in the data can end its script element.

    Args:
        template: The page with the places ``@TITLE@``, ``@STYLE@``, ``@DATA@``, ``@SCRIPT@``, and ``@PLOTLY@`` or
            ``@PACKED_PLOTLY@``, which the page's script unpacks (see `packed`).
        title: Title of the window.
        data: What the script shows; no NaN. It also finds the colours of feet and lines there, as ``style``.
        script: JavaScript that fills the page.
        libraries: More packed scripts by the names of their places.
    """
    colours = {name: getattr(style, name) for name in _COLOURS}
    look = {name.lower(): value for name, value in colours.items()} | {
        "feet": style.FOOT_COLOURS,
        "series": style.SERIES,
        "dark": dict(style.DARK),
    }
    encoded = json.dumps({**data, "style": look}, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    css = (resources.files("andante.pictures") / "page.css").read_text(encoding="utf-8")
    parts = {"TITLE": html.escape(title), "DATA": encoded, "SCRIPT": script, "STYLE": _filled(css, colours)}
    plots = resources.files("andante.pictures") / "plots.js"
    if "@PLOTLY@" in template:
        parts["PLOTLY"] = plots.read_text(encoding="utf-8")
    if "@PACKED_PLOTLY@" in template:
        parts["PACKED_PLOTLY"] = packed(plots.read_bytes())
    return _filled(template, parts | dict(libraries or {}))


def _filled(template: str, parts: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda found: parts.get(found[1], found[0]), template)


def packed(raw: bytes) -> str:
    """Bytes, deflated (RFC 1950) and in base64."""
    return base64.b64encode(zlib.compress(raw, _LEVEL)).decode()


def packed_array(values: NDArray[np.generic]) -> str:
    """An array in row order, its bytes sorted by significance: first all first bytes, then all second ones."""
    flat = np.ascontiguousarray(values)
    planes = flat.view(np.uint8).reshape(-1, flat.dtype.itemsize).T
    return packed(planes.tobytes())

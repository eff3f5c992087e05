"""`andante plugins`: what installed packages bring, and which of it cannot be used."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.cli.completion import plugin_kinds
from andante.cli.output import answer

_WIDEST = 24
"""Widest column of names; longer ones push what stands behind them."""

_LONG = 1.0
"""Imports that take longer are told [s]."""


def plugins(kind: Annotated[list[str] | None, typer.Argument(autocompletion=plugin_kinds)] = None) -> None:
    """List what installed packages bring to Andante, by kind, with package and version; all of it is imported.

    Args:
        kind: Kinds in the plural (robots, formats, boards, checks and so on); default: all.
    """
    from dataclasses import asdict

    from andante.plugins.kinds import plugins as brought

    found = brought(kind or ())
    broken = [each for each in found if each.problem]
    data = {"plugins": [asdict(each) for each in found], "verdict": "fail" if broken else "pass"}
    # One long name is no reason to move all others far from what they are.
    width = min(max((len(each.name) for each in found), default=0), _WIDEST) + 2
    lines: list[str] = []
    for number, each in enumerate(found):
        if not number or each.kind != found[number - 1].kind:
            lines.append(each.kind)
        told = f"cannot be used: {each.problem}" if each.problem else each.source
        took = f" (its import took {each.seconds:.1f} s)" if each.seconds >= _LONG else ""
        lines.append(f"  {each.name:<{width - 1}} {told}{took}")
    if not found:
        lines = ["no installed package brings anything; docs/extend.md tells how one does"]
    elif broken:
        lines.append(f"{len(broken)} of {len(found)} cannot be used; the rest works")
    answer(data, lines, not broken)

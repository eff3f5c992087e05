"""The page on getting up names all spreads, lying postures and faults."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from andante.backends.fault import FaultType
from andante.runs.scenario_files import LYING
from andante.search.observers.spread import spreads

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "get-up.md").read_text(encoding="utf-8")


def test_the_page_names_what_there_is() -> None:
    for spread in spreads():
        assert f"`{spread}`" in PAGE
    for lying in LYING.values():
        assert f"`{lying}`" in PAGE
    for kind in get_args(FaultType):
        assert f"`{kind}`" in PAGE

"""CONTRIBUTING's walk-through names templates, files and places in the tree that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PART = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("### Files that you change")[1].split("\n## ")[0]


def test_the_files_to_change_are_in_the_templates() -> None:
    names = re.findall(r"`([\w/]+\.(?:py|xml|yaml))`", PART)
    assert len(names) == 4
    for name in names:
        assert list((ROOT / "examples" / "plugin").glob(f"*/{name}")) + list(
            (ROOT / "examples" / "plugin").rglob(name)
        ), name


def test_the_places_in_the_tree_are_there() -> None:
    for folder in re.findall(r"`(src/[\w/]+)`", PART):
        assert (ROOT / folder).is_dir(), folder
    sections = re.findall(r"extend\.md#([\w-]+)", PART)
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8").lower()
    assert sections == ["a-robot", "a-motion-format", "a-controller"]
    assert all(f"## {section.replace('-', ' ')}" in page for section in sections)

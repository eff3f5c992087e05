"""Code cites pages that its readers have, and sections that the pages have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "docs" / "sources"
CODE = [path for folder in ("src", "examples", "benchmarks", "scripts") for path in (ROOT / folder).rglob("*.py")]
_PAGE = re.compile(r"[\w/.-]*\b[\w-]+\.md\b")
_CITED = re.compile(
    r"docs/sources/([\w-]+)\.md`*, (?:sections? )?((?:\d[\d.]*\d|\d)(?:(?:, | and )(?:\d[\d.]*\d|\d))*)"
)
_MADE = {"RESULTS.md", "CHANGELOG.md", "README.md", "CONTRIBUTING.md", "index.md"}


def citations() -> list[tuple[str, str, str]]:
    """File, page and section of every citation of a page of sources."""
    found = []
    for path in CODE:
        text = " ".join(path.read_text(encoding="utf-8").split())
        for page, sections in _CITED.findall(text):
            found += [(path.relative_to(ROOT).as_posix(), page, each) for each in re.findall(r"[\d.]*\d", sections)]
    return found


def test_sections_that_are_cited_are_there() -> None:
    found = citations()
    assert len(found) >= 20
    for file, page, section in found:
        headings = re.findall(r"^#+ ([\d.]*\d)\.? ", (SOURCES / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE)
        assert section in headings, (file, page, section)


@pytest.mark.parametrize("page", sorted(path.stem for path in SOURCES.glob("*.md")))
def test_every_page_of_sources_is_cited(page: str) -> None:
    assert page in {cited for _, cited, _ in citations()}


@pytest.mark.slow
def test_code_cites_no_page_that_readers_do_not_have() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\breference (?:sections? \d|``)|\b[Ii]ssue \d", text), path
        for cited in _PAGE.findall(text):
            there = (ROOT / cited).is_file() or (ROOT / "docs" / cited).is_file() or Path(cited).name in _MADE
            assert there, (path.relative_to(ROOT).as_posix(), cited)

"""Pages that newcomers read first have sentences that are read once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
from sentence_lengths import sentences, words

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 30
"""Words of a sentence."""
FIRST = ("index", "first-motion", "bring-your-robot", "python", "read-a-report", "gallery", "glossary", "extend", "env")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / f"{name}.md" for name in FIRST)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_sentence_is_longer_than_thirty_words(page: Path) -> None:
    found = sentences(page.read_text(encoding="utf-8"))
    assert found
    assert [sentence for sentence in found if words(sentence) > LIMIT] == []


def test_what_counts_as_a_sentence() -> None:
    text = (
        "# Title of words\n\nOne `a b c` two. Three\nfour: five (see [six](x y.md))!\n\n* seven\n* eight\n\n| a | b |\n"
    )
    text += "\n```python\nnot = 1\n```\n"
    assert sentences(text) == ["One code two.", "Three four: five (see six)!", "seven", "eight"]
    assert words("One code, two - 3.") == 4

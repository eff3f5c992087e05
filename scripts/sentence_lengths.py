"""Tell the longest sentences of the pages: a newcomer should read each once.

    python scripts/sentence_lengths.py [--limit 30] [PAGE ...]

Code, tables, headings and links' targets do not count. Exit codes: 0 all are short enough, 1 some are not.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def sentences(text: str) -> list[str]:
    """The sentences of a page's prose; items of lists are sentences of their own."""
    text = re.sub(r"^```.*?^```$", "\n\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^(?:[|#!<]|    ).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"^\s*(?:[*-]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        found += re.split(r"(?<=[.!?:;])\s+(?=[A-Z(*\"'`c])", " ".join(paragraph.split()))
    return [sentence for sentence in found if sentence]


def words(sentence: str) -> int:
    """How many words a sentence has; signs and numbers without letters or digits are none."""
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def main() -> int:
    """Print sentences above the limit, the longest first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("pages", nargs="*", type=Path)
    given = parser.parse_args()
    pages = given.pages or [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    pages = [page for page in pages if page.name != "api.md"]
    every = [(words(each), page, each) for page in pages for each in sentences(page.read_text(encoding="utf-8"))]
    long = sorted((row for row in every if row[0] > given.limit), key=lambda row: -row[0])
    for count, page, each in long:
        print(f"{count:3d} {page.name}: {each}")
    print(f"{len(long)} of {len(every)} sentences have more than {given.limit} words")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())

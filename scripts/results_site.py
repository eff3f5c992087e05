"""Hook of the site: fills the page of all figures from the records at the moment of building.

Nothing of the table is committed, so the ages that it shows are those of the code at hand.
"""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from results import ROOT, site_text


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The table in place of what ``docs/results.md`` says; other pages as they are."""
    return site_text(ROOT) if page.file.src_uri == "results.md" else markdown

"""Hook of the site: adds the page of all figures, made from the records at the moment of building."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from results import ROOT, site_text


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add ``results.md``; nothing of it is committed, so its ages are never old themselves."""
    files.append(File.generated(config, "results.md", content=site_text(ROOT)))
    return files

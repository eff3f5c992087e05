"""What is installed is read once, and again where a package came or went."""

import importlib.metadata
import sys

from andante.search import toolchain as versions


def installed(folder, name, code):
    (folder / f"{name}.py").write_text(code)
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[andante.boards]\nhill = {name}:HILL\n")


def test_packages_are_read_once_and_anew_where_one_was_installed(tmp_path, monkeypatch):
    """To read what every package says took a tenth of a second, three times in each bench."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    reads = []
    found = importlib.metadata.distributions
    monkeypatch.setattr(importlib.metadata, "distributions", lambda *at, **by: reads.append(1) or found(*at, **by))
    before = versions.toolchain()
    assert versions.toolchain() == before
    assert len(reads) == 1

    installed(tmp_path, "looked_at_hills", "HILL = 1\n")
    after = versions.toolchain()
    assert len(reads) == 2
    assert {key: after[key] for key in before} == before
    (added,) = set(after) - set(before)
    assert added == "plug-in looked_at_hills"

    # Who writes a plug-in changes its code where it lies; no folder of Python's tells of that.
    (tmp_path / "looked_at_hills.py").write_text("HILL = 2\n")
    assert versions.toolchain()[added] != after[added]
    assert len(reads) == 2

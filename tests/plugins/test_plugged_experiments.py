"""An installed package brings an experiment: `andante bench` lists it and runs it; a broken one costs only itself."""

from __future__ import annotations

import json
import sys

from installed_packages import install
from typer.testing import CliRunner

from andante.cli.app import app
from andante.search.experiment.registry import EXPERIMENTS

FLOORS = """\
format: andante.experiment
version: 1
name: floors
what: Does a NAO stand on any floor?
play: {library: nao-basics, motions: [stand]}
set: {timeout: 0.3, success.finishes: false}
figures: {on its feet: {metric: fell, is: false}}
"""


def bench(*words):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


def test_a_package_brings_an_experiment_by_its_entry_point(tmp_path, monkeypatch):
    folder, floors = tmp_path / "site", tmp_path / "floors.yaml"
    floors.write_text(FLOORS, encoding="utf-8")
    folder.mkdir()
    code = f"FLOORS = {str(floors)!r}\nNOTHING = 3\n"
    points = {"andante.experiments": {"my-floors": "FLOORS", "nothing": "NOTHING"}}
    install(folder, "floor_pack", code, points)
    monkeypatch.syspath_prepend(str(folder))
    EXPERIMENTS.reread()
    try:
        assert "Does a NAO stand on any floor?" in bench("--help").stdout
        done = bench("my-floors", "--seeds", "1", "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["experiment"] == "floors"
        refused = bench("nothing")
        assert refused.exit_code == 2
        assert "plug-in floor_pack 1.2: its experiment 'nothing' cannot be used" in refused.stderr
    finally:
        sys.modules.pop("floor_pack", None)
        monkeypatch.undo()
        EXPERIMENTS.reread()

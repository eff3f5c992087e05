"""An experiment whose rows would say something else than was tried, or could never hold, is refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app

STANDS = {
    "format": "andante.experiment",
    "version": 1,
    "name": "stands",
    "play": {"library": "nao-basics", "motions": ["stand"]},
    "set": {"timeout": 0.1, "success.finishes": False},
    "figures": {"on its feet": {"metric": "fell", "is": False}},
    "seeds": {"count": 1},
}
FRICTION = {"path": "world.friction", "uniform": [0.5, 1.0]}


def bench(folder: Path, *words: str, **parts: object) -> tuple[int, str]:
    file = folder / "stands.yaml"
    file.write_text(json.dumps({**STANDS, **parts}))
    done = CliRunner().invoke(app, ["bench", str(file), *words])
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (
            {
                "axes": {
                    "floor": {"variants": {"ice": {"set": {"world.friction": 0.1}}}},
                    "shoe": {"variants": {"felt": {"set": {"world.friction": 0.3}}}},
                }
            },
            "axes.shoe: two axes set one value, so that labels of one of them would not be true; got 'world.friction'; "
            "limit: it is set by axes.floor",
        ),
        ({"spread": [FRICTION, FRICTION]}, "spread: a seed draws this value already, and the first draw would be lost"),
        ({"set": {"seed": 4}}, "set: each trial has a seed of its own; got 'seed'"),
        ({"spread": [{"path": "seed", "choice": [1, 2]}]}, "spread: each trial has a seed of its own"),
        (
            {"figures": {"upright": {"metric": "max_tilt"}}},
            "upright.is: max_tilt is a number, which is never True; got 0.0",
        ),
        (
            {"figures": {"upright": {"metric": "fell", "at_least": 0.9, "at_most": 0.1}}},
            "figures.upright: no value is at least 0.9 and at most 0.1",
        ),
        (
            {"again": {"fell": {"where": {}, "set": {"world.friction": 0.1}, "metric": "max_tilt"}}},
            "again.fell: a second run is told by a name that no trial has already",
        ),
    ],
)
def test_it_is_refused_by_name(tmp_path, parts, says):
    code, said = bench(tmp_path, **parts)
    assert code == 2
    assert says in said


def test_draws_that_are_added_come_after_another(tmp_path):
    again = {"path": "world.slope", "uniform": [0.0, 0.01]}
    assert bench(tmp_path, spread=[again, again | {"plus": True}])[0] == 0


def test_more_seeds_than_an_experiment_may_have_are_refused_at_once(tmp_path):
    """A thousand millions of trials were listed before the first one began."""
    code, said = bench(tmp_path, "--seeds", "99999999999")
    assert code == 2
    assert "less than or equal to 1000000" in said


def test_results_go_into_a_file(tmp_path):
    code, said = bench(tmp_path, "--out", str(tmp_path))
    assert code == 2
    assert "--out: is a folder, and results are one file" in said

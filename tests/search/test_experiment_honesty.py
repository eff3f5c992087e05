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
        (
            {"spread": [FRICTION], "axes": {"floor": {"variants": {"ice": {"set": {"world.friction": 0.1}}}}}},
            "axes.floor.variants.ice.set: each seed draws this value anew, so that no trial would have the one that is "
            "set; got 'world.friction'; limit: spread world.friction; leave one of both out, or add what is drawn",
        ),
        (
            {"spread": [FRICTION], "axes": {"floor": {"variants": {"wet": {"scale": {"world.friction": 0.5}}}}}},
            "axes.floor.variants.wet.scale: each seed draws this value anew",
        ),
        (
            {"spread": [FRICTION], "set": {"timeout": 0.1, "world.friction": 0.4}},
            "set: each seed draws this value anew",
        ),
        (
            {"spread": [{"path": "world.servo_strength", "uniform": [0.0, 0.1], "plus": True}]},
            "spread world.servo_strength: a factor on all servos is set when a trial begins, and nothing is added",
        ),
        (
            {"spread": [FRICTION, {"path": "world.friction", "uniform": [-3.0, -2.0], "plus": True}]},
            "spread world.friction: seed 0 draws what crosses a bound (a sum)",
        ),
        (
            {"figures": {"late": {"metric": "done_at", "is": {"at_least": 3, "at_most": 1}}}},
            "figures.late: is: no number is from 3 to 1",
        ),
        (
            {"figures": {"late": {"metric": "fell", "where": {"done_at": {"above": 2, "at_most": 2}}}}},
            "figures.late.where: done_at: no number is from 2 to 2",
        ),
        (
            {"figures": {"tilt": {"metric": "max_tilt", "statistic": "mean", "is": {"above": 1}}}},
            "figures.tilt: is: it is for share and count and lost only, and the statistic is mean",
        ),
        (
            {"figures": {"tilt": {"metric": "max_tilt", "statistic": "mean", "quantile": 0.9}}},
            "figures.tilt: quantile: it is for quantile only, and the statistic is mean",
        ),
        (
            {"figures": {"tilt": {"metric": "max_tilt", "statistic": "mean", "convert": "cm"}}},
            "figures.tilt.convert: max_tilt is told in rad, which is not converted so; got 'cm'; give convert: deg",
        ),
        (
            {"figures": {"tilt": {"metric": "max_tilt", "statistic": "mean", "unit": "deg"}}},
            "figures.tilt.unit: max_tilt is told in rad, and nothing converts it; got 'deg'; give convert: deg",
        ),
        (
            {"compare": {"time": {"metric": "done_at", "unit": "ms"}}},
            "compare.time.unit: done_at is told in s, and nothing converts it; got 'ms'; give convert: ms",
        ),
        (
            {"figures": {"late": {"metric": "energy", "statistic": "mean", "unit": "N"}}},
            "figures.late.unit: energy is told in J, and nothing converts it; got 'N'; its unit is J",
        ),
        (
            {
                "spread": [{"path": "world.noise", "choice": [{"gyro": 0.1}, {"gyro": 0.2}]}],
                "axes": {"gyro": {"variants": {"loud": {"set": {"world.noise.gyro": 0.5}}}}},
            },
            "axes.gyro.variants.loud.set: each seed draws this value anew",
        ),
        (
            {
                "axes": {
                    "floor": {"variants": {"ice": {"set": {"world.friction": 0.1}}}},
                    "day": {"variants": {"any": {"spread": [FRICTION]}, "none": {}}},
                }
            },
            "axes.floor.variants.ice.set: each seed draws this value anew",
        ),
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
    """The second draw was taken twice, and the first one lost."""
    first = {"path": "world.slope", "uniform": [0.02, 0.02]}
    then = {"path": "world.slope", "uniform": [0.005, 0.005], "plus": True}
    figures = {
        "tilt": {"metric": "max_tilt", "statistic": "mean"},
        "drawn": {"metric": "drawn.world.slope", "statistic": "mean"},
    }
    code, sums = bench(tmp_path, "--json", spread=[first, then], figures=figures)
    assert code == 0
    whole = {"path": "world.slope", "uniform": [0.025, 0.025]}
    rows = [
        {row["name"]: row["value"] for row in json.loads(said)["rows"]}
        for said in (sums, bench(tmp_path, "--json", spread=[whole], figures=figures)[1])
    ]
    assert rows[0]["drawn"] == pytest.approx(0.025)
    assert rows[0] == pytest.approx(rows[1])


def test_variants_of_one_axis_may_set_what_another_one_of_it_draws(tmp_path):
    floors = {"variants": {"ice": {"set": {"world.friction": 0.1}}, "any": {"spread": [FRICTION]}}}
    assert bench(tmp_path, axes={"floor": floors})[0] == 0


def test_an_option_takes_the_place_of_what_seeds_draw(tmp_path):
    figures = {"drawn": {"metric": "drawn.world.friction", "statistic": "mean"}}
    code, said = bench(tmp_path, "--json", "--set", "world.friction=0.7", spread=[FRICTION], figures=figures)
    assert code == 0
    assert json.loads(said)["rows"][0]["value"] == 0.7


def test_more_seeds_than_an_experiment_may_have_are_refused_at_once(tmp_path):
    """A thousand millions of trials were listed before the first one began."""
    code, said = bench(tmp_path, "--seeds", "99999999999")
    assert code == 2
    assert "less than or equal to 1000000" in said


def test_results_go_into_a_file(tmp_path):
    code, said = bench(tmp_path, "--out", str(tmp_path))
    assert code == 2
    assert "--out: is a folder, and results are one file" in said

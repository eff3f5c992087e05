"""The get-up suite: its figures, its picture, and that a seed decides everything."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from andante.control.keyframes.configuration import EngineConfig
from andante.search.errors import SearchError
from andante.search.executor import InProcess, Processes
from andante.search.suites.getup import SUITE, causes, cell_data, cell_rows
from andante.search.suites.getup_options import GetUpOptions
from andante.search.suites.getup_picture import failure_picture
from andante.search.suites.getup_spread import SPREADS, spread_named, world_config
from andante.search.suites.getup_trial import GetUp, Setup, Stop, run_trial

STOP = Stop(time=1.5, block="rise", keyframe=2, why="torso <outside> its window", pitch=-0.5, roll=0.0)


def trial(seed, tries=1, stood=True, time=3.0, needless=None):
    return GetUp(
        seed=seed,
        stood=stood,
        tries=tries,
        time=time,
        motions=("recoverGeneric",),
        stops=(STOP,) * (tries - int(stood)),
        restarts=int(needless is not None),
        needless=needless,
        torque=0.5,
        saturated=0.25,
        speed=1.0,
        touching=0.1,
        hardest=100.0,
        waited=0.6,
        touches={"a-b": 3},
    )


def test_rows_count_tries_times_and_needless_restarts():
    trials = [trial(0, time=3.0), trial(1, time=4.0, needless=True), trial(2, tries=2), trial(3, tries=3, stood=False)]
    rows = {row.name: row for row in cell_rows("front", trials, asked=0.6)}
    assert rows["front: first try"].value == 0.5
    assert rows["front: first try"].ok is False
    assert rows["front: within 3 tries"].value == 0.75
    assert rows["front: time to stand, median"].value == 3.5
    assert rows["front: time to stand, median"].n == 2
    assert rows["front: needless restarts"].value == 0.25
    assert rows["front: with a restart"].value == 0.25
    # Four times 0.6 s of 3 + 4 + 3 + 3 s.
    assert rows["front: waiting for conditions"].value == pytest.approx(2.4 / 13.0, abs=1e-6)
    low, high = rows["front: first try"].interval
    assert low < 0.5 < high


def test_causes_are_counted_per_keyframe():
    trials = [trial(0, tries=2), trial(1), trial(2, tries=3, stood=False)]
    assert causes(trials) == [{"block": "rise", "keyframe": 2, "why": STOP.why, "times": 4}]
    data = cell_data("front", trials)
    assert data["touches"] == [{"pair": "a-b", "ticks": 9}]
    json.dumps(data, allow_nan=False)


def test_picture_is_xml_with_one_dot_per_stop():
    cells = [("front", [trial(0, tries=3)]), ("back", [trial(0)])]
    root = ElementTree.fromstring(failure_picture("A & B", cells))
    names = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert names.count("circle") == 2
    assert "No try failed." in failure_picture("none", [("back", [trial(0)])])


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no such start"), ("frnt", "mean 'front'"), ("front,front", "named twice"), ("front,up", "got 'up'")],
)
def test_unknown_starts_are_refused(text, message):
    with pytest.raises(SearchError, match=message):
        SUITE.cases(GetUpOptions(start=text))


def test_names_of_starts_and_spreads():
    assert GetUpOptions(start="back, front").starts == ("back", "front")
    assert spread_named("wide") is SPREADS["wide"]
    with pytest.raises(SearchError, match="standard"):
        spread_named("standrad")


def test_wide_world_holds_what_the_spread_says():
    config = world_config(SPREADS["wide"], "back", carpet=True)
    assert config.friction == (0.2, 1.4)
    assert config.command_delay == (1, 5)
    assert config.start.lying == "supine"
    assert config.carpet is not None
    assert {stretch.axis for stretch in config.stretches} == {"x", "y"}
    assert all(stretch.factor == (0.95, 1.05) for stretch in config.stretches)


@pytest.mark.parametrize("start", ["front", "back", "left", "right"])
def test_own_library_stands_up_from_every_side(start):
    result = run_trial(Setup("nao", start, SPREADS["none"]), 0)
    assert result.first_try
    assert result.time < 5.0
    assert result.torque <= 1.05


def test_a_seed_decides_everything_whatever_ran_before():
    setup = Setup("nao", "front", SPREADS["wide"], tries=1, hold=0.1)
    first = run_trial(setup, 3)
    run_trial(setup, 4)
    assert run_trial(setup, 3) == first
    assert run_trial(setup, 4) != replace(first, seed=4)


def test_results_do_not_depend_on_the_number_of_workers(tmp_path):
    options = GetUpOptions(spread="noisy", tries=1, seeds=2, picture=tmp_path / "x.svg")
    texts = []
    for executor in (InProcess(), Processes(2)):
        report = SUITE.run(options, executor)
        for path, write in report.files.items():
            write(path)
        texts.append((json.dumps(report.data()), options.picture.read_bytes()))
    assert texts[0] == texts[1]


def test_a_trial_that_may_not_end_its_try_runs_out_of_time():
    engine = EngineConfig(break_up=False, waits=False, balance=False)
    result = run_trial(Setup("nao", "back", SPREADS["none"], engine, time_limit=1.0), 0)
    assert not result.stood
    assert result.stops[-1].why == "time was over"
    assert result.stops[-1].block == "back_sit"


def test_real_library_gets_up(bhuman_folder):
    result = run_trial(Setup(str(bhuman_folder), "back", SPREADS["none"]), 0)
    assert result.first_try
    assert "back" in result.motions
    assert 4.0 < result.time < 6.0

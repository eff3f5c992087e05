"""Kick searches: points and documents, campaigns that any number of workers and any kill leave alike, libraries."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from andante.backends.backend import BackendError
from andante.documents.files import write_text
from andante.motions.kicks.postures import pose_keyframes
from andante.runs.kick.execute import run_kick
from andante.search.errors import SearchError
from andante.search.kicks.campaign import Budget, Campaign, Strategy
from andante.search.kicks.library import (
    answer,
    build_library,
    grid,
    load_kick_library,
    shipped_kick_libraries,
)
from andante.search.kicks.problem import KickProblem

PROBLEM = KickProblem((2.5, 0.75), "original", 3)
QUICK = Strategy(scouts=4, population=4, stale_limit=2)


def searched(campaign, budget, **more):
    value, point = campaign.run(budget, **more)
    return value, point.tolist()


@pytest.mark.parametrize("physics", ["original", "servos"])
@pytest.mark.parametrize("unlimited", [False, True])
def test_a_point_is_a_document_that_runs_alike(physics, unlimited, rng):
    problem = KickProblem((2.5, 0.75), physics, 3, unlimited)
    point = rng.uniform(size=problem.size)
    kick = problem.kick(point)
    assert run_kick(kick, physics).distance == problem.distance(point)
    again = problem.point(pose_keyframes(kick, problem.chain))
    np.testing.assert_allclose(again[:3], point[:3], atol=1e-9)
    for keyframe in problem.posed(point):
        assert unlimited or not problem.chain.outside(keyframe.angles).any()
        assert 0.1 <= keyframe.duration <= 1.0


@pytest.mark.slow
def test_any_number_of_workers_finds_the_same():
    budget = Budget(restarts=2)
    one = searched(Campaign(PROBLEM, 5, QUICK), budget)
    assert one == searched(Campaign(PROBLEM, 5, QUICK), budget, workers=2)
    assert one != searched(Campaign(PROBLEM, 6, QUICK), budget)


@pytest.mark.slow
def test_a_killed_campaign_goes_on_where_it_was(tmp_path):
    file = tmp_path / "state.json"
    whole = Campaign(PROBLEM, 5, QUICK)
    wanted = searched(whole, Budget(restarts=2))

    class KilledError(Exception):
        pass

    told = []

    def kill(progress):
        told.append(progress)
        if len(told) == 2:
            raise KilledError

    with pytest.raises(KilledError):
        Campaign(PROBLEM, 5, QUICK).run(Budget(restarts=2), checkpoint=file, tell=kill)
    again = Campaign(PROBLEM, 5, QUICK)
    again.resume(file)
    assert again.evaluations == told[-1].evaluations > 0
    assert searched(again, Budget(restarts=2), checkpoint=file) == wanted
    assert again.evaluations == whole.evaluations
    # A finished campaign answers from its file.
    done = Campaign(PROBLEM, 5, QUICK)
    done.resume(file)
    assert searched(done, Budget(restarts=2)) == wanted


def test_progress_never_gets_worse_and_stops_where_it_is_good_enough():
    seen = []
    value, _ = Campaign(PROBLEM, 5, QUICK).run(Budget(restarts=3, good=1.0), tell=lambda p: seen.append(p.best))
    assert value == seen[-1] <= 1.0
    assert seen == sorted(seen, reverse=True)


def test_a_hint_is_where_the_first_restart_begins(rng):
    point = rng.uniform(size=PROBLEM.size)
    campaign = Campaign(PROBLEM, 1, QUICK, (tuple(point.tolist()),))
    value, _ = campaign.run(Budget(restarts=1))
    assert value <= PROBLEM.distance(point)


def test_time_ends_a_campaign():
    campaign = Campaign(PROBLEM, 5, QUICK)
    value, _ = campaign.run(Budget(seconds=1e-6))
    assert math.isfinite(value)
    assert len(campaign.states) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 6}, "belongs to another search, seed differs; got 5; limit: 6; name another file"),
        (
            {"problem": replace(PROBLEM, target=(2.0, 0.5))},
            "belongs to another search, target differs; got [2.5, 0.75]; limit: [2.0, 0.5]; name another file",
        ),
    ],
)
def test_a_state_of_another_search_is_refused(tmp_path, change, message):
    file = tmp_path / "state.json"
    Campaign(PROBLEM, 5, QUICK).run(Budget(seconds=1e-6), checkpoint=file)
    with pytest.raises(SearchError) as caught:
        replace(Campaign(PROBLEM, 5, QUICK), **change).resume(file)
    assert str(caught.value).startswith(f"{file}: {message}")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"about": 1, "states": {"a": 1}, "ended": []}', "nonsense"])
def test_a_file_that_is_no_state_is_refused(tmp_path, text):
    write_text(tmp_path / "state.json", text)
    with pytest.raises(SearchError, match=r"state\.json: is no state of a kick search"):
        Campaign(PROBLEM, 5, QUICK).resume(tmp_path / "state.json")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Budget(), "budget: a campaign needs an end; limit: restarts or seconds"),
        (lambda: Budget(restarts=0), "restarts: at least one restart is needed; got 0; limit: >= 1"),
        (lambda: Budget(seconds=math.nan), "seconds: time must pass; got nan; limit: > 0 s"),
        (
            lambda: KickProblem((2.5, 0.75), "original", 13),
            "keyframes: no such number of keyframes; got 13; limit: 1 to 12",
        ),
        (lambda: grid([], [1.0]), "another number of targets; got 0; limit: 1 to 2500"),
    ],
)
def test_impossible_searches_are_refused(make, message):
    with pytest.raises(SearchError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.slow
def test_a_library_is_built_kept_and_completed(tmp_path):
    file, said = tmp_path / "library.yaml", []
    more = {"scouts": 50, "budget": Budget(restarts=1), "strategy": QUICK, "file": file, "tell": said.append}
    first = build_library(PROBLEM, grid([1.5], [0.3, 0.6]), 3, **more)
    assert len(said) == 2
    whole = build_library(PROBLEM, grid([1.5, 2.0], [0.3, 0.6]), 3, **more)
    assert len(said) == 4, "targets that are there are not searched again"
    assert whole.entries[:2] == load_kick_library(file).entries[:2]
    assert [e.distance for e in whole.entries[:2]] == pytest.approx([e.distance for e in first.entries])
    for entry in whole.entries:
        measured = run_kick(whole.kick(entry), "original").distance
        assert measured == pytest.approx(entry.distance, abs=1e-3)
    other = replace(PROBLEM, physics="corrected")
    with pytest.raises(SearchError, match="is a library of another search, physics differs"):
        build_library(other, grid([1.5], [0.3]), 3, **more)


@pytest.mark.slow
def test_an_answer_is_measured_and_at_least_as_good_as_its_neighbours():
    assert shipped_kick_libraries() == ("servos",)
    library = load_kick_library("servos")
    target = (2.0, 0.5)
    found = answer(library, target)
    assert run_kick(found.kick, library.physics).distance == pytest.approx(found.distance, abs=1e-3)
    nearest = sorted(library.entries, key=lambda e: math.dist(e.target, target))[:3]
    alone = [run_kick(library.kick(entry), library.physics, target=target).distance for entry in nearest]
    assert found.distance <= min(alone) + 1e-3
    assert found.distance < 0.1
    with pytest.raises(BackendError, match=r"target\.x: the target is outside the world"):
        answer(library, (5.0, 0.5))


def test_unknown_libraries_are_told():
    with pytest.raises(SearchError) as caught:
        load_kick_library("servo")
    assert str(caught.value) == (
        "no such kick library, neither shipped nor a file; got 'servo'; did you mean 'servos'?; legal: servos"
    )


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.slow
def test_the_state_file_is_json_and_whole_after_every_slice(tmp_path):
    file = tmp_path / "state.json"
    Campaign(PROBLEM, 5, QUICK).run(
        Budget(restarts=2), checkpoint=file, tell=lambda _: json.loads(file.read_text())["states"]
    )
    assert json.loads(file.read_text())["ended"] == [0, 1]

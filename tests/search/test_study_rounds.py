"""Rounds of a study: from the best so far, in ranges that move, on other sides, with the same bytes however it runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.errors import AndanteError
from andante.search.executor import InProcess, Processes
from andante.search.studies import climbing
from andante.search.studies.asking import Batch, strategy_from
from andante.search.studies.conditions import Conditions
from andante.search.studies.document import Study
from andante.search.studies.files import JOURNAL
from andante.search.studies.goals import completed
from andante.search.studies.optimise import BEST, RESULT, optimise
from andante.search.studies.problem import Evaluation, Problem
from andante.search.studies.solving import StagedSearch
from andante.search.studies.space import NumberPlace, SearchedNumber, fitting_names

SEEDS = {"validation": {"first": 100000, "count": 40}, "verdict": {"first": 200000, "count": 2}}


def number(name, kind="around", limit=10.0):
    place = NumberPlace("motion", ("blocks", name, "joints", "knee"), 0.0, 1.0, -limit, limit)
    return SearchedNumber((place,), kind, -0.5, 0.5)


def asked(**changes):
    stage = {"type": "rounds", "rounds": 6, "population": 8, "generations": 9, "seeds": 2} | changes
    return Study.model_validate({"stages": [stage], "seeds": SEEDS, "objectives": [{"metric": "passed", "weight": 1}]})


def solved(study, value, numbers, good=lambda point, seed: False):
    """Run a search on a formula; returns it and the batches that it asked for."""
    batches = []
    search = StagedSearch(study, (0.5,) * len(numbers), Conditions(), numbers=numbers)
    asking = search.solve()
    batch = next(asking)
    try:
        while True:
            assert isinstance(batch, Batch)
            batches.append(batch)
            told = [[Evaluation(value(p, s), good(p, s)) for s in batch.seeds] for p in batch.points]
            batch = asking.send(told)
    except StopIteration:
        return search, batches


def test_rounds_follow_an_optimum_far_outside_the_first_ranges():
    numbers = [number("one"), number("two")]
    search, _ = solved(asked(), lambda p, s: -math.hypot(p[0] - 2.5, p[1] + 1.0), numbers)
    # A quarter of the way would be all that the unit box allows.
    assert np.allclose(search.leader.point, (2.5, -1.0), atol=0.1)


def test_a_number_with_an_absolute_range_stays_in_it():
    numbers = [number("one", kind="range"), number("two")]
    search, batches = solved(asked(), lambda p, s: p[0] + p[1], numbers)
    assert search.leader.point[1] > 1.5
    assert all(0.0 <= point[0] <= 1.0 for batch in batches for point in batch.points)


def test_a_stage_changes_only_what_it_names():
    numbers = [number("roll"), number("front_push")]
    search, _ = solved(asked(only=["blocks.front_*"]), lambda p, s: p[0] + p[1], numbers)
    assert search.leader.point[0] == 0.5
    assert search.leader.point[1] > 1.0
    assert fitting_names([each.name for each in numbers], ["blocks.*.joints.knee"]) == [0, 1]


def test_candidates_that_promise_little_are_judged_by_the_first_seeds_only():
    numbers = [number("one")]
    _, poor = solved(asked(rounds=1, generations=3), lambda p, s: p[0], numbers, lambda p, s: s % 2 == 0)
    judged = [batch for batch in poor if "validation" in batch.key]
    assert {len(batch.seeds) for batch in judged} == {20}
    # 19 of the first 20 and 38 of all 40 succeed: less than what ends the stage, enough to be tried on all.
    search, rich = solved(asked(rounds=1, generations=3), lambda p, s: p[0], numbers, lambda p, s: s % 20 != 7)
    assert search.leader.seeds == 40
    assert search.leader.share == pytest.approx(0.95)
    assert any(batch.key.endswith("validation from 20") for batch in rich)


def test_all_seeds_are_for_those_of_which_most_succeed():
    seeds = {**SEEDS, "validation": {"first": 100000, "count": 100}}
    study = asked(rounds=1, generations=3).model_copy(update={"seeds": Study.model_validate({"seeds": seeds}).seeds})
    judged = {}
    for bad in (10, 50):
        search, batches = solved(study, lambda p, s: p[0], [number("one")], lambda p, s, bad=bad: s % bad != 7)
        judged[bad] = [len(each.seeds) for each in batches if "validation" in each.key]
    assert judged == {10: [20, 60] * 2, 50: [20, 60, 20]}
    assert (search.leader.seeds, search.leader.share) == (100, pytest.approx(0.98))


def test_the_stage_ends_when_enough_of_all_validation_seeds_succeed():
    numbers = [number("one")]
    search, batches = solved(asked(), lambda p, s: p[0], numbers, lambda p, s: s != 100007)
    assert search.leader.share == pytest.approx(0.975)
    assert [batch.key for batch in batches] == ["start validation", "start validation from 20"]


def test_worlds_become_harder_and_seeds_more_once_much_succeeds():
    numbers, stage = [number("one")], {"rounds": 1, "generations": 1, "race": 0, "harder": 1.4}
    _, early = solved(asked(**stage), lambda p, s: p[0], numbers)
    _, late = solved(asked(**stage), lambda p, s: p[0], numbers, lambda p, s: s % 4 > 0)
    assert [(each.conditions.harder, len(each.seeds)) for each in early if each.key.endswith(" 0")] == [(1.0, 2)]
    assert [(each.conditions.harder, len(each.seeds)) for each in late if each.key.endswith(" 0")] == [(1.4, 4)]


def test_a_stage_in_another_world_judges_the_best_anew_and_its_trials_are_there():
    stages = [
        {"type": "rounds", "rounds": 1, "generations": 1, "set": {"world.start.lying": "left"}},
        {"type": "rounds", "rounds": 1, "generations": 1},
    ]
    study = asked().model_copy(update={"stages": Study.model_validate({"stages": stages}).stages})
    _, batches = solved(study, lambda p, s: p[0], [number("one")])
    lying = {each.key: dict(each.conditions.changes).get("world.start.lying") for each in batches}
    assert lying["start validation"] is None
    assert lying["1 rounds begin validation"] == "left"
    assert lying["1 rounds round 1 0 race"] == "left"
    assert lying["2 rounds begin validation"] is None
    assert lying["2 rounds round 1 0 race"] is None


def framed(block, frame, joint="knee"):
    place = NumberPlace("motion", ("blocks", block, "keyframes", frame, "joints", joint), 0.0, 1.0, -10.0, 10.0)
    return SearchedNumber((place,), "around", -0.5, 0.5)


def stands_up(point, seed):
    """Fold, push and rise: how far the fold is from its best tells always, the others only from near their own."""
    fold, push, rise = point
    near = max(0.0, 0.15 - abs(push - 0.9)) * max(0.0, 0.15 - abs(rise - 0.1))
    return -abs(fold - 0.8) + (100.0 * near if abs(fold - 0.8) < 0.1 else 0.0)


RISES = {"rounds": 6, "population": 6, "generations": 4, "rotate": 2, "seeds": 1, "race": 0}


def test_after_a_round_without_success_what_follows_a_keyframe_is_drawn_anew():
    numbers = [framed("fold", 0), framed("fold", 1), framed("rise", 0)]
    search, batches = solved(asked(**RISES), stands_up, numbers, lambda p, s: stands_up(p, s) > 0.8)
    wide = [batch for batch in batches if " wide " in batch.key and "again" not in batch.key]
    assert wide[0].key == "1 rounds wide 1 0"
    assert search.leader.share == 1.0
    first = wide[0].points[0]
    drawn = [point for batch in wide[:6] for point in batch.points[1:]]
    # What comes first is what the round came to, and the rise is drawn whenever the push is.
    assert {point[0] for batch in wide[:1] for point in batch.points} == {first[0]}
    assert all(point[2] != first[2] for point in drawn)
    assert 0.2 < sum(point[1] != first[1] for point in drawn) / len(drawn) < 0.8
    # Once something stands, none is drawn.
    stood = next(at for at, batch in enumerate(batches) if batch.key == wide[-1].key)
    assert not any(" wide " in batch.key for batch in batches[stood + 2 :])


def test_without_the_wide_look_the_rise_is_not_found():
    numbers = [framed("fold", 0), framed("fold", 1), framed("rise", 0)]
    search, batches = solved(asked(**RISES, wide=0), stands_up, numbers, lambda p, s: stands_up(p, s) > 0.8)
    assert search.leader.share == 0.0
    assert not any(" wide " in batch.key for batch in batches)


def test_where_nothing_is_drawn_anew_steps_grow_after_rounds_that_found_nothing(monkeypatch):
    begun = []

    def noted(point, population, sigma, rng):
        begun.append(sigma)
        return strategy_from(point, population, sigma, rng)

    monkeypatch.setattr(climbing, "strategy_from", noted)
    solved(asked(rounds=3, generations=2, wide=0), lambda p, s: 1.0, [framed("fold", 0), framed("rise", 0)])
    assert begun == pytest.approx([0.08, 0.12, 0.18])
    begun.clear()
    solved(asked(rounds=3, generations=2), lambda p, s: 1.0, [number("one"), number("two")])
    assert begun == pytest.approx([0.08, 0.12, 0.18])


def test_motions_of_one_keyframe_and_scenarios_have_nothing_that_follows():
    for numbers in ([framed("fold", 0), framed("fold", 0, "hip")], [number("one"), number("two")]):
        _, batches = solved(asked(**RISES), lambda p, s: p[0], numbers)
        assert not any(" wide " in batch.key for batch in batches)


def test_conditions_that_change_nothing_are_told_as_before():
    assert Conditions(harder=1.2).told() == {"timestep": None, "steps": 1.0, "harder": 1.2, "durations": 1.0}


NAO = {
    "name": "rounds",
    "experiment": "getup",
    "library": "nao",
    "robot": "nao",
    "set": {"timeout": 0.2, "world.start.settle.duration": 0.2},
    "parameters": [
        {"path": "blocks.front_fold.keyframes[*].duration", "factor": [0.5, 2.0]},
        {"path": "blocks.front_fold.keyframes[0].joints.LHipPitch", "around": [-0.2, 0.1], "mirrored": True},
    ],
    "objectives": [{"metric": "rise.mean", "weight": 1.0}, {"metric": "rise.near", "weight": 0.5}],
    "stages": [
        {
            "type": "rounds",
            "rounds": 1,
            "population": 4,
            "generations": 1,
            "seeds": 1,
            "race": 0,
            "quick": 2,
            "only": ["*.duration"],
            "set": {"world.start.lying": "supine"},
        },
        {
            "type": "rounds",
            "rounds": 2,
            "population": 4,
            "generations": 1,
            "seeds": 1,
            "race": 0,
            "quick": 2,
            # More than are drawn at once.
            "wide": 30,
        },
    ],
    "seeds": {"validation": {"first": 100000, "count": 2}, "verdict": {"first": 200000, "count": 1}},
}


def files(folder):
    return {name: (folder / name).read_bytes() for name in (JOURNAL, BEST, RESULT)}


@pytest.mark.slow
def test_rounds_give_the_same_bytes_with_two_workers_and_from_a_journal_that_was_cut(tmp_path):
    study = Study.model_validate(NAO)
    optimise(study, tmp_path / "whole", InProcess(), pictures=False)
    whole = files(tmp_path / "whole")
    optimise(study, tmp_path / "two", Processes(2), pictures=False)
    assert files(tmp_path / "two") == whole
    lines = whole[JOURNAL].splitlines(keepends=True)
    (tmp_path / "cut").mkdir()
    # In the last round, so that all stages are read again and some of what is left is searched.
    at = max(number for number, line in enumerate(lines) if b"round 2" in line)
    (tmp_path / "cut" / JOURNAL).write_bytes(b"".join(lines[:at]) + lines[at][:9])
    optimise(study, tmp_path / "cut", InProcess(), resume=True, pictures=False)
    assert files(tmp_path / "cut") == whole


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"only": ["blocks.front_flod.*"]}, "fits none of the study's numbers"),
        ({"set": {"world.start.lying": "upside"}}, "prone"),
        ({"set": {"world.start.lie": "prone"}}, "lying"),
    ],
)
def test_what_a_stage_names_wrongly_is_told_before_the_first_trial(change, told):
    stages = [{**NAO["stages"][1], **change}]
    with pytest.raises(AndanteError, match=told):
        Problem(Study.model_validate({**NAO, "stages": stages}))


@pytest.mark.slow
def test_a_goal_searches_front_roll_and_both_and_a_study_with_stages_of_its_own_only_the_roll(tmp_path):
    whole = completed(Study(goal="get-up back", robot="nao"), tmp_path / "whole")
    assert [stage.type for stage in whole.stages] == ["rounds"] * 3
    assert whole.stages[0].set == {"world.start.lying": "prone"}
    problem = Problem(whole)
    # Goals and gains of the capture point are searched: a world in which nothing obeys them would find nothing.
    assert problem.setup.base.controller.balance
    names = [number.name for number in problem.space.parameters]
    changed = [{names[at].split(".")[1] for at in fitting_names(names, stage.only)} for stage in whole.stages]
    assert changed == [{"front_push", "front_rise"}, {"roll_over"}, {"front_push", "front_rise", "roll_over"}]
    assert whole.budget.seconds <= 20 * 60
    stages = Study.model_validate({"stages": [{"type": "polish"}]}).stages
    own = completed(Study(goal="get-up back", robot="nao", stages=stages), tmp_path / "own")
    assert {path.path.split(".")[1] for path in own.parameters} == {"roll_over"}
    assert own.seeds.validation.count == 20
    assert "rise.near" not in [each.metric for each in own.objectives]

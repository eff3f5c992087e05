"""The fault table: its cells, verdicts and text by hand, and that a fault begins where it is asked to."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from andante.motions.storage import load_library
from andante.runs.motion_libraries import load_motions
from andante.search.errors import SearchError
from andante.search.suites.getup import SUITE, GetUpOptions, get_up, setup_for
from andante.search.suites.getup_tables import (
    JOINT,
    PLACES,
    VARIANTS,
    Trouble,
    TroubleOutcome,
    cell_data,
    fault_rows,
    fault_text,
    read_place,
    troubles,
)


def cell(place, plain, without, with_it, everything, n=12, amount=0.6):
    counts = dict(zip(VARIANTS, (plain, without, with_it, everything), strict=True))
    return TroubleOutcome(
        Trouble("back", place, amount), {name: (True,) * k + (False,) * (n - k) for name, k in counts.items()}
    )


HELPED = cell("fromSitting[4]", 1, 1, 12, 12)
HARMED = cell("fromSitting[3]", 8, 12, 6, 12)
DRY = cell("", 0, 5, 4, 9, amount=4.0)


def test_rows_sum_up_and_name_the_worst_cell():
    rows = {row.name: row for row in fault_rows([HELPED, HARMED, DRY], asked=0.95)}
    assert rows["back: plain"].value == pytest.approx(9 / 36)
    assert rows["back: + compensation"].value == pytest.approx(22 / 36)
    assert rows["cells that compensation helps"].value == 1
    assert rows["cells that compensation harms"].value == 1
    assert rows["cells that compensation harms"].ok is False
    worst = rows["worst with everything (back: friction + 4 N m)"]
    assert worst.value == 0.75
    assert worst.ok is False


def test_one_lost_pair_is_no_harm():
    # 12 against 11 of the same seeds: chance alone does that in one of two tables.
    rows = {row.name: row for row in fault_rows([cell("x[0]", 0, 12, 11, 12)])}
    assert rows["cells that compensation harms"].value == 0


def test_text_has_a_line_per_place_and_marks_what_is_beyond_chance():
    lines = fault_text([HELPED, HARMED, DRY])
    assert lines[2].split() == ["back:", "fromSitting[4]", "1/1/12/12+"]
    assert lines[3].split() == ["back:", "fromSitting[3]", "8/12/6/12-"]
    assert lines[-1].split() == ["back", "0/5/4/9"]


def test_data_holds_the_pairs_with_their_interval():
    helped, harmed = cell_data(HELPED), cell_data(HARMED)
    found = helped["compensation"]
    assert (found["won"], found["lost"], found["verdict"]) == (11, 0, "helps")
    assert found["difference"] == pytest.approx(11 / 12)
    assert found["interval"][0] > 0.0
    assert harmed["compensation"]["interval"][1] < 0.0
    json.dumps([helped, harmed], allow_nan=False)


def test_every_place_of_the_shipped_library_is_in_it():
    found = {f"{t.start}:{t.place}" for t in troubles("nao", durations=(0.6,), frictions=())}
    assert found == set(PLACES["back_rise"])


def test_every_place_of_the_real_library_is_in_it(bhuman_folder):
    assert len(troubles(str(bhuman_folder))) == 9 * 3 + 2 * 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("back", r"start:block\[keyframe\].*such as back:"),
        ("up:back_rise[0]", "start is one of front, back"),
        ("back:back_ris[0]", "did you mean 'back_rise'"),
        ("back:back_rise[9]", r"no such keyframe; got 9; limit: 0\.\.1"),
    ],
)
def test_what_is_no_place_is_named(text, message):
    with pytest.raises(SearchError, match=message):
        read_place(text, load_motions("nao"))


def test_a_library_without_known_places_needs_them(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("format: andante.motions\nversion: 1\nrobot: nao\n", encoding="utf-8")
    assert load_library(path).robot == "nao"
    with pytest.raises(SearchError, match="name them with --at"):
        troubles(str(path))


@pytest.mark.slow
def test_a_joint_that_locks_in_the_rise_changes_the_get_up_from_there_on():
    trouble, once = Trouble("back", "back_rise[0]", 1.0), {"observers.get-up.tries": 1, "timeout": 8.0}
    free, locked = (
        get_up(setup_for("back", spread="none", faults=faults, changes=once), 0)
        for faults in ((), (trouble.fault("LHipYawPitch"),))
    )
    assert free.first_try
    assert locked != free


def test_cells_come_in_order_with_one_outcome_per_seed_and_variant():
    places, amounts = ("back:back_rise[1]", "back:back_rise[0]"), (0.3, 1.0)
    options = GetUpOptions(faults=True, at=places, lasting=amounts, spread="none", tries=2, first_seed=5, seeds=2)
    cases = SUITE.cases(options)
    assert [case.seed for case in cases] == [5, 6] * 16
    assert [case.setup.observers["get-up"]["tries"] for case in cases[:8]] == [1, 1, 1, 1, 1, 1, 2, 2]
    results: dict[str, list[SimpleNamespace]] = {}
    for case in cases:
        told = SimpleNamespace(metrics={"get-up": {"stood": case.seed == 5}})
        results.setdefault(case.group, []).append(told)
    data = SUITE.report(options, results).data()
    assert [(cell["place"], cell["amount"]) for cell in data["cells"]] == [
        ("back_rise[1]", 0.3),
        ("back_rise[1]", 1.0),
        ("back_rise[0]", 0.3),
        ("back_rise[0]", 1.0),
    ]
    variants = data["cells"][0]["variants"]
    assert {name: each["trials"] for name, each in variants.items()} == {key: [True, False] for key in VARIANTS}


@pytest.mark.slow
def test_pauses_bring_robots_with_a_dry_hip_up():
    faults, once = [Trouble("back", "", 4.0).fault(JOINT)], {"observers.get-up.tries": 1}
    setup = setup_for("back", faults=faults, changes=once)
    without = setup_for("back", faults=faults, changes={**once, "controller.pauses": False})
    seeds = range(305, 309)
    assert sum(get_up(setup, seed).stood for seed in seeds) >= 3
    assert sum(get_up(without, seed).stood for seed in seeds) <= 1

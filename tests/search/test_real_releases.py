"""The real keyframe files of four releases stand up, each by its own rules (folder: ANDANTE_BHUMAN_CFG)."""

from __future__ import annotations

import pytest

from andante.runs.motion_libraries import load_motions
from andante.search.experiment.cases import read_fault
from andante.search.suites.getup import get_up, setup_for

SEEDS = (78000, 78001, 78002)


def release(folder, year):
    """The folder of a release's files; those of 2024 lie at the top."""
    path = folder if year == "2024" else folder / year
    if not (path / "keyframeMotionEngine.cfg").is_file():
        pytest.skip(f"needs B-Human's files of {year} in {path} (CONTRIBUTING.md)")
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["front", "back"])
@pytest.mark.parametrize("year", ["2022", "2023", "2024", "2025"])
def test_get_ups_of_every_release(bhuman_folder, year, start):
    setup = setup_for(start, library=release(bhuman_folder, year))
    trials = [get_up(setup, seed) for seed in SEEDS]
    assert all(trial.stood and trial.tries <= 3 for trial in trials)
    if year in ("2024", "2025"):
        assert all(trial.first_try for trial in trials)


@pytest.mark.slow
def test_the_front_get_up_of_2025_needs_the_rule_of_2025(bhuman_folder):
    """With the flag that ends its push never set, the wait of 410 ms runs out in every try; here it ends when the trunk
    is up or swings back."""
    library = load_motions(release(bhuman_folder, "2025"))
    waits = library.blocks["front"].keyframes[4].waits
    assert [(wait.variable.value, round(wait.max_wait, 9)) for wait in waits] == [("another_front_hack", 0.41)]
    trial = get_up(setup_for("front", library=release(bhuman_folder, "2025"), spread="none"), 78000)
    assert trial.first_try
    assert trial.waited < 0.41


@pytest.mark.slow
@pytest.mark.parametrize("knee", ["LKneePitch", "RKneePitch"])
def test_a_locked_knee_is_told_with_real_files_too(bhuman_folder, knee):
    setup = setup_for(
        "front",
        library=release(bhuman_folder, "2024"),
        spread="none",
        faults=[read_fault(f"stuck:{knee}", "nao", "--fault")],
        changes={"observers.get-up.tries": 6},
    )
    trial = get_up(setup, 78000)
    assert not trial.stood
    assert trial.stops[-1].why == f"asked for help: {knee} does not move, whatever is asked"
    assert trial.time < 15.0

"""The real keyframe files of four releases stand up, each by its own rules (folder: ANDANTE_BHUMAN_CFG)."""

from __future__ import annotations

import pytest

from andante.search.suites.getup_spread import spread_named
from andante.search.suites.getup_trial import Setup, library_for, run_trial

SEEDS = (78000, 78001, 78002)


def release(folder, year):
    """The folder of a release's files; those of 2024 lie at the top."""
    path = folder if year == "2024" else folder / year
    if not (path / "keyframeMotionEngine.cfg").is_file():
        pytest.skip(f"needs B-Human's files of {year} in {path} (CONTRIBUTING.md)")
    return str(path)


@pytest.mark.parametrize("start", ["front", "back"])
@pytest.mark.parametrize("year", ["2022", "2023", "2024", "2025"])
def test_get_ups_of_every_release(bhuman_folder, year, start):
    setup = Setup(release(bhuman_folder, year), start, spread_named("standard"), ask_again=False)
    trials = [run_trial(setup, seed) for seed in SEEDS]
    assert all(trial.stood and trial.tries <= 3 for trial in trials)
    if year in ("2024", "2025"):
        assert all(trial.first_try for trial in trials)


def test_the_front_get_up_of_2025_needs_the_rule_of_2025(bhuman_folder):
    """With the flag that ends its push never set, the wait of 410 ms runs out in every try; here it ends when the trunk
    is up or swings back."""
    library = library_for(release(bhuman_folder, "2025"))
    waits = library.blocks["front"].keyframes[4].waits
    assert [(wait.variable.value, round(wait.max_wait, 9)) for wait in waits] == [("another_front_hack", 0.41)]
    setup = Setup(release(bhuman_folder, "2025"), "front", spread_named("none"), ask_again=False)
    trial = run_trial(setup, 78000)
    assert trial.first_try
    assert trial.waited < 0.41


@pytest.mark.parametrize("knee", ["LKneePitch", "RKneePitch"])
def test_a_locked_knee_is_told_with_real_files_too(bhuman_folder, knee):
    from andante.search.suites.getup_options import read_fault

    setup = Setup(
        release(bhuman_folder, "2024"), "front", spread_named("none"), faults=(read_fault(f"stuck:{knee}"),), tries=6
    )
    trial = run_trial(setup, 78000)
    assert not trial.stood
    assert trial.stops[-1].why == f"asked for help: {knee} does not move, whatever is asked"
    assert trial.time < 15.0

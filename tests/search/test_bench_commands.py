"""The tables of `andante bench` on the command line: JSON, exit codes, and options that do not go together."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.cli.bench import suite_command
from andante.search.suites.registry import load_suite, suite_names, told


def bench(*words):
    return CliRunner().invoke(app, ["bench", *words])


@pytest.mark.slow
def test_fault_table_of_one_place_is_json_with_the_pairs(tmp_path):
    path = tmp_path / "table.json"
    words = ("getup", "--faults", "--at", "back:back_rise[1]", "--lasting", "0.3", "--spread", "none", "--tries", "1")
    found = bench(*words, "--seeds", "1", "--asked", "0", "--out", str(path))
    assert found.exit_code in (0, 1)
    assert "back: back_rise[1]" in found.stdout
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["suite"] == "getup-faults"
    assert [cell["amount"] for cell in data["cells"]] == [0.3]
    assert set(data["cells"][0]["compensation"]) >= {"won", "lost", "interval", "verdict"}


@pytest.mark.slow
def test_fall_misses_what_cannot_be_met():
    found = bench(
        "fall", "--direction", "forward", "--seeds", "1", "--first-seed", "1", "--at-most", "0.0001", "--json"
    )
    assert found.exit_code == 1
    data = json.loads(found.stdout)
    assert data["suite"] == "fall"
    assert {"fall", "limp", "stiff"} <= set(data["cells"][0]["trials"][0]["metrics"])


OPTIONS = {
    "motion": "page asked first-seed friction library motion robot seeds start set",
    "scenario": "page asked first-seed seeds set",
    "aibo": "asked first-seed friction library motion seeds",
    "openr": "every library motion physics",
    "getup": "page ablate asked at balance branches break-up compensation fault faults first-seed lasting library "
    "no-balance no-branches no-break-up no-compensation no-pauses no-waits pauses picture seeds spread start "
    "tries waits robot set",
    "getup-board": "entrant first-seed ground-truth library page policy robot seeds set spread start step",
    "fall": "page again at-most contact-time direction first-seed library seeds set spread",
    "kick": "page ball direction distance first-seed foot library motion on-feet seeds time set",
    "boards": "as-file at-least boards controller csv difficulty first-seed friction gains load map-correlation "
    "map-error "
    "map-shift map-window effort payload picture pose-noise robot row seeds set speed speed-limit torque",
    "quadruped": "page clock first-seed minutes phases robot robots seconds seeds set table",
}
"""Options that commands in results and pages use; each stays."""
SHARED = "journal json out resume status workers cluster save history twins trial-limit trial-memory"


@pytest.mark.parametrize("name", suite_names())
def test_the_commands_have_the_options_that_are_documented(name):
    found = suite_command(load_suite(name), told(name)).params
    options = {flag.removeprefix("--") for each in found for flag in (*each.opts, *each.secondary_opts)}
    arguments = {"scenario"} if name == "scenario" else set()
    assert options - {"help"} == set(f"{OPTIONS[name]} {SHARED}".split()) | arguments
    # Each is told in one line at least, with its bounds.
    shown = bench(name, "--help").stdout
    assert all(f"--{each}" in shown for each in SHARED.split())
    assert "x>=1" in shown


def test_an_unknown_suite_is_one_message_with_the_legal_names():
    refused = bench("getpu")
    assert refused.exit_code == 2
    legal = ", ".join(suite_names())
    assert "getup, getup-board, fall, boards, quadruped, aibo" in legal
    assert refused.stderr == (
        f"andante: there is no such suite; got 'getpu'; did you mean 'getup'?; legal: {legal}; "
        "or name the file of an experiment\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("motion --library nao-basics --motion wavee --seeds 1", "seed 1000: motions: the library has no such motion"),
        ("getup --lasting 0 --faults", "--lasting: Input should be greater than or equal to 0.01; got 0.0"),
        ("getup --spread standrad", "--spread: there is no such spread; got 'standrad'; did you mean 'standard'?"),
        ("fall --direction up", "--direction: there is no such direction; got 'up'; legal: forward, backward"),
        ("kick --seeds 1 --out nowhere/r.json", "nowhere/r.json.journal: No such file or directory"),
        ("kick --resume", "there is no journal to go on with; name --out or --journal as before"),
        ("kick --resume --out nowhere/r.json", "r.json.journal: is not there, so nothing can be resumed; leave --res"),
    ],
)
def test_bad_input_is_one_message(words, message):
    refused = bench(*words.split())
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"andante: {message}") or message in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--faults", "--ablate"), "two tables; ask for one at a time"),
        (("--faults", "--no-waits"), "its own variants of the engine"),
        (("--at", "back:back_rise[1]"), "--at and --lasting belong to a table"),
        (("--ablate", "--at", "back:bak_rise[1]"), "did you mean 'back_rise'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words, message):
    found = bench("getup", *words, "--seeds", "1")
    assert found.exit_code == 2
    assert message in found.stderr

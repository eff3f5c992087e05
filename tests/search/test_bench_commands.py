"""The tables of `andante bench` on the command line: JSON, exit codes, and options that do not go together."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from andante.cli.app import app


def bench(*words):
    return CliRunner().invoke(app, ["bench", *words])


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


def test_fall_misses_what_cannot_be_met():
    found = bench(
        "fall", "--direction", "forward", "--seeds", "1", "--first-seed", "1", "--at-most", "0.0001", "--json"
    )
    assert found.exit_code == 1
    data = json.loads(found.stdout)
    assert data["suite"] == "fall"
    assert {trial["way"] for trial in data["trials"]} == {"engine", "limp", "stiff"}


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

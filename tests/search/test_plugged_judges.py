"""Judges that a program or a package brings: what is wrong with one is told by its name."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import andante
from andante.cli.app import app
from andante.search.judging.judges import JUDGES, Judge


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        (Judge("a typo", set={"world.fricton": 0.3}), "world.fricton: world has no such field; got 'fricton'"),
        (Judge("no engine", backend="my-engine"), "there is no such kind of backend; got 'my-engine'"),
        (Judge("no number", set={"world.friction": "wet"}), "world.friction"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_named(judge, says):
    """Whoever asked for it by its name was told of a field that they had not written."""
    andante.register("judges", "mine", judge)
    try:
        done = CliRunner().invoke(app, ["judge", "nao/wave", "--in", "mine", "--seeds", "1"])
    finally:
        JUDGES.unregister("mine")
    assert done.exit_code == 2
    told = " ".join(done.output.split())
    assert told.startswith("andante: judge 'mine' of program cannot be asked: ")
    assert says in told

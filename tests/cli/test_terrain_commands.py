"""`andante reach` and `andante boards` as a user meets them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.terrain.boards.make import BOARDS


def call(*words: str):
    return CliRunner().invoke(app, list(words))


def test_reach_tells_volume_and_limits_and_draws(tmp_path):
    picture, page = tmp_path / "a.png", tmp_path / "a.html"
    done = call("reach", "--foot", "FL=30,0,60", "--pitch", "-10", "--out", str(picture), "--out", str(page))
    assert done.exit_code == 0
    assert "LittleDog: the body has 1" in done.output
    assert "of its edge: FL FL_roll (limit)" in done.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "where the base can be" in page.read_text(encoding="utf-8")


def test_reach_gives_json():
    data = json.loads(call("reach", "--without", "HR", "--json").stdout)
    assert data["volume"] > 0.002
    assert sum(each["share"] for each in data["limits"]) == pytest.approx(1.0)
    assert "HR" not in {each["foot"] for each in data["limits"]}


def test_boards_are_listed_made_and_drawn(tmp_path):
    listed = call("boards")
    assert listed.exit_code == 0
    assert len(listed.output.splitlines()) == len(BOARDS)
    picture = tmp_path / "mesa.png"
    made = json.loads(call("boards", "mesa", "--set", "height=0.108", "--draw", str(picture), "--json").stdout)
    assert made["facts"]["largest_step"] == pytest.approx(0.108)
    assert picture.is_file()
    scaled = json.loads(call("boards", "mesa", "--robot", "littledog", "--json").stdout)
    assert scaled["extent"][1] == pytest.approx(2.0, abs=0.01)


def test_a_terrain_file_is_read(tmp_path):
    path = tmp_path / "grid.csv"
    path.write_text("\n".join(f"{0.1 * i} {0.1 * j} {0.01 * i}" for i in range(5) for j in range(4)))
    done = call("boards", str(path), "--json")
    assert json.loads(done.stdout)["facts"]["highest"] == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["boards", "mesas"], "did you mean 'mesa'?"),
        (["boards", "mesa", "--difficulty", "2"], "difficulty is out of range"),
        (["boards", "mesa", "--set", "height"], "--set: give NAME=NUMBER; got 'height'"),
        (["boards", "none.stl"], "the file cannot be read"),
        (["reach", "--foot", "FX=1,2,3"], "has no such foot; got 'FX'"),
        (["reach", "--foot", "FL=1,2"], "give NAME=dx,dy,dz"),
        (["reach", "--out", "a.pdf"], "there is no such kind of picture; got '.pdf'; legal: .png, .svg, .html"),
        (["boards", "mesa", "--draw", "a.gif"], "there is no such kind of picture; got '.gif'; legal: .png, .svg"),
        (["boards", "mesa", "--draw", "none/a.png"], "none/a.png: cannot be written: No such file or directory"),
        (["reach", "--robot", "nao"], "the leg must have three joints"),
        (["reach", "--spacing", "0"], "spacing of a grid must be above zero"),
    ],
)
def test_bad_input_is_one_message(words, message):
    done = call(*words)
    assert done.exit_code == 2
    assert message in done.output
    assert len(done.output.splitlines()) == 1

"""What a notebook shows: short texts, cards, pictures and tables."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import andante
from andante.robots.graphics import GraphicsError
from andante.robots.records import Field, Layout, scalar
from andante.runs.errors import LogError
from andante.runs.evaluation.metrics import Metrics
from andante.runs.evaluation.story import Moment
from andante.runs.logs.log import ChannelRows, Log

LAYOUT = Layout("sensors", (scalar("time", "s"), Field("position", ("knee", "hip"), "rad"), scalar("voltage", "V")))


def log() -> Log:
    rows = np.array([[0.0, 1.0, 2.0, 9.0], [0.5, 3.0, 4.0, 8.0]])
    return Log({"sensors": ChannelRows(LAYOUT, np.array([0, 500_000_000]), rows)})


@pytest.mark.slow
def test_a_channel_or_a_field_is_a_table_over_time() -> None:
    pytest.importorskip("pandas", reason="needs pandas (pip install 'andante[notebook]')")
    whole = log().frame("sensors")
    assert list(whole.columns) == ["position.knee", "position.hip", "voltage"]
    assert whole.index.name == "time"
    assert whole.loc[0.5, "position.hip"] == 4.0
    part = log().frame("sensors.position")
    assert part["knee"].tolist() == [1.0, 3.0]
    assert log().frame("sensors.voltage")["voltage"].tolist() == [9.0, 8.0]
    assert list(log().event_frame().columns) == ["time", "kind", "text"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sensor", "the log has no such channel; got 'sensor'; did you mean 'sensors'?"),
        ("sensors.positon", "the channel has no such field; got 'sensors.positon'; did you mean 'sensors.position'?"),
    ],
)
def test_a_mistyped_table_is_told(name: str, told: str) -> None:
    pytest.importorskip("pandas", reason="needs pandas (pip install 'andante[notebook]')")
    with pytest.raises(LogError, match=told.replace("?", r"\?").replace(".", r"\.")):
        log().frame(name)


def test_without_pandas_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(LogError, match=r"need pandas, which is not installed; install it: pip install 'andante\[noteb"):
        log().frame("sensors")


def test_texts_are_short() -> None:
    library = andante.load_motions("nao")
    robot = andante.Robot.load("nao")
    wave = library.motions["wave"]
    things = [library, robot, wave, *library.blocks.values(), andante.scenario_of("get-up"), log()]
    things += andante.check(library, robot)
    for thing in things:
        assert len(repr(thing)) < 700, type(thing)
        assert "\n" not in repr(thing)
    assert repr(wave) == str(wave) == "<Motion: blocks stand, wave, stand>"
    assert repr(robot) == "<Robot nao: NAO V6, 26 joints, feet left, right>"
    assert repr(andante.scenario_of("get-up", seed=4)) == (
        "<Scenario get-up: nao, keyframes, from lying supine, seed 4>"
    )
    assert repr(log()) == "<Log in memory: sensors 2 x 4; 0 events>"


def test_a_result_is_a_card_that_escapes_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("")
    result = andante.RunResult(
        "fail", ("fell <b>hard</b>",), Metrics(1.0, False), tmp_path, story=(Moment(0.5, "motion <script>"),)
    )
    card = result._repr_html_()
    assert "FAIL" in card
    assert "fell &lt;b&gt;hard&lt;/b&gt;" in card
    assert "motion &lt;script&gt;" in card
    assert (tmp_path / "report.html").as_uri() in card
    assert repr(result).startswith("<RunResult FAIL: fell")


@pytest.mark.slow
@pytest.mark.usefixtures("offscreen")
def test_a_robot_is_a_picture_where_one_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = andante.Robot.load("bootcamp-leg")
    picture = robot._repr_png_()
    assert picture is not None
    assert picture.startswith(b"\x89PNG")

    def missing(*arguments: object, **named: object) -> None:
        raise GraphicsError("no offscreen OpenGL is installed")

    monkeypatch.setattr("andante.robots.drawing.robot_figure", missing)
    assert robot._repr_png_() is None


@pytest.mark.slow
def test_a_sweep_tells_shares_and_seeds_and_is_the_same_at_any_number_of_workers() -> None:
    one = andante.sweep("nao-basics/stand", range(3))
    assert repr(one).startswith("<Sweep stand: 3 of 3 passed, 100 % (95 % interval 44 to 100 %)")
    assert andante.sweep("nao-basics/stand", np.arange(3), workers=2).trials == one.trials
    assert [trial.seed for trial in one.trials] == [0, 1, 2]
    with pytest.raises(andante.AndanteError, match="a sweep needs at least one seed"):
        andante.sweep("nao-basics/stand", [])


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        (3, r"seeds: a sweep takes several seeds; got 3; range\(20\)"),
        ("12", "seeds: a sweep takes several seeds; got '12'"),
        ([1, -1], r"seeds\[1\]: is no seed; got -1; limit: a whole number, 0 to 4294967295"),
        ([1.5], r"seeds\[0\]: is no seed; got 1.5"),
        ([np.nan], r"seeds\[0\]: is no seed; got nan"),
    ],
)
def test_what_is_no_seed_is_refused_before_anything_runs(seeds: object, told: str) -> None:
    with pytest.raises(andante.AndanteError, match=told):
        andante.sweep("nao-basics/stand", seeds)  # type: ignore[arg-type]


def test_fields_in_place_of_a_scenario_are_told_what_makes_one() -> None:
    with pytest.raises(andante.AndanteError, match=r"is no scenario; got 'dict'; .*Scenario\.model_validate"):
        andante.run({"name": "own", "robot": "nao"})  # type: ignore[arg-type]

"""The page of an experiment: figures with intervals, film strips, what went wrong."""

from __future__ import annotations

import base64
import io
import re

import pytest
from PIL import Image

from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of
from andante.search.experiment.document import Experiment, Figure
from andante.search.experiment.figures import row_of
from andante.search.experiment.page import write_page
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import asked_of, bench, options_of, report_of, suite_of
from andante.search.experiment.trial import TrialResult
from andante.search.rows import row_lines
from andante.search.suite import read_options


def experiment(**more):
    said = {"format": "andante.experiment", "version": 1, "name": "floors", "what": "Does it <stand>?"}
    said |= {"play": {"library": "nao-basics", "motions": ["stand"]}}
    said |= {"axes": {"servos": {"variants": {"weak": {"set": {"world.servo_strength": 0.9}}, "strong": {}}}}}
    said |= {"figures": {"passed": {"metric": "passed", "at_least": 0.9}}}
    return Experiment.model_validate(said | more)


def results(passed):
    why = () if passed else ("fell <after> 2 s",)
    trials = [TrialResult(seed, passed, why, {"passed": passed}) for seed in (3, 4)]
    return dict.fromkeys(("weak", "strong"), trials)


def written(tmp_path, monkeypatch, passed):
    monkeypatch.setattr("andante.search.film_strip.film_strip", lambda setup, seed: f"{seed}".encode())
    asked = experiment()
    options = read_options(options_of(asked), {"page": tmp_path / "page.html"})
    report = report_of([asked], options, results(passed))
    (path,) = report.files
    report.files[path](path)
    return path.read_text(encoding="utf-8"), report


def test_each_condition_is_a_line_with_its_interval_and_its_strip(tmp_path, monkeypatch):
    text, report = written(tmp_path, monkeypatch, True)
    assert text.count("<tr><td>") == 2
    assert "<td class='kept'>2 of 2<br><small>[0.342, 1.000]</small></td>" in text
    assert text.count("data:image/png;base64," + base64.b64encode(b"3").decode()) == 2
    assert "Does it &lt;stand&gt;?" in text
    assert "Seeds 3 to 4" in text
    assert "page" not in report.data()


def test_only_shares_are_counts_of_trials(tmp_path, monkeypatch):
    """Means, ratios and differences of shares have intervals too, and are no "3 of 2"."""
    monkeypatch.setattr("andante.search.film_strip.film_strip", lambda setup, seed: b"")
    asked = experiment()
    trials = [{"x": 3.0, "y": 2.0, "seed": 3}, {"x": 5.0, "y": 2.0, "seed": 4}]
    figures = {"mean": {"statistic": "mean", "unit": "m"}, "ratio": {"statistic": "ratio-of-means", "per": "y"}}
    figures["ratio"]["convert"] = "%"
    rows = [row_of(name, Figure(metric="x", **each), trials) for name, each in figures.items()]
    write_page(tmp_path / "page.html", asked, groups_of(asked), results(True), rows, {})
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<td>4 m<br><small>[-8.706, 16.71]</small></td>" in text
    assert "<td>200 %<br><small>[150, 250]</small></td>" in text
    assert "[150, 250]" in "".join(row_lines(rows))


def test_what_failed_is_told_with_its_seed_and_drawn_too(tmp_path, monkeypatch):
    text, _ = written(tmp_path, monkeypatch, False)
    assert "<td class='missed'>0 of 2" in text
    assert "strong, seed 4: fell &lt;after&gt; 2 s" in text
    assert text.count("data:image/png;base64," + base64.b64encode(b"4").decode()) == 2


def test_a_strip_that_cannot_be_drawn_costs_only_itself(tmp_path, monkeypatch):
    def none(setup, seed):
        raise SearchError("nothing was seen in this trial", value=seed)

    monkeypatch.setattr("andante.search.film_strip.film_strip", none)
    asked = experiment()
    write_page(tmp_path / "page.html", asked, groups_of(asked), results(True), [], {})
    assert "No film strip: nothing was seen" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_bench_writes_a_page_with_pictures(tmp_path):
    report = bench(experiment(axes={}), seeds=1, page=tmp_path / "page.html")
    for path, write in report.files.items():
        write(path)
    (picture,) = re.findall(r"base64,([^']+)'", (tmp_path / "page.html").read_text(encoding="utf-8"))
    assert Image.open(io.BytesIO(base64.b64decode(picture))).size == (12 * 176, 176)


def test_the_board_of_get_ups_takes_an_entrant_of_ones_own():
    board = EXPERIMENTS["getup-board"]
    options = read_options(options_of(board), {"entrant": "given", "library": "nao-basics", "start": "left"})
    (group,) = groups_of(asked_of(board, options))
    scenario, _ = group.setup.scenario(0)
    assert (scenario.robot, scenario.controller.library, scenario.world.start.lying) == ("nao", "nao-basics", "left")
    assert group.name == "given, left, randomised"
    assert suite_of(board).name == "getup-board"

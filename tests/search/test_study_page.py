"""The page of a study says in which units its numbers are."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from andante.search.rows import Row
from andante.search.studies import page
from andante.search.studies.space import NumberPlace, SearchedNumber


def test_every_number_of_the_tables_has_its_unit_or_is_said_to_be_in_si_units(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "course_figure", lambda result: None)
    monkeypatch.setattr(page, "picture_bytes", lambda figure: b"")
    rows = [
        Row("success after", 0.95, "share", "", None, 20, (0.764, 0.9911)),
        Row("final_tilt before, mean", 0.25, "", "", None, 20),
        Row("walk.speed, difference", 0.25, "", "", None, 20),
        Row("ball.reach, difference", 0.00052, "", "", None, 20, (0.00041, 0.00063)),
    ]
    place = NumberPlace("motion", ("joints", "HipPitch"), 0.25)
    number = SearchedNumber((place,), "range", 0.0, 1.0, "rad")
    leader = SimpleNamespace(stage="polish", point=(0.5,))
    study = SimpleNamespace(name="far")
    result: Any = SimpleNamespace(study=study, rows=rows, trials=7, leader=leader, notes=[], earlier=())
    problem: Any = SimpleNamespace(space=SimpleNamespace(parameters=(number,)))
    page.write_page(tmp_path / "study.html", result, problem)
    text = (tmp_path / "study.html").read_text()
    tables = [
        [re.sub("<[^>]+>", "|", row) for row in re.findall("<tr>(.*?)</tr>", each)] for each in text.split("<h2>")
    ]
    assert "||0.95||share||0.764 to 0.9911||20|" in tables[1][1]
    assert "||14.32||deg||" in tables[1][2]
    assert "||0.25||m/s||" in tables[1][3]
    # Three digits after the point had made 0.000 of both ends.
    assert "0.00041 to 0.00063" in tables[1][4]
    assert "angles in degrees where it says deg" in text
    assert tables[-1] == ["|||before||after||unit|", "|joints.HipPitch||14.3239||28.6479||deg|"]

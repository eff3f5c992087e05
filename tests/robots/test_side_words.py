"""Names for front, hind, left and right in other languages than English tell which way a robot looks."""

from __future__ import annotations

import re

import pytest
from bare_files import load
from quadrupeds import LEGS, urdf_quadruped

from andante.robots.bare.side_words import in_english

NAMES = {
    "German": ("vorne_links", "vorne_rechts", "hinten_links", "hinten_rechts"),
    "Spanish": ("PataDelanteraIzquierda", "PataDelanteraDerecha", "PataTraseraIzquierda", "PataTraseraDerecha"),
    "French": ("avant_gauche", "avant_droite", "arrière_gauche", "arrière_droite"),
    "Chinese": ("左前 腿", "右前 腿", "左后 腿", "右后 腿"),
}


@pytest.mark.parametrize("language", NAMES)
def test_a_robot_that_was_drawn_backwards_is_turned_by_its_names(tmp_path, language):
    text = urdf_quadruped()
    # The corner where FL is drawn is called hind right, and so on.
    for corner, name in zip(LEGS, reversed(NAMES[language]), strict=True):
        text = re.sub(rf'"{corner}_', f'"{name}_', text)
    robot = load(tmp_path, text, "quad.urdf")
    assert "by the names of its legs its front was along -x" in robot.sources["base"]
    assert {foot.name: foot.body for foot in robot.feet} == {
        corner: f"{name}_foot" for corner, name in zip(("FL", "FR", "HL", "HR"), NAMES[language], strict=True)
    }


@pytest.mark.parametrize("name", ["left_foot", "linkage_rod", "derivative", "avantgarde", "LinkOne", "droid_leg"])
def test_other_words_stay_as_they_are(name):
    assert in_english(name) == re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()

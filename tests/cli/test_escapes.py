"""Names from files cannot steer the terminal: every message shows what would."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from andante.cli.app import app
from andante.cli.output import shown

RUNNER = CliRunner()
EVIL = "a\x1b[2J\x07\x9b31m\u202eb"
ESCAPED = r"a\x1b[2J\x07\x9b31m\u202eb"
LIBRARY = """
format: andante.motions
units: {angle: deg, time: ms}
robot: nao
motions: {EVIL: {blocks: [EVIL]}}
blocks: {EVIL: {keyframes: [{duration: 500, joints: {EVIL: 20, HeadPitch: 130}}]}}
"""


@given(st.text(st.characters()))
def test_nothing_that_is_shown_steers(text: str) -> None:
    for character in shown(text):
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")
    assert shown(shown(text)) == shown(text)
    if text.isprintable():
        assert shown(text) == text


@pytest.mark.parametrize("words", [["check"], ["convert", "OUT.csv"], ["fix", "--out", "OUT.yaml"], ["run"]])
def test_a_name_with_escape_codes_is_shown_escaped_by_every_command(words: list[str], tmp_path) -> None:
    source = tmp_path / "evil.yaml"
    source.write_text(LIBRARY.replace("EVIL", json.dumps(EVIL)))
    source_words = ["--library", str(source), "--motion", EVIL] if words == ["run"] else [str(source)]
    rest = [word.replace("OUT", str(tmp_path / "out")) for word in words[1:]]
    result = RUNNER.invoke(app, [words[0], *source_words, *rest])
    text = result.stdout + result.stderr
    assert ESCAPED in text or repr(EVIL)[1:-1] in text
    assert not [character for character in text if unicodedata.category(character) == "Cc" and character != "\n"]
    assert "\u202e" not in text


def test_json_keeps_the_name_itself(tmp_path) -> None:
    source = tmp_path / "evil.yaml"
    source.write_text(LIBRARY.replace("EVIL", json.dumps(EVIL)))
    result = RUNNER.invoke(app, ["check", str(source), "--json"])
    assert any(finding["value"] == EVIL for finding in json.loads(result.stdout)["findings"])

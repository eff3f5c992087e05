"""`convert` and `fix` replace nothing unasked, in any format, and name every file that they write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.formats.bhuman.codec import ENGINE_FILE, PARAMETERS_FILE
from andante.formats.registry import FORMATS

RUNNER = CliRunner()
NOD = """
format: andante.motions
units: {angle: deg, time: ms, length: mm}
robot: ROBOT
motions:
  nod: {blocks: [nod]}
blocks:
  nod:
    keyframes:
      - {duration: 480, joints: {JOINT: 20}}
      - {duration: 480, joints: {JOINT: 10}}
"""
BALANCE = """
balance:
  still:
    max_scaling: {pitch: {min: 1, max: 1}, roll: {min: 1, max: 1}}
    exponent: {pitch: {min: 1, max: 1}, roll: {min: 1, max: 1}}
    p_pitch: {base: 0, max_additional: 0}
    p_roll: {base: 0, max_additional: 0}
    d_pitch: {base: 0, max_additional: 0}
    d_roll: {base: 0, max_additional: 0}
    com_range: {pitch: {min: -1, max: 1}, roll: {min: -1, max: 1}}
"""
OTHER = b"somebody else's work"


def source(folder: Path, target: str) -> Path:
    path = folder / "nod.yaml"
    aibo = any("ers" in robot for robot in FORMATS[target].robots) or target in ("mtn", "oda", "ekmoves", "moves")
    text = NOD.replace("ROBOT", "ers7" if aibo else "nao").replace("JOINT", "RFJ1" if aibo else "HeadPitch")
    path.write_text(text)
    return path


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("into_folder", [False, True])
def test_no_format_replaces_a_file_unasked_and_every_file_is_named(name: str, into_folder: bool, tmp_path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder if into_folder else folder / f"nod{FORMATS[name].suffixes[0]}"
    words = ["convert", str(source(tmp_path, name)), str(target), "--to", name]
    first = RUNNER.invoke(app, words)
    if first.exit_code == 2:
        assert contents(folder) == {}
        return
    written = contents(folder)
    assert written
    for path in written:
        assert str(path) in first.stdout

    for path in written:
        path.write_bytes(OTHER)
    refused = RUNNER.invoke(app, words)
    assert refused.exit_code == 2
    assert contents(folder) == dict.fromkeys(written, OTHER)
    for path in written:
        assert str(path) in refused.stderr


def test_the_second_file_of_a_format_is_kept_too(tmp_path: Path) -> None:
    folder = tmp_path / "cfg"
    path = source(tmp_path, "bhuman")
    path.write_text(path.read_text() + BALANCE)
    words = ["convert", str(path), str(folder)]
    assert RUNNER.invoke(app, words).exit_code == 0
    engine, parameters = folder / ENGINE_FILE, folder / PARAMETERS_FILE
    assert set(contents(folder)) == {engine, parameters}
    engine.unlink()
    parameters.write_bytes(OTHER)
    refused = RUNNER.invoke(app, words)
    assert refused.exit_code == 2
    assert refused.stderr == f"andante: {parameters}: exists; nothing is written; give --force to replace\n"
    assert contents(folder) == {parameters: OTHER}
    forced = RUNNER.invoke(app, [*words, "--force", "--json"])
    assert forced.exit_code == 0
    assert {Path(file) for file in json.loads(forced.stdout)["target_files"]} == {engine, parameters}
    assert OTHER not in contents(folder).values()


def test_the_same_bytes_again_are_no_replacement(tmp_path: Path) -> None:
    words = ["convert", str(source(tmp_path, "andante")), str(tmp_path / "again.yaml")]
    assert RUNNER.invoke(app, words).exit_code == 0
    before = contents(tmp_path)
    assert RUNNER.invoke(app, words).exit_code == 0
    assert contents(tmp_path) == before


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(tmp_path / "elsewhere.yaml")
    assert RUNNER.invoke(app, ["convert", str(source(tmp_path, "andante")), str(link)]).exit_code == 2
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_fix_names_and_keeps_every_file(tmp_path: Path) -> None:
    folder = tmp_path / "cfg"
    words = ["fix", str(source(tmp_path, "bhuman")), "--out", str(folder)]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0, done.stderr
    assert all(str(path) in done.stdout for path in contents(folder))
    for path in contents(folder):
        path.write_bytes(OTHER)
    refused = RUNNER.invoke(app, words)
    assert refused.exit_code == 2
    assert set(contents(folder).values()) == {OTHER}
    assert all(str(path) in refused.stderr for path in contents(folder))

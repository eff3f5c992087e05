"""`list`, `show`, `convert --motion` and names of shipped libraries: what a newcomer finds without reading files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.robots.register import ROBOTS
from andante.runs.reports.shown import CatalogError, catalog
from andante.runs.scenario_files import shipped_scenarios
from andante.terrain.boards.make import BOARDS

RUNNER = CliRunner()
LIBRARY = """
format: andante.motions
units: {angle: deg, time: ms, length: mm}
robot: nao
motions:
  nod: {blocks: [down, up], note: Says yes.}
  look: {blocks: [up], follow_ups: [{motion: nod, conditions: [{variable: torso_pitch, min: -10, max: 20}]}]}
blocks:
  down:
    base_stiffness: {head: 0.8}
    keyframes:
      - duration: 250
        joints: {HeadPitch: 20, HeadYaw: "off"}
        waits: [{variable: knee_flexion, min: 5, max: 90, max_wait: 400}]
        branches: [{block: aside, early: {conditions: [{variable: try_count, min: 1, max: 3}]}, max_block_loops: 2}]
  up:
    keyframes:
      - {duration: 150, joints: {HeadPitch: -5}}
  aside:
    keyframes:
      - {duration: 100, joints: {HeadYaw: 30}}
"""


def andante(*words: object) -> str:
    done = RUNNER.invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


def refused(*words: object) -> str:
    done = RUNNER.invoke(app, [str(word) for word in words])
    assert done.exit_code == 2, done.output
    return done.output


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "library.yaml"
    path.write_text(LIBRARY)
    return path


def test_list_names_everything_that_can_be_named() -> None:
    told = andante("list")
    for name in (*ROBOTS, *shipped_scenarios(), *BOARDS, "nao/wave", "ers7/kick", "bhuman", "mtn"):
        assert f"  {name} " in told, name


def test_list_of_a_kind_is_that_kind_alone() -> None:
    names = {each["name"] for each in json.loads(andante("list", "robots", "--json"))["entries"]}
    assert names == set(ROBOTS)
    assert {entry.kind for entry in catalog(["motions", "format"])} == {"motion", "format"}
    with pytest.raises(CatalogError, match=r"no such kind of thing; got 'robotz'; did you mean 'robot"):
        catalog(["robotz"])


def test_show_tells_a_motion_keyframe_by_keyframe(library: Path) -> None:
    told = andante("show", library, "--motion", "nod")
    # 250 and 150 ms; the second block states no stiffness, and the first one's stays.
    assert "motion nod, robot nao: 2 blocks, 2 keyframes, 0.40 s without waits and branches" in told
    assert "stiffness: head 0.8" in told
    assert "stiffness: unchanged" in told
    assert "0  0 .. 250 ms, linear" in told
    assert "HeadPitch 20, HeadYaw off" in told
    assert "waits until knee_flexion in 5 .. 90 deg, at most 400 ms" in told
    assert "inserts block aside at any time if try_count in 1 .. 3, at most 2 times" in told
    assert "0  250 .. 400 ms, linear" in told


def test_show_tells_what_follows_and_that_stiffness_is_full(library: Path) -> None:
    told = andante("show", library, "--motion", "look")
    assert "followed by motion nod if torso_pitch in -10 .. 20 deg" in told
    data = json.loads(andante("show", library, "--motion", "look", "--json"))["found"][0]
    assert data["duration"] == pytest.approx(0.15)
    assert list(data["blocks"]) == ["up"]


def test_a_name_of_two_things_shows_both() -> None:
    told = andante("show", "nao-kick")
    assert "scenario nao-kick:" in told
    assert "library nao-kick, robot nao:" in told
    assert "('nao-kick' is a scenario and a library)" in told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("get-up", "scenario get-up: nao, keyframes, begins lying (supine)"),
        ("ers7", "robot ers7: AIBO ERS-7"),
        ("nao/wave", "motion wave, robot nao"),
        ("genuflect", "motion genuflect, robot nao"),
        ("rocks", "board rocks: uneven rocks"),
        ("webots", "format webots: Webots motion (.motion)"),
    ],
)
def test_show_finds_things_of_all_kinds(name: str, told: str) -> None:
    assert told in andante("show", name)


def test_show_of_nothing_offers_the_nearest_name() -> None:
    told = refused("show", "genuflekt")
    assert "there is nothing of this name, and no file or folder; got 'genuflekt'" in told
    assert "see `andante list`" in told
    assert "did you mean 'nod'" in refused("show", "nao/nodd") or "no such motion" in refused("show", "nao/nodd")


def test_a_motion_of_a_file_goes_by_its_path(library: Path, tmp_path: Path) -> None:
    assert andante("show", f"{library}/nod") == andante("show", library, "--motion", "nod")
    folder = tmp_path / "team"
    folder.mkdir()
    library.rename(folder / "one.yaml")
    assert "motion nod, robot nao" in andante("show", f"{folder / 'one.yaml'}/nod")
    assert "no such motion; got 'nodd'" in refused("show", f"{folder / 'one.yaml'}/nodd")
    # Neither a motion nor a file: no hundred names that are all far away.
    told = refused("show", f"{folder / 'two.yaml'}")
    assert "there is nothing of this name" in told
    assert "legal" not in told


def test_show_tells_what_it_looked_for_in_a_folder_without_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "wave").mkdir(parents=True)
    told = refused("show", folder)
    assert "the folder holds neither a run nor a robot nor motions; limit: a run has log.mcap" in told
    assert "runs are below it" not in told
    (folder / "wave" / "log.mcap").touch()
    assert f"runs are below it: {folder / 'wave'}" in refused("show", folder)
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n")
    # A run that is not there is no motion of the folder.
    missing = folder / "nod"
    assert f"there is nothing of this name, and no file or folder; got '{missing}'" in refused("show", missing)
    assert f"no such scenario, neither shipped nor a file; got '{missing}'" in refused("run", missing)
    assert "the file is neither a log nor a scenario nor a robot nor motions" in refused("show", folder / "picture.png")


def test_list_of_a_file_leads_to_show(library: Path) -> None:
    told = refused("list", library)
    assert "there is no such kind of thing" in told
    assert f"andante show {library}" in told


def test_convert_names_the_motions_and_takes_one(library: Path, tmp_path: Path) -> None:
    told = refused("convert", library, tmp_path / "one.csv")
    assert "legal: nod, look; name one with --motion" in told
    andante("convert", library, tmp_path / "one.yaml", "--motion", "nod")
    from andante.formats.registry import read

    chosen = read(tmp_path / "one.yaml")
    assert list(chosen.motions) == ["nod"]
    # A branch inserts `aside`; `look` alone used nothing else.
    assert set(chosen.blocks) == {"down", "up", "aside"}
    andante("convert", library, tmp_path / "one.csv", "--motion", "look")
    assert "HeadPitch" in (tmp_path / "one.csv").read_text()
    assert "did you mean 'nod'?" in refused("convert", library, tmp_path / "two.csv", "--motion", "nodd")


def test_check_and_convert_know_shipped_libraries(tmp_path: Path) -> None:
    assert "nao-basics: 0 errors" in andante("check", "nao-basics")
    andante("convert", "nao", tmp_path / "wave.csv", "--motion", "wave")
    assert "no such motion library" in refused("check", "nao-basic")


def completed(line: str) -> list[str]:
    """What bash is offered at the end of a line."""
    words = line.split(" ")
    code = "import sys; sys.argv = ['andante']\nfrom andante.cli.app import main\nmain()"
    env = {**os.environ, "_ANDANTE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60)
    return done.stdout.split()


@pytest.mark.slow
def test_the_shell_completes_names() -> None:
    assert completed("andante run get") == ["get-up"]
    assert set(completed("andante run --robot ")) >= set(ROBOTS)
    assert completed("andante run --library nao --motion wa") == ["wave"]
    assert completed("andante walk --board stepping") == ["stepping-stones"]
    assert completed("andante convert nao x --to hulks-") == ["hulks-motion2"]


def test_a_reader_that_goes_away_is_no_error_and_loses_nothing(tmp_path: Path) -> None:
    words = ["andante", "robots", "littledog", "--pack", str(tmp_path / "pack")]
    code = f"import sys; sys.argv = {words!r}\nfrom andante.cli.app import main\nmain()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 0
    assert (tmp_path / "pack/pack.yaml").is_file()

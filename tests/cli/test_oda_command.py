"""`andante oda`, as a user types it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app

sys.path.append(str(Path(__file__).resolve().parents[1] / "formats"))

from aibo_files import mtn

RUN = CliRunner()


def oda(*words: object):
    return RUN.invoke(app, ["oda", *map(str, words)])


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of two motions, the second with another name inside."""
    for name, motion in (("a_stand#walk_go", "a_stand#walk_go"), ("kick", "a_stand#stand_kick")):
        (tmp_path / f"{name}.MTN").write_bytes(mtn(motion))
    target = tmp_path / "motion7.oda"
    done = oda("create", target, tmp_path / "a_stand#walk_go.MTN", tmp_path / "kick.MTN", "--gzip", "payload")
    assert (done.exit_code, done.stdout) == (0, f"{target}: 2 entries\n")
    return target


def test_list(archive):
    done = oda("list", archive)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["0", "OMTN", lines[0].split()[2], "a_stand#walk_go", "[gzip]"]
    assert lines[1].split()[3:] == ["kick", "(a_stand#stand_kick)", "[gzip]"]
    assert lines[2] == f"{archive}: 2 entries"
    told = json.loads(oda("list", archive, "--json").stdout)
    assert [entry["motion"] for entry in told["entries"]] == ["a_stand#walk_go", "a_stand#stand_kick"]


def test_extract(archive, tmp_path):
    done = oda("extract", archive, tmp_path / "out", "--name", "kick")
    assert (done.exit_code, done.stdout) == (0, f"{archive}: 1 files written to {tmp_path / 'out'}\n")
    assert (tmp_path / "out" / "kick.mtn").read_bytes() == mtn("a_stand#stand_kick")
    again = oda("extract", archive, tmp_path / "out")
    assert again.exit_code == 2
    assert "the file is there already" in again.stderr


def test_add(archive, tmp_path):
    before = archive.read_bytes()
    done = oda("add", archive, tmp_path / "kick.MTN")
    assert done.exit_code == 2
    assert "the archive has an entry of this name" in done.stderr
    assert archive.read_bytes() == before
    assert oda("add", archive, tmp_path / "kick.MTN", "--replace").exit_code == 0
    done = oda("add", archive, tmp_path / "kick.MTN", "--name", "x" * 32)
    assert done.exit_code == 2
    assert "the name has 32 characters" in done.stderr
    told = json.loads(oda("add", archive, tmp_path / "kick.MTN", "--name", "kick2", "--json").stdout)
    assert told["entries"] == ["a_stand#walk_go", "kick", "kick2"]
    assert oda("create", archive, tmp_path / "kick.MTN").exit_code == 2


def test_check(archive, tmp_path):
    commands, arcs = tmp_path / "MONETCMD.CFG", tmp_path / "MONET.CFG"
    arcs.write_text("monetagentNEUTRAL a_nt#stand_up 0\n")
    commands.write_text("60 1 0\nmonetagentMTN a_stand#stand_kick -1\n")
    done = oda("check", commands, "--arcs", arcs, "--motions", archive)
    assert (done.exit_code, done.stdout) == (0, f"{commands}: pass\n")
    commands.write_text("60 1 0\n\nmonetagentMTN a_stand#stand_kik -1\n")
    done = oda("check", commands, "--motions", archive)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"warning: {commands}:2: an empty line, on which MoNet's own parser breaks",
        f"error: {commands}:3: motion 'a_stand#stand_kik' is not in the motion archive; MoNet would report success "
        "without doing anything; did you mean 'a_stand#stand_kick'?",
        f"{commands}: fail",
    ]
    told = json.loads(oda("check", commands, "--motions", archive, "--json").stdout)
    assert (told["verdict"], len(told["faults"]), len(told["warnings"])) == ("fail", 1, 1)


def test_check_takes_an_archive_too(tmp_path: Path) -> None:
    from sony_archive import MOTIONS, archive

    (tmp_path / "m.oda").write_bytes(archive(MOTIONS))
    done = RUN.invoke(app, ["oda", "check", str(tmp_path / "m.oda")])
    assert done.exit_code == 0, done.output
    assert "m.oda: pass; 15 entries, 13 motions; what the motions do: andante check" in done.stdout
    assert "warning: 2 motions are called 'a_stand#stand_kick' inside; MoNet plays the first" in done.stdout
    raw = (tmp_path / "m.oda").read_bytes()
    (tmp_path / "m.oda").write_bytes(raw[:-400])
    done = RUN.invoke(app, ["oda", "check", str(tmp_path / "m.oda")])
    assert done.exit_code == 1
    assert "error: entry 14 'a_stand#stand_kick': the payload lies outside the file" in done.stdout

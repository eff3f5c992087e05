"""Records of judging: kept beside the motion file, and void once motion or robot change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from andante.cli.app import app
from andante.documents.problems import DocumentError
from andante.motions.errors import MotionError
from andante.motions.judged import (
    Judgement,
    Said,
    holding,
    keep,
    lines_of,
    load_record,
    motion_digest,
    record_path,
)
from andante.robots.digest import robot_digest
from andante.robots.robot import Robot
from andante.runs.motion_libraries import bind_file, library_path

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.fixture
def mine(tmp_path):
    """A copy of a shipped library, the motions in it, and its robot."""
    robot = Robot.load("nao")
    path = tmp_path / "mine.yaml"
    shutil.copy(library_path("nao"), path)
    return path, bind_file(path, robot).library, robot


def judgement(library, robot, motion="wave", **changes):
    facts = {
        "motion": motion,
        "motion_sha256": motion_digest(library, motion),
        "robot": robot.name,
        "robot_sha256": robot_digest(robot),
        "asked": f"mine.yaml/{motion}",
        "seeds": (0, 19),
        "trials": 20,
        "passed": 18,
        "held": 17,
        "judges": (Said(judge="drake", version="1.51.1", agreed=19, only_here=1, only_there=0),),
        "date": "2026-11-26",
        "andante": "0.1.0",
    }
    return Judgement.model_validate(facts | changes)


def test_a_record_lies_beside_the_file_and_is_read_back(mine):
    path, library, robot = mine
    assert load_record(path).judgements == ()
    made = judgement(library, robot)
    assert keep(path, made) == path.with_name("mine.judged.yaml")
    assert load_record(path).judgements == (made,)
    schema = json.loads((SCHEMAS / "judged.schema.json").read_text())
    jsonschema.validate(yaml.safe_load(record_path(path).read_text()), schema)
    (line,) = lines_of(load_record(path), library, robot)
    assert "18 of 20 passed, 17 by all judges; judged by drake (19 of 20 agree, 1 pass here only)" in line
    assert "in simulation" in line


def test_the_record_of_a_folder_lies_beside_it(tmp_path):
    folder = tmp_path / "team.2026"
    folder.mkdir()
    assert record_path(folder) == tmp_path / "team.2026.judged.yaml"


def test_the_same_question_is_kept_once_another_one_beside_it(mine):
    path, library, robot = mine
    keep(path, judgement(library, robot))
    keep(path, judgement(library, robot, passed=20, held=20))
    keep(path, judgement(library, robot, seeds=(20, 39)))
    assert [(each.seeds, each.passed) for each in load_record(path).judgements] == [((0, 19), 20), ((20, 39), 18)]


def changed_keyframe(library, block):
    """The library with the time of a block's first keyframe longer by a microsecond."""
    old = library.blocks[block]
    frame = old.keyframes[0]
    frames = (frame.but(duration=frame.duration + 1e-6), *old.keyframes[1:])
    return library.but(blocks={**library.blocks, block: old.but(keyframes=frames)})


def test_a_judgement_is_void_once_a_number_of_the_motion_changes(mine):
    path, library, robot = mine
    keep(path, judgement(library, robot))
    record = load_record(path)
    assert len(holding(record, library, robot)) == 1
    other = changed_keyframe(library, "wave")
    assert holding(record, other, robot) == []
    assert "no longer counts: the motion has changed" in lines_of(record, other, robot)[0]


def test_what_the_motion_cannot_reach_does_not_count(mine):
    _, library, _ = mine
    own = set(library.motions["wave"].blocks)
    untouched = next(name for name in library.blocks if name not in own)
    assert motion_digest(changed_keyframe(library, untouched), "wave") == motion_digest(library, "wave")
    assert motion_digest(library.but(note="other words"), "wave") == motion_digest(library, "wave")


def test_follow_ups_count(mine):
    _, library, _ = mine
    motion = library.motions["recoverGeneric"].follow_ups[0].motion
    block = library.motions[motion].blocks[0]
    assert motion_digest(changed_keyframe(library, block), "recoverGeneric") != motion_digest(library, "recoverGeneric")


def test_a_judgement_is_void_for_a_robot_that_has_changed_or_is_another(mine):
    path, library, robot = mine
    keep(path, judgement(library, robot))
    record = load_record(path)
    heavier = robot.at(0.01)
    assert "the robot has changed" in lines_of(record, library, heavier)[0]
    assert "counts for that robot alone" in lines_of(record, library, None)[0]


def test_a_motion_that_is_gone_is_told(mine):
    path, library, robot = mine
    keep(path, judgement(library, robot))
    rest = library.but(motions={name: each for name, each in library.motions.items() if name != "wave"})
    assert "there is no such motion any more" in lines_of(load_record(path), rest, robot)[0]
    with pytest.raises(MotionError, match="no such motion"):
        motion_digest(rest, "wave")


def test_a_broken_record_is_one_message(mine):
    path, _, _ = mine
    record_path(path).write_text("format: andante.judged\nversion: 1\njudgements: [{motion: wave}]\n")
    with pytest.raises(DocumentError, match=r"mine\.judged\.yaml"):
        load_record(path)


@pytest.mark.slow
def test_check_and_show_tell_the_record(mine, monkeypatch):
    path, library, robot = mine
    monkeypatch.chdir(path.parent)
    keep(path, judgement(library, robot))
    shown = CliRunner().invoke(app, ["show", "mine.yaml/wave"])
    assert "judged by drake (19 of 20 agree" in shown.output
    checked = CliRunner().invoke(app, ["check", "mine.yaml", "--json"])
    assert "judged by drake" in json.loads(checked.output)["judged"][0]
    assert "no longer" not in json.loads(checked.output)["judged"][0]
    path.write_text(path.read_text().replace("blocks: [stand, wave, stand]", "blocks: [stand, wave]"))
    again = CliRunner().invoke(app, ["show", "mine.yaml"])
    assert "no longer counts: the motion has changed" in again.output


@pytest.mark.slow
def test_the_judge_writes_it(mine, monkeypatch):
    path, _, _ = mine
    monkeypatch.chdir(path.parent)
    done = CliRunner().invoke(app, ["judge", "mine.yaml/wave", "--in", "soft", "--seeds", "1", "--record"])
    assert done.exit_code == 0, done.output
    assert "recorded for wave in mine.judged.yaml" in done.output
    (made,) = load_record(path).judgements
    assert (made.motion, made.trials, made.judges[0].judge) == ("wave", 1, "soft")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("nao/wave", "a shipped library keeps no records; got 'nao'; andante convert nao mine.yaml"),
        ("littledog-rocks", "a judging is recorded beside the motions of one file"),
    ],
)
def test_what_keeps_no_record_is_refused_before_anything_runs(what, message):
    done = CliRunner().invoke(app, ["judge", what, "--in", "soft", "--seeds", "1", "--record"])
    assert done.exit_code == 2
    assert message in done.output

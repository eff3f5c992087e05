"""An archive with the habits of Sony's own motions has no errors; a real fault in each habit is one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.formats.registry import read
from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.checks.aibo.run import check_aibo
from andante.motions.findings import Finding
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot

sys.path.append(str(Path(__file__).resolve().parents[1] / "formats"))

from sony_archive import FAST, MOTIONS, SIT, SLEEP, STAND, Key, archive, micro, motion

RUN = CliRunner()
ARCS = "a_stand#sit_down", "a_sit#stand_up"


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


def findings(path: Path, ers7: Robot, **rules: float) -> list[Finding]:
    # Bodies at every tick have tests of their own and take the longest.
    chosen = ["ends", "duration", "complete", "period", "limit", "coupling", "speed", "velocity-jump", "distance"]
    return check_aibo(read(path), ers7, AiboRules(**rules), only=chosen)


def errors(path: Path, ers7: Robot, **rules: float) -> list[str]:
    return [str(finding) for finding in findings(path, ers7, **rules) if finding.severity == "error"]


def test_the_habit_of_the_number() -> None:
    assert micro(122.0) == 2129306


def test_the_archive_has_no_errors(tmp_path: Path) -> None:
    (tmp_path / "MOTION7.ODA").write_bytes(archive(MOTIONS))
    done = RUN.invoke(app, ["check", str(tmp_path / "MOTION7.ODA"), "--json"])
    told = json.loads(done.stdout)
    assert [finding for finding in told["findings"] if finding["severity"] == "error"] == []
    assert (done.exit_code, told["rules"], told["verdict"]) == (0, "aibo", "pass")
    # The ways at the limit are at it, and the postures at the software's limit are there.
    assert not [finding for finding in told["findings"] if finding["rule"] in ("speed", "limit")]
    own = [finding["message"] for finding in told["findings"] if "library's own posture" in finding["message"]]
    assert {message.split("own posture ")[1].split()[0] for message in own} == {"'stand'", "'sit'", "'sleep'"}


def test_every_motion_alone_and_the_folder_have_no_errors(tmp_path: Path, ers7: Robot) -> None:
    for name, keys in MOTIONS.items():
        file = tmp_path / f"{name}.mtn"
        file.write_bytes(motion(name, keys))
        assert errors(file, ers7) == [], name
    assert errors(tmp_path, ers7) == []


def test_ends_of_one_motion_alone_are_compared_with_the_robots_as_a_note(tmp_path: Path, ers7: Robot) -> None:
    (tmp_path / "m.mtn").write_bytes(motion("a_stand#sit_down", MOTIONS["a_stand#sit_down"]))
    ends = [finding for finding in findings(tmp_path / "m.mtn", ers7) if finding.rule == "ends"]
    assert {finding.severity for finding in ends} == {"info"}
    assert "begins with Tilt1 12.0 deg from posture 'stand'; no other motion shows where its own one is" in str(ends[0])


def changed(name: str, index: int, **angles: float) -> list[Key]:
    keys = list(MOTIONS[name])
    frames, posture = keys[index]
    keys[index] = frames, {**posture, **angles}
    return keys


def slower(name: str, index: int, frames: int) -> list[Key]:
    keys = list(MOTIONS[name])
    keys[index] = frames, keys[index][1]
    return keys


FAULTS: dict[str, tuple[str, list[Key], str]] = {
    # habit: the first key is the archive's own posture
    "begins elsewhere": (
        "a_sit#stand_up",
        changed("a_sit#stand_up", 0, Tilt1=-45),
        "begins with Tilt1 20.0 deg from posture 'sit' as",
    ),
    "begins in another posture": (
        "a_sit#sleep_down",
        [(0, STAND), *MOTIONS["a_sit#sleep_down"][1:]],
        "from posture 'sit' as",
    ),
    "ends elsewhere": (
        "a_stand#stand_long",
        changed("a_stand#stand_long", -1, LFJ1=STAND["LFJ1"] + 11),
        "ends with LFJ1 11.0 deg from posture 'stand' as",
    ),
    "ends in another posture": (
        "a_sit#sleep_down",
        [MOTIONS["a_sit#sleep_down"][0], (60, {**SIT, "Pan": 5})],
        "from posture 'sleep' as",
    ),
    # habit: joints at the software's limits; the stop is 5 degrees farther
    "beyond the stop": (
        "a_sit#sit_scratch",
        changed("a_sit#sit_scratch", 1, LRJ3=128),
        "LRJ3 at 128.00 deg is beyond the mechanical stop of 127.0 deg",
    ),
    "at the stop and a tenth": (
        "a_sit#sit_scratch",
        changed("a_sit#sit_scratch", 1, LRJ3=127.1),
        "LRJ3 at 127.10 deg is beyond the mechanical stop of 127.0 deg",
    ),
    # habit: ways at the speed limit; 2.5 times that is an error
    "too fast": (
        "a_stand#stand_kick",
        slower("a_stand#stand_kick", 1, 3),
        "at 929 deg/s, 3.33 of its limit",
    ),
    "too fast at the second key": (
        "a_sleep#sit_up",
        [(0, SLEEP), (1, {**SLEEP, "Pan": 60}), (60, SIT)],
        "Pan moves at 3750 deg/s",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_real_fault_is_an_error_and_the_only_one(fault: str, tmp_path: Path, ers7: Robot) -> None:
    name, keys, told = FAULTS[fault]
    (tmp_path / "m.oda").write_bytes(archive({**MOTIONS, name: keys}))
    found = [finding for finding in findings(tmp_path / "m.oda", ers7) if finding.severity == "error"]
    assert found
    assert {finding.motion for finding in found} == {name}
    assert any(told in finding.message for finding in found), [finding.message for finding in found]


def test_just_beyond_a_limit_is_still_a_warning_and_the_limit_none(tmp_path: Path, ers7: Robot) -> None:
    for degrees, count in ((122.0, 0), (122.02, 1), (122.5, 1)):
        keys = changed("a_sit#sit_scratch", 1, LRJ3=degrees)
        (tmp_path / "m.oda").write_bytes(archive({**MOTIONS, "a_sit#sit_scratch": keys}))
        limits = [finding for finding in findings(tmp_path / "m.oda", ers7) if finding.rule == "limit"]
        assert len(limits) == count, degrees
    keys = changed("a_stand#stand_kick", 1, LFJ1=STAND["LFJ1"] + 10.05 * FAST)
    (tmp_path / "m.oda").write_bytes(archive({**MOTIONS, "a_stand#stand_kick": keys}))
    speeds = [finding for finding in findings(tmp_path / "m.oda", ers7) if finding.rule == "speed"]
    assert [finding.joint for finding in speeds] == ["LFJ1"] * 2  # there and back
    assert speeds[0].severity == "warning"


def test_a_games_moves_are_short_and_others_motions_are_no_moves_of_a_game(tmp_path: Path, ers7: Robot) -> None:
    long = {**MOTIONS, "a_stand#stand_long": slower("a_stand#stand_long", 2, 500)}
    (tmp_path / "m.oda").write_bytes(archive(long))
    said = [finding for finding in findings(tmp_path / "m.oda", ers7) if finding.rule in ("duration", "period")]
    assert {finding.severity for finding in said} == {"info"}
    assert "takes 9248 ms; limit: 2000 ms" in [f.message for f in said if f.motion == "a_stand#stand_long"]
    # The same motion of one's own is judged.
    library = read(tmp_path / "m.oda")
    name, block = "a_stand#stand_long", library.blocks["a_stand#stand_long"]
    own = MotionLibrary(robot="ers7", motions={name: Motion(blocks=(name,))}, blocks={name: block})
    assert [f.severity for f in check_aibo(own, ers7, only=["duration"])] == ["error"]
    assert [f.severity for f in check_aibo(own, ers7, AiboRules(duration_warn=9.5), only=["duration"])] == ["warning"]


def test_motions_that_sit_or_lie_are_not_judged_as_standing(tmp_path: Path, ers7: Robot) -> None:
    (tmp_path / "m.oda").write_bytes(archive(MOTIONS))
    judged = {finding.motion for finding in check_aibo(read(tmp_path / "m.oda"), ers7, only=["static-balance"])}
    assert judged <= {name for name in MOTIONS if "sit" not in name and "sleep" not in name}


def test_a_motion_that_tells_no_posture_is_compared_with_none(tmp_path: Path, ers7: Robot) -> None:
    (tmp_path / "m.oda").write_bytes(archive({**MOTIONS, "a01_wag": [(0, SIT), (40, {**SIT, "Pan": 30})]}))
    assert not [f for f in findings(tmp_path / "m.oda", ers7) if f.motion == "a01_wag" and f.rule == "ends"]


def test_thresholds_are_options(tmp_path: Path) -> None:
    path = tmp_path / "m.oda"
    path.write_bytes(archive({**MOTIONS, "a_stand#stand_kick": changed("a_stand#stand_kick", 2, LFJ1=-8)}))
    assert RUN.invoke(app, ["check", str(path)]).exit_code == 1
    wider = ["--rule", "end_warn=15deg", "--rule", "end_pass=13deg", "--rule", "duration_pass=2500ms"]
    done = RUN.invoke(app, ["check", str(path), *wider, "--json"])
    told = json.loads(done.stdout)
    assert done.exit_code == 0
    assert not [finding for finding in told["findings"] if "takes 2496" in finding["message"]]
    for words, message in (
        (["--rule", "end_pas=3deg"], "did you mean 'end_pass'"),
        (["--rule", "end_pass=3s"], "is no unit of this setting; got 's'"),
        (["--rule", "end_pass=20deg"], "rules.end_warn: a rule's thresholds must rise"),
        (["--rule", "end_pass"], "give NAME=VALUE"),
        (["--rule", "end_pass=many"], "is no number; got 'many'"),
    ):
        refused = RUN.invoke(app, ["check", str(path), *words])
        assert refused.exit_code == 2
        assert message in refused.stderr


def test_a_damaged_entry_is_an_error_and_the_others_are_judged(tmp_path: Path) -> None:
    raw = archive(MOTIONS)
    at = raw.index(b"OMTN", 64 + 144 * 15 + 1500)
    (tmp_path / "m.oda").write_bytes(raw[: at + 30] + b"\xff" * 20 + raw[at + 50 :])
    told = json.loads(RUN.invoke(app, ["check", str(tmp_path / "m.oda"), "--json"]).stdout)
    found = [finding for finding in told["findings"] if finding["severity"] == "error"]
    assert [finding["rule"] for finding in found] == ["reading"]
    assert "cannot be read and is left out" in found[0]["message"]
    assert "entry " in found[0]["place"]


def test_a_robot_without_a_model_is_checked_by_what_needs_none(tmp_path: Path) -> None:
    from aibo_files import LOCATORS, mtn, oda

    locators = [locator.replace("PRM:/r1", "PRM:/r7") for locator in LOCATORS[:15]]
    entries = [
        (b"OMTN", f"a_sit#sit_{number}", mtn(f"a_sit#sit_{number}", design="DRX-900", locators=locators))
        for number in range(4)
    ]
    (tmp_path / "m.oda").write_bytes(oda(entries))
    done = RUN.invoke(app, ["check", str(tmp_path / "m.oda")])
    assert done.exit_code == 0, done.output
    assert "there is no model of robot 'ers210', so that limits, speed, self-collision, balance, reach" in done.stdout
    far = mtn("a_sit#sit_9", design="DRX-900", locators=locators[::-1])
    (tmp_path / "m.oda").write_bytes(oda([*entries, (b"OMTN", "far", far)]))
    refused = RUN.invoke(app, ["check", str(tmp_path / "m.oda"), "--physics"])
    assert refused.exit_code == 2
    assert "there is no model of this robot to run; got 'ers210'" in refused.stderr
    # A slip in the name of a robot that there is stays an error.
    (tmp_path / "slip.yaml").write_text("format: andante.motions\nrobot: noa\nmotions: {m: {blocks: []}}\n")
    refused = RUN.invoke(app, ["check", str(tmp_path / "slip.yaml")])
    assert refused.exit_code == 2
    assert "did you mean 'nao'" in refused.stderr

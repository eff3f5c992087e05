"""Ways between postures: the shortest one is found and played before a motion that begins elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.control.openr.dispatcher import EAGLE_KNIGHTS, CommandFate, Dispatcher
from andante.motions.errors import MotionError
from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary
from andante.motions.posture_ways import posture_after, way_to
from andante.runs.logs.log import Log

sys.path.append(str(Path(__file__).resolve().parents[1] / "formats"))

from sony_archive import MOTIONS, archive

NAMES = (
    *("a_stand#stand_kick", "a_stand#sit_down", "a_sit#stand_up", "a_sit#sleep_down", "a_sleep#sit_up"),
    *("a_sit#sit_scratch", "h_sleep#stand_head", "a_station#station_wag", "kick", "a_any#any_nod"),
)
LIBRARY = MotionLibrary(
    robot="ers7",
    motions={name: Motion(blocks=(name,)) for name in NAMES},
    blocks={name: Block() for name in NAMES},
)


@pytest.mark.parametrize(
    ("posture", "motion", "way"),
    [
        ("stand", "a_stand#stand_kick", []),
        ("sit", "a_stand#stand_kick", ["a_sit#stand_up"]),
        ("sleep", "a_stand#stand_kick", ["a_sleep#sit_up", "a_sit#stand_up"]),
        ("stand", "a_sleep#sit_up", ["a_stand#sit_down", "a_sit#sleep_down"]),
        ("sleep", "kick", []),
        ("sleep", "a_any#any_nod", []),
        (None, "a_stand#stand_kick", []),
        # Nothing leads from walk to stand; both stand.
        ("walk", "a_stand#stand_kick", []),
    ],
)
def test_ways(posture: str | None, motion: str, way: list[str]) -> None:
    assert way_to(LIBRARY, motion, posture) == way


def test_a_way_that_is_not_there_is_named() -> None:
    with pytest.raises(
        MotionError, match=r"no way from posture 'station' to 'sit', in which motion 'a_sit#sit_scratch'"
    ):
        way_to(LIBRARY, "a_sit#sit_scratch", "station")


def test_where_a_motion_leaves_the_robot() -> None:
    assert posture_after(LIBRARY, "a_stand#sit_down", "stand") == "sit"
    assert posture_after(LIBRARY, "kick", "sit") == "sit"
    assert posture_after(LIBRARY, "a_any#any_nod", "sit") == "sit"


def test_the_dispatcher_plays_the_way_and_rejects_where_there_is_none() -> None:
    dispatcher = Dispatcher(LIBRARY, EAGLE_KNIGHTS, "sleep")
    assert dispatcher.request("a_stand#stand_kick", "").answer is CommandFate.ACCEPTED
    played = []
    while (job := dispatcher.next()) is not None:
        played.append(job.motion)
    assert played == ["a_sleep#sit_up", "a_sit#stand_up", "a_stand#stand_kick"]
    # From where that ended, and the motions of a way take no place in the queue.
    assert dispatcher.request("a_sit#sit_scratch", "").answer is CommandFate.ACCEPTED
    assert [dispatcher.next().motion for _ in range(2)] == ["a_stand#sit_down", "a_sit#sit_scratch"]  # type: ignore[union-attr]
    lonely = Dispatcher(LIBRARY, EAGLE_KNIGHTS, "station")
    reply = lonely.request("a_sit#sit_scratch", "")
    assert (reply.answer, "there is no way from posture 'station' to 'sit'" in reply.reason) == (
        CommandFate.REJECTED,
        True,
    )
    # After a stop nobody knows the posture.
    lonely.stop()
    assert lonely.request("a_sit#sit_scratch", "").answer is CommandFate.ACCEPTED


@pytest.mark.slow
def test_run_plays_the_way_from_the_posture_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.oda").write_bytes(archive(MOTIONS))
    words = ["run", "m.oda/a_stand#stand_kick", "--start", "sit", "--out", "out", "--no-video", "--no-report"]
    done = CliRunner().invoke(app, [*words, "--allow-fall"])
    assert done.exit_code in (0, 1), done.output
    told = [event.text for event in Log.open(Path("out/log.mcap")).events]
    begun = [text.removesuffix(" begins") for text in told if text.endswith(" begins")]
    assert begun == ["a_sit#stand_up", "a_stand#stand_kick"]
    # Where nobody names a posture it begins in the one that the motion names.
    done = CliRunner().invoke(app, [*words[:2], "--out", "two", "--no-video", "--no-report", "--allow-fall"])
    told = [event.text for event in Log.open(Path("two/log.mcap")).events]
    assert [text.removesuffix(" begins") for text in told if text.endswith(" begins")] == ["a_stand#stand_kick"]
    motions = {name: keys for name, keys in MOTIONS.items() if name not in ("a_stand#sit_down",)}
    Path("m.oda").write_bytes(archive(motions))
    refused = CliRunner().invoke(app, ["run", "m.oda/a_sit#sit_scratch", "--start", "stand", "--no-video"])
    assert refused.exit_code == 2
    assert "there is no way from posture 'stand' to 'sit'" in refused.stderr

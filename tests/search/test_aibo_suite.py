"""The suite `aibo`: its figures, and that they do not depend on the number of workers."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.errors import AndanteError
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.runs.motion_libraries import load_motions
from andante.search.suites.aibo import (
    KICKS,
    SUITE,
    AiboOptions,
    AiboTask,
    AiboTrial,
    Measured,
    failures,
    rows,
    run_trial,
)


@pytest.mark.slow
def test_the_report_is_the_same_to_the_byte_at_one_and_two_workers(tmp_path):
    texts = []
    for workers in (1, 2):
        out = tmp_path / f"{workers}.json"
        command = ["bench", "aibo", "--motion", "kick_a", "--motion", "stop", "--seeds", "2", "--first-seed", "140"]
        done = CliRunner().invoke(app, [*command, "--workers", str(workers), "--asked", "1", "--out", str(out)])
        assert done.exit_code == 0, done.output
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]
    data = json.loads(texts[0])
    assert [row["name"] for row in data["rows"] if row["ok"]] == [
        "kick_a: on its feet",
        "kick_a: checks",
        "kick_a: ball >= 0.5 m",
        "stop: on its feet",
        "stop: checks",
    ]


@pytest.mark.slow
def test_every_kick_of_the_library_is_measured_with_a_ball():
    library = load_motions("ers7")
    assert set(KICKS) == {name for name in library.motions if name.startswith(("kick", "shot"))}


def test_rows_count_falls_broken_checks_and_weak_kicks():
    good = AiboTrial("k", 1, "", (), (), 0.01, reach=0.8, speed=1.0, off=math.radians(3))
    weak = AiboTrial("k", 2, "", (), (), 0.01, reach=0.4, speed=0.5, off=math.radians(-9))
    fell = AiboTrial("k", 3, "left after 1.00 s", ("falls left",), (), 1.0, reach=0.6, speed=0.8, off=0.0)
    measured = [Measured("k", (good, weak, fell), ())]
    found = {row.name: row.value for row in rows(measured)}
    assert found["k: on its feet"] == found["k: checks"] == found["k: ball >= 0.5 m"] == pytest.approx(2 / 3)
    assert found["k: reach, least"] == pytest.approx(0.4)
    assert found["k: direction off, most"] == pytest.approx(-9.0)
    assert failures(measured) == [
        {"seed": 2, "reasons": ["k: the ball reaches 0.40 m (limit 0.5 m)"]},
        {"seed": 3, "reasons": ["k: falls left"]},
    ]
    # What the design rules forbid counts against every run.
    ruled = {row.name: row.value for row in rows([Measured("k", (good,), ("too fast",))])}
    assert ruled["k: checks"] == 0.0


def test_a_fall_is_told():
    joints = {"LFJ1": 95.0, "LFJ3": 0.0, "LRJ1": 95.0, "LRJ3": 0.0}
    block = Block(keyframes=(Keyframe(duration=0.8, joints={k: math.radians(v) for k, v in joints.items()}),))
    library = MotionLibrary(robot="ers7", motions={"lift": Motion(blocks=("b",))}, blocks={"b": block})
    trial = run_trial(AiboTask("", "lift"), 0, library)
    assert trial.fell.startswith("left after ")
    assert trial.faults[0].startswith("falls left")


def test_an_unknown_motion_is_named():
    with pytest.raises(AndanteError, match=r"got 'kick_x'; did you mean 'kick_"):
        SUITE.cases(AiboOptions(motion=("kick_x",)))

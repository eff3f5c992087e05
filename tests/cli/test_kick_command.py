"""`andante kick` end to end: figures, JSON, pictures, exit codes, one message for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from in_process import Done, andante


def kick(*words: object, cwd: Path) -> Done:
    return andante("kick", *words, cwd=cwd)


def test_the_samples_figures(tmp_path):
    done = kick("run", "plain", "--compat", "--json", "--out", "kick.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["metrics"]["distance"] == pytest.approx(0.549204, abs=1e-6)
    assert data["metrics"]["display_cm"] == 54
    assert data["simulated"] is True
    assert (tmp_path / "kick.html").read_text().startswith("<!DOCTYPE html>")


def test_every_solution_is_printed_with_its_fate(tmp_path):
    done = kick("run", "poses", "--compat", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        "keyframe 1, 0.3 s, solution #1: (-67.2992, 169.2967, -101.5258) deg: "
        "discarded: knee_angle 169.2967 deg is outside -45 to 90 deg\n"
        "keyframe 1, 0.3 s, solution #2: (11.9975, 10.7033, -22.2291) deg: used\n"
    ) in done.stdout
    assert "the exercise's own physics, its ankle reading 21.61 deg off (in simulation)" in done.stdout
    assert "smallest distance 0.400130 m (40.0 cm) at 2.574 s" in done.stdout


def test_forward_and_inverse_agree_and_draw(tmp_path):
    forward = kick("fk", "--json", "--draw", "fk.png", "--", "-30,20,-40", cwd=tmp_path)
    found = json.loads(forward.stdout)
    x, z = found["positions"][3]
    degrees = found["rotation"] * 57.29577951308232
    inverse = kick("ik", f"{x},{z},{degrees}", "--feasible", "--json", "--draw", "ik.png", cwd=tmp_path)
    assert inverse.returncode == 0, inverse.stderr
    (solution,) = json.loads(inverse.stdout)["solutions"]
    assert [angle * 57.29577951308232 for angle in solution["angles"]] == pytest.approx([-30, 20, -40], abs=1e-6)
    for name in ("fk.png", "ik.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_a_pose_out_of_reach_fails_with_its_reason(tmp_path):
    done = kick("ik", "1.2,0.55,0", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == "no solution: too far: the ankle would be 0.55 m from the hip; limit: 0.4 m\n"


@pytest.mark.slow
def test_optimise_writes_a_kick_that_does_what_it_says_and_goes_on(tmp_path):
    words = ("optimise", "best.yaml", "--compat", "--keyframes", 2, "--good", 0.9, "--workers", 1, "--json")
    first = kick(*words, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    found = json.loads(first.stdout)
    again = json.loads(kick("run", "best.yaml", "--compat", "--json", cwd=tmp_path).stdout)
    assert again["metrics"]["distance"] == pytest.approx(found["metrics"]["distance"], abs=1e-6)
    resumed = json.loads(kick(*words, cwd=tmp_path).stdout)
    assert resumed["evaluations"] == found["evaluations"], "a finished search is not done again"


@pytest.mark.slow
def test_aim_answers_from_the_shipped_library(tmp_path):
    done = kick("aim", "servos", "--target", "2.2,0.6", "--out", "kick.yaml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    distance = json.loads(done.stdout)["distance"]
    assert distance < 0.15
    again = json.loads(kick("run", "kick.yaml", "--json", cwd=tmp_path).stdout)
    assert again["metrics"]["distance"] == pytest.approx(distance, abs=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("run", "plane"),
            "no such kick, neither shipped nor a file; got 'plane'; did you mean 'plain'?; legal: plain, poses, still",
        ),
        (
            ("run", "still", "--target", "9,1"),
            "target.x: the target is outside the world; got 9.0; limit: 0 to 3 m",
        ),
        (
            ("run", "still", "--target", "1"),
            "--target: another number of values is needed; got '1'; limit: 2 with commas",
        ),
        (("run", "still", "--target", "1,x"), "--target: is no finite number; got 'x'"),
        (("run", "still", "--compat", "--corrected"), "--compat and --corrected exclude each other"),
        (
            ("run", "still", "--out", "a.gif"),
            "a.gif: there is no such kind of animation; got '.gif'; legal: .webp, .mp4, .html",
        ),
        (("fk", "1,2"), "angles: another number of values is needed; got '1,2'; limit: 3 with commas"),
        (("optimise", "k.yaml", "--seconds", "nan"), "seconds: time must pass; got nan; limit: > 0 s"),
    ],
)
def test_mistakes_are_one_message_and_exit_code_2(tmp_path, words, message):
    done = kick(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"andante: {message}\n"
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())

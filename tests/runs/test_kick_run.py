"""Kick runs and what they show: nothing is simulated where a mistake is, pictures show ball, leg and solutions."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest

from andante.backends.backend import BackendError
from andante.control.controller import ControlError
from andante.motions.kicks.document import load_kick
from andante.motions.kicks.postures import KickError, solutions_of
from andante.motions.kicks.shipped import load_named
from andante.runs.canvas import Canvas
from andante.runs.errors import RunError, VideoError
from andante.runs.kick import execute
from andante.runs.kick.animation import animate, page, table
from andante.runs.kick.execute import closest, run_kick
from andante.runs.kick.scene_picture import FPS, draw_chain, frames, size

HEAD = "format: andante.kick\nversion: 1\nunits: {angle: deg, time: ms}\n"


@pytest.fixture(scope="module")
def poses():
    return run_kick(load_named("poses"), "original")


def test_the_closest_approach_is_that_of_the_way():
    path = np.array([[0.0, 0.0, 0.0], [0.1, 1.0, 0.0], [0.2, 2.0, 1.0]])
    assert closest(path, (1.0, 0.5)) == (0.5, 1)


def test_the_same_kick_gives_the_same_way_to_the_last_bit():
    for physics in ("servos", "original"):
        one, other = (run_kick(load_named("plain"), physics) for _ in range(2))
        assert one.path.tobytes() == other.path.tobytes()
        assert one.postures.tobytes() == other.postures.tobytes()


def test_leaving_out_what_is_not_needed_changes_no_figure():
    for physics in ("original", "servos"):
        kick = load_named("poses")
        full = run_kick(kick, physics)
        world = execute.kick_world(execute.Robot.load(kick.robot), physics)
        quick = execute.play(world, physics, full.keyframes, kick.target, record=False)
        assert (quick.distance, quick.time) == (full.distance, full.time)


def test_another_target_is_measured_on_the_same_way(poses):
    again = run_kick(load_named("poses"), "original", target=(2.0, 0.3))
    assert again.path.tobytes() == poses.path.tobytes()
    assert again.distance == closest(poses.path, (2.0, 0.3))[0]


def test_what_the_original_cuts_is_told(poses):
    assert poses.notes == ("keyframe 0: 1.05 s is cut to 1 s",)


@pytest.mark.parametrize("physics", ["servos", "original", "corrected"])
@pytest.mark.parametrize(
    ("lines", "error", "message"),
    [
        (
            "target: [3.5, 0.5]\n",
            BackendError,
            "target.x: the target is outside the world; got 3.5; limit: 0 to 3 m",
        ),
        (
            "keyframes: [{duration: 100, joints: {hip_angle: 50, knee_angle: 0, ankle_angle: 0}}]\n",
            KickError,
            "k: keyframes[0].joints: hip_angle is outside its range; got '50 deg'; limit: -90 to 45 deg; "
            "'beyond_limits: stops' would let the joint run against its stop",
        ),
        (
            "keyframes: [{duration: 4, joints: {hip_angle: 0, knee_angle: 0, ankle_angle: 0}}]\n",
            ControlError,
            "keyframes[0].duration: the keyframe is shorter than a frame; got 0.004; limit: >= {frame} s",
        ),
    ],
)
def test_nothing_is_simulated_in_silence(physics, lines, error, message, monkeypatch):
    from andante.backends.leglab.original_world import OriginalWorld
    from andante.backends.leglab.servo_world import ServoWorld

    def moved(*_):
        raise RuntimeError("time passed")

    for world in (OriginalWorld, ServoWorld):
        monkeypatch.setattr(world, "advance", moved)
    with pytest.raises(error) as caught:
        run_kick(load_kick(HEAD + lines), physics, place="k")
    assert str(caught.value) == message.replace("{frame}", "0.01" if physics == "servos" else "0.1")


def test_unknown_physics_is_told():
    with pytest.raises(RunError) as caught:
        execute.kick_world(execute.Robot.load("bootcamp-leg"), "pymunk")
    assert str(caught.value) == "there is no such physics; got 'pymunk'; legal: servos, original, corrected"


def test_the_table_has_every_solution_and_why_it_was_dropped(poses):
    rows = table(poses)
    assert [(row["keyframe"], row["solution"], row["used"]) for row in rows] == [
        (k, s, s == 2) for k in range(3) for s in (1, 2)
    ]
    assert rows[2]["use"] == "discarded: knee_angle 169.2967 deg is outside -45 to 90 deg"


def colour_at(picture, x, z):
    height, scale = picture.shape[0], picture.shape[1] / 3.0
    return picture[round(height - z * scale) - 1, round(x * scale)].tolist()


def test_frames_show_the_ball_where_it_is_and_a_ghost_where_it_was_nearest(poses):
    made = list(frames(poses))
    assert len(made) == round(5.0 * FPS) + 1
    assert made[0].shape == (size()[1], size()[0], 3)
    orange = colour_at(made[0], 0.8, 1.0)
    row = int(np.searchsorted(poses.path[:, 0], 1.0))
    assert colour_at(made[FPS], poses.path[row, 1], poses.path[row, 2]) == orange
    assert colour_at(made[0], *poses.nearest) != colour_at(made[-1], *poses.nearest)


@pytest.mark.parametrize("ending", ["webp", "mp4"])
def test_videos_have_all_frames(poses, tmp_path, ending):
    path = tmp_path / f"kick.{ending}"
    animate(poses, path, "poses")
    raw = path.read_bytes()
    if ending == "webp":
        assert raw[:4] == b"RIFF"
        assert raw.count(b"ANMF") == 126
    else:
        program = imageio_ffmpeg.get_ffmpeg_exe()
        told = subprocess.run([program, "-i", path, "-f", "null", "-"], capture_output=True, text=True, check=True)
        assert re.findall(r"frame=\s*(\d+)", told.stderr)[-1] == "126"
        assert f"{size()[0]}x{size()[1]}" in told.stderr


def test_the_page_holds_everything_and_no_markup_from_the_title(poses):
    text = page(poses, "</script><b>x</b>")
    assert "<b>x" not in text
    assert "http" not in text
    data = json.loads(re.search(r'application/json">(.*?)</script>', text, re.S)[1])
    assert data["title"] == "</script><b>x</b>"
    assert data["distance"] == pytest.approx(0.40013, abs=1e-5)
    assert len(data["times"]) == len(data["points"]) == len(data["rotation"])


def test_other_endings_are_refused(poses, tmp_path):
    with pytest.raises(VideoError) as caught:
        animate(poses, tmp_path / "kick.gif", "poses")
    assert str(caught.value).endswith("there is no such kind of animation; got '.gif'; legal: .webp, .mp4, .html")


@pytest.mark.parametrize("pose", [(0.73, 0.1976, -0.4), (0.65, 0.15, 0.0), (1.2, 0.55, 0.0)])
def test_the_chains_picture_shows_each_solution(poses, tmp_path, pose):
    found, _ = solutions_of(poses.chain, pose[:2], pose[2])
    draw_chain(tmp_path / "ik.png", poses.chain, found, np.array(pose))
    raw = (tmp_path / "ik.png").read_bytes()
    assert raw.startswith(b"\x89PNG")
    draw_chain(tmp_path / "none.png", poses.chain, (), np.array(pose))
    assert (raw == (tmp_path / "none.png").read_bytes()) == (not found)


def test_shapes_cover_their_area_and_nothing_else():
    canvas = Canvas(200, 100, 100.0, colour=(0, 0, 0))
    canvas.disc((1.0, 0.5), 0.3, (255, 255, 255))
    covered = canvas.image()[..., 0] / 255.0
    assert covered.sum() == pytest.approx(np.pi * 30.0**2, rel=0.01)
    canvas.rod((5.0, 5.0), (6.0, 6.0), 0.1, (255, 0, 0))
    np.testing.assert_array_equal(canvas.image()[..., 0] / 255.0, covered)


def test_letters_differ_and_unknown_ones_are_blank():
    pictures = set()
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:-#=/":
        canvas = Canvas(24, 24, 1.0)
        canvas.text(4, 4, letter, size=12.0)
        pictures.add(canvas.image().tobytes())
    # The same strokes serve for S and 5.
    assert len(pictures) == 42
    blank = Canvas(24, 24, 1.0)
    empty = blank.image().tobytes()
    blank.text(4, 4, "é ", size=12.0)
    assert blank.image().tobytes() == empty


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium, which .ci/run insists on")
@pytest.mark.browser
def test_the_page_plays_in_a_browser(poses, tmp_path):
    from playwright.sync_api import sync_playwright

    file = tmp_path / "kick.html"
    animate(poses, file, "poses")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_page()
        problems: list[str] = []
        view.on("pageerror", lambda error: problems.append(str(error)))
        view.goto(file.as_uri())
        view.evaluate("document.getElementById('slider').value = 2; document.getElementById('slider').oninput()")
        assert view.inner_text("#clock") == "2.00 s"
        assert view.locator("#rows tr").count() == 6
        assert view.locator("#rows tr.dropped").count() == 3
        assert "0.4001 m" in view.inner_text("#summary")
        drawn = view.evaluate("new Set(pen.getImageData(0, 0, canvas.width, canvas.height).data).size")
        assert drawn > 20
        browser.close()
    assert problems == []

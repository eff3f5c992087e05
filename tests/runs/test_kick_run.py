"""Kick runs and what they show: nothing is simulated where a mistake is, pictures show ball, leg and solutions."""

from __future__ import annotations

import json
import re
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from andante.backends.backend import BackendError
from andante.control.controller import ControlError
from andante.motions.kicks.document import KickError, load_kick, load_named
from andante.motions.kicks.postures import solutions_of
from andante.pictures.style import BAD, GOOD, styled
from andante.runs.errors import RunError, VideoError
from andante.runs.kick import execute
from andante.runs.kick.animation import BALL, FPS, SIZE, _scene, animate, chain_figure, frames, kick_page, rods, table
from andante.runs.kick.execute import closest, run_kick
from headless_browser import BROWSER_PATH

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


@pytest.mark.slow
def test_frames_show_the_ball_where_it_is_and_a_ghost_where_it_was_nearest(poses):
    made = list(frames(poses))
    assert len(made) == round(5.0 * FPS) + 1
    assert made[0].shape == (SIZE[1], SIZE[0], 3)
    figure, _ = _scene(poses)
    with styled():
        figure.draw_without_rendering()
    place = figure.axes[0].transData

    def colour_at(picture, point):
        column, row = place.transform(point)
        return picture[round(SIZE[1] - row), round(column)].tolist()

    orange = [round(255 * part) for part in to_rgb(BALL)]
    assert colour_at(made[0], (0.8, 1.0)) == orange
    row = int(np.searchsorted(poses.path[:, 0], 1.0))
    assert colour_at(made[FPS], poses.path[row, 1:]) == orange
    assert colour_at(made[0], poses.nearest) != colour_at(made[-1], poses.nearest)


def test_the_scene_has_metres_target_and_a_leg_of_the_chains_lengths(poses):
    figure, moving = _scene(poses)
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_aspect()) == ("x [m]", "z [m]", 1.0)
    assert {patch.center for patch in axes.patches if getattr(patch, "center", None) == poses.target}
    assert len(moving["leg"]) == 5
    hip, knee, *_ = poses.chain.forward(poses.postures[0, 1:])[0]
    thigh = rods(poses.chain, poses.postures[0, 1:])[0]
    # The outline is everywhere 5 cm from the line between hip and knee.
    along = (knee - hip) / np.linalg.norm(knee - hip)
    share = np.clip((thigh - hip) @ along, 0.0, np.linalg.norm(knee - hip))
    assert np.linalg.norm(thigh - (hip + share[:, None] * along), axis=1) == pytest.approx(0.05)


@pytest.mark.slow
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
        assert f"{SIZE[0]}x{SIZE[1]}" in told.stderr


def test_the_page_holds_everything_and_no_markup_from_the_title(poses):
    text = kick_page(poses, "</script><b>x</b>")
    assert "</script><b>x" not in text
    data = json.loads(re.search(r'application/json">(.*?)</script>', text, re.S)[1])
    assert data["title"] == "</script><b>x</b>"
    assert data["distance"] == pytest.approx(0.40013, abs=1e-5)
    assert len(data["times"]) == len(data["rods"]) == len(poses.postures)
    outline = rods(poses.chain, poses.postures[7, 1:])[2]
    assert pytest.approx(outline, abs=1e-4) == np.array(data["rods"][7][2]).T


def test_other_endings_are_refused(poses, tmp_path):
    with pytest.raises(VideoError) as caught:
        animate(poses, tmp_path / "kick.gif", "poses")
    assert str(caught.value).endswith("there is no such kind of animation; got '.gif'; legal: .webp, .mp4, .html")


@pytest.mark.parametrize("pose", [(0.73, 0.1976, -0.4), (0.65, 0.15, 0.0), (1.2, 0.55, 0.0)])
def test_the_chains_picture_shows_each_solution(poses, pose):
    found, _ = solutions_of(poses.chain, pose[:2], pose[2])
    axes, notes = chain_figure(poses.chain, found, np.array(pose)).axes
    drawn = {line.get_label(): line for line in axes.get_lines()}
    for number, solution in enumerate(found, start=1):
        verdict = "beyond limits" if solution.problem else "inside all limits"
        line = drawn[f"#{number}: {verdict}"]
        assert line.get_xydata() == pytest.approx(poses.chain.forward(solution.angles)[0])
        assert line.get_color() == (BAD if solution.problem else GOOD)
        assert (solution.problem or verdict) in notes.texts[number - 1].get_text()
    assert drawn["toe asked for"].get_xydata()[0] == pytest.approx(pose[:2])
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_aspect()) == ("x [m]", "z [m]", 1.0)
    assert ("no solutions" in [text.get_text() for text in notes.texts]) == (not found)


@pytest.mark.slow
@pytest.mark.skipif(not BROWSER_PATH, reason="needs chromium (apt install chromium)")
@pytest.mark.browser
def test_the_page_plays_in_a_browser(poses, tmp_path):
    from playwright.sync_api import sync_playwright

    file = tmp_path / "kick.html"
    animate(poses, file, "poses")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER_PATH, args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_page()
        problems: list[str] = []
        requests: list[str] = []
        view.on("pageerror", lambda error: problems.append(str(error)))
        view.on("request", lambda request: requests.append(request.url))
        view.goto(file.as_uri())
        view.evaluate("document.getElementById('slider').value = 2; document.getElementById('slider').oninput()")
        assert view.inner_text("#clock") == "2.00 s"
        assert view.locator("#rows tr").count() == 6
        assert view.locator("#rows tr.dropped").count() == 3
        assert "0.4001 m" in view.inner_text("#summary")
        # Way, ghost, five parts of the leg and the ball; the ghost is not seen yet.
        assert view.locator("#scene .scatterlayer .trace").count() == 8
        assert view.locator("#scene .xtitle").text_content() == "x [m]"
        ball = view.evaluate("document.getElementById('scene').data.at(-1).x")
        browser.close()
    row = int(np.searchsorted(poses.path[::5, 0], 2.0 + 1e-9, side="right")) - 1
    assert 0.5 * (min(ball) + max(ball)) == pytest.approx(poses.path[::5][row, 1], abs=1e-4)
    assert problems == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []

"""Whole runs in physics: the folder, determinism, replay, report and what happens when something is missing."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from andante.control.events import EventKind
from andante.errors import AndanteError
from andante.pictures.style import FOOT_COLOURS, foot_colour
from andante.robots.digest import robot_digest
from andante.robots.robot import Robot
from andante.runs.errors import LogError, RunError
from andante.runs.evaluation.balance import balance_of, foot_tracks
from andante.runs.execute import run_scenario
from andante.runs.logs.log import Log
from andante.runs.logs.replay import replay_log
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import load_scenario, validated
from headless_browser import BROWSER_PATH


@pytest.fixture(scope="module")
def squat(tmp_path_factory, squatter_files) -> Path:
    """The folder of a passed run."""
    folder = tmp_path_factory.mktemp("run")
    result = run_scenario(scenario(squatter_files, "squat", "rise"), folder / "out", seed=3)
    assert result.passed, result.reasons
    return folder / "out"


def scenario(library: Path, *motions: str, **changes: object) -> Scenario:
    return validated(
        {
            "name": "squatting",
            "robot": "squatter",
            "controller": {"library": str(library), "motions": motions},
            "world": {"friction": (0.5, 0.9), "noise": {"position": 0.001, "gyro": 0.01}},
            "timeout": 5.0,
            "settle": 0.6,
            "success": {"stands_at_end": True},
            "recording": {"video": False},
            **changes,
        }
    )


def test_a_run_writes_its_folder(squat: Path) -> None:
    assert sorted(path.name for path in squat.iterdir()) == ["log.mcap", "metrics.json", "report.html", "scenario.yaml"]
    data = json.loads((squat / "metrics.json").read_text())
    assert data["verdict"] == "pass"
    assert data["seed"] == 3
    assert data["metrics"]["fell"] is False
    assert 1.2 <= data["metrics"]["done_at"] <= 1.4
    assert load_scenario(squat / "scenario.yaml").seed == 3


def test_the_log_tells_everything(squat: Path) -> None:
    log = Log.open(squat / "log.mcap")
    assert log.complete
    assert set(log.channels) >= {"sensors", "command", "telemetry", "truth"}
    assert log.metadata["run"] == {"scenario": "squatting", "seed": "3", "robot": "squatter", "kind": "simulation"}
    assert set(log.metadata["versions"]) == {"andante", "python", "mujoco", "numpy", "pydantic"}
    assert {"motion", "keyframe", "end"} <= {event.kind for event in log.events}
    knee = log.column("sensors.position.LKneePitch")[1]
    assert knee.max() > 1.45
    assert knee[-1] == pytest.approx(0.6, abs=0.1)


def test_the_same_scenario_commands_the_same_bytes(squat: Path, tmp_path: Path, squatter_files: Path) -> None:
    run_scenario(scenario(squatter_files, "squat", "rise", seed=3), tmp_path)
    run_scenario(scenario(squatter_files, "squat", "rise", seed=4), tmp_path / "other")
    first, second, other = (Log.open(f / "log.mcap") for f in (squat, tmp_path, tmp_path / "other"))
    for channel in ("sensors", "command", "telemetry", "truth"):
        assert first.rows(channel).rows.tobytes() == second.rows(channel).rows.tobytes()
    assert first.rows("sensors").rows.tobytes() != other.rows("sensors").rows.tobytes()


def test_a_replay_commands_the_same_bytes(squat: Path) -> None:
    result = replay_log(squat)
    assert result.identical
    assert result.ticks == len(Log.open(squat / "log.mcap").rows("command").rows)


def test_a_robot_that_is_held_by_its_base_measures_nothing_new_and_goes_on(tmp_path: Path) -> None:
    success = {"finishes": False, "stands_at_end": False}
    changes = {"name": "held", "robot": "nao", "world": {"fixed_base": True}, "timeout": 1.6, "success": success}
    held = scenario(Path("nao-basics"), "sit_down", **changes)
    result = run_scenario(held, tmp_path)
    assert not any(event.kind is EventKind.STOP for event in result.log.events), result.reasons
    assert result.metrics.duration == pytest.approx(1.6, abs=0.02)
    sensors = result.log.channels["sensors"]
    assert not np.ptp(sensors["gyro"], axis=0).any()
    assert np.ptp(sensors["position"], axis=0).max() > 0.5
    assert sensors["contact"].any()
    assert replay_log(tmp_path).identical


def test_a_replay_tells_that_the_file_of_the_robot_has_changed_since(
    squat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert replay_log(squat).changed == ""
    monkeypatch.setattr("andante.runs.logs.replay.robot_digest", lambda _: "of another file")
    again = replay_log(squat)
    assert again.identical
    assert "has changed since" in again.changed
    # A log of an earlier version does not tell, and nothing is said.
    monkeypatch.setattr("andante.runs.logs.replay.ROBOT_TABLE", "none")
    assert replay_log(squat).changed == ""


def test_the_digest_of_a_robot_is_of_its_file_and_of_nothing_else() -> None:
    robot = Robot.load("bootcamp-leg")
    assert robot_digest(robot) == robot_digest(Robot.load("bootcamp-leg"))
    heavier = replace(robot, mjcf=robot.mjcf.replace('mass="0.4', 'mass="0.5', 1))
    stiffer = replace(robot, servos=(replace(robot.servos[0], kp=61.0), *robot.servos[1:]))
    assert len({robot_digest(each) for each in (robot, heavier, stiffer)}) == 3


def test_a_replay_finds_a_changed_command(squat: Path, tmp_path: Path) -> None:
    log = Log.open(squat / "log.mcap")
    row = log.rows("command").rows[70]
    changed = row.copy()
    changed[2] += 1e-12
    # Chunks are compressed and have checksums, so that a changed row needs a log of its own.
    from andante.robots.records import Record
    from andante.runs.logs.recorder import LogRecorder

    recorder = LogRecorder(tmp_path / "log.mcap", log.metadata)
    for tick in range(100):
        for name in ("sensors", "command"):
            rows = log.rows(name)
            vector = changed if (name, tick) == ("command", 70) else rows.rows[tick]
            recorder.add(name, int(rows.nanoseconds[tick]), Record(rows.layout, vector))
    recorder.close()
    result = replay_log(tmp_path / "log.mcap")
    assert (result.ticks, result.mismatch_count) == (100, 1)
    assert result.mismatches[0].tick == 70
    assert result.mismatches[0].column == "position.LAnklePitch"


def test_a_log_in_which_a_joint_has_another_name_names_it(squat: Path, tmp_path: Path) -> None:
    data = (squat / "log.mcap").read_bytes()
    assert b"LKneePitch" in data
    (tmp_path / "log.mcap").write_bytes(data.replace(b"LKneePitch", b"LKneeXitch"))
    with pytest.raises(LogError) as refused:
        replay_log(tmp_path)
    assert "the recorded sensors are not those of robot" in str(refused.value)
    assert "got 'position.LKneeXitch'; limit: position.LKneePitch (of " in str(refused.value)


def test_a_log_without_its_scenario_cannot_be_replayed(tmp_path: Path) -> None:
    from andante.runs.logs.recorder import LogRecorder

    LogRecorder(tmp_path / "log.mcap").close()
    with pytest.raises(LogError, match="does not hold the scenario"):
        replay_log(tmp_path)


@pytest.mark.parametrize("size", [3000, 20_000])
def test_a_log_that_was_cut_before_its_first_ticks_says_so(squat: Path, tmp_path: Path, size: int) -> None:
    cut = tmp_path / "cut.mcap"
    cut.write_bytes((squat / "log.mcap").read_bytes()[:size])
    with pytest.raises(LogError, match=f"the log holds no ticks; cut off or damaged at byte .* of {size}"):
        replay_log(cut)


def test_a_robot_that_is_thrown_over_fails(tmp_path: Path, squatter_files: Path) -> None:
    result = run_scenario(scenario(squatter_files, "tip"), tmp_path)
    assert result.verdict == "fail"
    assert result.reasons[0].startswith("fell after 0.")
    assert result.metrics.fell


def test_balance_of_a_standing_robot(squat: Path, squatter) -> None:
    from andante.backends.model_builder import build_model
    from andante.backends.world import WorldConfig

    truth = Log.open(squat / "log.mcap").rows("truth")
    model = build_model(squatter.robot, WorldConfig())
    tracks = foot_tracks(truth, squatter.robot, model, np.arange(len(truth.rows)))
    slip, rows = balance_of(truth, squatter.robot, tracks, most=50)
    assert len(rows.rows) == 50
    assert slip < 0.005
    # Soles reach from 50 mm behind to 100 mm before the ankle; the middle of that is 75 mm from front and rear edge.
    assert 0.03 < rows["margin"][-1, 0] <= 0.0755
    weight = 9.81 * (2.0 + 2 * 0.8)
    assert rows["load"][-1].sum() == pytest.approx(weight, rel=0.02)


def test_a_folder_that_cannot_be_made(tmp_path: Path, squatter_files: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="the run's folder cannot be made; got 'Not a directory'"):
        run_scenario(scenario(squatter_files, "squat"), tmp_path / "file" / "out")


def test_unknown_motions_end_before_anything_is_written(tmp_path: Path, squatter_files: Path) -> None:
    with pytest.raises(AndanteError, match="squat"):
        run_scenario(scenario(squatter_files, "squad"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


BROWSER = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
"""3-D pictures are drawn by the processor."""


@pytest.mark.slow
@pytest.mark.skipif(not BROWSER_PATH, reason="needs chromium (apt install chromium)")
@pytest.mark.browser
def test_the_report_works_in_a_browser_without_a_network(squat: Path) -> None:
    from playwright.sync_api import sync_playwright

    text = (squat / "report.html").read_text()
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER_PATH, args=BROWSER)
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        problems: list[str] = []
        requests: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: requests.append(request.url))
        page.goto((squat / "report.html").as_uri())
        page.wait_for_selector("body[data-ready=true]")
        page.wait_for_selector("body[data-replay=ready]")
        assert page.inner_text("#badge") == "PASS"
        assert "in simulation" in page.inner_text("header")
        assert page.locator("#timeline .main-svg").count() > 0
        before = page.locator(".panel").count()
        page.fill("#search", "gyro")
        names = page.locator("#found li")
        assert names.count() == 3
        page.press("#search", "Enter")
        assert page.locator(".panel").count() == before + 1
        assert "sensors.gyro.x" in page.locator(".panel").last.inner_text()
        names = ["command.position.LKneePitch", "sensors.position.LKneePitch", "truth.pitch", "balance.load.right"]
        left, measured, pitch, right = page.evaluate(
            "names => andanteReport.looks(names).map((look) => look.color)", names
        )
        assert (left, measured, right) == (foot_colour(0), foot_colour(0), foot_colour(1))
        assert pitch not in FOOT_COLOURS
        drawn = {
            trace["name"]: trace["line"]["color"] for trace in page.evaluate("andanteReport.byId('timeline').data")
        }
        assert [drawn[name] for name in ("left foot", "load.left", "right foot")] == [left, left, right]
        many = [f"sensors.position.joint_{number}" for number in range(30)]
        lines = page.evaluate("names => andanteReport.looks(names).map((look) => look.color + look.dash)", many)
        assert len(set(lines)) == len(many)
        shown = page.evaluate("Array.from(andanteReport.samples('sensors.position.LKneePitch').y)")
        page.locator("#events tr").nth(3).click()
        assert page.evaluate("andanteReport.replay.time") == pytest.approx(page.evaluate("andanteReport.cursor"))
        # Whoever moves the replay moves the line in the plots, and who points at a plot moves the replay.
        # In one go: between two calls a frame may put the slider back to where the replay stands.
        page.evaluate(
            "slider => { slider.value = 0.5; slider.dispatchEvent(new Event('input')); }",
            page.query_selector(".replay-bar input[type=range]"),
        )
        assert page.evaluate("andanteReport.now") == pytest.approx(0.5)
        plot = page.locator(".panel .plot").first
        plot.hover(position={"x": 400, "y": 80})
        page.wait_for_function("andanteReport.now > 0.55")
        assert page.evaluate("andanteReport.replay.time") == pytest.approx(page.evaluate("andanteReport.now"))
        # It plays: time goes on and pictures are drawn.
        seen = page.evaluate("andanteReport.replay.frames")
        page.locator(".replay-bar button").click()
        page.wait_for_function(f"andanteReport.replay.frames >= {seen} + 3")
        page.locator(".replay-bar button").click()
        assert not page.evaluate("andanteReport.replay.playing")
        page.locator("#events tr").nth(3).click()
        for width, height in ((1280, 800), (1920, 1080)):
            page.set_viewport_size({"width": width, "height": height})
            long = "a_name_that_nobody_would_choose" * 12
            page.evaluate("text => document.querySelectorAll('h1, li, b, td').forEach((e) => e.append(text))", long)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("andanteReport.cursor") == pytest.approx(Log.open(squat / "log.mcap").events[3].time)
        browser.close()
    knee = Log.open(squat / "log.mcap").column("sensors.position.LKneePitch")[1]
    assert shown == pytest.approx([math.degrees(value) for value in knee], abs=1e-4)
    assert problems == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert 'src="' not in text.split("<script>")[0]


@pytest.mark.slow
@pytest.mark.usefixtures("offscreen")
def test_the_shipped_scenario_passes_with_a_video(tmp_path: Path) -> None:
    """The NAO goes down and stands up again; the video has as many pictures as the run has fifteenths of a second."""
    from andante.runs.scenario import Recording

    shipped = load_scenario("sit-and-stand")
    small = shipped.model_copy(update={"recording": Recording(report=False, video=True, video_size=(160, 120))})
    result = run_scenario(small, tmp_path, seed=1)
    assert result.passed, result.reasons
    assert result.notes == ()
    import imageio_ffmpeg

    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "video.mp4"))
    assert frames == pytest.approx(15 * result.metrics.duration, abs=2)
    assert seconds == pytest.approx(result.metrics.duration, abs=0.1)
    assert replay_log(tmp_path).identical


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_real_motions_do_not_fall(bhuman_folder: Path, tmp_path: Path, seed: int) -> None:
    from andante.runs.scenario_files import motion_scenario

    plain = motion_scenario("nao", str(bhuman_folder / "keyframeMotionEngine.cfg"), ("sitDown", "stand"))
    world = {"friction": (0.5, 0.9), "noise": {"position": 0.002, "gyro": 0.01}}
    changed = validated(plain.model_dump() | {"world": world, "recording": {"video": False, "report": False}})
    result = run_scenario(changed, tmp_path, seed=seed)
    assert result.passed, result.reasons


def test_a_missing_graphics_library_is_told_and_the_run_counts(
    tmp_path: Path, squatter_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from andante.robots import graphics

    def missing(*arguments: object) -> None:
        raise graphics.GraphicsError("no offscreen OpenGL is installed", remedy="install libegl1")

    monkeypatch.setattr(graphics, "offscreen_renderer", missing)
    result = run_scenario(scenario(squatter_files, "squat", recording={"report": False, "video": True}), tmp_path)
    assert result.notes == ("no video: no offscreen OpenGL is installed; install libegl1",)
    assert not (tmp_path / "video.mp4").exists()
    assert result.data()["notes"] == list(result.notes)


def test_a_missing_encoder_is_told_and_the_run_counts(
    tmp_path: Path, squatter_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import imageio_ffmpeg

    def missing() -> str:
        raise RuntimeError("no ffmpeg")

    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", missing)
    result = run_scenario(scenario(squatter_files, "squat", recording={"report": False, "video": True}), tmp_path)
    assert result.notes[0].startswith("no video: no video encoder was found; install ffmpeg")


def test_an_encoder_that_fails_is_told(tmp_path: Path, squatter_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import imageio_ffmpeg

    from andante.runs.reports import video

    black = np.zeros((360, 480, 3), np.uint8)  # needs no OpenGL
    monkeypatch.setattr(video, "pictures_of", lambda *arguments: ((0.1 * frame, black) for frame in range(30)))
    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: shutil.which("false"))
    result = run_scenario(scenario(squatter_files, "squat", recording={"report": False, "video": True}), tmp_path)
    assert result.passed is False
    assert result.notes[0].startswith(f"no video: {tmp_path / 'video.mp4'}: the encoder could not write the video")


def test_what_stands_in_the_way_of_a_report_is_named(tmp_path: Path, squatter_files: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(RunError, match=r"report.html: cannot be replaced; got 'Is a directory'"):
        run_scenario(scenario(squatter_files, "squat"), tmp_path)

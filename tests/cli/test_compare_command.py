"""`compare`: two runs side by side, and the folders that runs without a name of their own go to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Field, Layout, Record, scalar
from andante.runs.logs.record import RunRecord
from andante.runs.logs.recorder import LogRecorder
from andante.runs.reports.compare import CompareError, compare
from andante.runs.task import hint_of, scenario_of

RUNNER = CliRunner()
LAYOUT = Layout("truth", (scalar("time", "s"), Field("qpos", ("x", "knee"), "rad")))


def recorded(folder: Path, rows: list[tuple[float, float]], events: list[str], robot: str = "nao", **metrics: object):
    folder.mkdir()
    log = LogRecorder(folder / "log.mcap", {"run": {"scenario": "s", "seed": "1", "robot": robot}})
    for tick, row in enumerate(rows):
        log.add("truth", tick * 10_000_000, Record(LAYOUT, np.array([0.01 * tick, *row])))
        log.end_tick()
    for number, text in enumerate(events):
        log.event(ControlEvent(0.01 * number, EventKind.NOTE, text))
    log.close()
    verdict = {"verdict": "pass", "reasons": [], "metrics": {"duration": 0.01 * len(rows), **metrics}}
    (folder / "metrics.json").write_text(json.dumps(verdict))
    return folder


def test_the_first_row_that_differs_is_named_with_its_columns(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", [(0, 0), (1, 0), (2, 0), (3, 0)], ["a", "b", "c"], energy=2.0, fell=False)
    other = recorded(tmp_path / "b", [(0, 0), (1, 0), (2.5, 4), (9, 9)], ["a", "c", "d"], energy=3.0, fell=False)
    found = compare(one, other)
    (channel,) = found.channels
    assert (channel.tick, channel.time, channel.columns) == (2, 0.02, ("qpos.knee", "qpos.x"))
    assert channel.largest == 4.0
    assert found.first is channel
    assert [event.text for event in found.missing] == ["b"]
    assert [event.text for event in found.added] == ["d"]
    energy = next(number for number in found.numbers if number.name == "energy")
    assert energy.change == pytest.approx(0.5)
    assert "energy" in str(found)
    assert "+50.0 %" in str(found)
    # What is the same in both is not told.
    assert "fell" not in str(found)


def test_runs_that_were_asked_otherwise_say_in_what(tmp_path: Path) -> None:
    """Two worlds of one name passed for the same."""

    def logged(name: str, text: str, mujoco: str, digest: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        run = {"scenario": "s", "seed": "1", "robot": "nao"}
        tables = {"run": run, "scenario": {"text": text}, "versions": {"mujoco": mujoco}, "robot": {"digest": digest}}
        LogRecorder(folder / "log.mcap", tables).close()
        return folder

    one = logged("a", "name: s\nseed: 1\nworld: {friction: 0.8, slope: 0.1}\nlibrary: /home/a/x.yaml\n", "3.3", "f")
    other = logged("b", "name: t\nseed: 2\nworld: {friction: 0.3}\nlibrary: /srv/x.yaml\n", "3.4", "e")
    found = compare(one, other)
    asked = {
        "world.friction": [0.8, 0.3],
        "world.slope": [0.1, None],
        "robot's model, digest": ["f", "e"],
        "version of mujoco": ["3.3", "3.4"],
    }
    assert found.data()["asked"] == asked
    told = RUNNER.invoke(app, ["compare", str(one), str(other)]).output
    assert "asked in another way:\n  world.friction: A 0.8, B 0.3\n  world.slope: A 0.1, B as usual\n" in told
    broken = logged("c", "world: {", "3.4", "e")
    assert [what for what, _, _ in compare(other, broken).asked][-1] == "scenario"
    assert compare(one, one).asked == ()


def test_equal_runs_are_equal_also_where_readings_are_missing(tmp_path: Path) -> None:
    rows = [(0.0, float("nan")), (1.0, float("nan"))]
    found = compare(recorded(tmp_path / "a", rows, ["a"]), recorded(tmp_path / "b", rows, ["a"]))
    assert found.equal
    assert "every row and every event is the same" in str(found)


def test_what_the_computers_clock_decides_is_no_difference(tmp_path: Path) -> None:
    first = {"late_p99": 0.001, "drift": 1e-5, "waited_max": 0.002, "walk": {"planning": 0.3, "steps": 12}}
    later = {"late_p99": 0.004, "drift": 3e-5, "waited_max": 0.001, "walk": {"planning": 0.5, "steps": 13}}
    one, other = (recorded(tmp_path / name, [(0, 0)], [], **own) for name, own in (("a", first), ("b", later)))
    assert [number.name for number in compare(one, other).numbers if number.differs] == ["walk.steps"]


def test_numbers_that_are_infinite_are_named_and_break_no_json(tmp_path: Path) -> None:
    endless, nothing = float("inf"), float("nan")
    one = recorded(tmp_path / "a", [(0, 0)], [], energy=endless, slip=nothing, peak=1.0, max_tilt=-endless)
    other = recorded(tmp_path / "b", [(0, 0)], [], energy=2.0, slip=nothing, peak=endless, max_tilt=0.5)
    lines = [line.split() for line in str(compare(one, other)).splitlines()[4:]]
    assert lines == [
        ["energy", "infinite", "2", "J"],
        ["peak", "1", "infinite"],
        ["max_tilt", "minus", "infinite", "28.65", "deg"],
    ]
    told = RUNNER.invoke(app, ["compare", str(one), str(other), "--json"])
    assert told.exit_code == 0, told.output
    numbers = json.loads(told.stdout, parse_constant=pytest.fail)["metrics"]
    assert numbers["energy"] == ["Infinity", 2.0]
    assert numbers["slip"] == ["NaN", "NaN"]
    assert json.loads(RUNNER.invoke(app, ["show", str(one), "--json"]).stdout, parse_constant=pytest.fail)


def test_a_run_that_is_the_beginning_of_another(tmp_path: Path) -> None:
    found = compare(
        recorded(tmp_path / "a", [(0, 0), (1, 0)], []), recorded(tmp_path / "b", [(0, 0), (1, 0), (2, 0)], [])
    )
    assert not found.equal
    assert found.first is None
    assert "truth: equal as far as both go, 2 and 3 rows" in str(found)


def test_logs_alone_can_be_compared(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", [(0, 0)], [])
    shutil.copy(one / "log.mcap", tmp_path / "kept.mcap")
    found = compare(one / "log.mcap", tmp_path / "kept.mcap")
    assert found.equal
    assert found.runs[1].verdict == ""


def test_runs_of_different_robots_are_refused(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", [(0, 0)] * 600, [])
    other = recorded(tmp_path / "b", [(0, 0)] * 600, [], robot="ers7")
    with pytest.raises(CompareError, match=r"the runs are of different robots; got 'ers7'; limit: 'nao'"):
        compare(one, other)
    done = RUNNER.invoke(app, ["compare", str(one), str(other)])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)


def test_a_log_that_was_cut_is_compared_as_far_as_it_goes(tmp_path: Path) -> None:
    """As of a robot whose battery was pulled, beside the same run in simulation: it was refused."""
    one = recorded(tmp_path / "a", [(0, 0)] * 600, [])
    whole = (one / "log.mcap").read_bytes()
    (tmp_path / "cut.mcap").write_bytes(whole[: len(whole) // 2])
    found = compare(one, tmp_path / "cut.mcap")
    assert not found.equal
    assert all(each.tick is None for each in found.channels)
    assert "the log of B is not complete: cut off" in str(found)
    assert found.data()["problems"].keys() == {"B"}
    done = RUNNER.invoke(app, ["compare", str(one), str(tmp_path / "cut.mcap")])
    assert done.exit_code == 0
    assert "equal as far as both go" in done.output
    assert RUNNER.invoke(app, ["compare", "--same", str(one), str(tmp_path / "cut.mcap")]).exit_code == 1


def rewritten(log: Path, path: Path, keep: Callable[[int], bool], foreign: bool = False) -> Path:
    """A log as tools of MCAP rewrite it: rows of some moments [ns], and a channel of others merged in."""
    from mcap.reader import make_reader
    from mcap.writer import Writer

    with open(log, "rb") as file, open(path, "wb") as made:
        reader, writer = make_reader(file), Writer(made)
        writer.start()
        for table in reader.iter_metadata():
            writer.add_metadata(table.name, table.metadata)
        channels: dict[str, int] = {}
        for schema, channel, message in reader.iter_messages():
            if channel.topic not in channels:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                about = (channel.topic, channel.message_encoding, number, dict(channel.metadata))
                channels[channel.topic] = writer.register_channel(*about)
            if channel.topic == "/events" or keep(message.log_time):
                writer.add_message(channels[channel.topic], message.log_time, message.data, message.publish_time)
        if foreign:
            number = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
            other = writer.register_channel("/rosout", "cdr", number, {"offered_qos_profiles": ""})
            writer.add_message(other, 1_700_000_000_000_000_000, b"\0\1\0\0\4\0\0\0abc\0", 0)
        writer.finish()
    return path


def test_rows_of_the_same_moments_are_compared(tmp_path: Path) -> None:
    """Of a log that has lost rows, or has every second one, rows of other moments stood beside each other."""
    one = recorded(tmp_path / "a", [(number, 2 * number) for number in range(200)], [])
    times = RunRecord.open(one).log.rows("truth").nanoseconds.tolist()
    half = rewritten(one / "log.mcap", tmp_path / "half.mcap", set(times[::2]).__contains__)
    found = compare(one, half)
    assert not found.equal
    assert "truth: of 200 and 100 rows 100 are of the same moments, and these are equal" in str(found)
    odd = rewritten(one / "log.mcap", tmp_path / "odd.mcap", set(times[1::2]).__contains__)
    assert "truth: 100 and 100 rows, none of the same moment" in str(compare(half, odd))


def test_a_log_with_channels_of_others_is_the_run_s_log(tmp_path: Path) -> None:
    """As where a recording of ROS was merged with it: it was refused as not Andante's."""
    one = recorded(tmp_path / "a", [(0, 0)] * 20, [])
    merged = rewritten(one / "log.mcap", tmp_path / "merged.mcap", lambda at: True, foreign=True)
    found = compare(one, merged)
    assert found.equal
    assert "rosout" not in found.runs[1].log.channels


@pytest.mark.parametrize("broken", ["", "[]", '{"metrics": 3}', "{"])
def test_numbers_that_are_none_are_refused(tmp_path: Path, broken: str) -> None:
    one = recorded(tmp_path / "a", [(0, 0)], [])
    (one / "metrics.json").write_text(broken)
    done = RUNNER.invoke(app, ["compare", str(one), str(one)])
    assert done.exit_code == 2
    assert "metrics.json" in done.output
    assert RUNNER.invoke(app, ["compare", str(tmp_path), str(one)]).exit_code == 2


def test_same_fails_where_anything_differs(tmp_path: Path) -> None:
    one, other = recorded(tmp_path / "a", [(0, 0)], []), recorded(tmp_path / "b", [(1, 0)], [])
    assert RUNNER.invoke(app, ["compare", str(one), str(other)]).exit_code == 0
    assert RUNNER.invoke(app, ["compare", str(one), str(other), "--same"]).exit_code == 1
    assert RUNNER.invoke(app, ["compare", str(one), str(one), "--same"]).exit_code == 0
    data = json.loads(RUNNER.invoke(app, ["compare", str(one), str(other), "--json"]).output)
    assert data["channels"][0]["columns"] == ["qpos.x"]


@pytest.mark.slow
def test_a_run_without_a_folder_of_its_own_replaces_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert RUNNER.invoke(app, ["run", "nao-basics/stand", "--no-report"]).exit_code == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["stand-0", "stand-0-2"]
    told = RUNNER.invoke(app, ["compare", "runs/stand-0", "runs/stand-0-2", "--same"])
    assert told.exit_code == 0, told.output
    assert "run of stand, seed 0, robot nao" in RUNNER.invoke(app, ["show", "runs/stand-0"]).output


def test_a_run_may_begin_lying_and_a_get_up_on_its_feet_is_told() -> None:
    standing = scenario_of("nao/get_up_back")
    assert "get_up_back is a get-up and begins on its feet; --start" in hint_of(standing)
    lying = scenario_of("nao/get_up_back", start="back")
    assert lying.world.start.lying == "supine"
    assert hint_of(lying) == ""
    assert hint_of(scenario_of("nao/wave")) == ""
    assert scenario_of("sit-and-stand", start="sit").world.start.posture == "sit"
    told = RUNNER.invoke(app, ["run", "nao/wave", "--start", "bakc"]).output
    assert "there is no such start; got 'bakc'; did you mean 'back'?" in told


def test_nothing_named_is_told_with_what_there_is() -> None:
    told = RUNNER.invoke(app, ["run"]).output
    assert "--library" in told
    assert "sit-and-stand" in told
    assert "named twice" in RUNNER.invoke(app, ["run", "nao/wave", "--motion", "stand"]).output


@pytest.mark.slow
def test_the_page_of_a_comparison_has_both_runs(tmp_path: Path) -> None:
    for seed in ("0", "1"):
        words = ["run", "nao-basics/stand", "--seed", seed, "--no-report", "--out", str(tmp_path / seed)]
        assert RUNNER.invoke(app, words).exit_code == 0
    told = RUNNER.invoke(app, ["compare", *(str(tmp_path / seed) for seed in "01"), "--out", str(tmp_path / "c.html")])
    assert told.exit_code == 0, told.output
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    data = json.loads(page.split('<script id="data" type="application/json">')[1].split("</script>")[0])
    assert data["verdict"] == "different"
    assert {"sensors", "B sensors", "truth", "B truth"} <= {channel["name"] for channel in data["channels"]}
    assert data["panels"][0][1][:2] == ["truth.pitch", "B truth.pitch"]
    assert len(data["replays"]) == 2
    ((title, heads, rows),) = data["tables"]
    assert (title, heads) == ("Numbers", ["metric", "A", "B", "change"])
    assert "energy" in [row[0] for row in rows]
    assert len(page) < 15_000_000


def test_a_page_whose_robot_is_gone_is_told(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", [(0, 0)], [])
    done = RUNNER.invoke(app, ["compare", str(one), str(one), "--out", str(tmp_path / "c.html")])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert "does not hold the scenario of its run" in done.output

"""The unit in which HULKs' `.motion2` counts time: chosen by the header, told, and written again."""

from __future__ import annotations

import pytest
from test_motion2_limits import data_of, keyframes, load, motion, written

from andante.motions.keyframe import Keyframe


def test_a_file_that_says_its_time_right_is_read_in_silence():
    for stated in (300, 300.4, 299.6):
        assert load(data_of(header={"time": stated}))[1] == []
    for stated in (301, 299):
        (warning,) = load(data_of(header={"time": stated}))[1]
        assert f"the header says {stated} ms, the poses take 300 ms; they are scaled to the header" in warning
        (warning,) = load(data_of(header={"time": stated}), time="poses")[1]
        assert f"the header says {stated} ms, the poses take 300 ms, which counts" in warning


@pytest.mark.parametrize(
    ("total", "stated", "unit"),
    [
        # Between two units the nearer one by factor counts: the border lies at the square root of their factor.
        (100, 999, 1.0),
        (100, 1001, 100.0),
        (100, 31_600, 100.0),
        (100, 31_700, 1000.0),
        (100, 1, 1.0),
        (100, 10**7, 1000.0),
    ],
)
def test_the_unit_is_the_one_nearest_to_the_header(total, stated, unit):
    library, warnings = load(data_of((0.4 * total, 0.6 * total), header={"time": stated}), time="poses")
    durations = [frame.duration for frame in library.blocks["kick"].keyframes]
    assert durations == pytest.approx([0.0004 * total * unit, 0.0006 * total * unit])
    assert any("times are taken as" in warning for warning in warnings) is (unit != 1.0)
    extras = library.motions["kick"].extras["hulks-motion2"]
    assert {name for name in ("tenths", "seconds", "ms") if name in extras} == (
        {100.0: {"tenths"}, 1000.0: {"seconds"}}.get(unit, set())
    )
    assert written(library)[0] == data_of((0.4 * total, 0.6 * total), header={"time": stated})


@pytest.mark.parametrize(
    ("times", "hasty"), [((99, 100), True), ((100, 100), False), ((199,), False), ((0, 0), False), ((0.5, 0.5), True)]
)
@pytest.mark.parametrize("header", [{}, {"time": 0}])
def test_a_hasty_motion_of_unknown_length_is_told(times, hasty, header):
    _, warnings = load(data_of(times, header=header))
    assert any("are taken as milliseconds, which is hasty" in warning for warning in warnings) is hasty


def test_times_are_written_in_the_unit_of_the_file():
    for kept, times in (({"tenths": True}, [7, 13.5]), ({"seconds": True}, [0.7, 1.35]), ({}, [700, 1350])):
        extras = {"hulks-motion2": {"joints": [0], **kept}}
        frames = [Keyframe(duration=seconds, joints={"HeadYaw": 0.1}) for seconds in (0.7, 1.35)]
        data, _ = written(motion(*frames, extras=extras))
        assert [entry["time"] for entry in data["position"]] == times
        assert data["header"] == {"joints": [0]}


@pytest.mark.parametrize(
    ("times", "stated", "told"),
    [
        ((4, 6), 1000, None),
        ((4, 6), 1010, "the header says 1010 ms, the poses take 1000 ms, which counts"),
        ((4, 6), 999.6, None),
        ((0.4, 0.6), 1200, "the header says 1200 ms, the poses take 1000 ms, which counts"),
        ((0.4, 0.6), 1000, None),
    ],
)
def test_the_header_is_compared_with_what_the_poses_take_in_their_unit(times, stated, told):
    library, warnings = load(data_of(times, header={"time": stated}), time="poses")
    assert sum(frame.duration for frame in library.blocks["kick"].keyframes) == pytest.approx(1.0)
    # The first says which unit was taken.
    assert len(warnings) == (1 if told is None else 2)
    assert told is None or told in warnings[1]


@pytest.mark.parametrize("time", [0.7, 0.3, 1.1, 2.3, 123.456789, 0.000001234])
@pytest.mark.parametrize("stated", [100.0, 1000.0])
def test_times_in_larger_units_come_back_as_they_were_written(time, stated):
    data = data_of((time, 1), header={"time": (time + 1) * stated})
    assert keyframes(data)[0].duration == pytest.approx(time * stated / 1000.0)
    assert written(load(data)[0])[0] == data


def test_a_new_file_states_its_time_and_a_file_that_did_not_still_does_not():
    frames = [Keyframe(duration=seconds, joints={"HeadYaw": 0.1}) for seconds in (0.1, 0.25)]
    assert written(motion(*frames))[0]["header"] == {
        "joints": list(range(26)),
        "time": 350,
        "title": "kick",
        "version": "2.0",
    }
    for kept in ({"title": "a kick"}, {"version": "1.7", "time": 1}, {"tenths": True}):
        header = written(motion(*frames, extras={"hulks-motion2": {"joints": [0], **kept}}))[0]["header"]
        assert header == {"joints": [0], **{name: value for name, value in kept.items() if name != "tenths"}}


@pytest.mark.parametrize(("times", "stated"), [((100, 200), 2700), ((6000, 3960), 2700), ((4, 6), 1010), ((7, 7), 3)])
def test_poses_are_scaled_to_the_header_unless_they_are_to_count(times, stated):
    data = data_of(times, header={"time": stated})
    library, _ = load(data)
    durations = [frame.duration for frame in library.blocks["kick"].keyframes]
    assert durations == pytest.approx([stated * time / sum(times) / 1000 for time in times])
    assert written(library)[0] == data
    # An edit is read again as it was made.
    frames = library.blocks["kick"].keyframes
    block = library.blocks["kick"].but(keyframes=(frames[0].but(duration=2.0), *frames[1:]))
    again = written(library.but(blocks={"kick": block}))[0]
    edited = [frame.duration for frame in load(again)[0].blocks["kick"].keyframes]
    assert edited == pytest.approx([2.0, durations[1]], rel=1e-3)

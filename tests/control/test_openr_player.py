"""The OPEN-R player: vectors, buffers, commands, stops, and the seed's own timing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from openr_library import Bench, small_library

from andante.control.controller import ControlError, Controller
from andante.control.events import EventKind
from andante.control.openr.dispatcher import EAGLE_KNIGHTS, CommandFate, CommandTable
from andante.control.openr.frames import VectorPipe, from_micro, to_micro
from andante.control.openr.playback import KICKB, counted_playback
from andante.control.openr.player import OpenRPlayer
from andante.control.openr.settings import FixedTiming, PlayerSettings, TimedCommand
from andante.documents.settings import SettingsError
from andante.motions.sampling import sample_motion
from andante.robots.robot import Robot

LIBRARY = small_library()


@pytest.fixture(scope="module")
def ers7() -> Robot:
    return Robot.load("ers7")


def player(robot: Robot, *motions: str, script: tuple[TimedCommand, ...] = (), **config: float) -> OpenRPlayer:
    return OpenRPlayer(robot, LIBRARY, motions, script, settings=PlayerSettings(**config))


def test_angles_are_rounded_to_microradians_never_cut_off() -> None:
    degrees = np.arange(-130, 131)
    exact = np.radians(degrees) * 1e6
    sent = to_micro(np.radians(degrees))
    assert np.abs(sent - exact).max() <= 0.5
    assert (sent != exact.astype(np.int64)).sum() == 130  # what cutting off gets wrong, as the reference counts
    assert np.array_equal(to_micro(from_micro(sent)), sent)
    for bad in (math.nan, math.inf, 3000.0):
        with pytest.raises(ControlError):
            to_micro(np.array([0.0, bad]))


def test_a_vector_holds_one_to_sixteen_frames() -> None:
    for count in (0, 17):
        with pytest.raises(ControlError, match="1 to 16"):
            VectorPipe(2, np.zeros(2, dtype=np.int64)).send(np.zeros((count, 2), dtype=np.int64))
        with pytest.raises(
            SettingsError, match=rf"openr\.frames: is not legal; got {count}; limit: at (least 1|most 16)"
        ):
            PlayerSettings(frames=count)


def test_ready_comes_when_a_vector_has_been_output() -> None:
    pipe = VectorPipe(2, np.zeros(1, dtype=np.int64))
    for start in (1, 5):
        pipe.send(np.arange(start, start + 4)[:, None])
    assert not pipe.free
    with pytest.raises(ControlError, match="no buffer is free"):
        pipe.send(np.zeros((4, 1), dtype=np.int64))
    assert [(int(pipe.output()[0]), pipe.ready) for _ in range(9)] == [
        (1, 0),
        (2, 0),
        (3, 0),
        (4, 1),
        (5, 1),
        (6, 1),
        (7, 1),
        (8, 2),
        (8, 2),
    ]
    with pytest.raises(ControlError, match="at least 2"):
        VectorPipe(1, np.zeros(1, dtype=np.int64))


def test_it_is_a_controller_that_repeats_itself_after_a_reset(ers7: Robot) -> None:
    controller = player(ers7, "kick_a", "kick_left")
    assert isinstance(controller, Controller)
    first = Bench(ers7, controller).until_done()
    controller.reset()
    assert np.array_equal(Bench(ers7, controller).until_done(), first)


def test_the_joint_stream_does_not_depend_on_the_frames_per_vector(ers7: Robot) -> None:
    streams = [Bench(ers7, player(ers7, "kick_a", "kick_left", "kick_a", frames=n)).until_done() for n in (1, 4, 16)]
    shortest = min(len(stream) for stream in streams)
    assert shortest >= 2 * 139 + 50
    for stream in streams:
        assert np.array_equal(stream[:shortest], streams[0][:shortest])
        assert (stream[shortest:] == stream[-1]).all()


def test_the_stream_is_the_motion_to_half_a_microradian_with_every_key_reached(ers7: Robot) -> None:
    stream = Bench(ers7, player(ers7, "kick_a")).until_done()
    begin = from_micro(to_micro(ers7.posture("walk")))
    motion = sample_motion(LIBRARY, ers7, "kick_a", begin, 0.008)
    assert np.abs(stream[: len(motion.position) - 1] - motion.position[1:]).max() <= 0.5e-6 + 1e-12
    assert math.degrees(stream[-1][ers7.index("LFJ1")]) == pytest.approx(-33.0, abs=1e-4)


def test_it_starts_from_the_measured_posture_and_stretches_what_would_be_too_fast(ers7: Robot) -> None:
    start = ers7.posture("sleep")
    controller = player(ers7, "kick_left")
    stream = Bench(ers7, controller, start).until_done()
    assert np.abs(stream[0] - start).max() < math.radians(2.0)
    steps = np.abs(np.diff(np.vstack([start, stream]), axis=0))
    assert (steps <= ers7.max_velocity * 0.008 + 1e-6).all()
    # -70 to -30 deg in 200 ms would be 200 deg/s; the limit is 182.5.
    stretched = [event for event in controller.take_events() if event.kind is EventKind.STRETCHED]
    assert [event.data["joint"] for event in stretched] == ["Tilt1"]


def test_a_robot_that_was_moved_by_others_is_followed_before_the_next_motion(ers7: Robot) -> None:
    bench = Bench(ers7, player(ers7))
    bench.step(3)
    bench.position = ers7.posture("sit")
    bench.player.request("kick_left")
    bench.step(200)
    stream = np.array(bench.stream)
    assert (np.abs(np.diff(stream, axis=0)) <= ers7.max_velocity * 0.008 + 1e-6).all()
    assert "resync" in [event.kind for event in bench.player.take_events()]
    # The rear legs, which the motion does not name, stay as they were found.
    assert math.degrees(stream[-1][ers7.index("LRJ1")]) == pytest.approx(-81.0, abs=1e-3)


def test_commands_are_accepted_queued_or_rejected_with_a_reason(ers7: Robot) -> None:
    bench = Bench(ers7, player(ers7))
    bench.step()
    control = bench.player
    unknown = control.command(77)
    assert (unknown.answer, unknown.reason[:15]) == (CommandFate.REJECTED, "unknown id 77; ")
    assert "101" in unknown.reason
    assert control.done
    assert control.command(1000).reason == "id 1000 is reserved for walking"
    assert control.command(501).reason.startswith("the library has no motion 'celebrate'; it has: kick_a")
    assert control.command(101).answer is CommandFate.ACCEPTED
    bench.step()
    assert control.playing == "kick_a"
    assert control.command(201).answer is CommandFate.QUEUED
    full = control.command(101)
    assert (full.answer, full.reason) == (CommandFate.REJECTED, "busy with 'kick_a', and the queue of 1 is full")
    bench.until_done()
    begun = [event.text for event in control.take_events() if event.kind is EventKind.PLAYBACK]
    assert begun == ["kick_a begins", "kick_left begins"]


def test_without_a_queue_a_busy_player_says_so(ers7: Robot) -> None:
    bench = Bench(ers7, player(ers7, queue=0))
    bench.step()
    assert bench.player.command(101).answer is CommandFate.ACCEPTED
    bench.step(5)
    assert bench.player.command(201).reason == "busy with 'kick_a'"


def test_commands_can_be_scripted(ers7: Robot) -> None:
    control = player(ers7, script=(TimedCommand(time=0.4, command=601), TimedCommand(time=0.08, command=101)))
    bench = Bench(ers7, control)
    bench.until_done()
    answers = [(event.time, event.text) for event in control.take_events() if event.kind is EventKind.COMMAND]
    assert answers == [(pytest.approx(0.08), "command 101 accepted"), (pytest.approx(0.4), "command 601 accepted")]


@pytest.mark.parametrize("frames", [1, 4, 16])
def test_a_stop_at_any_tick_holds_within_one_vector_and_never_speeds_up(ers7: Robot, frames: int) -> None:
    whole = Bench(ers7, player(ers7, "kick_a", frames=frames)).until_done()
    limit = ers7.max_velocity * 0.008
    for tick in range(1, len(whole), 1 if frames == 4 else 7):
        bench = Bench(ers7, player(ers7, "kick_a", "kick_left", frames=frames))
        bench.step(tick)
        assert bench.player.command(601).answer is CommandFate.ACCEPTED
        bench.step(frames + 16)
        stream = np.vstack([ers7.posture("walk"), *bench.stream])
        steps = np.abs(np.diff(stream, axis=0))
        assert (steps <= limit + 2e-6).all()
        # Within one vector the stop begins; 64 ms later all joints rest.
        assert steps[tick + frames + 8 :].max() == 0.0
        slowing = steps[tick + frames - 1 : tick + frames + 9]
        assert (np.diff(slowing, axis=0) <= 2e-6).all()
        assert (stream <= ers7.upper + 1e-6).all()
        assert bench.player.done
        again = bench.player.command(201)
        assert again.answer is CommandFate.ACCEPTED


def test_the_seeds_timing_is_reproduced(ers7: Robot) -> None:
    # Calls 1, 50, .. 300 set a pose, call 310 ends: 2.48 s where a call is one frame of 8 ms.
    table = CommandTable(EAGLE_KNIGHTS.motions, counted={102: KICKB})
    control = OpenRPlayer(
        ers7, LIBRARY, script=[TimedCommand(time=0.0, command=102)], table=table, settings=PlayerSettings(frames=1)
    )
    stream = Bench(ers7, control).until_done()
    right = stream[:, ers7.index("RFJ1")]
    changes = np.flatnonzero(np.abs(np.diff(np.concatenate([[math.radians(-33)], right]))) > 1e-5)
    assert [round(tick * 0.008, 3) for tick in changes] == [0.0, 0.392, 0.792, 1.192, 1.592, 1.992, 2.392]
    assert len(stream) == 310
    # A pose is travelled within its own vector alone: 60 degrees in 8 ms.
    assert math.degrees(np.abs(np.diff(right)).max()) / 0.008 == pytest.approx(7500.0, rel=1e-4)


@pytest.mark.parametrize(("frames", "seconds", "speed"), [(1, 2.48, 7500.0), (4, 9.92, 1875.0), (16, 39.68, 468.75)])
def test_counted_timing_counts_calls_not_time(ers7: Robot, frames: int, seconds: float, speed: float) -> None:
    start = to_micro(ers7.posture("walk"))
    playback = counted_playback(LIBRARY, ers7, "kick_b", start, 1, KICKB, frames)
    assert len(playback.frames) * 0.008 == pytest.approx(seconds)
    steps = np.abs(np.diff(np.vstack([start, playback.frames]), axis=0)).max() * 1e-6 / 0.008
    assert math.degrees(steps) == pytest.approx(speed, rel=1e-3)


def test_counted_timing_must_fit_the_motion(ers7: Robot) -> None:
    with pytest.raises(ControlError, match=r"one pose per counted switch.*got 3.*7 keyframes"):
        counted_playback(LIBRARY, ers7, "kick_a", to_micro(ers7.posture("walk")), 1, KICKB, 1)
    with pytest.raises(SettingsError, match="must rise"):
        FixedTiming(switches=(1, 50, 50), finish=60)


def test_what_does_not_fit_is_named(ers7: Robot, nao: Robot) -> None:
    with pytest.raises(ControlError, match="OPEN-R frames last 8 ms"):
        OpenRPlayer(nao, LIBRARY)
    with pytest.raises(ControlError, match=r"no such motion.*got 'kick_x'"):
        player(ers7, "kick_x")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: TimedCommand(time=math.nan, command=101),
            r"^command.time: must be a finite number; got nan$",
        ),
        (lambda: TimedCommand(time=-0.1, command=101), r"^command.time: is not legal; got -0.1; limit: at least 0$"),
        (
            lambda: CommandTable({5: "kick_a"}, stops=frozenset({5})),
            r"^ids.5: a command id means both a motion and a stop; got 'kick_a'$",
        ),
        (lambda: CommandTable({5: "kick_a"}, reserved={5: "walking"}), "both a motion and reserved"),
        (lambda: CommandTable({5: "kick_a"}, counted={6: KICKB}), r"an id without a motion; got '6'; legal: 5$"),
        (lambda: PlayerSettings(stop_time=math.nan), r"^openr.stop_time: must be a finite number; got nan$"),
        (lambda: PlayerSettings(buffers=1), r"^openr.buffers: is not legal; got 1; limit: at least 2$"),
        (lambda: PlayerSettings(queue=-1), r"^openr.queue: is not legal; got -1; limit: at least 0$"),
    ],
)
def test_bad_settings_are_named(wrong, message) -> None:
    with pytest.raises((ControlError, SettingsError), match=message):
        wrong()


def test_a_command_while_busy_waits_or_is_told_what_it_waits_for(ers7: Robot) -> None:
    control = player(
        ers7, script=(TimedCommand(time=0.0, command=101), *[TimedCommand(time=0.1 * n, command=201) for n in (1, 2)])
    )
    Bench(ers7, control).until_done()
    assert [event.text for event in control.take_events() if event.kind is EventKind.COMMAND] == [
        "command 101 accepted",
        "command 201 queued",
        "command 201 rejected: busy with 'kick_a', and the queue of 1 is full",
    ]

"""The way to a robot: its joints on a wire, its own time, and what happens where states are lost."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hardware_plants import HANGING, looped
from hypothesis import given
from hypothesis import strategies as st

from andante.backends.backend import BackendError, LinkLostError, Paced
from andante.backends.hardware.joint_map import JointMap
from andante.backends.hardware.link import PacketLink, Transport
from andante.backends.hardware.pace import PaceWatch
from andante.backends.hardware.packets import WireError
from andante.backends.hardware.processor_wait import ProcessorWait
from andante.backends.hardware.quantiles import Quantiles
from andante.backends.hardware.udp import UdpCodec
from andante.robots.robot import Robot

LITTLEDOG = Robot.load("littledog")
NAMES = LITTLEDOG.joint_names


@st.composite
def joint_maps(draw: st.DrawFn) -> JointMap:
    """Any order, with empty slots, any signs, zeros and units."""
    slots = list(draw(st.permutations([*NAMES, "", ""])))
    signs = {name: draw(st.sampled_from([-1, 1])) for name in NAMES}
    offsets = {name: draw(st.floats(-3.0, 3.0)) for name in NAMES}
    scales = {name: draw(st.floats(0.01, 100.0)) for name in NAMES}
    return JointMap.of(LITTLEDOG, slots, signs=signs, offsets=offsets, scales=scales)


@pytest.mark.slow
@given(joint_maps(), st.lists(st.floats(-4.0, 4.0), min_size=60, max_size=60))
def test_what_goes_over_a_joint_map_comes_back(joint_map: JointMap, values: list[float]) -> None:
    command = LITTLEDOG.command()
    command.vector[:] = values
    command.kp[:], command.kd[:] = np.abs(command.kp), np.abs(command.kd)
    back = LITTLEDOG.command()
    wire = joint_map.to_wire(command)
    joint_map.from_wire(wire, back)
    np.testing.assert_allclose(back.vector, command.vector, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@given(joint_maps(), st.integers(0, 11), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_torque_times_speed_is_the_same_power_on_either_side(
    joint_map: JointMap, joint: int, torque: float, speed: float
) -> None:
    command = LITTLEDOG.command()
    command.torque[joint], command.velocity[joint] = torque, speed
    wire = joint_map.to_wire(command)
    assert float(wire.torque @ wire.velocity) == pytest.approx(torque * speed, abs=1e-9)
    # And so is the torque of a spring.
    command.kp[joint], command.position[joint] = 3.0, 0.5
    wire = joint_map.to_wire(command)
    slot = int(joint_map.slot_of[joint])
    zero = joint_map.wire_position(np.zeros(12))[slot]
    spring = wire.kp[slot] * (wire.position[slot] - zero) / joint_map.factor[slot]
    assert spring == pytest.approx(1.5, rel=1e-9)


def test_a_joint_that_follows_has_the_slot_of_its_leader() -> None:
    nao = Robot.load("nao")
    slots = [name for name in nao.joint_names if name != "RHipYawPitch"]
    joint_map = JointMap.of(nao, slots)
    wire = np.arange(25.0)
    angles = joint_map.position(wire)
    assert angles[nao.index("RHipYawPitch")] == angles[nao.index("LHipYawPitch")]


@pytest.mark.parametrize(
    ("slots", "more", "words"),
    [
        (["nose", *NAMES[1:]], {}, "has no such joint"),
        ([NAMES[1], *NAMES[1:]], {}, "two slots"),
        (NAMES[1:], {}, "has no slot"),
        (NAMES, {"signs": {NAMES[0]: 2}}, "counts by no such unit"),
        (NAMES, {"scales": {NAMES[0]: 0.0}}, "counts by no such unit"),
        (NAMES, {"offsets": {"nose": 0.0}}, "has no such joint"),
    ],
)
def test_a_wrong_joint_map_is_refused_by_name(slots, more, words) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BackendError, match=words):
        JointMap.of(LITTLEDOG, slots, **more)


def test_what_comes_while_a_run_is_put_together_is_no_gap_in_its_readings() -> None:
    backend, plant = looped(robot="littledog")
    backend.reset(0)
    first, period = plant.tick, backend.link.codec.period
    # Recorder, controller and guard are made meanwhile.
    backend.link._moment += 0.13
    assert backend.read().time == 0.0
    assert plant.tick - first == int(0.13 / period + 1e-9)
    times = []
    for _ in range(5):
        backend.advance(period)
        times.append(float(backend.read().time))
    assert times == pytest.approx([period * (tick + 1) for tick in range(5)], abs=1e-12)
    assert (backend.watch.lost, backend.watch.missed, backend.watch.silent) == (0, 0, 0)


def test_sensor_time_is_the_robots_count_times_its_period() -> None:
    backend, _ = looped(robot="littledog", clock=0.03)
    assert isinstance(backend, Paced)
    assert backend.paces
    backend.reset(0)
    times = []
    for _ in range(200):
        times.append(backend.read().time)
        backend.write(LITTLEDOG.command())
        backend.advance(0.01)
    # Not by receive times: a robot that is 3 % fast has the same steps, to the last bit but rounding.
    np.testing.assert_allclose(np.diff(times), 0.01, atol=1e-12)
    assert backend.pace.drift == pytest.approx(0.03, abs=0.001)
    backend.close()


def test_one_lost_state_repeats_the_last_and_the_run_keeps_step() -> None:
    backend, plant = looped(robot="littledog", arrives=lambda tick: tick not in (5, 6, 7, 8))
    backend.reset(0)
    seen = []
    for _ in range(12):
        seen.append(round(backend.read().time / 0.01))
        backend.write(LITTLEDOG.command())
        backend.advance(0.01)
    assert seen == [0, 1, 2, 3, 3, 3, 3, 3, 8, 9, 10, 11]
    assert plant.tick == 13
    told = dict(zip(backend.link_record().layout.slices, backend.link_record().vector, strict=True))
    assert (told["lost"], told["silent"], told["passed_over"]) == (4, 4, 0)


def test_a_silent_robot_is_a_lost_link_after_the_time_that_is_waited() -> None:
    backend, _ = looped(robot="littledog", arrives=lambda tick: tick <= 10)
    backend.reset(0)

    def go_on() -> None:
        for _ in range(100):
            backend.write(LITTLEDOG.command())
            backend.advance(0.01)

    with pytest.raises(LinkLostError, match=r"no state has come for 0\.6"):
        go_on()
    assert backend.time == pytest.approx(0.09)


def test_a_count_that_goes_back_is_told_as_why_no_newer_state_comes() -> None:
    backend, plant = looped(robot="littledog")
    backend.reset(0)

    def go_on() -> None:
        for tick in range(200):
            backend.write(LITTLEDOG.command())
            backend.advance(0.01)
            if tick == 90:
                plant.tick -= 80

    with pytest.raises(
        LinkLostError, match=r"states came whose count of cycles is not above the newest one \(the last by"
    ):
        go_on()
    assert backend.time == pytest.approx(0.91)


def test_what_a_robot_does_not_measure_reads_nan_and_is_declared() -> None:
    backend, _ = looped(backend={"measures": ("orientation", "gyro", "accelerometer")})
    backend.reset(0)
    sensors = backend.read()
    assert backend.absent == {"velocity", "effort", "health", "contact", "force", "buttons"}
    assert all(np.isnan(sensors[name]).all() for name in backend.absent)
    assert np.isfinite(sensors.position).all()
    assert np.isfinite(sensors.accelerometer).all()


def test_a_robot_of_another_kind_is_refused_before_anything_moves() -> None:
    backend, plant = looped(robot="nao")
    plant.settings = plant.settings.changed(robot="t1")
    with pytest.raises(BackendError, match=r"robot of another kind; got 't1'; limit: nao"):
        backend.reset(0)
    assert plant.commands == 0


def test_a_fake_is_never_taken_for_a_robot() -> None:
    backend, _ = looped(robot="littledog")
    backend.claimed = "robot"
    with pytest.raises(BackendError, match="this is a fake"):
        backend.reset(0)


@pytest.mark.slow
def test_hands_hold_what_swings_until_another_joint_is_turned() -> None:
    backend, plant = looped(robot="k1", kind="booster", start=HANGING | {"clearance": 0.5}, hangs=True)
    backend.reset(0)
    names = backend.robot.joint_names
    swings = [backend.robot.index(name) for name in ("Left_Shoulder_Roll", "Right_Shoulder_Roll")]
    plant.hold([names[index] for index in swings])
    held = np.ptp([each.position[swings] for each in backend.looked_at(1.0)], axis=0)
    plant.touch("AAHead_yaw")
    free = np.ptp([each.position[swings] for each in backend.looked_at(1.0)], axis=0)
    assert (held < 0.05).all()
    assert (free > 4.0 * held).all()
    assert plant.commands == 0


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"seq": 1}',
        b'{"seq": -1, "position": []}',
        b"[" * 100000,
        json.dumps({"seq": 1, "position": [0.0] * 11}).encode(),
        json.dumps({"seq": 1, "position": ["x"] * 12}).encode(),
        json.dumps({"seq": 1, "position": [float("nan")] * 12}).encode(),
        json.dumps({"seq": True, "position": [0.0] * 12}).encode(),
        json.dumps({"seq": 1, "position": [0.0] * 12, "gyro": [0.0]}).encode(),
        json.dumps({"seq": 1, "position": [0.0] * 12, "force": 3}).encode(),
        json.dumps({"seq": 1, "position": [0.0] * 12, "hello": {"joints": 3}}).encode(),
    ],
)
def test_packets_that_are_none_are_refused_with_a_word(packet: bytes) -> None:
    codec = UdpCodec(NAMES, 0.01)
    with pytest.raises(WireError):
        codec.state(packet)


@given(st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=300), st.floats(0.01, 1.0))
def test_quantiles_of_buckets_are_right_within_a_bucket(values: list[float], share: float) -> None:
    buckets = Quantiles()
    for value in values:
        buckets.add(value)
    exact = sorted(values)[max(int(np.ceil(share * len(values) - 1e-9)) - 1, 0)]
    assert buckets.at(share) == pytest.approx(exact, rel=0.05)


def test_lateness_is_counted_from_the_earliest_arrivals_and_drift_is_none() -> None:
    watch = PaceWatch(0.01)
    rng = np.random.default_rng(1)
    for tick in range(5000):
        # Every hundredth state is 20 ms late, the others by noise of 0.1 ms.
        late = 0.02 if tick % 100 == 50 else 1e-4 * rng.random()
        watch.arrived(tick, 3.0 + tick * 0.01 / 0.97 + late)
    pace = watch.pace
    assert pace.drift == pytest.approx(-0.03, abs=1e-3)
    assert pace.late_p50 < 5e-4
    assert pace.late_max == pytest.approx(0.02, rel=0.1)
    assert 0.015 < pace.late_p999 <= pace.late_max


@pytest.mark.parametrize("slow", [-0.03, 0.0, 0.08])
@pytest.mark.parametrize("counted", [False, True])
def test_lost_and_late_states_are_not_a_slow_robot(slow: float, counted: bool) -> None:
    """Whether the robot counts its states or not, and however late one in ten comes."""
    rng = np.random.default_rng(2)
    watch, moment, tick, last = PaceWatch(0.012, counted=counted), 5.0, 0, 0.0
    for _ in range(83):
        moment += 0.012 / (1.0 + slow)
        if rng.random() < 0.1:
            tick += counted
            continue
        last = max(last, moment + rng.exponential(0.001) + (0.02 if rng.random() < 0.1 else 0.0))
        tick += 1
        watch.arrived(tick, last)
    assert watch.rate == pytest.approx(1.0 + slow, abs=0.005)


@pytest.mark.parametrize("slow", [-0.03, 0.0, 0.08])
def test_a_rate_without_a_count_is_told_by_all_states_where_a_tick_takes_ten_of_them(slow: float) -> None:
    rng = np.random.default_rng(4)
    watch, tick, last = PaceWatch(0.002, counted=False), 0, 0.0
    for cycle in range(500):
        if rng.random() < 0.01:
            continue
        tick += 1
        last = max(last, 5.0 + cycle * 0.002 / (1.0 + slow) + 0.0005 * rng.random())
        watch.seen(tick, last)
        if tick % 10 == 0:
            watch.arrived(tick, last)
    assert watch.rate == pytest.approx(1.0 + slow, abs=0.005)


class Queue(Transport):
    """What has queued comes at once."""

    def __init__(self, packets: list[object]) -> None:
        self.packets = packets

    def open(self) -> None:
        pass

    def receive(self, until: float) -> list[object]:
        taken, self.packets = self.packets, []
        return taken

    def send(self, packet: object) -> None:
        pass

    def close(self) -> None:
        pass


def test_an_imu_that_comes_in_packets_of_its_own_is_read_however_much_has_queued() -> None:
    made, plant = looped("ros2", "littledog")
    codec, packets = made.link.codec, [plant.codec.pack_state(plant.advance()) for _ in range(4)]
    queue = Queue(list(packets[0]))
    link = PacketLink(codec, queue, "here")
    link.open(1.0)
    queue.packets = [part for packet in packets[1:] for part in packet]
    state = link.receive(0.0)
    assert state is not None
    assert state.tick == plant.tick
    np.testing.assert_allclose(state.gyro, plant.state().gyro)
    assert link.traffic.older == 2


def test_a_rate_that_nobody_can_tell_is_not_told() -> None:
    rng = np.random.default_rng(2)
    watch = PaceWatch(0.002, counted=False)
    for tick, moment in enumerate(np.sort(np.arange(300) * 0.002 + rng.exponential(0.01, 300))):
        watch.arrived(tick, float(moment))
    assert watch.rate is None
    assert PaceWatch(0.01).rate is None


def test_a_wrong_period_is_a_wrong_rate_whoever_counts() -> None:
    for counted in (False, True):
        watch = PaceWatch(0.012, counted=counted)
        for tick in range(83):
            watch.arrived(tick, 5.0 + tick * 0.02)
        assert watch.rate == pytest.approx(0.6, abs=0.01)


def test_who_was_late_is_told_by_the_time_for_a_processor() -> None:
    wait = ProcessorWait(10)
    # Linux counts it; another system tells nothing.
    words = wait.known * "this computer was "
    assert wait.cause(0.1).startswith(words + wait.known * "in time")
    wait._recent.append(0.08)
    assert wait.cause(0.1).startswith(words + wait.known * "late: the run waited 0.08 s")
    wait.close()
    wait.tick()
    assert wait.cause(0.1) == ""


def test_what_was_waited_before_a_silence_is_no_cause_of_it() -> None:
    wait = ProcessorWait(60, 0.01)
    wait._recent.extend([0.2, *[0.0] * 11])
    assert wait.recent(0.1) == 0.0
    assert wait.recent(0.11) == pytest.approx(0.2)
    if wait.known:
        assert "this computer was in time" in wait.cause(0.1)
    wait.close()

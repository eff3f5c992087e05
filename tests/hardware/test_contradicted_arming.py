"""An IMU whose gyro and orientation contradict each other before a motion begins: no motion begins by it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hardware_plants import SITTING, looped

from andante.runs.backends.udp import UdpBackend
from andante.runs.hardware.fakes import hardware_kind
from andante.runs.hardware.guided import Armed, armed


def rocked(out: Path, monkeypatch: pytest.MonkeyPatch, since: float, gyro: float) -> Armed:
    """Arm a robot that rocks from some time on; its gyro tells a share of it."""
    made, plant = looped(start=SITTING)
    pack = plant.codec.pack_state

    def packed(state: Any) -> bytes:
        data = json.loads(pack(state))
        if plant.time > since:
            angle, rate = 0.06, 2.0 * math.pi
            half = 0.5 * angle * math.sin(rate * (plant.time - since))
            data["orientation"] = [math.cos(half), 0.0, math.sin(half), 0.0]
            data["gyro"] = [0.0, gyro * angle * rate * math.cos(rate * (plant.time - since)), 0.0]
            data["accelerometer"] = [-9.81 * math.sin(2.0 * half), 0.0, 9.81 * math.cos(2.0 * half)]
        return json.dumps(data).encode()

    monkeypatch.setattr(plant.codec, "pack_state", packed)
    monkeypatch.setattr(UdpBackend, "backend", lambda kind, robot, world: made)
    safety = {"measure": 0.8, "rise": 0.8, "settle": 0.2, "fade": 0.2, "sit": ""}
    return armed(hardware_kind({"type": "udp", "safety": safety}), made.robot, "arm", out=out)


@pytest.mark.parametrize("since", [0.0, 0.85])
def test_a_gyro_that_counts_the_other_way_ends_arming_by_that_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, since: float
) -> None:
    done = rocked(tmp_path, monkeypatch, since, -1.0)
    assert "imu contradicted: gyro and orientation: " in done.failure
    assert "`andante hardware imu` shows which of its signs, axes and units are wrong" in done.failure
    steps = [str(event.data["step"]) for event in done.events if "step" in event.data]
    assert steps == ([] if since == 0.0 else ["hold", "fade"]) + ["off"]


@pytest.mark.slow
def test_a_robot_that_rocks_and_tells_so_is_armed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = rocked(tmp_path, monkeypatch, 0.85, 1.0)
    assert not done.failure

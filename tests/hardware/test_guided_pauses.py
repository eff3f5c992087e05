"""Letting go of a robot from the command line, by a computer that stands still amid it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hardware_plants import SITTING, looped

from andante.runs.backends.udp import UdpBackend
from andante.runs.hardware.fakes import hardware_kind
from andante.runs.hardware.guided import armed


@pytest.mark.parametrize("kept", [30, 60])
def test_a_release_that_stood_still_tells_for_how_long_and_not_how_old_its_queue_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    made, _ = looped(start=SITTING)
    receive, reads, newest = made.link.receive, 0, None

    def queued(until: float) -> Any:
        nonlocal reads, newest
        reads += 1
        if reads == 100:
            # A queue that is full keeps what came first: 0.4 or 0.7 s of the three seconds.
            for number in range(250):
                state = receive(made.link.now() + made.link.codec.period)
                newest = state if number < kept else newest
            return newest
        return receive(until)

    monkeypatch.setattr(made.link, "receive", queued)
    monkeypatch.setattr(UdpBackend, "backend", lambda kind, robot, world: made)
    done = armed(hardware_kind({"type": "udp"}), made.robot, "release", out=tmp_path)
    assert done.failure == "nothing was commanded for 3.00 s; the run stood still"

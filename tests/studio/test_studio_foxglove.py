"""The live stream to Foxglove: what its protocol hands out is what the log of the same run holds."""

from __future__ import annotations

import json
import struct
import time
from importlib import import_module
from pathlib import Path

import pytest
from studio_text import TEXT

from andante.runs.logs.chunks import CDR_HEADER, message_definition
from andante.runs.logs.log import Log
from andante.studio import foxglove_stream
from andante.studio.disk import Disk
from andante.studio.errors import StudioError
from andante.studio.foxglove_stream import FoxgloveStream
from andante.studio.simulation import MotionRun, Order

NEEDS_FOXGLOVE = "needs foxglove-sdk (pip install 'andante[foxglove]')"
PROTOCOL = "foxglove.sdk.v1"
_DATA = 1
"""Opcode of a message with data: subscription (u32), log time (u64), then the message."""


@pytest.mark.slow
def test_a_run_is_streamed_as_its_log_has_it(tmp_path: Path) -> None:
    pytest.importorskip("foxglove", reason=NEEDS_FOXGLOVE)
    client = pytest.importorskip("websockets.sync.client", reason="needs websockets (pip install 'andante[studio]')")
    run = MotionRun(Order(TEXT, "nao", "wave", 3, tmp_path / "run", Disk(tmp_path)))
    stream = FoxgloveStream(0)
    stream.begin()
    # Channels are known from the first tick on.
    stream.tick(run.step())
    with client.connect(f"ws://127.0.0.1:{stream.port}", subprotocols=[PROTOCOL], open_timeout=60) as socket:
        channels: dict[str, dict[str, object]] = {}
        while len(channels) < 5:
            told = json.loads(socket.recv(timeout=60))
            channels |= {each["topic"]: each for each in told.get("channels", ())}
        assert set(channels) == {"/sensors", "/command", "/telemetry", "/truth", "/events"}
        names = dict(enumerate(channels))
        wanted = [{"id": number, "channelId": channels[topic]["id"]} for number, topic in names.items()]
        socket.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))
        time.sleep(0.5)
        for _ in range(60):
            stream.tick(run.step())
        heard: dict[str, dict[int, bytes]] = {topic: {} for topic in channels}
        while len(heard["/truth"]) < 60:
            message = socket.recv(timeout=60)
            assert isinstance(message, bytes)
            kind, number, moment = struct.unpack_from("<BIQ", message)
            assert kind == _DATA
            heard[names[number]][moment] = message[13:]
    stream.close()
    while run.session.ending is None:
        run.step()
    run.session.close()
    log = Log.open(tmp_path / "run" / "log.mcap")
    for name in ("sensors", "command", "telemetry", "truth"):
        rows, channel = log.channels[name], channels[f"/{name}"]
        assert (channel["encoding"], channel["schemaEncoding"]) == ("cdr", "ros2msg")
        assert channel["schema"] == message_definition(rows.layout)
        for number in range(1, 61):
            data = heard[f"/{name}"][int(rows.nanoseconds[number])]
            assert data == CDR_HEADER + rows.rows[number].tobytes()
    events = [json.loads(text) for text in heard["/events"].values()]
    told = {(event.time, event.text) for event in log.events}
    assert events
    assert all((event["time"], event["text"]) in told for event in events)


def test_a_port_that_is_taken_is_told() -> None:
    pytest.importorskip("foxglove", reason=NEEDS_FOXGLOVE)
    stream = FoxgloveStream(0)
    try:
        with pytest.raises(StudioError, match=r"cannot listen.*another program"):
            FoxgloveStream(stream.port)
    finally:
        stream.close()


def test_a_missing_package_is_told_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        if name == "foxglove":
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr(foxglove_stream, "import_module", missing)
    with pytest.raises(StudioError, match=r"needs foxglove-sdk.*pip install 'andante\[foxglove\]'"):
        FoxgloveStream(0)

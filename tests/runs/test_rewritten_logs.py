"""Logs that another version of Andante wrote, or another program rewrote: what is there is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap.writer import Writer

import andante
from andante.runs.reports.compare import compare
from andante.runs.reports.shown import look_up


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a tenth of a second."""
    folder = tmp_path_factory.mktemp("runs") / "wave"
    andante.run("nao/wave", out=folder, report=False, video=False, settings=["timeout=0.1", "settle=0"])
    return folder / "log.mcap"


def rewritten(log: Path, out: Path, *, told: bool, event: Callable[[bytes], bytes] = bytes) -> Path:
    """The same log with or without what it tells of its run, and with other events."""
    with log.open("rb") as stream, out.open("wb") as target:
        reader, writer = make_reader(stream), Writer(target)
        writer.start(library="another program")
        for table in reader.iter_metadata():
            if told:
                writer.add_metadata(table.name, dict(table.metadata))
        channels: dict[int, int] = {}
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            if channel.id not in channels:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                how = channel.topic, channel.message_encoding, number, dict(channel.metadata)
                channels[channel.id] = writer.register_channel(*how)
            data = event(message.data) if channel.topic == "/events" else message.data
            writer.add_message(channels[channel.id], message.log_time, data, message.publish_time)
        writer.finish()
    return out


def test_an_event_of_a_kind_that_is_not_known_costs_nothing_of_the_log(run: Path, tmp_path: Path) -> None:
    whole = andante.read_log(run)
    asked = rewritten(run, tmp_path / "newer.mcap", told=True, event=lambda data: data.replace(b'"motion"', b'"opera"'))
    newer = andante.read_log(asked)
    assert newer.complete
    assert len(newer.events) == len(whole.events)
    assert [(str(each.kind), each.text) for each in newer.events if "opera" in each.text] == [
        ("note", "opera: motion wave")
    ]
    assert {name: len(rows.rows) for name, rows in newer.channels.items()} == {
        name: len(rows.rows) for name, rows in whole.channels.items()
    }


def test_a_log_that_does_not_tell_its_robot_is_shown_and_compared(run: Path, tmp_path: Path) -> None:
    untold = rewritten(run, tmp_path / "untold.mcap", told=False)
    assert "robot unknown" in look_up(str(untold))[0].lines[0]
    assert compare(untold, run).equal

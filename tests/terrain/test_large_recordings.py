"""Recordings that are too large to be read as a whole: the newest map or cloud by their index, and what has none."""

from __future__ import annotations

import io
import sqlite3

import numpy as np
import pytest
from field_maps import grid_map_message, nodes
from mcap.reader import make_reader
from mcap.writer import CompressionType, IndexType
from mcap.writer import Writer as RawWriter
from mcap_ros2.writer import Writer
from recorded_frames import (
    BODY,
    SECOND,
    TF,
    TRANSFORMS,
    TREE,
    YAW,
    cloud,
    lies_on_the_ground,
    of_ros1,
    ros1_cloud,
    seen,
)  # fmt: skip
from recordings import TYPES, cloud_message, mcap_of, write_db3
from ros1_maps import elevation

from andante.documents.recordings import mcap_parts
from andante.documents.recordings.allowance import Allowance
from andante.terrain.files import load
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError
from ros1_bags import bag_of

MAP, CLOUD, TEXT = "grid_map_msgs/msg/GridMap", "sensor_msgs/msg/PointCloud2", "std_msgs/msg/String"
X, Y = nodes((30, 20), (0.5, -1.0), 0.02)
HEIGHTS = 0.1 * np.sin(3.0 * X) + 0.05 * Y


def message(lift: float = 0.0) -> dict:
    return grid_map_message(HEIGHTS + lift, (0.5, -1.0), 0.02)


@pytest.fixture(autouse=True)
def _every_file_is_large(monkeypatch):
    monkeypatch.setattr(load, "MOST_BYTES", 1000)


TOLD = [
    ("/chatter", 1, TEXT, {"data": "hi"}),
    ("/a", 5, MAP, message(0.1)),
    *(("/chatter", 6 + k, TEXT, {"data": "x" * 500}) for k in range(40)),
    ("/a", 90, MAP, message()),
    *(("/chatter", 91 + k, TEXT, {"data": "x" * 500}) for k in range(40)),
    # Recorded late, of before.
    ("/a", 7, MAP, message(0.2)),
]


def chunked(messages, **options) -> bytes:
    """An MCAP file with a chunk for each few messages."""
    stream = io.BytesIO()
    writer = Writer(stream, chunk_size=2000, **options)
    known = {name: writer.register_msgdef(name, text) for name, text in TYPES.items()}
    for topic, moment, kind, each in messages:
        writer.write_message(topic, known[kind], each, log_time=moment, publish_time=moment)
    writer.finish()
    return stream.getvalue()


def fastwrite(messages) -> bytes:
    """The same without chunks, as rosbag2's preset of this name writes it."""
    stream = io.BytesIO()
    writer = RawWriter(stream, use_chunking=False, index_types=IndexType.NONE)
    writer.start("ros2")
    channels: dict[str, int] = {}
    for schema, channel, each in make_reader(io.BytesIO(chunked(messages))).iter_messages(log_time_order=False):
        if channel.topic not in channels:
            kind = writer.register_schema(schema.name, schema.encoding, schema.data)
            channels[channel.topic] = writer.register_channel(channel.topic, channel.message_encoding, kind)
        writer.add_message(channels[channel.topic], each.log_time, each.data, each.publish_time)
    writer.finish()
    return stream.getvalue()


def same(found) -> None:
    np.testing.assert_allclose(found.map.heights, HEIGHTS, atol=2e-6)
    assert found.notes == ("the newest of 3 messages of /a",)


@pytest.mark.parametrize("packing", list(CompressionType))
def test_the_newest_map_of_a_large_mcap_file(tmp_path, packing):
    path = tmp_path / "field.mcap"
    path.write_bytes(chunked(TOLD, compression=packing))
    same(load_map(path))
    path.write_bytes(chunked([*TOLD, ("/b", 2, MAP, message(1.0)), ("/c", 3, CLOUD, cloud_message(np.eye(3)))]))
    with pytest.raises(TerrainError, match=r"several topics have such messages; got 2; legal: /a, /b, /c; say topic="):
        load_map(path)
    np.testing.assert_allclose(load_map(path, FileOptions(topic="/b")).map.heights, HEIGHTS + 1.0, atol=2e-6)
    same(load_map(path, FileOptions(topic="/a")))


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_the_newest_map_of_a_large_database(tmp_path, journal):
    path = tmp_path / "field #1.db3"
    write_db3(path, TOLD, journal=journal)
    same(load_map(path))


@pytest.mark.parametrize("packing", ["none", "bz2", "lz4"])
def test_the_newest_map_of_a_large_bag(tmp_path, packing):
    path = tmp_path / "field.bag"
    chunks = [elevation(5, 1.0), elevation(6, 2.0)], [elevation(9 * 10**9)], [elevation(7, 3.0)]
    path.write_bytes(bag_of(*chunks, packing=packing, indexed=True))
    found = load_map(path)
    np.testing.assert_array_equal(found.map.heights, np.arange(12.0).reshape(4, 3))
    assert found.notes == ("the newest of 4 messages of /map",)


def test_a_large_file_without_chunks_is_read_by_the_heads_of_its_records(tmp_path, monkeypatch):
    path = tmp_path / "field.mcap"
    noise = np.random.default_rng(0).bytes(3000).hex()
    told = [*(("/chatter", k, TEXT, {"data": noise}) for k in range(300)), *TOLD[1:]]
    path.write_bytes(fastwrite(told))
    read = []
    monkeypatch.setattr("andante.documents.recordings.mcap_index.took", read.append)
    same(load_map(path))
    assert 0 < sum(read) < 0.1 * path.stat().st_size
    # Whoever stopped the recorder at once has no index, and what was written until then.
    path.write_bytes(path.read_bytes()[: -len(noise)])
    found = load_map(path)
    assert found.notes[-1].startswith("the MCAP file is not whole: ")
    path.write_bytes(fastwrite([*TOLD, ("/b", 2, MAP, message(1.0))]))
    with pytest.raises(TerrainError, match=r"several topics have such messages; got 2; legal: /a, /b; say topic="):
        load_map(path)


def test_what_a_chunk_says_of_its_size_is_not_believed(tmp_path, monkeypatch):
    path = tmp_path / "field.mcap"
    path.write_bytes(chunked(TOLD))
    seen = []

    class Counted(Allowance):
        def part(self, size: int, packing: str = "") -> None:
            seen.append(size)
            super().part(size, packing)

    monkeypatch.setattr(mcap_parts, "Allowance", Counted)
    same(load_map(path))
    assert max(seen) > 2000
    monkeypatch.setattr(mcap_parts, "Allowance", lambda: Counted(unpacked=15_000))
    with pytest.raises(
        TerrainError, match=r"the MCAP file is too large: more than 15000 bytes .*; keep only the topics"
    ):
        load_map(path)


def test_a_folder_whose_files_are_large_together(tmp_path):
    (tmp_path / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    (tmp_path / "a_0.mcap").write_bytes(chunked(TOLD[:2]))
    (tmp_path / "a_1.mcap").write_bytes(chunked(TOLD[2:]))
    same(load_map(tmp_path))


def test_only_parts_of_the_file_are_read(tmp_path, monkeypatch):
    path = tmp_path / "field.mcap"
    noise = np.random.default_rng(0).bytes(3000).hex()
    path.write_bytes(chunked([*(("/chatter", k, TEXT, {"data": noise}) for k in range(900)), *TOLD[1:]]))
    read = []
    monkeypatch.setattr("andante.documents.recordings.mcap_index.took", read.append)
    same(load_map(path))
    assert 0 < sum(read) < 0.1 * path.stat().st_size


def test_a_cloud_and_its_transforms_are_found_by_the_index(tmp_path, monkeypatch):

    monkeypatch.setitem(TYPES, TF, TRANSFORMS)
    points = seen(body=BODY, yaw=YAW)
    told = [*TREE, ("/points", 10 * SECOND, CLOUD, cloud(points, "lidar", 10 * SECOND))]
    filled = [each for one in told for each in (one, ("/chatter", one[1], TEXT, {"data": "x" * 3000}))]
    (tmp_path / "field.mcap").write_bytes(chunked(filled))
    write_db3(tmp_path / "field.db3", filled)
    old = [(topic, moment, "tf2_msgs/TFMessage", "", of_ros1(one)) for topic, moment, _, one in TREE]
    (tmp_path / "field.bag").write_bytes(bag_of(*([each] for each in old), [ros1_cloud(points)], indexed=True))
    (tmp_path / "fast.mcap").write_bytes(fastwrite(filled))
    for ending in ("mcap", "db3", "bag"):
        lies_on_the_ground(load_map(tmp_path / f"field.{ending}").map, 1e-6)
    lies_on_the_ground(load_map(tmp_path / "fast.mcap").map, 1e-6)


def test_what_has_no_index_says_what_makes_one(tmp_path):
    whole = mcap_of(TOLD)
    (tmp_path / "a.mcap").write_bytes(whole[:-100])
    with pytest.raises(TerrainError, match=r"the MCAP file is too large .* no index; .*; mcap recover FILE -o NEW"):
        load_map(tmp_path / "a.mcap")
    (tmp_path / "a.bag").write_bytes(bag_of([elevation(9), elevation(8), elevation(7)]))
    with pytest.raises(
        TerrainError, match=r"the ROS 1 bag is too large .* no index; .*; rosbag reindex FILE makes one"
    ):
        load_map(tmp_path / "a.bag")


@pytest.mark.parametrize("ending", ["mcap", "bag", "db3"])
def test_indexes_that_lie_are_read_or_refused_with_one_message(tmp_path, ending):
    rng = np.random.default_rng(7)
    path = tmp_path / f"a.{ending}"
    if ending == "db3":
        write_db3(path, TOLD)
    else:
        chunks = [elevation(5, 1.0)], [elevation(9 * 10**9)]
        path.write_bytes(chunked(TOLD) if ending == "mcap" else bag_of(*chunks, indexed=True))
    whole = bytearray(path.read_bytes())
    for _ in range(60):
        part = bytearray(whole)
        # Mostly in the index, which stands at the end, or in the first pages.
        low = max(0, len(part) - 1500) if rng.random() < 0.8 and ending != "db3" else 0
        for at in rng.integers(low, len(part), 4):
            part[at] = rng.integers(256)
        path.write_bytes(part)
        said = ""
        try:
            load_map(path)
        except TerrainError as error:
            said = str(error)
        assert len(said) < 2000


def test_a_large_database_of_something_else_is_no_recording(tmp_path):
    base = sqlite3.connect(tmp_path / "b.db3")
    base.execute("CREATE TABLE other (id INTEGER)")
    base.commit()
    base.close()
    with pytest.raises(TerrainError, match="the SQLite file is no recording of rosbag2"):
        load_map(tmp_path / "b.db3")

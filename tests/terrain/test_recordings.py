"""Maps in recordings: rosbag2's SQLite files and folders, clouds beside grid maps, and files that are no recordings."""

from __future__ import annotations

import contextlib
import io
import sqlite3
import struct

import numpy as np
import pytest
import zstandard
from field_maps import grid_map_message, nodes
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import Writer
from recordings import cloud_message, mcap_of, write_db3

from andante.backends.terrain import TerrainChoice
from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

ORIGIN, SPACING = (0.5, -1.0), 0.02
MAP, CLOUD, TEXT = "grid_map_msgs/msg/GridMap", "sensor_msgs/msg/PointCloud2", "std_msgs/msg/String"
X, Y = nodes((30, 20), ORIGIN, SPACING)
HEIGHTS = 0.1 * np.sin(3.0 * X) + 0.05 * Y
POINTS = np.stack([X, Y, HEIGHTS], axis=-1).reshape(-1, 3)


def message(lift: float = 0.0) -> dict:
    return grid_map_message(HEIGHTS + lift, ORIGIN, SPACING)


def same(found, heights=HEIGHTS):
    np.testing.assert_allclose(found.heights, heights, atol=2e-6)
    np.testing.assert_allclose(found.origin, ORIGIN, atol=1e-5)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_the_newest_map_of_a_database(tmp_path, journal):
    path = tmp_path / "bag_0.db3"
    told = [("/chatter", 1, TEXT, {"data": "hi"}), ("/a", 9, MAP, message()), ("/a", 5, MAP, message(0.1))]
    write_db3(path, told, journal=journal)
    found = load_map(path)
    same(found.map)
    assert found.notes == ("the newest of 2 messages of /a",)
    write_db3(tmp_path / "b.db3", [*told, ("/b", 5, MAP, message(0.2))])
    with pytest.raises(TerrainError, match=r"several topics have such messages; got 2; legal: /a, /b; say topic=NAME"):
        load_map(tmp_path / "b.db3")
    same(load_map(tmp_path / "b.db3", FileOptions(topic="/b")).map, HEIGHTS + 0.2)


def test_messages_that_were_packed_one_by_one(tmp_path):
    write_db3(tmp_path / "a.db3", [("/a", 9, MAP, message())], pack=zstandard.ZstdCompressor().compress)
    same(load_map(tmp_path / "a.db3").map)


def test_a_folder_of_rosbag2_is_a_recording(tmp_path):
    write_db3(tmp_path / "field_0.db3", [("/a", 9, MAP, message())])
    (tmp_path / "field_1.mcap").write_bytes(mcap_of([("/a", 5, MAP, message(0.1))]))
    with pytest.raises(TerrainError, match=r"is no recording of rosbag2; .*limit: metadata.yaml and .db3 or .mcap"):
        load_map(tmp_path)
    (tmp_path / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    same(load_map(tmp_path).map)
    choice = TerrainChoice(file=str(tmp_path), topic="/a")
    before = choice.version
    (tmp_path / "field_0.db3").unlink()
    write_db3(tmp_path / "field_0.db3", [("/a", 10, MAP, message(0.3))])
    assert choice.version != before
    with pytest.raises(TerrainError, match="the option low means nothing to a recording"):
        load_map(tmp_path, FileOptions(low=-1.0))


IDL = b"""module grid_map_msgs { module msg { struct GridMapInfo {
  double resolution;
  double length_x; double length_y; geometry_msgs::msg::Pose pose; }; }; };"""


def ros1_message() -> bytes:
    """A map of 3 x 2 cells as ROS 1 writes it: a count in the header, no room between numbers, texts without an end."""

    def text(word: str) -> bytes:
        return struct.pack("<I", len(word)) + word.encode()

    info = struct.pack("<III", 1, 2, 3) + text("map") + struct.pack("<10d", 0.5, 1.5, 1.0, 0.75, 0.5, 0, 0, 0, 0, 1)
    sides = text("column_index") + struct.pack("<II", 2, 6) + text("row_index") + struct.pack("<II", 3, 3)
    layer = struct.pack("<I", 2) + sides + struct.pack("<II6f", 0, 6, 6, 5, 4, 3, 2, 1)
    return info + struct.pack("<I", 1) + text("elevation") + struct.pack("<II", 0, 1) + layer + struct.pack("<HH", 0, 0)


@pytest.mark.parametrize("form", ["ros2idl", "ros1msg"])
def test_types_that_are_defined_in_idl_and_messages_of_ros_1(tmp_path, form):
    with (tmp_path / "a.mcap").open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        text = IDL if form == "ros2idl" else b"grid_map_msgs/GridMapInfo info\nfloat64 resolution\n"
        name = "grid_map_msgs::msg::GridMap" if form == "ros2idl" else "grid_map_msgs/GridMap"
        schema = writer.register_schema(name, form, text)
        channel = writer.register_channel("/a", "cdr" if form == "ros2idl" else "ros1", schema)
        reader = make_reader(io.BytesIO(mcap_of([("/a", 1, MAP, message())])))
        content = next(iter(reader.iter_messages()))[2].data if form == "ros2idl" else ros1_message()
        writer.add_message(channel, 1, content, 1)
        writer.finish()
    found = load_map(tmp_path / "a.mcap").map
    if form == "ros2idl":
        same(found)
        return
    np.testing.assert_array_equal(found.heights, [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]])
    assert (found.origin, found.spacing) == ((0.25, 0.25), 0.5)


@given(
    st.tuples(*[st.sampled_from(["f4", "f8"])] * 3), st.booleans(), st.sampled_from([1, 30]), st.integers(0, 9),
    st.integers(0, 9),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_clouds_of_any_layout_are_maps(tmp_path_factory, kinds, big, height, pad, rows):
    path = tmp_path_factory.mktemp("cloud") / "a.mcap"
    made = cloud_message(POINTS, kinds=kinds, big=big, height=height, pad=pad, rows=rows)
    path.write_bytes(mcap_of([("/points", 3, CLOUD, made)]))
    found = load_map(path)
    same(found.map)
    assert found.notes[0].startswith("a cloud of 600 points in its own frame 'lidar': the recording has no transform")


def test_a_grid_map_comes_before_clouds_and_a_cloud_where_it_is_asked_for(tmp_path):
    raised = cloud_message(POINTS + np.array([0.0, 0.0, 1.0]))
    write_db3(tmp_path / "a.db3", [("/points", 3, CLOUD, raised), ("/a", 1, MAP, message())])
    same(load_map(tmp_path / "a.db3").map)
    same(load_map(tmp_path / "a.db3", FileOptions(topic="/points")).map, HEIGHTS + 1.0)
    with pytest.raises(TerrainError, match="/points: the option layer means nothing to a cloud"):
        load_map(tmp_path / "a.db3", FileOptions(topic="/points", layer="elevation"))


def test_clouds_that_contradict_themselves_are_named(tmp_path):
    for change, says in (
        ({"width": 10**6, "height": 10**3}, "a cloud has points; got 1000000000"),
        ({"width": 0}, "a cloud has points; got 0"),
        ({"row_step": 5}, "are not its 7800 bytes"),
        ({"width": 601}, "are not its 7800 bytes"),
        ({"point_step": 9}, "the field z lies at 9 of 9 bytes"),
        ({"fields": []}, "a point has no such field; got 'x'"),
    ):
        (tmp_path / "a.mcap").write_bytes(mcap_of([("/p", 3, CLOUD, {**cloud_message(POINTS), **change})]))
        with pytest.raises(TerrainError, match=says):
            load_map(tmp_path / "a.mcap")


def test_databases_that_are_no_recordings_or_programs_are_named(tmp_path):
    path = tmp_path / "a.db3"
    path.write_bytes(b"nothing")
    with pytest.raises(TerrainError, match="is no SQLite file"):
        load_map(path)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    for number, (text, says) in enumerate(
        (
            ("CREATE TABLE a(b);", r"is no recording of rosbag2; got \[.*limit: it has the tables"),
            (
                "CREATE TABLE topics(id, name, type, serialization_format);"
                f"CREATE VIEW messages AS {endless} SELECT i AS id, i AS topic_id, i AS timestamp, i AS data FROM n;",
                "is no recording of rosbag2",
            ),
            (
                "CREATE TABLE topics(id, name, type AS (upper(name)), serialization_format);"
                "CREATE TABLE messages(id, topic_id, timestamp, data); INSERT INTO topics VALUES (1, '/a', 'cdr');",
                "is no recording of rosbag2",
            ),
            ("CREATE TABLE topics(name); CREATE TABLE messages(id);", "the SQLite file is damaged.*no such column"),
        )
    ):
        path = tmp_path / f"{number}.db3"
        base = sqlite3.connect(path)
        base.executescript(text)
        base.close()
        with pytest.raises(TerrainError, match=says):
            load_map(path)


@pytest.mark.parametrize(("name", "says"), [("a.e57", "CloudCompare"), ("a.yaml", "map_server")])
def test_what_is_not_read_says_by_what_it_is_converted(tmp_path, name, says):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(TerrainError, match=rf"no reader for this kind of terrain file; got '{name}'.*{says}"):
        load_map(tmp_path / name)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_damaged_databases_are_read_or_refused_with_one_message(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "good.db3"
    if not path.exists():
        write_db3(path, [("/points", 3, CLOUD, cloud_message(POINTS)), ("/a", 1, MAP, message())])
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.one_of(st.integers(0, 200), st.integers(0, len(raw) - 1)))
        raw[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    damaged = tmp_path_factory.getbasetemp() / "damaged.db3"
    damaged.write_bytes(bytes(raw[: data.draw(st.integers(1, len(raw)))]))
    with contextlib.suppress(TerrainError):
        load_map(damaged)


def test_a_grid_map_stays_in_its_own_frame(tmp_path):
    write_db3(tmp_path / "a.db3", [("/a", 9, MAP, message())])
    own = message()["header"]["frame_id"]
    same(load_map(tmp_path / "a.db3", FileOptions(frame=own)).map)
    moving = message()
    moving["header"]["frame_id"] = "base_link"
    write_db3(tmp_path / "b.db3", [("/a", 9, MAP, moving)])
    notes = [load_map(tmp_path / f"{name}.db3").notes for name in "ab"]
    assert [any("in its own frame 'base_link'" in note for note in each) for each in notes] == [False, True]
    with pytest.raises(TerrainError, match=f"a grid map is read in its own frame; got 'robot'; legal: {own}"):
        load_map(tmp_path / "a.db3", FileOptions(frame="robot"))

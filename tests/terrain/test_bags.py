"""Maps in ROS 1 bags, whatever packs them; what is cut short, of another version or no bag."""

from __future__ import annotations

import bz2
import contextlib
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ros1_maps import CLOUD, HEIGHTS, cloud, elevation, text

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError
from ros1_bags import bag_of, number, record

CHATTER = ("/chatter", 1, "std_msgs/String", "string data", text("hi"))


@pytest.mark.parametrize("packing", ["none", "bz2", "lz4"])
def test_the_newest_map_of_a_bag_counts(tmp_path, packing):
    path = tmp_path / "field.bag"
    path.write_bytes(bag_of([CHATTER, elevation(9 * 10**9)], [elevation(10**9 + 7, 5.0)], packing=packing))
    found = load_map(path)
    np.testing.assert_array_equal(found.map.heights, HEIGHTS)
    assert (found.map.spacing, found.map.origin) == (0.5, (0.0, 0.0))
    assert found.notes == ("the newest of 2 messages of /map",)


def test_a_cloud_of_a_bag_and_a_topic_that_is_chosen(tmp_path):
    x, y = np.meshgrid(0.1 * np.arange(8), 0.1 * np.arange(6), indexing="ij")
    points = np.stack([x, y, x - y], axis=-1).reshape(-1, 3)
    path = tmp_path / "field.bag"
    path.write_bytes(bag_of([("/lidar", 1, CLOUD, "", cloud(points)), elevation(2), elevation(3, 1.0, "/other")]))
    with pytest.raises(TerrainError, match="several topics have such messages; got 2; legal: /lidar, /map, /other"):
        load_map(path)
    np.testing.assert_array_equal(load_map(path, FileOptions(topic="/other")).map.heights, HEIGHTS + 1.0)
    found = load_map(path, FileOptions(topic="/lidar"))
    np.testing.assert_allclose(found.map.heights, x - y, atol=1e-6)
    assert "in its own frame 'lidar'" in found.notes[0]


def test_a_bag_that_was_cut_short_gives_what_is_whole(tmp_path):
    whole = bag_of([elevation(1)], [elevation(2, 1.0)])
    path = tmp_path / "cut.bag"
    path.write_bytes(whole[: whole.rindex(b"compression=none") + 300])
    found = load_map(path)
    np.testing.assert_array_equal(found.map.heights, HEIGHTS)
    assert found.notes == ("the ROS 1 bag is not whole: a record is cut short",)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"nothing", r"is no ROS 1 bag"),
        (b"#ROSBAG V1.2\nrest", r"the ROS 1 bag is damaged; got 'it is a bag of version 1\.2, not 2\.0: rosbag fix"),
        (bag_of([CHATTER]), r"no cloud .* and no message of the type .*; limit: /chatter \(std_msgs/String\)"),
        (
            b"#ROSBAG V2.0\n" + record(op=b"\x05", compression=b"rar", size=number(0)),
            r"packed by 'rar', not bz2 or lz4",
        ),
        (b"#ROSBAG V2.0\n" + record(op=b"\x05", compression=b"bz2", size=number(0)) + b"\0" * 9, "damaged"),
        (b"#ROSBAG V2.0\n" + record(b"xx", op=b"\x05", compression=b"lz4", size=number(5)), "the ROS 1 bag is damaged"),
        (b"#ROSBAG V2.0\n" + record(b"", conn=number(0)), "a record is not as the format has it"),
    ],
)
def test_what_is_no_such_bag_is_named(tmp_path, content, told):
    path = tmp_path / "a.bag"
    path.write_bytes(content)
    with pytest.raises(TerrainError, match=told):
        load_map(path)


@pytest.mark.slow
def test_chunks_that_unpack_to_gigabytes_are_refused_soon(tmp_path):
    """A hundred of 59 MB each, in a bag of 14 KB."""
    inside = record(bytes(59_000_000), op=b"\x02", conn=number(9), time=bytes(8))
    chunk = record(bz2.compress(inside), op=b"\x05", compression=b"bz2", size=number(len(inside)))
    path = tmp_path / "bomb.bag"
    path.write_bytes(b"#ROSBAG V2.0\n" + 100 * chunk)
    begun = time.process_time()
    with pytest.raises(TerrainError, match="the ROS 1 bag is damaged; got 'its chunks unpack to too many bytes'"):
        load_map(path)
    assert time.process_time() - begun < 2.0


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_damaged_bags_are_read_or_refused_with_one_message(tmp_path_factory, data):
    raw = bytearray(
        bag_of([CHATTER, elevation(1)], [elevation(2)], packing=data.draw(st.sampled_from(["none", "lz4"])))
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    damaged = tmp_path_factory.getbasetemp() / "damaged.bag"
    damaged.write_bytes(bytes(raw[: data.draw(st.integers(1, len(raw)))]))
    with contextlib.suppress(TerrainError):
        load_map(damaged)

"""Clouds of recordings in the frame of a sensor: where transforms put them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from recorded_frames import (
    BODY,
    GROUND,
    MOUNT,
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
    transform,
    turn,
)  # fmt: skip
from recordings import TYPES, mcap_of, write_db3

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError
from ros1_bags import bag_of

CLOUD = "sensor_msgs/msg/PointCloud2"


@pytest.fixture(autouse=True)
def _types(monkeypatch):
    monkeypatch.setitem(TYPES, TF, TRANSFORMS)


def recording(tmp_path, messages, points=None, frame: str = "lidar", moment: int = 10 * SECOND):
    points = seen(body=BODY, yaw=YAW) if points is None else points
    path = tmp_path / "field.mcap"
    path.write_bytes(mcap_of([*messages, ("/points", moment, CLOUD, cloud(points, frame, moment))]))
    return path


def test_a_cloud_lies_where_static_and_moving_transforms_put_it_at_its_time(tmp_path):
    found = load_map(recording(tmp_path, TREE))
    lies_on_the_ground(found.map, 1e-6)
    assert found.notes[0] == (
        "a cloud of 2400 points moved from the frame 'lidar' into 'odom' by the recording's transforms"
    )


def test_transforms_that_do_not_count_are_told(tmp_path):
    frames = [transform("root", f"f{number}", 10 * SECOND, (0.0, 0.0, 0.0)) for number in range(2100)]
    many = [("/tf", 10 * SECOND, TF, {"transforms": part}) for part in (frames[:1500], frames[1500:])]
    found = load_map(recording(tmp_path, [*TREE, *many]))
    lies_on_the_ground(found.map, 1e-6)
    assert found.notes[1] == "not all of its transforms count: more than 2000 frames"


def test_a_map_goes_before_odometry_and_a_frame_can_be_named(tmp_path):
    tree = [*TREE, ("/tf", 10 * SECOND, TF, {"transforms": [transform("map", "odom", 10 * SECOND, (5.0, 0.0, 0.0))]})]
    path = recording(tmp_path, tree)
    in_map = load_map(path)
    assert in_map.map.origin == pytest.approx((5.0, 0.0))
    assert "into 'map'" in in_map.notes[0]
    lies_on_the_ground(load_map(path, FileOptions(frame="odom")).map, 1e-6)
    own = load_map(path, FileOptions(frame="lidar"))
    assert own.notes[0] == "a cloud of 2400 points in its own frame 'lidar'"
    np.testing.assert_allclose(own.map.origin, seen(body=BODY, yaw=YAW)[:, :2].min(axis=0), atol=0.03)
    with pytest.raises(
        TerrainError, match=r"no transform .* leads from 'lidar' to this frame .*; got 'earth'; legal: "
    ):
        load_map(path, FileOptions(frame="earth"))
    camera = load_map(path, FileOptions(up="-y"))
    assert camera.notes[0] == "a cloud of 2400 points in its own frame 'lidar', in which up=-y counts"


def test_a_tree_whose_root_is_the_body(tmp_path):
    """As ANYmal's, in which odometry is a child of the body."""
    inverse = -(turn("z", YAW).T @ BODY)
    told = transform("base_link", "odom", 10 * SECOND, inverse, "z", -YAW)
    found = load_map(recording(tmp_path, [TREE[0], ("/tf", 10 * SECOND, TF, {"transforms": [told]})]))
    lies_on_the_ground(found.map, 1e-6)
    assert "into 'odom'" in found.notes[0]


def test_where_no_transform_is_of_its_time_the_words_say_so(tmp_path):
    alone = load_map(recording(tmp_path, []))
    assert alone.notes[0] == (
        "a cloud of 2400 points in its own frame 'lidar': the recording has no transform of it at that time, so x, y "
        "and z are taken as forward, left and up"
    )
    late = load_map(recording(tmp_path, TREE[:2], moment=9 * SECOND + 30_000_000))
    assert "into 'odom' by the recording's transforms, 30 ms from the nearest of them" in late.notes[0]
    # Odometry ended three seconds before, the mount holds for ever.
    body = load_map(recording(tmp_path, TREE[:2], points=seen(), moment=12 * SECOND))
    lies_on_the_ground(body.map, 1e-6)
    assert body.notes[0].endswith("from the frame 'lidar' into 'base_link' by the recording's transforms")
    fixed = load_map(recording(tmp_path, TREE, points=GROUND, frame="odom"))
    lies_on_the_ground(fixed.map)
    assert fixed.notes[0] == "a cloud of 2400 points in its own frame 'odom'"


def test_a_tree_that_turns_in_a_circle_and_transforms_that_are_none_end(tmp_path):
    ring = [transform("a", "base_link", 0, (0, 0, 0)), transform("base_link", "a", 0, (0, 0, 0))]
    ring.append(transform("odom", "a", 0, (math.nan, 0, 0)))
    zero = transform("map", "lidar", 0, (1, 1, 1))
    zero["transform"]["rotation"]["w"] = 0.0
    found = load_map(recording(tmp_path, [("/tf_static", 1, TF, {"transforms": [MOUNT, *ring, zero]})], points=seen()))
    lies_on_the_ground(found.map, 1e-6)
    assert "into 'a'" in found.notes[0]


def test_transforms_of_databases_and_of_bags(tmp_path):
    points = seen(body=BODY, yaw=YAW)
    write_db3(tmp_path / "field.db3", [*TREE, ("/points", 10 * SECOND, CLOUD, cloud(points, "lidar", 10 * SECOND))])
    lies_on_the_ground(load_map(tmp_path / "field.db3").map, 1e-6)
    told = [(topic, moment, "tf2_msgs/TFMessage", "", of_ros1(message)) for topic, moment, _, message in TREE]
    (tmp_path / "field.bag").write_bytes(bag_of(told, [ros1_cloud(points)]))
    lies_on_the_ground(load_map(tmp_path / "field.bag").map, 1e-6)

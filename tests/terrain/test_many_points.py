"""Clouds of more points than are taken: every second, third and so on, and the words say so."""

from __future__ import annotations

import numpy as np
import pytest
from recordings import cloud_message, mcap_of

from andante.terrain.files import limits
from andante.terrain.files.load import load_map
from andante.terrain.height_map import TerrainError

COUNT = 2500
PLACES = np.random.default_rng(3).uniform(0.0, 1.0, (COUNT, 2))
POINTS = np.column_stack([PLACES, 0.2 * PLACES[:, 0] + 0.1 * PLACES[:, 1]]).astype(np.float32)


def pcd(way: str) -> bytes:
    head = f"VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH {COUNT}\nHEIGHT 1\nDATA {way}\n".encode()
    rows = "\n".join(" ".join(f"{float(each):.9g}" for each in row) for row in POINTS)
    return head + (rows.encode() if way == "ascii" else POINTS.tobytes())


def ply(faces: int = 0) -> bytes:
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {COUNT}\n"
    head += "".join(f"property float {axis}\n" for axis in "xyz")
    head += f"element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    return head.encode() + POINTS.tobytes() + faces * (b"\3" + np.arange(3, dtype="<i4").tobytes())


def bag() -> bytes:
    return mcap_of([("/points", 1, "sensor_msgs/msg/PointCloud2", cloud_message(POINTS))])


@pytest.mark.parametrize(
    ("name", "made"),
    [("a.pcd", lambda: pcd("binary")), ("b.pcd", lambda: pcd("ascii")), ("a.ply", ply), ("a.mcap", bag)],
)
def test_every_third_of_too_many_points_is_taken(tmp_path, monkeypatch, name, made):
    path = tmp_path / name
    path.write_bytes(made())
    thin = tmp_path / "thin.npy"
    np.save(thin, POINTS[::3].astype(np.float64))
    expected = load_map(thin)
    monkeypatch.setattr(limits, "MOST_POINTS", 1000)
    found = load_map(path)
    assert f"one of every 3 points is taken of {COUNT}, which are more than 1000" in found.notes
    np.testing.assert_allclose(found.map.heights, expected.map.heights, atol=1e-6)
    assert (found.map.origin, found.map.spacing) == (expected.map.origin, expected.map.spacing)


def test_corners_of_a_mesh_are_not_left_out(tmp_path, monkeypatch):
    (tmp_path / "a.ply").write_bytes(ply(faces=1))
    monkeypatch.setattr("andante.terrain.files.ply.MOST_POINTS", 1000)
    monkeypatch.setattr(limits, "MOST_POINTS", 1000)
    with pytest.raises(TerrainError, match="there are too many points or faces; got 2500; limit: 1000"):
        load_map(tmp_path / "a.ply")

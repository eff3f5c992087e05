"""PCD clouds: every way of storing, fields of any kind and order, and files that lie about themselves."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from field_maps import nodes
from hypothesis import given, settings
from hypothesis import strategies as st
from pcd_clouds import pack_lzf, pcd, write_pcd

from andante.terrain.files.load import load_map
from andante.terrain.files.lzf import unpack_lzf, unpack_lzf_on
from andante.terrain.files.pcd import read_pcd
from andante.terrain.height_map import TerrainError

WAYS = ("ascii", "binary", "binary_compressed")
KINDS = ("<f4", "<f8", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4")


def unpacked(packed: bytes, room: int) -> tuple[int, bytes]:
    out = np.zeros(room, np.uint8)
    count = unpack_lzf(np.frombuffer(packed, np.uint8).copy(), out)
    return count, out.tobytes()


@given(st.lists(st.sampled_from([b"a", b"abc", b"\0" * 300, b"xyz" * 40, b"0123456789" * 5]), max_size=30), st.binary())
@settings(max_examples=100, deadline=None)
def test_lzf_comes_back_and_never_goes_past_its_room(parts, more):
    raw = b"".join(parts) + more
    assert unpacked(pack_lzf(raw), len(raw)) == (len(raw), raw)
    if raw:
        assert unpacked(pack_lzf(raw), len(raw) - 1)[0] == -1


@given(st.lists(st.sampled_from([b"a", b"abc", b"\0" * 900, b"xyz" * 40]), max_size=30), st.data())
@settings(max_examples=60, deadline=None)
def test_lzf_by_pieces_is_that_of_one_piece(parts, data):
    raw, made, rest = b"".join(parts), 0, b""
    packed = pack_lzf(raw)
    out = np.zeros(len(raw), np.uint8)
    while packed or rest:
        count = data.draw(st.integers(1, 40))
        rest, packed = rest + packed[:count], packed[count:]
        taken, made = unpack_lzf_on(np.frombuffer(rest, np.uint8).copy(), out, made)
        assert taken > 0 or packed
        rest = rest[taken:]
    assert out[:made].tobytes() == raw


@pytest.mark.parametrize(
    ("packed", "room", "expected"),
    [
        (b"\x02abc", 3, (3, b"abc")),
        (b"\x00a\x20\x00", 4, (4, b"aaaa")),  # a repeat that reaches into itself
        (b"\x01ab\xe0\x02\x01", 13, (13, b"abababababab" + b"a")),
        (b"\x02ab", 9, None),
        (b"\x00a\x20\x01", 9, None),
        (b"\x00a\x20", 9, None),
        (b"\x00a\xe0", 9, None),
        (b"\x00a\xe0\x01", 9, None),
    ],
)
def test_lzf_by_hand(packed, room, expected):
    found = unpacked(packed, room)
    assert found == expected if expected else found[0] == -1


@given(st.data(), st.sampled_from(WAYS), st.integers(1, 40))
@settings(max_examples=80, deadline=None)
def test_fields_of_any_kind_in_any_order_come_back(data, way, count):
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    columns = {}
    for name in data.draw(st.permutations(["x", "y", "z", "intensity", "rgb", "normal_x", "descriptor"])):
        shape = (count, 3) if name == "descriptor" else (count,)
        columns[name] = rng.integers(0, 100, shape).astype(data.draw(st.sampled_from(KINDS)))
    found = read_pcd(pcd(columns, way), "a.pcd")
    np.testing.assert_array_equal(found.places, np.stack([columns[axis] for axis in "xyz"], axis=-1))
    assert found.notes == ()


@pytest.mark.parametrize("way", WAYS)
def test_an_organised_cloud_with_holes_is_a_map(tmp_path, way):
    x, y = nodes((30, 20), (1.0, -2.0), 0.02)
    heights = 0.1 * np.sin(3.0 * x)
    points = np.stack([x, y, heights], axis=-1)
    points[3, 4] = np.nan
    points[5, 6, 2] = np.inf
    write_pcd(tmp_path / "a.pcd", points.reshape(-1, 3), way, height=30, viewpoint="0.5 0 1.2 0.7071 0 0.7071 0")
    found = load_map(tmp_path / "a.pcd")
    heights[3, 4] = heights[5, 6] = np.nan
    np.testing.assert_allclose(found.map.heights, heights, atol=1e-6)
    assert found.map.origin == pytest.approx((1.0, -2.0), abs=1e-6)
    assert found.notes[:3] == (
        "an organised cloud of 20 x 30 points",
        "VIEWPOINT 0.5 0 1.2 0.7071 0 0.7071 0 says where the points were taken from; it does not move them, as in PCL",
        "2 points without a place left out",
    )


def test_files_of_before_and_of_other_programs_are_read():
    old = b"# v5\nCOLUMNS Y X Z\nPOINTS 2\nDATA ascii\n1 2 3\n4 5 nan\n"
    np.testing.assert_array_equal(read_pcd(old, "a").places, [[2.0, 1.0, 3.0], [5.0, 4.0, np.nan]])
    padded = b"VERSION .7\r\nFIELDS x _ y _ z\r\nSIZE 4 1 4 1 4\r\nTYPE F U F U F\r\nCOUNT 1 4 1 2 1\r\nWIDTH 1\r\n"
    padded += b"HEIGHT 1\r\nDATA binary\r\n" + np.float32(1.5).tobytes() + bytes(4) + np.float32(2.5).tobytes()
    padded += bytes(2) + np.float32(3.5).tobytes()
    np.testing.assert_array_equal(read_pcd(padded, "a").places, [[1.5, 2.5, 3.5]])


GOOD = pcd({axis: np.arange(9, dtype=np.float32) for axis in "xyz"}, "binary_compressed")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((b"FIELDS x y z", b"FIELDS x y intensity"), r"a: a point has no such field; got 'z'; legal: x, y, intensity"),
        ((b"FIELDS x y z", b"FIELDS x y"), "SIZE has another number of words than FIELDS; got 3"),
        ((b"SIZE 4 4 4", b"SIZE 4 4 3"), "the field 'z' has no such type; got 'F3'; .*legal: F4, F8, I1"),
        ((b"COUNT 1 1 1", b"COUNT 1 1 2"), "the field 'z' has no such COUNT; got 2"),
        ((b"POINTS 9", b"POINTS 8"), "POINTS is not WIDTH times HEIGHT; got 8"),
        ((b"WIDTH 9\nHEIGHT 1", b"WIDTH 999999\nHEIGHT 999999"), "POINTS is not WIDTH times HEIGHT"),
        ((b"WIDTH 9\nHEIGHT 1\n", b""), "VIEWPOINT has seven numbers"),
        ((b"DATA binary_compressed", b"DATA binary_zipped"), "DATA is of an unknown kind; got 'binary_zipped'"),
        ((b"VERSION", b"VIRSION"), "no such entry in the head of a PCD file; got 'VIRSION'"),
        ((b"DATA", b"#"), "is no PCD file|no such entry"),
    ],
)
def test_heads_that_contradict_themselves_are_named(change, says):
    raw = GOOD.replace(*change)
    if "seven" in says:
        raw = raw.replace(b"VIEWPOINT 0 0 0 1 0 0 0", b"VIEWPOINT 0 0 0")
    with pytest.raises(TerrainError, match=says):
        read_pcd(raw, "a")


def test_sizes_that_lie_are_told_before_they_cost_anything():
    head = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH {0}\nHEIGHT 1\nPOINTS {0}\nDATA {1}\n"
    for count, way, body, says in (
        (10**9, "binary", b"", "too many points"),
        (900_000, "binary", bytes(100), "the PCD is cut short"),
        (900_000, "ascii", b"1 2 3\n", "the PCD is cut short"),
        (900_000, "binary_compressed", b"", "the PCD is cut short"),
        (900_000, "binary_compressed", b"\xff" * 8, "the PCD is cut short"),
        (900_000, "binary_compressed", (4).to_bytes(4, "little") + b"\xff" * 8, "not as large as the head says"),
        (1, "binary_compressed", bytes([2, 0, 0, 0, 12, 0, 0, 0, 32, 9]), "the packed points are damaged"),
        (0, "ascii", b"", "the file has no points"),
    ):
        with pytest.raises(TerrainError, match=says):
            read_pcd(head.format(count, way).encode() + body, "a")
    wide = head.replace("z\n", "z d\n").replace("4\n", "4 8\n", 1).replace("F\n", "F F\nCOUNT 1 1 1 1000\n", 1)
    with pytest.raises(TerrainError, match="there are too many numbers"):
        read_pcd(wide.format(10_000, "ascii").encode(), "a")
    packed = (0).to_bytes(4, "little") + (10_000 * 8012).to_bytes(4, "little")
    with pytest.raises(TerrainError, match="there are too many bytes"):
        read_pcd(wide.format(10_000, "binary_compressed").encode() + packed, "a")


@given(st.sampled_from(WAYS), st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_clouds_are_read_or_refused_with_one_message(way, data):
    raw = bytearray(pcd({axis: np.arange(40, dtype=np.float32) % 7 for axis in "xyzi"}, way))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    with contextlib.suppress(TerrainError):
        read_pcd(bytes(raw[: data.draw(st.integers(1, len(raw)))]), "a")

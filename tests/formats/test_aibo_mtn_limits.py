"""MTN at its limits: what each field may be at most, and which byte an error names."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from aibo_files import KEYS, LOCATORS, VARIANTS, header, mtn

from andante.formats.aibo.mtn import MtnFile, MtnKey, MtnLayout, read_mtn, write_mtn
from andante.formats.report import FormatError

ONE = MtnFile("m", "a", "d", ("PRM:/x",), (MtnKey(0, (0, 0, 0), (0,)),))
NAMES = 28 + 8 + 19 + 3 + 9
"""First byte after the three names of the usual file, without padding."""


def changed(raw, at, form, value):
    return header(raw, at, form, value)


def refused(raw):
    with pytest.raises(FormatError) as caught:
        read_mtn(raw, "x.mtn", "entry")
    return str(caught.value)


def test_every_field_is_read():
    motion = read_mtn(mtn(frame=8, version=(1, 1)), "x")
    assert (motion.motion, motion.author, motion.design) == ("a_stand#stand_kick", "me", "DRX-1000")
    assert motion.locators == tuple(LOCATORS)
    assert motion.keys == tuple(
        MtnKey(frames, body, tuple(1000 * joint + number for joint in range(20)))
        for number, (frames, body) in enumerate(KEYS)
    )
    assert (motion.version, motion.frame_ms, motion.frame) == ((1, 1), 8, 0.008)
    assert motion.layout == MtnLayout()
    assert read_mtn(mtn(frame=0), "x").frame == 0.016
    assert read_mtn(mtn(frame=1000), "x").frame == 1.0


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("full", MtnLayout()),
        ("ERS-110", MtnLayout(short=True)),
        ("bytes after the end", MtnLayout(tail=b"\1\2\3")),
        ("a reserved number", MtnLayout(reserved=0xDEADBEEF)),
        ("a fifth section", MtnLayout(sections=5, tail=struct.pack("<III", 4, 12, 7))),
        ("no names", MtnLayout()),
    ],
)
def test_the_layout_says_only_what_is_unusual(name, layout):
    assert read_mtn(VARIANTS[name], "x").layout == layout


def test_unusual_padding_is_kept_as_it_is():
    wide = read_mtn(mtn(pad=64), "x").layout.pads
    assert wide is not None
    assert [len(pad) for pad in wide] == [64 - 31, -(2 + sum(1 + len(name) for name in LOCATORS)) % 64]
    raw = bytearray(mtn())
    raw[NAMES] = 7
    assert read_mtn(bytes(raw), "x").layout.pads[0] == b"\7"
    assert write_mtn(read_mtn(bytes(raw), "x")) == bytes(raw)


@pytest.mark.parametrize(
    ("at", "form", "value", "message"),
    [
        (0, "<4s", b"OMTM", "byte 0: this is no MTN motion; got b'OMTM'; limit: begins with 'OMTN'"),
        (4, "<I", 1, "byte 4: section 0 does not begin here; the size of the section before is wrong; got 1"),
        (8, "<I", 23, "byte 8: section 0 has the wrong size; got 23; limit: 24"),
        (8, "<I", 25, "byte 8: section 0 has the wrong size; got 25; limit: 24"),
        (12, "<I", 3, "byte 12: there are too few sections; got 3; limit: at least 4"),
        (16, "<H", 0, "byte 16: the version is not known; got '0.2'; limit: 1.x"),
        (16, "<H", 2, "byte 16: the version is not known; got '2.2'; limit: 1.x"),
        (20, "<H", 0, "byte 20: the motion has no keys"),
        (28, "<I", 2, "byte 28: section 1 does not begin here; the size of the section before is wrong; got 2"),
        (32, "<I", 38, "byte 32: section 1 is larger than its size says; got 38; limit: 39"),
        (68, "<I", 1, "byte 68: section 2 does not begin here; the size of the section before is wrong; got 1"),
        (76, "<H", 0, "byte 76: the number of joints is out of range; got 0; limit: 1..255"),
        (76, "<H", 256, "byte 76: the number of joints is out of range; got 256; limit: 1..255"),
    ],
)
def test_the_byte_and_the_value_are_named(at, form, value, message):
    assert refused(changed(mtn(), at, form, value)) == f"x.mtn, entry, {message}"


def test_errors_of_the_keys_name_their_bytes():
    raw = mtn()
    third = raw.index(struct.pack("<III", 3, 12 + 188, 0))
    assert f"byte {third}: section 3 does not begin here" in refused(changed(raw, third, "<I", 4))
    assert f"byte {third + 8}: the data type is not known; got 1; limit: 0" in refused(changed(raw, third + 8, "<I", 1))
    wrong = refused(changed(raw, third + 4, "<I", 199))
    assert (
        f"byte {third + 4}: the size of section 3 does not fit 2 keys of 20 joints; got 199; limit: 200 (or 198"
        in wrong
    )
    # Beyond the file's end.
    assert "does not fit 2 keys of 20 joints; got 201" in refused(changed(raw, third + 4, "<I", 201))
    # The count of frames of the second key follows the first key of 3 + 20 numbers.
    frames = third + 12 + 4 * 23
    assert f"byte {frames}: key 1 has a negative number of interpolated frames; got -1" in refused(
        changed(raw, frames, "<i", -1)
    )
    assert read_mtn(changed(raw, frames, "<i", 0), "x").keys[1].interpolated == 0
    three = mtn(keys=[*KEYS, (5, (1, 2, 3))])
    assert f"byte {frames + 4 * 24}: key 2 has a negative" in refused(changed(three, frames + 4 * 24, "<i", -7))


@pytest.mark.slow
def test_the_most_joints_and_keys_are_read_and_written():
    joints = tuple(f"PRM:/r{number}" for number in range(255))
    most = MtnFile("m", "a", "d", joints, (MtnKey(0, (1, 2, 3), tuple(range(255))),))
    assert read_mtn(write_mtn(most), "x") == most
    more = replace(most, locators=(*joints, "PRM:/r255"), keys=(MtnKey(0, (1, 2, 3), tuple(range(256))),))
    with pytest.raises(FormatError, match="an MTN motion has 1 to 255 joints; got 256"):
        write_mtn(more)
    with pytest.raises(FormatError, match="an MTN motion has 1 to 255 joints; got 0"):
        write_mtn(replace(most, locators=()))
    keys = tuple(MtnKey(min(number, 1), (number, 0, 0), (number,)) for number in range(65_535))
    assert read_mtn(write_mtn(replace(ONE, keys=keys)), "x").keys == keys
    with pytest.raises(FormatError, match="an MTN motion has 1 to 65535 keys; got 65536"):
        write_mtn(replace(ONE, keys=(*keys, keys[-1])))
    with pytest.raises(FormatError, match="an MTN motion has 1 to 65535 keys; got 0"):
        write_mtn(replace(ONE, keys=()))


def test_the_largest_file_has_four_million_bytes():
    raw = mtn()
    for size in (3_999_999, 4_000_000):
        assert len(read_mtn(raw + bytes(size - len(raw)), "x").layout.tail) == size - len(raw)
    assert "byte 0: the motion is too large; got 4000001; limit: 4000000 bytes" in refused(
        raw + bytes(4_000_001 - len(raw))
    )
    bare = len(write_mtn(ONE))
    assert len(write_mtn(replace(ONE, layout=MtnLayout(tail=bytes(4_000_000 - bare))))) == 4_000_000
    with pytest.raises(FormatError, match="the motion is larger than 4000000 bytes; got 4000001"):
        write_mtn(replace(ONE, layout=MtnLayout(tail=bytes(4_000_001 - bare))))


@pytest.mark.parametrize("value", [-(2**31), 2**31 - 1, -1, 0])
def test_numbers_of_32_bits_are_written(value):
    motion = replace(
        ONE, keys=(MtnKey(0, (value, 0, value), (value,)), MtnKey(abs(value) % 2**31, (0, value, 0), (1,)))
    )
    assert read_mtn(write_mtn(motion), "x").keys == motion.keys


@pytest.mark.parametrize("value", [-(2**31) - 1, 2**31])
def test_numbers_of_more_bits_are_refused(value):
    for key in (MtnKey(0, (value, 0, 0), (0,)), MtnKey(0, (0, 0, value), (0,)), MtnKey(0, (0, 0, 0), (value,))):
        with pytest.raises(FormatError, match=rf"m: a number does not fit into 32 bits; got {value}"):
            write_mtn(replace(ONE, keys=(key,)))


def test_angles_must_be_as_many_as_joints():
    for angles in ((), (1, 2)):
        with pytest.raises(FormatError, match=f"key 1 does not have 1 angles; got {len(angles)}"):
            write_mtn(replace(ONE, keys=(*ONE.keys, MtnKey(1, (0, 0, 0), angles))))


def test_names_of_255_characters_and_latin_1_are_written():
    for what in ("motion", "author", "design"):
        long = replace(ONE, **{what: "\xf1" * 255})
        assert getattr(read_mtn(write_mtn(long), "x"), what) == "\xf1" * 255
        with pytest.raises(FormatError, match="an MTN name has at most 255 characters; got 256"):
            write_mtn(replace(ONE, **{what: "x" * 256}))
        with pytest.raises(FormatError, match="an MTN name holds Latin-1 characters only; got '€'"):
            write_mtn(replace(ONE, **{what: "a€b"}))
    with pytest.raises(FormatError, match="an MTN name has at most 255 characters; got 300"):
        write_mtn(replace(ONE, locators=("x" * 300,)))


def test_the_bytes_of_a_small_file():
    raw = write_mtn(
        MtnFile("mo", "a", "", ("PRM",), (MtnKey(9, (1, -2, 3), (4,)), MtnKey(5, (6, 7, 8), (-9,))), (1, 3), 8)
    )
    assert raw == (
        struct.pack("<4sIIIHHHHI", b"OMTN", 0, 24, 4, 1, 3, 2, 8, 0)
        # 8 + 6 bytes of names and 2 zeros.
        + struct.pack("<II", 1, 16)
        + b"\2mo\1a\0\0\0"
        + struct.pack("<IIH", 2, 16, 1)
        + b"\3PRM\0\0"
        # Two keys of 3 + 1 numbers; only the second has a count of frames.
        + struct.pack("<III", 3, 12 + 36, 0)
        + struct.pack("<9i", 1, -2, 3, 4, 5, 6, 7, 8, -9)
    )
    short = write_mtn(replace(ONE, layout=MtnLayout(short=True, tail=b"end")))
    assert short == (
        struct.pack("<4sIIIHHHHI", b"OMTN", 0, 24, 4, 1, 2, 1, 16, 0)
        + struct.pack("<II", 1, 14)
        + b"\1m\1a\1d"
        + struct.pack("<IIH", 2, 17, 1)
        + b"\6PRM:/x"
        + struct.pack("<IHI", 3, 10 + 16, 0)
        + bytes(16)
        + b"end"
    )
    assert read_mtn(short, "x").layout == MtnLayout(short=True, tail=b"end")

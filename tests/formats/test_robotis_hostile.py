"""Cut, mutated and hostile files of ROBOTIS: a clean error or a library, never a crash, bounded time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from robotis_files import ACTIONS, BIOLOID, CROUCH, action_file, page, text_file, text_page

from andante.errors import AndanteError
from andante.formats.registry import FORMATS, identify, read, write
from andante.motions.library import MotionLibrary

TOKENS = [b"", b"0", b"-1", b"1e999", b"NaN", b"=", b"\n", b"\x00", b"\xff", b"20000", b"page_begin\n", b"page_end\n"]
TOKENS += [b"step=", b"name=", b" 8192", b" 65536", b"\xef\xbb\xbf", b"1e-300"]


def read_or_refuse(path: Path, raw: bytes, codec: str) -> MotionLibrary | None:
    """What bytes can be read as is written and read again."""
    path.write_bytes(raw)
    try:
        library = read(path, codec)
    except AndanteError:
        return None
    for target in ("robotis", "roboplus", "andante"):
        again = path.with_name(f"again{FORMATS[target].suffixes[0]}")
        try:
            write(library, again, target)
        except AndanteError:
            continue
        read(again, target, robot=library.robot)
    return library


@pytest.mark.parametrize(("codec", "raw"), [("robotis", ACTIONS), ("roboplus", BIOLOID)])
def test_cut_anywhere(codec: str, raw: bytes, tmp_path: Path):
    for end in range(0, len(raw), max(1, len(raw) // 60)):
        library = read_or_refuse(tmp_path / "a", raw[:end], codec)
        assert library is None or codec == "roboplus"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(512, 16 * 512), st.integers(0, 255)), min_size=1, max_size=5))
def test_bytes_of_pages_that_are_others(tmp_path: Path, changes: list[tuple[int, int]]):
    """With the checksum made good again: what is in a page may be anything."""
    raw = bytearray(ACTIONS)
    for at, value in changes:
        raw[at] = value
    for number in range(1, 17):
        part = raw[number * 512 : (number + 1) * 512]
        raw[number * 512 + 31] = (part[31] + 0xFF - sum(part)) & 0xFF
    read_or_refuse(tmp_path / "a.bin", bytes(raw), "robotis")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, len(BIOLOID)), st.integers(0, 9), st.sampled_from(TOKENS)), max_size=4))
def test_text_with_other_words_in_it(tmp_path: Path, changes: list[tuple[int, int, bytes]]):
    raw = BIOLOID
    for at, length, token in changes:
        raw = raw[:at] + token + raw[at + length :]
    read_or_refuse(tmp_path / "a.mtn", raw, "roboplus")


@pytest.mark.parametrize("loop", [False, True])
def test_pages_that_all_repeat_255_times_in_one_chain_are_read_in_time(loop: bool, tmp_path: Path):
    """65,025 plays of a page by each of 255 motions would be 16 million names."""
    steps = [(CROUCH, 0, 10)] * 7
    pages = {
        number: page(b"p%d" % number, steps, repeat=255, following=number % 255 + 1 if loop or number < 255 else 0)
        for number in range(1, 256)
    }
    begun = time.process_time()
    (tmp_path / "a.bin").write_bytes(action_file(pages))
    library = read(tmp_path / "a.bin")
    write(library, tmp_path / "b.bin")
    assert (tmp_path / "b.bin").read_bytes() == action_file(pages)
    assert sum(len(motion.blocks) for motion in library.motions.values()) < 200_000
    assert time.process_time() - begun < 10.0


def test_files_of_other_kinds_are_not_taken_for_pages(tmp_path: Path):
    for name, raw in (("zeros.bin", bytes(131072)), ("ones.bin", b"\xff" * 131072), ("text.bin", b"type=motion?" * 9)):
        (tmp_path / name).write_bytes(raw)
        with pytest.raises(AndanteError, match="of no known motion format"):
            identify(tmp_path / name)


def test_a_text_of_times_beyond_any_motion_is_refused_or_read(tmp_path: Path):
    for rate in ("1e-300", "0.0001", "255"):
        for seconds in ("86400", "86401", "1e300"):
            raw = text_file(text_page("a", [({}, seconds, seconds)], f"0 0 1 {rate} 32"))
            read_or_refuse(tmp_path / "a.mtn", raw, "roboplus")

"""Cut, mutated and hostile files of teams' formats: a clean error or a library, never a crash, bounded memory."""

from __future__ import annotations

import contextlib
import io
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from team_files import FILES

from andante.errors import AndanteError
from andante.formats.registry import FORMATS, identify, read, write
from andante.formats.report import FormatError, ReadReport

SAMPLES = {key: (name, text.encode()) for key, (name, text) in FILES.items()}
TOKENS = [b"", b"0", b"-1", b"1e999", b"NaN", b"null", b"[", b"]", b"{", b"}", b'"', b",", b":", b"*", b"!", b"$", b"#"]
TOKENS += [b"\n", b"\x00", b"\xff", b"20000", b"off", b"deg", b"true", b"'", b"\\", b"(", b"<", b">", b"&", b"=", b";"]
MOST_MEMORY = 20_000_000


@pytest.fixture(scope="module")
def npz(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("npz")
    (folder / "nod.csv").write_bytes(SAMPLES["csv"][1])
    (file,) = write(read(folder / "nod.csv"), folder / "nod.npz")
    return file.read_bytes()


def read_or_refuse(path: Path, raw: bytes, codec: str) -> bool:
    """Whether bytes can be read; what they hold is then written and read again."""
    path.write_bytes(raw)
    try:
        library = read(path, codec)
    except AndanteError:
        return False
    try:
        FORMATS[codec].losses(library)
        (written,) = write(library, path.with_name(f"again{path.suffix}"), codec)
    except AndanteError:
        return True
    back = read(written, codec, robot=library.robot)
    assert sum(len(block.keyframes) for block in back.blocks.values()) == sum(
        len(block.keyframes) for block in library.blocks.values()
    )
    return True


@pytest.mark.slow
@pytest.mark.parametrize("key", SAMPLES)
def test_cut_at_every_byte(key, tmp_path: Path):
    name, raw = SAMPLES[key]
    codec = key.split(" ")[0]
    held = 0
    for end in range(len(raw)):
        # Without the detour over the disk, which takes most of the time.
        with contextlib.suppress(AndanteError):
            FORMATS[codec].decode(raw[:end].decode(), tmp_path / name, ReadReport())
            held += 1
    tracemalloc.start()
    try:
        for end in range(0, len(raw), 101):
            read_or_refuse(tmp_path / name, raw[:end], codec)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MOST_MEMORY
    if name.endswith((".json", ".motion2", ".xar", ".xml")):
        # Only what comes behind the last bracket may be missing.
        assert held == len(raw) - len(raw.rstrip())


@pytest.mark.slow
def test_npz_cut_at_every_byte(npz, tmp_path: Path):
    assert not any(read_or_refuse(tmp_path / "a.npz", npz[:end], "npz") for end in range(len(npz)))


@pytest.mark.parametrize("key", SAMPLES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, 10_000), st.integers(0, 20), st.one_of(st.sampled_from(TOKENS), st.binary(max_size=6))
        ),
        min_size=1,
        max_size=4,
    )
)
def test_mutations(key, edits, tmp_path: Path):
    name, raw = SAMPLES[key]
    for at, length, new in edits:
        at %= len(raw) + 1
        raw = raw[:at] + new + raw[at + length :]
    read_or_refuse(tmp_path / name, raw, key.split(" ")[0])
    with contextlib.suppress(AndanteError):
        identify(tmp_path / name)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(st.integers(0, 10_000), st.binary(min_size=1, max_size=4)), min_size=1, max_size=4))
def test_npz_mutations(npz, edits, tmp_path: Path):
    raw = npz
    for at, new in edits:
        at %= len(raw)
        raw = raw[:at] + new + raw[at + len(new) :]
    read_or_refuse(tmp_path / "a.npz", raw, "npz")


DEEP = {
    "json": ("a.json", "hulks", "[" * 100_000),
    "json objects": ("a.json", "bitbots", '{"keyframes":' * 50_000),
    "json numbers": ("a.json", "bitbots", '{"keyframes":[' + "1," * 210_000 + "1]}"),
    "json long string": ("a.json", "bitbots", '{"name": "' + "\\u0041" * 200_000),
    "json digits": ("a.json", "bitbots", '{"keyframes": [{"duration": ' + "9" * 100_000 + "}]}"),
    "kfm": ("a.kfm", "naodevils", "keyFrames = [" + "{a = [" * 50_000),
    "xml": ("a.xar", "xar", "<ChoregrapheProject>" + "<Box>" * 100_000),
    "xml elements": ("a.xar", "xar", "<ChoregrapheProject>" + "<a/>" * 300_000 + "</ChoregrapheProject>"),
    "xml bomb": (
        "a.xml",
        "mujoco",
        '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><mujoco>&b;</mujoco>',
    ),
    "python brackets": ("a.py", "choregraphe-python", "names = " + "[" * 50_000 + "]" * 50_000),
    "python signs": ("a.py", "choregraphe-python", "names = [" + "-" * 90_000 + "1]"),
    "python sums": ("a.py", "choregraphe-python", "names = [" + "1+" * 90_000 + "1]"),
    "python digits": ("a.py", "choregraphe-python", "times = [" + "9" * 90_000 + "]"),
    "python power": ("a.py", "choregraphe-python", "times = [9**9**9**9]"),
    "webots columns": ("a.motion", "webots", "#WEBOTS_MOTION,V1.0" + ",a" * 1_000_000),
    "csv columns": ("a.csv", "csv", "time" + ",a" * 1_000_000 + "\n"),
    "csv field": ("a.csv", "csv", 'time,a\n1,"' + "x" * 1_000_000),
    "too large": ("a.pos", "runswift", "x" * 17_000_000),
}
LONG = ("json numbers", "xml elements")
"""Cases that take seconds."""


@pytest.mark.parametrize("case", [pytest.param(case, marks=pytest.mark.slow if case in LONG else ()) for case in DEEP])
def test_deep_wide_and_exploding_files(case, tmp_path: Path):
    name, codec, text = DEEP[case]
    (tmp_path / name).write_text(text)
    tracemalloc.start()
    try:
        with pytest.raises(AndanteError):
            read(tmp_path / name, codec)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 150_000_000


def _npz(header: bytes, data: bytes = b"") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("time.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            _npz(b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999, 999999999), }"),
            "the array's size does not fit its shape",
        ),
        (
            _npz(b"{'descr': '<U0', 'fortran_order': False, 'shape': (999999999,), }"),
            "the array's numbers are of an unknown kind",
        ),
        (_npz(b"{'descr': '|O', 'fortran_order': False, 'shape': (), }"), "header is not one of plain numbers"),
        (_npz(b"__import__('os').abort()"), "header is not one of plain numbers"),
        (
            _npz(b"{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", b"\x00\x00\x00\xff"),
            "characters that do not exist",
        ),
        (_npz(b"x", b"\x00" * 50_000_000), "the array is too large"),
        (b"PK\x03\x04", "this is no NPZ file"),
    ],
)
def test_arrays_that_lie_about_their_size(raw, message, tmp_path: Path):
    (tmp_path / "a.npz").write_bytes(raw)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=message):
            read(tmp_path / "a.npz", "npz")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 60_000_000


def test_pickles_are_not_opened(tmp_path: Path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "trapped",))

    np.savez(tmp_path / "a.npz", joints=np.array([Trap()], dtype=object))
    with pytest.raises(AndanteError):
        read(tmp_path / "a.npz", "npz")
    assert not (tmp_path / "trapped").exists()

"""Model files in other encodings than UTF-8, and files of robots that are no MJCF, URDF or SDF."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest
from bare_files import load, refusal
from quadrupeds import mjcf_quadruped, urdf_quadruped

from andante.robots.model_text import read_model_text
from andante.robots.parts import RobotError

DECLARED = '<?xml version="1.0" encoding="{}"?>'


def named_text(encoding: str) -> str:
    return urdf_quadruped().replace('<?xml version="1.0"?>', DECLARED.format(encoding)).replace('"quad"', '"Größe"')


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1252", "UTF-16"])
def test_a_urdf_is_read_in_the_encoding_that_it_declares(tmp_path, encoding):
    assert load(tmp_path, named_text(encoding).encode(encoding), "quad.urdf").name == "Größe"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            named_text("UTF-8").encode("latin-1"),
            "is no UTF-8 text (byte 53 is 0xf6); name its encoding in its first line"
            ' (<?xml version="1.0" encoding="ISO-8859-1"?>), or save it in UTF-8',
        ),
        (
            named_text("zlib").encode("latin-1"),
            "declares an encoding that is not read; got 'zlib'; save it in UTF-8",
        ),
        (
            (DECLARED.format("ISO-8859-1") + mjcf_quadruped().replace('"quad"', '"Größe"')).encode("latin-1"),
            "a MJCF must be UTF-8 text; got 'ISO-8859-1'; save it in UTF-8: iconv -f ISO-8859-1 -t UTF-8 FILE, without"
            " the encoding in its first line",
        ),
    ],
)
def test_text_in_another_encoding_says_what_to_do(tmp_path, text, message):
    assert refusal(tmp_path, text) == f"quad.urdf: {message}"


def zipped() -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("a1/README.md", "")
        archive.writestr("a1/urdf/a1.urdf", urdf_quadruped())
    return raw.getvalue()


def tarred() -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a1/a1.xml"), io.BytesIO())
    return raw.getvalue()


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            zipped(),
            "is packed; limit: a MJCF, URDF or SDF file; unpack it, and name the model file in it (a1/urdf/a1.urdf)",
        ),
        (tarred(), "is packed; limit: a MJCF, URDF or SDF file; unpack it, and name the model file in it (a1/a1.xml)"),
        (zipped()[:60], "is packed; limit: a MJCF, URDF or SDF file; unpack it, and name the model file in it"),
        (
            gzip.compress(tarred()),
            "is packed; limit: a MJCF, URDF or SDF file; unpack it, and name the model file in it",
        ),
        (
            b"#VRML_SIM R2025a utf8\nWorldInfo {",
            "is a world or a PROTO of Webots (VRML); limit: a MJCF, URDF or SDF file; export its robot as URDF, as"
            " Webots does (wb_robot_get_urdf)",
        ),
        (
            b"PXR-USDC\0\0",
            "is a stage of USD; limit: a MJCF, URDF or SDF file; export the robot as URDF or MJCF, or take the file"
            " that it was made of",
        ),
    ],
)
def test_files_of_other_kinds_say_what_to_do(tmp_path, raw, message):
    assert refusal(tmp_path, raw) == f"quad.urdf: {message}"


def test_sdf_in_the_place_of_mjcf_says_what_to_do(tmp_path):
    (tmp_path / "a1.xml").write_text('<sdf version="1.9"><model name="a1"/></sdf>')
    with pytest.raises(RobotError, match=r"is neither MJCF nor URDF; .*; --pack FOLDER writes its MJCF$"):
        read_model_text(tmp_path / "a1.xml")

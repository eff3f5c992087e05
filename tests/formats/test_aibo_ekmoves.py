"""EKMoves.h: order of the tilts, every fault with line and column, and the way to MTN and back."""

from __future__ import annotations

import pytest
from aibo_files import mtn
from hypothesis import given
from hypothesis import strategies as st

from andante.documents.problems import DocumentError
from andante.formats.aibo.ekmoves import EkPose, ekmoves_text, parse_ekmoves
from andante.formats.aibo.names import EK_ORDER
from andante.formats.registry import FORMATS, convert, identify, read, write
from andante.formats.report import FormatError, ReadReport

VALUES = [5, 0, -30, -5, 10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42]
LABELS = [joint.label for joint in EK_ORDER]


def array(name: str, rows: list[str]) -> str:
    return f"const double {name}[] = {{\n" + "\n".join(rows) + "\n};\n"


def rows(values=VALUES, form="{value}, // {label}") -> list[str]:
    return [form.format(value=value, label=label) for value, label in zip(values, LABELS, strict=True)]


HEADER = f"""\
#ifndef EKMOVES_H
#define EKMOVES_H /* twice
lines */
const int COUNT = 3;
{array("KICK_101_01", rows())}
static const double KICK_101_02[16] = {{5,0,-30.5,-5,.1,+1.5e1,12.f,20,21,22,30,31,32,40,41,42,}};
{array("EK_POS", rows(form="/*{label}*/ {value},"))}
#endif
"""


def test_order_of_the_joints():
    assert [joint.name for joint in EK_ORDER] == [
        *("Tilt2", "Pan", "Tilt1", "Mouth"),
        *(f"{leg}J{joint}" for leg in ("LF", "LR", "RF", "RR") for joint in (1, 2, 3)),
    ]


def test_reading(tmp_path):
    (tmp_path / "EKMoves.h").write_text(HEADER)
    assert identify(tmp_path / "EKMoves.h").name == "ekmoves"
    report = ReadReport()
    library = read(tmp_path / "EKMoves.h", report=report)
    assert {name: len(library.blocks[name].keyframes) for name in library.motions} == {"KICK_101": 2, "EK_POS": 1}
    keyframe = library.blocks["KICK_101"].keyframes[1]
    assert keyframe.duration == 0.4
    assert keyframe.joints["Tilt1"] == pytest.approx(-30.5 * 0.0174532925199433)
    assert keyframe.joints["Tilt2"] == pytest.approx(5 * 0.0174532925199433)
    assert keyframe.joints["LFJ2"] == pytest.approx(15 * 0.0174532925199433)
    assert [warning.text for warning in report.warnings] == [
        "a declaration that is no array of angles is not kept ('int')",
        "the format has no times; every pose gets 0.4 s",
    ]


def test_written_and_read_again(tmp_path):
    (tmp_path / "EKMoves.h").write_text(HEADER)
    library = read(tmp_path / "EKMoves.h")
    write(library, tmp_path / "a.h")
    assert read(tmp_path / "a.h") == library
    write(read(tmp_path / "a.h"), tmp_path / "b.h")
    assert (tmp_path / "a.h").read_bytes() == (tmp_path / "b.h").read_bytes()
    assert FORMATS["ekmoves"].losses(library) == []


def test_names_of_arrays_come_back(tmp_path):
    names = ["A_1", "A_02", "A_5", "B_01", "C", "D_1_01", "D_1_02"]
    text = "".join(array(name, rows()) for name in names)
    (tmp_path / "x.h").write_text(text)
    write(read(tmp_path / "x.h"), tmp_path / "y.h")
    assert [pose.name for pose in parse_ekmoves((tmp_path / "y.h").read_text())] == names


@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,10}", fullmatch=True),
        st.lists(st.floats(-180, 180).map(lambda value: float(f"{value:.12g}")), min_size=16, max_size=16),
        min_size=1,
        max_size=4,
    )
)
def test_any_poses_come_back(poses):
    written = tuple(EkPose(name, tuple(values)) for name, values in poses.items())
    assert [(pose.name, pose.degrees) for pose in parse_ekmoves(ekmoves_text(written))] == [
        (pose.name, pose.degrees) for pose in written
    ]


def test_to_mtn_and_back_the_tilts_change_places(tmp_path):
    (tmp_path / "x.h").write_text(array("KICK_01", rows()) + array("KICK_02", rows()))
    report = convert(tmp_path / "x.h", tmp_path / "x.mtn")
    assert report.losses == (
        "motions.KICK: joint 'LeftEar' is not given and becomes 0 deg",
        "motions.KICK: joint 'RightEar' is not given and becomes 0 deg",
        "motions.KICK: joint 'TailTilt' is not given and becomes 5 deg",
        "motions.KICK: joint 'TailPan' is not given and becomes 0 deg",
        "blocks.KICK.keyframes[0]: the time to the first pose is not held, a file begins with it, here 400 ms",
    )
    angles = read(tmp_path / "x.mtn").blocks["KICK"].keyframes[1].joints
    assert (angles["Tilt1"], angles["Tilt2"]) == (-0.523599, 0.087266)
    back = convert(tmp_path / "x.mtn", tmp_path / "back.h")
    assert "motions.KICK: joint 'TailTilt' is not held" in back.losses
    degrees = parse_ekmoves((tmp_path / "back.h").read_text())[0].degrees
    assert degrees == pytest.approx(VALUES, abs=0.00003)


def without(position: int, text: str) -> list[str]:
    changed = rows()
    changed[position] = text
    return changed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (array("A", rows()[:15]), r"f\.h:1:14, A: the array has 15 of 16 values"),
        (array("A", [*rows(), "1,"]), r"f\.h:1:14, A: the array has 17 of 16 values"),
        (array("A", without(7, "20 // LeftRearLegJ1")), r"f\.h:10:1, A: a comma is missing after value 8 of 16"),
        (array("A", [f"#{label}," for label in LABELS]), r"f\.h:2:1, A: value 1 of 16 is a placeholder with '#'"),
        (array("A", without(3, "nan,")), r"f\.h:5:1, A: value 4 of 16 is not finite; got 'nan'"),
        (array("A", without(3, "-INFINITY,")), r"f\.h:5:2, A: value 4 of 16 is not finite; got 'INFINITY'"),
        (array("A", without(3, "1e999,")), r"f\.h:5:1, A: value 4 of 16 is not finite; got '1e999'"),
        (array("A", without(3, "M_PI,")), r"f\.h:5:1, A: value 4 of 16 is no plain number; got 'M_PI'"),
        (array("A", without(3, "1+1,")), r"f\.h:5:2, A: a comma is missing after value 4 of 16; got '\+1'"),
        (array("A", without(3, "0x10,")), r"f\.h:5:1, A: value 4 of 16 is no plain number; got '0x10'"),
        (array("A", without(3, "2 * 3,")), r"f\.h:5:3, A: ',' or '}' is needed after value 4 of 16; got '\*'"),
        ("const double A[] = {1, 2", r"f\.h:1:1, A: the array ends without '}', 2 of 16 values"),
        ("const double A[15] = {", r"f\.h:1:16, A: the array does not have 16 values; got '15'"),
        ("const double A[] {", r"f\.h:1:18, A: '=' is missing; got '{'"),
        ("\n/* never", r"f\.h:2:1: the comment is not closed"),
        (array("A", rows()) + array("A", rows()), r"f\.h:19:14: the array stands in line 1 already; got 'A'"),
    ],
)  # fmt: skip
def test_errors(text, message):
    with pytest.raises(FormatError, match=message):
        parse_ekmoves(text, "f.h")


@pytest.mark.parametrize(
    "form", ["{value}, // {label}", "/* {label} */ {value},", "{value}, /* #{label}, */", "// {label}\n{value},"]
)
def test_labels_in_the_wrong_order_are_refused(form):
    assert parse_ekmoves(array("A", rows(form=form)))
    changed = rows(form=form)
    changed[0], changed[2] = changed[2], changed[0]
    message = r"the comment names another joint than value [12] is; .* begins with Tilt2, Pan, Tilt1, Mouth"
    with pytest.raises(FormatError, match=message):
        parse_ekmoves(array("A", changed), "f.h")


def test_swapped_tilts_without_labels_are_a_remark():
    swapped = [VALUES[2], VALUES[1], VALUES[0], *VALUES[3:]]
    report = ReadReport()
    parse_ekmoves(array("A", rows(swapped, "{value},")), "f.h", report)
    assert [str(warning) for warning in report.warnings] == [
        "f.h:1: A: the tilts look swapped: Tilt2 -30 and Tilt1 5 deg are legal only the other way round "
        "(Tilt2 stands first here)"
    ]


def test_cut_at_every_byte():
    lines: list[int | None] = []
    for length in range(len(HEADER)):
        try:
            poses = parse_ekmoves(HEADER[:length], "f.h")
        except FormatError as error:
            lines.append(error.line)
        else:
            whole = ["KICK_101_01", "KICK_101_02", "EK_POS"][: HEADER[:length].count("};")]
            assert [pose.name for pose in poses] == whole
    assert None not in lines
    assert len(lines) > 500


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(FormatError, match="the name is no C identifier; got 'a-b'"):
        ekmoves_text((EkPose("a-b", tuple(map(float, VALUES))),))
    with pytest.raises(FormatError, match="two arrays would have the same name"):
        ekmoves_text((EkPose("a", tuple(map(float, VALUES))),) * 2)
    with pytest.raises(FormatError, match="a pose needs 16 finite values"):
        ekmoves_text((EkPose("a", (1.0,)),))


def test_motion_names_become_identifiers(tmp_path):
    (tmp_path / "x.mtn").write_bytes(mtn())
    report = convert(tmp_path / "x.mtn", tmp_path / "x.h")
    assert "the array of 'a_stand#stand_kick_01' becomes 'a_stand_stand_kick_01'" in report.losses
    assert [pose.name for pose in parse_ekmoves((tmp_path / "x.h").read_text())] == [
        "a_stand_stand_kick_01",
        "a_stand_stand_kick_02",
    ]


def test_old_encodings_and_no_text(tmp_path):
    (tmp_path / "x.h").write_bytes("// posición\n".encode("latin-1") + HEADER.encode())
    report = ReadReport()
    read(tmp_path / "x.h", report=report)
    assert report.warnings[0].text == "byte 9 is no UTF-8; the text is read as Latin-1"
    (tmp_path / "x.h").write_bytes(HEADER.encode() + b"\0")
    with pytest.raises(DocumentError, match="holds a control character and is no text"):
        read(tmp_path / "x.h")
    (tmp_path / "x.h").write_text("int a;")
    with pytest.raises(FormatError, match="the header has no array of angles"):
        read(tmp_path / "x.h", "ekmoves")

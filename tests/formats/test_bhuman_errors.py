"""Bad configuration files: one message with line, column, place, value and what is legal."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andante.documents.problems import DocumentError
from andante.formats.registry import read
from andante.formats.report import FormatError

KEYFRAME = "keyframeBlock = {sit = {keyframes = [\n  {%s}\n];};};"
BRANCH = KEYFRAME % "keyframeBranches = [{%s}];"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "maxTryCounter = 6;\nmaxTryConter = 7;",
            "2:1: the attribute is unknown; got 'maxTryConter'; did you mean 'maxTryCounter'?; legal: maxTryCounter, "
            "motorMalfunctionBreakUp, maxStiffnessDebugMode, motions, keyframeBlock, "
            "minJointCompensationReduceAngleDiff, balanceOutParams, supportPolygonOffsets, "
            "safeFallParameters, safeUprightParameters",
        ),
        (
            KEYFRAME % "interpolationType = Linar;",
            "2:24, keyframeBlock.sit.keyframes[0].interpolationType: this is not an interpolation; got 'Linar'; "
            "did you mean 'Linear'?; legal: Default, Linear, SinusMinToMax, SinusZeroToMax",
        ),
        (
            KEYFRAME % "duration = -3;",
            "2:15, keyframeBlock.sit.keyframes[0].duration: the number is out of range; got -3.0; limit: above 0",
        ),
        (
            KEYFRAME % "duration = nan;",
            "2:15, keyframeBlock.sit.keyframes[0].duration: this is not a number; got 'nan'",
        ),
        (
            KEYFRAME % "duration = {};",
            "2:15, keyframeBlock.sit.keyframes[0].duration: a number is expected here, not a record",
        ),
        (
            KEYFRAME % "waitConditions = 3;",
            "2:21, keyframeBlock.sit.keyframes[0].waitConditions: an array [...] is expected here, not '3'",
        ),
        (
            KEYFRAME % "goalCom = [];",
            "2:14, keyframeBlock.sit.keyframes[0].goalCom: a record {...} is expected here, not an array",
        ),
        (
            KEYFRAME % "angles = {head = [0deg];};",
            "2:21, keyframeBlock.sit.keyframes[0].angles.head: the array has the wrong number of elements; got 1; "
            "limit: 2",
        ),
        (
            KEYFRAME % "angles = {head = [0deg, 1 grad];};",
            "2:28, keyframeBlock.sit.keyframes[0].angles.head[1]: "
            "this is not an angle (a number with deg, rad, pi or nothing); got '1 grad'",
        ),
        (
            KEYFRAME % "torsoAngleBreakUpStart = [{}, {}];",
            "2:34, keyframeBlock.sit.keyframes[0].torsoAngleBreakUpStart: the array has too many elements; got 2; "
            "limit: 0 or 1",
        ),
        (
            BRANCH % "maxNumberOfLoopsBlockID = -2;",
            "2:51, keyframeBlock.sit.keyframes[0].keyframeBranches[0].maxNumberOfLoopsBlockID: "
            "the number is out of range; got -2; limit: at least -1",
        ),
        (
            "keyframeBlock = {sit = {baseLimbStiffness = [0, 0, 0, 0, 101];};};",
            "1:58, keyframeBlock.sit.baseLimbStiffness[4]: the number is out of range; got 101; limit: 0 to 100",
        ),
        (
            "mofs = {};",
            "1:1: this is the schema of the releases before 2022, which is not read; "
            "legal: bhuman-2022, bhuman-2023, bhuman-2024, bhuman-2025",
        ),
    ],
)
def test_messages(read_cfg, tmp_path, text, message):
    with pytest.raises(FormatError) as caught:
        read_cfg(text)
    assert str(caught.value) == f"{tmp_path / 'motion.cfg'}:{message}"


def test_nearest_joint_is_offered(read_cfg):
    with pytest.raises(FormatError, match=r"this is not a joint; got 'lKneePich'; did you mean 'lKneePitch'\?"):
        read_cfg(KEYFRAME % "singleMotorStiffnessChange = [{joint = lKneePich; s = 0;}];")


def test_forced_dialect_refuses_what_it_does_not_have(read_cfg, engine_text):
    with pytest.raises(FormatError, match=r"the attribute is unknown; got 'motionSpecificRetries'"):
        read_cfg(engine_text("bhuman-2022"), "bhuman-2024")
    with pytest.raises(FormatError, match=r"this is not a condition variable; got 'AnotherFrontHack'"):
        read_cfg(engine_text("bhuman-2024").replace("FluctuationY", "AnotherFrontHack"))
    with pytest.raises(FormatError, match=r"this is not a block; got 'recoverBackStaticArms'"):
        read_cfg(engine_text("bhuman-2022").replace("[sit, wait]", "[recoverBackStaticArms]"))


def test_bad_parameters_file_is_named(tmp_path):
    (tmp_path / "keyframeMotionEngine.cfg").write_text("maxTryCounter = 6;\n")
    (tmp_path / "keyframeMotionParameters.cfg").write_text("balanceList = {\n  Sitt = {};\n};\n")
    with pytest.raises(FormatError) as caught:
        read(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'keyframeMotionParameters.cfg'}:2:3, balanceList: the attribute is unknown; got 'Sitt'; "
        "did you mean 'Sit'?; legal: UnknownPhase, PushingWithArmsFromGround, ReduceVel, Split, HalfSplit, Sit, Stand, "
        "StandStatic"
    )


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "keyframeMotionEngine.cfg"


def attempt(target, content: bytes, codec=None):
    """Read; only a library or a document's error may come of it."""
    target.write_bytes(content)
    with contextlib.suppress(DocumentError):
        return read(target, codec)
    return None


@pytest.mark.slow
def test_truncation_at_any_byte(target, engine_text):
    text = re.sub(rb"\n +", b"\n", engine_text("bhuman-2024").encode())
    assert attempt(target, text) is not None
    # Only cuts behind a complete top-level field (and the line's end) leave a readable file.
    depth, expected = 0, [0]
    for offset, char in enumerate(text.decode()):
        depth += (char in "{[") - (char in "}]")
        if char == ";" and depth == 0:
            expected += [offset + 1, offset + 2]
    # Every cut near those, and of the others one of five, which over the whole text lie in each kind of place.
    near = {end + by for end in expected for by in (-2, -1, 0, 1, 2)} & set(range(len(text)))
    cuts = sorted(near | set(range(0, len(text), 5)))
    readable = [end for end in cuts if attempt(target, text[:end], "bhuman") is not None]
    assert readable == [end for end in expected if end < len(text)]


tokens = st.sampled_from(
    [b"{", b"}", b"[", b"]", b"=", b",", b";", b'"', b"//", b"/*", b"*/", b"\n", b"\t", b"\0", b"\xff"]
)
words = st.sampled_from([b"20000", b"-1", b"nan", b"1e999", b"deg", b"keyframes", b"duration", b"9" * 400, b"0"])
mutations = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 60), st.one_of(tokens, words, st.binary(max_size=6))),
    min_size=1,
    max_size=4,
)


@pytest.mark.slow
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations, st.sampled_from(["bhuman-2022", "bhuman-2024", "bhuman-2025"]))
def test_mutations(target, engine_text, changes, dialect):
    content = engine_text(dialect).encode()
    for where, length, insert in changes:
        at = int(where * len(content))
        content = content[:at] + insert + content[at + length :]
    attempt(target, content, "bhuman")


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_binary(target, content):
    attempt(target, content)
    attempt(target, content, "bhuman")


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='a1={}[],;"/*\\ \n\t-.deg', max_size=200))
def test_token_soup(target, text):
    attempt(target, text.encode(), "bhuman")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a=" * 1_000_000,
        b"a={" * 1_000_000,
        b"[" * 2_000_000,
        b"a=" + b"1" * 4_000_000 + b";",
        b"maxTryCounter=" + b"1" * 4_000_000 + b";",
        b"motions = {front = {keyframes = [" + b"sit," * 300_000 + b"];};};",
        b"//\n" * 1_000_000,
        b"motions = {" + b"/**/" * 1_000_000,
        b'a="' + b"\\" * 4_000_000,
        b" " * 4_000_000,
        b"\xef\xbb\xbfmaxTryCounter = 6;",
    ],
    ids=[
        "empty",
        "names",
        "records",
        "arrays",
        "long",
        "number",
        "list",
        "lines",
        "comments",
        "escapes",
        "blanks",
        "bom",
    ],
)
def test_hostile_files_are_refused_or_read(target, content):
    attempt(target, content, "bhuman")


def test_huge_file_is_refused_unread(target):
    with target.open("wb") as stream:
        stream.truncate(100_000_000)
    for codec in (None, "bhuman"):
        with pytest.raises(DocumentError, match=r"is too large; got 100000000; limit: \d+ bytes"):
            read(target, codec)


def test_a_folder_or_missing_file(tmp_path):
    with pytest.raises(DocumentError, match="the folder holds no motion library"):
        read(tmp_path)
    with pytest.raises(DocumentError, match="the folder has no such file"):
        read(tmp_path, "bhuman")
    with pytest.raises(DocumentError, match="cannot be read: No such file"):
        read(tmp_path / "none.cfg")

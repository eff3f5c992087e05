"""Tekkotsu's .pos and .mot: names, units, tracks, and what comes back."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.formats.aibo.names import BY_TEKKOTSU, JOINTS
from andante.formats.aibo.tekkotsu_mot import Sequence, mot_text, parse_mot
from andante.formats.aibo.tekkotsu_pos import PostureFile, Target, parse_pos, pos_text
from andante.formats.registry import FORMATS, identify, read, write
from andante.formats.report import FormatError, ReadReport
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

POS = """\
#POS
# a comment
LFr:rotor\t 0.5
Fr:elvtr = 0.25 0.5
LED:botL~\t1
specialize ERS-2.*
NECK:roll 0.3
specialize ERS-7
NECK:tilt -0.5 # looks down
specialize
MOUTH~~~~ -0.1 0
<sensors>
  Force:x\t1.5
</sensors>
#END
this is not read
"""
MOT = """\
#MSq
degrees
# comment
advanceTime 499
LFr:rotor~~ 90
NECK:tilt   -30
radians
delay 500
LFr:rotor   1.0
delay 500
NECK:tilt   -1.0
RFr:knee~ 0.5 # a comment
LED:botL~ 1
#END
"""


def test_every_joint_has_a_name_of_nine_characters():
    assert all(len(joint.tekkotsu) == 9 for joint in JOINTS)
    assert BY_TEKKOTSU["NECK:nod"].name == "Tilt2"
    assert (BY_TEKKOTSU["LBk:rotor"].name, BY_TEKKOTSU["RFr:knee"].name) == ("LRJ1", "RFJ3")


def test_reading_a_posture(tmp_path):
    (tmp_path / "stand.pos").write_text(POS)
    assert identify(tmp_path / "stand.pos").name == "tekkotsu-pos"
    report = ReadReport()
    library = read(tmp_path / "stand.pos", report=report)
    (keyframe,) = library.blocks["stand"].keyframes
    assert keyframe.joints == {"LFJ1": 0.5, "LFJ2": 0.25, "RFJ2": 0.25, "Tilt1": -0.5}
    assert [warning.text for warning in report.warnings] == [
        "the format has no times; the posture gets 1 s",
        "weights other than 1 have no effect here; they are kept in extras",
    ]


def test_a_posture_comes_back(tmp_path):
    (tmp_path / "stand.pos").write_text(POS)
    library = read(tmp_path / "stand.pos")
    write(library, tmp_path / "again.pos", "tekkotsu-pos")
    posture = parse_pos((tmp_path / "again.pos").read_text())
    assert posture == parse_pos(POS)
    assert pos_text(posture) == (tmp_path / "again.pos").read_text()
    assert posture.targets["MOUTH"] == Target(-0.1, 0.0)
    assert posture.sections == {"sensors": ("Force:x 1.5",)}
    assert FORMATS["tekkotsu-pos"].losses(library) == []


def test_condensed():
    values = [round(0.01 * number, 2) for number in range(47)]
    text = "#POS\ncondensed ERS-7\nmeta-info = 5 6\noutputs = " + " ".join(map(str, values)) + "\n#END\n"
    posture = parse_pos(text)
    assert posture.targets["LFr:rotor"] == Target(0.0)
    assert posture.targets["RFr:rotor"] == Target(0.03)
    assert posture.targets["LBk:rotor"] == Target(0.06)
    assert posture.targets["NECK:tilt"] == Target(0.12)
    assert posture.targets["MOUTH"] == Target(0.17)
    assert posture.targets["EAR:right"] == Target(0.46)
    weighted = parse_pos(text.replace("#END", "weights " + " ".join(["0.5"] * 47) + "\n#END"))
    assert weighted.targets["MOUTH"] == Target(0.17, 0.5)
    assert parse_pos(pos_text(weighted)) == weighted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("POS\n", r"s\.pos:1: a posture file begins with #POS; got 'POS'"),
        ("#POS\nLFr:rotor\n", r"s\.pos:2: the output has no value; got 'LFr:rotor'"),
        ("#POS\nLFr:rotor nan\n", r"s\.pos:2, LFr:rotor: the value is not finite; got 'nan'"),
        ("#POS\nLFr:rotor 1 x\n", r"s\.pos:2, LFr:rotor: the weight is no number; got 'x'"),
        ("#POS\noutputs 1 2\n", r"s\.pos:2: a line of all outputs needs 'condensed ERS-7' before it"),
        ("#POS\ncondensed ERS-210\n", r"s\.pos:2: the model of the condensed form is unknown; .*legal: ERS-7"),
        ("#POS\ncondensed ERS-7\noutputs 1 2\n", r"s\.pos:3: the line has 2 of 47 outputs"),
        ("#POS\n<legs>\n", r"s\.pos:2: the section is unknown; got '<legs>'; legal: meta-info, outputs"),
        ("#POS\n<sensors>\n<buttons>\n", r"s\.pos:3: section 'sensors' is still open; got '<buttons>'"),
        ("#POS\n<sensors>\n</buttons>\n", r"s\.pos:3: another section is open; got '</buttons>'"),
        ("#POS\nspecialize (a+)+\n", r"s\.pos:2: the pattern of 'specialize' is not supported; got '\(a\+\)\+'"),
        ("#POS\nspecialize ERS[7\n", r"s\.pos:2: the pattern of 'specialize' is broken"),
    ],
)
def test_errors_of_postures(text, message):
    with pytest.raises(FormatError, match=message):
        parse_pos(text, "s.pos")


def test_reading_a_sequence(tmp_path):
    (tmp_path / "kick.mot").write_text(MOT)
    assert identify(tmp_path / "kick.mot").name == "tekkotsu-mot"
    report = ReadReport()
    library = read(tmp_path / "kick.mot", report=report)
    first, second, third = library.blocks["kick"].keyframes
    assert [keyframe.duration for keyframe in (first, second, third)] == [0.5, 0.5, 0.5]
    tilt = math.radians(-30.0)
    assert first.joints == {"LFJ1": pytest.approx(math.pi / 2), "Tilt1": pytest.approx(tilt)}
    assert second.joints == {"LFJ1": 1.0, "Tilt1": pytest.approx(0.5 * (tilt - 1.0))}
    assert third.joints == {"Tilt1": -1.0, "RFJ3": 0.5}
    assert [warning.text for warning in report.warnings] == [
        "'LED:botL~' is no joint of the ERS-7",
        "joint 'RFJ3' waits for the key before its first one, at 1500 ms, then moves",
    ]


def test_a_sequence_comes_back(tmp_path):
    (tmp_path / "kick.mot").write_text(MOT)
    library = read(tmp_path / "kick.mot")
    write(library, tmp_path / "again.mot")
    assert parse_mot((tmp_path / "again.mot").read_text()) == parse_mot(MOT)
    assert mot_text(parse_mot(MOT)) == (tmp_path / "again.mot").read_text()
    losses = FORMATS["tekkotsu-mot"].losses(library)
    assert losses == ["blocks.kick.keyframes[2]: joint 'RFJ3' is first given here; it has this angle from the start on"]


TARGETS = st.builds(Target, st.floats(-3, 3), st.sampled_from([1.0, 0.5, 2.0]))
TRACK = st.dictionaries(st.integers(0, 5000), TARGETS, min_size=1, max_size=5)
TRACKS = st.dictionaries(st.sampled_from(sorted(BY_TEKKOTSU)), TRACK, max_size=4)


@given(TRACKS)
def test_any_sequence_comes_back_as_text(tracks):
    ordered = {name: dict(sorted(track.items())) for name, track in tracks.items()}
    end = max((time for track in tracks.values() for time in track), default=0)
    assert parse_mot(mot_text(Sequence(ordered, end))) == Sequence(ordered, end)


@given(st.dictionaries(st.sampled_from(sorted(BY_TEKKOTSU)), TARGETS))
def test_any_posture_comes_back_as_text(targets):
    assert parse_pos(pos_text(PostureFile(targets))) == PostureFile(targets)


def value_at(sequence: Sequence, output: str, time: float) -> float | None:
    """Independent of the package: a track's value by linear interpolation, None before its first key."""
    keys = sorted(sequence.tracks[output].items())
    if time < keys[0][0]:
        return None
    for (early, one), (late, two) in pairwise(keys):
        if early <= time <= late:
            return one.value + (time - early) / (late - early) * (two.value - one.value)
    return keys[-1][1].value


def test_random_sequences_keep_their_course_through_a_library(tmp_path):
    rng = random.Random(5)
    for _ in range(20):
        outputs = rng.sample(sorted(BY_TEKKOTSU), 5)
        tracks = {}
        for output in outputs:
            times = sorted(rng.sample(range(1, 3000), rng.randint(1, 6)))
            tracks[output] = {time: Target(rng.uniform(-1, 1)) for time in times}
        end = max(time for track in tracks.values() for time in track)
        (tmp_path / "x.mot").write_text(mot_text(Sequence(tracks, end)))
        write(read(tmp_path / "x.mot"), tmp_path / "y.mot")
        again = parse_mot((tmp_path / "y.mot").read_text())
        assert again.end == end
        for output in outputs:
            for time in range(0, end + 100, 37):
                one, two = value_at(Sequence(tracks, end), output, time), value_at(again, output, time)
                assert one == two or one == pytest.approx(two, abs=1e-12)


def test_holds_are_kept(tmp_path):
    joints = [{"LFJ1": 0.1}, {"LFJ2": 0.5}, {"LFJ1": 0.2}, {}, {}]
    library = MotionLibrary(
        robot="ers7",
        motions={"m": Motion(blocks=("m",))},
        blocks={"m": Block(keyframes=tuple(Keyframe(duration=0.1, joints=angles) for angles in joints))},
    )
    write(library, tmp_path / "m.mot")
    sequence = parse_mot((tmp_path / "m.mot").read_text())
    assert sequence.tracks["LFr:rotor"] == {100: Target(0.1), 200: Target(0.1), 300: Target(0.2), 500: Target(0.2)}
    assert sequence.tracks["LFr:elvtr"] == {200: Target(0.5)}
    assert sequence.end == 500


def test_a_key_at_the_start(tmp_path):
    (tmp_path / "x.mot").write_text("#MSq\nsetTime 0\nLFr:rotor 1\nadvanceTime 100\nLFr:rotor 2\n#END\n")
    library = read(tmp_path / "x.mot")
    assert [keyframe.duration for keyframe in library.blocks["x"].keyframes] == [0.008, 0.1]
    write(library, tmp_path / "y.mot")
    assert parse_mot((tmp_path / "y.mot").read_text()) == parse_mot((tmp_path / "x.mot").read_text())


def test_loading_other_files(tmp_path):
    (tmp_path / "stand.pos").write_text("#POS\nLFr:rotor 0.5\nLFr:elvtr 0.1 0\n#END\n")
    (tmp_path / "wag.mot").write_text("#MSq\ndelay 99\nTAIL:pan~ 0.2\ndelay 100\nTAIL:pan~ -0.2\n#END\n")
    (tmp_path / "x.mot").write_text(
        "#MSq\ndelay 99\nload stand.pos\nload wag.mot\ndelay 100\nloadExplicit stand.pos\n#END\n"
    )
    report = ReadReport()
    library = read(tmp_path / "x.mot", report=report)
    assert [keyframe.joints for keyframe in library.blocks["x"].keyframes] == [
        {"LFJ1": 0.5},
        {"TailPan": 0.2, "LFJ1": 0.5},
        {"TailPan": -0.2, "LFJ1": 0.5},
        {"LFJ1": 0.5},
    ]
    assert "'stand.pos' is loaded here; its poses are kept by value" in [warning.text for warning in report.warnings]
    (tmp_path / "stand.pos").unlink()
    write(library, tmp_path / "alone.mot")
    assert len(read(tmp_path / "alone.mot").blocks["alone"].keyframes) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#MS\n", "x.mot:1: a motion sequence begins with #MSq; got '#MS'"),
        ("#MSq\ndelay\n", "x.mot:2, delay: the time is missing"),
        ("#MSq\ndelay 1.5\n", "x.mot:2, delay: the time is no whole number of milliseconds; got '1.5'"),
        ("#MSq\ndelay nan\n", "x.mot:2, delay: the time is not finite; got 'nan'"),
        ("#MSq\nsetTime -1\n", "x.mot:2: the time is out of range; got -1; limit: 0..3600000 ms"),
        ("#MSq\ndelay 99999999\n", "x.mot:2: the time is out of range; got 100000000"),
        ("#MSq\nLFr:rotor\n", "x.mot:2: the output has no value; got 'LFr:rotor'"),
        ("#MSq\nLFr:rotor 1e999\n", "x.mot:2, LFr:rotor: the value is not finite; got '1e999'"),
        ("#MSq\nload gone.pos\n", "x.mot:2: the file to load is missing; got 'gone.pos'"),
        ("#MSq\nload ../x.pos\n", "x.mot:2: a file in the same folder is needed; got '../x.pos'"),
        ("#MSq\nload x.mot\n", "files load each other too deep; got 'x.mot'; limit: 4 levels"),
        ("#MSq\nLED:a 1\n#END\n", "the motion sequence has no key of a joint"),
    ],
)
def test_errors_of_sequences(tmp_path, text, message):
    (tmp_path / "x.mot").write_text(text)
    with pytest.raises(FormatError) as caught:
        read(tmp_path / "x.mot", "tekkotsu-mot")
    assert message in str(caught.value)


def test_files_that_load_many_files_are_refused(tmp_path):
    (tmp_path / "b.mot").write_text("#MSq\n" + "load c.pos\n" * 40 + "#END\n")
    (tmp_path / "c.pos").write_text("#POS\nLFr:rotor 0.5\n#END\n")
    (tmp_path / "x.mot").write_text("#MSq\n" + "load b.mot\n" * 40 + "#END\n")
    with pytest.raises(FormatError, match="too many files are loaded"):
        read(tmp_path / "x.mot")


@pytest.mark.parametrize(("text", "parse"), [(POS, parse_pos), (MOT, parse_mot)])
def test_cut_at_every_byte(text, parse):
    whole = text.index("#END") + 4
    for length in range(whole):
        report = ReadReport()
        try:
            parse(text[:length], "x", report)
        except FormatError as error:
            assert error.line is not None, error  # noqa: PT017 - both outcomes are right
        else:
            assert "#END is missing" in [warning.text for warning in report.warnings]


def test_one_pose_and_one_motion_per_file(tmp_path):
    keyframe = Keyframe(duration=1.0, joints={"LFJ1": 0.1})
    library = MotionLibrary(
        robot="ers7",
        motions={"a": Motion(blocks=("a",)), "b": Motion(blocks=("b",))},
        blocks={"a": Block(keyframes=(keyframe,)), "b": Block(keyframes=(keyframe, keyframe))},
    )
    with pytest.raises(FormatError, match="one Tekkotsu motion sequence file holds one motion; got 2"):
        write(library, tmp_path / "x.mot")
    assert [file.name for file in write(library, tmp_path / "all", "tekkotsu-mot")] == ["a.mot", "b.mot"]
    with pytest.raises(FormatError, match="a posture file holds one pose; got 2"):
        write(library, tmp_path / "poses", "tekkotsu-pos")
    with pytest.raises(FormatError, match="the format holds motions of one robot only; got 'nao'"):
        write(library.model_copy(update={"robot": "nao"}), tmp_path / "x.mot")


def test_more_commands_than_any_motion_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "#MSq\n# a comment is no command\n\ndelay 1\nNOD 0.5\n#END\n"
    monkeypatch.setattr("andante.formats.aibo.tekkotsu_mot.MAX_COMMANDS", 2)
    assert parse_mot(text).end == 2
    monkeypatch.setattr("andante.formats.aibo.tekkotsu_mot.MAX_COMMANDS", 1)
    with pytest.raises(FormatError, match=r"^5: there are too many commands; limit: 1"):
        parse_mot(text)


def test_more_outputs_than_any_robot_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("andante.formats.aibo.tekkotsu_mot.MAX_OUTPUTS", 2)
    text = "#MSq\nNOD 0.5\nwag 1\nNOD 0.6\nbend 1\n#END\n"
    assert set(parse_mot(text.replace("bend 1\n", "")).tracks) == {"NOD", "wag"}
    with pytest.raises(FormatError, match=r"^5: there are too many outputs; got 'bend'; limit: 2"):
        parse_mot(text)

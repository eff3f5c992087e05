"""Names that a team has added to the enumerations, and the empty entries that fill up a file."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andante.formats.bhuman.decode import EMPTY_BLOCK, EMPTY_MOTION, MARK
from andante.formats.bhuman.names import GROUPS, JOINTS, MOTIONS, blocks
from andante.formats.registry import FORMATS, convert, read, write
from andante.formats.report import FormatError, ReadReport
from andante.motions.keyframe import Block, Branch, Keyframe
from andante.motions.library import FollowUp, Motion, MotionLibrary

MARKED = f"{{ // {MARK}\n}}"


def keyframe(**changes) -> Keyframe:
    return Keyframe(duration=0.5, joints=dict.fromkeys(JOINTS, 45.0 * (math.pi / 180.0)), **changes)


def block(**changes) -> Block:
    return Block(base_stiffness=dict.fromkeys(GROUPS, 0.75), keyframes=(keyframe(**changes),))


OWN = MotionLibrary(
    robot="nao",
    dialect="bhuman-2024",
    motions={
        "kick_2": Motion(blocks=("swing", "sit"), follow_ups=(FollowUp(motion="kick_2"), FollowUp(motion="sit"))),
        "sit": Motion(blocks=("sit",)),
        "_bow": Motion(blocks=("swing",)),
    },
    blocks={
        "swing": block(branches=(Branch(block="swing"), Branch(block="sit", motion="_bow"))),
        "sit": block(),
    },
)


def told(report: ReadReport) -> list[str]:
    return [str(warning).split(":", 1)[1] for warning in report.warnings if "that the release" in warning.text]


def test_own_names_are_read_and_told(read_cfg):
    report = ReadReport()
    text = "motions = {\n  kick_2 = {keyframes = [swing, sit];};\n  _bow = {};\n};\nkeyframeBlock = {swing = {};};"
    library = read_cfg(text, report=report)
    assert list(library.motions) == ["kick_2", "_bow"]
    assert library.motions["kick_2"].blocks == ("swing", "sit")
    assert list(library.blocks) == ["swing"]
    assert told(report) == [
        "2:3: motions: 'kick_2' is a motion that the release does not have",
        "3:3: motions: '_bow' is a motion that the release does not have",
        "5:18: keyframeBlock: 'swing' is a block that the release does not have",
    ]


def test_a_likely_slip_is_named_unless_the_right_name_is_there_too(read_cfg):
    report = ReadReport()
    read_cfg("motions = {restartFrnt = {};};", report=report)
    assert told(report) == [
        "1:12: motions: 'restartFrnt' is a motion that the release does not have; did you mean 'restartFront'?"
    ]
    report = ReadReport()
    read_cfg(
        "keyframeBlock = {genuflectWide = {}; genuflectEnd = {}; genuflect = {}; genuflect2 = {};};", report=report
    )
    assert not told(report)[0].endswith("did you mean 'genuflect'?")


def test_references_know_the_file_s_own_names(read_cfg):
    text = """\
motions = {kick = {startAsNextPhaseMotion = [{startAsNextPhase = bow;}, {startAsNextPhase = front;}];}; bow = {};};
keyframeBlock = {swing = {keyframes = [{keyframeBranches = [{blockID = swing; motionID = [bow];}];}];};};
"""
    library = read_cfg(text)
    assert [follow.motion for follow in library.motions["kick"].follow_ups] == ["bow", "front"]
    (branch,) = library.blocks["swing"].keyframes[0].branches
    assert (branch.block, branch.motion) == ("swing", "bow")


@pytest.mark.parametrize(
    ("text", "start", "nearest", "legal"),
    [
        (
            "motions = {kick = {keyframes = [swing,\n  swnig];};};\nkeyframeBlock = {swing = {};};",
            "2:3, motions.kick.keyframes[1]: this is not a block; got 'swnig'",
            "swing",
            (*blocks("bhuman-2024"), "swing"),
        ),
        (
            "motions = {kick = {startAsNextPhaseMotion = [{startAsNextPhase = swing;}];};};\n"
            "keyframeBlock = {swing = {};};",
            "1:66, motions.kick.startAsNextPhaseMotion[0].startAsNextPhase: this is not a motion; got 'swing'",
            None,
            (*MOTIONS, "kick"),
        ),
        (
            "keyframeBlock = {sit = {keyframes = [{keyframeBranches = [{motionID = [kcik];}];}];};};\n"
            "motions = {kick = {};};",
            "1:72, keyframeBlock.sit.keyframes[0].keyframeBranches[0].motionID[0]: this is not a motion; got 'kcik'",
            "kick",
            (*MOTIONS, "kick"),
        ),
        (
            "keyframeBlock = {sit = {keyframes = [{keyframeBranches = [{blockID = wiat;}];}];};};",
            "1:70, keyframeBlock.sit.keyframes[0].keyframeBranches[0].blockID: this is not a block; got 'wiat'",
            "wait",
            blocks("bhuman-2024"),
        ),
    ],
)
def test_references_to_nothing_are_refused(read_cfg, tmp_path, text, start, nearest, legal):
    with pytest.raises(FormatError) as caught:
        read_cfg(text)
    assert str(caught.value).startswith(f"{tmp_path / 'motion.cfg'}:{start}; ")
    assert caught.value.legal == legal
    assert (f"did you mean {nearest!r}?" if nearest else "legal: front, back") in str(caught.value)


@pytest.mark.parametrize(
    "name", ["1st", '"my block"', "a-b", "a.b", '"größe"', '""', '"a\\n"'], ids=["1", "_", "-", ".", "ö", "none", "n"]
)
def test_entries_need_identifiers(read_cfg, name):
    with pytest.raises(
        FormatError, match=r"cfg:2:2, keyframeBlock: this cannot be the name of a block; got "
    ) as caught:
        read_cfg(f"keyframeBlock = {{\n {name} = {{}};}};")
    assert "limit: letters, digits and _, no digit first" in str(caught.value)


def test_names_without_end_are_refused(read_cfg):
    with pytest.raises(FormatError, match=r"the release does not have so many of these names; .*; limit: 1000 more"):
        read_cfg("motions = {" + "".join(f"m{number} = {{}};" for number in range(1001)) + "};")


def test_own_names_are_written_behind_the_release_s(tmp_path: Path):
    write(OWN, tmp_path / "out")
    report = ReadReport()
    back = read(tmp_path / "out", report=report)
    assert back.motions == OWN.motions
    assert back.blocks == OWN.blocks
    assert back == OWN
    assert (list(back.motions), list(back.blocks)) == (["sit", "kick_2", "_bow"], ["sit", "swing"])
    assert [warning.text for warning in report.warnings] == [
        f"{name!r} is {title} that the release does not have"
        for name, title in (("kick_2", "a motion"), ("_bow", "a motion"), ("swing", "a block"))
    ]
    losses = FORMATS["bhuman"].losses(OWN)
    assert [loss for loss in losses if "written empty" not in loss] == [
        "motions: bhuman-2024 has no such names; add them to the enumeration KeyframeMotionListID in the robot's code: "
        "kick_2, _bow",
        "blocks: bhuman-2024 has no such names; add them to the enumeration KeyframeMotionBlockID in the robot's code: "
        "swing",
    ]


def test_through_the_files_and_back_to_yaml(tmp_path: Path):
    write(OWN, tmp_path / "own.yaml")
    convert(tmp_path / "own.yaml", tmp_path / "cfg")
    convert(tmp_path / "cfg", tmp_path / "back.yaml")
    assert read(tmp_path / "back.yaml") == OWN


def test_names_of_another_release_are_written_as_own_ones(tmp_path: Path):
    library = OWN.model_copy(
        update={
            "motions": {"back": Motion(blocks=("recoverBackStaticArms",))},
            "blocks": {"recoverBackStaticArms": block()},
        }
    )
    codec = FORMATS["bhuman-2022"]
    assert any(loss.endswith("robot's code: recoverBackStaticArms") for loss in codec.losses(library))
    codec.write(library, tmp_path / "out")
    back = read(tmp_path / "out")
    assert (back.dialect, back.motions, back.blocks) == ("bhuman-2022", library.motions, library.blocks)


names = st.one_of(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True),
    st.sampled_from(MOTIONS),
    st.text(max_size=6),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(names, st.lists(st.integers(0, 9), max_size=3), max_size=5), st.lists(names, max_size=5))
def test_whatever_is_called_by_an_identifier_comes_back(tmp_path: Path, made: dict[str, list[int]], called: list[str]):
    parts = dict.fromkeys(called, block())
    listed = [*parts]
    library = MotionLibrary(
        robot="nao",
        dialect="bhuman-2024",
        motions={
            name: Motion(blocks=tuple(listed[at] for at in places if at < len(listed)), stable=True)
            for name, places in made.items()
        },
        blocks=parts,
    )
    losses = FORMATS["bhuman"].losses(library)
    write(library, tmp_path / "out")
    back = read(tmp_path / "out")

    def kept(name: str) -> bool:
        return name.isascii() and name.isidentifier()

    assert back.blocks == {name: part for name, part in parts.items() if kept(name)}
    assert back.motions == {
        name: motion.model_copy(update={"blocks": tuple(part for part in motion.blocks if kept(part))})
        for name, motion in library.motions.items()
        if kept(name)
    }
    for name in (*(name for name in made if not kept(name)), *(name for name in parts if not kept(name))):
        assert any(loss.endswith("it is left out") and f".{name}: " in loss for loss in losses)


def test_padding_is_marked_in_the_file_and_not_read(tmp_path: Path):
    engine, *_ = write(OWN, tmp_path / "out")
    text = engine.read_text()
    assert text.count(f"// {MARK}") == (len(MOTIONS) - 1) + (len(blocks("bhuman-2024")) - 1)
    assert f"  front = {{ // {MARK}\n    keyframes = [];" in text
    losses = FORMATS["bhuman"].losses(OWN)
    missing = ", ".join(name for name in MOTIONS if name != "sit")
    assert f"motions: the file must have all names; written empty: {missing}" in losses
    engine.write_text(text.replace(f" // {MARK}", ""))
    unmarked = read(tmp_path / "out")
    assert set(unmarked.motions) == {*MOTIONS, "kick_2", "_bow"}
    assert unmarked.motions["front"] == EMPTY_MOTION
    assert unmarked.blocks["wait"] == EMPTY_BLOCK


def test_padding_that_someone_has_used_or_filled_is_read(read_cfg):
    used = read_cfg(
        f"motions = {{front = {{keyframes = [wait]; startAsNextPhaseMotion = [{{startAsNextPhase = back;}}];}};"
        f"back = {MARKED}; sit = {MARKED};}};"
        f"keyframeBlock = {{wait = {MARKED}; sit = {MARKED}; stand = {MARKED}; recover = {MARKED};"
        "front = {keyframes = [{keyframeBranches = [{blockID = stand; motionID = [];}];}];};};"
    )
    assert set(used.motions) == {"front", "back"}
    assert used.motions["back"] == EMPTY_MOTION
    assert set(used.blocks) == {"wait", "stand", "front"}
    assert used.blocks["wait"] == EMPTY_BLOCK
    filled = read_cfg(
        f"motions = {{sit = {{ // {MARK}\n isMotionStable = true;}};}};"
        f"keyframeBlock = {{sit = {{ // {MARK}\n baseLimbStiffness = [0, 0, 0, 0, 1];}};}};"
    )
    assert filled.motions == {"sit": Motion(stable=True)}
    assert filled.blocks["sit"].base_stiffness["right_leg"] == 0.01
    assert filled.blocks["sit"].note == ""


def test_empty_entries_of_a_library_come_back(tmp_path: Path):
    library = OWN.model_copy(
        update={"motions": {"catchFront": Motion(), "mine": Motion()}, "blocks": {"standHigh": EMPTY_BLOCK}}
    )
    write(library, tmp_path / "out")
    assert read(tmp_path / "out") == library


def test_the_mark_as_a_note_of_the_library_s_own_is_told(tmp_path: Path):
    library = OWN.model_copy(update={"motions": {"sit": Motion(note=MARK)}, "blocks": {}})
    place = "motions.sit.note: the text marks entries that only fill up the file; it is left out"
    assert place in FORMATS["bhuman"].losses(library)
    write(library, tmp_path / "out")
    assert read(tmp_path / "out").motions == {"sit": Motion()}


def test_a_branch_to_a_motion_only_names_a_block_that_the_library_has(tmp_path: Path):
    branch = Branch(motion="bow")
    library = OWN.model_copy(update={"motions": {"bow": Motion()}, "blocks": {"swing": block(branches=(branch,))}})
    write(library, tmp_path / "out")
    back = read(tmp_path / "out")
    assert list(back.blocks) == ["swing"]
    assert back.blocks["swing"].keyframes[0].branches == (Branch(motion="bow", block="swing"),)

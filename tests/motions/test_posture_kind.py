"""Which posture a motion is of, by its name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.motions.keyframe import Block
from andante.motions.library import Motion, MotionLibrary
from andante.motions.posture_kind import MotionEnds, PostureKind, ends_of, ends_of_name, kind_of


@pytest.mark.parametrize(
    ("name", "start", "end", "declared"),
    [
        ("a_stand#sit_slow", "stand", "sit", True),
        ("h_any#any_nod", "any", "any", True),
        ("sitDown", "stand", "sit", False),
        ("sitDownKeeper", "stand", "sit", False),
        ("lie_down", "stand", "lie", False),
        ("standUpFront", None, "stand", False),
        ("stand_to_sit", "stand", "sit", False),
        ("a_sit_wave", "sit", "sit", False),
        ("sleepSigh", "sleep", "sleep", False),
        ("SIT", "sit", "sit", False),
        ("getUpFront", None, "stand", False),
        ("wakeUp", None, "stand", False),
        ("SIT2STAND", "sit", "stand", False),
        ("genuflectFromStand", "stand", None, False),
        ("sit_from_lie", "lie", "sit", False),
        ("LayDown", "stand", "lay", False),
        ("PLAY_DEAD", "dead", "dead", False),
        ("transit", None, None, False),
        ("standard", None, None, False),
        ("from", None, None, False),
        ("kick_a", None, None, False),
        ("situation", None, None, False),
        ("outstanding", None, None, False),
        ("", None, None, False),
    ],
)
def test_ends_by_name(name: str, start: str | None, end: str | None, declared: bool) -> None:
    assert ends_of_name(name) == MotionEnds(start, end, declared)


def test_what_carries_the_robot() -> None:
    assert [kind_of(name) for name in ("stand", "walk", "sit", "sleep", "any", None)] == [
        PostureKind.STAND,
        PostureKind.STAND,
        PostureKind.SIT,
        PostureKind.LIE,
        PostureKind.UNKNOWN,
        PostureKind.UNKNOWN,
    ]
    assert ends_of_name("a_stand#walk_go").upright
    assert ends_of_name("kick_a").upright
    assert not ends_of_name("a_sit#stand_up").upright
    assert not ends_of_name("sitDown").upright


def test_a_document_counts_before_the_name() -> None:
    def told(**motion: object) -> MotionEnds:
        motions = {"sit_wave": Motion.model_validate(motion), "other": Motion()}
        return ends_of(MotionLibrary(robot="nao", motions=motions), "sit_wave")

    assert told().kinds == ("sit", "sit")
    assert told(end_posture="stand").kinds == ("sit", "stand")
    assert told(start_posture="stand", end_posture="unknown").kinds == ("stand", "unknown")
    # What follows on a motion decides how a run ends.
    assert told(follow_ups=[{"motion": "other"}]).kinds == ("sit", "unknown")
    assert told(follow_ups=[{"motion": "other"}], end_posture="lie").kinds == ("sit", "lie")
    with pytest.raises(ValueError, match="'stand', 'sit', 'lie', 'down' or 'unknown'"):
        Motion.model_validate({"end_posture": "flying"})


@pytest.mark.slow
@given(st.text(max_size=60))
def test_any_name_is_read(name: str) -> None:
    assert set(ends_of_name(name).kinds) <= set(PostureKind)


def test_a_motion_that_goes_by_its_entrys_name_tells_by_its_own() -> None:
    inside = Motion(blocks=("m0012",), extras={"mtn": {"name": "a_sit#sit_wag"}})
    library = MotionLibrary(robot="ers7", motions={"m0012": inside}, blocks={"m0012": Block()})
    assert ends_of(library, "m0012") == MotionEnds("sit", "sit", declared=True)

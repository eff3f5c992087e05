"""What grows no faster than the library: reach, contradictions, hints, and what is told of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from andante.motions import reached as module
from andante.motions.checks.context import CheckSettings
from andante.motions.checks.contradictions import _impossible, _shown
from andante.motions.checks.run import check_library
from andante.motions.conditions import Condition, Variable
from andante.motions.keyframe import Block, Branch, JointScale, Keyframe
from andante.motions.library import FollowUp, Motion, MotionLibrary
from andante.motions.reached import reached, reaching
from andante.robots.robot import Robot

SETTINGS = CheckSettings(start="stand")
NAMES = ["a", "a.b", "a[0]", "b", "c"]


@st.composite
def libraries(draw: st.DrawFn) -> MotionLibrary:
    """Motions and blocks that lead to each other, and to some that are not there."""
    names = st.lists(st.sampled_from(NAMES), max_size=3)
    motions = {
        name: Motion(blocks=tuple(draw(names)), follow_ups=tuple(FollowUp(motion=other) for other in draw(names)))
        for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    }
    blocks = {
        name: Block(keyframes=(Keyframe(duration=0.1, branches=tuple(Branch(block=other) for other in draw(names))),))
        for name in draw(st.lists(st.sampled_from(NAMES), unique=True))
    }
    return MotionLibrary(robot="walker", motions=motions, blocks=blocks)


@given(libraries(), st.lists(st.tuples(st.sampled_from(["motions", "blocks", "settings"]), st.sampled_from(NAMES))))
def test_motions_that_reach_a_place_are_those_whose_reach_holds_it(library, at) -> None:
    places = [f"{section}.{name}{end}" for section, name in at for end in ("", ".keyframes[2]", "[1].x")]

    def holds(place: str, motion: str) -> bool:
        found = reached(library, [motion])
        section, _, rest = place.partition(".")
        within = {"motions": found.motions, "blocks": found.blocks}.get(section, frozenset())
        return any(rest == name or rest.startswith((f"{name}.", f"{name}[")) for name in within)

    expected = [motion for motion in library.motions if any(holds(place, motion) for place in places)]
    assert reaching(library, places) == expected


def test_reach_looks_at_each_motion_once(monkeypatch) -> None:
    count = 300
    ring = {f"m{i}": Motion(blocks=("b",), follow_ups=(FollowUp(motion=f"m{(i + 1) % count}"),)) for i in range(count)}
    library = MotionLibrary(robot="walker", motions=ring, blocks={"b": Block()})
    asked: list[object] = []
    leads = module.leads_to
    monkeypatch.setattr(module, "leads_to", lambda *given: asked.append(given[1]) or leads(*given))
    assert reaching(library, ["motions.m7.blocks[0]"]) == list(ring)
    assert len(asked) == count + 1


RANGES = st.builds(
    lambda low, size, negate, variable: Condition(variable=variable, min=low, max=low + size, negate=negate),
    st.integers(-3, 3),
    st.integers(-1, 2),
    st.booleans(),
    st.sampled_from([Variable.TORSO_PITCH, Variable.TORSO_ROLL]),
)


def contradict(one: Condition, other: Condition) -> bool:
    """Whether two ranges that end above their beginnings can never hold together, from the definition."""
    if one.variable is not other.variable or one.min > one.max or other.min > other.max:
        return False
    if one.negate != other.negate:
        return (one.min, one.max) == (other.min, other.max)
    return not one.negate and max(one.min, other.min) > min(one.max, other.max)


def told(robot: Robot, library: MotionLibrary, rule: str) -> list[tuple[str, str]]:
    found = check_library(library, robot, [rule], SETTINGS)
    return [(finding.place, finding.message) for finding in found]


@given(st.lists(RANGES, max_size=7))
def test_each_condition_that_contradicts_one_before_is_told_once(conditions) -> None:
    found = {finding.place: finding.message for finding in _impossible(conditions, "x")}
    expected = {
        f"x[{index}]": {
            f"{_shown(each)} and {_shown(other)} can never hold together"
            for other in conditions[:index]
            if contradict(each, other)
        }
        for index, each in enumerate(conditions)
    }
    assert set(found) == {place for place, messages in expected.items() if messages}
    assert all(message in expected[place] for place, message in found.items())
    assert len(list(_impossible(conditions, "x"))) == len(found)


def test_a_thousand_ranges_apart_are_as_many_findings(robot: Robot) -> None:
    apart = tuple(Condition(variable=Variable.TORSO_PITCH, min=2.0 * i, max=2.0 * i + 1.0) for i in range(1000))
    follow_ups = (FollowUp(motion="m", conditions=apart),)
    library = MotionLibrary(robot="walker", motions={"m": Motion(follow_ups=follow_ups)})
    found = [place for place, message in told(robot, library, "contradiction") if "never hold" in message]
    assert len(found) == 999


def test_a_joint_that_is_listed_often_is_told_in_a_line(robot: Robot) -> None:
    entries = tuple(JointScale(joint="hip", scale=1.0) for _ in range(500))
    block = Block(keyframes=(Keyframe(duration=0.1, balance_pitch=entries),))
    library = MotionLibrary(robot="walker", motions={"m": Motion(blocks=("b",))}, blocks={"b": block})
    ((_, message),) = told(robot, library, "duplicate")
    assert message == "hip is listed 500 times with factors 1 and 1 and 1 and 1 and 496 more; together they act as 500"


def test_names_are_compared_with_wrong_ones_until_that_takes_long(robot: Robot) -> None:
    blocks = {f"block{i}": Block() for i in range(400)}
    wrong = tuple(f"blok{i}" for i in range(400))
    library = MotionLibrary(robot="walker", motions={"m": Motion(blocks=wrong)}, blocks=blocks)
    found = [message for place, message in told(robot, library, "unknown-reference") if place.startswith("motions")]
    hinted = ["did you mean" in message for message in found]
    assert len(found) == 400
    # 60,000 names: 150 times the 400 that there are.
    assert hinted == [True] * 150 + [False] * 250
    few = library.but(blocks={"block1": Block()})
    found = [message for place, message in told(robot, few, "unknown-reference") if place.startswith("motions")]
    # Of one legal name as of 300.
    assert ["did you mean" in message for message in found] == [True] * 200 + [False] * 200

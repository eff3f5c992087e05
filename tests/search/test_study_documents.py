"""Studies as documents: paths, ranges, mirrors, seeds; what cannot be is named before anything is tried."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from andante.errors import AndanteError
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions
from andante.runs.scenario_files import motion_scenario
from andante.search.errors import SearchError
from andante.search.studies.document import ParameterRange, SeedRange, Study, StudySeeds
from andante.search.studies.files import load_study
from andante.search.studies.goals import completed
from andante.search.studies.problem import Problem
from andante.search.studies.result import given_told
from andante.search.studies.space import space_of

ROBOT = Robot.load("nao")
LIBRARY = load_motions("nao", ROBOT)
SCENARIO = motion_scenario("nao", "nao", ("wave",))
FRAME = "blocks.front_rise.keyframes[0]"
BASE = {
    "experiment": "getup",
    "library": "nao",
    "robot": "nao",
    "parameters": [{"path": "blocks.front_rise.keyframes[*].duration", "factor": [0.8, 1.25]}],
    "objectives": [{"metric": "rise.tail", "weight": 1.0}],
    "stages": [{"type": "sketch", "samples": 2}],
}


def space(**parameter):
    return space_of([ParameterRange.model_validate(parameter)], LIBRARY, SCENARIO, ROBOT)


def problem(**changes):
    return Problem(Study.model_validate(BASE | changes))


def at(library: MotionLibrary, block: str, keyframe: int):
    return library.blocks[block].keyframes[keyframe]


def test_a_factor_is_searched_on_a_scale_of_ratios():
    found = space(path=f"{FRAME}.duration", factor=(0.5, 2.0))
    before = at(LIBRARY, "front_rise", 0).duration
    (parameter,) = found.parameters
    assert parameter.start == pytest.approx(0.5)
    for coordinate, factor in ((0.0, 0.5), (0.25, 0.5**0.5), (0.5, 1.0), (1.0, 2.0)):
        after = at(found.motion(LIBRARY, [coordinate]), "front_rise", 0).duration
        assert after == pytest.approx(before * factor, abs=1e-6)


def test_a_star_stands_for_all_that_are_there():
    frames = LIBRARY.blocks["front_rise"].keyframes
    assert len(space(path="blocks.front_rise.keyframes[*].duration", factor=(0.5, 2.0)).parameters) == len(frames)
    rise = sum(len(LIBRARY.blocks[name].keyframes) for name in LIBRARY.blocks if name.startswith("front_"))
    assert len(space(path="blocks.front_*.keyframes[*].duration", factor=(0.5, 2.0)).parameters) == rise
    assert len(space(path="blocks.front_rise.keyframes[0,2].duration", factor=(0.5, 2.0)).parameters) == 2
    (one,) = space(path="blocks.front_rise.keyframes[*].duration", factor=(0.5, 2.0), together=True).parameters
    assert len(one.places) == len(frames)


def test_the_other_side_changes_with_a_joint_as_the_mirror_says():
    for left, right, sign in (("LKneePitch", "RKneePitch", 1.0), ("LAnkleRoll", "RAnkleRoll", -1.0)):
        before = at(LIBRARY, "stand", 0).joints
        found = space(path=f"blocks.stand.keyframes[0].joints.{left}", around=("-2deg", "2deg"), mirrored=True)
        after = at(found.motion(LIBRARY, [1.0]), "stand", 0).joints
        assert after[left] - before[left] == pytest.approx(math.radians(2.0), abs=2e-6)
        assert after[right] - before[right] == pytest.approx(sign * math.radians(2.0), abs=2e-6)
        untouched = set(before) - {left, right}
        assert {name: after[name] for name in untouched} == {name: before[name] for name in untouched}


def test_sides_that_differ_at_the_start_stay_so_there_whatever_kind_of_range_they_have():
    frame = at(LIBRARY, "stand", 0)
    uneven = frame.model_copy(update={"joints": {**frame.joints, "LAnkleRoll": 0.1, "RAnkleRoll": 0.02}})
    block = LIBRARY.blocks["stand"]
    block = block.model_copy(update={"keyframes": (uneven, *block.keyframes[1:])})
    library = LIBRARY.model_copy(update={"blocks": {**LIBRARY.blocks, "stand": block}})
    path = "blocks.stand.keyframes[0].joints.LAnkleRoll"
    for kind in ({"range": (0.0, 0.2)}, {"around": (-0.1, 0.1)}, {"factor": (0.5, 2.0)}):
        found = space_of([ParameterRange(path=path, mirrored=True, **kind)], library, SCENARIO, ROBOT)
        joints = at(found.motion(library, found.start), "stand", 0).joints
        assert (joints["LAnkleRoll"], joints["RAnkleRoll"]) == pytest.approx((0.1, 0.02), abs=1e-6)
    found = space_of([ParameterRange(path=path, mirrored=True, range=(0.0, 0.2))], library, SCENARIO, ROBOT)
    joints = at(found.motion(library, [1.0]), "stand", 0).joints
    assert (joints["LAnkleRoll"], joints["RAnkleRoll"]) == pytest.approx((0.2, -0.08), abs=1e-6)


def test_a_range_of_small_numbers_has_many_values_and_its_start_is_what_stands_there():
    (number,) = space(path="world.solver.tolerance", factor=(0.1, 10.0)).parameters
    start = SCENARIO.world.solver.tolerance
    assert number.values(number.start) == pytest.approx((start,), rel=1e-3)
    assert len({number.values(at) for at in np.linspace(0.0, 1.0, 50)}) == 50


def test_a_range_with_one_whole_number_only_changes_nothing_and_is_refused():
    with pytest.raises(SearchError, match="all of this range is one whole number"):
        space(path="settings.max_tries", around=(-0.4, 0.4))


def test_ranges_end_at_the_joints_limits():
    knee = ROBOT.index("LKneePitch")
    (parameter,) = space(path=f"{FRAME}.joints.LKneePitch", around=(-10.0, 10.0)).parameters
    assert parameter.ends == pytest.approx((ROBOT.lower[knee], ROBOT.upper[knee]), abs=1e-6)


def test_a_start_that_was_rounded_beyond_a_limit_begins_at_the_limit():
    path = "blocks.front_fold.keyframes[0].joints.RAnklePitch"
    upper = ROBOT.upper[ROBOT.index("RAnklePitch")]
    frame = at(LIBRARY, "front_fold", 0)
    block = LIBRARY.blocks["front_fold"]
    frames = (frame.model_copy(update={"joints": {**frame.joints, "RAnklePitch": upper + 5e-4}}), *block.keyframes[1:])
    rounded = LIBRARY.model_copy(
        update={"blocks": {**LIBRARY.blocks, "front_fold": block.model_copy(update={"keyframes": frames})}}
    )
    found = space_of([ParameterRange(path=path, around=(-0.1, 0.1))], rounded, SCENARIO, ROBOT)
    assert found.parameters[0].start == pytest.approx(1.0)
    made = at(found.motion(rounded, found.start), "front_fold", 0).joints["RAnklePitch"]
    assert made == pytest.approx(upper, abs=1e-6)


def test_numbers_of_the_scenario_are_parameters_too():
    found = space(path="world.contact_threshold", range=(0.5, 3.0))
    assert found.motion(LIBRARY, [1.0]) is not None
    assert found.changes([1.0]) == (("world.contact_threshold", 3.0),)


@pytest.mark.parametrize(
    ("parameter", "told"),
    [
        ({"path": "blocks.front_rize.keyframes[0].duration", "factor": (0.5, 2.0)}, "did you mean 'front_rise'"),
        ({"path": f"{FRAME}.durations", "factor": (0.5, 2.0)}, "did you mean 'duration'"),
        ({"path": f"{FRAME}.joints.LKneePich", "around": (-0.1, 0.1)}, "did you mean 'LKneePitch'"),
        ({"path": "blocks.front_rise.keyframes[99].duration", "factor": (0.5, 2.0)}, "fits nothing"),
        ({"path": "blocks.front_rise.interpolation", "range": (0.0, 1.0)}, "is no number"),
        ({"path": "wurld.friction", "range": (0.0, 1.0)}, "did you mean 'world'"),
        ({"path": f"{FRAME}.com_goal[1]", "factor": (0.5, 2.0)}, "a factor changes no 0"),
        ({"path": f"{FRAME}.duration", "range": (100.0, 200.0)}, "the start lies outside the range"),
        ({"path": f"{FRAME}.duration", "range": ("3deg", "4deg")}, "is no unit of this value"),
        ({"path": f"{FRAME}.duration", "range": (2.0, 1.0)}, "the lower end of a range stands first"),
        ({"path": "blocks.front_rise.keyframes[0,77].duration", "factor": (0.5, 2.0)}, "no such part; got '77'"),
        ({"path": "seed", "range": (0.0, 9.0)}, "each trial has its own, by the study's seeds"),
        ({"path": "success.max_tilt", "range": (0.1, 3.0)}, "cannot be searched: the judge would become milder"),
        ({"path": "suc*.max_tilt", "range": (0.1, 3.0)}, "cannot be searched: the judge would become milder"),
    ],
)
def test_a_path_or_range_that_cannot_be_is_named(parameter, told):
    with pytest.raises(AndanteError) as caught:
        space(**parameter)
    assert told in str(caught.value)


def test_two_parameters_do_not_change_one_number():
    both = [
        ParameterRange(path="blocks.stand.keyframes[0].joints.LKneePitch", around=(-0.1, 0.1), mirrored=True),
        ParameterRange(path="blocks.stand.keyframes[0].joints.RKneePitch", around=(-0.1, 0.1)),
    ]
    with pytest.raises(AndanteError, match="two parameters change the same number"):
        space_of(both, LIBRARY, SCENARIO, ROBOT)


def test_a_study_has_no_seeds_that_no_scenario_may_have():
    last = 2**32 - 1
    assert SeedRange(first=last - 1, count=2).all == (last - 1, last)
    with pytest.raises(ValidationError, match=f"the last seed would be {last + 1}, and is at most {last}"):
        SeedRange(first=last - 1, count=3)


def test_seeds_serve_once_only():
    with pytest.raises(ValidationError) as caught:
        StudySeeds(training=SeedRange(first=0, count=100), validation=SeedRange(first=99, count=1))
    assert "training (0 to 99) and of validation (99 to 99) overlap" in str(caught.value)
    assert "begin validation at 100 or later" in str(caught.value)
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        StudySeeds.model_validate({"verdict": {"first": 5, "count": 0}})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"objectives": []}, "a study has an objective"),
        ({"objectives": [{"metric": "rise.tale", "weight": 1.0}]}, "this observer tells no such metric"),
        ({"objectives": [{"metric": "hight", "weight": 1.0}]}, "no trial has such a metric"),
        ({"objectives": [{"metric": "motion.lenght", "weight": 1.0}]}, "a motion has no such figure"),
        ({"constraints": [{"metric": "motion.speed", "at_most": 1e-3}]}, "the start already breaks a constraint"),
        ({"constraints": [{"metric": "motion.speed", "at_most": 1e-3}]}, "limit: at most 0.001"),
        ({"objectives": [{"metric": "rise.tail", "weight": 0.0}]}, "no objective has a weight"),
        ({"objectives": [{"metric": "walk.planning", "weight": 1.0}]}, "objectives[0].metric: what the computer's"),
        ({"objectives": [{"metric": "quadruped.timings.solve", "weight": 1.0}]}, "objectives[0].metric: what the"),
        ({"objectives": [{"metric": "real_time_factor", "weight": 1.0}]}, "objectives[0].metric: what the computer's"),
        (
            {"constraints": [{"metric": "late_p99", "at_most": 1e-3}]},
            "constraints[0].metric: what the computer's clock",
        ),
        (
            {"objectives": [{"metric": "fall_reason", "weight": 1.0}]},
            "is no number; got 'fall_reason'; limit: it is text",
        ),
        ({"objectives": [{"metric": "travel", "weight": 1.0}]}, "name a part of it, as travel[0]"),
        ({"experiment": None, "motion": "wavee"}, "the library has no such motion; got 'wavee'; did you mean 'wave'?"),
        ({"parameters": []}, "a study changes something"),
        ({"stages": []}, "stages: a study searches in stages; got 'none'; such as {type: polish}"),
        (
            {"stages": [{"type": "polish", "seeds": 2000}]},
            "stages[0].seeds: more training seeds for a candidate than there are; got 2000; limit: 1000",
        ),
        ({"parameters": [{"path": "timeout", "range": [5, 60]}]}, "how long a run may last cannot be searched"),
        ({"parameters": [{"path": "settle", "range": [0, 600]}]}, "how long a run may last cannot be searched"),
        ({"parameters": [{"path": "world.timestep", "range": [0.001, 0.003]}]}, "the physics step cannot be searched"),
        ({"parameters": [{"path": "recording.video_fps", "range": [5, 20]}]}, "so that it changes nothing"),
        ({"parameters": [{"path": "world.servo_strength", "range": [0.5, 3]}]}, "each seed draws this number"),
        (
            {"parameters": [{"path": "limits.torque", "range": [1, 3]}]},
            "is not given at the start; got 'limits'; give it a value at the start, with set",
        ),
        (
            {"parameters": [{"path": "world.friction", "range": [0.1, 2]}]},
            "parameters[0] world.friction: is no number, it has parts",
        ),
        (
            {"parameters": [{"path": "world.friction[0]", "range": ["1mm", "2mm"]}]},
            "parameters[0] world.friction[0]: this value has no unit; got '1mm'; give a plain number, as 1",
        ),
        ({"experiment": None}, "a study tries something"),
        ({"options": {"spred": "noisy"}}, "no such option; got 'spred'; did you mean 'spread'"),
        ({"scenario": "nao-kick"}, "give an experiment or a scenario"),
        (
            {"parameters": [{"path": "blocks.front_rise.keyframes[0].duration", "range": (-1.0, 1.0)}]},
            "at the end of a parameter's range is not legal",
        ),
    ],
)
def test_what_a_study_lacks_is_named_before_the_first_trial(changes, told):
    with pytest.raises(AndanteError) as caught:
        problem(**changes)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "what", [{"scenario": "nao-kick", "motion": "kick_right"}, {"motion": "kick_right"}, {"experiment": "kick"}]
)
def test_a_scenario_or_a_motion_is_tried_without_an_experiment(what):
    path = "blocks.kick_right.keyframes[*].duration"
    found = problem(
        **{"experiment": None, **what},
        parameters=[{"path": path, "factor": [0.9, 1.1]}],
        objectives=[{"metric": "done_at", "weight": -1.0}],
    )
    assert found.scenario.controller.motions == ("kick_right",)
    assert set(found.library.blocks) == {"kick_right"}
    assert found.setup.judged


def test_a_start_beyond_a_joints_limit_is_refused(tmp_path):
    text = load_motions("nao").model_copy(deep=True)
    frames = list(text.blocks["front_rise"].keyframes)
    frames[1] = frames[1].but(joints={**frames[1].joints, "LKneePitch": 3.2})
    bad = text.but(blocks={**text.blocks, "front_rise": text.blocks["front_rise"].but(keyframes=tuple(frames))})
    from andante.documents.writer import save_document

    save_document(bad, tmp_path / "bad.yaml")
    with pytest.raises(AndanteError) as caught:
        problem(library=str(tmp_path / "bad.yaml"))
    assert "the start already breaks a joint's limit" in str(caught.value)
    assert "front_rise.keyframes[1].joints.LKneePitch" in str(caught.value)


@pytest.mark.slow
def test_a_get_up_is_drawn_from_the_robots_own_limbs(tmp_path):
    study = completed(load_study("getup", robot="nao"), tmp_path)
    found = Problem(study)
    lower, upper = ROBOT.lower, ROBOT.upper
    for block in found.library.blocks.values():
        for frame in block.keyframes:
            rows = [ROBOT.index(name) for name in frame.joints]
            angles = np.array(list(frame.joints.values()))
            assert (angles >= lower[rows] - 1e-5).all()
            assert (angles <= upper[rows] + 1e-5).all()
    assert found.space.parameters
    assert study.goal is None
    assert (tmp_path / "start.yaml").is_file()


@pytest.mark.parametrize(
    ("robot", "goal", "told"),
    [
        ("littledog", "get-up front", "needs two legs with three joints that pitch"),
        ("nao", "get-up upside-down", "no get-up is known from this side"),
        ("nao", "fly", "there is no such goal"),
        (None, "get-up front", "a get-up is for a robot"),
    ],
)
def test_a_goal_that_a_robot_cannot_reach_is_named(robot, goal, told, tmp_path):
    with pytest.raises(AndanteError) as caught:
        completed(Study(goal=goal, robot=robot), tmp_path)
    assert told in str(caught.value)


def test_a_success_that_no_trial_could_be_is_named_at_the_first_trial():
    asked = problem(success={"metric": "rise.time"}, set={"timeout": 0.1})
    with pytest.raises(
        AndanteError, match=r"metric is a number, and is asked to be true or false.*is: \{at_least: 1\}"
    ):
        asked.evaluate(asked.space.start.tolist(), [1], asked.training)


def test_a_world_that_is_searched_is_told():
    parameters = [{"path": "world.masses", "range": [0.5, 1.0]}, {"path": "controller.pause_time", "range": [0.1, 0.9]}]
    found = problem(parameters=parameters)
    assert found.space.given == ("world.masses",)
    assert "world.masses: of the world, the robot or the guard" in given_told(found.space.given)


def test_constraints_that_together_nothing_keeps_are_refused():
    both = [{"metric": "rise.time", "at_least": 5.0}, {"metric": "rise.time", "at_most": 1.0}]
    with pytest.raises(
        ValidationError, match=r"no rise\.time is at least 5 and at most 1, as constraints ask together"
    ):
        Study.model_validate(BASE | {"constraints": both})


def test_bounds_that_nothing_keeps_are_refused():
    with pytest.raises(ValidationError, match="nothing is at least 2 and at most 1"):
        Study.model_validate(BASE | {"constraints": [{"metric": "rise.time", "at_least": 2.0, "at_most": 1.0}]})


def test_a_constraint_that_is_no_number_is_named_as_an_objective_is():
    asked = problem(constraints=[{"metric": "rise.blow", "at_most": 5.0}])
    told = {"rise.tail": 0.3, "rise.blow": 2.0}
    assert asked._value(told, [0.5], 7) == pytest.approx(0.3)
    with pytest.raises(AndanteError, match=r"a constraint's metric is no finite number; got 'nan'|rise.blow, seed 7"):
        asked._value(told | {"rise.blow": math.nan}, [0.5], 7)


def test_a_screen_that_does_not_divide_the_tick_is_named_before_the_first_trial():
    with pytest.raises(AndanteError, match=r"screen: .*tick of 0.012 s.*got 0.005.*such as 0.006"):
        problem(screen=0.005)


def test_a_constraint_that_a_trial_does_not_tell_is_named_and_does_not_hold_in_silence():
    with pytest.raises(AndanteError, match=r"rise.blow, seed 7.*got 'None'.*missing"):
        problem(constraints=[{"metric": "rise.blow", "at_most": 5.0}])._value(
            {"rise.tail": 0.3, "rise.blow": None}, [0.5], 7
        )
    given = problem(constraints=[{"metric": "rise.blow", "at_most": 5.0, "missing": 10.0}])
    assert given._value({"rise.tail": 0.3, "rise.blow": None}, [0.5], 7) == pytest.approx(0.3 - 1.0)


def test_what_the_clock_measures_is_refused_wherever_it_counts():
    with pytest.raises(AndanteError, match=r"success.metric: what the computer's clock measures"):
        problem(success={"metric": "real_time_factor", "is": {"at_least": 1.0}})
    diverse = {"type": "diversity", "generations": 1, "measures": [["drift", 0.0, 1.0]]}
    with pytest.raises(AndanteError, match=r"stages\[0\].measures: what the computer's clock measures"):
        problem(stages=[diverse])


def test_a_study_with_a_name_keeps_its_folder_and_a_goal_alone_is_named_by_its_robot(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from andante.cli import optimise
    from andante.cli.app import app

    folders = []

    def run(_study, folder, *_others, **_more):
        folders.append(folder.as_posix())
        raise SearchError("enough")

    monkeypatch.setattr(optimise, "_run", run)
    monkeypatch.chdir(tmp_path)
    head = "format: andante.study\nversion: 1\n"
    Path("named.yaml").write_text(head + "name: mine\nrobot: nao\ngoal: get-up back\n")
    Path("other.yaml").write_text(head + "goal: get-up front\n")
    for asked in (["named.yaml"], ["named.yaml", "--side", "left"], ["other.yaml", "--robot", "t1/robot.xml"]):
        assert CliRunner().invoke(app, ["optimise", *asked]).exit_code == 2
    assert folders == ["studies/mine", "studies/mine", "studies/robot-get-up-front"]


def test_whole_numbers_stay_whole():
    found = space(path="settings.max_tries", range=(1, 8))
    for coordinate, value in ((0.0, 1), (0.5, 4), (0.99, 8)):
        (number,) = found.parameters
        assert number.values(coordinate) == (value,)
        tries = found.motion(LIBRARY, [coordinate]).settings.max_tries
        assert (tries, type(tries)) == (value, int)


def test_a_scenarios_number_that_may_not_be_so_at_an_end_is_told():
    for path, ends, limit in (
        ("world.solver.impratio", [-5, 20], "above 0"),
        ("world.solver.iterations", [0, 200], "at least 1"),
    ):
        with pytest.raises(SearchError, match=rf"{path}: a value at the end of a parameter's range .*limit: {limit}"):
            problem(parameters=[{"path": path, "range": ends}])


@pytest.mark.slow
def test_weights_that_add_up_to_no_number_are_told_at_the_first_trial():
    asked = problem(objectives=[{"metric": "motion.duration", "weight": 1e308}])
    with pytest.raises(SearchError, match=r"add up to more than can be compared.*smaller weights"):
        asked.evaluate(asked.space.start.tolist(), [0], asked.training)


def test_measures_of_diversity_have_their_lowest_first():
    stage = {"type": "diversity", "measures": [["rise.best", 1.0, 0.0]]}
    with pytest.raises(ValidationError, match=r"lowest value of a measure stands first, got rise\.best"):
        Study.model_validate(BASE | {"stages": [stage]})

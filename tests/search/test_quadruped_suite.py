"""The suite `quadruped`: its tables, its rows by hand, and short runs of the shipped robot."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import pytest

from andante.errors import AndanteError
from andante.runs.tasks.quadruped.metrics import QuadrupedMetrics
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.search.executor import InProcess
from andante.search.experiment.cases import groups_of
from andante.search.experiment.suite import columns_of, report_of, rows_of
from andante.search.experiment.trial import TrialResult, TrialSetup, run_trial
from andante.search.observers.growth import GrowthObserver
from andante.search.observers.quadruped import recovered
from andante.search.suites.quadruped import EXPERIMENT, SUITE, QuadrupedOptions, asked

TABLES = EXPERIMENT.tables


def ran(
    seed=0,
    cause="",
    mean=1.0,
    height_off=0.0,
    pitch_off=0.0,
    calf=0.0,
    thigh=0.0,
    end_speed=0.0,
    pushed=None,
    across=None,
    timings=None,
    **others,
):
    """A run that was asked for 1 m/s, as its observers tell it."""
    metrics = QuadrupedMetrics(
        upright=not cause,
        cause=cause,
        time=10.0,
        asked=(1.0, 0.0, 0.0),
        mean=(mean, 0.0, 0.0),
        rms=(0.02, 0.0, 0.0),
        height=0.28,
        drift=0.5,
        way=10.0,
        roll=0.1,
        pitch=0.05,
        mean_pitch=-0.2,
        end_speed=end_speed,
        end_tilt=0.05,
        touches={"calf": calf, "thigh": thigh, "trunk": 0.0},
        itself=0.0,
        lowest=-0.001,
        airtime=0.02,
        peak_force=200.0,
        torque_full=0.0,
        speed_full=0.0,
        peak_speed=0.5,
        estimate_rms=0.01,
        estimate_drift=0.05,
        estimate_share=0.005,
        guard=3,
        unsolved=0,
        unsafe=0,
    )
    along = {"mean": mean, "error": mean - 1.0, "share": abs(mean - 1.0), "rms": 0.02}
    more = {"recovered": recovered(metrics), "height_off": height_off, "pitch_off": pitch_off, "axis": "forward"}
    more |= {"along": along, "pushed": pushed, "across": across, "body": thigh, "excess": 0.0, "timings": timings}
    return TrialResult(seed, not cause, (cause,) if cause else (), {"quadruped": asdict(metrics) | more, **others})


def rows(results, table, condition=None, **options):
    """Rows of one condition of a table by name."""
    (part,) = asked(QuadrupedOptions(table=table, **options))
    groups = groups_of(part)
    group = next(each for each in groups if condition in (None, each.title))
    found = rows_of(part, [group], {group.name: results})
    return {row.name.removeprefix(f"{group.title}: "): row for row in found}


def test_speed_and_height_of_other_robots_are_judged_by_the_worst_run():
    runs = [ran(mean=1.02, height_off=0.005), ran(1, mean=0.96, height_off=-0.014)]
    found = rows(runs, "robots")
    assert found["forward, largest error of the mean over what is asked"].value == pytest.approx(0.04)
    assert found["height off standing, largest"].value == pytest.approx(0.014)
    assert not found["forward, largest error of the mean over what is asked"].ok
    assert not found["height off standing, largest"].ok
    assert rows(runs[:1], "robots")["height off standing, largest"].ok
    # Of runs that fell, speed and height say nothing.
    fell = ran(2, cause="1.00 s: fell", height_off=0.1)
    assert rows([runs[0], fell], "robots")["height off standing, largest"].ok


def test_rows_by_hand():
    runs = [ran(mean=1.04), ran(1, mean=0.93), ran(2, cause="2.00 s: fell", mean=0.1)]
    found = rows(runs, "speed", "forward 1.0 m/s")
    assert found["stays upright"].value == pytest.approx(2 / 3)
    assert found["stays upright"].ok is False
    # Of those that stayed upright; the worst is 0.07 short.
    error = found["forward, largest error of the mean"]
    assert (error.value, error.ok, error.n) == (pytest.approx(0.07), False, 2)
    assert found["forward, largest rms error"].ok
    # Nobody asks for the height here, and nothing is said of other components of the twist.
    assert not any("height" in name or "turn" in name for name in found)
    # What nobody passes is no bar.
    assert rows(runs, "speed", "forward 2.5 m/s")["stays upright"].ok is None


def test_crossing_touching_and_recovering():
    found = rows([ran(calf=0.2, across=True), ran(1, across=False)], "gap", "gap-20")
    assert (found["comes across"].value, found["comes across"].ok) == (0.5, False)
    assert found["runs in which thigh or trunk touches"].ok is True
    assert found["runs in which a calf touches"].ok is None
    assert rows([ran(calf=0.2, across=True)], "step", "step-10")["runs in which a calf touches"].ok is False
    pushed = [ran(pushed=1.5), ran(1, pushed=1.5, end_speed=0.3)]
    assert rows(pushed, "push", phases=1)["recovers"].value == 0.5
    assert "recovers" not in rows([ran()], "speed")


def test_pitch_is_against_the_slope():
    off = rows([ran(pitch_off=-0.2 + math.atan(0.2))], "slope")["mean pitch off the slope, largest"]
    assert off.value == pytest.approx(0.2 - math.atan(0.2), abs=1e-6)
    assert off.ok is True


def test_times_by_the_clock():
    fast = {"solve": 0.0005, "solve_high": 0.0015, "plan": 0.0008, "plan_high": 0.001, "plans": 100}
    slow = {"solve": 0.0009, "solve_high": 0.0030, "plan": 0.0008, "plan_high": 0.002, "plans": 100}
    found = rows([ran(timings=fast), ran(1, timings=slow)], "strength")
    assert found["solve, median, wall"].value == pytest.approx(0.7)
    assert found["plan, 95 %, processor, largest"].value == pytest.approx(2.0)
    assert found["plans"].value == 200.0
    assert "plans" not in rows([ran()], "strength")


@pytest.mark.slow
def test_solvers_are_compared_with_the_online_one():
    def told(median, high, over, cost, unsolved=0.0):
        return {"median": median, "high": high, "over_online": over, "cost": cost, "unsolved": unsolved}

    solvers = {
        "online": told(0.0004, 0.0025, 1.0, 1.01),
        "daqp": told(0.0004, 0.0025, 1.0, math.nan),
        "fatrop": told(0.002, 0.003, 5.0, 1.0, 1.0),
        "ipopt": told(0.0039, 0.05, 9.75, 1.0),
    }
    found = rows([ran(solvers=solvers)], "solver")
    assert (found["online, median, processor"].value, found["online, median, processor"].ok) == (0.4, True)
    assert found["online, 95 %, processor"].ok is False
    assert (found["fatrop over online"].value, found["fatrop over online"].ok) == (pytest.approx(5.0), True)
    assert (found["ipopt over online"].value, found["ipopt over online"].ok) == (pytest.approx(9.75), False)
    assert found["fatrop, without a solution"].value == 1.0
    assert "daqp, cost over the converged" not in found


@pytest.mark.slow
def test_problems_of_a_run_are_solved_again():
    task = QuadrupedTask("spirit40", (0.4, 0.0, 0.0), seconds=1.0)
    found = run_trial(TrialSetup(task, observers={"solvers": {}}, judged=False), 0).metrics["solvers"]
    assert list(found) == ["online", "daqp", "fatrop", "ipopt"]
    assert all(each["unsolved"] == 0 for each in found.values())
    # Both solve the same quadratic program.
    assert found["daqp"]["cost"] == pytest.approx(found["online"]["cost"], rel=1e-4)
    # One step of sequential quadratic programming from a good guess is near the optimum.
    assert found["online"]["cost"] == pytest.approx(1.0, abs=0.1)


def test_tables():
    assert {"speed", "push", "slope", "friction", "payload", "strength", "gaits", "robots", "rate"} <= set(TABLES)
    cases = SUITE.cases(QuadrupedOptions(table="push", phases=2, seeds=2))
    # Standing and walking, two impulses, four sides, two phases, two seeds.
    assert len(cases) == 2 * 2 * 4 * 2 * 2
    assert len({case.key for case in cases}) == len(cases)
    assert {case.group.partition(",")[0] for case in cases} == {
        f"push {impulse} N s {how}" for impulse in (35, 45) for how in ("standing", "at 0.5 m/s")
    }
    pushes = [case.setup.scenario(case.seed)[0].world.pushes[0] for case in cases if case.seed == 0][:8]
    # The seed shifts all pushes by the same part of a phase of 0.18 s.
    late = pushes[0].time - 1.5
    assert 0.0 <= late < 0.18
    assert [push.time for push in pushes] == pytest.approx([1.5 + late] * 4 + [1.68 + late] * 4)
    assert {push.impulse for push in pushes} == {(35, 0, 0), (-35, 0, 0), (0, 35, 0), (0, -35, 0)}


def test_pushes_of_all_phases_count_together():
    (part,) = asked(QuadrupedOptions(table="push", phases=1, seeds=1))
    groups = groups_of(part)
    results = {group.name: [ran(pushed=1.5, end_speed=0.3 if "left" in group.name else 0.0)] for group in groups}
    found = {row.name: row for row in rows_of(part, groups, results)}
    assert (found["push 35 N s standing: recovers"].value, found["push 35 N s standing: recovers"].n) == (0.75, 4)
    lines = columns_of(part, groups, results)
    assert [line.split("  ")[0] for line in lines[3:]] == [
        f"push {impulse} N s {how}" for how in ("standing", "at 0.5 m/s") for impulse in (35, 45)
    ]
    assert "4/4" in lines[3]


@pytest.mark.parametrize("name", TABLES)
def test_every_table_makes_scenarios(name):
    own = {"push": {"phases": 1}, "robots": {"robots": "spirit40"}}.get(name, {})
    cases = SUITE.cases(QuadrupedOptions(table=name, seeds=2, **own))
    assert {case.seed for case in cases} == {0, 1}
    for case in cases:
        scenario, _ = case.setup.scenario(case.seed)
        assert (scenario.seed, scenario.controller.type) == (case.seed, "quadruped")


def test_what_the_conditions_change():
    def one(table, number=0):
        case = SUITE.cases(QuadrupedOptions(table=table, seeds=1))[number]
        return case.setup.scenario(case.seed)[0]

    assert one("slope", 1).world.slope == pytest.approx(math.atan(0.4))
    assert (one("friction").world.friction, one("friction").controller.local.nmpc.friction) == (0.3, 0.6)
    assert one("payload", 1).world.payload.mass == 5.0
    assert one("strength").world.servo_strength == 0.7
    blind = one("blind")
    assert (blind.controller.blind, blind.world.terrain.parameters) == (True, {"height": 0.05})
    assert one("gap", 2).controller.goal == (5.0, 0.0)
    assert one("gap", 2).world.terrain.board == "gap-40"
    assert [one("latency", k).controller.local.latency for k in range(4)] == pytest.approx([0.0, 0.01, 0.02, 0.03])
    assert len(one("solver").world.pushes) == 9
    steering = one("estimator").controller.steering
    assert [change.time for change in steering] == pytest.approx([0.5, 5.0, 11.0, 17.0, 23.0, 27.5, 30.5])
    assert [change.turn for change in steering] == [0.0, 0.6, -0.5, 0.5, -0.8, 0.0, 0.0]
    # A robot that stands is watched until the time of its twist is over.
    assert one("speed", 6).settle == 10.5


def test_tables_and_robots_that_are_none():
    with pytest.raises(AndanteError, match="there is no such table"):
        SUITE.cases(QuadrupedOptions(table="speeds"))
    with pytest.raises(AndanteError, match="named twice"):
        SUITE.cases(QuadrupedOptions(table="speed,speed"))
    lines = SUITE.listing(QuadrupedOptions(table="list"))
    assert len(lines) == len(TABLES)
    assert lines[0].startswith("speed ")
    assert lines[0].endswith("; 10 seeds")


def test_speeds_by_leg_length():
    (case,) = SUITE.cases(QuadrupedOptions(table="robots", seeds=1))
    scenario, _ = case.setup.scenario(0)
    length = 0.428  # Two links of 20.6 cm and a toe of 1.6 cm in the pack; Go2's leg has 0.448 m.
    factor = scenario.controller.steering[0].forward / 0.5
    assert factor == pytest.approx(math.sqrt(length / 0.448), rel=0.03)


@pytest.mark.slow
def test_a_short_walk_is_the_same_twice_and_through_json():
    options = QuadrupedOptions(table="strength", seconds=1.2, seeds=1)
    first = SUITE.run(options, InProcess()).data()
    second = SUITE.run(options, InProcess()).data()
    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    assert first["cells"][0]["label"] == "motors at 0.7"
    run = first["cells"][0]["trials"][0]["metrics"]["quadruped"]
    assert run["upright"] is True
    assert run["way"] > 0.5
    assert run["estimate_rms"] < 0.1
    assert run["timings"] is None


def walked(task, seed=0, **settings):
    return run_trial(TrialSetup(task, observers={"quadruped": settings}, judged=False), seed)


@pytest.mark.slow
def test_a_robot_that_stands_is_watched_for_all_the_time_and_pushed():
    task = QuadrupedTask("spirit40", (0.0, 0.0, 0.0), seconds=1.2, push=(0.8, 0.0, 10.0, 0.0))
    metrics = walked(task, far=5.0).metrics["quadruped"]
    assert metrics["time"] >= 1.7
    # 10 N s on some 12 kg move it.
    assert metrics["upright"]
    assert metrics["drift"] > 0.02
    assert metrics["pushed"] == 0.8
    assert metrics["across"] is False


@pytest.mark.slow
def test_a_robot_that_is_thrown_over_has_a_cause():
    task = QuadrupedTask("spirit40", (0.0, 0.0, 0.0), seconds=1.0, push=(0.7, 0.0, 120.0, 0.0))
    result = walked(task, 1)
    metrics = result.metrics["quadruped"]
    assert not metrics["upright"]
    assert not metrics["recovered"]
    assert " s: " in metrics["cause"]
    assert metrics["roll"] > 0.8
    assert result.reasons == (metrics["cause"],)
    (part,) = asked(QuadrupedOptions(table="strength"))
    (failure,) = report_of([part], QuadrupedOptions(table="strength"), {"motors at 0.7": [result]}).about["failures"]
    assert failure == {"seed": 1, "reasons": [f"motors at 0.7: {metrics['cause']}"]}


class Passing:
    """A run of ten seconds that keeps 64 kB in 20 objects per tick of 10 ms."""

    def __init__(self, leaks):
        self.time, self._leaks, self._kept = 0.0, leaks, []

    def growth(self):
        observer = GrowthObserver()
        observer.begin(self)
        while self.time < 10.0:
            self.time += 0.01
            if self._leaks:
                self._kept.append([bytearray(64 * 1024), *([number] for number in range(19))])
            observer.over(self)
        return observer.values()


@pytest.mark.slow
def test_growth_of_a_session_that_leaks():
    leak = Passing(True).growth()
    # 6000 ticks a minute of 20 lists, of which the collector knows all; of what the process holds, freed memory that is
    # used again hides a part.
    assert leak["objects"] == pytest.approx(6000 * 20, rel=0.05)
    assert abs(Passing(False).growth()["objects"]) < 600


@pytest.mark.slow
def test_growth_is_measured_where_it_is_asked():
    (part,) = asked(QuadrupedOptions(table="rate", minutes=0.02))
    (group,) = groups_of(part)
    assert set(group.setup.observers) == {"growth"}
    result = run_trial(group.setup, 0)
    assert result.metrics["growth"]["seconds"] > 1.5
    assert result.metrics["growth"]["speed"] > 0.05
    assert [row.unit for row in rows_of(part, [group], {group.name: [result]})] == ["", "kB/min", "1/min"]


@pytest.mark.parametrize(("name", "value"), [("robots", "go1.xml"), ("phases", 3), ("minutes", 2.0)])
def test_what_is_for_another_table_is_refused(name: str, value: object) -> None:
    with pytest.raises(AndanteError, match=f"^--{name}: means nothing to the tables speed,gap"):
        SUITE.cases(SUITE.options(robot="spirit40", table="speed,gap", **{name: value}))

"""The suite `quadruped`: its tables, its rows by hand, and short runs of the shipped robot."""

from __future__ import annotations

import json
import math

import pytest

from andante.errors import AndanteError
from andante.runs.tasks.quadruped.metrics import QuadrupedMetrics
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.search.executor import InProcess
from andante.search.suites.quadruped import SUITE, QuadrupedOptions, condition_rows, failures
from andante.search.suites.quadruped_costs import SolverFigures, growth_of
from andante.search.suites.quadruped_tables import TABLES, ConditionBars, Touching
from andante.search.suites.quadruped_trial import QuadrupedResult, QuadrupedSetup, Timings, run_quadruped

SHORT = QuadrupedTask("spirit40", (0.4, 0.0, 0.0), seconds=1.2)


def ran(
    seed=0, cause="", mean=1.0, x=5.0, height=0.28, calf=0.0, thigh=0.0, end_speed=0.0, push=None, slope=0.0, **more
):
    metrics = QuadrupedMetrics(
        upright=not cause,
        cause=cause,
        time=10.0,
        asked=(1.0, 0.0, 0.0),
        mean=(mean, 0.0, 0.0),
        rms=(0.02, 0.0, 0.0),
        height=height,
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
    return QuadrupedResult("run", seed, metrics, (x, 0.0, 0.3), push=push, slope=slope, **more)


def rows(results, asked, far=None):
    return {row.name.removeprefix("a: "): row for row in condition_rows("a", results, asked, far)}


def test_speed_and_height_of_other_robots_are_judged_by_the_worst_run():
    asked = ConditionBars(share=0.03, height=0.01)
    runs = [ran(mean=1.02, height=0.285, standing=0.28), ran(1, mean=0.96, height=0.266, standing=0.28)]
    found = rows(runs, asked)
    assert found["forward, largest error of the mean over what is asked"].value == pytest.approx(0.04)
    assert found["height off standing, largest"].value == pytest.approx(0.014)
    assert not found["forward, largest error of the mean over what is asked"].ok
    assert not found["height off standing, largest"].ok
    assert rows(runs[:1], asked)["height off standing, largest"].ok
    # Of runs that fell, speed and height say nothing.
    assert rows([runs[0], ran(2, cause="1.00 s: fell", height=0.1, standing=0.28)], asked)[
        "height off standing, largest"
    ].ok


def test_rows_by_hand():
    found = rows([ran(mean=1.04), ran(1, mean=0.93), ran(2, cause="2.00 s: fell", mean=0.1)], ConditionBars(mean=0.05))
    assert found["stays upright"].value == pytest.approx(2 / 3)
    assert found["stays upright"].ok is False
    # Of those that stayed upright; the worst is 0.07 short.
    error = found["forward, largest error of the mean"]
    assert (error.value, error.ok, error.n) == (pytest.approx(0.07), False, 2)
    assert found["forward, largest rms error"].ok is None


def test_crossing_touching_and_recovering():
    asked = ConditionBars(crossed=1.0, clean=Touching.BODY)
    found = rows([ran(x=5.0, calf=0.2), ran(1, x=2.9)], asked, far=3.5)
    assert (found["comes across"].value, found["comes across"].ok) == (0.5, False)
    assert found["runs in which thigh or trunk touches"].ok is True
    assert found["runs in which a calf touches"].ok is None
    assert rows([ran(calf=0.2)], ConditionBars(clean=Touching.ANYTHING))["runs in which a calf touches"].ok is False
    pushed = [ran(push=1.5), ran(1, push=1.5, end_speed=0.3)]
    assert rows(pushed, ConditionBars(recovered=1.0))["recovers"].value == 0.5
    assert failures("push", pushed) == [{"seed": 1, "reasons": ["push, run: at the end 0.30 m/s off what was asked"]}]


def test_pitch_is_against_the_slope():
    off = rows([ran(slope=0.2)], ConditionBars(pitch=0.03))["mean pitch off the slope, largest"]
    assert off.value == pytest.approx(0.2 - math.atan(0.2), abs=1e-6)
    assert off.ok is True


def test_times_by_the_clock():
    fast = Timings((0.0005, 0.0015), (0.0008, 0.001), 5.0, 100)
    slow = Timings((0.0009, 0.0030), (0.0008, 0.002), 3.0, 100)
    found = rows([ran(timings=fast), ran(1, timings=slow)], ConditionBars())
    assert found["solve, median, wall"].value == pytest.approx(0.7)
    assert found["plan, 95 %, processor, largest"].value == pytest.approx(2.0)
    assert found["plans"].value == 200.0


@pytest.mark.slow
def test_solvers_are_compared_with_the_online_one():
    online = SolverFigures("online", 0.0004, 0.0025, 0, 100, 1.01)
    others = (SolverFigures("fatrop", 0.002, 0.003, 1, 100, 1.0), SolverFigures("ipopt", 0.0039, 0.05, 0, 100, 1.0))
    asked = ConditionBars(solve=(1e-3, 2e-3), faster=(("fatrop", 4.0), ("ipopt", 10.0)))
    found = rows([ran(solvers=(online, *others))], asked)
    assert (found["online, median, processor"].value, found["online, median, processor"].ok) == (0.4, True)
    assert found["online, 95 %, processor"].ok is False
    assert (found["fatrop over online"].value, found["fatrop over online"].ok) == (pytest.approx(5.0), True)
    assert (found["ipopt over online"].value, found["ipopt over online"].ok) == (pytest.approx(9.75), False)
    assert found["fatrop, without a solution"].value == 1.0


@pytest.mark.slow
def test_problems_of_a_run_are_solved_again():
    task = QuadrupedTask("spirit40", (0.4, 0.0, 0.0), seconds=1.5)
    result = run_quadruped(QuadrupedSetup(task, compared=True), 0)
    assert [each.name for each in result.solvers] == ["online", "daqp", "fatrop", "ipopt"]
    online, daqp, *_ = result.solvers
    assert online.problems >= 5
    assert all(each.unsolved == 0 for each in result.solvers)
    # Both solve the same quadratic program.
    assert daqp.cost == pytest.approx(online.cost, rel=1e-4)
    # One step of sequential quadratic programming from a good guess is near the optimum.
    assert online.cost == pytest.approx(1.0, abs=0.1)


def test_tables():
    assert {"speed", "push", "slope", "friction", "payload", "strength", "gaits", "robots", "rate"} <= set(TABLES)
    cases = SUITE.cases(QuadrupedOptions(table="push", phases=2, seeds=2))
    # Standing and walking, two impulses, four sides, two phases, two seeds.
    assert len(cases) == 2 * 2 * 4 * 2 * 2
    assert len({case.key for case in cases}) == len(cases)
    assert {case.group for case in cases} == {
        f"push {impulse} N s {how}" for impulse in (35, 45) for how in ("standing", "at 0.5 m/s")
    }
    pushes = [case.setup.scenario(case.seed).world.pushes[0] for case in cases if case.seed == 0][:8]
    # The seed shifts all pushes by the same part of a phase of 0.18 s.
    late = pushes[0].time - 1.5
    assert 0.0 <= late < 0.18
    assert [push.time for push in pushes] == pytest.approx([1.5 + late] * 4 + [1.68 + late] * 4)
    assert {push.impulse for push in pushes} == {(35, 0, 0), (-35, 0, 0), (0, 35, 0), (0, -35, 0)}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_makes_scenarios(name):
    cases = SUITE.cases(QuadrupedOptions(table=name, seeds=2, phases=1, robots="spirit40"))
    assert {case.seed for case in cases} == {0, 1}
    for case in cases:
        scenario = case.setup.scenario(case.seed)
        assert (scenario.seed, scenario.controller.type) == (case.seed, "quadruped")
        assert case.setup.steady.end > case.setup.steady.begin


def test_what_the_conditions_change():
    def one(table, number=0):
        case = SUITE.cases(QuadrupedOptions(table=table, seeds=1))[number]
        return case.setup.scenario(case.seed)

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
    assert one("estimator").controller.steering[-1].time == pytest.approx(30.5)


def test_tables_and_robots_that_are_none():
    with pytest.raises(AndanteError, match="there is no such table"):
        SUITE.cases(QuadrupedOptions(table="speeds"))
    with pytest.raises(AndanteError, match="named twice"):
        SUITE.cases(QuadrupedOptions(table="speed,speed"))
    lines = SUITE.listing(QuadrupedOptions(table="list"))
    assert len(lines) == len(TABLES)
    assert lines[0].startswith("speed ")


def test_speeds_by_leg_length_and_steering():
    by_leg = QuadrupedSetup(QuadrupedTask("spirit40", (0.5, 0.0, 0.0)), by_leg=True).scenario(0)
    length = 0.428  # Two links of 20.6 cm and a toe of 1.6 cm in the pack; Go2's leg has 0.448 m.
    factor = by_leg.controller.steering[0].forward / 0.5
    assert factor == pytest.approx(math.sqrt(length / 0.448), rel=0.03)
    turns = QuadrupedSetup(SHORT, steering=((0.5, 0.3, 0.0, 0.2), (1.0, 0.0, 0.0, 0.0)), latency=0.02).scenario(3)
    assert [change.turn for change in turns.controller.steering] == [0.2, 0.0]
    assert turns.controller.local.latency == 0.02
    assert turns.seed == 3


def test_a_short_walk_is_the_same_twice_and_through_json():
    options = QuadrupedOptions(table="strength", seconds=1.2, seeds=1)
    first = SUITE.run(options, InProcess()).data()
    second = SUITE.run(options, InProcess()).data()
    assert json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    run = first["runs"]["motors at 0.7"][0]["metrics"]
    assert run["upright"] is True
    assert run["way"] > 0.5
    assert run["estimate_rms"] < 0.1
    assert first["runs"]["motors at 0.7"][0]["timings"] is None


def test_a_robot_that_stands_is_watched_for_all_the_time_and_pushed():
    task = QuadrupedTask("spirit40", (0.0, 0.0, 0.0), seconds=2.0, push=(1.6, 0.0, 10.0, 0.0))
    metrics = run_quadruped(QuadrupedSetup(task), 0).metrics
    assert metrics.time >= 2.5
    # 10 N s on some 12 kg move it.
    assert metrics.upright
    assert metrics.drift > 0.02


def test_a_robot_that_is_thrown_over_has_a_cause():
    task = QuadrupedTask("spirit40", (0.0, 0.0, 0.0), seconds=1.0, push=(0.7, 0.0, 120.0, 0.0))
    result = run_quadruped(QuadrupedSetup(task, "thrown"), 1)
    assert not result.upright
    assert not result.recovered
    assert " s: " in result.metrics.cause
    assert result.metrics.roll > 0.8
    assert failures("push", [result])[0]["reasons"][0].startswith("push, thrown: ")


class Leaking:
    """A session of ten seconds that keeps 64 kB in 20 objects per tick of 10 ms."""

    def __init__(self, leaks):
        self.time, self._leaks, self._kept = 0.0, leaks, []

    @property
    def ending(self):
        return "timeout" if self.time >= 10.0 else None

    def step(self):
        self.time += 0.01
        if self._leaks:
            self._kept.append([bytearray(64 * 1024), *([number] for number in range(19))])


@pytest.mark.slow
def test_growth_of_a_session_that_leaks():
    leak = growth_of(Leaking(True))
    # 6000 ticks a minute of 20 lists, of which the collector knows all; of what the process holds, freed memory that is
    # used again hides a part.
    assert leak.objects == pytest.approx(6000 * 20, rel=0.05)
    assert abs(growth_of(Leaking(False)).objects) < 600


@pytest.mark.slow
def test_growth_is_measured_on_demand():
    task = QuadrupedTask("spirit40", (0.2, 0.0, 0.0), seconds=1.0)
    result = run_quadruped(QuadrupedSetup(task, "long", watched=False), 0)
    assert result.metrics is None
    assert result.growth.seconds > 1.5
    assert result.growth.speed > 0.05
    assert [row.unit for row in condition_rows("a", [result], ConditionBars(growth=50.0))] == ["", "kB/min", "1/min"]

"""Rates that divide, rates that do not, and when plans arrive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_fakes import TimePlanner

from andante.runs.errors import ScenarioError
from andante.runs.loop.schedule import PlanQueue, Schedule, steps_per


def test_nao_rates() -> None:
    schedule = Schedule.of(0.012, 0.002)
    assert (schedule.period, schedule.physics_steps) == (12_000_000, 6)


@given(st.integers(1, 40), st.integers(20, 4000))
def test_multiples_of_any_rate_divide(per_tick: int, rate: int) -> None:
    physics = 1.0 / rate
    assert Schedule.of(per_tick * physics, physics).physics_steps == per_tick


@pytest.mark.parametrize(
    ("control", "physics"), [(0.012, 0.005), (0.001, 0.002), (0.01, 0.0030001), (0.0125, 0.002), (0.002, 0.0021)]
)
def test_periods_that_do_not_divide_are_refused(control: float, physics: float) -> None:
    with pytest.raises(ScenarioError, match="is not a whole number of times the physics period"):
        Schedule.of(control, physics)


def test_the_refusal_names_both_periods_and_a_remedy() -> None:
    with pytest.raises(ScenarioError) as caught:
        Schedule.of(0.012, 0.005)
    assert str(caught.value) == (
        "the control period (12 ms) is not a whole number of times the physics period (5 ms); got 2.4; "
        "the physics period 6 ms or the control period 10 ms would do"
    )


def test_a_period_that_cannot_be_counted_is_refused() -> None:
    with pytest.raises(ScenarioError, match="the physics period is too long to be counted in ns"):
        Schedule.of(0.01, 1e300)


@pytest.mark.parametrize("period", [0.0, -0.01, float("nan"), float("inf"), 1e-12])
def test_senseless_periods_are_refused(period: float) -> None:
    with pytest.raises(ScenarioError, match="the control period must be a positive time"):
        Schedule.of(period)


@pytest.mark.parametrize("latency", [-0.001, float("nan"), float("inf")])
def test_senseless_latency_is_refused(latency: float) -> None:
    with pytest.raises(ScenarioError, match="latency must be zero or more"):
        PlanQueue(TimePlanner(latency), 10_000_000)


def test_ticks_cover_a_duration_without_rounding_drift() -> None:
    schedule = Schedule.of(0.012)
    assert schedule.ticks(0.12) == 10
    assert schedule.ticks(0.1200001) == 11
    assert schedule.ticks(3600.0) == 300_000
    assert schedule.ticks(0.0) == 0


def test_three_kilohertz_has_no_whole_nanoseconds_but_divides() -> None:
    assert steps_per(1 / 1000, 1 / 3000, "control", "physics") == 3


@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize(("latency", "delay"), [(0.0, 0), (0.004, 1), (0.01, 1), (0.0101, 2), (0.035, 4), (0.05, 5)])
def test_plans_arrive_exactly_their_latency_later(background: bool, latency: float, delay: int) -> None:
    queue = PlanQueue(TimePlanner(latency), 10_000_000, background=background)
    seen: list[tuple[int, object]] = []
    for tick in range(20):
        if tick % 3 == 0:
            queue.request(tick, float(tick))
        seen += [(tick, plan) for plan in queue.arrivals(tick)]
    queue.close()
    assert seen == [(made + delay, f"{made:.2f}") for made in range(0, 20, 3) if made + delay < 20]


def test_planning_times_are_kept_evenly_over_a_long_run_in_bounded_room() -> None:
    queue = PlanQueue(TimePlanner(0.0), 10_000_000)
    for tick in range(50_000):
        queue.request(tick, 0.0)
        queue.arrivals(tick)
    moments = [moment for moment, _ in queue.spent]
    # 16384 fit; 50000 / 4 do.
    assert moments == pytest.approx([0.04 * row for row in range(12_500)])


@pytest.mark.slow
@given(st.integers(0, 5000))
def test_all_planning_times_of_a_short_run_are_kept(count: int) -> None:
    queue = PlanQueue(TimePlanner(0.0), 10_000_000)
    for tick in range(count):
        queue.request(tick, 0.0)
    assert [moment for moment, _ in queue.spent] == pytest.approx([0.01 * tick for tick in range(count)])

"""Foothold rules, cost terms, solvers and gait policies by name: what they change, and who is named when one fails."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.documents.parameters import parameters
from andante.documents.quantities import Length, Units
from andante.documents.settings import SettingsError
from andante.planning.nmpc.cost_term import COSTS, CostTerm
from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.nmpc.solver import make_solver
from andante.planning.nmpc.solvers import SOLVERS
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.foothold_rule import FOOTHOLDS, FootholdRule
from andante.planning.quadruped.gait import GAITS, Gait
from andante.planning.quadruped.gait_policy import GAIT_POLICIES, GaitMoment, GaitPolicy, choose_gait
from andante.planning.quadruped.global_plan.planner import GlobalPlanner, GlobalStatus
from andante.planning.quadruped.local_plan import LocalRequest
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.plugins.errors import PluginError
from andante.robots.robot import Robot
from andante.terrain.boards.make import make_board


class Aside(FootholdRule):
    """To the left of where the gait wants it."""

    by: Length = 0.02

    def choose(self, step):
        return step.wanted[0], step.wanted[1] + self.by


class Wanted(FootholdRule):
    """Where the gait wants it, or nowhere."""

    nowhere: bool = False

    def choose(self, step):
        return None if self.nowhere else step.wanted


class Broken(FootholdRule):
    """Gives what it is told to give."""

    gives: str = "nan"

    def choose(self, step):
        if self.gives == "raise":
            raise ZeroDivisionError("no way")
        return {"nan": (math.nan, 0.0), "shape": (1.0, 2.0, 3.0), "text": "here"}[self.gives]


class Pull(CostTerm):
    """Pulls the height by a distance off the reference."""

    weight: float = 60.0
    off: Length = 0.0

    def errors(self, problem, states):
        weights, wanted = np.zeros(12), problem.reference.copy()
        weights[2] = self.weight
        wanted[:, 2] += self.off
        return weights, wanted


class BadCost(CostTerm):
    """Gives what it is told to give."""

    gives: str = "nan"

    def errors(self, problem, states):
        return {
            "nan": (np.full(12, np.nan), states),
            "shape": (np.ones(7), states),
            "below": (np.full(12, -1.0), states),
            "single": np.ones(12),
        }[self.gives]


class BySpeed(GaitPolicy):
    """Walks when slow."""

    gives: str = ""

    def choose(self, moment):
        return self.gives or ("walk" if moment.asked[0] < 0.3 else GAITS["trot"])


class Elsewhere:
    """A solver that spoils the answers of another."""

    spoils = staticmethod(lambda solution: solution)

    def __init__(self, settings, body):
        self.settings, self.inner = settings, OnlineNmpc(settings, body)

    def solve(self, problem, guess=None):
        return type(self).spoils(self.inner.solve(problem, guess))


@pytest.fixture(autouse=True)
def registered():
    things = (
        (FOOTHOLDS, {"aside": Aside, "wanted": Wanted, "broken": Broken}),
        (COSTS, {"pull": Pull, "bad": BadCost}),
        (GAIT_POLICIES, {"by-speed": BySpeed}),
        (SOLVERS, {"elsewhere": Elsewhere}),
    )
    for register, kinds in things:
        for name, kind in kinds.items():
            register.register(name, kind)
    yield
    for register, kinds in things:
        for name in kinds:
            register.unregister(name)


@pytest.fixture(scope="module", name="body")
def _body():
    return QuadrupedBody.of(Robot.load("spirit40"))


def request(body, lateral=0.0):
    feet = body.hips - body.com
    feet[:, 2] = body.radius
    state = np.zeros(12)
    state[:2] = feet[:, :2].mean(axis=0) + (body.com - body.hips.mean(axis=0))[:2]
    state[2], state[7] = body.height, lateral
    return LocalRequest(0.0, state, feet, np.ones(4, dtype=np.bool_), np.array([0.5, 0.0, 0.0]))


def plan(body, **changes):
    return LocalPlanner(body, settings=LocalSettings(**changes)).plan(request(body))


def test_a_rule_that_takes_the_wanted_place_plans_what_the_shipped_rule_plans_on_level_ground(body):
    usual, own = plan(body), plan(body, foothold="wanted")
    assert usual.swings.tobytes() == own.swings.tobytes()
    assert usual.forces.tobytes() == own.forces.tobytes()
    assert not own.unsafe.any()


def test_a_rule_moves_every_touch_down_and_its_lengths_grow_with_the_robot(body):
    usual, own = plan(body).swings, plan(body, foothold={"type": "aside", "by": 0.02}).swings
    used = usual[:, :, 1] > 0.0
    size = body.legs.leg_length / 0.448009
    assert used.sum() > 4
    assert own[used][:, 6] - usual[used][:, 6] == pytest.approx(np.full(used.sum(), 0.02 * size))
    assert own[used][:, 5] == pytest.approx(usual[used][:, 5])


def test_a_place_beyond_the_leg_is_drawn_in_along_the_line_from_the_hip(body):
    settings = LocalSettings(foothold={"type": "aside", "by": 5.0}).fitted(body)
    own = plan(body, foothold={"type": "aside", "by": 5.0}).swings
    used = own[:, :, 1] > 0.0
    away = own[used][:, 6] - body.hips[np.nonzero(used)[0], 1]
    assert away == pytest.approx(np.full(used.sum(), settings.reach), abs=0.02)


def test_a_rule_that_finds_no_place_leaves_the_wanted_one_and_the_leg_is_told_unsafe(body):
    found = plan(body, foothold={"type": "wanted", "nowhere": True})
    assert found.unsafe.all()
    assert found.swings.tobytes() == plan(body).swings.tobytes()


@pytest.mark.parametrize(
    ("gives", "told"),
    [
        ("nan", r"foothold rule 'broken', \(0,\): gave place \(x, y\) that are not finite"),
        ("shape", r"foothold rule 'broken': gave no place \(x, y\)"),
        ("text", r"foothold rule 'broken': gave no place \(x, y\)"),
        ("raise", r"foothold rule 'broken': raised ZeroDivisionError: no way"),
    ],
)
def test_a_rule_that_gives_no_place_is_named(body, gives, told):
    with pytest.raises(PluginError, match=told):
        plan(body, foothold={"type": "broken", "gives": gives})


def test_rules_are_read_by_name_with_their_own_fields_and_written_as_they_were():
    settings = LocalSettings(foothold={"type": "aside", "by": 0.03})
    assert settings.foothold == Aside(by=0.03)
    assert settings.model_dump(exclude_defaults=True) == {"foothold": {"type": "aside", "by": 0.03}}
    read = LocalSettings.model_validate_json('{"foothold": {"type": "aside", "by": 30}}', context=Units(length="mm"))
    assert read == settings
    assert LocalSettings(foothold=Wanted()).model_dump(exclude_defaults=True) == {"foothold": "wanted"}
    assert LocalSettings().model_dump(exclude_defaults=True) == {}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("asid", r"local.foothold: is not legal; got 'asid'; did you mean 'aside'\?"),
        ({"type": "asid"}, r"did you mean|aside"),
        ({"type": "aside", "bye": 0.1}, r"no such setting.*got 'bye'"),
        ({"type": "aside", "by": "far"}, r"local.foothold.by"),
        (3, "a text|a name"),
    ],
)
def test_a_rule_that_cannot_be_read_is_told_with_its_place(value, told):
    with pytest.raises(SettingsError, match=told):
        LocalSettings(foothold=value)


def test_a_list_of_parameters_has_the_parts_with_their_legal_names():
    told = {each.path: each for each in parameters(LocalSettings)}
    assert (told["foothold"].default, told["foothold"].bounds) == ("nearest", "nearest | aside | wanted | broken")
    assert (told["nmpc.solver"].default, told["nmpc.solver"].bounds) == (
        "stages",
        "stages | daqp | converged | elsewhere",
    )
    assert (told["nmpc.costs"].default, told["nmpc.costs"].bounds) == ([], "pull | bad")
    COSTS.unregister("pull")
    COSTS.unregister("bad")
    with pytest.raises(SettingsError, match=r"nmpc.costs\[0\]: no cost term is registered; got 'pull'"):
        NmpcSettings(costs=["pull"])


def test_a_rule_that_nobody_has_registered_is_refused():
    class Mine(Wanted):
        pass

    with pytest.raises(SettingsError, match="register the class Mine first"):
        LocalSettings(foothold=Mine())


def solved(body, **changes):
    local = LocalSettings().fitted(body)
    planner = LocalPlanner(body, settings=LocalSettings())
    problem = planner.plan(request(body)).problem
    return problem, make_solver(local.nmpc.changed(**changes), body.rigid).solve(problem)


def optimum(solver, problem):
    """Where real-time iteration ends; it begins at the reference, which is another one in each problem."""
    solution = solver.solve(problem)
    for _ in range(40):
        solution = solver.solve(problem, solution)
    assert solution.solved
    return solution


def test_a_term_on_the_reference_adds_to_the_weights(body):
    base = np.array(LocalSettings().fitted(body).nmpc.weights)
    heavy = base.copy()
    heavy[2] += 60.0
    _, usual = solved(body, weights=tuple(heavy), growth=1.0)
    _, own = solved(body, weights=tuple(base), growth=1.0, costs=(Pull(),))
    np.testing.assert_allclose(own.states, usual.states, atol=1e-9)
    np.testing.assert_allclose(own.forces, usual.forces, atol=1e-6)


def test_a_term_off_the_reference_pulls_it_by_its_share_of_the_weight(body):
    base = np.array(LocalSettings().fitted(body).nmpc.weights)
    base[2] = 40.0
    nmpc = LocalSettings().fitted(body).nmpc.changed(growth=1.0)
    problem, _ = solved(body)
    heavy, moved = base.copy(), problem.reference.copy()
    heavy[2] = 100.0
    moved[:, 2] += 0.6 * 0.05
    with_term = nmpc.changed(weights=tuple(base), costs=(Pull(weight=60.0, off=0.05),))
    own = optimum(make_solver(with_term, body.rigid), problem)
    usual = optimum(OnlineNmpc(nmpc.changed(weights=tuple(heavy)), body.rigid), replace(problem, reference=moved))
    np.testing.assert_allclose(own.states, usual.states, atol=1e-5)
    assert own.states[-1, 2] - problem.reference[-1, 2] > 0.02


@pytest.mark.parametrize(
    ("gives", "told"),
    [
        ("nan", r"cost term 'bad', \(0, 0\): gave weights that are not finite"),
        ("shape", r"cost term 'bad': gave no weights; got 'shape \(7,\)'"),
        ("below", r"cost term 'bad': gave a weight below zero"),
        ("single", r"cost term 'bad': gave something else than weights and states"),
    ],
)
def test_a_term_that_gives_no_cost_is_named(body, gives, told):
    with pytest.raises(PluginError, match=told):
        plan(body, nmpc={"costs": [{"type": "bad", "gives": gives}]})


def test_terms_are_read_by_name_and_no_term_changes_no_byte(body):
    settings = NmpcSettings(costs=["pull", {"type": "pull", "off": 0.01}])
    assert settings.costs == (Pull(), Pull(off=0.01))
    assert settings.scaled(2.0).costs[1] == Pull(off=0.02)
    nothing = plan(body, nmpc={"costs": [{"type": "pull", "weight": 0.0}]})
    assert nothing.forces.tobytes() == plan(body).forces.tobytes()


def test_a_solver_by_name_solves_and_one_that_spoils_its_answers_is_named(body, monkeypatch):
    assert plan(body, nmpc={"solver": "elsewhere"}).forces.tobytes() == plan(body).forces.tobytes()
    for spoils, told in (
        (lambda found: None, "gave no NmpcSolution; got 'NoneType'"),
        (lambda found: replace(found, forces=found.forces[:-1]), "gave forces of another shape"),
        (lambda found: replace(found, states=found.states * np.nan), "gave states that are not finite"),
        (lambda found: 1 / 0, "raised ZeroDivisionError"),
    ):
        monkeypatch.setattr(Elsewhere, "spoils", staticmethod(spoils))
        with pytest.raises(PluginError, match=rf"solver 'elsewhere'.*{told}"):
            plan(body, nmpc={"solver": "elsewhere"})
    monkeypatch.setattr(Elsewhere, "__init__", lambda self, settings: None)
    with pytest.raises(PluginError, match="solver 'elsewhere': raised TypeError"):
        plan(body, nmpc={"solver": "elsewhere"})
    with pytest.raises(SettingsError, match=r"nmpc.solver.*'elsewher'.*elsewhere"):
        NmpcSettings(solver="elsewher")


def moment(forward):
    return GaitMoment(0.0, np.array([forward, 0.0, 0.0]), np.zeros(12))


def test_a_policy_chooses_by_what_is_asked_and_its_names_fit_the_robot():
    assert choose_gait(BySpeed(), moment(0.5), 1.0, 0.03) is GAITS["trot"]
    # Four times as long legs: twice the period.
    assert choose_gait(BySpeed(), moment(0.1), 4.0, 0.03).period == pytest.approx(1.44)


@pytest.mark.parametrize(("gives", "told"), [("tort", "did you mean 'trot'"), (Gait(period=0.02), "a foot stands")])
def test_a_policy_that_gives_no_gait_is_named(gives, told, monkeypatch):
    monkeypatch.setattr(BySpeed, "choose", lambda self, moment: gives)
    with pytest.raises(PluginError, match=rf"gait policy 'by-speed': gave a gait that cannot be walked.*{told}"):
        choose_gait(BySpeed(), moment(0.1), 1.0, 0.03)
    monkeypatch.setattr(BySpeed, "choose", lambda self, moment: 3)
    with pytest.raises(PluginError, match="gait policy 'by-speed': gave no gait; got 3"):
        choose_gait(BySpeed(), moment(0.1), 1.0, 0.03)
    monkeypatch.setattr(BySpeed, "choose", lambda self: 3)
    with pytest.raises(PluginError, match="gait policy 'by-speed': raised TypeError"):
        choose_gait(BySpeed(), moment(0.1), 1.0, 0.03)


@pytest.mark.parametrize("register", [FOOTHOLDS, COSTS, GAIT_POLICIES, SOLVERS])
def test_what_is_no_part_is_not_registered(register):
    with pytest.raises(PluginError):
        register.register("seven", 7)


def test_planners_take_a_robot_in_place_of_what_they_need_of_it(body):
    robot = Robot.load("spirit40")
    assert LocalPlanner(robot).plan(request(body)).forces.tobytes() == plan(body).forces.tobytes()
    planner = GlobalPlanner(robot)
    board = make_board("gap-30")
    asked = planner.request(board.map, board.goal, (0.5, 0.1), yaw=0.2, seed=3)
    assert asked.start[:2].tolist() == [0.5, 0.1]
    assert (asked.start[2], asked.start[5]) == (pytest.approx(planner.body.standing, abs=0.02), 0.2)
    found = planner.plan(asked)
    assert found.status is GlobalStatus.VALID, found.reason
    assert found.body.states[-1, :2] == pytest.approx(board.goal, abs=0.1)

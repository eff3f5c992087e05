"""A scenario's own foothold rule, cost term, solver and gait policy, from a program or a package."""

from __future__ import annotations

import math

import pytest
from installed_packages import install

import andante
from andante.documents.writer import dump_document
from andante.planning.nmpc.cost_term import COSTS
from andante.planning.nmpc.solvers import SOLVERS
from andante.planning.quadruped.foothold_rule import FOOTHOLDS, FootholdRule
from andante.planning.quadruped.gait_policy import GAIT_POLICIES
from andante.runs.scenario_files import load_scenario
from andante.runs.session import Session

PARTS = """
import math
import numpy as np
from andante.planning.nmpc.cost_term import CostTerm
from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.quadruped.foothold_rule import FootholdRule
from andante.planning.quadruped.gait_policy import GaitPolicy


class Aside(FootholdRule):
    by: float = 0.02

    def choose(self, step):
        return step.wanted[0], step.wanted[1] + self.by


class Late(FootholdRule):
    def choose(self, step):
        return (math.nan, 0.0) if step.time > 1.5 else step.wanted


class Low(CostTerm):
    weight: float = 300.0

    def errors(self, problem, states):
        weights, wanted = np.zeros(12), problem.reference.copy()
        weights[2], wanted[:, 2] = self.weight, wanted[:, 2] - 0.03
        return weights, wanted


class Slow(GaitPolicy):
    def choose(self, moment):
        return "walk"


class Twice:
    def __init__(self, settings, body):
        self.settings, self.inner = settings, OnlineNmpc(settings, body)

    def solve(self, problem, guess=None):
        first = self.inner.solve(problem, guess)
        return self.inner.solve(problem, first) if first.solved else first
"""
SCENARIO = """
format: andante.scenario
version: 1
name: parts
robot: spirit40
timeout: 3.0
seed: 1
world: {{timestep: 0.001}}
success: {{finishes: false}}
controller:
  type: quadruped
  blind: true
  steering: [{{time: 0.5, forward: 0.4}}]
  {more}
"""
POINTS = {
    "andante.footholds": {"pack-aside": "Aside", "pack-late": "Late"},
    "andante.costs": {"pack-low": "Low"},
    "andante.gaits": {"pack-slow": "Slow"},
    "andante.solvers": {"pack-twice": "Twice"},
}


@pytest.fixture(autouse=True)
def package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path, "quadruped_pack", PARTS, POINTS)
    for register in (FOOTHOLDS, COSTS, GAIT_POLICIES, SOLVERS):
        register.reread()
    yield
    monkeypatch.undo()
    for register in (FOOTHOLDS, COSTS, GAIT_POLICIES, SOLVERS):
        register.reread()


def scenario(tmp_path, more):
    path = tmp_path / "parts.yaml"
    path.write_text(SCENARIO.format(more=more))
    return load_scenario(path)


def walked(tmp_path, more, ticks=900):
    with andante.open_session(scenario(tmp_path, more)) as session:
        assert isinstance(session, Session)
        places, stances = [], 0
        for _ in range(ticks):
            if session.ending is not None:
                break
            session.step()
            plan = session.controller.plan
            if plan is not None and plan.swing_counts.all():
                places.append(plan.swings[:, 0, 6].mean())
                stances = max(stances, int(plan.contact.sum(axis=1).min()))
        return session, places, stances, float(session.backend.truth()["base_height"][0])


@pytest.mark.slow
def test_parts_of_a_package_move_feet_lower_the_body_and_change_the_gait(tmp_path):
    _, usual, trots, height = walked(tmp_path, "")
    nmpc = "nmpc: {costs: [pack-low], solver: pack-twice}"
    more = f"gait: pack-slow\n  local:\n    foothold: {{type: pack-aside, by: 0.03}}\n    {nmpc}"
    session, places, walks, low = walked(tmp_path, more)
    assert not session.stopped
    assert (trots, walks) == (2, 3)
    assert sum(places) / len(places) > sum(usual) / len(usual) + 0.02
    assert low < height - 0.01


@pytest.mark.slow
def test_a_rule_that_fails_while_the_robot_walks_stops_it_with_its_name(tmp_path):
    session, _, _, _ = walked(tmp_path, "local: {foothold: pack-late}", ticks=1200)
    assert session.stopped.count("foothold rule 'pack-late'") == 1
    assert "gave place (x, y) that are not finite" in session.stopped
    result = andante.run(scenario(tmp_path, "local: {foothold: pack-late}"), report=False, out=tmp_path / "run")
    assert str(result.verdict) != "PASS"
    assert any("foothold rule 'pack-late'" in reason for reason in result.reasons)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("local: {foothold: pack-asid}", r"parts.yaml:\d+:\d+: controller.local.foothold.*did you mean 'pack-aside'"),
        (
            "local: {foothold: {type: pack-aside, bi: 1.0}}",
            r"parts.yaml:\d+:\d+: controller.local.foothold has no such",
        ),
        (
            "local: {nmpc: {costs: [{type: pack-low, weight: heavy}]}}",
            r"controller.local.nmpc.costs\[0\].weight must be",
        ),
        (
            "local: {nmpc: {solver: none}}",
            r"controller.local.nmpc.solver.*legal: stages, daqp, converged, pack-twice",
        ),
        ("gait: pack-slow\n  gaits: [{gait: walk}]", "a policy chooses the gait"),
    ],
)
def test_a_part_that_cannot_be_read_is_told_with_line_and_legal_names(tmp_path, more, told):
    with pytest.raises(andante.AndanteError, match=told):
        scenario(tmp_path, more)


def test_a_package_that_cannot_be_imported_costs_only_its_part(tmp_path):
    install(tmp_path, "broken_pack", "import nothing_of_this_name", {"andante.footholds": {"broken-rule": "Rule"}})
    FOOTHOLDS.reread()
    with pytest.raises(andante.AndanteError, match=r"controller.local.foothold.*plug-in broken_pack 1.2"):
        scenario(tmp_path, "local: {foothold: broken-rule}")
    assert scenario(tmp_path, "local: {foothold: pack-aside}").controller.local.foothold.by == 0.02


def test_a_scenario_is_kept_with_its_parts(tmp_path):
    class Here(FootholdRule):
        def choose(self, step):
            return step.wanted if math.isfinite(step.time) else None

    FOOTHOLDS.register("here", Here)
    try:
        found = scenario(tmp_path, "gait: pack-slow\n  local: {foothold: here, nmpc: {costs: [pack-low]}}")
        (tmp_path / "again.yaml").write_text(dump_document(found))
        again = load_scenario(tmp_path / "again.yaml")
        assert again == found
        assert isinstance(again.controller.local.foothold, Here)
    finally:
        FOOTHOLDS.unregister("here")

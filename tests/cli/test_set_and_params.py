"""`--set` and `andante params`: each path that is printed is one that a scenario takes."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.documents.fields import kinds_at, models_in
from andante.documents.parameters import parameters
from andante.documents.paths import parse_path, with_value
from andante.errors import AndanteError
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated, with_settings
from andante.runs.task import scenario_of
from andante.search.experiment.observing import OBSERVERS
from andante.search.experiment.settable import settable, settings_of
from andante.terrain.boards.make import BOARDS

BASES = {
    "keyframes": {"type": "keyframes", "library": "nao", "motions": ["stand"]},
    "policy": {"type": "policy", "policy": "walk.yaml"},
    "sequence": {
        "type": "sequence",
        "begin": "up",
        "parts": {"up": {"controller": {"type": "keyframes", "library": "nao", "get_up": True}}},
    },
    "openr": {"type": "openr", "library": "ers7", "motions": ["walk"]},
}
LEGAL = {
    "controller.goal": [1.0, 0.0],
    "controller.footsteps[0].foot": "front_left",
    "controller.type": None,
    "format": None,
    "controller": None,
    "name": "other",
    "world.start.lying": "prone",
}
"""Values of fields whose default is none of their own; None: the field stays."""


def invoke(*words):
    return CliRunner().invoke(app, list(words))


def base(kind):
    return {"name": "x", "controller": BASES.get(kind, {"type": kind})}


def example(parameter, path):
    """A legal value of a field that has none, by its bounds and kinds."""
    if " | " in parameter.bounds:
        return parameter.bounds.split(" | ")[0].split(", ")[-1]
    (first, *_) = [kind for kind in kinds_at(Scenario, path) if kind is not type(None)]
    return {str: "x", int: 1, float: 0.5, bool: True}.get(first)


@pytest.mark.parametrize(
    "thing",
    [each for each in settable() if each.type not in ("observer", "board")],
    ids=lambda each: f"{each.type} {each.name}",
)
def test_every_path_that_is_printed_is_taken(thing):
    """Its default again, or a legal value: the document's own rules have nothing against the path."""
    controller = thing.name if thing.type == "kind of controller" else "quadruped"
    document = validated(base(controller)).model_dump()
    found = thing.read()
    assert found or (thing.type, thing.name) in {("kind of backend", "mujoco"), ("kind of backend", "rcsssmj")}
    for each in found:
        path = parse_path(each.path)
        value = LEGAL.get(each.path, each.default)
        value = example(each, path) if value is None else value
        if value is None or LEGAL.get(each.path, each) is None:
            continue
        # A field of one kind of several is there where the part is of that kind.
        part = [{"type": each.kind}] if path[1:2] == (0,) else {"type": each.kind}
        part = {"type": "openr", "inner": part} if path[1:2] == ("inner",) and each.kind != "openr" else part
        own = {**document, path[0]: part} if each.kind else document
        if thing.type == "kind of backend":
            own = {**document, "backend": {"type": thing.name}}
        data = with_value(Scenario, own, path, value)
        told = _refusal(data)
        # A part of a list or one that was null needs its other fields, too; those rules are the document's.
        owner = models_in(kinds_at(Scenario, path[:-1], document))
        needs = any(f.is_required() or f.default is None for one in owner for f in one.model_fields.values())
        assert not told or (needs and "no such" not in told), (each.path, told)


def _refusal(data):
    try:
        validated(data)
    except AndanteError as error:
        return str(error)
    return ""


def test_params_tells_unit_bounds_and_meaning_and_looks_for_a_word():
    told = invoke("params", "quadruped", "weights")
    assert told.exit_code == 0
    line = next(line for line in told.stdout.splitlines() if line.startswith("controller.local.nmpc.weights"))
    assert "default [5, 5, 100, 20," in line
    assert ">= 0" in line
    assert "--set controller." in told.stdout
    data = json.loads(invoke("params", "guard", "--json").stdout)
    assert data["kind"] == "guard"
    tilt = next(each for each in data["parameters"] if each["path"] == "guard.fall_tilt")
    assert (tilt["unit"], tilt["bounds"]) == ("rad", "> 0, <= 3.14159")
    listed = invoke("params").stdout
    assert all(kind in listed for kind in (*CONTROLLERS.kinds, "world", "guard", "scenario"))
    json_listed = json.loads(invoke("params", "--json").stdout)
    assert json_listed["by_type"]["observer"]["get-up"].startswith("Watches a robot")
    assert json_listed["kinds"]["quadruped"].startswith("A dynamic quadruped")
    refused = invoke("params", "quadrupd")
    assert refused.exit_code == 2
    assert "did you mean 'quadruped'?" in refused.stderr


def test_a_run_takes_values_by_path(tmp_path):
    done = invoke("run", "nao/stand", "--set", "timeout=0.2", "--set", "recording.report=false", "--out", str(tmp_path))
    assert "0.20 s simulated" in done.stdout
    text = (tmp_path / "scenario.yaml").read_text(encoding="utf-8")
    assert "timeout: 0.2" in text
    scenario = scenario_of("nao/stand", settings=["world.friction=[0.2, 0.3]", "controller.balance=false"])
    assert scenario.world.friction == (0.2, 0.3)
    assert scenario.controller.balance is False


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "nao/stand", "--set", "world.fricton=1"), "did you mean 'friction'?"),
        (("run", "nao/stand", "--set", "world.friction=-1"), "friction needs 0 <= low <= high"),
        (("run", "nao/stand", "--set", "guard.fall_gain=2"), "guard.fall_gain: is not legal; got 2; limit: at most 1"),
        (
            ("walk", "--robot", "spirit40", "--twist", "0.3,0,0", "--set", "controller.weights=3"),
            "did you mean 'controller.local.nmpc.weights'?",
        ),
        (("walk", "--board", "rocks", "--set", "heigt=3cm"), "heigt"),
        (("plan", "--board", "rocks", "--set", "controller.efort=2"), "did you mean 'effort'?"),
        (("bench", "boards", "--boards", "flat", "--set", "controller.efort=2"), "did you mean 'effort'?"),
    ],
)
def test_what_cannot_be_set_is_one_message(words, message):
    refused = invoke(*words)
    assert refused.exit_code == 2, refused.output
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_plain_name_is_the_boards_and_a_path_the_scenarios():
    from andante.runs.tasks.walk.task import WalkTask, changed

    task = changed(
        WalkTask(), {"board": "blocks", "values": ["height=2cm", "controller.effort=3", "world.friction=0.5"]}
    )
    assert task.values == {"height": pytest.approx(0.02)}
    scenario = task.scenario()
    assert scenario.controller.effort == 3.0
    assert scenario.world.friction == 0.5
    assert with_settings(scenario, ()) is scenario


def test_the_paths_of_a_kind_are_those_of_its_model():
    own = [each.path for each in parameters(CONTROLLERS.kinds["crawl"], ("controller",))]
    assert "controller.map.noise" in own
    assert "controller.execution.latency" in own
    assert not [path for path in own if "nmpc" in path]


@pytest.mark.parametrize("name", [*BOARDS.names])
def test_paths_of_boards_make_the_board_that_is_made_without_them(name):
    (board,) = settings_of(name)
    found = {each.path: each for each in board.read()}
    own = [path for path in found if path.startswith("world.terrain.parameters.")]
    assert len(own) == len(BOARDS[name].parameters)
    for path in found:
        data = base("trot") | {"world": {"terrain": {"board": name}}}
        set_to_default = with_value(Scenario, data, parse_path(path), found[path].default)
        made = validated(set_to_default).world.terrain.load()
        assert made.values == pytest.approx(validated(data).world.terrain.load().values)


def test_params_knows_boards_and_observers_and_tells_how_one_is_changed():
    told = invoke("params", "rocks", "density").stdout
    assert "world.terrain.parameters.density" in told
    assert "0.6 at difficulty 0, 0.95 at 1" in told
    assert "andante walk --board rocks --set world.terrain.parameters.density=VALUE" in told
    for name in OBSERVERS.names:
        (observer,) = [each for each in settings_of(name) if each.type == "observer"]
        assert [each.path for each in observer.read()] == [
            f"observers.{name}.{one}" for one in OBSERVERS[name].model_fields
        ]
    told = invoke("params", "get-up", "hold").stdout
    assert "observers.get-up.hold" in told
    assert "andante bench EXPERIMENT --set observers.get-up.hold=VALUE" in told
    assert invoke("params", "growth").stdout == "observer growth has no settings\n"


def test_a_name_of_several_things_is_told_of_each():
    told = invoke("params", "quadruped").stdout
    assert told.startswith("kind of controller quadruped\ncontroller.")
    assert "\nobserver quadruped\nobservers.quadruped." in told
    assert "\nkind of task quadruped has no settings\n" in told


def test_a_name_that_nothing_has_is_told_with_the_legal_ones_by_what_they_are():
    told = invoke("params", "get-upp").stderr
    assert "did you mean 'get-up'?" in told
    assert "observer: fall, get-up" in told
    assert "board: rolling" in told
    assert "kind of controller: keyframes" in told

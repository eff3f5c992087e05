"""What forms know of the parts agrees with what the parts themselves take and refuse."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from andante.motions.conditions import Condition, Variable
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion
from andante.motions.settings import BalanceParameters, EngineSettings
from andante.studio.forms import part_forms

PARTS = {each.__name__: each for each in (Keyframe, Block, Motion, BalanceParameters, EngineSettings)}
NAMES = st.sampled_from(["HeadYaw", "left_arm", "wave"])


def values(shape: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Whatever a form may send for a field of this shape."""
    kind = shape["kind"]
    if kind == "number":
        low, high = shape.get("ge", shape.get("gt", -100)), shape.get("le", shape.get("lt", 1000))
        if shape.get("whole"):
            found = st.integers(math.ceil(low), math.floor(high))
        else:
            found = st.floats(low, high, exclude_min="gt" in shape, exclude_max="lt" in shape)
        if "legal" in shape:
            found |= st.sampled_from(shape["legal"])
    elif kind == "switch":
        found = st.booleans()
    elif kind == "choice":
        found = st.sampled_from(shape["legal"])
    elif kind == "part":
        found = parts(shape["part"])
    elif kind == "list":
        found = st.lists(values(shape["item"]), max_size=2)
    elif kind == "vector":
        found = st.tuples(*(values(item) for item in shape["items"])).map(list)
    elif kind == "map":
        found = st.dictionaries(NAMES, values(shape["item"]), max_size=2)
    else:
        found = NAMES
    return found | st.none() if shape.get("optional") else found


def parts(name: str) -> st.SearchStrategy[dict[str, Any]]:
    fields = part_forms()[name]
    required = {field: values(shape) for field, shape in fields.items() if shape.get("required")}
    rest = {field: values(shape) for field, shape in fields.items() if not shape.get("required")}
    if name == "Block":
        rest.pop("keyframes")
    return st.fixed_dictionaries(required, optional=rest)


@pytest.mark.parametrize("name", PARTS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_a_form_may_send_is_legal(name: str, data: st.DataObject) -> None:
    PARTS[name].model_validate(data.draw(parts(name)))


def test_defaults_are_the_parts_own() -> None:
    """A part of required fields and the forms' defaults equals the part of its required fields alone."""
    needed = {"Keyframe": {"duration": 0.5}, "Block": {}, "Motion": {}, "EngineSettings": {}}
    for name, fields in needed.items():
        stated = {field: shape["default"] for field, shape in part_forms()[name].items() if "default" in shape}
        assert PARTS[name].model_validate(stated | fields) == PARTS[name].model_validate(fields)


def test_bounds_units_and_names() -> None:
    forms = part_forms()
    assert forms["Keyframe"]["duration"]["gt"] == 0.0
    assert forms["Keyframe"]["duration"]["dimension"] == "time"
    assert forms["Keyframe"]["phase"] | {"note": ""} == {
        "kind": "name",
        "of": "balance",
        "note": "",
        "default": "unknown",
    }
    assert (forms["JointStiffness"]["stiffness"]["ge"], forms["JointStiffness"]["stiffness"]["le"]) == (0.0, 1.0)
    assert forms["Branch"]["max_block_loops"]["ge"] == -1
    assert forms["Branch"]["max_block_loops"]["whole"]
    assert forms["Branch"]["early"] | {"note": ""} == {
        "kind": "part", "part": "ConditionGroup", "optional": True, "note": "", "default": None,
    }  # fmt: skip
    assert forms["WindowRange"]["min"]["legal"] == ["keep"]
    assert forms["Motion"]["blocks"]["item"] == {"kind": "name", "of": "blocks"}
    assert forms["Block"]["base_stiffness"]["keys"] == "groups"
    assert "extras" not in forms["Keyframe"]
    assert len(json.dumps(forms)) < 60_000


def test_a_conditions_range_has_its_variables_dimension() -> None:
    shape = part_forms()["Condition"]["min"]
    assert shape["by"] == "variable"
    assert shape["dimensions"] == {variable.value: variable.dimension for variable in Variable}
    assert shape["dimensions"]["com_height"] == "length"


def test_fields_and_names_say_what_they_mean() -> None:
    forms = part_forms()
    for part, fields in forms.items():
        for name, shape in fields.items():
            assert shape["note"], f"{part}.{name}"
    assert forms["Branch"]["early"]["note"].startswith("Looked at before the keyframe starts")
    notes = forms["Condition"]["variable"]["notes"]
    assert set(notes) == {variable.value for variable in Variable}
    assert notes["com_height"].startswith("Height of the centre of mass")
    with pytest.raises(ValidationError):
        Condition(variable="com_height", min="low", max=1.0)

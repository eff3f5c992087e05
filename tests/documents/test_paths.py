"""Values by path: what a path may name, what is told of one that names nothing, and that nothing else is changed."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import pytest
from pydantic import Field

from andante.documents.fields import meant
from andante.documents.parameters import parameters
from andante.documents.part import Part
from andante.documents.paths import PathError, parse_path, typed_values, value_at
from andante.documents.problems import DocumentError
from andante.documents.quantities import Angle, PositiveShare, Seconds
from andante.documents.reader import load_document
from andante.documents.registry import Registry


class Wheel(Part):
    radius: Annotated[float, Field(gt=0.0)] = 0.2
    """How large [m]."""
    grip: PositiveShare = 0.8
    """How well it holds."""


class Mover(Part):
    type: str


class Cart(Mover):
    type: Literal["cart"]
    wheels: tuple[Wheel, ...] = (Wheel(),)
    """Its wheels."""
    lean: Angle = 0.1
    """How far it leans [rad]."""
    gains: tuple[float, float, float] = (1.0, 2.0, 3.0)


class Sledge(Mover):
    type: Literal["sledge"]
    runners: int = 2


MOVERS: Registry[Mover] = Registry("movers", "mover", Mover, {}, default="cart")
for kind in (Cart, Sledge):
    MOVERS.add(kind)


class Trip(Part):
    mover: Annotated[Mover, MOVERS]
    delay: Seconds = 0.0
    """When it begins [s]."""
    spare: Wheel | None = None
    """One more."""
    weights: dict[str, float] = Field(default_factory=dict)


CART = {"mover": {"type": "cart", "wheels": [{"radius": 0.2}, {"radius": 0.3}], "gains": [1.0, 2.0, 3.0]}}


def changed(*pairs, data=CART):
    return typed_values(Trip, data, pairs, "--set")


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("delay", ("delay",)),
        ("mover.wheels[1].radius", ("mover", "wheels", 1, "radius")),
        ("mover.gains[0]", ("mover", "gains", 0)),
        ("weights.'a b'", ("weights", "a b")),
        ("weights.*Knee*", ("weights", "*Knee*")),
    ],
)
def test_steps_of_a_path(text, steps):
    assert parse_path(text) == steps


@pytest.mark.parametrize("text", ["", ".", "a..b", "a.", "[0]", "a[x]", "a[0", "a[-1]", "a b.[", "x=y"])
def test_what_is_no_path_is_refused(text):
    with pytest.raises(PathError, match="is no path"):
        parse_path(text)


def test_one_value_changes_and_nothing_else():
    before = repr(CART)
    data = changed("mover.wheels[1].radius=0.5", "mover.lean=9deg", "delay=20ms", "mover.wheels[2].grip=0.5")
    assert repr(CART) == before
    assert data["mover"]["wheels"] == [{"radius": 0.2}, {"radius": 0.5}, {"grip": 0.5}]
    assert data["mover"]["lean"] == pytest.approx(math.radians(9.0))
    assert data["delay"] == pytest.approx(0.02)
    assert data["mover"]["gains"] is CART["mover"]["gains"]
    trip = Trip.model_validate(data)
    assert trip.mover.wheels[2].grip == 0.5


def test_values_are_yaml_and_parts_that_are_null_begin_empty():
    data = changed("spare.radius=0.4", "mover.gains=[4, 5, 6]", "mover.wheels[0]={grip: 0.1}", "weights.left=1e-3")
    trip = Trip.model_validate(data)
    assert trip.spare == Wheel(radius=0.4)
    assert trip.mover.gains == (4.0, 5.0, 6.0)
    assert trip.mover.wheels[0] == Wheel(grip=0.1)
    assert trip.weights == {"left": 0.001}
    assert Trip.model_validate(changed("spare=null")).spare is None


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (
            "mover.wheel=1",
            "--set mover.wheel: mover has no such field; got 'wheel'; did you mean 'wheels'?; legal: type,",
        ),
        ("mover.radius=1", "did you mean 'mover.wheels[0].radius'?"),
        ("mover.runners=1", "mover has no such field; got 'runners'; legal: type, wheels, lean, gains"),
        ("grip=1", "the document has no such field; got 'grip'; did you mean 'spare.grip'?"),
        ("mover.gains[3]=1", "mover.gains has no such item; got 3; limit: items 0 to 2"),
        ("mover.wheels[5].grip=1", "there are not so many items; got 5; limit: 2 are there, the next is [2]"),
        ("delay.x=1", "--set delay.x: delay has no parts; got 'x'"),
        ("delay", "--set: give PATH=VALUE; got 'delay'; such as world.friction=0.4"),
        ("delay=", "--set: give PATH=VALUE"),
        ("mover.lean=3ms", "--set mover.lean: is no unit of this value; got 'ms'; legal: rad, deg"),
        ("mover.gains=[1, 2", "--set mover.gains:2:1: not readable as YAML"),
    ],
)
def test_what_leads_to_nothing_is_told_with_the_nearest_path(pair, message):
    with pytest.raises(PathError) as caught:
        changed(pair)
    assert message in str(caught.value)


def test_a_document_names_the_fields_of_its_own_kind_and_the_nested_path():
    with pytest.raises(DocumentError) as caught:
        load_document("mover: {type: cart, grip: 1}\n", Trip, place="trip.yaml")
    assert str(caught.value) == (
        "trip.yaml:1:21: mover has no such field; got 'grip'; did you mean 'mover.wheels[0].grip'?; "
        "legal: type, wheels, lean, gains"
    )
    with pytest.raises(DocumentError) as other:
        load_document("mover: {type: sledge, runers: 1}\n", Trip, place="trip.yaml")
    assert str(other.value).endswith("got 'runers'; did you mean 'runners'?; legal: type, runners")
    assert meant(Trip, ("mover", "lean"), {"mover": {"type": "sledge"}}) == ""


def test_parameters_have_path_unit_default_bounds_and_meaning():
    told = {each.path: each for each in parameters(Trip, (), CART)}
    assert list(told) == [
        "mover",
        "mover.type",
        "mover.wheels",
        "mover.wheels[0].radius",
        "mover.wheels[0].grip",
        "mover.lean",
        "mover.gains",
        "delay",
        "spare",
        "spare.radius",
        "spare.grip",
        "weights",
    ]
    assert told["mover.lean"].data() == {
        "path": "mover.lean",
        "unit": "rad",
        "default": 0.1,
        "bounds": "",
        "meaning": "How far it leans.",
        "required": False,
        "kind": "",
    }
    assert (told["spare.radius"].unit, told["spare.radius"].bounds) == ("m", "> 0")
    assert told["spare.grip"].bounds == "> 0, <= 1"
    assert told["mover.gains"].bounds == "3 values"
    assert told["mover.type"].required
    assert "LEANS" in told["mover.lean"]


def test_value_at_a_path():
    assert value_at(CART, ("mover", "wheels", 1, "radius")) == 0.3
    assert value_at(CART, ("mover", "wheels", 7, "radius")) is None

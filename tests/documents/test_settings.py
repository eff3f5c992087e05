"""Settings: one statement of a number gives its bounds, its growth with the robot and its documentation."""

from __future__ import annotations

import math
import pickle
from typing import Annotated, ClassVar, Literal, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError, model_validator

from andante.documents.part import Part
from andante.documents.problems import DocumentError
from andante.documents.quantities import (
    AngularVelocity,
    NonNegativeFixedTime,
    NonNegativeTime,
    PositiveAngle,
    PositiveLength,
    Rate,
    Share,
    Speed,
)
from andante.documents.reader import load_document
from andante.documents.registry import Registry
from andante.documents.settings import Settings, SettingsError
from andante.documents.validation import contradiction
from andante.plugins.errors import PluginError


class Gait(Settings):
    place: ClassVar[str] = "gait"

    step: PositiveLength = 0.1
    """Step [m]."""
    least: PositiveLength = 0.05
    """Shortest step [m]."""
    time: NonNegativeTime = 0.5
    """Time of a step [s]."""
    latency: NonNegativeFixedTime = 0.02
    """Latency of a camera [s]."""
    speed: Speed = 0.4
    """Speed [m/s]."""
    mending: Rate = 2.0
    """Share of an error that is mended per second [1/s]."""
    turning: AngularVelocity = 0.3
    """Turning [rad/s]."""
    tilt: PositiveAngle = 0.2
    """Tilt [rad]."""
    duty: Share = 0.6
    """Share of the time on the ground."""
    style: Literal["walk", "pace"] = "walk"
    """Style."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.least > self.step:
            raise contradiction(
                "no step is so long", field="least", value=self.least, limit=f"at most step = {self.step:g} m"
            )
        return self


class Document(Part):
    gait: Gait = Gait()
    """The gait."""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"step": 0.0}, "gait.step: is not legal; got 0.0; limit: above 0"),
        ({"duty": 1.5}, "gait.duty: is not legal; got 1.5; limit: at most 1"),
        ({"time": math.nan}, "gait.time: must be a finite number; got nan"),
        ({"time": True}, "gait.time: must be a number; got True"),
        ({"stepp": 0.1}, "gait: there is no such setting; got 'stepp'; did you mean 'step'?; legal: step, least, "),
        ({"style": "pase"}, "gait.style: is not legal; got 'pase'; did you mean 'pace'?; legal: walk, pace"),
        ({"least": 0.2}, "gait.least: no step is so long; got 0.2; limit: at most step = 0.1 m"),
    ],
)
def test_wrong_settings_are_named_where_they_are_made(values, message):
    with pytest.raises(SettingsError) as caught:
        Gait(**values)
    assert str(caught.value).startswith(message)
    with pytest.raises(SettingsError):
        Gait().changed(**values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gait: {step: 0}", "x:1:14: gait.step is not legal; got 0; limit: above 0"),
        ("gait: {stepp: 1}", "x:1:8: gait has no such field; got 'stepp'; did you mean 'step'?"),
        ("gait:\n  least: 0.2", "x:2:10: gait.least: no step is so long; got 0.2; limit: at most step = 0.1 m"),
        ("gait:\n  step: 0.01", "x:2:3: gait: no step is so long; got 0.05; limit: at most step = 0.01 m"),
    ],
)
def test_in_a_document_they_are_named_with_their_line(text, message):
    with pytest.raises(DocumentError) as caught:
        load_document(text, Document, place="x")
    assert str(caught.value).startswith(message)


def test_documents_give_them_in_their_own_units():
    text = "units: {length: mm, time: ms, angle: deg}\ngait: {step: 120, time: 400, tilt: 10, turning: 30, speed: 0.3}"
    gait = load_document(text, Document).gait
    assert (gait.step, gait.time, gait.speed) == pytest.approx((0.12, 0.4, 0.3))
    assert (gait.tilt, gait.turning) == pytest.approx((math.radians(10.0), math.radians(30.0)))


@given(st.floats(0.2, 8.0))
def test_a_larger_robot_keeps_its_froude_number(size):
    small, large = Gait(), Gait().scaled(size)
    assert large.speed**2 / large.step == pytest.approx(small.speed**2 / small.step)
    assert large.speed * large.time / large.step == pytest.approx(small.speed * small.time / small.step)
    assert large.mending * large.time == pytest.approx(small.mending * small.time)
    assert large.turning * large.time == pytest.approx(small.turning * small.time)
    assert (large.tilt, large.duty, large.latency) == (small.tilt, small.duty, small.latency)


def test_only_what_is_named_grows():
    small, slower = Gait(), Gait().grown(4.0, "time")
    assert slower == small.changed(time=2.0 * small.time)


def test_of_the_same_size_they_are_the_same():
    assert Gait(step=0.07).scaled(1.0) == Gait(step=0.07)


class Gaits(Settings):
    place: ClassVar[str] = "gaits"

    slow: Gait = Gait()
    speed: Speed = 0.2


def test_one_value_is_changed_by_its_path():
    gaits = Gaits().with_value("slow.step", 0.2).with_value("speed", 0.3)
    assert (gaits.slow.step, gaits.speed) == (0.2, 0.3)
    with pytest.raises(SettingsError, match=r"gait\.step: is not legal; got -1"):
        gaits.with_value("slow.step", -1.0)
    with pytest.raises(SettingsError, match="gaits: there is no such setting; got 'fast'"):
        gaits.with_value("fast.step", 0.1)


def test_they_are_frozen_hashable_and_travel():
    gait = Gait(step=0.2)
    with pytest.raises(ValidationError):
        gait.step = 0.1  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(gait)) == gait
    assert len({gait, Gait(step=0.2), Gait()}) == 2


def test_some_of_a_larger_parts_fields_are_taken_out():
    class Larger(Gait):
        name: str = "x"

    assert Gait.of(Larger(step=0.3)) == Gait(step=0.3)


class Shape(Part):
    type: str


class Circle(Shape):
    type: Literal["circle"] = "circle"
    radius: PositiveLength


class Square(Shape):
    type: Literal["square"]
    side: PositiveLength


SHAPES: Registry[Shape] = Registry("shapes", "shape", Shape, {}, default="circle")
SHAPES.add(Circle)


class Drawing(Part):
    shape: Annotated[Shape, SHAPES]


def test_a_field_holds_one_of_the_registered_kinds():
    assert load_document("shape: {radius: 2}", Drawing).shape == Circle(radius=2.0)
    with pytest.raises(DocumentError, match=r"shape has no such field; got 'radiuss'; did you mean 'radius'"):
        load_document("shape: {radiuss: 2}", Drawing)
    with pytest.raises(DocumentError, match=r"shape\.type is not legal; got 'square'; legal: circle"):
        load_document("shape: {type: square, side: 2}", Drawing)
    SHAPES.add(Square)
    assert load_document("shape: {type: square, side: 2}", Drawing).shape == Square(type="square", side=2.0)


def test_two_kinds_of_one_type_are_refused():
    class Other(Shape):
        type: Literal["circle"] = "circle"

    SHAPES.add(Circle)
    with pytest.raises(PluginError, match="two shapes cannot have one name; got 'circle'"):
        SHAPES.add(Other)


def test_a_kind_without_a_type_of_one_name_is_refused():
    class Unnamed(Shape):
        type: str = "unnamed"

    with pytest.raises(DocumentError, match="Unnamed: the field type must be a Literal of one name; got"):
        SHAPES.add(Unnamed)

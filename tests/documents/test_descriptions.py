"""What fields mean is read from the source when somebody asks, as pydantic would read it when a model is made."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from andante.documents.descriptions import descriptions
from andante.documents.part import Part
from andante.motions.keyframe import Keyframe
from andante.runs.scenario import Scenario


class Base(Part):
    first: int = 0
    """Of the base,
    over two lines."""
    second: int = 0
    """Replaced below."""


class Derived(Base):
    second: int = 1
    """Of the derived one."""
    third: int = Field(default=0, description="Said in the field.")
    """Not this."""
    fourth: int = 0


class AsPydantic(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)

    first: int = 0
    """Of the base,
    over two lines."""


def test_own_inherited_and_given_texts() -> None:
    assert descriptions(Derived) == {
        "first": "Of the base,\nover two lines.",
        "second": "Of the derived one.",
        "third": "Said in the field.",
    }
    assert descriptions(Base)["first"] == AsPydantic.model_fields["first"].description


def test_classes_inside_functions_have_theirs() -> None:
    class Inner(Part):
        field: int = 0
        """In a function."""

    assert descriptions(Inner) == {"field": "In a function."}


def test_every_field_of_the_documents_says_what_it_means() -> None:
    for model in (Keyframe, Scenario):
        assert set(descriptions(model)) == set(model.model_fields)


def test_a_class_without_source_has_none() -> None:
    made = type("Made", (Part,), {"__annotations__": {"field": int}, "field": 0, "__module__": "nowhere"})
    assert descriptions(made) == {}

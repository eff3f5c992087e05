"""All settings of the package: every field is documented, and its unit is that of its type."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import andante
from andante.documents.descriptions import descriptions
from andante.documents.quantities import Quantity
from andante.documents.settings import Settings

UNITS = {"length": "[m]", "time": "[s]", "speed": "[m/s]", "rate": "[1/s]", "angle": "[rad]"}
for module in pkgutil.walk_packages(andante.__path__, "andante."):
    ends = ("configuration", "sections", "survey", "layers", "estimator")
    if "settings" in module.name or module.name.endswith(ends):
        importlib.import_module(module.name)


def kinds(base=Settings):
    for kind in base.__subclasses__():
        if kind.__module__.startswith("andante.") and kind.model_fields:
            yield kind
        yield from kinds(kind)


KINDS = sorted(set(kinds()), key=lambda kind: f"{kind.__module__}.{kind.__name__}")


def test_there_are_settings_to_look_at():
    assert len(KINDS) > 10


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_fields_are_documented_in_the_unit_of_their_type(kind):
    texts = descriptions(kind)
    for name, field in kind.model_fields.items():
        assert texts.get(name), name
        for quantity in (item for item in field.metadata if isinstance(item, Quantity)):
            unit = UNITS.get(quantity.dimension)
            if unit is not None:
                assert unit in texts[name], f"{kind.__name__}.{name}: {texts[name]}"

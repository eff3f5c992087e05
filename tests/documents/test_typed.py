"""Settings typed at a command."""

from __future__ import annotations

import math
from typing import ClassVar

import pytest

from andante.documents.quantities import Duration, PositiveAngle, PositiveLength
from andante.documents.settings import Settings, SettingsError
from andante.documents.typed import changed_by


class Some(Settings):
    """Settings of every kind."""

    place: ClassVar[str] = "some"
    angle: PositiveAngle = 1.0
    time: Duration | None = None
    length: PositiveLength = 1.0
    names: tuple[str, ...] = ()
    word: str = "a"


def test_units_stand_behind_the_number() -> None:
    found = changed_by(Some(), ["angle=90deg", "time=250 ms", "length=7.5cm", "names=a, b", "word=b"], "--rule")
    assert found == Some(angle=math.pi / 2, time=0.25, length=0.075, names=("a", "b"), word="b")
    assert changed_by(Some(), ["angle=.5"], "--rule").angle == 0.5


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("angel=1", "--rule: there is no such setting; got 'angel'; did you mean 'angle'?"),
        ("angle", "--rule: give NAME=VALUE; got 'angle'"),
        ("angle=", "--rule: give NAME=VALUE; got 'angle='"),
        ("angle=1s", "--rule angle: is no unit of this setting; got 's'; legal: rad, deg"),
        ("angle=nan", "--rule angle: is no number; got 'nan'"),
        ("angle=-1deg", "some.angle: is not legal"),
    ],
)
def test_what_is_none_is_named(pair: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        changed_by(Some(), [pair], "--rule")
    assert message in str(caught.value)

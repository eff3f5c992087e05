"""Scalars: numbers, angles, names; what they mean and that writing gives the same digits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.formats.bhuman.grammar import GrammarReader, Literal, SourceText
from andante.formats.bhuman.scalars import AngleValue, BareAngle, Flag, Integer, Name, Range, UnitNumber, number_text
from andante.formats.report import FormatError, ReadReport

WORDS = {10000.0: "off", 20000.0: "ignore"}


def read(kind, text):
    return kind.read(Literal(text), GrammarReader(SourceText(text, "f.cfg"), ReadReport()), "a.b")


@pytest.mark.parametrize(
    ("text", "radians"),
    [
        ("0deg", 0.0),
        ("180deg", math.pi),
        ("-90 deg", -math.pi / 2),
        ("90\tdeg", math.pi / 2),
        ("0.5pi", math.pi / 2),
        ("-1 pi", -math.pi),
        ("1.5rad", 1.5),
        ("1.5", 1.5),
        ("+.5", 0.5),
        ("2.", 2.0),
        ("1e-1", 0.1),
        ("10000deg", math.radians(10000)),
        ("10000", "off"),
        ("20000", "ignore"),
        ("2e4", "ignore"),
    ],
)
def test_angles(text, radians):
    value = read(AngleValue(WORDS), text)
    assert value == radians if isinstance(radians, str) else value == pytest.approx(radians, abs=1e-15, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    ["", "deg", "1 degree", "1d", "0x10", "1,5", "nan", "inf", "-inf", "1_0", "--1", "1e", "٣", "1e999", "1" * 99],
)
@pytest.mark.parametrize("kind", [AngleValue(WORDS), UnitNumber(), BareAngle()])
def test_what_is_no_number_is_refused(kind, text):
    with pytest.raises(FormatError, match=r"^f.cfg:1:1, a.b: (this is not|the number is too large)"):
        read(kind, text)


@pytest.mark.parametrize("text", ["1.0", "1e3", "", "one", "1deg", "2147483648", "-2147483649", "9" * 5000])
def test_what_is_no_whole_number_is_refused(text):
    with pytest.raises(FormatError):
        read(Integer(), text)


def test_a_comment_inside_a_value_is_left_out_and_told():
    for kind, text, value in (
        (UnitNumber(), "5 // ms", 5.0),
        (Integer(), "7/* of 9 */", 7),
        (AngleValue(), "0deg // right arm", 0.0),
    ):
        reading = GrammarReader(SourceText(text, "f.cfg"), ReadReport())
        assert kind.read(Literal(text), reading, "a.b") == value
        (told,) = reading.report.warnings
        assert "the comment behind it, inside the value, is not kept" in str(told)
    with pytest.raises(FormatError) as caught:
        read(UnitNumber(), "five // ms")
    assert str(caught.value) == (
        "f.cfg:1:1, a.b: this is not a number; got 'five // ms'; "
        "a comment inside a value belongs to the value; put it behind the ';'"
    )


def test_units_of_numbers():
    assert read(UnitNumber("length"), "70") == pytest.approx(0.07)
    assert read(UnitNumber("time"), "12.5") == pytest.approx(0.0125)
    assert read(Integer(dimension="time"), "410") == pytest.approx(0.41)
    assert read(Integer(percent=True), "35") == 0.35
    assert read(Integer(Range(0, 100), percent=True, none=-1), "-1") is None
    assert read(BareAngle(), "-50") == -50.0
    assert read(BareAngle(), "90deg") == pytest.approx(math.pi / 2)
    assert read(BareAngle("length"), "-50") == pytest.approx(-0.05)


@pytest.mark.parametrize(
    ("kind", "text", "limit"),
    [
        (UnitNumber("time", Range(low=0.0, above=True)), "0", "above 0"),
        (UnitNumber("time", Range(low=0.0, above=True)), "-5", "above 0"),
        (Integer(Range(low=1)), "0", "at least 1"),
        (Integer(Range(0, 100), percent=True), "101", "0 to 100"),
        (Integer(Range(0, 100), percent=True, none=-1), "-2", "0 to 100"),
    ],
)
def test_ranges(kind, text, limit):
    with pytest.raises(FormatError, match=f"the number is out of range; got .*; limit: {limit}$"):
        read(kind, text)


def test_flags_and_names():
    assert [read(Flag(), text) for text in ("true", "false", "1", "0")] == [True, False, True, False]
    with pytest.raises(FormatError, match=r"got 'True'; did you mean 'true'\?; legal: true, false"):
        read(Flag(), "True")
    name = Name("a phase", {"Stand": "stand", "Sit": "sit", "Alias": "sit"})
    assert read(name, "Alias") == "sit"
    assert name.write("sit").text == "Sit"
    with pytest.raises(FormatError) as caught:
        read(name, "Stnd")
    assert str(caught.value) == (
        "f.cfg:1:1, a.b: this is not a phase; got 'Stnd'; did you mean 'Stand'?; legal: Stand, Sit, Alias"
    )


six_digits = st.builds(
    lambda digits, exponent, sign: f"{sign * digits * 10.0**exponent:g}",
    st.integers(0, 999_999),
    st.integers(-12, 6),
    st.sampled_from((-1.0, 1.0)),
)


@given(six_digits)
def test_six_digits_survive_every_unit(text):
    assert AngleValue(WORDS).write(read(AngleValue(WORDS), text + "deg")).text == text + "deg"
    for kind in (
        UnitNumber(),
        UnitNumber("time"),
        UnitNumber("length"),
        UnitNumber("angle"),
        UnitNumber("angular_velocity"),
    ):
        assert kind.write(read(kind, text)).text == text
    if float(text) != 0.0:
        for kind in (BareAngle(), BareAngle("length")):
            assert kind.write(read(kind, text)).text == text


@pytest.mark.slow
def test_every_hundredth_of_a_degree_survives():
    kind = AngleValue(WORDS)
    for hundredths in range(-36_000, 36_001):
        text = f"{hundredths / 100.0:g}deg"
        assert kind.write(read(kind, text)).text == text


@given(st.floats(-1e6, 1e6, allow_subnormal=False))
def test_edited_angles_keep_twelve_digits(radians):
    kind = AngleValue()
    written = kind.write(radians).text
    back = read(kind, written)
    assert back == pytest.approx(radians, rel=1e-11, abs=1e-300)
    assert kind.write(back).text == written


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (121.1, "121.1"),
        (1e6, "1e+06"),
        (1234567.0, "1234567"),
        (1e-5, "1e-05"),
        (1 / 3, "0.333333333333"),
        (-27.9829, "-27.9829"),
    ],
)
def test_number_text(value, text):
    assert number_text(value) == text


def test_words_are_written_bare_and_zero_of_a_bare_angle_with_its_suffix():
    assert AngleValue(WORDS).write("ignore").text == "20000"
    assert AngleValue(WORDS).write("off").text == "10000"
    assert BareAngle().write(0.0).text == "0deg"
    assert BareAngle("length").write(-0.05).text == "-50"

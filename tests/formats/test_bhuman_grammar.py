"""The grammar: every construct, every quirk, positions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.formats.bhuman import grammar
from andante.formats.bhuman.grammar import Array, AttributeRecord, Literal, parse
from andante.formats.bhuman.layout import layout
from andante.formats.report import FormatError


def plain(node):
    """A tree without positions."""
    if isinstance(node, Literal):
        return node.text
    if isinstance(node, Array):
        return [plain(item) for item in node.items]
    return {name: plain(value) for name, value in node.fields.items()}


def tree(text: str):
    return plain(parse(text).root)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        (" \t\r\n\v\f ", {}),
        ("a=1;", {"a": "1"}),
        ("a = {};", {"a": {}}),
        ("a = {b = {c = 1;};};", {"a": {"b": {"c": "1"}}}),
        ("a = [];", {"a": []}),
        ("a = [1];", {"a": ["1"]}),
        ("a = [1,];", {"a": ["1"]}),
        ("a = [1, 2,\n];", {"a": ["1", "2"]}),
        ("a = [{b = 1;}, {}];", {"a": [{"b": "1"}, {}]}),
        ("a = {b = [];};", {"a": {"b": []}}),
        ("a = two words ;", {"a": "two words"}),
        ("a = x{y[z;", {"a": "x{y[z"}),
        ("a = /;", {"a": "/"}),
        ("a = a/b;", {"a": "a/b"}),
        ("a = 1 // in\n;", {"a": "1 // in"}),
        ("a = 1 /* in */;", {"a": "1 /* in */"}),
        ("a = 1; // behind", {"a": "1"}),
        ("a = // before\n1;", {"a": "1"}),
        ("/* one */ a /* in the name */ = 1;", {"a /* in the name */": "1"}),
        ("a = /* x */ 1 /**/ ;", {"a": "1 /**/"}),
        ('a = "b;c";', {"a": "b;c"}),
        ('a = "q\\"u\\\\o\\nte";', {"a": 'q"u\\o\nte'}),
        ('"a b" = 1;', {"a b": "1"}),
        ("a = 1; } rest = of [ the file", {"a": "1"}),
        ("// only a comment", {}),
        ("/* only a comment */", {}),
        ("#a = 1;", {"#a": "1"}),
    ],
)
def test_constructs(text, expected):
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a = 1", 1, 6, "';' is missing after the value of 'a': the file ends here"),
        ("a = {b = 1;}", 1, 13, "';' is missing after the value of 'a': the file ends here"),
        ("a = [1]\nb = 2;", 2, 1, "';' is missing after the value of 'a'; got 'b = 2;'"),
        ("a", 1, 2, "'=' is missing after the name 'a': the file ends here"),
        ("a;", 1, 2, "'=' is missing after the name 'a'; got ';'"),
        ("= 1;", 1, 1, "the name of an attribute is missing; got '= 1;'"),
        ("a = ;", 1, 5, "a value is missing; got ';'"),
        ("a = [,];", 1, 6, "an element is missing; got ',];'"),
        ("a = [1 2; 3];", 1, 9, "',' or ']' is missing after an element; got '; 3];'"),
        ("a = [[1]];", 1, 6, "an array may not stand directly inside an array"),
        ("a = {", 1, 5, "the record is not closed; close it with }"),
        ("a = {b = 1;", 1, 5, "the record is not closed; close it with }"),
        ("a = [", 1, 5, "the array is not closed; close it with ]"),
        ("a = 1;\n/* b", 2, 1, "the comment is not closed; close it with */"),
        ('a = "b;\n', 1, 5, 'the quoted text is not closed; close it with "'),
        ("a = 1;\n\ta = 2;", 2, 9, "the attribute stands twice in one record, first in line 1; got 'a'"),
        ("x = {\n  \ta = ;\n};", 2, 13, "a value is missing; got ';\\n};'"),
    ],
)
def test_errors_have_line_and_column(text, line, column, message):
    with pytest.raises(FormatError) as caught:
        parse(text, "f.cfg")
    assert str(caught.value) == f"f.cfg:{line}:{column}: {message}"
    assert (caught.value.file, caught.value.line, caught.value.column) == ("f.cfg", line, column)


def test_tabs_advance_to_multiples_of_eight():
    tree = parse("ab\tc = 1;\n\t x = 2;")
    assert tree.source.position(tree.root.names["ab\tc"]) == (1, 1)
    assert tree.source.position(tree.root.fields["ab\tc"].offset) == (1, 13)
    assert tree.source.position(tree.root.names["x"]) == (2, 10)


def test_comments_behind_an_opening_brace_belong_to_the_record():
    parsed = parse("// top\n/* more */ a = { // one\n  // two\n  b = 1; // lost\n};")
    assert parsed.root.note == "top\nmore"
    record = parsed.root.fields["a"]
    assert isinstance(record, AttributeRecord)
    assert record.note == "one\ntwo"
    assert [parsed.source.position(offset) for offset in parsed.lost_comments] == [(4, 10)]


def test_what_follows_a_stray_brace_is_told():
    text = "a = 1; } b"
    assert parse(text).end == text.index("}")
    assert parse("a = 1; ").end == 7


@pytest.mark.parametrize("bomb", ["a={" * 100_000, "a=[{" * 100_000])
def test_deep_nesting_is_refused(bomb):
    with pytest.raises(FormatError, match=r"nested too deeply; limit: 48 levels"):
        parse(bomb)


def test_nesting_up_to_the_limit_is_read():
    text = "a={" * 48 + "};" * 48
    assert parse(text).root.fields["a"] is not None


@pytest.mark.slow
def test_too_many_values_are_refused():
    with pytest.raises(FormatError, match="too many values; limit: 600000 values"):
        parse("a=[" + "1," * 700_000 + "];")


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,40}", fullmatch=True)
texts = st.one_of(names, st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
values = st.recursive(
    texts,
    lambda inner: st.one_of(
        st.dictionaries(texts, inner, max_size=5),
        st.lists(inner.filter(lambda item: not isinstance(item, list)), max_size=5),
    ),
    max_leaves=25,
)


def build(value):
    if isinstance(value, str):
        return Literal(value)
    if isinstance(value, list):
        return Array([build(item) for item in value])
    return AttributeRecord({name: build(item) for name, item in value.items()})


@pytest.mark.slow
@given(st.dictionaries(texts, values, max_size=6))
def test_every_tree_survives_its_canonical_text(value):
    text = layout(build(value))
    parsed = parse(text)
    assert plain(parsed.root) == value
    assert layout(parsed.root) == text


def test_one_line_rule_counts_eighty_characters_behind_the_bracket():
    def text_of(width: int) -> str:
        return layout(AttributeRecord({"a": AttributeRecord({"x": Literal("v" * width)})}))

    # 'x = ' + value + ';' + '}' is width + 6 characters.
    assert text_of(74) == f"a = {{x = {'v' * 74};}};\n"
    assert text_of(75) == f"a = {{\n  x = {'v' * 75};\n}};\n"


def test_layout_of_containers():
    record = AttributeRecord(
        {
            "r": AttributeRecord({}),
            "n": AttributeRecord({"e": Array([]), "s": Literal("1")}),
            "l": Array([Literal("1deg"), Literal("2deg")]),
            "deep": Array(
                [AttributeRecord({"x": Literal("1")}), AttributeRecord({"y": AttributeRecord({"z": Array([])})})]
            ),
            "noted": AttributeRecord({"x": Literal("1")}, note="one\ntwo"),
        }
    )
    assert layout(record) == (
        "r = {};\n"
        "n = {e = []; s = 1;};\n"
        "l = [1deg, 2deg];\n"
        "deep = [\n  {x = 1;},\n  {\n    y = {z = [];};\n  }\n];\n"
        "noted = { // one\n  // two\n  x = 1;\n};\n"
    )
    assert re.search(r"[ \t]\n", layout(record)) is None


def test_a_comment_begins_right_behind_its_mark():
    for text, note in (("/*x y*/a = 1;", "x y"), ("//x y\na = 1;", "x y"), ("a = {/*zz*/b = 1;};", "")):
        assert parse(text).root.note == note, text
    assert parse("a = {/*zz*/b = 1;};").root.fields["a"].note == "zz"


def test_as_many_values_as_are_allowed(monkeypatch):
    monkeypatch.setattr(grammar, "MAX_NODES", 3)
    assert tree("a = [1, 2];") == {"a": ["1", "2"]}
    with pytest.raises(FormatError, match="too many values"):
        tree("a = [1, 2, 3];")

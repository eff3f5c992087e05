"""Messages of pages: legal ones are read, everything else is refused with a place."""

from __future__ import annotations

import contextlib
import json
import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.studio.errors import StudioError
from andante.studio.message import read_message
from andante.studio.messages import MESSAGES, SetKeyframes


def test_a_legal_message() -> None:
    text = json.dumps({"do": "set", "revision": 3, "block": "b", "fields": {"0": {"duration": 0.5}}, "request": 7})
    message = read_message(text, MESSAGES)
    assert isinstance(message, SetKeyframes)
    assert message.fields == {0: {"duration": 0.5}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"do": "nothing"}',
        '{"do": "undo", "more": 1}',
        '{"do": "posture", "joints": [NaN]}',
        '{"do": "posture", "joints": [1e999]}',
        '{"do": "set", "revision": 0, "block": "b", "fields": {"0": {"duration": NaN}}}',
        '{"do": "set", "revision": 0, "block": "b", "fields": {"-1": {"duration": 1}}}',
        '{"do": "set", "revision": 0, "block": "b", "fields": {"0": {"joints": {"a": Infinity}}}}',
        '{"do": "set", "revision": -1, "block": "b", "fields": {}}',
        '{"do": "text", "revision": 0, "changes": [[0, -1, "x"]]}',
        '{"do": "text", "revision": 0, "changes": [[0, 1]]}',
        '{"do": "play", "motion": "m", "speed": 0}',
        '{"do": "play", "motion": "m", "seed": -1}',
        '{"do": "plots", "columns": ' + json.dumps(["x"] * 65) + "}",
        '{"do": "fault", "fault": {"type": "weak", "joints": ["a"], "name": "n"}}',
        '{"do": "change", "parameter": "p", "value": NaN}',
        '{"do": "open", "file": ""}',
        '{"do": "open", "file": "' + "x" * 1001 + '"}',
        '{"do": "set", "revision": 0, "block": "b", "fields": {"0": {"x": ' + "[" * 100 + "]" * 100 + "}}}",
        "\xff\xfe",
        "[" * 100_000,
    ],
)
def test_what_is_not_legal_is_refused(text: str) -> None:
    with pytest.raises(StudioError, match="the message is refused"):
        read_message(text, MESSAGES)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_read(raw: bytes) -> None:
    with contextlib.suppress(StudioError):
        read_message(raw, MESSAGES)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(st.sampled_from(["do", "revision", "block", "fields", "request"]), x, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_any_json_is_refused_or_read(data: object) -> None:
    with contextlib.suppress(StudioError):
        read_message(json.dumps(data), MESSAGES)


def test_the_pages_types_are_those_of_the_models() -> None:
    """What pages may ask is checked by the compiler of the page against what the server takes."""
    script = Path(__file__).resolve().parents[2] / "scripts" / "protocol_types.py"
    made = runpy.run_path(str(script))
    assert made["TARGET"].read_text() == made["types"](), "run python scripts/protocol_types.py"

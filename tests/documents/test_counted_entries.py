"""Messages of lists and of numbers that may be a list: what is wrong is told, and nothing that is not so."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field

from andante.documents.part import Part
from andante.documents.problems import DocumentError
from andante.documents.reader import load_document


class List(Part):
    """A document with a list, and with a number that may be a list."""

    words: Annotated[tuple[str, ...], Field(min_length=1)] = ("a",)
    gain: Annotated[float, Field(ge=0.0)] | tuple[float, ...] = 1.0


def test_wrong_entries_are_told_in_place_of_a_length() -> None:
    """A list whose entries are wrong was told as one with none of them."""

    def refused(text: str) -> str:
        with pytest.raises(DocumentError) as error:
            load_document(text, List, place="list.yaml")
        return str(error.value)

    assert refused("words: [3, 4]") == (
        "list.yaml:1:9: words[0] must be a text; got 3\nlist.yaml:1:12: words[1] must be a text; got 4"
    )
    assert refused("words: []") == "list.yaml:1:8: words has too few entries; got []; limit: at least 1"
    assert refused("gain: -1") == "list.yaml:1:7: gain is not legal; got -1; limit: at least 0"

"""Part: the base of everything that documents are made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of a document: frozen, unknown fields are errors, docstrings of fields are their description."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

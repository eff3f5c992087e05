"""Part: the base of everything that documents are made of."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of a document: frozen, unknown fields are errors. `descriptions` of this room says what fields mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def but(self, **values: Any) -> Self:
        """The same part with other values, which are not checked."""
        return self.model_copy(update=values)

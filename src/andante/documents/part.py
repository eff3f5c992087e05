"""Part: the base of everything that documents are made of."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, create_model

with suppress(Exception):
    # The first model of a process asks all installed packages for plug-ins of pydantic. It stumbles over one whose
    # files cannot be read, in whatever way; no later model asks again, so that Andante's own are made in any case.
    create_model("First")


class Part(BaseModel):
    """A part of a document: frozen, unknown fields are errors. `descriptions` of this room says what fields mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def but(self, **values: Any) -> Self:
        """The same part with other values, which are not checked."""
        return self.model_copy(update=values)

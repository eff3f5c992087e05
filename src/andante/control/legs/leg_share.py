"""LegShare: how far legs are bent in standing, for the settings of gaits."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from andante.documents.quantities import Number

LegShare = Annotated[Number, Field(ge=0.3, le=0.97)]
"""Hip axis to foot as a share of the stretched leg; a leg stands neither folded nor stretched."""

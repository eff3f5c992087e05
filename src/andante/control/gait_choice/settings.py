"""Settings of the choice of gaits."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.trot.settings import TrotSettings
from andante.documents.quantities import FixedSpeed
from andante.documents.settings import Settings


class GaitChoiceSettings(Settings):
    """How fast a robot goes on, and how it does so in each gait."""

    place: ClassVar[str] = "gait choice"

    speed: Annotated[FixedSpeed, Field(gt=0.0)] = 0.4
    """Speed where the gait reaches it, else the gait's largest [m/s]."""
    crawl: ReactiveCrawlSettings = ReactiveCrawlSettings()
    """How it crawls."""
    trot: TrotSettings = TrotSettings()
    """How it trots."""

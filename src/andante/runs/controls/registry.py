"""The kinds of controllers that a scenario may name."""

from __future__ import annotations

from andante.documents.registry import Registry
from andante.runs.controls.crawl import CrawlControl, CrawlOrTrotControl
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.motions import KeyframeControl, OpenRControl
from andante.runs.controls.quadruped import QuadrupedControl
from andante.runs.controls.steering import ReactiveCrawlControl, TrotControl

CONTROLLERS: Registry[ControlKind] = Registry(default="keyframes")
"""Kinds of controllers; one that does not say its type plays keyframes."""

for kind in (
    *(KeyframeControl, OpenRControl, ReactiveCrawlControl, CrawlControl),
    *(TrotControl, CrawlOrTrotControl, QuadrupedControl),
):
    CONTROLLERS.register(kind)

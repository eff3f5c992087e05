"""The kinds of controllers that a scenario may name: one line each."""

from __future__ import annotations

from andante.documents.registry import Registry
from andante.runs.controls.crawl import CrawlControl
from andante.runs.controls.crawl_or_trot import CrawlOrTrotControl
from andante.runs.controls.keyframes import KeyframeControl
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.openr import OpenRControl
from andante.runs.controls.quadruped import QuadrupedControl
from andante.runs.controls.reactive_crawl import ReactiveCrawlControl
from andante.runs.controls.trot import TrotControl

CONTROLLERS: Registry[ControlKind] = Registry(default="keyframes")
"""Kinds of controllers; one that does not say its type plays keyframes."""

CONTROLLERS.register(KeyframeControl)
CONTROLLERS.register(OpenRControl)
CONTROLLERS.register(ReactiveCrawlControl)
CONTROLLERS.register(CrawlControl)
CONTROLLERS.register(TrotControl)
CONTROLLERS.register(CrawlOrTrotControl)
CONTROLLERS.register(QuadrupedControl)

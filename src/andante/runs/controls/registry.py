"""The kinds of controllers that a scenario may name: one line for each."""

from __future__ import annotations

from andante.documents.registry import Registry
from andante.runs.controls.kind import ControlKind

CONTROLLERS: Registry[ControlKind] = Registry(
    "controllers",
    "kind of controller",
    ControlKind,
    {
        "keyframes": "runs.controls.motions:KeyframeControl",
        "openr": "runs.controls.openr:OpenRControl",
        "reactive-crawl": "runs.controls.steering:ReactiveCrawlControl",
        "crawl": "runs.controls.crawl:CrawlControl",
        "trot": "runs.controls.steering:TrotControl",
        "crawl-or-trot": "runs.controls.crawl:CrawlOrTrotControl",
        "quadruped": "runs.controls.quadruped:QuadrupedControl",
        "policy": "runs.controls.policy:PolicyControl",
        "sequence": "runs.controls.sequence:SequenceControl",
    },
    default="keyframes",
)
"""Kinds of controllers; one that does not say its type plays keyframes."""

"""What many findings come to: one sentence, then the few causes that matter most, the worst first.

Findings of one cause are one entry with a count. Entries are ranked by what they are likely to do to the motion: first
what keeps it from being played, then by how far the robot will be from what is written, which `effect` estimates from
each finding's own numbers. A finding far beyond all others of its rule stands alone. Runs in physics, where there are
any, weigh more than estimates: what a motion does all the same does not harm it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from andante.motions.findings import SEVERITIES, Finding, Played
from andante.motions.library import MotionLibrary
from andante.motions.reached import reaching

MOST = 9
"""Most causes that are told first."""
_BLOCKING = {
    "unknown-reference",
    "robot-lacks",
    "limb-pose",
    "not-sampled",
    "endless-loop",
    "inverted-range",
    "reading",
    "units",
}
"""Rules whose errors mean that a motion cannot be played; errors of others mean that it should not."""
_SCALES: Mapping[str, float] = {
    "joint-limit": math.radians(10.0),
    "limit": math.radians(10.0),
    "coupling": math.radians(10.0),
    "ends": math.radians(10.0),
    "mirror": math.radians(20.0),
    "self-collision": 0.02,
    "static-balance": 0.05,
}
"""By rule the excess that counts as one: 10 degrees that a joint will not reach, 20 mm of two bodies in one place. A
wrong sign makes an angle wrong by twice itself."""
_SHARES: Mapping[str, float] = {"speed": 1.0, "velocity-jump": 0.2, "acceleration": 0.2, "duration": 0.3}
"""By rule what counts as much as being twice the limit."""
_TEXT = 0.3
"""Effect of what is no matter of degree: an entry that is never used, a rule that stands twice."""
_ALONE, _APART = 1.0, 2.0
"""A finding of at least this effect, so many times that of the next of its rule, is a cause of its own."""
_PROVEN, _FALLEN = 0.1, 3.0
"""What a finding weighs in a motion that stands in all its runs in physics, and in one that does not."""
_CHANGED = 1000.0
"""What a mend weighs that changes all runs in physics; more than any estimate."""
_PLACES = 4


@dataclass(frozen=True)
class Cause:
    """Findings of one cause."""

    findings: tuple[Finding, ...]
    """The findings, the worst first."""
    weight: float
    """How much the worst of them is likely to matter; errors above everything else."""
    played: Played | None = None
    """What physics tells of the worst; None: it was not asked."""

    @property
    def worst(self) -> Finding:
        """The finding that stands for all."""
        return self.findings[0]

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Blocks and motions that have it, each once, where the worst is first."""
        return tuple(dict.fromkeys(_owner(finding) for finding in self.findings))

    def __str__(self) -> str:
        more = len(self.findings) - 1
        proof = "" if self.played is None else f"; {self.played}"
        if not more:
            return f"{self.worst}{proof}"
        others = [place for place in self.places if place != _owner(self.worst)]
        where = f", also in {', '.join(others[:_PLACES])}" if others else ""
        where += f" and {len(others) - _PLACES} more" if len(others) > _PLACES else ""
        return f"{self.worst} and {more} more of the kind{where}{proof}"

    def as_dict(self) -> dict[str, Any]:
        """The cause as plain data."""
        worst = self.worst
        data = {
            "rule": worst.rule,
            "severity": worst.severity,
            "count": len(self.findings),
            "places": list(self.places),
        }
        data["played"] = None if self.played is None else asdict(self.played)
        return data | {"weight": round(self.weight, 6), "worst": worst.as_dict(), "text": str(self)}


@dataclass(frozen=True)
class Assessment:
    """What findings come to."""

    sentence: str
    """Can it be played, and how much there is to look at."""
    first: tuple[Cause, ...]
    """What to look at first, at most `MOST` causes."""
    later: tuple[Cause, ...]
    """All other causes; notes among them."""
    blocked: tuple[str, ...]
    """Motions that cannot be played."""

    @property
    def lines(self) -> list[str]:
        """Lines for people: the first causes, then how many findings there are beside them."""
        told = list(map(str, self.first))
        counts = Counter(finding.severity for cause in self.later for finding in cause.findings)
        named = [(counts["error"], "error"), (counts["warning"], "warning"), (counts["info"], "note")]
        rest = [f"{count} {name}{'s' * (count != 1)}" for count, name in named if count]
        return [*told, *([f"not shown: {', '.join(rest)}; --all lists everything"] if rest else [])]


def effect(finding: Finding) -> float:
    """How much a finding is likely to change what the robot does, by its own numbers; 1 is worth mending."""
    scale = _SCALES.get(finding.rule)
    if math.isinf(finding.excess) and not (scale and _numbers(finding)):
        return _TEXT
    if scale is not None:
        return abs(float(finding.value or 0.0) - float(finding.limit or 0.0)) / scale
    return finding.excess * _SHARES.get(finding.rule, _TEXT)


def assess(
    findings: Iterable[Finding],
    library: MotionLibrary | None = None,
    *,
    tolerance: float = 0.0,
    physics: Mapping[str, bool] | None = None,
    played: Mapping[Finding, Played] | None = None,
) -> Assessment:
    """Rank findings.

    Args:
        findings: The findings.
        library: What they are about; None: what a motion reaches is not known.
        tolerance: Warnings whose `Finding.excess` is not above this are not told first.
        physics: By motion whether it stood in all of its runs in physics.
        played: By finding what its motion does in physics, as it is and mended. What a mend changes comes first of
            its severity, the most first; what it does not change weighs little.
    """
    proofs = played or {}
    every = list(findings)
    owners = _owners(library) if physics and library is not None else {}
    groups: dict[tuple[str, ...], list[tuple[float, Finding]]] = {}
    for finding in every:
        weight = _weight(finding, physics or {}, owners, proofs.get(finding))
        groups.setdefault(_kind(finding), []).append((weight, finding))
    causes: list[Cause] = []
    for group in groups.values():
        group.sort(key=lambda entry: -entry[0])
        split = _apart(group)
        causes += [Cause(tuple(finding for _, finding in part), part[0][0], proofs.get(part[0][1])) for part in split]
    causes.sort(key=lambda cause: (SEVERITIES.index(cause.worst.severity), -cause.weight))
    shown = [
        cause
        for cause in causes
        if cause.worst.severity == "error" or (cause.worst.severity == "warning" and cause.worst.excess > tolerance)
    ]
    first = tuple(shown[:MOST])
    later = tuple(cause for cause in causes if cause not in first)
    blocked = _blocked(every, library)
    return Assessment(_sentence(shown, blocked, library), first, later, blocked)


def _numbers(finding: Finding) -> bool:
    # A union would be made anew each time, and there may be a hundred thousand findings.
    return isinstance(finding.value, (int, float)) and isinstance(finding.limit, (int, float))


def _weight(
    finding: Finding, physics: Mapping[str, bool], owners: Mapping[str, frozenset[str]], played: Played | None
) -> float:
    weight = effect(finding)
    if played is not None and played.difference is not None:
        # The mend decides; the estimate only orders those that it changes alike.
        share = abs(played.difference)
        return _CHANGED * share + weight if share else _PROVEN * weight
    if played is not None:
        return weight * (_PROVEN if played.stood == played.runs else _FALLEN)
    if not physics:
        return weight
    motions = {finding.motion} if finding.motion is not None else owners.get(_owner(finding), frozenset())
    stood = [physics[motion] for motion in motions if motion in physics]
    if stood and finding.rule not in ("falls", "return", "sustained-load"):
        weight *= _PROVEN if all(stood) else _FALLEN
    return weight


def _owners(library: MotionLibrary) -> dict[str, frozenset[str]]:
    """Motions by the blocks that they run."""
    found: dict[str, set[str]] = {}
    for name, motion in library.motions.items():
        for block in motion.blocks:
            found.setdefault(f"blocks.{block}", set()).add(name)
    return {block: frozenset(names) for block, names in found.items()}


def _kind(finding: Finding) -> tuple[str, ...]:
    """What findings of one cause share; of errors that are no matter of degree also what they say, but for names."""
    if _numbers(finding) or finding.severity != "error":
        return finding.severity, finding.rule
    return finding.severity, finding.rule, _NAMES.sub("*", finding.message)


def _apart(group: Sequence[tuple[float, Finding]]) -> list[Sequence[tuple[float, Finding]]]:
    """A group, the worst first, and before it the one that is far beyond the others."""
    if len(group) > 2 and group[0][0] >= _ALONE and group[0][0] >= _APART * group[1][0]:
        return [group[:1], group[1:]]
    return [group]


def _owner(finding: Finding) -> str:
    """The block or motion that a finding is in."""
    end = _OWNER.search(finding.place)
    return finding.place if end is None else finding.place[: end.start()]


def _blocked(findings: Sequence[Finding], library: MotionLibrary | None) -> tuple[str, ...]:
    if library is None:
        return ()
    # What could not be read is not there; what is can be played.
    rules = _BLOCKING - {"reading"}
    places = {_owner(finding) for finding in findings if finding.severity == "error" and finding.rule in rules}
    if not places:
        return ()
    everywhere = any(not place.startswith(("blocks.", "motions.")) for place in places)
    return tuple(library.motions if everywhere else reaching(library, places))


def _sentence(shown: Sequence[Cause], blocked: Sequence[str], library: MotionLibrary | None) -> str:
    errors = [cause for cause in shown if cause.worst.severity == "error"]
    rest = len(shown) - len(errors)
    if not errors:
        return f"legal; {rest} thing{'s' * (rest != 1)} to look at" if rest else "legal; nothing to look at"
    blocking = [cause for cause in errors if cause.worst.rule in _BLOCKING]
    what = (blocking or errors)[0].worst.message
    more = f"; {rest} more to look at" if rest else ""
    if blocking:
        count = 0 if library is None else len(library.motions)
        if not blocked:
            return f"something of it cannot be played: {what}{more}"
        if len(blocked) == count:
            return f"cannot be played: {what}{more}"
        names = ", ".join(blocked[:_PLACES]) + (f" and {len(blocked) - _PLACES} more" if blocked[_PLACES:] else "")
        return f"{len(blocked)} of {count} motions cannot be played ({names}): {what}{more}"
    causes = f"{len(errors)} cause{'s' * (len(errors) != 1)} of errors"
    return f"can be played, but has {causes}: {what}{more}"


_NAMES = re.compile(r"'[^']*'|\d+(?:\.\d+)?")
_OWNER = re.compile(r"(?<=.)(?:\.(?:keyframes|blocks|follow_ups|base_stiffness|joints)\b|\[)")

"""Agreement: how far two judges say the same of the same trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from andante.search.errors import SearchError
from andante.search.statistics import wilson


@dataclass(frozen=True)
class Agreement:
    """What two judges said of the same trials."""

    both_pass: int
    """Passed by both."""
    only_here: int
    """Passed here and failed there: the dangerous direction."""
    only_there: int
    """Failed here and passed there."""
    both_fail: int
    """Failed by both."""

    @staticmethod
    def of(here: Sequence[bool], there: Sequence[bool]) -> Agreement:
        """Count pairs of the same trials.

        Raises:
            SearchError: No pairs, or not as many of one as of the other.
        """
        if not here or len(here) != len(there):
            raise SearchError(
                "no pairs of verdicts", value=(len(here), len(there)), limit="as many of both, at least 1"
            )
        pairs = list(zip(here, there, strict=True))
        return Agreement(*(pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))))

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return self.both_pass + self.only_here + self.only_there + self.both_fail

    @property
    def agreed(self) -> int:
        """Number of pairs of one opinion."""
        return self.both_pass + self.both_fail

    @property
    def share(self) -> float:
        """Share of pairs of one opinion."""
        return self.agreed / self.pairs

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share, by Wilson's score."""
        return wilson(self.agreed, self.pairs)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where chance alone would agree always, as in a set that all pass.

        Source: J. Cohen, A coefficient of agreement for nominal scales, Educ. Psychol. Meas. 20 (1960).
        """
        n = self.pairs
        here, there = self.both_pass + self.only_here, self.both_pass + self.only_there
        chance = (here * there + (n - here) * (n - there)) / n**2
        return None if chance == 1.0 else (self.share - chance) / (1.0 - chance)

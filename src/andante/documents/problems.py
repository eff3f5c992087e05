"""DocumentError: one error for all that is wrong with one document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self, TypedDict, Unpack

from andante.errors import AndanteError

_SHOWN = 5


class Details(TypedDict, total=False):
    """What an error may say beyond what is wrong and where; see `AndanteError`."""

    value: object
    limit: str
    legal: Iterable[str]
    remedy: str
    meant: str


class DocumentError(AndanteError):
    """A document cannot be read or written, or does not follow its schema.

    The attributes describe the first problem; ``others`` holds the further ones, ``more`` counts those beyond;
    where not ``all_known`` there may be still more of them.
    """

    def __init__(
        self,
        what: str,
        *,
        place: str = "",
        others: Sequence[DocumentError] = (),
        more: int = 0,
        all_known: bool = True,
        **details: Unpack[Details],
    ) -> None:
        self.others = tuple(others)
        self.more = more
        self.all_known = all_known
        super().__init__(what, place=place, **details)

    def _message(self) -> str:
        lines = [super()._message(), *(str(other) for other in self.others[: _SHOWN - 1])]
        more = len(self.others) - (_SHOWN - 1) + self.more
        if more > 0:
            count = f"{more}" if self.all_known else f"at least {more}"
            lines.append(f"and {count} more problem{'s' if more > 1 else ''}")
        return "\n".join(lines)

    @classmethod
    def joined(cls, problems: Sequence[DocumentError], more: int = 0, all_known: bool = True) -> Self:
        """One error for at least one problem, the first in front, and ``more`` that are only counted.

        Where not ``all_known`` there may be still more of them.
        """
        first, *others = problems
        details: dict[str, Any] = {name: getattr(first, name) for name in Details.__annotations__}
        return cls(first.what, place=first.place, others=others, more=more, all_known=all_known, **details)

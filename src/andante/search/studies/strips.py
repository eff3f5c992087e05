"""Film strips of a study's candidates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from andante.documents.files import write_bytes
from andante.search.film_strip import film_strip

if TYPE_CHECKING:
    from andante.search.studies.problem import Problem


def write_strip(problem: Problem, point: Sequence[float], path: Path) -> None:
    """Play a candidate with the first validation seed and write its film strip (PNG).

    Raises:
        SearchError: Nothing moved in physics.
        GraphicsError: There is no library for drawing without a screen.
        AndanteError: The trial cannot be run, or the file cannot be written.
    """
    strip = film_strip(problem.setup, problem.study.seeds.validation.first, problem.candidate(point))
    write_bytes(path, strip, follow=False)

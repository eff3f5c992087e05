"""Terms that a test registers are gone after it: other tests look at all that a program has registered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from andante.env.observations import OBSERVATIONS
from andante.env.rewards import REWARDS


@pytest.fixture(autouse=True)
def no_terms_left() -> Iterator[None]:
    before = {register: set(register.plugged) for register in (OBSERVATIONS, REWARDS)}
    yield
    for register, names in before.items():
        for name in set(register.plugged) - names:
            register.unregister(name)

"""Options of commands as the fields of a dataclass, so that commands which are asked the same write it once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def asking(options: type[T]) -> Callable[[Callable[[T], None]], Callable[..., None]]:
    """Make a function of a dataclass of options one of its fields by name, as `andante.cli.output.command` takes it.

    What the fields mean stands in the part ``Args`` of the docstrings of the dataclass and those that it extends.
    """

    def made(function: Callable[[T], None]) -> Callable[..., None]:
        @functools.wraps(function)
        def called(**given: Any) -> None:
            function(options(**given))

        meanings = [inspect.getdoc(each) or "" for each in options.__mro__ if each is not object]
        called.__doc__ = "\n".join([f"{inspect.getdoc(function)}\n\nArgs:", *meanings])
        called.__signature__ = inspect.signature(options, eval_str=True)  # type: ignore[attr-defined]
        return called

    return made

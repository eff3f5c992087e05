"""What a kernel's function names: the globals and closed-over values of its bytecode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dis import EXTENDED_ARG, opmap
from types import CodeType

_LOAD_GLOBAL = opmap["LOAD_GLOBAL"]


def named(function: Callable[..., object]) -> Iterator[tuple[str, object]]:
    """The globals and closed-over values that a function names, in the order of their names."""
    names = {name for code in codes(function.__code__) for name in _globals(code)}
    found = {name: function.__globals__[name] for name in names if name in function.__globals__}
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    found.update(zip(function.__code__.co_freevars, cells, strict=True))
    yield from sorted(found.items())


def codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def _globals(code: CodeType) -> Iterator[str]:
    """Names that bytecode looks up as globals; `co_names` has those of attributes too."""
    more = 0
    raw = code.co_code
    for place in range(0, len(raw), 2):
        operation, argument = raw[place], raw[place + 1] | more
        more = argument << 8 if operation == EXTENDED_ARG else 0
        if operation == _LOAD_GLOBAL:
            # The lowest bit says whether what is loaded will be called.
            yield code.co_names[argument >> 1]

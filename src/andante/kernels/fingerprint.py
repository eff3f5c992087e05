"""What a kernel's machine code depends on, as a hash: its own bytecode, and all that it names, through every call.

A comment or a docstring changes nothing; a constant of another file, the order of a named tuple's fields or a kernel
five calls below does. So compiled code that is found under a fingerprint is never stale, and an edit compiles again
the edited kernel and those that call it, nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numpy as np
from numba.core.dispatcher import Dispatcher

from andante.kernels.errors import KernelError
from andante.kernels.names import codes
from andante.kernels.names import named as all_named
from andante.kernels.waiting import PendingKernel

_ROOT = __name__.partition(".")[0]
_PLAIN = (int, float, complex, bool, str, bytes, type(None), np.generic)


def fingerprint(function: Callable[..., object], options: dict[str, object]) -> str:
    """The hash of a kernel's function, its compiler options and all that it uses, as 20 hexadecimal digits.

    Raises:
        KernelError: It names something whose content cannot be told, so that a change of it would go unseen.
    """
    parts = [repr(sorted(options.items())), repr(function.__defaults__), *_code(function.__code__, function.__doc__)]
    parts += (f"{name}={_content(value, function)}" for name, value in named(function))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def named(function: Callable[..., object]) -> Iterator[tuple[str, object]]:
    """As `andante.kernels.names.named`, with kernels in place of what waits to be one."""
    for name, value in all_named(function):
        yield name, value.kernel if isinstance(value, PendingKernel) else value


def _code(code: CodeType, doc: str | None = None) -> Iterator[str]:
    for part in codes(code):
        yield from (part.co_code.hex(), repr((part.co_names, part.co_varnames, part.co_freevars, part.co_cellvars)))
        for n, constant in enumerate(part.co_consts):
            if isinstance(constant, frozenset):
                yield repr(sorted(map(repr, constant)))
            elif not isinstance(constant, CodeType) and not (n == 0 and part is code and constant == doc):
                yield repr(constant)


def _content(value: object, user: Callable[..., object]) -> str:
    """Everything about a named value that may be in machine code."""
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join(_content(item, user) for item in value)})"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, Dispatcher):
        # Its name too: what is kept of the caller names the module from which it is imported.
        function = value.py_func
        content = getattr(value, "fingerprint", None) or fingerprint(function, value.targetoptions)
        return f"{function.__module__}.{function.__qualname__} {content}"
    if isinstance(value, FunctionType):
        return fingerprint(value, {})
    if isinstance(value, ModuleType):
        return f"{value.__name__} {_file(value) if value.__name__.partition('.')[0] == _ROOT else ''}"
    if isinstance(value, type | BuiltinFunctionType | np.ufunc):
        return _shape(value)
    raise KernelError(
        "the kernel names something whose content is not part of the key of compiled code",
        place=f"{user.__module__}.{user.__qualname__}",
        value=value,
        limit="numbers, text, tuples, arrays, functions, modules and classes",
    )


def _shape(value: type | BuiltinFunctionType | np.ufunc) -> str:
    """Name of a class or function, and the fields or members that a kernel can see in a class."""
    fields = getattr(value, "_fields", "")
    members = [(item.name, item.value) for item in value] if isinstance(value, type) and issubclass(value, Enum) else ""
    return f"{getattr(value, '__module__', '')}.{value.__name__} {fields}{members}"


def _file(module: ModuleType) -> str:
    return hashlib.sha256(Path(str(module.__file__)).read_bytes()).hexdigest()

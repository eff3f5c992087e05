"""Pickles of plain data: a dict of numbers, texts and numpy arrays of numbers, and nothing that could run code.

A pickle is a program. What it may call are the stand-ins of this file alone, none of which does anything but keep its
arguments; an array is made here, from bytes that are there, once all is read. So neither numpy's nor anybody else's
code sees what the file says. Steps of the program are counted before the first is done, since each may take a
thousand times the memory of its byte.

Sources: Python's `pickletools`; what numpy 1.26 and 2.4 write, protocols 2 to 5.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import re
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from andante.formats.report import FormatError

MAX_STEPS = 50_000
"""Most steps of a pickle's program."""
_NUMBERS = re.compile(r"([<>|=]?)([fiu])([1248])")
_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric")


class _Kept:
    """What a stand-in keeps: arguments, and the state that follows them."""

    def __new__(cls, *arguments: Any) -> Self:
        made = super().__new__(cls)
        made.arguments, made.state = arguments, ()
        return made

    arguments: tuple[Any, ...]
    state: Any

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Array(_Kept):
    """An array as it is made empty and then told its shape, type and bytes."""


class _Buffer(_Kept):
    """An array of a buffer (protocol 5)."""


class _Scalar(_Kept):
    """A number of numpy's."""


class _Type(_Kept):
    """The type of an array's numbers."""


class _Name(_Kept):
    """A class that is only named."""


class _Latin(_Kept):
    """Bytes as protocol 2 has them: a text and its encoding."""


_STAND_INS = {
    **{(module, "_reconstruct"): _Array for module in _NUMPY},
    **{(module, "_frombuffer"): _Buffer for module in _NUMPY},
    **{(module, "scalar"): _Scalar for module in _NUMPY},
    ("numpy", "dtype"): _Type,
    ("numpy", "ndarray"): _Name,
    ("_codecs", "encode"): _Latin,
}


def plain_dict(raw: bytes, file: Path) -> dict[str, Any]:
    """The entries of a pickled dict that have texts as keys.

    Args:
        raw: The file's bytes.
        file: The file, for messages.

    Raises:
        FormatError: It is no pickle of a dict, it is too long, or it holds something else than plain data.
    """
    try:
        for number, (kind, argument, place) in enumerate(pickletools.genops(raw)):
            if number >= MAX_STEPS:
                raise FormatError("the pickle has too many steps", file=file, limit=f"{MAX_STEPS}")
            if kind.name in ("GLOBAL", "INST") and tuple(str(argument).split(" ", 1)) not in _STAND_INS:
                raise _refused(str(argument).replace(" ", "."), file)
            if kind.name in ("EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "NEXT_BUFFER"):
                raise FormatError("the pickle holds something outside itself", file=file, inside=f"byte {place}")
        content = _Reader(raw, file).load()
        if not isinstance(content, dict):
            raise FormatError("the pickle is not a dict of arrays", file=file, value=type(content).__name__)
        return {key: _made(value, file) for key, value in content.items() if isinstance(key, str)}
    except FormatError:
        raise
    # What a broken program makes the reader raise: each was seen by changing bytes, or is named by Python's manual.
    except (
        *(pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError),
        *(OverflowError, MemoryError, RecursionError, ImportError),
    ) as error:
        raise FormatError(f"this is no pickle that can be read: {type(error).__name__}", file=file) from error


class _Reader(pickle.Unpickler):
    def __init__(self, raw: bytes, file: Path) -> None:
        super().__init__(io.BytesIO(raw))
        self._file = file

    def find_class(self, module: str, name: str) -> type[_Kept]:
        stand_in = _STAND_INS.get((module, name))
        if stand_in is None:
            raise _refused(f"{module}.{name}", self._file)
        return stand_in


def _refused(name: str, file: Path) -> FormatError:
    return FormatError(
        "the pickle calls code, which is not run; it may hold dicts, lists, numbers, texts and numpy arrays",
        file=file,
        value=name,
        remedy="write it anew with numpy arrays, or as NPZ, where it comes from",
    )


def _made(thing: Any, file: Path) -> Any:
    """A value of a pickle's dict, as an array where it is one; what is in lists stays as it is."""
    if isinstance(thing, _Scalar):
        kind, content = thing.arguments
        return _array((), kind, content, "C", file).item()
    if isinstance(thing, _Array):
        _, shape, kind, fortran, content = thing.state
        return _array(shape, kind, content, "F" if fortran else "C", file)
    if isinstance(thing, _Buffer):
        content, kind, shape, order = thing.arguments
        return _array(shape, kind, content, str(order), file)
    return None if isinstance(thing, _Kept) else thing


def _array(shape: Any, kind: Any, content: Any, order: str, file: Path) -> NDArray[np.generic]:
    """An array of numbers; `FormatError` where its bytes are not those of its shape."""
    match = _NUMBERS.fullmatch(str(kind.arguments[0])) if isinstance(kind, _Type) and kind.arguments else None
    if match is None:
        shown = kind.arguments[0] if isinstance(kind, _Type) and kind.arguments else type(kind).__name__
        raise FormatError("an array of the pickle is not one of numbers", file=file, value=str(shown)[:40])
    raw = _bytes_of(content)
    swapped = kind.state[1] if kind.state else match[1]
    dtype = np.dtype(f"{'>' if swapped == '>' else '<'}{match[2]}{match[3]}")
    if not (isinstance(shape, tuple) and all(type(size) is int and size >= 0 for size in shape) and len(shape) <= 4):
        raise FormatError("an array of the pickle has no shape", file=file, value=str(shape)[:40])
    if math.prod(shape) * dtype.itemsize != len(raw):
        raise FormatError(
            "an array's size does not fit its shape", file=file, value=str(shape)[:40], limit=f"{len(raw)} bytes"
        )
    return np.frombuffer(raw, dtype).reshape(shape, order="F" if order == "F" else "C")


def _bytes_of(content: Any) -> bytes:
    if isinstance(content, _Latin) and isinstance(content.arguments[0], str):
        return content.arguments[0].encode("latin-1")
    return bytes(content) if isinstance(content, (bytes, bytearray)) else b""

"""Kernels: who may call them, what they are compiled for, what their compiled code depends on."""

import ast
import math
import os
import pickle
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from andante.kernels import entry, inlined, kernel, target
from andante.kernels.ahead import import_kernels
from andante.kernels.dispatchers import Inner, Kernel
from andante.kernels.entries import Entry
from andante.kernels.errors import KernelError
from andante.kernels.fingerprint import fingerprint
from andante.kernels.signatures import signature_of
from andante.kernels.store import Store
from andante.spatial.arrays import Array2, Flags1, Index1

FACTOR = 3.0
SOURCES = Path(__file__).resolve().parents[2] / "src"


class Pair(NamedTuple):
    one: float
    rows: Array2


@kernel
def _tripled(x: float) -> float:
    return FACTOR * x


@inlined
def _plus(pair: Pair, x: float) -> float:
    return pair.one + x


@entry
def _both(pair: Pair, x: float) -> float:
    return _tripled(_plus(pair, x))


@pytest.mark.slow
def test_an_entry_calls_inner_kernels():
    assert _both(Pair(1.0, np.zeros((2, 2))), 2.0) == 9.0


def test_an_inner_kernel_that_python_calls_says_so_and_does_not_crash():
    with pytest.raises(KernelError) as caught:
        _tripled(1.0)
    assert str(caught.value) == (
        f"{__name__}._tripled: only kernels can call this kernel, it has no wrapper for Python; "
        "decorate it as `entry` where Python must call it; tests call `entry(kernel.py_func)`"
    )


def test_a_kernel_with_two_decorators_is_refused():
    with pytest.raises(KernelError, match=r"test_kernels\._both: the kernel is decorated twice"):
        kernel(_both)


def test_a_kernel_comes_back_from_a_pickle_as_itself():
    assert pickle.loads(pickle.dumps(_tripled)) is _tripled


def test_constants_and_numbers_share_one_compiled_form():
    for number in (types.literal(-1), types.literal(2), types.int64):
        _counted.get_call_template([number], {})
    assert list(_counted.overloads) == [(types.int64,)]


@kernel
def _counted(x: int) -> int:
    return 2 * x


def test_a_signature_is_read_from_annotations():
    def some(pair: Pair, row: int, far: float, flags: Flags1, rows: Index1, on: bool) -> None: ...

    floats = types.Array(types.float64, 2, "C")
    assert signature_of(some) == (
        types.NamedTuple([types.float64, floats], Pair),
        types.int64,
        types.float64,
        types.Array(types.boolean, 1, "C"),
        types.Array(types.int64, 1, "C"),
        types.boolean,
    )


def test_an_annotation_of_no_one_type_is_refused():
    def some(x: float, rows: np.ndarray) -> None: ...

    with pytest.raises(KernelError, match=r"some\(rows\): the annotation names no one type to compile for"):
        signature_of(some)


def _package_kernels() -> dict[str, Kernel]:
    import_kernels("andante")
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("andante.")]
    found = [item for module in modules for item in vars(module).values() if isinstance(item, Kernel)]
    return {item.name: item for item in found if getattr(sys.modules[item.py_func.__module__], item.__name__) is item}


def test_every_entry_says_its_types():
    entries = [item for item in _package_kernels().values() if isinstance(item, Entry)]
    assert len(entries) > 50
    for item in entries:
        signature_of(item.py_func)


@pytest.mark.slow
def test_no_python_of_the_package_names_an_inner_kernel():
    inner = {name for name, item in _package_kernels().items() if isinstance(item, Inner)}
    named = {name.rpartition(".")[2] for name in inner}
    for path in (SOURCES / "andante").rglob("*.py"):
        text = path.read_text()
        if named.isdisjoint(re.findall(r"\w+", text)):
            continue
        tree = ast.parse(text)
        module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        imports = [(line.module, item) for line in tree.body if isinstance(line, ast.ImportFrom) for item in line.names]
        imported = {item.asname or item.name: f"{origin}.{item.name}" for origin, item in imports}
        for node in tree.body:
            decorators = {getattr(item, "id", "") for item in getattr(node, "decorator_list", [])}
            if decorators.isdisjoint({"lazy_entry", "entry", "inlined", "inlined_entry", "kernel"}):
                names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
                used = {item.id for item in names if isinstance(item.ctx, ast.Load)} & named
                assert inner.isdisjoint(imported.get(item, f"{module}.{item}") for item in used), (path, node.lineno)


@pytest.mark.parametrize(
    "change",
    [
        "def f(x):\n    return g(x) + C + 1.0",
        "C = 2.5\ndef f(x):\n    return g(x) + C",
        "def g(x):\n    return x * 3.0\ndef f(x):\n    return g(x) + C",
        "def f(x, y=1.0):\n    return g(x) + C",
    ],
    ids=["own code", "a constant", "what it calls", "a default"],
)
def test_the_fingerprint_changes_with_all_that_code_depends_on(change):
    base = "C = 2.0\ndef g(x):\n    return x * 2.0\ndef f(x):\n    return g(x) + C"
    assert _print(base) == _print(base + "\n")
    assert _print(base) != _print(f"{base}\n{change}")


def test_the_fingerprint_changes_with_the_module_of_a_kernel_that_is_called(monkeypatch):
    before = fingerprint(_both.py_func, {})
    monkeypatch.setattr(_plus.py_func, "__module__", "elsewhere")
    assert fingerprint(_both.py_func, {}) != before


def test_the_fingerprint_does_not_change_with_words():
    assert _print('def f(x):\n    "One."\n    return x') == _print('def f(x):\n    "Two."\n    # why\n    return x')


def test_the_fingerprint_holds_options_and_a_module_of_the_package():
    def area(x: float) -> float:
        return math.pi * x

    assert fingerprint(area, {"a": 1}) != fingerprint(area, {"a": 2})


def test_what_cannot_be_told_is_refused():
    with pytest.raises(KernelError, match="content is not part of the key"):
        _print("C = object()\ndef f(x):\n    return C")


def test_the_order_of_fields_is_part_of_the_name():
    swapped, other = namedtuple("Pair", "two one"), namedtuple("Pair", "one two")
    names = {_tripled.file_name((types.NamedUniTuple(types.float64, 2, kind),)) for kind in (swapped, other)}
    assert len(names) == 2


def _print(source: str) -> str:
    room: dict = {"__name__": "made"}
    exec(source, room)
    return fingerprint(room["f"], {})


@pytest.mark.parametrize("part", ["triple", "cpu", "features", "numba", "option", "python"])
def test_the_toolchain_is_named_after_each_part(part, monkeypatch):
    given = {"triple": "t", "cpu": "c", "features": "f"}
    before = target._name(*given.values())
    if part == "numba":
        monkeypatch.setattr(target, "version", lambda name: "9.9")
    elif part == "option":
        monkeypatch.setattr(target.config, "OPT", "other")
    elif part == "python":
        monkeypatch.setattr(target.sys, "abiflags", "t", raising=False)
    else:
        given[part] = "other"
    assert target._name(*given.values()) != before


def test_machine_code_of_the_wheel_is_only_for_processors_that_have_its_features(monkeypatch):
    every = dict.fromkeys(target.SHIPPED_FEATURES, True)
    monkeypatch.setattr(target.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: every)
    try:
        target.shipped_toolchain.cache_clear()
        assert "x86-64-v3" in str(target.shipped_toolchain())
        for lacking in target.SHIPPED_FEATURES:
            monkeypatch.setattr(llvm, "get_host_cpu_features", lambda name=lacking: {**every, name: False})
            target.shipped_toolchain.cache_clear()
            assert target.shipped_toolchain() is None
    finally:
        target.shipped_toolchain.cache_clear()


def test_the_shipped_folder_is_read_first_and_never_written(tmp_path):
    shipped = tmp_path / "shipped"
    Store(shipped).save("a", b"one")
    store = Store(tmp_path / "user", shipped)
    assert store.load("a") == b"one"
    store.save("b", b"two")
    assert store.load("b") == b"two"
    assert store.names() == {"a", "b"}
    assert [path.name for path in shipped.glob("*.kernel")] == ["a.kernel"]


def test_a_damaged_file_counts_as_none(tmp_path):
    store = Store(tmp_path)
    store.save("a", b"whole")
    path = tmp_path / "a.kernel"
    path.write_bytes(path.read_bytes()[:-1])
    assert store.load("a") is None


def test_what_nothing_used_for_a_month_is_removed(tmp_path):
    import os
    import time

    old, store = Store(tmp_path / "old"), Store(tmp_path / "new")
    old.save("a", b"")
    store.save("b", b"")
    store.save("c", b"")
    month = time.time() - 31 * 86400
    for path in (tmp_path / "old" / "a.kernel", tmp_path / "new" / "c.kernel"):
        os.utime(path, (month, month))
    store.clean()
    assert store.names() == {"b"}
    assert not (tmp_path / "old").exists()


def test_where_numba_is_off_a_kernel_is_its_own_python_function():
    code = """
from andante.kernels import entry, inlined, inlined_entry, kernel
for decorator in (entry, inlined, inlined_entry, kernel):
    f = decorator(lambda x: 2.0 * x)
    assert f.py_func is f and entry(f.py_func)(2.0) == 4.0
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(SOURCES)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_arrays_have_their_types_in_each_way_in_which_numpy_names_them():
    """Numpy 2.5, which newer Pythons get, has a name for arrays of a kind: all kernels failed there."""
    scalar = TypeVar("scalar", bound=np.generic)
    named = TypeAliasType("named", np.ndarray[Any, np.dtype[scalar]], type_params=(scalar,))
    found = []
    for array in (np.ndarray[Any, np.dtype[np.int64]], named[np.int64], NDArray[np.int64]):

        def kernel(numbers: Any) -> None:
            """Nothing."""

        kernel.__annotations__["numbers"] = Annotated[array, 2]
        found.append(signature_of(kernel))
    assert found == [(types.Array(types.int64, 2, "C"),)] * 3

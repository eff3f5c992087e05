"""Numba's dispatchers: what all kernels share, and those that only kernels call.

An inner kernel has no wrapper for Python, which would take each field of each named tuple apart and is a third of what
compiling costs, and no machine code of its own: whoever calls it links its LLVM code, which is all that is kept.
"""

from __future__ import annotations

import hashlib
import importlib
import pickle
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import llvmlite.binding as llvm
from numba import types
from numba.core import sigutils
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from andante.kernels.errors import KernelError
from andante.kernels.fingerprint import fingerprint, named
from andante.kernels.waiting import prepare_to_compile

KERNELS: dict[str, Kernel] = {}
"""All kernels of the modules imported so far, by module and name."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function that numba compiles, kept on disk under its fingerprint and its arguments' types."""

    pipeline: ClassVar[type[Compiler]] = Compiler
    entry: ClassVar[bool] = False
    """Whether Python calls it."""

    def __init__(self, function: Callable[..., object], **options: object) -> None:
        if isinstance(function, CPUDispatcher):
            raise KernelError("the kernel is decorated twice", place=f"{function.__module__}.{function.__qualname__}")
        options = {"nopython": True, "boundscheck": None, "error_model": "numpy", **options}
        super().__init__(function, targetoptions=options, pipeline_class=self.pipeline)
        self.name = f"{function.__module__}.{function.__qualname__}"
        self._cache = _Disk(self)
        KERNELS[self.name] = self

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that its machine code depends on."""
        return fingerprint(self.py_func, self.targetoptions)

    @cached_property
    def stem(self) -> str:
        """The name under which it is kept, without the types."""
        return f"{self.name}-{self.fingerprint}"

    def callees(self) -> list[Kernel]:
        """The kernels that it calls."""
        return [value for _, value in named(self.py_func) if isinstance(value, Kernel) and value is not self]

    def file_name(self, arguments: tuple[types.Type, ...]) -> str:
        """The name under which it is kept, compiled for these types."""
        described = hashlib.sha256(", ".join(map(_described, arguments)).encode()).hexdigest()[:12]
        return f"{self.stem}-{described}"

    def compile(self, sig: Any) -> Any:
        """Compile for a signature, or load it; two processes never compile the same at once."""
        from andante.kernels.store import store

        arguments, _ = sigutils.normalize_signature(sig)
        if tuple(arguments) in self.overloads:
            return super().compile(sig)
        # Numba's lock first, always: threads that took them in different orders would wait for each other.
        with global_compiler_lock, store().claim(self.file_name(tuple(arguments))):
            return super().compile(sig)

    def restored(self, payload: tuple[Any, ...]) -> CompileResult:
        """What `CompileResult._reduce` made parts of."""
        return CompileResult._rebuild(self.targetctx, *payload)

    def __reduce__(self) -> tuple[Any, ...]:
        """By name: whoever reads a pickle imports the kernel."""
        return _imported, (self.py_func.__module__, self.py_func.__qualname__)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Types of a call from a kernel; a constant counts as any number, so that it needs no code of its own."""
        return super().get_call_template(
            [types.unliteral(item) for item in args], {name: types.unliteral(item) for name, item in kws.items()}
        )


class _Disk(NullCache):  # type: ignore[misc]
    """Numba's view of the store: one kernel's compiled forms."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        from andante.kernels.store import store

        content = store().load(self._name(sig))
        if content is None:
            prepare_to_compile(target_context)
            return None
        # What only the compiler needs takes a tenth of a second; machine code needs the memory of its arrays.
        rtsys.initialize(target_context)
        return self._kernel.restored(pickle.loads(content))

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        from andante.kernels.store import store

        if data.library.has_dynamic_globals:
            raise KernelError(
                "the kernel holds a large array or a pointer, so it cannot be kept", place=self._kernel.name
            )
        store().save(self._name(sig), dumps(data._reduce()))

    def _name(self, sig: Any) -> str:
        return self._kernel.file_name(tuple(sigutils.normalize_signature(sig)[0]))


class _Linked(JITCodeLibrary):  # type: ignore[misc]
    """LLVM code that callers link in, without machine code of its own."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> _Linked:
        """Who sets the environment of compiled code: nobody, since none runs."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Nothing: see `codegen`."""

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        return self.name, self._get_module_for_linking().as_bitcode()

    @classmethod
    def restored(cls, codegen: Any, name: str, code: bytes) -> _Linked:
        library = cls(codegen, name)
        library._final_module = library._shared_module = llvm.parse_bitcode(code)
        library._finalized = True
        return library


class _LinkedCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, into `_Linked`."""

    def compile_extra(self, func: Any) -> Any:
        self.state.library = _Linked(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class Inner(Kernel):
    """A kernel that only kernels call."""

    pipeline = _LinkedCompiler

    def __init__(self, function: Callable[..., object], **options: object) -> None:
        super().__init__(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)

    def __call__(self, *args: object, **kws: object) -> NoReturn:
        """Refuse: without a wrapper Python would jump to address zero."""
        raise KernelError(
            "only kernels can call this kernel, it has no wrapper for Python",
            place=self.name,
            remedy="decorate it as `entry` where Python must call it; tests call `entry(kernel.py_func)`",
        )

    def restored(self, payload: tuple[Any, ...]) -> CompileResult:
        """As `Kernel.restored`, of LLVM code."""
        (name, code), fndesc, environment, signature, objectmode, lifted, annotation, reloads, environments = payload
        for reload in reloads:
            reload()
        library = _Linked.restored(self.targetctx.codegen(), name, code)
        return compile_result(
            target_context=self.targetctx,
            typing_context=self.targetctx.typing_context,
            library=library,
            environment=environment,
            entry_point=self.targetctx.get_executable(library, fndesc, environment),
            fndesc=fndesc,
            type_annotation=annotation,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            reload_init=reloads,
            referenced_envs=environments,
        )


def _imported(module: str, name: str) -> object:
    return getattr(importlib.import_module(module), name)


def _described(kind: types.Type) -> str:
    """A type with the fields of all named tuples in it, which numba's own name leaves out."""
    if isinstance(kind, types.BaseNamedTuple):
        fields = ", ".join(f"{name}: {_described(item)}" for name, item in zip(kind.fields, kind.types, strict=True))
        return f"{kind.instance_class.__module__}.{kind.instance_class.__qualname__}({fields})"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(_described, kind))})"
    return str(kind.name) if not isinstance(kind, types.Dispatcher) else str(kind.dispatcher.fingerprint)

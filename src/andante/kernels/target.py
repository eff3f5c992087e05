"""What besides the sources decides over machine code: compiler, Python and processor, as the name of a cache folder."""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

from numba.core import config
from numba.core.registry import cpu_target

SHIPPED_CPU = "x86-64-v3"
"""Processors of that level, Intel's from 2013 and AMD's from 2015 on, run the machine code in the wheel."""
SHIPPED_FEATURES = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")
"""What LLVM calls the features of that level."""
_OPTIONS = (
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "ENABLE_AVX",
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "LLVM_REFPRUNE_PASS",
    "LLVM_REFPRUNE_FLAGS",
    "DISABLE_INTEL_SVML",
    "USING_SVML",
    "FULL_TRACEBACKS",
)
"""Settings of numba that change machine code."""


def shipped_environment() -> dict[str, str]:
    """Environment variables under which numba compiles for the wheel."""
    return {"NUMBA_CPU_NAME": SHIPPED_CPU, "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in SHIPPED_FEATURES)}


@cache
def toolchain() -> str:
    """Name of this process' compiler: Python, numba, LLVM, their settings and the processor compiled for."""
    triple, name, features = cpu_target.target_context.codegen().magic_tuple()
    return _name(triple, name, features)


@cache
def shipped_toolchain() -> str | None:
    """The same for machine code in the wheel; None where this processor has not what that needs."""
    import llvmlite.binding as llvm

    has = llvm.get_host_cpu_features()
    if platform.machine() != "x86_64" or not all(has.get(name, False) for name in SHIPPED_FEATURES):
        return None
    return _name(llvm.get_process_triple(), *shipped_environment().values())


def _name(triple: str, cpu: str, features: str) -> str:
    parts = {
        "python": (sys.implementation.cache_tag, getattr(sys, "abiflags", "")),
        "packages": [(name, version(name)) for name in ("numba", "llvmlite")],
        "numpy": version("numpy").partition(".")[0],
        "options": [(name, getattr(config, name, None)) for name in _OPTIONS],
        "decorators": [
            hashlib.sha256(Path(__file__).with_name(name).read_bytes()).hexdigest()
            for name in ("dispatchers.py", "entries.py", "held_views.py")
        ],
        "processor": (triple, cpu, features),
    }
    return f"{sys.implementation.cache_tag}-{cpu}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"

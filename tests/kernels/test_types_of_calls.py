"""Kernels are called with the types that they are annotated with: the machine code of a wheel is for those alone."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

RUN = """
import contextlib, io, json, sys
from andante.__main__ import main
from andante.kernels.dispatchers import KERNELS
from andante.kernels.lazy import compile_all
from andante.kernels.signatures import signature_of

compile_all()
sys.argv = ["andante", *sys.argv[1:]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
called = [kernel for kernel in KERNELS.values() if kernel.entry and kernel.overloads]
others = [k.name for k in called if list(k.overloads) != [signature_of(k.py_func)]]
print(json.dumps([len(called), others]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "least"),
    [
        ("bench getup --library nao --start front --seeds 1", 8),
        ("run littledog-rocks --out rocks", 15),
        ("walk --robot spirit40 --twist 0.3,0,0 --seconds 1 --out trot", 15),
        ("walk --robot spirit40 --board rough-25 --out rough", 20),
        ("plan --robot spirit40 --board gap-30", 5),
        ("run nao-kick --out kick", 8),
    ],
)
def test_no_other_types_than_the_annotated_ones_are_compiled(tmp_path, line, least):
    command = [sys.executable, "-c", RUN, *line.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    called, others = json.loads(done.stdout)
    assert others == []
    assert called >= least

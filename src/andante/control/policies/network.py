"""PolicyNetwork: an ONNX network with one input and vectors in and out, run by onnxruntime on one core."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.policies.contract import PolicyError
from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_bytes
from andante.errors import install, shorten
from andante.robots.records import Vector

_LARGEST = 512 * 2**20
"""Size of the largest network that is read [bytes]."""


@budgeted()
def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal.

    Raises:
        DocumentError: It cannot be read.
    """
    return hashlib.sha256(read_bytes(path, max_bytes=_LARGEST)).hexdigest()


def _runtime() -> Any:
    """The package onnxruntime.

    Raises:
        PolicyError: It is not installed.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise PolicyError(
            "learned policies need the package onnxruntime", place="policy", remedy=install("policy")
        ) from error
    return onnxruntime


class PolicyNetwork:
    """A network.

    Args:
        path: Its file.
        sha256: Its digest; None: not looked at.

    Raises:
        PolicyError: onnxruntime is not installed, the file is another one than the digest says, it is torn or no ONNX,
            asks for operators that are not known, or has other inputs than vectors of 32-bit numbers.
        DocumentError: The file cannot be read.
    """

    @budgeted(MODELS)
    def __init__(self, path: Path, sha256: str | None = None) -> None:
        runtime = _runtime()
        raw = read_bytes(path, max_bytes=_LARGEST)
        found = hashlib.sha256(raw).hexdigest()
        if sha256 is not None and found != sha256:
            raise PolicyError(
                "the network is another one than the contract says",
                place=f"{path}: sha256",
                value=found,
                limit=sha256,
                remedy="get the file that belongs to the contract, or check the new one and write its digest",
            )
        self.path, self.sha256 = path, found
        self._session = _session(raw, str(path), runtime)
        self.inputs = tuple(_tensor(each, path, "input") for each in self._session.get_inputs())
        """Names and sizes of the inputs."""
        self.outputs = tuple(_tensor(each, path, "output") for each in self._session.get_outputs())
        """Names and sizes of the outputs."""
        self.metadata: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        """Texts that the file has beside the network."""
        if len(self.inputs) != 1:
            raise PolicyError(
                "a network with several inputs keeps something from call to call, or sees more than one vector",
                place=str(path),
                value=[name for name, _ in self.inputs],
                limit="one input",
            )

    def __call__(self, observation: Vector) -> Vector:
        """What the network gives at its first output for an observation, (inputs,) to (outputs,)."""
        name, _ = self.inputs[0]
        given = self._session.run([self.outputs[0][0]], {name: observation.astype(np.float32)[None]})[0]
        return np.asarray(given, dtype=np.float64).ravel()


@lru_cache(maxsize=16)
def _session(raw: bytes, place: str, runtime: Any) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return runtime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
    # The runtime has no common class of what it raises.
    except Exception as error:
        text = shorten(str(error), 200)
        what = (
            "the network asks for operators that this onnxruntime does not know"
            if "opset" in text.lower()
            else ("this is no ONNX network, or its file is torn")
        )
        raise PolicyError(f"{what}: {text}", place=place, value=f"onnxruntime {runtime.__version__}") from error


def _tensor(tensor: Any, path: Path, what: str) -> tuple[str, int]:
    """Name and size of an input or output whose first axis is the batch.

    Raises:
        PolicyError: It is no vector of 32-bit numbers.
    """
    shape = list(tensor.shape)
    vector = len(shape) == 2 and isinstance(shape[1], int) and (shape[0] == 1 or not isinstance(shape[0], int))
    if tensor.type != "tensor(float)" or not vector:
        raise PolicyError(
            f"an {what} of the network is no vector of 32-bit numbers",
            place=f"{path}: {tensor.name}",
            value=(tensor.type, shape),
            limit="tensor(float) of the shape (batch, size)",
        )
    return str(tensor.name), int(shape[1])

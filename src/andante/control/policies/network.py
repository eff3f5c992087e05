"""PolicyNetwork: an ONNX network, run by onnxruntime on one core; each input and output is a row of numbers."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.policies.contract import PolicyError
from andante.control.policies.other_files import folder_kind, other_kind
from andante.control.policies.time_limit import LONGEST, is_ended, limited, options_now
from andante.control.policies.weight_files import weight_files
from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_bytes
from andante.errors import install, shorten
from andante.robots.records import Vector

_LARGEST = 512 * 2**20
"""Size of the largest network that is read [bytes]."""
_UNKNOWN = ("opset", "not a registered", "not_implemented", "not implemented")
"""What onnxruntime says of operators that it lacks, or lacks for such numbers."""
_INVALID = ("invalid model", "invalid_graph", "type error", "shapeinference", "typeinference")
"""What it says of a network that was read whole and makes no sense."""
_NEWER = "unsupported model ir version"
"""What it says of a file in a newer version of ONNX than its own."""
_CODE = re.compile(r"^(?:\[ONNXRuntimeError\] : \d+ : \w+ : )?(?:/\S+:\d+ .*?\)(?: const)? (?=[A-Z]))?", re.DOTALL)
"""Where in its own code it failed, which tells nobody anything and is longer than the reason."""
_TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16}


@budgeted()
def digest_of(path: Path) -> str:
    """SHA-256 of a network, in hexadecimal: of its file, and of the files of its weights after it, sorted by name.

    Raises:
        PolicyError: A file of its weights is missing.
        DocumentError: It cannot be read.
    """
    raw = read_bytes(path, max_bytes=_LARGEST)
    return _digest(raw, weight_files(raw, path, _LARGEST))


def _digest(raw: bytes, weights: Mapping[str, bytes]) -> str:
    found = hashlib.sha256(raw)
    for each in weights.values():
        found.update(each)
    return found.hexdigest()


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
        PolicyError: onnxruntime is not installed, the file is another one than the digest says, it is torn or no ONNX
            (TorchScript and other kinds are told by name), its weights are missing, it asks for operators that are not
            known, or has other inputs than rows of floating-point numbers.
        DocumentError: The file cannot be read.
    """

    @budgeted(MODELS)
    def __init__(self, path: Path, sha256: str | None = None) -> None:
        runtime = _runtime()
        what, remedy = folder_kind(path) if path.is_dir() else ("", "")
        raw = b"" if what else read_bytes(path, max_bytes=_LARGEST)
        if not what:
            what, remedy = other_kind(raw)
        if what:
            raise PolicyError(f"this is {what}, and no ONNX network", place=str(path), remedy=remedy)
        weights = weight_files(raw, path, _LARGEST)
        found = _digest(raw, weights)
        if sha256 is not None and found != sha256:
            raise PolicyError(
                "the network is another one than the contract says",
                place=f"{path}: sha256",
                value=found,
                limit=sha256,
                remedy="get the file that belongs to the contract, or check the new one and write its digest",
            )
        self.path, self.sha256 = path, found
        self._session = _session(raw, tuple(weights.items()), str(path), runtime)
        given = self._session.get_inputs()
        if not given:
            raise PolicyError(
                "the network has no input, so that it sees nothing",
                place=str(path),
                remedy="export it with its observation as an argument that it uses",
            )
        self._shapes = {str(each.name): _shape(each, path, "input") for each in given}
        self._types = {str(each.name): _TYPES[each.type] for each in given}
        with limited(runtime):
            self._look()
        self.metadata: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        """Texts that the file has beside the network."""

    def _look(self) -> None:
        """Find sizes of inputs and outputs, for which the network may have to be tried."""
        path = self.path
        self._rows = self._robots()
        self.inputs = tuple((name, self._size(shape)) for name, shape in self._shapes.items())
        """Names and sizes of the inputs."""
        self.outputs = tuple(
            (str(each.name), self._size(_shape(each, path, "output", known=False)))
            for each in _of_numbers(self._session.get_outputs())
        )
        """Names and sizes of the outputs; flags and counters, which no robot needs, are none of them."""
        if any(size == 0 for _, size in self.outputs):
            # Some exporters leave the shapes of what comes out unsaid.
            zeros = {name: np.zeros(size) for name, size in self.inputs}
            tried = self.run(zeros, [name for name, _ in self.outputs])
            self.outputs = tuple((name, len(row)) for (name, _), row in zip(self.outputs, tried, strict=True))

    @contextmanager
    def tried(self, longest: float = LONGEST) -> Iterator[None]:
        """Let calls in this block fail once they have taken so long together [s]."""
        with limited(_runtime(), longest):
            yield

    def _robots(self) -> int:
        """How many robots it was exported for: more than one where each row of a table gives a row of its own.

        A table of past observations has several rows, too, but they give one row together.
        """
        name, shape = next(iter(self._shapes.items()))
        if len(self._shapes) > 1 or len(shape) != 2 or shape[0] == 1:
            return 1
        others = np.zeros(shape, self._types[name])
        others[1:] = 0.5
        try:
            zeros, found = (
                self._session.run(None, {name: table}, options_now()) for table in (np.zeros_like(others), others)
            )
        except Exception:  # noqa: BLE001 - whoever runs it is told
            return 1
        own = all(
            one.ndim == 2 and len(one) == shape[0] and np.allclose(one[0], other[0], equal_nan=True)
            for one, other in zip(map(np.asarray, zeros), map(np.asarray, found), strict=True)
        )
        return shape[0] if own else 1

    def _size(self, shape: tuple[int, ...]) -> int:
        return math.prod(shape[-1:] if self._rows > 1 else shape)

    def __call__(self, observation: Vector) -> Vector:
        """What a network with one input gives at its first output for an observation, (inputs,) to (outputs,)."""
        return self.run({self.inputs[0][0]: observation}, [self.outputs[0][0]])[0]

    def run(self, given: Mapping[str, Vector], wanted: Sequence[str]) -> list[Vector]:
        """What it gives at some outputs for a row of numbers at each input.

        Raises:
            PolicyError: onnxruntime fails, or a trial takes too long, see `tried`.
        """
        feeds = {}
        for name, values in given.items():
            row = values.astype(self._types[name])
            feeds[name] = np.tile(row, (self._rows, 1)) if self._rows > 1 else row.reshape(self._shapes[name])
        try:
            found = self._session.run(list(wanted), feeds, options_now())
        # The runtime has no common class of what it raises.
        except Exception as error:
            if is_ended():
                raise PolicyError(
                    "the network does not answer",
                    place=str(self.path),
                    limit=f"{LONGEST:g} s for the calls by which it is tried",
                    remedy="it has a loop without an end, or is far too large: export the policy alone",
                ) from error
            raise PolicyError(f"the network cannot be run: {_reason(error)}", place=str(self.path)) from error
        rows = (each[0] if self._rows > 1 else each for each in map(np.asarray, found))
        return [np.asarray(each, dtype=np.float64).ravel() for each in rows]


@lru_cache(maxsize=16)
def _session(raw: bytes, weights: tuple[tuple[str, bytes], ...], place: str, runtime: Any) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        if weights:
            names, contents = zip(*weights, strict=True)
            options.add_external_initializers_from_files_in_memory(names, contents, [len(each) for each in contents])
        return runtime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
    # The runtime has no common class of what it raises.
    except Exception as error:
        text, remedy = _reason(error), ""
        if _NEWER in text.lower():
            what = "the network's file is of a newer version of ONNX than this onnxruntime knows"
            remedy = "install a newer onnxruntime, or export it with an older ir_version"
        elif any(word in text.lower() for word in _UNKNOWN):
            what = "the network asks for operators that this onnxruntime does not know"
        elif any(word in text.lower() for word in _INVALID):
            what = "the network is invalid: its exporter made it wrong"
        else:
            what = "this is no ONNX network, or its file is torn"
        version = f"onnxruntime {runtime.__version__}"
        raise PolicyError(f"{what}: {text}", place=place, value=version, remedy=remedy) from error


def _reason(error: Exception) -> str:
    """Why onnxruntime fails, without the place in its code."""
    return shorten(_CODE.sub("", str(error)), 200)


def _of_numbers(outputs: Sequence[Any]) -> list[Any]:
    """Outputs of floating-point numbers; all where there are none, so that the first is refused."""
    return [each for each in outputs if each.type in _TYPES] or list(outputs)


def _shape(tensor: Any, path: Path, what: str, *, known: bool = True) -> tuple[int, ...]:
    """Shape of an input or output, 1 where a batch of any size stands; zero numbers where it is not ``known``.

    Raises:
        PolicyError: It is no row of floating-point numbers, or of unknown size.
    """
    shape = list(tensor.shape)
    unsaid = not shape or not isinstance(shape[-1], int)
    empty = any(isinstance(size, int) and size < 1 for size in shape)
    if tensor.type not in _TYPES or (unsaid and known) or empty:
        raise PolicyError(
            f"an {what} of the network is no row of floating-point numbers of a known size",
            place=f"{path}: {tensor.name}",
            value=(tensor.type, shape),
            limit="tensor(float) of the shape (batch, size)",
            remedy="export it with the size of its last axis, for one robot"
            if tensor.type in _TYPES
            else "export it with 32-bit floating-point numbers there, or as a constant in the network",
        )
    return (0,) if unsaid else tuple(size if isinstance(size, int) else 1 for size in shape)

"""What a file is that is no ONNX network, by how it begins: trainers leave several kinds beside each other."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

_EXPORT = "export it as ONNX, with torch.onnx.export or by the trainer's own exporter"
_WEIGHTS = "export network and weights as ONNX; play or export scripts of trainers do (Isaac Lab: exported/policy.onnx)"
_OF_JAX = "export it as ONNX where it was trained: jax2tf and tf2onnx"
_PYTORCH = "a TorchScript module or a checkpoint of PyTorch"
_BEGINS: tuple[tuple[bytes, str, str], ...] = (
    (b"\x80\x02", "a checkpoint of PyTorch, or another pickle", _WEIGHTS),
    *(
        (bytes((0x80, protocol)), "a pickle, as brax, rl_games and others keep weights in", _WEIGHTS)
        for protocol in (3, 4, 5)
    ),
    (b"\x89HDF", "a model of Keras (HDF5)", "export it as ONNX, with tf2onnx"),
    (b"ftrt", "an engine of TensorRT", "take the ONNX file that it was built from"),
    (b"\x1f\x8b", "packed by gzip", "unpack it"),
    (b"version https://git-lfs", "a pointer of Git LFS in place of the network", "get the file itself: git lfs pull"),
    (b"<", "a page or an XML file in place of the network", "get the file itself"),
)
NETWORKS = (".onnx", ".pt", ".pth", ".jit", ".torchscript", ".tflite", ".h5", ".safetensors")
"""How files of networks are called."""
_FOLDERS = {
    "saved_model.pb": ("a SavedModel of TensorFlow", "export it as ONNX, with tf2onnx --saved-model"),
    "manifest.ocdbt": ("a checkpoint of Orbax", _OF_JAX),
    "_METADATA": ("a checkpoint of Orbax", _OF_JAX),
    "checkpoint": ("a checkpoint of Flax or TensorFlow", _OF_JAX),
}
"""What a folder is by a file in it."""


def other_kind(raw: bytes) -> tuple[str, str]:
    """What a file is, and what to do, by its first bytes; two empty texts where that is not known."""
    if raw[4:8] == b"TFL3":
        return "a model of TensorFlow Lite", "export it as ONNX, with tf2onnx"
    if raw[8:9] == b"{" and int.from_bytes(raw[:8], "little") < len(raw):
        return "weights alone (safetensors), without a network", _WEIGHTS
    if raw.startswith(b"PK\x03\x04"):
        return _archive(raw)
    # A short map whose first key is a short text; no ONNX file begins so.
    if len(raw) > 1 and 0x81 <= raw[0] <= 0x8F and 0xA1 <= raw[1] <= 0xBF:
        return "weights alone (MessagePack), as Flax keeps them", _OF_JAX
    return next(((what, remedy) for begin, what, remedy in _BEGINS if raw.startswith(begin)), ("", ""))


def folder_kind(folder: Path) -> tuple[str, str]:
    """What a folder is, and what to do, by the files in it; two empty texts where that is not known."""
    # Trainers number their checkpoints, each in a folder of its own.
    for name, told in _FOLDERS.items():
        if (folder / name).exists() or next(folder.glob(f"*/{name}"), None) is not None:
            return told
    return "", ""


def _archive(raw: bytes) -> tuple[str, str]:
    """What a ZIP is that trainers write, by its members."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError):
        return _PYTORCH, _EXPORT
    if "policy.pth" in names:
        return "a model of Stable-Baselines3", "export its policy as ONNX, as that library's documentation has it"
    if names and all(name.endswith(".npy") for name in names):
        return "arrays of numpy (NPZ), without a network", _EXPORT
    if "model.weights.h5" in names:
        return "a model of Keras", "export it as ONNX, with tf2onnx"
    if any("/code/" in name for name in names):
        return "a TorchScript module", f"{_EXPORT}, from torch.jit.load"
    if any(name.endswith("data.pkl") for name in names):
        return "a checkpoint of PyTorch, weights without a network", _WEIGHTS
    return _PYTORCH, _EXPORT

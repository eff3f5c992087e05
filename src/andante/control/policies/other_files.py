"""What a file is that is no ONNX network, by how it begins: trainers leave several kinds beside each other."""

from __future__ import annotations

_EXPORT = "export it as ONNX, with torch.onnx.export or by the trainer's own exporter"
_BEGINS: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a TorchScript module or a checkpoint of PyTorch", _EXPORT),
    (b"\x80\x02", "a checkpoint of PyTorch, or another pickle", _EXPORT),
    (b"\x80\x04", "a pickle", _EXPORT),
    (b"\x89HDF", "a model of Keras (HDF5)", "export it as ONNX, with tf2onnx"),
    (b"version https://git-lfs", "a pointer of Git LFS in place of the network", "get the file itself: git lfs pull"),
    (b"<", "a page or an XML file in place of the network", "get the file itself"),
)
NETWORKS = (".onnx", ".pt", ".pth", ".jit", ".torchscript", ".tflite", ".h5", ".safetensors")
"""How files of networks are called."""


def other_kind(raw: bytes) -> tuple[str, str]:
    """What a file is, and what to do, by its first bytes; two empty texts where that is not known."""
    if raw[4:8] == b"TFL3":
        return "a model of TensorFlow Lite", "export it as ONNX, with tf2onnx"
    if raw[8:9] == b"{" and int.from_bytes(raw[:8], "little") < len(raw):
        return "weights alone (safetensors), without a network", _EXPORT
    return next(((what, remedy) for begin, what, remedy in _BEGINS if raw.startswith(begin)), ("", ""))

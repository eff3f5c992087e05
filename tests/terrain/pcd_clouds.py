"""PCD files as the Point Cloud Library writes them, by hand."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np


def pack_lzf(raw: bytes) -> bytes:
    """Pack bytes by LZF: repeats of three bytes and more that were seen before, the rest as it is."""
    out, plain, seen, at = bytearray(), bytearray(), {}, 0

    def flush() -> None:
        for start in range(0, len(plain), 32):
            part = plain[start : start + 32]
            out.append(len(part) - 1)
            out.extend(part)
        plain.clear()

    while at < len(raw):
        here = raw[at : at + 3]
        before = seen.get(here, -1)
        seen[here] = at
        back = at - before
        if len(here) == 3 and before >= 0 and back <= 8192:
            count = 3
            while count < 264 and at + count < len(raw) and raw[before + count] == raw[at + count]:
                count += 1
            flush()
            if count - 2 < 7:
                out.append((count - 2) << 5 | (back - 1) >> 8)
            else:
                out += bytes([7 << 5 | (back - 1) >> 8, count - 9])
            out.append((back - 1) & 255)
            at += count
        else:
            plain.append(raw[at])
            at += 1
    flush()
    return bytes(out)


def pcd(columns: dict[str, np.ndarray], way: str = "binary", *, height: int = 1, viewpoint="0 0 0 1 0 0 0") -> bytes:
    """A PCD file of columns, each (n,) or (n, count), in the order in which they are given."""
    count = len(next(iter(columns.values())))
    tables = {name: np.asarray(values).reshape(count, -1) for name, values in columns.items()}
    kinds = [table.dtype for table in tables.values()]
    head = "\n".join(
        [
            "# .PCD v0.7 - Point Cloud Data file format", "VERSION 0.7", f"FIELDS {' '.join(tables)}",
            f"SIZE {' '.join(str(kind.itemsize) for kind in kinds)}",
            f"TYPE {' '.join({'f': 'F', 'i': 'I', 'u': 'U'}[kind.kind] for kind in kinds)}",
            f"COUNT {' '.join(str(table.shape[1]) for table in tables.values())}",
            f"WIDTH {count // height}", f"HEIGHT {height}", f"VIEWPOINT {viewpoint}", f"POINTS {count}",
            f"DATA {way}\n",
        ]
    ).encode()  # fmt: skip
    if way == "ascii":
        rows = zip(*(table.tolist() for table in tables.values()), strict=True)
        return head + "".join(" ".join(repr(n) for part in row for n in part) + "\n" for row in rows).encode()
    if way == "binary":
        rows = np.zeros(count, [(f"{k}", table.dtype, table.shape[1:]) for k, table in enumerate(tables.values())])
        for k, table in enumerate(tables.values()):
            rows[f"{k}"] = table
        return head + rows.tobytes()
    body = b"".join(np.ascontiguousarray(table).tobytes() for table in tables.values())
    packed = pack_lzf(body)
    return head + struct.pack("<II", len(packed), len(body)) + packed


def write_pcd(path: Path, points: np.ndarray, way: str = "binary", **more) -> None:
    """Write points (n, 3) in single precision, as most programs do."""
    columns = {axis: points[:, k].astype(np.float32) for k, axis in enumerate("xyz")}
    path.write_bytes(pcd(columns, way, **more))

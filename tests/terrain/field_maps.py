"""Files of one map in every kind that is read, by other libraries or straight from the formats' descriptions."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import tifffile
from mcap.writer import CompressionType
from mcap_ros2.writer import Writer
from PIL import Image

LINE = "=" * 80
GRID_MAP = f"""std_msgs/Header header
GridMapInfo info
string[] layers
string[] basic_layers
std_msgs/Float32MultiArray[] data
uint16 outer_start_index
uint16 inner_start_index
{LINE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{LINE}
MSG: grid_map_msgs/GridMapInfo
float64 resolution
float64 length_x
float64 length_y
geometry_msgs/Pose pose
{LINE}
MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
{LINE}
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
{LINE}
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
{LINE}
MSG: std_msgs/Float32MultiArray
std_msgs/MultiArrayLayout layout
float32[] data
{LINE}
MSG: std_msgs/MultiArrayLayout
std_msgs/MultiArrayDimension[] dim
uint32 data_offset
{LINE}
MSG: std_msgs/MultiArrayDimension
string label
uint32 size
uint32 stride
"""


def nodes(shape: tuple[int, int], origin, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """x and y of the nodes of a grid."""
    x = origin[0] + spacing * np.arange(shape[0])
    y = origin[1] + spacing * np.arange(shape[1])
    return np.meshgrid(x, y, indexing="ij")


def layer_message(grid: np.ndarray, by_columns: bool = True) -> dict:
    """A layer (rows, columns), by columns as Eigen keeps it, or by rows."""
    rows, columns = grid.shape
    sides = [("column_index", columns, rows * columns), ("row_index", rows, rows)]
    if not by_columns:
        sides = [("row_index", rows, rows * columns), ("column_index", columns, columns)]
    dim = [{"label": label, "size": size, "stride": stride} for label, size, stride in sides]
    flat = (grid.T if by_columns else grid).ravel().astype(np.float32)
    return {"layout": {"dim": dim, "data_offset": 0}, "data": flat.tolist()}


def grid_map_message(
    heights: np.ndarray, origin, spacing: float, *, start=(0, 0), by_columns: bool = True, more=None, yaw: float = 0.0,
    basic=(), name: str = "elevation",
) -> dict:  # fmt: skip
    """The message of a map whose node (0, 0) lies at the origin; turned about its middle."""
    layers = {name: heights, **(more or {})}
    # Rows run against x, columns against y, and the buffer begins anywhere.
    grids = {key: np.roll(values[::-1, ::-1], start, (0, 1)) for key, values in layers.items()}
    middle = [origin[axis] + 0.5 * spacing * (heights.shape[axis] - 1) for axis in (0, 1)]
    return {
        "header": {"stamp": {"sec": 5, "nanosec": 6}, "frame_id": "odom"},
        "info": {
            "resolution": spacing,
            "length_x": spacing * heights.shape[0],
            "length_y": spacing * heights.shape[1],
            "pose": {
                "position": {"x": middle[0], "y": middle[1], "z": 0.0},
                "orientation": {"x": 0.0, "y": 0.0, "z": np.sin(0.5 * yaw), "w": np.cos(0.5 * yaw)},
            },
        },
        "layers": list(grids),
        "basic_layers": list(basic),
        "data": [layer_message(grid, by_columns) for grid in grids.values()],
        "outer_start_index": start[0],
        "inner_start_index": start[1],
    }


def write_mcap(
    path: Path, messages, *, schema: str = "grid_map_msgs/msg/GridMap", compression=CompressionType.ZSTD, chunk=1 << 20
) -> None:
    """Write messages (topic, time [ns], message)."""
    with path.open("wb") as stream:
        writer = Writer(stream, chunk_size=chunk, compression=compression)
        known = writer.register_msgdef(schema, GRID_MAP)
        text = writer.register_msgdef("std_msgs/msg/String", "string data")
        writer.write_message("/chatter", text, {"data": "hello"}, log_time=1)
        for topic, moment, message in messages:
            writer.write_message(topic, known, message, log_time=moment, publish_time=moment)
        writer.finish()


def write_tiff(
    path: Path, heights: np.ndarray, origin, spacing: float, *, nodata=-9999.0, dtype=np.float32, **more
) -> None:
    """Write a GeoTIFF whose pixels' middles are the nodes: the first row is the farthest to the north."""
    ny = heights.shape[1]
    raster = np.where(np.isnan(heights), nodata, heights).T[::-1].astype(dtype)
    corner = (origin[0] - 0.5 * spacing, origin[1] + (ny - 0.5) * spacing)
    tags = [
        (33550, "d", 3, (spacing, spacing, 0.0), True),
        (33922, "d", 6, (0.0, 0.0, 0.0, *corner, 0.0), True),
        (34735, "H", 8, (1, 1, 0, 1, 1024, 0, 1, 1), True),
        (42113, "s", 0, f"{nodata:g}", True),
    ]
    tifffile.imwrite(path, raster, extratags=tags, photometric="minisblack", **more)


def write_asc(path: Path, heights: np.ndarray, origin, spacing: float, *, corner: bool = True) -> None:
    """Write an ESRI ASCII grid."""
    nx, ny = heights.shape
    kind, off = ("corner", 0.5 * spacing) if corner else ("center", 0.0)
    head = f"ncols {nx}\nnrows {ny}\nxll{kind} {origin[0] - off:.9g}\nyll{kind} {origin[1] - off:.9g}\n"
    head += f"cellsize {spacing}\nNODATA_value -9999\n"
    rows = np.where(np.isnan(heights), -9999.0, heights).T[::-1]
    path.write_text(head + "\n".join(" ".join(f"{value:.6f}" for value in row) for row in rows) + "\n")


def ply_head(kind: str, elements: list[str]) -> bytes:
    """The head of a PLY file."""
    return "\n".join(["ply", f"format {kind} 1.0", "comment written by hand", *elements, "end_header\n"]).encode()


def write_ply_cloud(path: Path, points: np.ndarray, kind: str = "binary_little_endian", colours: bool = False) -> None:
    """Write points (n, 3)."""
    names = ["float x", "float y", "float z", *(f"uchar {name}" for name in ("red", "green", "blue") if colours)]
    head = ply_head(kind, [f"element vertex {len(points)}", *(f"property {name}" for name in names)])
    if kind == "ascii":
        tail = " 1 2 3" if colours else ""
        body = "".join(f"{x:.9g} {y:.9g} {z:.9g}{tail}\n" for x, y, z in points).encode()
    else:
        order = "<" if "little" in kind else ">"
        columns = [("p", order + "f4", 3), *([("c", "u1", 3)] if colours else [])]
        rows = np.zeros(len(points), dtype=columns)
        rows["p"] = points
        body = rows.tobytes()
    path.write_bytes(head + body)


def write_ply_mesh(path: Path, heights: np.ndarray, origin, spacing: float, kind: str = "binary_little_endian") -> None:
    """Write a mesh of squares and, every third, of two triangles; squares with an unknown corner are left out."""
    x, y = nodes(heights.shape, origin, spacing)
    number = np.arange(heights.size).reshape(heights.shape)
    points = np.stack([x, y, np.nan_to_num(heights)], axis=-1).reshape(-1, 3)
    faces = []
    for i in range(heights.shape[0] - 1):
        for j in range(heights.shape[1] - 1):
            if np.isnan(heights[i : i + 2, j : j + 2]).any():
                continue
            a, b, c, d = number[i, j], number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]
            faces += [(a, b, c), (a, c, d)] if (i + j) % 3 == 0 else [(a, b, c, d)]
    head = ply_head(
        kind,
        [f"element vertex {len(points)}", "property double x", "property double y", "property double z",
         f"element face {len(faces)}", "property list uchar int vertex_indices"],
    )  # fmt: skip
    if kind == "ascii":
        body = "".join(f"{a!r} {b!r} {c!r}\n" for a, b, c in points.tolist())
        body += "".join(f"{len(face)} {' '.join(map(str, face))}\n" for face in faces)
        path.write_bytes(head + body.encode())
        return
    order = "<" if "little" in kind else ">"
    body = points.astype(order + "f8").tobytes()
    body += b"".join(struct.pack(f"{order}B{len(face)}i", len(face), *face) for face in faces)
    path.write_bytes(head + body)


def write_png(path: Path, heights: np.ndarray, low: float, high: float) -> None:
    """Write a picture of 16 bits, black where nothing is known."""
    grey = np.round((heights - low) / (high - low) * 65535.0)
    Image.fromarray(np.nan_to_num(np.maximum(grey, 1.0)).T[::-1].astype(np.uint16)).save(path)


def write_all(folder: Path, heights: np.ndarray, origin, spacing: float, jitter: float = 0.0, seed: int = 0) -> dict:
    """One map in every kind: file by name of the kind, with the options that it needs."""
    x, y = nodes(heights.shape, origin, spacing)
    low, high = float(np.nanmin(heights)) - 0.01, float(np.nanmax(heights)) + 0.01
    known = np.isfinite(heights)
    points = np.stack([x[known], y[known], heights[known]], axis=-1)
    rng = np.random.default_rng(seed)
    points[:, :2] += rng.uniform(-jitter, jitter, (len(points), 2))
    points = points[rng.permutation(len(points))]
    write_png(folder / "field.png", heights, low, high)
    picture = {"spacing": spacing, "low": low, "high": high, "nodata": 0.0, "x": origin[0], "y": origin[1]}
    np.savez_compressed(folder / "field.npz", heights=heights, origin=np.array(origin), spacing=spacing)
    write_ply_cloud(folder / "field.ply", points)
    write_tiff(folder / "field.tif", heights, origin, spacing)
    write_asc(folder / "field.asc", heights, origin, spacing)
    write_mcap(folder / "field.mcap", [("/elevation", 7, grid_map_message(heights, origin, spacing, start=(3, 5)))])
    np.savetxt(folder / "field.csv", points, delimiter=",", header="x,y,z", comments="", fmt="%.6f")
    np.savetxt(folder / "matrix.csv", heights, delimiter=",")
    matrix = {"spacing": spacing, "x": origin[0], "y": origin[1], "rows": "matrix"}
    files = {name: folder / f"field.{name}" for name in ("png", "npz", "ply", "tif", "asc", "mcap", "csv")}
    found = {name: (path, picture if name == "png" else {}) for name, path in files.items()}
    return found | {"matrix": (folder / "matrix.csv", matrix)}

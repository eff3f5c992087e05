"""Kinds of files that others read, and how they become one that is read here."""

from __future__ import annotations

from collections.abc import Mapping

_GDAL = "gdal_translate FIELD{} FIELD.tif makes a GeoTIFF of it"
_GLOBE = (
    "it is in arc seconds, with nodes 10 m and more apart: gdalwarp -t_srs EPSG:CODE FIELD{} FIELD.tif projects it "
    "to metres, but no foot finds its place on it"
)
_MESH = "Blender, MeshLab or trimesh write FIELD.stl, .obj or .ply of it"
_CAD = "FreeCAD or another CAD program exports FIELD.stl of it"
_SCAN = "CloudCompare saves FIELD.ply or FIELD.las of it"
_BARE = (
    "its numbers tell no size and no unit: numpy.save('FIELD.npy', numpy.fromfile('FIELD{}', '<u2').reshape(ROWS, "
    "COLUMNS).T), with the lowest row first; height_scale=LENGTH and spacing=LENGTH say the rest"
)
_TABLE = "save it as FIELD.csv with a row of names: x, y, z"
_UNPACK = "unpack it and name the map in it"
_PROGRAM = "it may hold a program and is never opened: write heights, spacing and origin by numpy.savez as FIELD.npz"
_ARRAYS = "write heights, spacing and origin by numpy.savez as FIELD.npz"

CONVERTED: Mapping[str, str] = {
    **dict.fromkeys((".dae", ".off", ".fbx", ".3mf", ".usd", ".usda", ".usdc", ".usdz"), _MESH),
    **dict.fromkeys((".blend", ".3ds", ".wrl", ".x3d", ".skp"), _MESH),
    **dict.fromkeys((".step", ".stp", ".iges", ".igs", ".dxf", ".dwg", ".ifc", ".sldprt", ".f3d"), _CAD),
    **{each: _GDAL.format(each) for each in (".nc", ".bil", ".flt", ".dem", ".img", ".sdat", ".ers", ".vrt", ".adf")},
    **{each: _GDAL.format(each) for each in (".jp2", ".ter", ".gpkg", ".rst")},
    **{each: _GLOBE.format(each) for each in (".hgt", ".dt0", ".dt1", ".dt2", ".grb", ".grib", ".grb2", ".grib2")},
    ".hdr": "it is the head of another file: name that one (FIELD.flt, FIELD.bil)",
    **dict.fromkeys(
        (".vtk", ".vtu", ".vtp", ".vts"), "ParaView saves FIELD.ply of it; or save its points as FIELD.csv"
    ),
    **dict.fromkeys((".h5", ".hdf5", ".zarr"), _ARRAYS),
    **dict.fromkeys((".pkl", ".pickle", ".pt", ".pth", ".joblib"), _PROGRAM),
    **dict.fromkeys(
        (".yaml", ".yml"),
        "a map of map_server says where walls are and not how high: take a grid_map, a cloud, an image of heights; or "
        "name its image and say how high: low=30cm high=0 nodata=205 spacing=RESOLUTION, x and y of its origin",
    ),
    ".e57": "pdal translate FIELD.e57 FIELD.ply, or CloudCompare, makes a cloud of it",
    **dict.fromkeys((".ptx", ".fls", ".rcp", ".rcs", ".zfs", ".pcap"), _SCAN),
    **{each: _BARE.format(each) for each in (".raw", ".r16", ".bin")},
    ".r32": _BARE.format(".r32").replace("'<u2'", "'<f4'"),
    **dict.fromkeys((".xlsx", ".xls", ".ods", ".parquet", ".feather"), _TABLE),
    **dict.fromkeys((".zip", ".7z", ".rar", ".tar", ".tgz"), _UNPACK),
    ".exr": "save it as FIELD.tif of 32-bit floats",
}
"""What is said of a file by its ending."""

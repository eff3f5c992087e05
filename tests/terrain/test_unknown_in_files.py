"""What files say is unknown, and in what units, in less usual ways: colour keys, masks, opacity, rounded numbers."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
import tifffile
from field_maps import write_asc, write_tiff
from PIL import Image

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

ORIGIN, SPACING = (0.3, -0.2), 0.01
METRES = [(1024, 0, 1, 1), (3076, 0, 1, 9001)]


@pytest.fixture(name="rough", scope="module")
def _rough():
    rng = np.random.default_rng(2)
    heights = rng.uniform(0.0, 0.1, (30, 20))
    heights[5:8, 3:5] = np.nan
    heights[20, 10] = np.nan
    return heights


def axes(step, keys, *, numbers=(), metadata=""):
    """Tags of a GeoTIFF whose nodes lie at ORIGIN in metres; its unit is ``SPACING / step`` of them."""
    unit = SPACING / step
    corner = (ORIGIN[0] - 0.5 * SPACING) / unit, (ORIGIN[1] + 19.5 * SPACING) / unit
    flat = [1, 1, 0, len(keys), *(value for key in keys for value in key)]
    tags = [(33550, "d", 3, (step, step, 0.0), True), (33922, "d", 6, (0.0, 0.0, 0.0, *corner, 0.0), True)]
    tags.append((34735, "H", len(flat), tuple(flat), True))
    if numbers:
        tags.append((34736, "d", len(numbers), tuple(numbers), True))
    if metadata:
        tags.append((42112, "s", 0, metadata, True))
    return tags


def same(found, rough):
    np.testing.assert_allclose(found.heights, rough, atol=1e-6)
    np.testing.assert_allclose(found.origin, ORIGIN, atol=1e-9)
    assert found.spacing == pytest.approx(SPACING)


@pytest.mark.parametrize("depth", [8, 16])
def test_a_colour_that_a_png_names_as_transparent_is_unknown(rough, tmp_path, depth):
    most = 2**depth - 1
    grey = np.round(np.nan_to_num(rough, nan=0.05).T[::-1] / 0.1 * most).astype(int)
    rows = np.stack([grey] * 3, axis=-1)
    key = (int(0.9 * most), 1, 2)
    rows[np.isnan(rough.T[::-1])] = key
    path = tmp_path / "a.png"
    if depth == 8:
        Image.fromarray(rows.astype(np.uint8)).save(path, transparency=key)
    else:
        path.write_bytes(png16(rows, key))
    found = load_map(path, FileOptions(spacing=SPACING, x=ORIGIN[0], y=ORIGIN[1])).map
    np.testing.assert_allclose(found.heights, rough, atol=0.1 / most)


def png16(rows, key):
    """A PNG of 16 bits for each of red, green and blue; Pillow writes none."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">II5B", rows.shape[1], rows.shape[0], 16, 2, 0, 0, 0)
    lines = b"".join(b"\0" + row.astype(">u2").tobytes() for row in rows)
    parts = [(b"IHDR", head), (b"tRNS", struct.pack(">3H", *key)), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def test_opacity_and_masks_of_a_tiff_say_what_is_unknown(rough, tmp_path):
    raster, known = np.nan_to_num(rough, nan=0.07).T[::-1].astype(np.float32), ~np.isnan(rough.T[::-1])
    tags = axes(SPACING, METRES)
    path = tmp_path / "a.tif"
    for planar in ("contig", "separate"):
        bands = np.stack([raster, known.astype(np.float32)], axis=-1 if planar == "contig" else 0)
        tifffile.imwrite(
            path, bands, extratags=tags, photometric="minisblack", extrasamples=["unassalpha"], planarconfig=planar
        )
        same(load_map(path).map, rough)
    with tifffile.TiffWriter(path) as file:
        file.write(raster, extratags=tags, metadata=None)
        file.write(np.where(known, 255, 0).astype(np.uint8), subfiletype=1, metadata=None)
    with tifffile.TiffFile(path, mode="r+") as file:
        file.pages[1].tags[254].overwrite(4)
    same(load_map(path).map, rough)


def test_a_mask_of_one_bit_for_each_node_says_what_is_unknown(rough, tmp_path):
    raster, known = np.nan_to_num(rough, nan=0.07).T[::-1].astype(np.float32), ~np.isnan(rough.T[::-1])
    path = tmp_path / "a.tif"
    for packing in (None, "zlib"):
        with tifffile.TiffWriter(path) as file:
            file.write(raster, extratags=axes(SPACING, METRES), metadata=None)
            # As GDAL writes it: NewSubfileType 4, one bit, bilevel.
            file.write(known, bitspersample=1, subfiletype=1, metadata=None, compression=packing)
        with tifffile.TiffFile(path, mode="r+") as file:
            file.pages[1].tags[254].overwrite(4)
        same(load_map(path).map, rough)


FOOT = 1200.0 / 3937.0
COMPOUND = [(1024, 0, 1, 1), (1026, 34737, 59, 0), (3072, 0, 1, 2263), (4096, 0, 1, 6360)]
CITATION = "NAD83 / New York Long Island (ftUS) + NAVD88 height (ftUS)|"


def test_systems_in_feet_of_which_no_unit_is_told_are_in_feet(rough, tmp_path):
    # The keys that GDAL 3 writes for EPSG:2263+6360.
    tags = [*axes(SPACING / FOOT, COMPOUND), (34737, "s", 0, CITATION, True)]
    path, raster = tmp_path / "a.tif", rough.T[::-1].astype(np.float32) / np.float32(FOOT)
    tifffile.imwrite(path, raster, extratags=tags, photometric="minisblack")
    found = load_map(path)
    same(found.map, rough)
    assert "EPSG:2263 (NAD83 / New York Long Island (ftUS))" in found.notes[0]
    # A program that writes the unit of the band as well means one unit, not its square.
    both = '<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">US survey foot</Item></GDALMetadata>'
    tifffile.imwrite(path, raster, extratags=[*tags, (42112, "s", 0, both, True)], photometric="minisblack")
    same(load_map(path).map, rough)


def test_a_unit_of_heights_that_is_not_known_is_said(rough, tmp_path):
    path, raster = tmp_path / "a.tif", rough.T[::-1].astype(np.float32)
    note = '<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">ell</Item></GDALMetadata>'
    tifffile.imwrite(path, raster, extratags=axes(SPACING, METRES, metadata=note), photometric="minisblack")
    found = load_map(path)
    same(found.map, rough)
    assert found.notes == ("the unit of heights 'ell' is not known: it does not count",)


def test_a_scale_below_zero_along_y_does_not_mirror_the_map(rough, tmp_path):
    tags = [(33550, "d", 3, (SPACING, -SPACING, 0.0), True), *axes(SPACING, METRES)[1:]]
    tifffile.imwrite(tmp_path / "a.tif", rough.T[::-1].astype(np.float32), extratags=tags, photometric="minisblack")
    found = load_map(tmp_path / "a.tif")
    same(found.map, rough)
    assert "below zero" in found.notes[0]


def test_a_band_has_its_own_scale_and_the_first_of_several_is_told(rough, tmp_path):
    raster = rough.T[::-1].astype(np.float32)
    items = "".join(f'<Item name="SCALE" sample="{k}" role="scale">{s}</Item>' for k, s in enumerate((1.0, 0.01)))
    tags = axes(SPACING, METRES, metadata=f"<GDALMetadata>{items}</GDALMetadata>")
    path = tmp_path / "a.tif"
    tifffile.imwrite(
        path, np.stack([raster, 100.0 * raster]), extratags=tags, photometric="minisblack", planarconfig="separate"
    )
    first = load_map(path)
    same(first.map, rough)
    assert first.notes == ("the first of 2 bands; layer=NUMBER takes another one",)
    second = load_map(path, FileOptions(layer="2"))
    np.testing.assert_allclose(second.map.heights, rough, atol=1e-6)
    assert not second.notes


def test_a_unit_of_length_that_the_file_defines_is_read_or_refused(rough, tmp_path):
    path, raster = tmp_path / "a.tif", rough.T[::-1].astype(np.float32)
    own = [(1024, 0, 1, 1), (3076, 0, 1, 32767), (3077, 34736, 1, 1)]
    tifffile.imwrite(path, raster, extratags=axes(1.0, own, numbers=(5.0, 0.01)))
    same(load_map(path, FileOptions(height_scale=1.0)).map, rough)
    tifffile.imwrite(path, raster, extratags=axes(1.0, own[:2]))
    with pytest.raises(TerrainError, match=r"a unit of length of its own and does not say how long it is; .*3077"):
        load_map(path)


def test_a_number_that_says_unknown_may_be_written_with_fewer_digits(rough, tmp_path):
    path = tmp_path / "a.asc"
    write_asc(path, rough, ORIGIN, SPACING)
    text = path.read_text().replace("NODATA_value -9999", "NODATA_value -3.4028234663852886e+38")
    path.write_text(text.replace("-9999.000000", "-3.4028235e+38"))
    same(load_map(path).map, rough)


def test_tables_with_quotes_are_read_and_counts_or_slips_are_no_heights(rough, tmp_path):
    path, options = tmp_path / "a.csv", FileOptions(spacing=SPACING, x=ORIGIN[0], y=ORIGIN[1])
    cells = [[f"{value:.6f}" for value in row] for row in rough]
    path.write_text("\n".join(";".join(f'"{cell.replace(".", ",")}"' for cell in row) for row in cells))
    same(load_map(path, options).map, np.round(rough, 6))
    table = [["", *map(str, range(20))], *([str(k), *row] for k, row in enumerate(cells))]
    path.write_text("\n".join(",".join(row) for row in table))
    with pytest.raises(TerrainError, match="the first row and the first column count the others"):
        load_map(path, options)
    cells[0][7] = "--"
    path.write_text("\n".join(",".join(row) for row in cells))
    with pytest.raises(TerrainError, match=r"a.csv:1: the first row is neither names nor numbers; got '--'"):
        load_map(path, options)


def test_a_map_in_degrees_that_does_not_say_so_is_refused_by_its_spacing(rough, tmp_path):
    write_tiff(tmp_path / "a.tif", rough, (8.0, 53.0), 1e-7)
    with pytest.raises(TerrainError, match=r"the nodes of the map are too close; .* degrees has to be projected"):
        load_map(tmp_path / "a.tif")

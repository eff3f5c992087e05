"""Matrices of MATLAB and Octave as terrain: by the names of surf's arguments, packed or not, and hostile ones."""

from __future__ import annotations

import contextlib
import io
import struct
import zlib

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.terrain.files.load import load_map
from andante.terrain.files.matlab import read_mat
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

XS, YS = 0.3 + 0.05 * np.arange(30), -0.2 + 0.05 * np.arange(20)
X, Y = np.meshgrid(XS, YS)
Z = 0.02 * np.sin(3.0 * X) + 0.01 * Y


@pytest.fixture(name="path")
def _path(tmp_path):
    return tmp_path / "field.mat"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "names",
    [
        {"X": X, "Y": Y, "Z": Z},
        {"X": X.T, "Y": Y.T, "Z": Z.T},
        {"x": XS, "y": YS, "Z": Z},
        {"x": XS, "y": YS, "Z": Z, "who": "a name", "cells": np.array([1, "a"], dtype=object)},
        {"heights": Z, "spacing": 0.05, "origin": [0.3, -0.2]},
        {"cloud": np.column_stack([X.ravel(), Y.ravel(), Z.ravel()])},
        {"x": XS, "y": YS, "heights": np.round(Z * 1e6).astype(np.int32), "vertical_scale": 1e-6},
    ],
)
def test_matrices_are_maps_by_their_names(path, packed, names):
    scipy.io.savemat(path, names, do_compression=packed)
    found = load_map(path).map
    np.testing.assert_allclose(found.heights, Z.T, atol=1e-6)
    assert found.origin == pytest.approx((0.3, -0.2))
    assert found.spacing == pytest.approx(0.05)


def test_rows_run_along_y_as_in_surf_also_where_a_matrix_is_square(path):
    scipy.io.savemat(path, {"x": XS[:20], "y": YS, "Z": Z[:, :20]})
    np.testing.assert_allclose(load_map(path).map.heights, Z[:, :20].T)
    scipy.io.savemat(path, {"Z": Z[:, :20]})
    found = load_map(path, FileOptions(spacing=0.05))
    np.testing.assert_allclose(found.map.heights, Z[:, :20].T)
    assert "rows of the matrix run along y, columns along x, as in surf" in found.notes


def test_a_matrix_is_chosen_by_its_name(path):
    scipy.io.savemat(path, {"first": Z, "second": 2.0 * Z})
    with pytest.raises(TerrainError, match=r"legal: first, second"):
        load_map(path)
    np.testing.assert_allclose(load_map(path, FileOptions(layer="second")).map.heights, 2.0 * Z.T)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            b"MATLAB 7.3 MAT-file, Platform: GLNXA64" + bytes(600),
            r"another format .*got 'MATLAB 7\.3 '.*'-v7'\) writes",
        ),
        (b"# Created by Octave 9.1\n# name: Z\n", r"'-v7'\) writes it, in Octave too"),
        (bytes(300), "is no file of matrices of MATLAB"),
    ],
)
def test_other_versions_say_how_they_are_saved(path, content, told):
    path.write_bytes(content)
    with pytest.raises(TerrainError, match=told):
        load_map(path)


def test_structures_alone_say_how_they_are_saved(path):
    scipy.io.savemat(path, {"map": {"Z": Z, "resolution": 0.05}})
    with pytest.raises(TerrainError, match=r"of a structure save.*-struct.* writes the fields as matrices"):
        load_map(path)


def saved(packed):
    stream = io.BytesIO()
    scipy.io.savemat(stream, {"X": X, "Y": Y, "Z": Z, "variance": 0.0 * Z + 1.0, "n": 3}, do_compression=packed)
    return stream.getvalue()


FILES = {packed: saved(packed) for packed in (False, True)}


@settings(max_examples=150, deadline=None)
@given(packed=st.booleans(), data=st.data())
def test_damaged_files_are_read_or_refused_with_one_message(packed, data):
    content = bytearray(FILES[packed])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(TerrainError):
        read_mat(bytes(content[: data.draw(st.integers(100, len(content)))]), "field.mat")


def test_sizes_that_lie_are_told_before_they_cost_anything(path):
    """A matrix that says 30,000 x 30,000, and one of nothing that unpacks to far more than is read."""
    content = bytearray(FILES[False])
    at = content.index(struct.pack("<2I", 5, 8)) + 8
    content[at : at + 8] = struct.pack("<2I", 30_000, 30_000)
    path.write_bytes(content)
    with pytest.raises(TerrainError, match=r"X: the matrix is too large; got \(30000, 30000\)"):
        load_map(path, FileOptions(layer="X"))
    head = FILES[True][:128]
    inner = struct.pack("<2I", 14, 100_000_000)
    for part in (
        struct.pack("<4I", 6, 8, 6, 0),
        struct.pack("<4I", 5, 8, 2000, 2000),
        struct.pack("<HH4s", 1, 1, b"Z"),
    ):
        inner += part
    unpacker = zlib.compressobj(9)
    packed = unpacker.compress(inner + struct.pack("<2I", 9, 90_000_000))
    for _ in range(90):
        packed += unpacker.compress(bytes(1_000_000))
    packed += unpacker.flush()
    path.write_bytes(head + struct.pack("<2I", 15, len(packed)) + packed)
    with pytest.raises(TerrainError, match="an element of 90000000 bytes is cut short"):
        load_map(path)

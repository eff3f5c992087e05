"""The same robot written as URDF and as SDF is one robot: masses, inertias, axes, limits, and where all goes."""

from __future__ import annotations

import numpy as np
import pytest
from sdf_twins import any_pieces, any_rigid, model_of_sdf, model_of_urdf, moved, sdf_twin, urdf_twin


@pytest.mark.parametrize("seed", range(12))
def test_a_robot_in_odd_frames_is_its_urdf(tmp_path, seed):
    pieces = any_pieces(seed)
    rng = np.random.default_rng(1000 + seed)
    one = model_of_urdf(urdf_twin(pieces), tmp_path / "twin.urdf")
    other = model_of_sdf(sdf_twin(pieces, seed), tmp_path / "twin.sdf")
    for _ in range(3):
        base = any_rigid(rng)
        angles = {f"to_{each.name}": rng.uniform(-0.5, 0.5) for each in pieces[1:] if each.kind != "fixed"}
        expected, found = (moved(model, base, angles) for model in (one, other))
        assert set(expected) == set(found)
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, abs=1e-9), name

"""Models are kept to the last bit, and their large arrays once as long as nothing writes into them."""

from __future__ import annotations

import tracemalloc

import mujoco
import numpy as np

from andante.runs.state.memory import Memory


def _model(points: int = 20_000) -> mujoco.MjModel:
    """A body with a mesh of so many vertices, on a sphere."""
    rng = np.random.default_rng(1)
    vertices = rng.normal(size=(points, 3))
    vertices /= np.linalg.norm(vertices, axis=1, keepdims=True)
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="shell", uservert=vertices.ravel())
    body = spec.worldbody.add_body(name="body")
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.name)
    return spec.compile()


def test_many_copies_of_a_model_take_the_memory_of_one() -> None:
    model = _model()
    assert model.mesh_vert.nbytes > 200_000
    tracemalloc.start()
    kept = [Memory((("model", model),))]
    one = tracemalloc.get_traced_memory()[0]
    kept += [Memory((("model", model),)) for _ in range(9)]
    ten = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert one > 1_000_000
    assert ten < 1.3 * one


def test_what_is_written_into_a_large_array_is_put_back_to_what_each_copy_had() -> None:
    model = _model()
    # Zeros of both signs are the same number and not the same bytes.
    model.mesh_vert[0] = (0.0, 0.0, 0.0)
    first, begin = Memory((("model", model),)), model.mesh_vert.tobytes()
    model.mesh_vert[0] = (-0.0, 0.0, 0.0)
    second, signed = Memory((("model", model),)), model.mesh_vert.tobytes()
    model.mesh_vert[5] = np.nan
    third, broken = Memory((("model", model),)), model.mesh_vert.tobytes()
    model.mesh_vert[:] = 7.0
    assert len({begin, signed, broken}) == 3
    for memory, told in ((second, signed), (first, begin), (third, broken), (first, begin)):
        memory.restore()
        assert model.mesh_vert.tobytes() == told


def test_another_model_has_copies_of_its_own() -> None:
    one, two = _model(), _model()
    kept = Memory((("one", one), ("two", two)))
    two.mesh_vert[:] = 1.0
    later = Memory((("two", two),))
    kept.restore()
    assert one.mesh_vert.tobytes() == two.mesh_vert.tobytes()
    later.restore()
    assert (two.mesh_vert == 1.0).all()
    assert not (one.mesh_vert == 1.0).all()

"""Convex decomposition: meshes as convex hulls that make them up, by CoACD."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide
from ._arrays import real
from ._scene import OF_BODIES, Bodies, Compound, Mesh, Scene


def _coacd(threshold: float, max_hulls: int | None) -> Any:
    """The module, where it is there and can do this."""
    try:
        coacd = importlib.import_module("coacd")
    except ImportError:
        raise _oclide.InvalidInputError(
            "convex decomposition needs CoACD, which is not there: pip install coacd") from None
    if not 0.01 <= threshold <= 1.0:
        raise _oclide.InvalidInputError(f"threshold must be from 0.01 to 1, but is {threshold!r}")
    if max_hulls is not None and max_hulls < 1:
        raise _oclide.InvalidInputError(f"max_hulls must be at least 1, but is {max_hulls!r}")
    coacd.set_log_level("off")
    return coacd


def decompose(mesh: Mesh, *, threshold: float = 0.05, max_hulls: int | None = None,
              seed: int = 0) -> list[NDArray[np.float64]]:
    """Convex hulls that together are about a solid's shape: the points of each, (m, 3) [m], for Scene.hulls.

        hulls = oclide.decompose(mesh, max_hulls=16)
        parts = oclide.Compound([oclide.Shape.CONVEX_HULL] * len(hulls), [[k, 0, 0] for k in range(len(hulls))])

    CoACD does it (PyPI: coacd). threshold: the concavity of a part that is left, 0.01 to 1; less gives more hulls that
    are nearer to the shape. max_hulls: at most so many; default: as many as it takes. The mesh should be closed; CoACD
    closes one that is not, over which its hulls may lie. Hulls without a volume are left out.
    """
    coacd = _coacd(threshold, max_hulls)
    _oclide.check(Scene(Bodies([], np.zeros((0, 3))), meshes=[mesh]))
    parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.triangles.astype(np.int32)), threshold=float(threshold),
                            max_convex_hull=-1 if max_hulls is None else int(max_hulls), seed=int(seed))
    hulls = [np.array(vertices, dtype=np.float64) for vertices, _ in parts]
    hulls = [points for points in hulls if _has_volume(points)]
    if not hulls:
        raise _oclide.InvalidInputError("CoACD found no hull with a volume")
    return hulls


def decompose_meshes(scene: Scene, *, threshold: float = 0.05, max_hulls: int | None = None, seed: int = 0) -> Scene:
    """The scene with a compound of hulls in place of each mesh: see decompose()."""
    if not scene.meshes:
        raise _oclide.InvalidInputError("meshes: there are none")
    _coacd(threshold, max_hulls)
    hulls: list[ArrayLike] = list(scene.hulls)
    compounds = list(scene.compounds)
    compound_of = {}
    for k, mesh in enumerate(scene.meshes):
        try:
            parts = decompose(mesh, threshold=threshold, max_hulls=max_hulls, seed=seed)
        except _oclide.InvalidInputError as error:
            raise _oclide.InvalidInputError(f"meshes/{k}: {error}") from None
        compound_of[k] = len(compounds)
        compounds.append(Compound([_oclide.Shape.CONVEX_HULL] * len(parts),
                                  [[len(hulls) + i, 0.0, 0.0] for i in range(len(parts))]))
        hulls += parts
    bodies = scene.bodies
    shape, size = bodies.shape.copy(), bodies.size.copy()
    for i in np.flatnonzero(shape == _oclide.Shape.TRIANGLE_MESH).tolist():
        shape[i] = _oclide.Shape.COMPOUND
        size[i] = [compound_of[int(size[i, 0])], 0.0, 0.0]
    return Scene(Bodies(shape, size, excluded=bodies.excluded, either_mask=bodies.either_mask,
                        **{name: getattr(bodies, name) for name in OF_BODIES}),
                 terrains=scene.terrains, environment_terrain=scene.environment_terrain, hulls=hulls,
                 compounds=compounds)


def _has_volume(points: NDArray[np.float64]) -> bool:
    try:
        _oclide.check(Scene(Bodies([], np.zeros((0, 3))), hulls=[real(points, "hull")]))
    except _oclide.InvalidInputError:
        return False
    return True

"""What is in a scene, as arrays. Arrays of the library's types are kept as they are, others converted once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import real, whole
from ._oclide import InvalidInputError


def _with_shape(array: NDArray, name: str, shape: tuple[int, ...]) -> None:  # type: ignore[type-arg]
    if array.shape != shape:
        raise InvalidInputError(f"{name} has shape {array.shape}, but must have {shape}")


class Terrain:
    """A height grid; rows are y, columns are x. Solid below its surface, open beyond its border.

    heights: (rows, cols), at least 2 x 2 [m]; NaN = no data. Vertex (i, j) stands at x = origin[0] + j * spacing[0],
    y = origin[1] + i * spacing[1]. Each cell is two triangles, cut from vertex (i, j+1) to vertex (i+1, j).
    holes, material: (rows-1, cols-1) uint8, optional: non-zero cells are open; material is copied to each contact.
    """

    def __init__(self, heights: ArrayLike, origin: Sequence[float] = (0.0, 0.0),
                 spacing: Sequence[float] = (1.0, 1.0), *, holes: ArrayLike | None = None,
                 material: ArrayLike | None = None) -> None:
        self.heights = real(heights, "heights")
        if self.heights.ndim != 2 or min(self.heights.shape) < 2:
            raise InvalidInputError(f"heights has shape {self.heights.shape}, but must have at least 2 x 2 vertices")
        cells = (self.heights.shape[0] - 1, self.heights.shape[1] - 1)
        self.origin = (float(origin[0]), float(origin[1]))
        self.spacing = (float(spacing[0]), float(spacing[1]))
        self.holes: NDArray[np.uint8] | None = None if holes is None else whole(holes, "holes", "uint8")
        self.material: NDArray[np.uint8] | None = None if material is None else whole(material, "material", "uint8")
        if self.holes is not None:
            _with_shape(self.holes, "holes", cells)
        if self.material is not None:
            _with_shape(self.material, "material", cells)

    def __repr__(self) -> str:
        rows, cols = self.heights.shape
        return f"<oclide.Terrain {rows} x {cols}>"


class Bodies:
    """The bodies of a scene but for their poses.

    shape: (n,), values of Shape; CONVEX_HULL is not supported yet: a scene with one is refused. size: (n, 3) [m],
    meaning by shape. Optional, all (n,): environment (bodies of different ones never meet; default 0), group (bodies of
    the same non-zero one never meet), category and mask (two bodies meet where each one's category is in the other's
    mask; default 1 and all bits).
    """

    def __init__(self, shape: ArrayLike, size: ArrayLike, *, environment: ArrayLike | None = None,
                 group: ArrayLike | None = None, category: ArrayLike | None = None,
                 mask: ArrayLike | None = None) -> None:
        self.shape: NDArray[np.uint8] = whole(shape, "shape", "uint8")
        if self.shape.ndim != 1:
            raise InvalidInputError(f"shape has shape {self.shape.shape}, but must have one axis")
        n = len(self.shape)
        self.size = real(size, "size")
        if n == 0 and self.size.size == 0:
            self.size = self.size.reshape(0, 3)
        _with_shape(self.size, "size", (n, 3))

        def optional(value: ArrayLike | None, name: str, dtype: str) -> NDArray | None:  # type: ignore[type-arg]
            if value is None:
                return None
            array = whole(value, name, dtype)
            _with_shape(array, name, (n,))
            return array

        self.environment: NDArray[np.uint32] | None = optional(environment, "environment", "uint32")
        self.group: NDArray[np.int32] | None = optional(group, "group", "int32")
        self.category: NDArray[np.uint32] | None = optional(category, "category", "uint32")
        self.mask: NDArray[np.uint32] | None = optional(mask, "mask", "uint32")

    def __len__(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<oclide.Bodies: {len(self)}>"


class Compound:
    """Parts of a body of several shapes, fixed in the body's axes. Parts of one body never meet.

    shape: (p,), of Shape; size: (p, 3) [m]; position: (p, 3) of the shapes' centres in the body's axes [m], default 0;
    orientation: (p, 4), w, x, y, z, default none. A body of Shape.COMPOUND has the compound's index as size[0].
    """

    def __init__(self, shape: ArrayLike, size: ArrayLike, position: ArrayLike | None = None,
                 orientation: ArrayLike | None = None) -> None:
        self.shape: NDArray[np.uint8] = whole(shape, "shape", "uint8")
        if self.shape.ndim != 1:
            raise InvalidInputError(f"shape has shape {self.shape.shape}, but must have one axis")
        p = len(self.shape)
        self.size = real(size, "size")
        self.position = np.zeros((p, 3)) if position is None else real(position, "position")
        self.orientation = (np.tile([1.0, 0.0, 0.0, 0.0], (p, 1)) if orientation is None
                            else real(orientation, "orientation"))
        _with_shape(self.size, "size", (p, 3))
        _with_shape(self.position, "position", (p, 3))
        _with_shape(self.orientation, "orientation", (p, 4))

    def __len__(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<oclide.Compound: {len(self)} parts>"


class Scene:
    """Everything of a scene that does not change from frame to frame.

    environment_terrain: (E,) int32, terrain of each environment, -1 for none; default: terrain 0 for all.
    hulls: points of each convex hull, (m, 3) [m]; Shape.CONVEX_HULL is not supported yet.
    """

    def __init__(self, bodies: Bodies, *, terrains: Iterable[Terrain] = (),
                 environment_terrain: ArrayLike | None = None, hulls: Iterable[ArrayLike] = (),
                 compounds: Iterable[Compound] = ()) -> None:
        self.bodies = bodies
        self.terrains = list(terrains)
        self.environment_terrain: NDArray[np.int32] | None = (
            None if environment_terrain is None else whole(environment_terrain, "environment_terrain", "int32"))
        self.hulls = [real(hull, f"hulls[{k}]") for k, hull in enumerate(hulls)]
        self.compounds = list(compounds)

    def __repr__(self) -> str:
        return f"<oclide.Scene: {len(self.bodies)} bodies, {len(self.terrains)} terrains>"

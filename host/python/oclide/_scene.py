"""What is in a scene, as arrays. Arrays of the library's types are kept as they are, others converted once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeVar, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import heights as real_heights
from ._arrays import real, whole, with_shape
from ._oclide import InvalidInputError

Item = TypeVar("Item")


def _pair(value: ArrayLike, name: str) -> tuple[float, float]:
    return cast("tuple[float, float]", tuple(with_shape(real(value, name), name, 2).tolist()))


def _list(items: Iterable[Item], name: str) -> list[Item]:
    try:
        return list(items)
    except TypeError:
        raise InvalidInputError(f"{name} must be a list, but is {items!r:.60}") from None


def _integer(value: Any, name: str, least: int, most: int) -> int:
    number = whole(value, name, "int64")
    if number.ndim != 0 or not least <= int(number) <= most:
        raise InvalidInputError(f"{name} must be a whole number from {least} to {most}, but is {value!r:.60}")
    return int(number)


Diagonal = Literal["falling", "rising", "alternating_rising", "alternating_falling"]
DIAGONALS: tuple[Diagonal, ...] = get_args(Diagonal)
"""Values of Terrain.diagonal, in the order of their numbers in scene files."""


class Terrain:
    """A height grid; rows are y, columns are x. Solid below its surface, open beyond its border.

    heights: (rows, cols), at least 2 x 2 [m]; NaN and what is masked = no data. Vertex (i, j) stands at x = origin[0] +
    j * spacing[0], y = origin[1] + i * spacing[1].
    diagonal: where each cell is cut in two triangles, seen from above with x to the right and y upward: "falling", from
    vertex (i+1, j) to (i, j+1), or "rising", from vertex (i, j) to (i+1, j+1), as in MuJoCo. "alternating_rising":
    cells (i, j) with an even i + j rise and the others fall, as the squares of a chessboard; "alternating_falling": the
    other way.
    holes, material: (rows-1, cols-1) uint8, optional: non-zero cells are open; material is copied to each contact.
    group, category, mask: which bodies meet it, as two bodies meet, but that all bits let every body meet it.
    tile_of: index in Scene.terrains of the first tile of the ground that this is a tile of, its own for that one; None:
    it is no tile. Tiles lie on one lattice and are one surface; environments name the first one.
    """

    def __init__(self, heights: ArrayLike, origin: ArrayLike = (0.0, 0.0), spacing: ArrayLike = (1.0, 1.0), *,
                 holes: ArrayLike | None = None,
                 material: ArrayLike | None = None, group: int = 0, category: int = 0xFFFFFFFF,
                 mask: int = 0xFFFFFFFF, tile_of: int | None = None,
                 diagonal: Diagonal = "falling") -> None:
        self.heights = real_heights(heights, "heights")
        if self.heights.ndim != 2 or min(self.heights.shape) < 2:
            raise InvalidInputError(f"heights has shape {self.heights.shape}, but must have at least 2 x 2 vertices")
        self.origin = _pair(origin, "origin")
        self.spacing = _pair(spacing, "spacing")
        rows, cols = self.heights.shape

        def of_cells(value: ArrayLike | None, name: str) -> NDArray[np.uint8] | None:
            return None if value is None else with_shape(whole(value, name, "uint8"), name, rows - 1, cols - 1)

        self.holes = of_cells(holes, "holes")
        self.material = of_cells(material, "material")
        self.group = _integer(group, "group", -2**31, 2**31 - 1)
        self.category = _integer(category, "category", 0, 2**32 - 1)
        self.mask = _integer(mask, "mask", 0, 2**32 - 1)
        self.tile_of = None if tile_of is None else _integer(tile_of, "tile_of", 0, 2**31 - 1)
        if diagonal not in DIAGONALS:
            raise InvalidInputError(f"diagonal is {diagonal!r:.60}, but must be one of {', '.join(DIAGONALS)}")
        self.diagonal: Diagonal = diagonal

    def __repr__(self) -> str:
        rows, cols = self.heights.shape
        return f"<oclide.Terrain {rows} x {cols}>"


OF_BODIES = ("environment", "group", "category", "mask", "flags", "margin")
"""Arrays of Bodies with one entry a body, or None."""


class Bodies:
    """The bodies of a scene but for their poses.

    shape: (n,), values of Shape. size: (n, 3) [m], meaning by shape; of hulls, meshes and compounds their index.
    Optional, all (n,): environment (bodies of different ones never meet; default 0), group (bodies of the same non-zero
    one never meet), category and mask (two bodies meet where each one's category is in the other's mask; default 1 and
    all bits), flags (bits STATIC, NO_TERRAIN, SENSOR; default 0), margin (that of a pair is Collider(margin=) and those
    of both [m], at least 0; default 0). excluded: (k, 2), pairs of bodies that never meet. either_mask: one category in
    the other's mask is enough, as in MuJoCo.
    """

    def __init__(self, shape: ArrayLike, size: ArrayLike, *, environment: ArrayLike | None = None,
                 group: ArrayLike | None = None, category: ArrayLike | None = None,
                 mask: ArrayLike | None = None, flags: ArrayLike | None = None,
                 margin: ArrayLike | None = None, excluded: ArrayLike | None = None, either_mask: bool = False) -> None:
        self.shape: NDArray[np.uint8] = with_shape(whole(shape, "shape", "uint8"), "shape", None)
        n = len(self.shape)
        self.size = real(size, "size")
        if n == 0 and self.size.size == 0:
            self.size = self.size.reshape(0, 3)
        with_shape(self.size, "size", n, 3)

        def optional(value: ArrayLike | None, name: str, dtype: str) -> NDArray[Any] | None:
            return None if value is None else with_shape(whole(value, name, dtype), name, n)

        self.environment: NDArray[np.uint32] | None = optional(environment, "environment", "uint32")
        self.group: NDArray[np.int32] | None = optional(group, "group", "int32")
        self.category: NDArray[np.uint32] | None = optional(category, "category", "uint32")
        self.mask: NDArray[np.uint32] | None = optional(mask, "mask", "uint32")
        self.flags: NDArray[np.uint32] | None = optional(flags, "flags", "uint32")
        self.margin: NDArray[np.float64] | None = None if margin is None else with_shape(
            real(margin, "margin"), "margin", n)
        self.excluded: NDArray[np.uint32] | None = (
            None if excluded is None else with_shape(whole(excluded, "excluded", "uint32"), "excluded", None, 2))
        self.either_mask = bool(either_mask)

    def __len__(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<oclide.Bodies: {len(self)}>"


class Mesh:
    """A triangle mesh in the body's axes. A body of Shape.TRIANGLE_MESH has the mesh's index as size[0].

    vertices: (m, 3) [m]. triangles: (t, 3) uint32, indices of vertices, counter-clockwise seen from the front.
    material: (t,) uint8, optional, copied to each contact. solid: the triangles are the whole surface of a solid,
    closed and with their normals outward; else they are a sheet, which meets bodies from either side.
    """

    def __init__(self, vertices: ArrayLike, triangles: ArrayLike, *, material: ArrayLike | None = None,
                 solid: bool = False) -> None:
        self.vertices = with_shape(real(vertices, "vertices"), "vertices", None, 3)
        self.triangles: NDArray[np.uint32] = with_shape(whole(triangles, "triangles", "uint32"), "triangles", None, 3)
        self.material: NDArray[np.uint8] | None = (
            None if material is None
            else with_shape(whole(material, "material", "uint8"), "material", len(self.triangles)))
        self.solid = bool(solid)

    def __len__(self) -> int:
        return len(self.triangles)

    def __repr__(self) -> str:
        return f"<oclide.Mesh: {len(self)} triangles>"


class Compound:
    """Parts of a body of several shapes, fixed in the body's axes. Parts of one body never meet.

    shape: (p,), of Shape; size: (p, 3) [m]; position: (p, 3) of the shapes' centres in the body's axes [m], default 0;
    orientation: (p, 4), w, x, y, z, default none. A body of Shape.COMPOUND has the compound's index as size[0].
    """

    def __init__(self, shape: ArrayLike, size: ArrayLike, position: ArrayLike | None = None,
                 orientation: ArrayLike | None = None) -> None:
        self.shape: NDArray[np.uint8] = with_shape(whole(shape, "shape", "uint8"), "shape", None)
        p = len(self.shape)
        self.size = with_shape(real(size, "size"), "size", p, 3)
        self.position = (np.zeros((p, 3)) if position is None
                         else with_shape(real(position, "position"), "position", p, 3))
        self.orientation = (np.tile([1.0, 0.0, 0.0, 0.0], (p, 1)) if orientation is None
                            else with_shape(real(orientation, "orientation"), "orientation", p, 4))

    def __len__(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<oclide.Compound: {len(self)} parts>"


class Scene:
    """Everything of a scene that does not change from frame to frame.

    environment_terrain: (E,) int32, terrain of each environment, -1 for none; default: terrain 0 for all.
    hulls: points of each convex hull in the body's axes, (m, 3) [m], at least four that are in no plane. A body of
    Shape.CONVEX_HULL has the hull's index as size[0]; any number of bodies may share one, as they may share a mesh.
    """

    def __init__(self, bodies: Bodies, *, terrains: Iterable[Terrain] = (),
                 environment_terrain: ArrayLike | None = None, hulls: Iterable[ArrayLike] = (),
                 meshes: Iterable[Mesh] = (), compounds: Iterable[Compound] = ()) -> None:
        self.bodies = bodies
        self.terrains = _list(terrains, "terrains")
        self.environment_terrain: NDArray[np.int32] | None = (
            None if environment_terrain is None
            else with_shape(whole(environment_terrain, "environment_terrain", "int32"), "environment_terrain", None))
        self.hulls = [with_shape(real(hull, f"hulls[{k}]"), f"hulls[{k}]", None, 3)
                      for k, hull in enumerate(_list(hulls, "hulls"))]
        self.meshes = _list(meshes, "meshes")
        self.compounds = _list(compounds, "compounds")

    def __repr__(self) -> str:
        return f"<oclide.Scene: {len(self.bodies)} bodies, {len(self.terrains)} terrains>"

"""Rays as sensors have them, for Collider.cast: arrays of origins and directions, made with NumPy alone.

A sensor's pose is a position (..., 3) and an orientation (..., 4) as w, x, y, z, of any length but zero, in the world.
The axes before the last one are those of many sensors; what comes back has them first, and then those of the sensor's
own rays. Origins and directions go to Collider.cast as they are; environments are broadcast against them:

    origin, direction = oclide.height_scan(base_position, base_orientation)              # (E, rows, cols, 3)
    hits = collider.cast(position, orientation, origin, direction, environment=np.arange(E)[:, None, None])
    height = hits.point[..., 2]                                                            # (E, rows, cols)
"""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import number, real, vectors, whole, with_shape
from ._oclide import NOTHING, Collider, InvalidInputError

if TYPE_CHECKING:
    from ._service import RemoteCollider

Rays = tuple[NDArray[np.float64], NDArray[np.float64]]
MOST = 1 << 24  # rows, columns of rays of one sensor
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


class PathEnd(enum.IntEnum):
    """How a path ends; see Paths.end."""

    ARRIVED = 0
    """The whole way was gone."""
    STOPPED = 1
    """At a surface, with some way left."""
    IN_SOLID = 2
    """It began in a solid, and did not move."""


def _rotated(orientation: ArrayLike, vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """`vector` (rays..., 3) turned by each of orientation (sensors..., 4): (sensors..., rays..., 3)."""
    q = real(orientation, "orientation")
    if q.ndim == 0 or q.shape[-1] != 4:
        raise InvalidInputError(f"orientation has shape {q.shape}, but must have (..., 4)")
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    bad = ~(np.isfinite(length) & (length > 0.0))[..., 0]
    if bad.any():
        index = "".join(f"[{i}]" for i in np.argwhere(bad)[0])
        raise InvalidInputError(f"orientation{index} is not finite or of zero length")
    q = (q / length).reshape(q.shape[:-1] + (1,) * (vector.ndim - 1) + (4,))
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, vector)
    return np.asarray(vector + w * t + np.cross(u, t))


def _posed(position: ArrayLike, orientation: ArrayLike, offset: NDArray[np.float64],
           direction: NDArray[np.float64]) -> Rays:
    """Rays in the sensor's axes as rays in the world."""
    p = vectors(position, "position")
    p = p.reshape(p.shape[:-1] + (1,) * (direction.ndim - 1) + (3,))
    turned = _rotated(orientation, direction)
    origin = p + _rotated(orientation, offset) if offset.any() else p
    shape = np.broadcast_shapes(origin.shape, turned.shape)
    return np.broadcast_to(origin, shape), np.broadcast_to(turned, shape)


def _count(value: int, name: str) -> int:
    count = int(with_shape(whole(value, name, "int64"), name))
    if not 1 <= count <= MOST:
        raise InvalidInputError(f"{name} is {count}, but must be at least 1 and at most {MOST}")
    return count


def _pair(value: tuple[float, float], name: str) -> tuple[float, float]:
    pair = with_shape(real(value, name), name, 2)
    return number(pair[0], f"{name}[0]"), number(pair[1], f"{name}[1]")


def _middles(count: int, low: float, high: float) -> NDArray[np.float64]:
    """Middles of `count` equal parts."""
    return np.asarray(low + (high - low) * (np.arange(count) + 0.5) / count, np.float64)


def lidar(rows: int, columns: int, position: ArrayLike = (0.0, 0.0, 0.0), orientation: ArrayLike = UPRIGHT, *,
          vertical: tuple[float, float] = (-math.pi / 12, math.pi / 12),
          horizontal: tuple[float, float] = (-math.pi, math.pi)) -> Rays:
    """Rays of a rotating lidar: origin and direction, each (..., rows, columns, 3), directions of length 1.

    rows: channels, their elevations evenly spaced over `vertical` [rad], both ends included, the highest first.
    columns: azimuths, in the middles of equal parts of `horizontal` [rad], from x towards y. The sensor's axis is its
    z, and x is ahead.
    position: (..., 3) [m]; orientation: (..., 4). For a sensor that moves while it rotates give a pose to each column:
    lidar(rows, 1, position (columns, 3), orientation (columns, 4)) with the turn of its head in them.
    """
    low, high = _pair(vertical, "vertical")
    rows = _count(rows, "rows")
    elevation = np.linspace(high, low, rows) if rows > 1 else np.array([0.5 * (low + high)])
    azimuth = _middles(_count(columns, "columns"), *_pair(horizontal, "horizontal"))
    across = np.cos(elevation)[:, None]
    direction = np.stack(np.broadcast_arrays(across * np.cos(azimuth), across * np.sin(azimuth),
                                             np.sin(elevation)[:, None]), axis=-1)
    return _posed(position, orientation, np.zeros(3), direction)


def depth_camera(width: int, height: int, fov: float, position: ArrayLike = (0.0, 0.0, 0.0),
                 orientation: ArrayLike = UPRIGHT) -> Rays:
    """Rays through the middles of a camera's pixels: origin and direction, each (..., height, width, 3).

    fov: angle over the whole width [rad]; pixels are square. The camera looks along its -z, x is to the right and y up,
    as in OpenGL and MuJoCo; the first row is the upper one. Directions reach to a plane 1 m ahead, so that
    hits.distance / numpy.linalg.norm(direction, axis=-1) is the depth, along the axis.
    position: (..., 3) [m]; orientation: (..., 4).
    """
    width, height, fov = _count(width, "width"), _count(height, "height"), number(fov, "fov")
    if not 0.0 < fov < math.pi:
        raise InvalidInputError(f"fov is {fov}, but must be between 0 and pi")
    half = math.tan(0.5 * fov)
    x = _middles(width, -half, half)
    y = _middles(height, half * height / width, -half * height / width)
    direction = np.stack(np.broadcast_arrays(x[None, :], y[:, None], np.full((1, 1), -1.0)), axis=-1)
    return _posed(position, orientation, np.zeros(3), direction)


def height_scan(position: ArrayLike, orientation: ArrayLike = UPRIGHT, *, size: tuple[float, float] = (1.6, 1.0),
                spacing: float = 0.1, above: float = 10.0) -> Rays:
    """Rays straight down around bodies, as robots look at the ground: origin and direction, each (..., rows, cols, 3).

    size: of the grid along the body's own x and y, turned about the vertical alone (yaw) [m]; spacing: of its points
    [m]. rows are y, columns are x, and the body is in the middle. Rays start `above` the body [m]: high enough to be
    above the ground, and below roofs. A mask keeps them from the robot itself.
    position: (..., 3) [m]; orientation: (..., 4).
    """
    size, spacing, above = _pair(size, "size"), number(spacing, "spacing"), number(above, "above")
    if not spacing > 0.0 or not min(size) >= 0.0:
        raise InvalidInputError(f"spacing is {spacing} and size is {size}, but they must be positive")
    if not max(size) / spacing < MOST:
        raise InvalidInputError(f"size is {size} and spacing {spacing}: that is more than {MOST} points along an axis")
    x, y = (spacing * (np.arange(n) - 0.5 * (n - 1)) for n in (math.floor(s / spacing + 1.5) for s in size))
    ahead = _rotated(orientation, np.array([1.0, 0.0, 0.0]))
    # A body on its nose has no yaw: its grid lies along the world's axes.
    length = np.hypot(ahead[..., 0], ahead[..., 1])
    upright = length > 1e-9
    cosine = np.where(upright, ahead[..., 0] / np.where(upright, length, 1.0), 1.0)[..., None, None]
    sine = np.where(upright, ahead[..., 1] / np.where(upright, length, 1.0), 0.0)[..., None, None]
    gx, gy = np.broadcast_arrays(x[None, :], y[:, None])
    offset = np.stack(np.broadcast_arrays(cosine * gx - sine * gy, sine * gx + cosine * gy, above), axis=-1)
    origin = vectors(position, "position")[..., None, None, :] + offset
    return origin, np.broadcast_to(np.array([0.0, 0.0, -1.0]), origin.shape)


def line_of_sight(collider: Collider | RemoteCollider, position: ArrayLike, orientation: ArrayLike, a: ArrayLike,
                  b: ArrayLike,
                  environment: ArrayLike | None = None, mask: ArrayLike | None = None) -> NDArray[np.bool_]:
    """True where nothing is between a and b: no point of the line is in a solid, its ends included.

    position, orientation: of all bodies, as of Collider.collide; a, b: (..., 3) [m]; environment, mask: as of
    Collider.cast. All are broadcast against each other.
    """
    start, way = vectors(a, "a"), vectors(b, "b")
    way = way - start
    length = np.linalg.norm(way, axis=-1)
    direction = np.where(length[..., None] > 0.0, way, [0.0, 0.0, 1.0])
    hits = collider.cast(position, orientation, start, direction, length, environment, mask)
    return np.asarray(hits.body == NOTHING)

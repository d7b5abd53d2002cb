"""Frames as Rerun shows them: bodies, terrain, contacts, impacts, rays."""

from __future__ import annotations

import importlib
import weakref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide
from ._arrays import real
from ._oclide import Shape
from ._scene import DIAGONALS, Scene

_NAMES = {Shape.SPHERE: "spheres", Shape.BOX: "boxes", Shape.CYLINDER: "cylinders", Shape.CAPSULE: "capsules",
          Shape.CONVEX_HULL: "hulls", Shape.HALF_SPACE: "half_spaces", Shape.TRIANGLE_MESH: "meshes"}
_RAMP = np.array(_oclide.depth_colours(), float)
_IMPACT, _RAY, _MISS = _oclide.ray_colours()

Array = NDArray[Any]
_LOGGED: dict[tuple[str, str], weakref.ref[Scene]] = {}  # the last scene of each recording and path


def _module() -> Any:
    try:
        return importlib.import_module("rerun")
    except ImportError:
        raise _oclide.InvalidInputError("oclide.rerun needs Rerun, which is not there: pip install rerun-sdk") from None


def _column(records: Any, name: str) -> Array:
    """Of a Frame, Impacts, RayHits or a structured array."""
    return np.asarray(records[name] if isinstance(records, np.ndarray) else getattr(records, name))


def _turned(q: Array, v: Array) -> Array:
    """Vectors (n, 3) by unit quaternions (n, 4), w x y z."""
    t = 2.0 * np.cross(q[:, 1:], v)
    return np.asarray(v + q[:, :1] * t + np.cross(q[:, 1:], t))


def _product(a: Array, b: Array) -> Array:
    w = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    return np.hstack([w, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])])


def _parts(scene: Scene, position: Array, orientation: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Shape, size, position, orientation, body of all bodies, with the parts of compounds in their place."""
    bodies = scene.bodies
    shape, size, body = bodies.shape, bodies.size, np.arange(len(bodies.shape))
    lists = [[a[shape != Shape.COMPOUND]] for a in (shape, size, position, orientation, body)]
    for k, compound in enumerate(scene.compounds):
        for i in np.flatnonzero((shape == Shape.COMPOUND) & (size[:, 0] == k)):
            n = len(compound.shape)
            q = np.repeat(orientation[i:i + 1], n, axis=0)
            turn = np.asarray(compound.orientation, float)
            turn = turn / np.linalg.norm(turn, axis=1, keepdims=True)
            for to, new in zip(lists, (compound.shape, compound.size,
                                       position[i] + _turned(q, np.asarray(compound.position, float)),
                                       _product(q, turn), np.full(n, i))):
                to.append(np.asarray(new))
    shape, size, position, orientation, body = (np.concatenate(a) for a in lists)
    return shape, size, position, orientation, body


def _surface(scene: Scene, shape: Shape, index: int, half: float) -> tuple[Array, Array]:
    """Vertices and triangles of a hull, a mesh, or the part of a half space that is shown."""
    if shape == Shape.CONVEX_HULL:
        return _oclide.hull_surface(scene.hulls[index])
    if shape == Shape.TRIANGLE_MESH:
        return scene.meshes[index].vertices, scene.meshes[index].triangles
    return half * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]])


def _log_bodies(rr: Any, log: Any, scene: Scene, position: Array, orientation: Array, touching: Array,
                is_new: bool) -> None:
    """What bodies are made of once, where `is_new`; where they are and their colours with each frame."""
    shape, size, at, turn, body = _parts(scene, position, orientation)
    xyzw = np.roll(turn, -1, axis=1)
    solid = at[(shape != Shape.HALF_SPACE)]
    middle = 0.5 * (solid.min(0) + solid.max(0)) if len(solid) else np.zeros(3)
    half = 1.0 + (float(np.linalg.norm(solid.max(0) - solid.min(0))) if len(solid) else 10.0)

    def once(entity: str, what: Any) -> None:
        if is_new:
            log(entity, what, static=True)

    for kind, plural in _NAMES.items():
        of_kind = np.flatnonzero(shape == kind)
        if len(of_kind) == 0:
            continue
        name, colour = "bodies/" + plural, _oclide.shape_colour(kind)
        colours = np.tile(np.array(colour, np.uint8), (len(of_kind), 1))
        pale = ~touching[body[of_kind]]
        colours[pale] = colours[pale] // 2 + 82
        s, p, q = size[of_kind], at[of_kind], xyzw[of_kind]
        if kind in (Shape.SPHERE, Shape.BOX):
            made = rr.Ellipsoids3D if kind == Shape.SPHERE else rr.Boxes3D
            half_sizes = np.repeat(s[:, :1], 3, axis=1) if kind == Shape.SPHERE else s
            once(name, made.from_fields(half_sizes=half_sizes, fill_mode="solid"))
            log(name, made.from_fields(centers=p, quaternions=q, colors=colours))
        elif kind == Shape.CYLINDER:
            once(name, rr.Cylinders3D.from_fields(radii=s[:, 0], lengths=2.0 * s[:, 1], fill_mode="solid"))
            log(name, rr.Cylinders3D.from_fields(centers=p, quaternions=q, colors=colours))
        elif kind == Shape.CAPSULE:  # Rerun's begin at one end
            end = p - _turned(turn[of_kind], np.column_stack([np.zeros((len(s), 2)), s[:, 1]]))
            once(name, rr.Capsules3D.from_fields(radii=s[:, 0], lengths=2.0 * s[:, 1], fill_mode="solid"))
            log(name, rr.Capsules3D.from_fields(translations=end, quaternions=q, colors=colours))
        else:
            if kind == Shape.HALF_SPACE:  # the part that is next to the others
                up = _turned(turn[of_kind], np.tile([0.0, 0.0, 1.0], (len(of_kind), 1)))
                p = middle - np.sum(up * (middle - p), axis=1, keepdims=True) * up
            index = np.zeros(len(of_kind), int) if kind == Shape.HALF_SPACE else s[:, 0].astype(int)
            for k in np.unique(index):
                entity = name if kind == Shape.HALF_SPACE else f"{name}/{k}"
                if is_new:
                    vertices, triangles = _surface(scene, kind, int(k), half)
                    once(entity,
                         rr.Mesh3D(vertex_positions=vertices, triangle_indices=triangles, albedo_factor=colour))
                log(entity, rr.InstancePoses3D(translations=p[index == k], quaternions=q[index == k]))


def _log_terrain(rr: Any, log: Any, scene: Scene, origin: Array) -> None:
    for k, terrain in enumerate(scene.terrains):
        heights = np.asarray(terrain.heights, float)
        rows, cols = heights.shape
        x, y = np.meshgrid(terrain.origin[0] + terrain.spacing[0] * np.arange(cols),
                           terrain.origin[1] + terrain.spacing[1] * np.arange(rows))
        vertices = np.stack([x, y, np.nan_to_num(heights)], axis=-1).reshape(-1, 3) - origin
        v = np.arange(rows * cols).reshape(rows, cols)
        v0, v1, v2, v3 = v[:-1, :-1], v[:-1, 1:], v[1:, :-1], v[1:, 1:]
        number, odd = DIAGONALS.index(terrain.diagonal), np.add.outer(np.arange(rows - 1), np.arange(cols - 1)) % 2
        rises = np.logical_or(number == 1, number == 2 + odd)
        cells = np.where(rises[..., None], np.stack([v1, v3, v0, v2, v0, v3], axis=-1),
                         np.stack([v0, v1, v2, v3, v2, v1], axis=-1))
        known = np.isfinite(heights)
        shown = known[:-1, :-1] & known[:-1, 1:] & known[1:, :-1] & known[1:, 1:]
        if terrain.holes is not None:
            shown &= np.asarray(terrain.holes) == 0
        log(f"terrain/{k}", rr.Mesh3D(vertex_positions=vertices, triangle_indices=cells[shown].reshape(-1, 3),
                                      albedo_factor=(168, 176, 150)))


def rerun(scene: Scene, position: ArrayLike, orientation: ArrayLike, *, contacts: Any = None, impacts: Any = None,
          rays: tuple[ArrayLike, ArrayLike] | None = None, hits: Any = None, frame: int = 0,
          origin: ArrayLike = (0.0, 0.0, 0.0), path: str = "oclide", recording: Any = None) -> None:
    """Logs one frame of a scene to Rerun (PyPI: rerun-sdk), on the timeline "frame".

        rr.init("scene", spawn=True)
        for k, (position, orientation) in enumerate(file):
            oclide.rerun(file.scene, position, orientation, contacts=collider.collide(position, orientation), frame=k)

    position (n, 3), orientation (n, 4): poses of the bodies. contacts: a Frame or an array of CONTACT_DTYPE: points
    coloured by depth, and their normals; bodies without one are pale. impacts: Impacts or an array of IMPACT_DTYPE.
    rays: origin and direction (..., 3) of hits (RayHits or an array of HIT_DTYPE); those without a hit are 10 m long.
    origin: a place near the scene that becomes Rerun's origin [m], whose numbers are floats. path: of the entities;
    terrain, sizes and surfaces of bodies are logged once a scene, and anew with frame 0; each frame has where bodies
    are alone. recording: a rerun.RecordingStream; by default the active one.
    """
    rr = _module()
    base = real(origin, "origin")
    at = real(position, "position") - base
    turn = real(orientation, "orientation")
    n = len(scene.bodies)
    for name, array, width in (("position", at, 3), ("orientation", turn, 4)):
        if array.shape != (n, width):
            raise _oclide.InvalidInputError(f"{name} has shape {array.shape}, but must have ({n}, {width})")
    turn = turn / np.linalg.norm(turn, axis=1, keepdims=True)

    def log(entity: str, *what: Any, static: bool = False) -> None:
        rr.log(f"{path}/{entity}", *what, static=static, recording=recording)

    # What does not change is logged once a scene.
    where = (str(rr.get_recording_id(recording)), path)
    last = _LOGGED.get(where)
    is_new = frame == 0 or last is None or last() is not scene
    _LOGGED[where] = weakref.ref(scene)
    if is_new:
        rr.log(path, rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True, recording=recording)
        _log_terrain(rr, lambda entity, what: rr.log(f"{path}/{entity}", what, static=True, recording=recording), scene,
                     base)
    rr.set_time("frame", sequence=frame, recording=recording)
    touching = np.ones(n, bool)
    if contacts is not None:
        a, b = _column(contacts, "body_a"), _column(contacts, "body_b")
        touching[:] = False
        touching[a] = True
        touching[b[b != _oclide.TERRAIN]] = True
    _log_bodies(rr, log, scene, at, turn, touching, is_new)
    if contacts is not None:
        depth, point = _column(contacts, "depth").astype(float), _column(contacts, "point") - base
        deep = max(float(np.quantile(depth, 0.98)) if len(depth) else 0.0, 1e-12)
        on_ramp = np.clip(depth / deep, 0.0, 1.0) * (len(_RAMP) - 1)
        colours = np.stack([np.interp(on_ramp, np.arange(len(_RAMP)), _RAMP[:, c]) for c in range(3)],
                           axis=-1).astype(np.uint8)
        log("contacts/points", rr.Points3D(point, colors=colours, radii=rr.Radius.ui_points(4.0)))
        log("contacts/normals", rr.Arrows3D(origins=point, vectors=0.3 * _column(contacts, "normal"), colors=colours))
    if impacts is not None:
        point = _column(impacts, "point") - base
        log("impacts/points", rr.Points3D(point, colors=[_IMPACT] * len(point), radii=rr.Radius.ui_points(5.0)))
        log("impacts/normals",
            rr.Arrows3D(origins=point, vectors=0.3 * _column(impacts, "normal"), colors=[_IMPACT] * len(point)))
    if hits is not None and rays is not None:
        start, along = (real(r, name).reshape(-1, 3) for r, name in zip(rays, ("origin of rays", "direction of rays")))
        body, point = _column(hits, "body").reshape(-1), _column(hits, "point").reshape(-1, 3)
        miss = body == _oclide.NOTHING
        end = np.where(miss[:, None], start + 10.0 * along / np.linalg.norm(along, axis=1, keepdims=True), point)
        log("rays", rr.LineStrips3D(np.stack([start, end], axis=1) - base,
                                    colors=np.where(miss[:, None], _MISS, _RAY).astype(np.uint8)))

"""A scene made of a MuJoCo model's geoms, and its contacts in MuJoCo's terms."""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _oclide
from ._arrays import real
from ._scene import Bodies, Mesh, Scene, Terrain
from ._text import clean

if TYPE_CHECKING:
    from ._service import RemoteFrame

MUJOCO_CONTACT_DTYPE: np.dtype[np.void] = np.dtype(
    [("environment", "u4"), ("geom", "i4", (2,)), ("dist", "f8"), ("pos", "f8", (3,)), ("normal", "f8", (3,))])
"""One contact as MuJoCo has it: the environment, 0 where there is one; geom ids, the smaller type (then id) first;
distance [m], negative is penetration; the point halfway between the surfaces [m]; the unit normal from geom[0] to
geom[1] (the first row of mjContact.frame)."""


class LeftOut(NamedTuple):
    """A geom or flex that collides in MuJoCo and is not in the scene. geom: -1 for a flex."""

    geom: int
    name: str
    reason: str


class MujocoScene:
    """A scene of a MuJoCo model's geoms: one body for each sphere, capsule, cylinder, box, plane, mesh and ellipsoid, a
    terrain for the height field. Made by from_mujoco().

    scene: for Collider.set_scene. environments: how many copies of the model's bodies it has, one after another, which
    never meet each other. geom: (n,) int32, the geom of each body. terrain_geom: that of the terrain, or -1. left_out:
    colliding geoms and flexes that are not in it, with the reason. notes: what else is not as in MuJoCo.
    """

    def __init__(self, model: Any, scene: Scene, geom: NDArray[np.int32], terrain_geom: int, left_out: list[LeftOut],
                 notes: list[str], environments: int, reach: _Reach) -> None:
        self.scene = scene
        self.environments = environments
        self.geom: NDArray[np.int32] = np.tile(geom, environments)
        self.terrain_geom = terrain_geom
        self.left_out = left_out
        self.notes = notes
        self._types = np.array(model.geom_type)
        self._reach = reach
        self._nq, self._nv = int(model.nq), int(model.nv)
        self._timestep = float(model.opt.timestep)
        self._kinematics = _oclide.Kinematics(model, geom)
        self._body = np.array(model.geom_bodyid)[geom]
        self._quat = np.array(model.geom_quat)[geom]

    def poses(self, state: Any, mocap_pos: ArrayLike | None = None, mocap_quat: ArrayLike | None = None,
              ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where all bodies are: position (n, 3), orientation (n, 4).

        state: qpos of each environment, (environments, nq), or (nq,) where there is one; the kinematics are computed,
        on all cores. mocap_pos, mocap_quat: (environments, nmocap, 3) and (environments, nmocap, 4), where mocap bodies
        are elsewhere than the model has them. Or an mjData whose kinematics are up to date, where there is one
        environment.
        """
        if hasattr(state, "geom_xpos"):
            if self.environments != 1:
                raise _oclide.InvalidInputError(
                    f"poses() of one mjData, but the scene has {self.environments} environments: give qpos of all")
            return state.geom_xpos[self.geom], _product(state.xquat[self._body], self._quat)
        return self._kinematics.poses(self._rows(state, "qpos", self._nq), mocap_pos, mocap_quat)

    def motion(self, state: Any, qvel: ArrayLike | None = None, dt: float | None = None,
               mocap_pos: ArrayLike | None = None, mocap_quat: ArrayLike | None = None,
               ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How all bodies move at the velocities of a state, for Collider.sweep(): displacement (n, 3) [m], of geoms'
        centres; rotation (n, 3) [rad], rotation vectors in world axes.

            position, orientation = world.poses(qpos)
            impacts = collider.sweep(position, orientation, *world.motion(qpos, qvel))

        state: qpos as of poses(), with qvel (environments, nv), or (nv,) where there is one; or an mjData, whose qpos
        and qvel count, where there is one environment. dt: how long they move so [s], the model's timestep if not
        given. Velocities are those of now: a geom on a turning link goes straight on, off the link's arc by (speed of
        turning * dt)^2 / 2 of its radius. Mocap bodies rest.
        """
        if hasattr(state, "qpos"):
            if self.environments != 1:
                raise _oclide.InvalidInputError(
                    f"motion() of one mjData, but the scene has {self.environments} environments: give qpos, "
                    "qvel of all")
            if qvel is None:
                qvel = state.qvel
            if mocap_pos is None and mocap_quat is None and len(state.mocap_pos):
                mocap_pos, mocap_quat = state.mocap_pos[None], state.mocap_quat[None]
            state = state.qpos
        if qvel is None:
            raise _oclide.InvalidInputError("motion() of qpos needs qvel")
        return self._kinematics.motion(self._rows(state, "qpos", self._nq), self._rows(qvel, "qvel", self._nv),
                                       self._timestep if dt is None else dt, mocap_pos, mocap_quat)

    def _rows(self, given: ArrayLike, name: str, width: int) -> NDArray[np.float64]:
        """One row an environment."""
        rows = real(given, name)
        if rows.ndim == 1 and self.environments == 1:
            rows = rows[None]
        if rows.shape != (self.environments, width):
            raise _oclide.InvalidInputError(
                f"{name} has shape {rows.shape}, but must have ({self.environments}, {width})")
        return rows

    def contacts(self, frame: _oclide.Frame | RemoteFrame | NDArray[np.void]) -> NDArray[np.void]:
        """The contacts of a frame as MuJoCo would have them: shape (C,), dtype MUJOCO_CONTACT_DTYPE. Pairs that
        MuJoCo's filters keep apart do not meet in the scene. Where margins of bodies cannot say how far apart a pair
        has contacts in MuJoCo, those beyond are left out here."""
        ours = frame if isinstance(frame, np.ndarray) else frame.contacts
        on_terrain = ours["body_b"] == _oclide.TERRAIN
        a = self.geom[ours["body_a"]]
        b = np.where(on_terrain, self.terrain_geom, self.geom[np.where(on_terrain, 0, ours["body_b"])])
        if not self._reach.is_of_bodies:
            near = -ours["depth"] < self._reach.of(a, b)
            ours, on_terrain, a, b = ours[near], on_terrain[near], a[near], b[near]
        theirs = np.zeros(len(ours), MUJOCO_CONTACT_DTYPE)
        theirs["environment"] = ours["body_a"] // max(len(self.geom) // self.environments, 1)
        depth = ours["depth"].astype(np.float64)
        normal = ours["normal"].astype(np.float64)  # from b to a
        b_first = (self._types[b] < self._types[a]) | ((self._types[b] == self._types[a]) & (b < a))
        theirs["geom"][:, 0] = np.where(b_first, b, a)
        theirs["geom"][:, 1] = np.where(b_first, a, b)
        theirs["dist"] = -depth
        theirs["pos"] = ours["point"] + 0.5 * depth[:, None] * normal
        theirs["normal"] = np.where(b_first[:, None], normal, -normal)
        return theirs


def from_mujoco(model: Any, data: Any | None = None, *, meshes: Literal["hull", "mesh"] = "hull",
                environments: int = 1) -> MujocoScene:
    """A scene of the geoms of an mjModel that collide (contype or conaffinity not 0, or in an explicit pair).

        world = oclide.from_mujoco(model)
        collider = oclide.Collider()
        collider.set_scene(world.scene)
        contacts = world.contacts(collider.collide(*world.poses(data)))   # beside data.contact

    data: its poses are checked to be finite, where it is given. environments: so many copies of all bodies, each in an
    environment of its own, for MujocoScene.poses(qpos) of thousands at once; all are on the same terrain. meshes:
    "hull", they are their convex hulls, as they are for MuJoCo; or "mesh", all their triangles, solid where they are
    closed and a sheet else. Such bodies meet neither planes, nor height fields, nor each other, and where they are not
    convex their contacts are others than MuJoCo's. An ellipsoid is a hull of points on it, and how far that is off
    stands in MujocoScene.notes. Signed distance fields, meshes without a volume and flexes are left out with a warning;
    see MujocoScene.left_out. Height fields that are turned or move, and all but the first, are solid meshes with their
    bases and sides. What MuJoCo's filters keep apart does not meet in the scene either. A body's margin is its geom's
    margin and gap, so that there are contacts from the same distance on as in MuJoCo, which adds those of two geoms;
    see MujocoScene.contacts(). Settings of the model that change which contacts MuJoCo has, and are not carried over,
    are in MujocoScene.notes.
    """
    mujoco: Any = importlib.import_module("mujoco")
    if meshes not in ("hull", "mesh"):
        raise _oclide.InvalidInputError(f"meshes: 'hull' or 'mesh', not {meshes!r}")
    if environments < 1:
        raise _oclide.InvalidInputError(f"environments must be at least 1, but is {environments}")
    if data is not None and environments != 1:
        raise _oclide.InvalidInputError("data is of one environment")
    kinds = mujoco.mjtGeom
    shapes = {int(kinds.mjGEOM_SPHERE): _oclide.Shape.SPHERE, int(kinds.mjGEOM_BOX): _oclide.Shape.BOX,
              int(kinds.mjGEOM_CYLINDER): _oclide.Shape.CYLINDER, int(kinds.mjGEOM_CAPSULE): _oclide.Shape.CAPSULE,
              int(kinds.mjGEOM_PLANE): _oclide.Shape.HALF_SPACE,
              int(kinds.mjGEOM_MESH): _oclide.Shape.CONVEX_HULL if meshes == "hull" else _oclide.Shape.TRIANGLE_MESH,
              int(kinds.mjGEOM_ELLIPSOID): _oclide.Shape.CONVEX_HULL,
              int(kinds.mjGEOM_HFIELD): _oclide.Shape.TRIANGLE_MESH}
    hulls = _Hulls(model, mujoco)
    surfaces = _Surfaces(model, mujoco)
    rules = _Rules(model, mujoco)
    left_out: list[LeftOut] = []
    notes: list[str] = []
    geoms: list[int] = []
    terrain_geom = -1
    for g in np.flatnonzero(rules.collides).tolist():
        kind = int(model.geom_type[g])
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, g) or ""
        is_field = kind == int(kinds.mjGEOM_HFIELD)
        if is_field and terrain_geom < 0 and not (why := _why_no_terrain(model, g)):
            terrain_geom = g
            notes.append(f"height field {name or g}: without its base and sides, solid all the way down")
        elif kind in shapes:
            if is_field:
                why = "a scene has one height field" if terrain_geom >= 0 else why
                notes.append(f"height field {name or g}: a solid mesh with base and sides, since {why}")
            reason = ""
            if shapes[kind] == _oclide.Shape.CONVEX_HULL:
                reason = hulls.add(g, name)
            elif shapes[kind] == _oclide.Shape.TRIANGLE_MESH:
                reason = surfaces.add(g)
            if reason:
                left_out.append(LeftOut(g, name, reason))
            else:
                geoms.append(g)
        else:
            left_out.append(LeftOut(g, name, f"no shape of oclide: {kinds(kind).name[len('mjGEOM_'):].lower()}"))
    for f in range(model.nflex):
        if model.flex_contype[f] or model.flex_conaffinity[f] or model.flex_selfcollide[f]:
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_FLEX, f) or ""
            left_out.append(LeftOut(-1, name, "a flex, which changes its shape"))
    notes += hulls.notes + surfaces.notes + _settings_notes(model, mujoco)
    if left_out:
        names = clean(", ".join(f"{item.name or item.geom} ({item.reason})" for item in left_out[:5]))
        what = "geoms and flexes" if model.nflex else "geoms"
        warnings.warn(f"oclide.from_mujoco: {len(left_out)} {what} are left out: {names}"
                      f"{', ...' if len(left_out) > 5 else ''}", stacklevel=2)

    index = np.array(geoms, dtype=np.int32)
    shape = [shapes[int(model.geom_type[g])] for g in geoms]
    size = np.array(model.geom_size, dtype=np.float64).reshape(-1, 3)[index]
    size[[s == _oclide.Shape.HALF_SPACE for s in shape]] = 0.0
    for i, g in enumerate(geoms):
        for of_geom in (hulls.of_geom, surfaces.of_geom):
            if g in of_geom:
                size[i] = [of_geom[g], 0.0, 0.0]
    filters = rules.filters(index, terrain_geom)
    reach = _Reach(model, terrain_geom)
    margin = reach.of_bodies(index)
    excluded, either_mask = filters.pop("excluded"), filters.pop("either_mask")
    n = len(index)
    every = n * np.arange(environments, dtype=np.uint32)
    bodies = Bodies(np.tile(np.array(shape, np.uint8), environments), np.tile(size, (environments, 1)),
                    environment=np.repeat(np.arange(environments, dtype=np.uint32), n),
                    excluded=(excluded + every[:, None, None]).reshape(-1, 2), either_mask=either_mask,
                    margin=np.tile(margin, environments) if margin.any() else None,
                    **{name: np.tile(of_body, environments) for name, of_body in filters.items()})
    terrains = [_terrain(model, terrain_geom)] if terrain_geom >= 0 else []
    scene = Scene(bodies, terrains=terrains, hulls=hulls.points, meshes=surfaces.meshes)
    world = MujocoScene(model, scene, index, terrain_geom, left_out, notes, environments, reach)
    if data is not None and not all(np.isfinite(pose).all() for pose in world.poses(data)):
        raise _oclide.InvalidInputError("data: poses of geoms must be finite")
    return world


def _settings_notes(model: Any, mujoco: Any) -> list[str]:
    """What of the whole model decides on MuJoCo's contacts and is not carried over."""
    notes = []
    disabled, enabled = int(model.opt.disableflags), int(model.opt.enableflags)
    for bit, flag in ((mujoco.mjtDisableBit.mjDSBL_CONTACT, "contact"),
                      (mujoco.mjtDisableBit.mjDSBL_CONSTRAINT, "constraint")):
        if disabled & int(bit):
            notes.append(f"flag {flag} is disabled: MuJoCo has no contacts, these are here all the same")
    for bit, what in (("OVERRIDE", "override is enabled: o_margin and the other parameters of all contacts"),
                      ("SLEEP", "sleep is enabled: MuJoCo has no contacts between what sleeps"),
                      ("SPECULATIVE", "speculative is enabled: MuJoCo has contacts of geoms that will touch"),
                      ("IPC", "ipc is enabled: how contacts of flexes are found")):
        if enabled & int(getattr(mujoco.mjtEnableBit, f"mjENBL_{bit}", 0)):
            notes.append(f"flag {what}, which is not so here")
    gap = np.concatenate([model.geom_gap, model.pair_gap])
    if gap.any():
        notes.append(f"gap of geoms and pairs, up to {gap.max():.3g} m: contacts in it are there, as in MuJoCo, which "
                     "makes no forces of them")
    if mujoco.get_mjcb_contactfilter() is not None:
        notes.append("mjcb_contactfilter is set: it is not called")
    return notes


class _Reach:
    """How far apart two geoms have contacts in MuJoCo: margin and gap of both, or those of their explicit pair.

    is_of_bodies: margins of bodies say it of all pairs.
    """

    def __init__(self, model: Any, terrain_geom: int) -> None:
        self._geom: NDArray[np.float64] = np.array(model.geom_margin) + model.geom_gap
        self._first = np.minimum(model.pair_geom1, model.pair_geom2).astype(np.int64)
        self._second = np.maximum(model.pair_geom1, model.pair_geom2).astype(np.int64)
        key = (self._first << 32) + self._second
        order = np.argsort(key)
        self._key, self._pair = key[order], (np.array(model.pair_margin) + model.pair_gap)[order]
        self._first, self._second = self._first[order], self._second[order]
        self._terrain_geom = terrain_geom
        self._terrain = max(float(self._geom[terrain_geom]), 0.0) if terrain_geom >= 0 else 0.0
        of_geoms = self._geom[self._first] + self._geom[self._second]
        self._beyond = self._pair - of_geoms
        self.is_of_bodies = not (self._beyond.any() or self._terrain != 0.0 or (self._geom < 0.0).any())

    def of(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
        """Of these pairs of geoms [m]."""
        reach: NDArray[np.float64] = self._geom[a] + self._geom[b]
        if len(self._key) > 0:
            key = (np.minimum(a, b).astype(np.int64) << 32) + np.maximum(a, b)
            at = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
            named = self._key[at] == key
            reach[named] = self._pair[at[named]]
        return reach

    def of_bodies(self, geoms: NDArray[np.int32]) -> NDArray[np.float64]:
        """Margins with which no pair that MuJoCo has is missed."""
        reach = self._geom + self._terrain
        # What a pair has beyond that of its geoms, half to each.
        for geom in (self._first, self._second):
            np.maximum.at(reach, geom, self._geom[geom] + 0.5 * self._beyond)
        # Terrain has no margin of its own: all of it to the other one.
        for geom, terrain in ((self._first, self._second), (self._second, self._first)):
            there = terrain == self._terrain_geom
            np.maximum.at(reach, geom[there], self._pair[there])
        own: NDArray[np.float64] = np.maximum(reach, 0.0)[geoms]
        return own


class _Rules:
    """Which geoms may meet: MuJoCo's documentation, "Collision detection", selection.

    collides: (ngeom,), whether it meets any at all.
    """

    def __init__(self, model: Any, mujoco: Any) -> None:
        body = np.array(model.geom_bodyid)
        weld = np.array(model.body_weldid)
        self.weld: NDArray[np.int32] = weld[body].astype(np.int32)
        self._parent = weld[np.array(model.body_parentid)[weld]][body]
        self._body = body.astype(np.int64)
        self._contype = np.array(model.geom_contype)
        self._conaffinity = np.array(model.geom_conaffinity)
        self._excluded = np.array(model.exclude_signature, dtype=np.int64)
        disabled = int(model.opt.disableflags)
        self._filter_parent = not disabled & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
        # What cannot move: of the world, and of mocap bodies, which are not welded to it.
        self._fixed = np.array(model.body_dofnum)[weld][body] == 0
        self._pairs = np.stack([model.pair_geom1, model.pair_geom2], axis=1).astype(np.int64)
        self.collides: NDArray[np.bool_] = (self._contype != 0) | (self._conaffinity != 0)
        self.collides[self._pairs] = True

    def may_meet(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
        """For arrays of geoms of the same length, or lengths that go together."""
        types = (self._contype[a] & self._conaffinity[b]) | (self._contype[b] & self._conaffinity[a])
        first, second = np.minimum(self._body[a], self._body[b]), np.maximum(self._body[a], self._body[b])
        allowed: NDArray[np.bool_] = (types != 0) & (self.weld[a] != self.weld[b])
        allowed &= ~np.isin((first << 16) + second, self._excluded) & ~(self._fixed[a] & self._fixed[b])
        if self._filter_parent:
            in_world = (self.weld[a] == 0) | (self.weld[b] == 0)
            allowed &= in_world | ((self.weld[a] != self._parent[b]) & (self.weld[b] != self._parent[a]))
        # Explicit pairs meet whatever the rest says.
        named = np.concatenate([self._pairs, self._pairs[:, ::-1]])
        return allowed | np.isin((np.asarray(a, np.int64) << 32) + b, (named[:, 0] << 32) + named[:, 1])

    def filters(self, geoms: NDArray[np.int32], terrain_geom: int) -> dict[str, Any]:
        """Arguments of Bodies, one body a geom, with which the same meet."""
        n = len(geoms)
        # Whatever else a geom of an explicit pair may meet or not is said by pairs alone.
        is_named = np.isin(geoms, self._pairs)
        group = np.where(is_named, 0, self.weld[geoms] + 1)
        category = np.where(is_named, -1, self._contype[geoms]).astype(np.int64) & 0xFFFFFFFF
        mask = np.where(is_named, -1, self._conaffinity[geoms]).astype(np.int64) & 0xFFFFFFFF
        flags = np.where(self._fixed[geoms] & ~is_named, _oclide.STATIC, 0)
        if terrain_geom >= 0:
            flags[~self.may_meet(geoms, np.full(n, terrain_geom))] |= _oclide.NO_TERRAIN
        return {"group": group.astype(np.int32), "category": category.astype(np.uint32), "mask": mask.astype(np.uint32),
                "flags": flags.astype(np.uint32), "excluded": self._excluded_pairs(geoms, is_named),
                "either_mask": True}

    def _excluded_pairs(self, geoms: NDArray[np.int32], is_named: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """Bodies of links that are each other's parent, of excluded bodies, and what geoms of explicit pairs do not
        meet."""
        if len(geoms) == 0:
            return np.zeros((0, 2), np.uint32)
        every = np.arange(len(geoms))

        def members(of: NDArray[Any]) -> dict[int, NDArray[np.intp]]:
            order = np.argsort(of[geoms], kind="stable")
            values, first = np.unique(of[geoms][order], return_index=True)
            return dict(zip(values.tolist(), np.split(order, first[1:]), strict=True))

        pairs = [(every[k:k + 1], np.flatnonzero(~self.may_meet(np.full(len(geoms), geoms[k]), geoms)))
                 for k in np.flatnonzero(is_named)]
        of_weld, of_body = members(self.weld), members(self._body)
        if self._filter_parent:
            parents = set(zip(self.weld[geoms].tolist(), self._parent[geoms].tolist(), strict=True))
            pairs += [(of_weld[weld], of_weld[parent]) for weld, parent in parents
                      if weld != 0 and parent != 0 and parent in of_weld]
        pairs += [(of_body[first], of_body[second]) for first, second in
                  zip((self._excluded >> 16).tolist(), (self._excluded & 0xFFFF).tolist(), strict=True)
                  if first in of_body and second in of_body]
        if not pairs:
            return np.zeros((0, 2), np.uint32)
        listed = np.concatenate([np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1).reshape(-1, 2) for a, b in pairs])
        listed.sort(axis=1)
        listed = np.unique(listed, axis=0)
        a, b = geoms[listed[:, 0]], geoms[listed[:, 1]]
        apart: NDArray[np.bool_] = (listed[:, 0] != listed[:, 1]) & ~self.may_meet(a, b)
        return np.asarray(listed[apart], np.uint32)


class _Hulls:
    """The hulls of meshes and ellipsoids: each mesh, and each size of ellipsoid, once.

    points: of each hull, (m, 3). of_geom: the hull of each geom that has one. notes: what is not as in MuJoCo.
    """

    def __init__(self, model: Any, mujoco: Any) -> None:
        self.points: list[NDArray[np.float64]] = []
        self.of_geom: dict[int, int] = {}
        self.notes: list[str] = []
        self._model = model
        self._mesh = int(mujoco.mjtGeom.mjGEOM_MESH)
        self._known: dict[Any, int | str] = {}

    def add(self, geom: int, name: str) -> str:
        """Why it has no hull; nothing where it has one."""
        model = self._model
        is_mesh = int(model.geom_type[geom]) == self._mesh
        key: Any = int(model.geom_dataid[geom]) if is_mesh else tuple(model.geom_size[geom].tolist())
        if key not in self._known:
            points = self._of_mesh(key) if is_mesh else _ellipsoid() * model.geom_size[geom]
            self._known[key] = len(self.points) if not (reason := _why_no_hull(points)) else reason
            if not reason:
                self.points.append(points)
        known = self._known[key]
        if isinstance(known, str):
            return known
        self.of_geom[geom] = known
        if not is_mesh:
            self.notes.append(f"ellipsoid {name or geom}: a hull of {len(self.points[known])} points on it, whose "
                              f"faces are up to {_ELLIPSOID_ERROR * model.geom_size[geom].max():.3g} m inside")
        return ""

    def _of_mesh(self, mesh: int) -> NDArray[np.float64]:
        model = self._model
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        vertices = np.array(model.mesh_vert[first:first + count], dtype=np.float64).reshape(-1, 3)
        # Where the model has the mesh's hull, its vertices alone: what a limit of its number of vertices has left out,
        # MuJoCo does not collide either.
        start = model.mesh_graphadr[mesh]
        if start < 0:
            return vertices
        graph = model.mesh_graph[start:]
        of_hull: NDArray[np.int32] = graph[2 + graph[0]:2 + 2 * graph[0]]
        corners: NDArray[np.float64] = vertices[of_hull]
        return corners


class _Surfaces:
    """The triangles of meshes and height fields, each once.

    meshes: those of the scene. of_geom: the mesh of each geom that has one. notes: what is not as in MuJoCo.
    """

    def __init__(self, model: Any, mujoco: Any) -> None:
        self.meshes: list[Mesh] = []
        self.of_geom: dict[int, int] = {}
        self.notes: list[str] = []
        self._model = model
        self._field = int(mujoco.mjtGeom.mjGEOM_HFIELD)
        self._known: dict[tuple[bool, int], int | str] = {}

    def add(self, geom: int) -> str:
        """Why it has no mesh; nothing where it has one."""
        key = (int(self._model.geom_type[geom]) == self._field, int(self._model.geom_dataid[geom]))
        if key not in self._known:
            triangles = _prism(self._model, key[1]) if key[0] else self._triangles(key[1])
            self._known[key] = self._use(*triangles)
        known = self._known[key]
        if isinstance(known, str):
            return known
        if not self.of_geom:
            self.notes.append("meshes are their triangles: they meet neither planes, nor height fields, nor each other")
        self.of_geom[geom] = known
        return ""

    def _triangles(self, mesh: int) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
        model = self._model
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        vertices = np.array(model.mesh_vert[first:first + count], dtype=np.float64).reshape(-1, 3)
        first, count = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
        return vertices, np.array(model.mesh_face[first:first + count], dtype=np.uint32).reshape(-1, 3)

    def _use(self, vertices: NDArray[np.float64], triangles: NDArray[np.uint32]) -> int | str:
        why = ""
        for solid in (True, False):
            surface = Mesh(vertices, triangles, solid=solid)
            try:
                _oclide.check(Scene(Bodies([], np.zeros((0, 3))), meshes=[surface]))
            except _oclide.InvalidInputError as error:
                why = f"a mesh that cannot be used: {str(error).partition(': ')[2] or error}"
                continue
            self.meshes.append(surface)
            return len(self.meshes) - 1
        return why


def _why_no_hull(points: NDArray[np.float64]) -> str:
    try:
        _oclide.check(Scene(Bodies([], np.zeros((0, 3))), hulls=[points]))
    except _oclide.InvalidInputError as error:
        return f"a mesh without a hull: {str(error).partition(': ')[2] or error}"
    return ""


_ELLIPSOID_ERROR = 0.0178  # of its longest semi-axis: how far the faces of _ellipsoid() are inside a ball at most


def _ellipsoid() -> NDArray[np.float64]:
    """162 points of the unit ball: an icosahedron whose edges have been halved twice."""
    golden = 0.5 + 0.5 * np.sqrt(5.0)
    corner = np.array([[s, t * golden, 0.0] for s in (-1, 1) for t in (-1, 1)])
    points: NDArray[np.float64] = np.concatenate([np.roll(corner, k, axis=1) for k in range(3)]) / np.hypot(1.0, golden)
    for halving in (1, 2):
        apart = np.linalg.norm(points[:, None] - points[None, :], axis=2)
        edge = 1.0515 / halving * 1.2  # longer than an edge, shorter than any other distance
        i, j = np.nonzero(np.triu((apart > 0.0) & (apart < edge)))
        middles = points[i] + points[j]
        points = np.concatenate([points, middles / np.linalg.norm(middles, axis=1, keepdims=True)])
    return points


def _why_no_terrain(model: Any, g: int) -> str:
    body = model.geom_bodyid[g]
    if model.body_weldid[body] != 0 or model.body_mocapid[model.body_rootid[body]] >= 0:
        return "a height field that moves"
    if not np.allclose(_world_pose(model, g)[1], [1.0, 0.0, 0.0, 0.0], rtol=0.0, atol=1e-9):
        return "a height field that is turned"
    return ""


def _world_pose(model: Any, g: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of a geom that is fixed to the world, through the bodies between; the quaternion's w is not negative."""
    position, quat = np.array(model.geom_pos[g]), np.array(model.geom_quat[g])
    body = model.geom_bodyid[g]
    while body != 0:
        turn = model.body_quat[body]
        turned = _product(_product(turn, np.concatenate([[0.0], position])), turn * [1.0, -1.0, -1.0, -1.0])
        position, quat = model.body_pos[body] + turned[1:], _product(turn, quat)
        body = model.body_parentid[body]
    return position, quat if quat[0] >= 0.0 else -quat


def _elevation(model: Any, field: int) -> NDArray[np.float64]:
    """Of the vertices of a height field above its geom's position [m]. MuJoCo's rows are y, the first at -size[1]; its
    elevations are parts of size[2]."""
    rows, cols, start = model.hfield_nrow[field], model.hfield_ncol[field], model.hfield_adr[field]
    elevation = np.array(model.hfield_data[start:start + rows * cols], dtype=np.float64).reshape(rows, cols)
    heights: NDArray[np.float64] = elevation * model.hfield_size[field][2]
    return heights


def _terrain(model: Any, g: int) -> Terrain:
    """The terrain of a height field. MuJoCo's prisms and rays cut a cell from its first vertex to the one beyond both
    sides."""
    field = model.geom_dataid[g]
    size = model.hfield_size[field]
    position = _world_pose(model, g)[0]
    heights = position[2] + _elevation(model, field)
    rows, cols = heights.shape
    spacing = (2.0 * size[0] / (cols - 1), 2.0 * size[1] / (rows - 1))
    return Terrain(heights, origin=(position[0] - size[0], position[1] - size[1]), spacing=spacing, diagonal="rising")


def _prism(model: Any, field: int) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Vertices and triangles of a height field as a solid: its surface, sides, and a base size[3] below."""
    size = model.hfield_size[field]
    heights = _elevation(model, field)
    rows, cols = heights.shape
    x, y = np.meshgrid(np.linspace(-size[0], size[0], cols), np.linspace(-size[1], size[1], rows))
    top = np.stack([x, y, heights], axis=-1).reshape(-1, 3)
    number = np.arange(rows * cols, dtype=np.uint32).reshape(rows, cols)
    v00, v10, v01, v11 = number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]
    surface = np.stack([v00, v10, v11, v00, v11, v01], axis=-1).reshape(-1, 3)
    # Once around, to the left: below each vertex of the border one of the base, which is a fan about one in the middle.
    border = np.concatenate([number[0, :-1], number[:-1, -1], number[-1, :0:-1], number[:0:-1, 0]])
    below = rows * cols + np.arange(len(border), dtype=np.uint32)
    bottom = top[border]
    bottom[:, 2] = -size[3]
    middle = np.full(len(border), rows * cols + len(border), np.uint32)
    after, below_after = np.roll(border, -1), np.roll(below, -1)
    sides = np.stack([border, below, below_after, border, below_after, after, middle, below_after, below], axis=-1)
    vertices: NDArray[np.float64] = np.concatenate([top, bottom, [[0.0, 0.0, -size[3]]]])
    return vertices, np.concatenate([surface, sides.reshape(-1, 3)]).astype(np.uint32)


def _product(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of quaternions w, x, y, z along the last axis."""
    pw, px, py, pz = np.moveaxis(p, -1, 0)
    qw, qx, qy, qz = np.moveaxis(q, -1, 0)
    return np.stack([pw * qw - px * qx - py * qy - pz * qz, pw * qx + px * qw + py * qz - pz * qy,
                     pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw], axis=-1)

#!/usr/bin/env python3
"""MuJoCo (PyPI: mujoco), set up for speed: one free body a body, for MuJoCo drops contacts between bodies that cannot
move; a model for each environment, made with MjSpec, or for each few hundred bodies where they meet terrain alone;
terrain as its height field. A frame is qpos set as one array,
mj_kinematics and mj_collision. One thread: MuJoCo has threads for whole simulations and its solver alone.

The clock runs around these three calls for each world, Python's part of which is some microseconds a world.
"""

import copy
import sys

import numpy as np

try:
    import mujoco
except ImportError as error:
    print(f"error {error}", flush=True)
    sys.exit(2)

import peer_scene as ps

GEOMS = {
    ps.SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE,
    ps.BOX: mujoco.mjtGeom.mjGEOM_BOX,
    ps.CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    ps.CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    ps.HALF_SPACE: mujoco.mjtGeom.mjGEOM_PLANE,
}
BASE = 100.0  # of terrain below its lowest vertex [m]
BYTES_A_BODY = 30_000  # of contacts and what else a frame puts in MuJoCo's arena
BYTES_A_PAIR = 6  # of any two bodies, whether they meet or not: the broad phase takes room for all, and uses little
SMALLEST_ARENA = 1 << 20
BODIES_A_MODEL = 500  # of bodies that meet terrain alone, so that the broad phase has not all of them to sort
# Bits of MuJoCo's filter: two geoms meet when one's type is in the other's affinity.
GROUND_BIT, BODY_BIT = 1, 2


class Mujoco:
    info = {
        "engine": "MuJoCo",
        "version": mujoco.__version__,
        "settings": "MjSpec, a free body each, mj_kinematics and mj_collision of a model per environment (or per 500 bodies that do not meet), height field "
        "with its base; native CCD and several points a pair, as by default; double precision; qpos set as one array",
        "note": "at most 50 points with a height field; through Python, whose part is some microseconds a world",
        "threads": "1",
    }

    def set_scene(self, scene):
        self.scene = scene
        self.worlds = [(part, *self.make_model(scene, part)) for world in scene.worlds for part in parts_of(world)]

    @staticmethod
    def make_model(scene, world):
        spec = mujoco.MjSpec()
        count = len(world.bodies)
        spec.memory = SMALLEST_ARENA + BYTES_A_BODY * count + BYTES_A_PAIR * (count + 2) ** 2
        root = spec.worldbody
        if world.terrain is not None:
            add_ground(spec, world.terrain)
        meets = BODY_BIT if world.bodies_meet else 0
        for k, body in enumerate(world.bodies):
            size = scene.size[body].copy()
            geom = {"type": GEOMS[scene.shape[body]], "size": size}
            if k < world.half_spaces:
                w_xyz = scene.orientation[0, body]
                root.add_geom(type=geom["type"], size=[0, 0, 1], pos=scene.position[0, body], quat=w_xyz,
                              contype=meets, conaffinity=meets)
                continue
            if scene.shape[body] == ps.SPHERE:
                size[1:] = 0
            moving = root.add_body(pos=scene.position[0, body], quat=scene.orientation[0, body])
            moving.add_freejoint()
            moving.add_geom(type=geom["type"], size=size, contype=meets, conaffinity=GROUND_BIT | meets)
        model = spec.compile()
        # Geoms in the order in which MuJoCo has them: those of the world first.
        bodies = list(world.bodies[world.half_spaces:])
        fixed = ([ps.TERRAIN] if world.terrain is not None else []) + list(world.bodies[: world.half_spaces])
        return model, mujoco.MjData(model), np.array(fixed + bodies, dtype=np.int64)

    def poses(self, frame):
        poses = []
        for world, _, _, _ in self.worlds:
            moving = world.bodies[world.half_spaces:]
            if not np.array_equal(self.scene.position[frame, world.bodies[: world.half_spaces]],
                                  self.scene.position[0, world.bodies[: world.half_spaces]]):
                raise ps.Refused("half spaces that move")
            poses.append(np.hstack([self.scene.position[frame, moving], self.scene.orientation[frame, moving]]).ravel())
        return poses

    def collide(self, poses):
        points = 0
        for (_, model, data, _), pose in zip(self.worlds, poses):
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
            mujoco.mj_collision(model, data)
            points += data.ncon
        return points

    def touching(self):
        for _, _, data, bodies in self.worlds:
            warning = data.warning[mujoco.mjtWarning.mjWARN_CONTACTFULL]
            if warning.number:
                raise RuntimeError("the arena is too small for the contacts")
            contact = data.contact
            yield bodies[contact.geom].reshape(-1, 2), np.maximum(0.0, -contact.dist)

    def candidates(self):
        return None


def parts_of(world):
    """Worlds of fewer bodies, where they do not meet each other."""
    if world.bodies_meet:
        return [world]
    starts = range(world.half_spaces, len(world.bodies), BODIES_A_MODEL)
    parts = [copy.copy(world) for _ in starts]
    for part, start in zip(parts, starts):
        part.bodies, part.half_spaces = world.bodies[start : start + BODIES_A_MODEL], 0
    return parts


def add_ground(spec, terrain):
    """MuJoCo's heights are parts of their range, about the field's middle, above a base."""
    low, high = terrain.heights.min(), terrain.heights.max()
    scale = high - low if high > low else 1.0
    rows, cols = terrain.heights.shape
    spec.add_hfield(name="ground", nrow=rows, ncol=cols, size=[*(0.5 * terrain.extent), scale, BASE],
                    userdata=((terrain.heights - low) / scale).ravel())
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground", pos=[*terrain.centre, low],
                            contype=GROUND_BIT, conaffinity=0)


if __name__ == "__main__":
    sys.exit(ps.serve(Mujoco))

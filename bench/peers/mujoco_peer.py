#!/usr/bin/env python3
"""MuJoCo (PyPI: mujoco), set up for speed: a model for each environment, made with MjSpec, or for each few hundred
bodies where they meet terrain alone; terrain as its height field. MuJoCo drops contacts between bodies that cannot
move, so that each body has a joint: a hinge, which stays at zero, for a free joint's six degrees of freedom cost
memory and minutes of set-up that collision has no use for. A frame is body_pos and body_quat set as two arrays,
mj_kinematics and mj_collision. One thread: MuJoCo has threads for whole simulations and its solver alone.

The clock runs around these four steps for each world, Python's part of which is some microseconds a world. Setting up
50,000 bodies that meet takes minutes.
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
    ps.HULL: mujoco.mjtGeom.mjGEOM_MESH,
    ps.HALF_SPACE: mujoco.mjtGeom.mjGEOM_PLANE,
}
BASE = 100.0  # of terrain below its lowest vertex [m]
BYTES_A_BODY = 30_000  # of contacts and what else a frame puts in MuJoCo's arena
BYTES_A_PAIR = 6  # of any two bodies, whether they meet or not: the broad phase takes room for all, and uses little
SMALLEST_ARENA = 1 << 20
BODIES_A_SPEC = 250  # that are added one by one: adding to a spec takes as long as it is large
BODIES_A_MODEL = 500  # of bodies that meet terrain alone, so that the broad phase has not all of them to sort
# Bits of MuJoCo's filter: two geoms meet when one's type is in the other's affinity.
GROUND_BIT, BODY_BIT = 1, 2


class Mujoco:
    info = {
        "engine": "MuJoCo",
        "version": mujoco.__version__,
        "settings": "MjSpec, a body with a hinge each, body_pos and body_quat set as arrays, "
        "mj_kinematics and mj_collision of a model per environment (or per 500 bodies that do not meet), height field "
        "with its base; native CCD and several points a pair, as by default; double precision",
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
        spec.copy_during_attach = False
        spec.memory = SMALLEST_ARENA + BYTES_A_BODY * count + BYTES_A_PAIR * (count + 2) ** 2
        root = spec.worldbody
        if world.terrain is not None:
            add_ground(spec, world.terrain)
        meets = BODY_BIT if world.bodies_meet else 0
        fixed = world.bodies[: world.half_spaces]
        moving = world.bodies[world.half_spaces :]
        for i in fixed:
            root.add_geom(type=GEOMS[ps.HALF_SPACE], size=[0, 0, 1], pos=scene.position[0, i],
                          quat=scene.orientation[0, i], contype=meets, conaffinity=meets)
        for start in range(0, len(moving), BODIES_A_SPEC):
            part = mujoco.MjSpec()
            members = moving[start : start + BODIES_A_SPEC]
            for k in np.unique(scene.size[members[scene.shape[members] == ps.HULL], 0]).astype(int):
                part.add_mesh(name=f"hull{k}", uservert=scene.hulls[k].ravel())
            for i in members:
                body = part.worldbody.add_body(pos=scene.position[0, i], quat=scene.orientation[0, i])
                body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE)
                size = scene.size[i] if scene.shape[i] != ps.SPHERE else [scene.size[i, 0], 0, 0]
                mesh = {"meshname": f"hull{int(size[0])}"} if scene.shape[i] == ps.HULL else {}
                body.add_geom(type=GEOMS[scene.shape[i]], size=[0, 0, 0] if mesh else size, **mesh, contype=meets,
                              conaffinity=GROUND_BIT | meets)
            spec.attach(part, prefix=f"{start}_", frame=root.add_frame())
        model = spec.compile()
        # Geoms in the order in which MuJoCo has them: those of the world first.
        ground = [ps.TERRAIN] if world.terrain is not None else []
        return model, mujoco.MjData(model), np.array([*ground, *fixed, *moving], dtype=np.int64)

    def poses(self, frame):
        position, orientation = self.scene.position, self.scene.orientation
        poses = []
        for world, _, _, _ in self.worlds:
            fixed, moving = world.bodies[: world.half_spaces], world.bodies[world.half_spaces :]
            if not (np.array_equal(position[frame, fixed], position[0, fixed])
                    and np.array_equal(orientation[frame, fixed], orientation[0, fixed])):
                raise ps.Refused("half spaces that move")
            poses.append((position[frame, moving], orientation[frame, moving]))
        return poses

    def collide(self, poses):
        points = 0
        for (_, model, data, _), (position, orientation) in zip(self.worlds, poses):
            model.body_pos[1:] = position
            model.body_quat[1:] = orientation
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

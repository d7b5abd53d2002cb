#!/usr/bin/env python3
"""Coal (PyPI: coal), set up for speed: DynamicAABBTreeCollisionManager and the default callback, so that no pair comes
back to Python before the end; contacts enabled; terrain as its height field of AABBs, met by the manager of the
bodies. One manager for each environment. One thread: Coal has no more.

The clock runs around the setting of poses, which Python does body by body (Coal takes them so), update() and
collide(). What setting the poses took of it stands in the note.
"""

import sys
import time

import numpy as np

try:
    import coal
except ImportError as error:
    print(f"error {error}", flush=True)
    sys.exit(2)

import peer_scene as ps

MOST_POINTS = 1_000_000_000  # of all pairs: no limit
BASE = 100.0  # of terrain below its lowest vertex [m]
# Coal cuts a cell along its other diagonal: turned by a quarter about z, cells are cut as the scene's are.
QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def make_hull(points):
    vertices = coal.StdVec_Vec3s()
    for point in points:
        vertices.append(point)
    return coal.Convex.convexHull(vertices, True, "Qt")


def make_geometry(scene, i):
    shape, size = scene.shape[i], scene.size[i]
    if shape == ps.HULL:  # contacts name geometries, so that no two bodies share one
        return make_hull(scene.hulls[int(size[0])])
    if shape == ps.SPHERE:
        return coal.Sphere(size[0])
    if shape == ps.BOX:
        return coal.Box(2 * size[0], 2 * size[1], 2 * size[2])
    if shape == ps.CYLINDER:
        return coal.Cylinder(size[0], 2 * size[1])
    if shape == ps.CAPSULE:
        return coal.Capsule(size[0], 2 * size[1])
    return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)


def make_callback():
    callback = coal.CollisionCallBackDefault()
    callback.data.request.num_max_contacts = MOST_POINTS
    callback.data.request.enable_contact = True
    return callback


def rotations(orientation):
    """(n, 3, 3) matrices of (n, 4) quaternions w, x, y, z."""
    w, x, y, z = (orientation / np.linalg.norm(orientation, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.moveaxis(np.array(rows), 2, 0))


class CoalWorld:
    def __init__(self, scene, world):
        self.world = world
        self.geometries = [make_geometry(scene, i) for i in world.bodies]
        turned, places = rotations(scene.orientation[0, world.bodies]), scene.position[0, world.bodies]
        self.objects = [coal.CollisionObject(g, r, p) for g, r, p in zip(self.geometries, turned, places)]
        # Contacts name geometries.
        self.index = {g.id(): int(i) for g, i in zip(self.geometries, world.bodies)}
        self.manager = coal.DynamicAABBTreeCollisionManager()
        for thing in self.objects[world.half_spaces:]:
            self.manager.registerObject(thing)
        self.manager.setup()
        self.ground = None
        if world.terrain is not None:
            t = world.terrain
            field = coal.HeightFieldAABB(t.extent[1], t.extent[0], np.asfortranarray(t.heights.T),
                                         t.heights.min() - BASE)
            self.index[field.id()] = ps.TERRAIN
            self.field = field
            self.ground = coal.CollisionObject(field, QUARTER, np.array([*t.centre, 0.0]))
        # One for each query: a manager clears the result of a callback before it uses it.
        self.on_ground = make_callback()
        self.between_bodies = make_callback()
        self.on_half_spaces = [make_callback() for _ in range(world.half_spaces)]

    def set_poses(self, pose):
        for thing, transform in zip(self.objects, pose):
            thing.setTransform(transform)
            thing.computeAABB()

    def collide(self):
        self.manager.update()
        points = 0
        if self.ground is not None:
            self.manager.collide(self.ground, self.on_ground)
            points += self.on_ground.data.result.numContacts()
        if self.world.bodies_meet:
            self.manager.collide(self.between_bodies)
            points += self.between_bodies.data.result.numContacts()
            for half_space, callback in zip(self.objects, self.on_half_spaces):
                self.manager.collide(half_space, callback)
                points += callback.data.result.numContacts()
        return points

    def touching(self):
        callbacks = [self.on_ground, self.between_bodies, *self.on_half_spaces]
        contacts = [c for callback in callbacks for c in callback.data.result.getContacts()]
        bodies = np.array([(self.index[c.o1.id()], self.index[c.o2.id()]) for c in contacts], dtype=np.int64)
        depths = np.array([-c.penetration_depth for c in contacts])
        return bodies.reshape(-1, 2), np.maximum(0.0, depths)


class Coal:
    info = {
        "engine": "Coal",
        "version": coal.__version__,
        "settings": "DynamicAABBTreeCollisionManager with the default callback, contacts enabled, HeightFieldAABB; one "
        "manager an environment; double precision; poses set from Python body by body",
        "threads": "1",
    }

    def set_scene(self, scene):
        self.scene = scene
        self.worlds = [CoalWorld(scene, world) for world in scene.worlds if len(world.bodies)]
        poses = self.poses(0)
        begin = time.perf_counter()
        for world, pose in zip(self.worlds, poses):
            world.set_poses(pose)
        milliseconds = (time.perf_counter() - begin) * 1e3
        self.info["note"] = (
            f"one point a pair, one a cell of terrain; of the time {milliseconds:.2g} ms or so are the setting of "
            "poses from Python"
        )

    def poses(self, frame):
        return [self.transforms(self.scene.orientation[frame, w.world.bodies],
                                self.scene.position[frame, w.world.bodies]) for w in self.worlds]

    @staticmethod
    def transforms(orientation, position):
        return [coal.Transform3s(turned, place) for turned, place in zip(rotations(orientation), position)]

    def collide(self, poses):
        points = 0
        for world, pose in zip(self.worlds, poses):
            world.set_poses(pose)
            points += world.collide()
        return points

    def touching(self):
        return (world.touching() for world in self.worlds)

    def candidates(self):
        return None


if __name__ == "__main__":
    sys.exit(ps.serve(Coal))

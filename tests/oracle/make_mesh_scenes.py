#!/usr/bin/env python3
"""Adversarial scenes of convex bodies against triangle meshes, with fixed seeds.

make_mesh_scenes.py OUT [--only NAME,NAME] [--scale S] [--seed K]

Each pair stands in an environment of its own; which of the two comes first is drawn. S scales the number of pairs, K
(default 0) gives other ones. Needs h5py and numpy.
"""
import argparse
import os
import zlib

import h5py
import numpy as np

from make_pair_scenes import QUARTER_TURNS, quaternion, random_rotation, rotation, unit

SPHERE, BOX, CYLINDER, CAPSULE, HULL, MESH = 0, 1, 2, 3, 4, 7
SHAPES = (SPHERE, BOX, CYLINDER, CAPSULE, HULL)
FAR = np.array([9000.0, -9500.0, 300.0])
SCENES = {}


def scene(make):
    SCENES[make.__name__] = make
    return make


class Scene:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.meshes, self.hulls, self.rows, self.environments = [], [], [], 0

    def mesh(self, vertices, triangles, solid=False):
        self.meshes.append((np.asarray(vertices, float), np.asarray(triangles, np.uint32), solid))
        return len(self.meshes) - 1

    def body(self, shape, size):
        """A shape and its size: a hull of a few points about as large, else the size itself."""
        if shape != HULL:
            return shape, np.resize(np.asarray(size, float), 3)
        points = self.random.normal(size=(self.random.integers(5, 14), 3))
        self.hulls.append(points / np.abs(points).max() * np.resize(size, 3))
        return shape, np.array([len(self.hulls) - 1, 0, 0], float)

    def pair(self, mesh, body, position, m, mesh_position=None, mesh_m=None):
        """The body's pose is in the mesh's axes."""
        at = np.zeros(3) if mesh_position is None else np.asarray(mesh_position, float)
        turn = np.eye(3) if mesh_m is None else mesh_m
        both = [(MESH, np.array([mesh, 0, 0], float), at, turn), (*body, at + turn @ position, turn @ m)]
        for one in both if self.random.random() < 0.5 else reversed(both):
            self.rows.append((*one, self.environments))
        self.environments += 1

    def write(self, name):
        with h5py.File(name, "w") as f:
            f.attrs["format"], f.attrs["version"] = "oclide-scene", 1
            for k, (vertices, triangles, solid) in enumerate(self.meshes):
                f[f"/meshes/{k}/vertices"], f[f"/meshes/{k}/triangles"] = vertices, triangles
                f[f"/meshes/{k}/material"] = (np.arange(len(triangles)) % 251).astype(np.uint8)
                f[f"/meshes/{k}"].attrs["solid"] = int(solid)
            for k, points in enumerate(self.hulls):
                f[f"/hulls/{k}/vertices"] = points
            f["/bodies/shape"] = np.array([r[0] for r in self.rows], np.uint8)
            f["/bodies/size"] = np.array([r[1] for r in self.rows])
            f["/bodies/position"] = np.array([r[2] for r in self.rows])
            f["/bodies/orientation"] = np.array([quaternion(r[3]) for r in self.rows])
            f["/bodies/environment"] = np.array([r[4] for r in self.rows], np.uint32)


# Meshes.

def grid(n, m, at):
    """Triangles of (n + 1) x (m + 1) vertices at(i, j)."""
    vertices = [at(i, j) for i in range(n + 1) for j in range(m + 1)]
    triangles = []
    for i in range(n):
        for j in range(m):
            a, b = i * (m + 1) + j, (i + 1) * (m + 1) + j
            triangles += [[a, b, b + 1], [a, b + 1, a + 1]]
    return vertices, triangles


def box_surface(half, cells=1):
    vertices, triangles = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            u, w = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            v, t = grid(cells, cells, lambda i, j: (side * np.eye(3)[axis] + side * (2 * i / cells - 1) * u +
                                                    (2 * j / cells - 1) * w) * half)
            triangles += [[x + len(vertices) for x in tri] for tri in t]
            vertices += v
    return vertices, triangles


def torus(big, small, n, m):
    vertices, triangles = [], []
    for i in range(n):
        for j in range(m):
            a, b = 2 * np.pi * i / n, 2 * np.pi * j / m
            vertices.append([(big + small * np.cos(b)) * np.cos(a), (big + small * np.cos(b)) * np.sin(a),
                             small * np.sin(b)])
            p, q = i * m + j, (i + 1) % n * m + j
            r, s = i * m + (j + 1) % m, (i + 1) % n * m + (j + 1) % m
            triangles += [[p, q, s], [p, s, r]]
    return vertices, triangles


def hills(r, n, spacing, height):
    z = r.normal(size=(n + 1, n + 1)) * height
    return grid(n, n, lambda i, j: [(i - n / 2) * spacing, (j - n / 2) * spacing, z[i, j]])


# Places near a mesh: over a random point of a random triangle, so that the body overlaps by about `depth`.

def drawn_size(r, low=0.1, high=1.0):
    return np.exp(r.uniform(np.log(low), np.log(high), 3))


def drawn_turn(r):
    return QUARTER_TURNS[r.integers(24)].astype(float) if r.random() < 0.4 else random_rotation(r)


def near(s, mesh, scale, low=0.1, high=1.0, depths=(-0.01, 0.0, 1e-5, 2e-4, 0.01, 0.1, 0.5), **pose):
    r = s.random
    for _ in range(scale):
        vertices, triangles, _ = s.meshes[mesh]
        t = vertices[triangles[r.integers(len(triangles))].astype(int)]
        weights = r.dirichlet([0.5, 0.5, 0.5]) if r.random() < 0.7 else np.eye(3)[r.integers(3)]
        at = weights @ t
        n = unit(np.cross(t[1] - t[0], t[2] - t[0])) if r.random() < 0.6 else unit(r.normal(size=3))
        shape, size = s.body(SHAPES[r.integers(5)], drawn_size(r, low, high))
        m = drawn_turn(r)
        if shape == HULL:
            reach = -(s.hulls[-1] @ m.T @ n).min()
        else:
            q = np.abs(m.T @ n)
            reach = {SPHERE: size[0], BOX: size @ q, CYLINDER: size[0] * np.hypot(q[0], q[1]) + size[1] * q[2],
                     CAPSULE: size[0] + size[1] * q[2]}[shape]
        s.pair(mesh, (shape, size), at + n * (reach - r.choice(depths)), m, **pose)


@scene
def cubes(s, scale):
    for cells in (1, 3):
        near(s, s.mesh(*box_surface(np.array([1.0, 0.8, 0.6]), cells), True), round(120 * scale), 0.05, 2.0)


@scene
def inside(s, scale):
    r = s.random
    block = s.mesh(*box_surface(np.array([3.0, 2.5, 2.0]), 2), True)
    ring = s.mesh(*torus(4.0, 1.5, 16, 10), True)
    for _ in range(round(60 * scale)):
        s.pair(block, s.body(SHAPES[r.integers(5)], drawn_size(r)), r.uniform(-1, 1, 3) * [3.0, 2.5, 2.0],
               drawn_turn(r))
        a, b = r.uniform(0, 2 * np.pi, 2)
        s.pair(ring, s.body(SHAPES[r.integers(5)], drawn_size(r)),
               np.array([np.cos(a), np.sin(a), 0.0]) * (4.0 + r.uniform(0, 1.5) * np.cos(b)) +
               [0, 0, 1.5 * np.sin(b) * r.random()], drawn_turn(r))


@scene
def sheets(s, scale):
    for height in (0.0, 0.02, 0.3):
        near(s, s.mesh(*hills(s.random, 8, 0.5, height)), round(80 * scale), 0.1, 1.5, mesh_m=random_rotation(s.random))


@scene
def slivers(s, scale):
    """Single triangles up to 1,000:1, and strips of them."""
    r = s.random
    for ratio in (4.0, 64.0, 1000.0):
        w = 4.0 / ratio
        near(s, s.mesh([[-2, 0, 0], [2, 0, 0], [0.3, w, 0]], [[0, 1, 2]]), round(30 * scale))
        near(s, s.mesh(*grid(12, 1, lambda i, j: [w * i, 4 * j - 2, 0.1 * w * (i % 2)])), round(30 * scale),
             mesh_m=random_rotation(r))


@scene
def room(s, scale):
    vertices, triangles = box_surface(np.array([2.0, 2.0, 1.5]), 2)
    inward = s.mesh(vertices, [t[::-1] for t in triangles])
    r = s.random
    for _ in range(round(100 * scale)):
        size = drawn_size(r, 0.1, 0.8)
        at = np.where(r.random(3) < 0.6, r.choice([-1, 1], 3) * (np.array([2.0, 2.0, 1.5]) - size.max() * 0.9), 0)
        s.pair(inward, s.body(SHAPES[r.integers(5)], size), at, drawn_turn(r))


@scene
def plates(s, scale):
    for thin in (0.05, 0.002):
        near(s, s.mesh(*box_surface(np.array([2.0, 1.5, thin]), 2), True), round(60 * scale), 0.1, 1.0)


@scene
def far_away(s, scale):
    near(s, s.mesh(*box_surface(np.array([1.0, 0.8, 0.6]), 2), True), round(60 * scale), mesh_position=FAR)
    near(s, s.mesh(*hills(s.random, 6, 0.5, 0.1)), round(60 * scale), mesh_position=FAR,
         mesh_m=random_rotation(s.random))


@scene
def large_and_small(s, scale):
    near(s, s.mesh(*hills(s.random, 8, 0.2, 0.05)), round(60 * scale), 0.05, 20.0)
    near(s, s.mesh(*torus(1.0, 0.3, 12, 8), True), round(60 * scale), 0.05, 20.0)
    near(s, s.mesh(*torus(60.0, 20.0, 12, 8), True), round(60 * scale), 0.05, 50.0)


@scene
def needles(s, scale):
    """Cylinders, boxes and capsules of 100:1 and more over edges."""
    r = s.random
    for mesh in (s.mesh(*box_surface(np.array([1.0, 0.8, 0.6]), 1), True), s.mesh(*hills(r, 6, 0.5, 0.2))):
        for _ in range(round(60 * scale)):
            shape = (BOX, CYLINDER, CAPSULE)[r.integers(3)]
            thin, length = r.uniform(0.01, 0.05), r.uniform(2.0, 12.0)
            s.pair(mesh, s.body(shape, [thin, thin, length] if shape == BOX else [thin, length, 0]),
                   r.normal(size=3) * 0.5, random_rotation(r))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    only = set(filter(None, options.only.split(",")))
    if only - SCENES.keys():
        parser.error("no such scene: " + ", ".join(sorted(only - SCENES.keys())))
    for name, make in SCENES.items():
        if only and name not in only:
            continue
        s = Scene(zlib.crc32(name.encode()) + options.seed)
        make(s, options.scale)
        s.write(os.path.join(options.out, name + ".h5"))
        print(name, len(s.rows), "bodies")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Adversarial scenes of bodies against bodies, with fixed seeds.

make_pair_scenes.py OUT [--only NAME,NAME] [--scale S] [--seed K]

Most scenes hold thousands of pairs, each in an environment of its own. S scales their number, K (default 0) gives other
ones. A scene NAME.permuted.h5 is NAME.h5 with its bodies in another order. Needs h5py and numpy.
"""
import argparse
import itertools
import os
import zlib

import h5py
import numpy as np

SPHERE, BOX, CYLINDER, CAPSULE, HULL, HALF_SPACE = 0, 1, 2, 3, 4, 5
SHAPES = (SPHERE, BOX, CYLINDER, CAPSULE, HALF_SPACE)
KINDS = [(a, b) for a, b in itertools.combinations_with_replacement(SHAPES, 2) if a != HALF_SPACE]
SCENES = {}
FAR = np.array([9000.0, -9500.0, 300.0])


def scene(make):
    SCENES[make.__name__] = make
    return make


# Rotations as matrices; quaternions only in the file.

def unit(v):
    v = np.asarray(v, float)
    return v / np.linalg.norm(v)


def rotation(axis, angle):
    x, y, z = unit(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def between(a, b):
    """A rotation that takes direction a to b."""
    a, b = unit(a), unit(b)
    axis = np.cross(a, b)
    if np.linalg.norm(axis) < 1e-12:
        return np.eye(3) if a @ b > 0 else rotation(np.cross(a, [1, 0, 0] if abs(a[0]) < 0.9 else [0, 1, 0]), np.pi)
    return rotation(axis, np.arctan2(np.linalg.norm(axis), a @ b))


def quaternion(m):
    """w, x, y, z of a rotation matrix, by the largest of the four."""
    four = np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2],
                     1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2]])
    k = int(four.argmax())
    rows = [[four[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], four[1], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], four[2], m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], four[3]]]
    return unit(rows[k])


def random_rotation(r):
    q = r.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


QUARTER_TURNS = [np.array(m).reshape(3, 3) for p in itertools.permutations(np.eye(3, dtype=int))
                 for s in itertools.product((1, -1), repeat=3)
                 for m in [np.array(p) * np.array(s)[:, None]] if round(np.linalg.det(m)) == 1]


def support(shape, size, m, n):
    """Half extent along n."""
    q = np.abs(m.T @ n)
    if shape == SPHERE:
        return size[0]
    if shape == BOX:
        return q @ size
    if shape == HALF_SPACE:
        return 0.0
    along = size[1] * q[2]
    return along + size[0] * (np.sqrt(max(0.0, 1 - q[2] * q[2])) if shape == CYLINDER else 1.0)


def least_width(shape, size):
    return {SPHERE: size[0], BOX: min(size), CYLINDER: min(size[:2]), CAPSULE: size[0], HALF_SPACE: 1.0}[shape]


def span(shape, size):
    return {SPHERE: size[0], BOX: max(size), CYLINDER: max(size[:2]), CAPSULE: size[0] + size[1],
            HALF_SPACE: 1.0}[shape]


# Sizes by class: (first, second).

def cube_like(r, shape):
    return r.uniform(0.3, 1.0, 3)


def disc(r, shape):
    wide, thin = r.uniform(0.5, 3.0, 2), r.uniform(0.05, 0.08)
    return {BOX: r.permutation([wide[0], wide[1], thin]),
            CYLINDER: [wide[0], thin, 0]}.get(shape, [wide[0], wide[1], 0])


def needle(r, shape):
    thin, length = r.uniform(0.05, 0.08, 2), r.uniform(5.0, 25.0)
    return {BOX: r.permutation([thin[0], thin[1], length])}.get(shape, [thin[0], length, 0])


def smallest(r, shape):
    return [0.05, 0.05, 0.05]


def largest(r, shape):
    return r.uniform(30.0, 50.0, 3)


SIZES = {
    "cube_like": lambda r, a, b: (cube_like(r, a), cube_like(r, b)),
    "disc": lambda r, a, b: (disc(r, a), disc(r, b) if r.random() < 0.6 else cube_like(r, b)),
    "needle": lambda r, a, b: (needle(r, a), needle(r, b) if r.random() < 0.6 else cube_like(r, b)),
    "tiny_on_huge": lambda r, a, b: (smallest(r, a), largest(r, b)),
    "smallest": lambda r, a, b: (smallest(r, a), smallest(r, b)),
    "largest": lambda r, a, b: (largest(r, a), largest(r, b)),
}


def feature_normal(r, shape):
    """A local direction that the shape has a flat or round feature in."""
    if shape == BOX:
        return np.eye(3)[r.integers(3)] * r.choice([-1, 1])
    if shape in (CYLINDER, CAPSULE):
        return np.array([0, 0, r.choice([-1.0, 1.0])]) if r.random() < 0.5 else np.array([1.0, 0, 0])
    return np.array([0, 0, 1.0])


def diagonal(shape, size):
    """A local direction over a corner, a rim or an end."""
    if shape == BOX:
        return unit(size)
    if shape in (CYLINDER, CAPSULE):
        return unit([size[0], 0, size[1]])
    return np.array([0, 0, 1.0])


# Orientations by class: rotations of both and the direction from B to A in which depth is set.

def any_way(r, a, b, sa, sb):
    return random_rotation(r), random_rotation(r), unit(r.normal(size=3))


def flush(r, a, b, sa, sb):
    m = random_rotation(r) if r.random() < 0.7 else QUARTER_TURNS[r.integers(24)].astype(float)
    na, nb = feature_normal(r, a), feature_normal(r, b)
    n = -m @ na
    other = between(m @ nb, n) @ m
    return m, rotation(n, r.uniform(0, 2 * np.pi)) @ other if r.random() < 0.5 else other, n


def perpendicular(r, a, b, sa, sb):
    m = random_rotation(r)
    return m, m @ QUARTER_TURNS[r.integers(24)], m @ QUARTER_TURNS[r.integers(24)][:, 0]


def nearly_parallel(r, a, b, sa, sb):
    m, other, n = flush(r, a, b, sa, sb)
    return m, rotation(r.normal(size=3), 10.0 ** -r.integers(2, 7)) @ other, n


def edge_on_face(r, a, b, sa, sb):
    m = random_rotation(r)
    n = -m @ feature_normal(r, a)
    edge = unit([0, 1, 1] if b == BOX else [1, 0, 1])
    return m, rotation(n, r.uniform(0, 2 * np.pi)) @ between(m @ edge, n) @ m, n


def corner_on_face(r, a, b, sa, sb):
    m = random_rotation(r)
    n = -m @ feature_normal(r, a)
    return m, rotation(n, r.uniform(0, 2 * np.pi)) @ between(m @ diagonal(b, sb), n) @ m, n


def edge_on_edge(r, a, b, sa, sb):
    n = unit(r.normal(size=3))
    ea, eb = (unit([0, 1, r.uniform(0.3, 3)]) if s == BOX else np.array([1.0, 0, 0]) for s in (a, b))
    return (rotation(n, r.uniform(0, 2 * np.pi)) @ between(ea, -n),
            rotation(n, r.uniform(0, 2 * np.pi)) @ between(eb, n), n)


def rim_on_rim(r, a, b, sa, sb):
    n = unit(r.normal(size=3))
    return (rotation(n, r.uniform(0, 2 * np.pi)) @ between(diagonal(a, sa), -n),
            rotation(n, r.uniform(0, 2 * np.pi)) @ between(diagonal(b, sb), n), n)


ORIENTATIONS = (any_way, flush, perpendicular, nearly_parallel, edge_on_face, corner_on_face, edge_on_edge, rim_on_rim)


# Depths by class.

def depth_of(r, name, w):
    if name == "shallow":
        return r.uniform(0.01, 0.1) * w
    if name == "resting":
        return 10.0 ** r.uniform(-3.5, -2)
    if name == "grazing":
        return r.choice([-1, 1]) * 10.0 ** -r.integers(2, 6)
    if name == "deep":
        return r.uniform(0.3, 1.5) * w
    return 0.0


DEPTHS = ("shallow", "resting", "grazing", "deep", "coaxial", "coincident", "nested")


class Scene:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.rows = []  # shape, size, position, rotation, environment
        self.extra = {}
        self.truth = {}
        self.frames = None
        self.hulls = []  # points of each

    def body(self, shape, size, position, m, environment):
        self.rows.append((shape, np.resize(np.asarray(size, float), 3), np.asarray(position, float), m, environment))

    def pair(self, a, b, sa, sb, ma, mb, c, at=np.zeros(3)):
        """A at `at`, B at `at` + c, in an environment of their own, in either order."""
        environment = len(self.rows) // 2
        if b == HALF_SPACE:
            sb = [0, 0, 0]
        both = [(a, sa, at, ma), (b, sb, at + c, mb)]
        for shape, size, position, m in both if self.random.random() < 0.5 else both[::-1]:
            self.body(shape, size, position, m, environment)

    def posed_pair(self, a, b, sizes, orientation, depth):
        r = self.random
        sa, sb = (np.resize(np.asarray(s, float), 3) for s in sizes(r, a, b))
        if r.random() < 0.5 and b != HALF_SPACE:
            sa, sb = (np.resize(np.asarray(s, float), 3) for s in sizes(r, b, a)[::-1])
        ma, mb, n = orientation(r, a, b, sa, sb)
        if b == HALF_SPACE:
            mb = between(mb[:, 2], n) @ mb
        w = min(least_width(a, sa), least_width(b, sb))
        reach = support(a, sa, ma, n) + support(b, sb, mb, n)
        c = -n * (reach - depth_of(r, depth, w))
        across = r.normal(size=3)
        across -= n * (n @ across)
        if depth == "coincident":
            c = np.zeros(3) if r.random() < 0.6 else 10.0 ** -r.uniform(4, 9) * r.normal(size=3)
        elif depth == "nested":
            c = r.uniform(-0.6, 0.6, 3) * max(span(a, sa), span(b, sb) if b != HALF_SPACE else 0)
        elif depth != "coaxial":
            scale = min(span(a, sa), span(b, sb)) if r.random() < 0.7 else max(span(a, sa), span(b, sb))
            c = c + unit(across) * scale * r.choice([0.0, 0.25, 0.5, 0.9]) * (1 if r.random() < 0.5 else r.random())
        self.pair(a, b, sa, sb, ma, mb, c, FAR * r.uniform(0.5, 1) if r.random() < 0.3 else np.zeros(3))

    def write(self, path, order=None):
        rows = self.rows if order is None else [self.rows[k] for k in order]
        shape, size, position, m, environment = zip(*rows)
        with h5py.File(path, "w") as f:
            f.attrs["format"], f.attrs["version"] = "oclide-scene", 1
            f["bodies/shape"] = np.array(shape, np.uint8)
            f["bodies/size"] = np.array(size)
            q = np.array([quaternion(x) for x in m])
            position = np.array(position)
            if self.frames is not None:
                position, q = self.frames(position, q)
            f["bodies/position"], f["bodies/orientation"] = position, q
            f["bodies/environment"] = np.array(environment, np.uint32)
            for k, points in enumerate(self.hulls):
                f[f"hulls/{k}/vertices"] = points
            for name, values in self.extra.items():
                f["bodies/" + name] = values if order is None else values[order]
            for name, values in self.truth.items():
                f["truth/" + name] = values
            if order is not None:
                f["truth/permutation"] = np.array(order, np.uint32)


def pairs_of(size_name):
    def make(s, scale):
        for (a, b), orientation, depth in itertools.product(KINDS, ORIENTATIONS, DEPTHS):
            for _ in range(max(1, round(8 * scale))):
                s.posed_pair(a, b, SIZES[size_name], orientation, depth)
    return make


for size_name in SIZES:
    SCENES["pairs_" + size_name] = pairs_of(size_name)


# Hulls: points and the directions of some faces.

def hull_points(r, kind):
    if kind == "box":
        points = np.array(list(itertools.product((-1, 1), repeat=3))) * r.uniform(0.3, 1.0, 3)
    elif kind == "turned_box":
        points = np.array(list(itertools.product((-1, 1), repeat=3))) * r.uniform(0.3, 1.0, 3) @ random_rotation(r)
    elif kind == "prism":
        n = r.integers(3, 25)
        angle = 2 * np.pi * np.arange(n) / n
        ring = np.column_stack([np.cos(angle), np.sin(angle)]) * r.uniform(0.3, 1.0)
        half = r.uniform(0.1, 1.0)
        points = np.vstack([np.column_stack([ring, np.full(n, z)]) for z in (-half, half)])
    elif kind == "tetrahedron":
        points = r.normal(size=(4, 3))
    elif kind == "ball":
        points = r.normal(size=(r.integers(20, 60), 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
    elif kind == "needle":
        points = r.uniform(-1, 1, (r.integers(5, 16), 3)) * [0.05, 0.08, r.uniform(3, 20)]
    elif kind == "plate":
        points = r.uniform(-1, 1, (r.integers(5, 16), 3)) * [r.uniform(0.5, 20), r.uniform(0.5, 3), 0.05]
    else:
        points = r.normal(size=(r.integers(5, 33), 3)) * r.uniform(0.3, 1.0, 3)
    if r.random() < 0.3:  # the body's position is beside it
        points = points + r.normal(size=3) * np.abs(points).max()
    return points.astype(np.float32).astype(float)


def any_face(r, points):
    """The outward normal of a plane through three points that has all others on one side."""
    while True:
        p, q, s = points[r.permutation(len(points))[:3]]
        n = np.cross(q - p, s - p)
        if np.linalg.norm(n) < 1e-9:
            continue
        n = unit(n)
        heights = (points - p) @ n
        if heights.max() < 1e-5 or heights.min() > -1e-5:
            return n if heights.max() < 1e-5 else -n


@scene
def pairs_hull(s, scale):
    """Hulls with all shapes: any way, with a face on a face, a corner or an edge down, at depths of all classes."""
    r = s.random
    kinds = ("box", "turned_box", "prism", "tetrahedron", "ball", "needle", "plate", "stone")
    classes = itertools.product(kinds, SHAPES + (HULL,), ("any", "face_on_face", "corner"), DEPTHS)
    for kind, other, way, depth in classes:
        for _ in range(max(1, round(4 * scale))):
            s.hulls.append(hull_points(r, kind))
            points = s.hulls[-1]
            size = cube_like(r, other)
            if other == HULL:
                s.hulls.append(s.hulls[-1] if r.random() < 0.3 else hull_points(r, r.choice(kinds)))
                size = [len(s.hulls) - 1, 0, 0]
            reach = lambda m, n: ((s.hulls[-1] @ (m.T @ n)).max() if other == HULL else support(other, size, m, n))
            n = unit(r.normal(size=3))  # from the other one toward the hull
            m = between(any_face(r, points), -n) if way != "corner" else between(points[r.integers(len(points))], -n)
            if other == HALF_SPACE:
                m_other = between([0, 0, 1], n)
            elif other == HULL and way != "any":
                m_other = between(any_face(r, s.hulls[-1]), n)
            elif way == "any":
                m, m_other = random_rotation(r), random_rotation(r)
            else:
                m_other = between(feature_normal(r, other), n)
            m = rotation(n, r.uniform(0, 2 * np.pi)) @ m
            if other == HULL:
                span_other, width = np.abs(s.hulls[-1]).max(), 0.2
            else:
                span_other, width = span(other, size), least_width(other, size)
            c = -n * ((points @ (m.T @ -n)).max() + reach(m_other, n) - depth_of(r, depth, min(width, 0.2)))
            if depth == "coincident":
                c = np.zeros(3) if r.random() < 0.6 else 10.0 ** -r.uniform(4, 9) * r.normal(size=3)
            elif depth == "nested":
                c = r.uniform(-0.6, 0.6, 3) * max(np.abs(points).max(), span_other)
            elif depth != "coaxial":
                across = r.normal(size=3)
                c = c + unit(across - n * (n @ across)) * span_other * r.choice([0.0, 0.25, 0.5, 0.9])
            index = len(s.hulls) - (2 if other == HULL else 1)
            at = FAR * r.uniform(0.5, 1) if r.random() < 0.3 else np.zeros(3)
            s.pair(HULL, other, [index, 0, 0], size, m, m_other, c, at)


@scene
def pairs_permuted(s, scale):
    for (a, b), orientation, depth in itertools.product(KINDS, ORIENTATIONS, DEPTHS):
        for sizes in (cube_like_both, SIZES["cube_like"]):
            s.posed_pair(a, b, sizes, orientation, depth)
    s.permuted = True


def cube_like_both(r, a, b):
    size = cube_like(r, a)
    return size, size


def jitter(s, scale=1e-6):
    """Second and third frame: all poses changed by about `scale`."""
    def frames(position, q):
        r = np.random.default_rng(5)
        ps = [position] + [position + scale * r.uniform(-1, 1, position.shape) for _ in range(2)]
        qs = [q] + [q + 0.5 * scale * r.uniform(-1, 1, q.shape) for _ in range(2)]
        return np.array(ps), np.array([x / np.linalg.norm(x, axis=1)[:, None] for x in qs])
    s.frames = frames
    s.truth["stable"] = np.array(1)


@scene
def stable_any_way(s, scale):
    for a, b in KINDS:
        for _ in range(round(200 * scale)):
            s.posed_pair(a, b, SIZES["cube_like"], any_way, "shallow")
    jitter(s)


@scene
def stable_resting(s, scale):
    """Faces, sides and edges on faces, turned and shifted in a general way: the patches' corners are well apart."""
    for a, b in KINDS:
        for _ in range(round(200 * scale)):
            r = s.random
            sa, sb = cube_like(r, a), cube_like(r, b)
            ma = random_rotation(r)
            na, nb = feature_normal(r, a), feature_normal(r, b)
            n = -ma @ na
            mb = rotation(n, r.uniform(0.1, 1.4)) @ between(ma @ nb, n) @ ma
            across = np.cross(n, r.normal(size=3))
            c = -n * (support(a, sa, ma, n) + support(b, sb, mb, n) - r.uniform(1e-3, 1e-2))
            s.pair(a, b, sa, sb, ma, mb, c + 0.2 * r.uniform(0.3, 1) * unit(across))
    jitter(s)


@scene
def known_cases(s, scale):
    """Rest poses and near misses as engines test them, each with numbers of our own and an answer by hand."""
    eye, quarter, eighth = np.eye(3), 0.5 * np.pi, 0.25 * np.pi
    lie_x, lie_y = rotation([0, 1, 0], quarter), rotation([1, 0, 0], quarter)
    one, plank = [1, 1, 1], [2.0, 0.5, 0.1]
    for spin in (0.0, 0.3, eighth, quarter):
        turn = rotation([0, 0, 1], spin)
        for gap in (-0.3, -1e-3, -1e-5, 0.0, 1e-5, 1e-3, 0.015):
            def on(a, sa, ma, b, sb, mb, x=0.0, y=0.0):
                """B above A by `gap`."""
                up = np.array([0, 0, 1.0])
                z = support(a, np.resize(sa, 3), ma, up) + support(b, np.resize(sb, 3), mb, up)
                s.pair(a, b, sa, sb, ma, mb, np.array([x, y, z + gap]))
            # Boxes: stacked, overhanging, edge down, corner down, crossed planks, edge across edge.
            on(BOX, one, eye, BOX, one, turn)
            on(BOX, one, eye, BOX, one, turn, 0.9, 0.7)
            on(BOX, one, eye, BOX, one, turn, 1.9999, 0.0)
            on(BOX, one, eye, BOX, one, turn @ rotation([1, 0, 0], eighth))
            on(BOX, one, eye, BOX, one, turn @ between([1, 1, 1], [0, 0, 1]))
            on(BOX, plank, eye, BOX, plank, turn @ rotation([0, 0, 1], quarter))
            on(BOX, one, rotation([1, 0, 0], eighth), BOX, one, turn @ rotation([0, 1, 0], eighth))
            # Cylinders: upright, lying, leaning, on a smaller box, beside an edge.
            on(BOX, one, eye, CYLINDER, [0.5, 1, 0], turn)
            on(BOX, one, eye, CYLINDER, [0.5, 1, 0], turn, 0.9, 0.9)
            on(BOX, one, eye, CYLINDER, [0.5, 1, 0], turn @ lie_x)
            on(BOX, one, eye, CYLINDER, [0.5, 3, 0], turn @ lie_x, 0.5, 0.2)
            on(BOX, one, eye, CYLINDER, [0.5, 1, 0], turn @ rotation([1, 0, 0], eighth))
            on(BOX, [0.2, 0.2, 0.2], eye, CYLINDER, [2, 0.1, 0], turn)
            on(BOX, one, rotation([1, 0, 0], eighth), CYLINDER, [0.5, 2, 0], turn @ lie_x)
            on(BOX, one, rotation([1, 0, 0], eighth), CYLINDER, [0.5, 2, 0], turn @ lie_y)
            # Capsules: on a box, over an edge, on each other, end to end, across.
            on(BOX, one, eye, CAPSULE, [0.5, 1, 0], turn)
            on(BOX, one, eye, CAPSULE, [0.5, 1, 0], turn @ lie_x)
            on(BOX, one, eye, CAPSULE, [0.5, 1, 0], turn @ lie_x, 1.2, 0.3)
            on(BOX, one, rotation([1, 0, 0], eighth), CAPSULE, [0.5, 1, 0], turn @ lie_x)
            on(CAPSULE, [0.5, 1, 0], lie_x, CAPSULE, [0.5, 1, 0], turn @ lie_x)
            on(CAPSULE, [0.5, 1, 0], lie_x, CAPSULE, [0.25, 3, 0], turn @ lie_x, 0.7)
            on(CAPSULE, [0.5, 1, 0], eye, CAPSULE, [0.5, 1, 0], turn)
            # Cylinders with round ones.
            on(CYLINDER, [0.5, 1, 0], eye, CYLINDER, [0.5, 1, 0], turn)
            on(CYLINDER, [0.5, 1, 0], eye, CYLINDER, [0.3, 1, 0], turn, 0.6, 0.1)
            on(CYLINDER, [0.5, 1, 0], lie_x, CYLINDER, [0.3, 2, 0], turn @ lie_x)
            on(CYLINDER, [0.5, 1, 0], lie_x, CYLINDER, [0.3, 2, 0], turn @ lie_x, 0.5)
            on(CYLINDER, [0.5, 1, 0], eye, CYLINDER, [0.3, 2, 0], turn @ lie_x)
            on(CYLINDER, [0.5, 1, 0], eye, CAPSULE, [0.3, 2, 0], turn @ lie_x, 0.2)
            on(CYLINDER, [0.5, 1, 0], lie_x, CAPSULE, [0.3, 2, 0], turn @ lie_x, 0.2)
            on(CYLINDER, [0.5, 1, 0], eye, CAPSULE, [0.3, 2, 0], turn)
            # Spheres: over a face, an edge, a corner, a rim, an axis.
            for x, y in ((0, 0), (0.5, 0.2), (1.0, 0.0), (1.0, 1.0), (1.2, 0.3)):
                on(BOX, one, turn, SPHERE, [0.5, 0, 0], eye, x, y)
                on(CYLINDER, [1, 1, 0], turn, SPHERE, [0.5, 0, 0], eye, x, y)
                on(CAPSULE, [1, 1, 0], turn @ lie_x, SPHERE, [0.5, 0, 0], eye, x, y)
                on(SPHERE, [1, 0, 0], turn, SPHERE, [0.5, 0, 0], eye, x, y)
            # On the ground.
            for shape, size in ((BOX, one), (CYLINDER, [0.5, 1, 0]), (CAPSULE, [0.5, 1, 0]), (SPHERE, [0.5, 0, 0])):
                for m in (eye, lie_x, lie_y, rotation([1, 0, 0], eighth), between([1, 1, 1], [0, 0, 1])):
                    z = support(shape, np.resize(size, 3), turn @ m, np.array([0, 0, 1.0]))
                    s.pair(shape, HALF_SPACE, size, one, turn @ m, eye, np.array([0.3, 0.1, -z - gap]))


def cluster(s, n, spread, low, high, shapes=(0, 1, 2, 3), environment=0, aligned=0.3):
    r = s.random
    for _ in range(n):
        base = np.exp(r.uniform(np.log(low), np.log(high)))
        size = np.maximum(base * np.exp(r.uniform(-1, 0, 3)), low)
        m = QUARTER_TURNS[r.integers(24)].astype(float) if r.random() < aligned else random_rotation(r)
        s.body(r.choice(shapes), size, r.normal(size=3) * spread, m, environment)


@scene
def cluster_mixed(s, scale):
    cluster(s, round(1500 * scale), 3.0, 0.1, 0.7)
    s.permuted = True


@scene
def cluster_sizes(s, scale):
    cluster(s, round(800 * scale), 20.0, 0.05, 50.0)
    s.permuted = True


@scene
def cluster_far(s, scale):
    cluster(s, round(800 * scale), 2.0, 0.1, 0.7)
    s.rows = [(a, b, p + FAR, m, e) for a, b, p, m, e in s.rows]


@scene
def one_point(s, scale):
    cluster(s, round(150 * scale), 0.0, 0.1, 1.0)


@scene
def filters(s, scale):
    for environment in (0, 1, 7, 1000):
        cluster(s, round(250 * scale), 1.2, 0.1, 0.7, (0, 1, 2, 3), environment)
    for environment in (0, 7):
        for _ in range(3):
            s.body(HALF_SPACE, [0, 0, 0], s.random.normal(size=3), random_rotation(s.random), environment)
    n, r = len(s.rows), s.random
    s.extra = {"group": r.integers(-2, 6, n).astype(np.int32), "category": (1 << r.integers(0, 5, n)).astype(np.uint32),
               "mask": r.integers(0, 64, n).astype(np.uint32)}
    s.extra["mask"][r.random(n) < 0.3] = 0xFFFFFFFF
    s.permuted = True


@scene
def half_spaces(s, scale):
    cluster(s, round(300 * scale), 3.0, 0.05, 2.0)
    for k in range(12):
        m = random_rotation(s.random) if k > 5 else QUARTER_TURNS[4 * k].astype(float)
        s.body(HALF_SPACE, [0, 0, 0], s.random.normal(size=3) * 2, m, 0)
    s.permuted = True


@scene
def stacks(s, scale):
    """Rows of equal boxes and cylinders at rest: many flush faces, sides and edges that coincide."""
    for x, y, z in itertools.product(range(8), range(6), range(5)):
        shape = (BOX, CYLINDER, BOX, CAPSULE)[(x + y) % 4]
        m = rotation([0, 0, 1], 0.1 * x * (y % 2)) if shape != CAPSULE else rotation([0, 1, 0], 0.5 * np.pi)
        size = [0.5, 0.5, 0.5] if shape != CAPSULE else [0.25, 0.25, 0]
        s.body(shape, size, [0.999 * x, 0.999 * y, 0.999 * z], m, 0)
    s.body(HALF_SPACE, [0, 0, 0], [0, 0, -0.499], np.eye(3), 0)
    s.permuted = True


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
        s.permuted = False
        make(s, options.scale)
        s.write(os.path.join(options.out, name + ".h5"))
        if s.permuted:
            s.write(os.path.join(options.out, name + ".permuted.h5"), np.random.default_rng(1).permutation(len(s.rows)))
        print(name, len(s.rows), "bodies")


if __name__ == "__main__":
    main()

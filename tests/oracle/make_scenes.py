#!/usr/bin/env python3
"""Adversarial scenes for the terrain contacts, with fixed seeds.

make_scenes.py OUT [--data FOLDER] [--only NAME,NAME] [--scale S]

FOLDER holds ESRI ASCII grids (*.asc) of real terrain; without it those scenes are left out. S scales the number of
bodies. Needs h5py and numpy.
"""
import argparse
import glob
import os
import zlib

import h5py
import numpy as np

SPHERE, BOX, CYLINDER, CAPSULE = range(4)
SCENES = {}


def scene(make):
    SCENES[make.__name__] = make
    return make


class Grid:
    """A height grid: rows are y, columns are x; NaN is no data."""

    def __init__(self, heights, spacing=(1.0, 1.0), origin=None, holes=None, material=None):
        self.heights = np.asarray(heights)
        self.spacing = np.broadcast_to(np.asarray(spacing, float), 2)
        extent = self.spacing * (np.array(self.heights.shape[::-1]) - 1)
        self.origin = -0.5 * extent if origin is None else np.asarray(origin, float)
        self.extent = extent
        self.holes, self.material = holes, material

    @classmethod
    def of(cls, function, rows, cols, spacing=(1.0, 1.0), origin=None, **more):
        """Heights from function(x, y) in the grid's own coordinates, its middle at 0, 0."""
        spacing = np.broadcast_to(np.asarray(spacing, float), 2)
        x = (np.arange(cols) - (cols - 1) / 2) * spacing[0]
        y = (np.arange(rows) - (rows - 1) / 2) * spacing[1]
        return cls(np.broadcast_to(function(x[None, :], y[:, None]), (rows, cols)).copy(), spacing, origin, **more)

    def height(self, x, y):
        """Surface at points, exact for the two triangles of a cell; NaN in the open."""
        u = (np.asarray(x) - self.origin[0]) / self.spacing[0]
        v = (np.asarray(y) - self.origin[1]) / self.spacing[1]
        rows, cols = self.heights.shape
        inside = (u >= 0) & (v >= 0) & (u <= cols - 1) & (v <= rows - 1)
        j = np.clip(np.floor(u).astype(int), 0, cols - 2)
        i = np.clip(np.floor(v).astype(int), 0, rows - 2)
        u, v = u - j, v - i
        h = self.heights.astype(float)
        h0, h1, h2, h3 = h[i, j], h[i, j + 1], h[i + 1, j], h[i + 1, j + 1]
        lower = h0 + u * (h1 - h0) + v * (h2 - h0)
        upper = h3 + (1 - u) * (h2 - h3) + (1 - v) * (h1 - h3)
        z = np.where(u + v <= 1, lower, upper)
        if self.holes is not None:
            inside &= self.holes[i, j] == 0
        return np.where(inside, z, np.nan)


class Bodies:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.parts = []
        self.hulls = []  # points of each

    def draw(self, n, low=0.05, high=50.0, shapes=(0, 1, 2, 3), upright=0.4, anisotropy=4.0):
        """Random shapes and sizes (log-uniform), a share of them axis-aligned, upright or lying."""
        r = self.random
        shape = r.choice(shapes, n)
        base = np.exp(r.uniform(np.log(low), np.log(high), n))
        size = base[:, None] * np.exp(r.uniform(-np.log(anisotropy), 0, (n, 3)))
        size = np.maximum(size, low)
        q = r.normal(size=(n, 4))
        h = np.sqrt(0.5)
        special = np.array([[1, 0, 0, 0], [h, h, 0, 0], [h, 0, h, 0], [h, 0, 0, h], [0, 1, 0, 0],
                            [np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0], [0.5, 0.5, 0.5, 0.5]])
        aligned = r.random(n) < upright
        q[aligned] = special[r.integers(0, len(special), aligned.sum())]
        yaw = aligned & (r.random(n) < 0.5)
        half = r.uniform(0, np.pi, n)
        q[yaw] = yaw_after(half[yaw], q[yaw])
        return shape, size, q / np.linalg.norm(q, axis=1)[:, None]

    def add(self, shape, size, q, position, environment=None):
        n = len(position)
        shape, size, q = np.broadcast_to(shape, n), np.broadcast_to(size, (n, 3)), np.broadcast_to(q, (n, 4))
        env = np.zeros(n, int) if environment is None else np.broadcast_to(environment, n)
        self.parts.append((shape, size, q, np.asarray(position, float), env))

    def drop(self, grid, n, sunk, low=0.05, high=50.0, spread=1.0, environment=None, **more):
        """n bodies over the grid; sunk(n, half height, size) says how far the lowest point is below the surface
        there."""
        shape, size, q = self.draw(n, low, high, **more)
        x = grid.origin[0] + grid.extent[0] * (0.5 + spread * (self.random.random(n) - 0.5))
        y = grid.origin[1] + grid.extent[1] * (0.5 + spread * (self.random.random(n) - 0.5))
        z = grid.height(x, y)
        z = np.where(np.isnan(z), np.nanmedian(grid.heights), z)
        half = half_height(shape, size, q)
        self.add(shape, size, q, np.stack([x, y, z + half - sunk(self.random, half, size)], 1), environment)


    def drop_hulls(self, grid, n, sunk, low=0.05, high=50.0, spread=1.0, environment=None):
        """The same with hulls: boxes, stones, needles, plates; a third of them beside the body's position."""
        r = self.random
        _, size, q = self.draw(n, low, high)
        position = np.empty((n, 3))
        for k in range(n):
            kind = r.integers(4)
            if kind == 0:
                points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size[k]
            else:
                stretch = [[1, 1, 1], [0.2, 0.2, 2], [1, 1, 0.1]][kind - 1]
                points = r.uniform(-1, 1, (r.integers(4, 33), 3)) * size[k] * stretch
            aside = np.abs(points).max() * r.normal(size=3) if r.random() < 0.3 else 0
            points = np.float32(points + aside).astype(float)
            self.hulls.append(points)
            heights = points @ rotation_row_z(q[k:k + 1])[0]
            at = grid.origin + grid.extent * (0.5 + spread * (r.random(2) - 0.5))
            z = float(grid.height(*at))
            half = 0.5 * np.ptp(heights)
            z = np.nanmedian(grid.heights) if np.isnan(z) else z
            z = z + half - float(sunk(r, np.array([half]), size[k:k + 1])[0])
            position[k] = [*at, z - 0.5 * (heights.max() + heights.min())]
        index = np.arange(len(self.hulls) - n, len(self.hulls))
        self.add(4, np.stack([index, 0 * index, 0 * index], 1), q, position, environment)


def yaw_after(half, q):
    c, s = np.cos(half), np.sin(half)
    w, x, y, z = q.T
    return np.stack([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w], 1)


def rotation_row_z(q):
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    return np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1)


def half_height(shape, size, q):
    """Half of the body's extent along z."""
    k = np.abs(rotation_row_z(q))
    round_ = np.sqrt(np.maximum(0, 1 - k[:, 2] ** 2))
    return np.choose(shape, [size[:, 0], (k * size).sum(1), size[:, 1] * k[:, 2] + size[:, 0] * round_,
                             size[:, 1] * k[:, 2] + size[:, 0]])


# How far bodies are sunk: by a little, half, with the centre just below, buried, hovering, or a mixture.
def shallow(r, half, size):
    return np.minimum(0.15 * half, r.uniform(0.0005, 0.1, len(half)))


def half_sunk(r, half, size):
    return half * r.uniform(0.9, 1.1, len(half))


def centre_just_below(r, half, size):
    return half + 10 ** r.uniform(-6, -2, len(half))


def buried(r, half, size):
    return 2 * half + 10 ** r.uniform(-1, 1.3, len(half))


def hovering(r, half, size):
    return -10 ** r.uniform(-4.3, 0, len(half))


def mixture(r, half, size):
    kinds = [shallow, shallow, half_sunk, centre_just_below, buried, hovering]
    choice = r.integers(0, len(kinds), len(half))
    return np.choose(choice, [k(r, half, size) for k in kinds])


def write(path, grids, bodies, environments=None, double=True):
    real = np.float64 if double else np.float32
    shape, size, q, position, env = (np.concatenate(p) for p in zip(*bodies.parts))
    with h5py.File(path, "w") as f:
        f.attrs["format"], f.attrs["version"] = "oclide-scene", 1
        for k, g in enumerate(grids):
            heights = f.create_dataset(f"terrains/{k}/heights", data=g.heights.astype(real), compression=4)
            heights.attrs["origin"], heights.attrs["spacing"] = g.origin, g.spacing.astype(float)
            if g.holes is not None:
                f[f"terrains/{k}/holes"] = g.holes.astype(np.uint8)
            if g.material is not None:
                f[f"terrains/{k}/material"] = g.material.astype(np.uint8)
        f["bodies/shape"] = shape.astype(np.uint8)
        f["bodies/size"] = size.astype(real)
        f["bodies/position"] = position.astype(real)
        f["bodies/orientation"] = q.astype(real)
        f["bodies/environment"] = env.astype(np.uint32)
        for k, points in enumerate(bodies.hulls):
            f[f"hulls/{k}/vertices"] = points
        if environments is not None:
            f["environments/terrain"] = np.asarray(environments, np.int32)


def rough(rows, cols, spacing, amplitude, seed, origin=None, **more):
    r = np.random.default_rng(seed)
    return Grid(r.uniform(-amplitude, amplitude, (rows, cols)), spacing, origin, **more)


def rolling(rows, cols, spacing, amplitude, wave, seed, **more):
    r = np.random.default_rng(seed)
    phase = r.uniform(0, 6, 6)

    def height(x, y):
        z = 0
        for k in range(3):
            z = z + amplitude / 2 ** k * np.sin(2 ** k * x / wave + phase[k]) * np.cos(2 ** k * y / wave + phase[k + 3])
        return z
    return Grid.of(height, rows, cols, spacing, **more)


def read_asc(path):
    header, rows = {}, []
    with open(path) as f:
        for line in f:
            words = line.split()
            if words and words[0][0].isalpha():
                header[words[0].lower()] = float(words[1])
            else:
                rows.extend(words)
    z = np.array(rows, float).reshape(int(header["nrows"]), int(header["ncols"]))[::-1].copy()
    z[z == header.get("nodata_value", np.inf)] = np.nan
    return Grid(z, header["cellsize"])


@scene
def shallow_on_rolling(b, n):
    g = rolling(90, 130, (0.5, 0.5), 1.0, 6.0, 1)
    b.drop(g, n, shallow, 0.05, 2.0, 0.9)
    return [g]


@scene
def mixture_on_rolling(b, n):
    g = rolling(80, 100, (1.0, 1.0), 3.0, 12.0, 2)
    b.drop(g, n, mixture, 0.05, 5.0, 0.95)
    return [g]


@scene
def buried_in_rolling(b, n):
    g = rolling(60, 60, (2.0, 2.0), 3.0, 15.0, 3)
    b.drop(g, n, buried, 0.05, 10.0, 0.8)
    return [g]


@scene
def centre_just_below_flat(b, n):
    g = Grid.of(lambda x, y: 0 * x + 0 * y, 30, 40, (1.0, 1.0))
    b.drop(g, n, centre_just_below, 0.05, 5.0, 0.6)
    thin = n // 4
    shape, size, q = b.draw(thin, 0.5, 3.0, shapes=(BOX,))
    size[:, 2] = 0.05
    position = np.column_stack([b.random.uniform(-8, 8, (thin, 2)), -10 ** b.random.uniform(-6, -2, thin)])
    b.add(shape, size, [1, 0, 0, 0], position)
    return [g]


@scene
def rough_fine_cells(b, n):
    g = rough(121, 151, 0.1, 0.05, 4)
    b.drop(g, n // 2, shallow, 0.5, 2.0, 0.8)
    b.drop(g, n // 4, mixture, 0.5, 2.0, 0.8)
    return [g]


@scene
def rough_cells_of_body_size(b, n):
    g = rough(61, 71, 1.0, 0.4, 5)
    b.drop(g, n // 2, shallow, 0.3, 2.0, 0.9)
    b.drop(g, n // 2, mixture, 0.3, 2.0, 0.9)
    return [g]


@scene
def rough_coarse_cells(b, n):
    g = rough(17, 13, 10.0, 6.0, 6)
    b.drop(g, n // 2, shallow, 0.05, 2.0, 0.95)
    b.drop(g, n // 2, mixture, 0.05, 2.0, 0.95)
    return [g]


@scene
def wild(b, n):
    """Steeper than any ground: every cell has its own cliff."""
    g = rough(41, 51, 0.5, 3.0, 7)
    b.drop(g, n, mixture, 0.05, 3.0, 0.9)
    return [g]


@scene
def kerbs(b, n):
    """Asphalt, a step of 0.2 m over 0.02 m, and pavement; bodies of all kinds across it."""
    cols = 601
    x = (np.arange(cols) - 300) * 0.02
    g = Grid(np.broadcast_to(np.where(x > 0.001, 0.2, 0.0), (9, cols)).copy(), (0.02, 2.0))
    shape, size, q = b.draw(n, 0.05, 1.5)
    half = half_height(shape, size, q)
    px = b.random.uniform(-1, 1, n) * (0.2 + size.max(1))
    pz = half + np.where(px > 0, 0.2, 0.0) - b.random.uniform(-0.02, 0.1, n)
    pz -= np.where(b.random.random(n) < 0.3, 0.1, 0)
    b.add(shape, size, q, np.column_stack([np.clip(px, -4, 4), b.random.uniform(-6, 6, n), pz]))
    return [g]


@scene
def kerb_side(b, n):
    """Bodies on the asphalt that touch the kerb's face by 0 to 3 cm and nothing else much."""
    cols = 601
    x = (np.arange(cols) - 300) * 0.02
    g = Grid(np.broadcast_to(np.where(x > 0.001, 0.2, 0.0), (9, cols)).copy(), (0.02, 2.0))
    shape, size, q = b.draw(n, 0.05, 0.6)
    reach = half_height(shape, size, turn_x_up(q))
    px = -reach + b.random.uniform(-0.01, 0.03, n)
    pz = half_height(shape, size, q) + b.random.uniform(-0.001, 0.002, n)
    b.add(shape, size, q, np.column_stack([px, b.random.uniform(-6, 6, n), pz]))
    return [g]


def turn_x_up(q):
    """Orientation such that its z extent is the original's x extent."""
    h = np.sqrt(0.5)
    w, x, y, z = q.T
    return h * np.stack([w + y, x - z, y - w, z + x], 1)


@scene
def cliffs(b, n):
    """Steps of 5 m over 1 mm, 1 cm and 10 cm between rolling plateaus."""
    grids = []
    for k, width in enumerate((0.001, 0.01, 0.1)):
        g = rolling(40, 41, (width, 0.5), 0.2, 6.0, 8 + k)
        g.heights[:, 20:] += 5.0
        b.drop(g, n // 6, mixture, 0.05, 3.0, 0.9, environment=2 * k)
        grids.append(g)
        h = rolling(40, 40, (1.0, 0.5), 0.2, 6.0, 40 + k)
        h.heights[:, 20:] += 5.0 * (k + 1)
        b.drop(h, n // 6, mixture, 0.05, 3.0, 0.6, environment=2 * k + 1)
        shape, size, q = b.draw(n // 6, 0.05, 3.0)
        at = np.column_stack([b.random.uniform(-1.5, 0.5, n // 6), b.random.uniform(-5, 5, n // 6),
                              b.random.uniform(0, 5, n // 6)])
        b.add(shape, size, q, at, 2 * k + 1)
        grids.append(h)
    return grids, list(range(6))


@scene
def ridges_and_valleys(b, n):
    """Roofs and V-valleys of 10 to 70 degrees."""
    grids = []
    for k, angle in enumerate((10, 45, 70)):
        slope, sign = np.tan(np.radians(angle)), 1 if k % 2 else -1
        for s in (sign, -sign):
            g = Grid.of(lambda x, y: s * slope * np.abs(x) + 0 * y, 11, 21, (1.0, 2.0))
            shape, size, q = b.draw(n // 6, 0.05, 2.0)
            size = np.maximum(size, 0.05)
            half = half_height(shape, size, q)
            x = b.random.uniform(-1, 1, n // 6) * half * 0.5
            y = b.random.uniform(-7, 7, n // 6)
            z = g.height(x, y) + (half - shallow(b.random, half, size) if s < 0 else half / np.cos(np.radians(angle)))
            b.add(shape, size, q, np.column_stack([x, y, z]), len(grids))
            grids.append(g)
    return grids, list(range(len(grids)))


@scene
def spikes_and_pits(b, n):
    r = np.random.default_rng(9)
    heights = np.zeros((61, 81))
    at = r.integers(3, 57, (120, 2))
    heights[at[:, 0], at[:, 1]] = r.choice([-2.0, -0.5, 0.1, 0.5, 2.0], 120)
    g = Grid(heights, (0.25, 0.25))
    b.drop(g, n, mixture, 0.05, 2.0, 0.9)
    picks = at[r.integers(0, 120, n // 2)]
    shape, size, q = b.draw(n // 2, 0.05, 2.0)
    x, y = g.origin[0] + picks[:, 1] * 0.25, g.origin[1] + picks[:, 0] * 0.25
    z = np.maximum(g.height(x, y), 0) + half_height(shape, size, q) - b.random.uniform(0, 0.05, n // 2)
    jitter = b.random.uniform(-0.1, 0.1, (n // 2, 2))
    b.add(shape, size, q, np.column_stack([x + jitter[:, 0], y + jitter[:, 1], z]))
    return [g]


def slopes(b, n, rows, spacing):
    grids = []
    for k, angle in enumerate((0, 5, 20, 40, 60, 75, 80)):
        slope = np.tan(np.radians(angle))
        turn = 0.3 + k
        g = Grid.of(lambda x, y: slope * (np.cos(turn) * x + np.sin(turn) * y), rows, rows, (spacing, spacing))
        m = n // 7
        shape, size, q = b.draw(m, 0.05, 2.0)
        normal = np.array([-slope * np.cos(turn), -slope * np.sin(turn), 1]) / np.hypot(slope, 1)
        x, y = b.random.uniform(-3, 3, (2, m))
        z = g.height(x, y)
        reach = extent_along(shape, size, q, normal)
        depth = mixture(b.random, reach, size)
        depth = np.where(b.random.random(m) < 0.3, np.minimum(depth, reach), depth)
        lift = np.clip(reach - depth, -3.0, None)
        b.add(shape, size, q, np.column_stack([x, y, z]) + lift[:, None] * normal, k)
        grids.append(g)
    return grids, list(range(len(grids)))


def extent_along(shape, size, q, d):
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    axes = [np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], 1) @ d,
            np.stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], 1) @ d,
            np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 1) @ d]
    k = np.abs(np.stack(axes, 1))
    round_ = np.sqrt(np.maximum(0, 1 - k[:, 2] ** 2))
    return np.choose(shape, [size[:, 0], (k * size).sum(1), size[:, 1] * k[:, 2] + size[:, 0] * round_,
                             size[:, 1] * k[:, 2] + size[:, 0]])


@scene
def slopes_coarse(b, n):
    return slopes(b, n, 2, 100.0)


@scene
def slopes_fine(b, n):
    return slopes(b, n, 161, 0.25)


@scene
def slopes_medium(b, n):
    return slopes(b, n, 21, 2.0)


@scene
def border_and_holes(b, n):
    r = np.random.default_rng(10)
    g = rolling(31, 41, (0.5, 0.7), 0.3, 4.0, 11, holes=(r.random((30, 40)) < 0.15).astype(np.uint8),
                material=r.integers(1, 5, (30, 40)))
    g.heights[r.integers(0, 31, 6), r.integers(0, 41, 6)] = np.nan
    b.drop(g, n, mixture, 0.05, 2.0, 1.0)
    m = n // 2
    shape, size, q = b.draw(m, 0.05, 2.0)
    side = b.random.integers(0, 4, m)
    along, off = b.random.uniform(-1, 1, m), b.random.uniform(-0.5, 0.5, m) * size.max(1)
    hx, hy = g.extent / 2
    x = np.where(side == 0, -hx + off, np.where(side == 1, hx + off, along * hx))
    y = np.where(side == 2, -hy + off, np.where(side == 3, hy + off, along * hy))
    b.add(shape, size, q, np.column_stack([x, y, b.random.uniform(-1.5, 0.3, m) + half_height(shape, size, q) * 0.9]))
    return [g]


@scene
def border_of_flat(b, n):
    g = Grid(np.zeros((2, 2)), (10.0, 10.0))
    shape, size, q = b.draw(n, 0.05, 4.0)
    x = 5 * np.sign(b.random.uniform(-1, 1, n)) + b.random.uniform(-1, 1, n) * size.max(1)
    y = np.where(b.random.random(n) < 0.3, 5 + b.random.uniform(-1, 1, n) * size.max(1), b.random.uniform(-5, 5, n))
    z = half_height(shape, size, q) - mixture(b.random, half_height(shape, size, q), size)
    b.add(shape, size, q, np.column_stack([x, y, z]))
    return [g]


@scene
def exactly_touching(b, n):
    """Depth 0, and 1e-5 m either side."""
    g = Grid.of(lambda x, y: 0 * x + 0 * y, 21, 31, (0.5, 0.5))
    b.drop(g, n, lambda r, half, size: r.choice([0.0, 1e-5, -1e-5], len(half)), 0.05, 2.0, 0.6)
    return [g]


@scene
def far_from_the_origin(b, n):
    g = rolling(60, 80, (0.5, 0.5), 1.0, 6.0, 12, origin=(9000.0, -9000.0))
    g.heights = g.heights + 8000.0
    b.drop(g, n // 2, shallow, 0.05, 3.0, 0.8)
    b.drop(g, n // 2, mixture, 0.05, 3.0, 0.8)
    return [g]


@scene
def far_and_off_lattice(b, n):
    g = rolling(50, 70, (0.3, 0.7), 0.6, 5.0, 13, origin=(-9333.337, 8765.4321))
    g.heights = g.heights - 3210.123
    b.drop(g, n, shallow, 0.05, 3.0, 0.8)
    return [g]


@scene
def very_tall(b, n):
    r = np.random.default_rng(14)
    g = Grid(r.uniform(0, 1000, (21, 26)), (1.0, 1.0))
    b.drop(g, n, mixture, 0.05, 2.0, 0.8)
    return [g]


@scene
def many_environments(b, n):
    grids = [rolling(30, 40, (0.5, 0.5), 0.5, 3.0, 15), rough(20, 15, 1.0, 0.3, 16),
             Grid(np.zeros((2, 3)), (20.0, 30.0))]
    table = [0, -1, 1, 2, 0, -1, 2, 1]
    for e, t in enumerate(table):
        b.drop(grids[max(t, 0)], n // 8, mixture, 0.05, 2.0, 0.7, environment=e)
    return grids, table


@scene
def smallest_grids(b, n):
    r = np.random.default_rng(17)
    grids = []
    for k in range(12):
        rows, cols = (2, 2) if k % 3 == 0 else ((2, 9) if k % 3 == 1 else (7, 2))
        g = rough(rows, cols, (r.uniform(0.05, 20), r.uniform(0.05, 20)), r.uniform(0, 2), 18 + k)
        b.drop(g, n // 12, mixture, 0.05, 3.0, 1.1, environment=k)
        grids.append(g)
    return grids, list(range(len(grids)))


@scene
def stretched_cells(b, n):
    g = rough(101, 11, (4.0, 0.1), 0.2, 30)
    b.drop(g, n // 2, mixture, 0.05, 2.0, 0.8)
    h = rough(9, 201, (0.05, 5.0), 0.1, 31)
    b.drop(h, n // 2, mixture, 0.05, 2.0, 0.8, environment=1)
    return [g, h], [0, 1]


@scene
def discs_needles_plates(b, n):
    g = rolling(60, 60, (0.5, 0.5), 0.4, 3.0, 32)
    flat = Grid(np.zeros((40, 50)), (0.5, 0.5))
    for e, ground in enumerate((g, flat)):
        for shape, size in ((CYLINDER, (5, 0.05, 0)), (CYLINDER, (0.05, 5, 0)), (CAPSULE, (0.05, 5, 0)),
                            (BOX, (5, 5, 0.05)), (BOX, (0.05, 5, 0.05))):
            m = max(1, n // 10)
            _, _, q = b.draw(m)
            sizes = np.broadcast_to(np.array(size, float), (m, 3)).copy()
            shapes = np.full(m, shape)
            half = half_height(shapes, sizes, q)
            xy = b.random.uniform(-5, 5, (m, 2))
            width = np.minimum(sizes[:, 0], sizes[:, 1])
            depth = np.where(b.random.random(m) < 0.6, b.random.uniform(0, 0.2, m) * width,
                             mixture(b.random, half, sizes))
            b.add(shapes, sizes, q, np.column_stack([xy, ground.height(xy[:, 0], xy[:, 1]) + half - depth]), e)
    return [g, flat], [0, 1]


@scene
def huge_over_fine(b, n):
    g = rolling(481, 521, (0.25, 0.25), 0.5, 5.0, 33)
    m = max(6, n // 100)
    for shape, size in ((BOX, (50, 50, 50)), (SPHERE, (50, 0, 0)), (CYLINDER, (25, 20, 0)), (CAPSULE, (10, 30, 0)),
                        (BOX, (20, 20, 0.1))):
        _, _, q = b.draw(m)
        shapes, sizes = np.full(m, shape), np.broadcast_to(np.array(size, float), (m, 3)).copy()
        half = half_height(shapes, sizes, q)
        xy = b.random.uniform(-10, 10, (m, 2))
        depth = np.where(b.random.random(m) < 0.7, b.random.uniform(-0.1, 0.5, m), half)
        b.add(shapes, sizes, q, np.column_stack([xy, 0.5 + half - depth]))
    return [g]


@scene
def tiny_on_huge_cells(b, n):
    g = rough(5, 4, 1000.0, 300.0, 34)
    b.drop(g, n // 2, shallow, 0.05, 0.1, 0.95)
    b.drop(g, n // 2, mixture, 0.05, 0.2, 0.95)
    return [g]


@scene
def on_the_lattice(b, n):
    """Bodies exactly over vertices, edges and diagonals of flat, tilted and folded cells."""
    h = np.zeros((9, 9))
    h[3:, :] += 0.25 * np.arange(6)[:, None]
    h[:, 5:] -= 0.5 * np.arange(4)[None, :]
    g = Grid(h, (1.0, 1.0))
    shape, size, q = b.draw(n, 0.05, 1.0, upright=0.8)
    xy = b.random.integers(-6, 7, (n, 2)) * 0.5
    half = half_height(shape, size, q)
    z = g.height(xy[:, 0], xy[:, 1]) + half - np.where(b.random.random(n) < 0.5, 0.125 * half,
                                                       shallow(b.random, half, size))
    b.add(shape, size, q, np.column_stack([xy, z]))
    return [g]


@scene
def hulls(b, n):
    grids = [rolling(60, 70, (0.5, 0.5), 1.0, 6.0, 51), rough(41, 41, 1.0, 0.4, 52), rough(31, 31, 0.2, 0.1, 53),
             Grid(np.zeros((21, 21)), (0.5, 0.5))]
    for e, g in enumerate(grids):
        b.drop_hulls(g, n // 8, shallow, 0.1, 2.0, 0.8, e)
        b.drop_hulls(g, n // 8, mixture, 0.1, 2.0, 0.9, e)
    return grids, list(range(len(grids)))


@scene
def hulls_on_borders(b, n):
    r = np.random.default_rng(54)
    g = rolling(31, 41, (0.5, 0.7), 0.3, 4.0, 55, holes=(r.random((30, 40)) < 0.15).astype(np.uint8))
    b.drop_hulls(g, n, mixture, 0.1, 2.0, 1.1)
    return [g]


@scene
def all_at_one_point(b, n):
    g = rolling(30, 30, (0.5, 0.5), 0.5, 3.0, 35)
    shape, size, q = b.draw(5000, 0.1, 0.4)
    b.add(shape, size, q, np.broadcast_to([0.3, 0.2, g.height(0.3, 0.2) + 0.05], (5000, 3)))
    return [g]


@scene
def float_file(b, n):
    """The same as a user would store it: every real dataset float32."""
    g = rolling(90, 130, (0.5, 0.5), 1.0, 6.0, 36)
    b.drop(g, n, mixture, 0.05, 2.0, 0.9)
    return [g]


def real(path):
    def make(b, n):
        g = read_asc(path)
        b.drop(g, n // 2, shallow, 0.05, 10.0, 0.98)
        b.drop(g, n // 4, half_sunk, 0.05, 20.0, 0.98)
        b.drop(g, n // 8, centre_just_below, 0.05, 20.0, 0.98)
        b.drop(g, n // 4, buried, 0.05, 10.0, 0.98)
        b.drop(g, n // 8, hovering, 0.05, 20.0, 0.98)
        return [g]
    return make


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--data", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    makers = dict(SCENES)
    for path in sorted(glob.glob(os.path.join(options.data, "*.asc"))) if options.data else []:
        makers["real_" + os.path.splitext(os.path.basename(path))[0]] = real(path)
    only = set(filter(None, options.only.split(",")))
    for name, make in makers.items():
        if only and name not in only:
            continue
        bodies = Bodies(zlib.crc32(name.encode()))
        made = make(bodies, int(600 * options.scale))
        grids, environments = made if isinstance(made, tuple) else (made, None)
        write(os.path.join(options.out, name + ".h5"), grids, bodies, environments, name != "float_file")
        print(name, sum(len(p[0]) for p in bodies.parts), "bodies")


if __name__ == "__main__":
    main()
